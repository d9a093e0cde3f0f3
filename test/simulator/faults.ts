import type {Prng} from './prng.ts'
import {merchantId, type OperationName, type Reply, type Request} from './service.ts'

/**
 * What befalls one call. Whether the work is done and what is answered are chosen each by itself: an answer says nothing
 * about the work, but for the closed list of A5b, and for what never left.
 */
export interface Fault {
  readonly deed: Deed
  readonly answer: AnswerFault
}

/** `late`: the work is done some time after the answer. */
export type Deed = 'done' | 'not done' | 'late'

export interface AnswerFault {
  readonly name: string
  /** Instead of an answer, an error after that long. */
  readonly breaks?: {readonly code: string; readonly afterMs: number; readonly isUnsent: boolean}
  /** The answer's head comes, and its body never ends. */
  readonly drips?: true
  /** What comes instead of the honest answer. */
  readonly reply?: (honest: Reply) => Reply
  /** It proves that nothing was done, and comes with no other deed (A5b). */
  readonly isProof?: true
  readonly of?: readonly OperationName[]
}

const page = '<!doctype html><title>502</title>'
const html = (status: number): Reply => ({status, body: page, type: 'text/html'})
const json = (status: number, body: object, headers?: Record<string, string>): Reply => ({
  ...{status, body: JSON.stringify(body)},
  ...(headers ? {headers} : {}),
})
const breaks = (name: string, code: string, afterMs: number): AnswerFault => ({
  name,
  breaks: {code, afterMs, isUnsent: false},
})
const unsent = (name: string, code: string, afterMs: number): AnswerFault => ({
  ...{name, isProof: true},
  breaks: {code, afterMs, isUnsent: true},
})
const says = (name: string, reply: Reply, of?: readonly OperationName[]): AnswerFault => ({
  ...{name, reply: () => reply},
  ...(of ? {of} : {}),
})
const writes: readonly OperationName[] = ['create', 'resend']
const orders: readonly OperationName[] = ['query', 'create']

export const answerFaults: readonly AnswerFault[] = [
  unsent('connection refused', 'ECONNREFUSED', 2),
  unsent('name not found', 'ENOTFOUND', 5),
  unsent('TLS handshake failed', 'CERT_HAS_EXPIRED', 20),
  unsent('no connection in time', 'UND_ERR_CONNECT_TIMEOUT', 5_000),
  breaks('connection reset', 'ECONNRESET', 10),
  breaks('no answer in time', 'UND_ERR_HEADERS_TIMEOUT', 15_000),
  {name: 'answer that never ends', drips: true},
  says('HTTP 500', json(500, {code: 50_000, message: 'oops'})),
  says('HTTP 502 of a proxy', html(502)),
  says('HTTP 503, Retry-After 3', json(503, {code: 50_300, message: 'busy'}, {'retry-after': '3'})),
  says('HTTP 504', html(504)),
  says('HTTP 408', html(408)),
  says('HTTP 429', json(429, {code: 42_900, message: 'slow down'})),
  says('HTTP 429, Retry-After 1', json(429, {code: 42_900, message: 'slow down'}, {'retry-after': '1'})),
  says('HTTP 429, Retry-After 2', json(429, {code: 42_900, message: 'slow down'}, {'retry-after': '2'})),
  says('HTTP 429, Retry-After 600', json(429, {code: 42_900, message: 'slow down'}, {'retry-after': '600'})),
  says('a page in place of JSON', html(200)),
  {name: 'JSON cut off', reply: (honest) => ({...honest, body: honest.body.slice(0, -7)})},
  {
    name: 'a name twice in the JSON',
    reply: (honest) => ({...honest, body: `{"code":0,"success":true,${honest.body.slice(1)}`}),
  },
  {
    name: 'an answer of another merchant',
    reply: (honest) => ({
      ...honest,
      body: honest.body.replace(merchantId, '99999999-0000-4000-8000-000000000000'),
    }),
    of: orders,
  },
  {
    name: 'an answer about another order',
    reply: (honest) => ({...honest, body: honest.body.replace('"orderNo":"', '"orderNo":"x')}),
    of: orders,
  },
  says('an answer without the order', json(200, {code: 0, data: {}}), orders),
  says('200 with code 500', json(200, {code: 500, message: 'system busy, please query'}), writes),
  says('200 with an unknown code', json(200, {code: 'TIMEOUT', message: 'try later'}), writes),
  says('200 with an unheard-of number', json(200, {code: 91_234, message: '?'}), writes),
  says(
    '200 success false',
    json(200, {success: false, error: {code: 'DELIVERY_FAILED', message: 'receiver answered 503'}}),
    ['resend'],
  ),
  says('202 and nothing else', json(202, {}), ['resend']),
  says('an empty 200', {status: 200, body: ''}, ['resend']),
  says('HTTP 400 with an unknown code', json(400, {code: 40_099, message: 'channel busy'}), writes),
  says('HTTP 409', json(409, {code: 'CONFLICT', message: 'in progress'}), writes),
  says('HTTP 303', {status: 303, body: '', headers: {location: 'https://pay.example/elsewhere'}}, writes),
  says('HTTP 307', {status: 307, body: '', headers: {location: 'https://pay.example/elsewhere'}}, writes),
  says('404 of a gateway', json(404, {message: 'no Route matched with those values'}), writes),
  says('404 page', html(404), writes),
  {
    name: 'INSUFFICIENT_BALANCE',
    isProof: true,
    reply: () => json(400, {code: 40_002, error: 'INSUFFICIENT_BALANCE'}),
    of: ['create'],
  },
]

export function chooseFault(prng: Prng, {name}: Request): Fault {
  const possible = answerFaults.filter(({of}) => !of || of.includes(name))
  const own = possible.filter(({of}) => of !== undefined)
  const answer = prng.pick(own.length > 0 && prng.chance(0.5) ? own : possible)
  return {answer, deed: answer.isProof ? 'not done' : prng.pick(['done', 'done', 'not done', 'late'])}
}
