import {gzipSync} from 'node:zlib'

import {recordOf} from './books.ts'
import {
  always,
  type Call,
  doubtful,
  type Fault,
  goodOnceMore,
  isCreate,
  isLegacy,
  isWrite,
  refusedRead,
  refusedUnlessResend,
  throttledRead,
} from './fault.ts'
import {legacy, merchantId, type Operation} from './honest-service.ts'
import {type HttpAnswer, json, send} from './wire.ts'

/** Clears a screen, sets a title in both encodings of CSI and OSC, turns the writing around, and is a formula. */
const hostileText = '=cmd|calc\u001b[2J\u001b]0;owned\u0007\u009b2J\u202e\r\n\u200b+1'

/** Whole answers, sent as they should be, of which the content or the status is wrong. */
export const answerFaults: readonly Fault[] = [
  answers('an HTML page with 200', doubtful, () => page(200)),
  answers('an HTML page with 404', meaningOfGone, () => page(404)),
  answers('JSON cut off, declared whole', doubtful, (whole) => ({
    ...whole,
    body: whole.body.subarray(0, -1),
  })),
  edits('a name twice', doubtful, (text) => text.replace('{', '{"code":1,"success":false,')),
  edits('a name twice, deep inside', doubtful, (text) => text.replace(/\{([^{}]*)\}/, '{$1,"id":1,"id":2}')),
  edits('nested 100,000 deep', doubtful, (text) => {
    const depth = 100_000
    return text.replace('{', `{"x":${'['.repeat(depth)}${']'.repeat(depth)},`)
  }),
  edits('__proto__ among the names', doubtful, (text) => text.replace('{', '{"__proto__":{"code":0},')),
  edits(
    'the echo of another merchant',
    doubtful,
    (text) => text.replace(merchantId, merchantId.replace('7', '8')),
    [...(['deposit create', 'deposit query', 'payout create', 'payout query'] as const)],
  ),
  edits('the echo of another number', doubtful, (text) => text.replace(/("orderNo":|"id":)"(.)/, '$1"9'), [
    ...(['deposit create', 'deposit query', 'payout create', 'payout query', 'get'] as const),
  ]),
  ...[301, 302, 303, 307, 308].map((status) =>
    answers(`a redirect ${status} to another origin`, doubtful, (whole, {elsewhere, request}) => ({
      ...whole,
      status,
      headers: {...whole.headers, location: `${elsewhere}${request.path}`},
    })),
  ),
  answers('another content type', doubtful, (whole) => ({...whole, headers: {'content-type': 'text/plain'}})),
  answers('no content type', doubtful, (whole) => ({...whole, headers: {}})),
  answers('an empty body with 200', doubtful, (whole) => ({...whole, body: Buffer.alloc(0)})),
  answers('204', doubtful, () => ({status: 204, headers: {}, body: Buffer.alloc(0)})),
  answers('gzip, unasked', doubtful, (whole) => ({
    ...whole,
    headers: {...whole.headers, 'content-encoding': 'gzip'},
    body: gzipSync(whole.body),
  })),
  answers('gzip that is none', doubtful, (whole) => ({
    ...whole,
    headers: {...whole.headers, 'content-encoding': 'gzip'},
  })),
  edits('a NUL inside', doubtful, (text) => text.replace('":', '\0":')),
  answers('invalid UTF-8', doubtful, ({body, ...whole}) => ({
    ...whole,
    body: Buffer.concat([Buffer.from('{"note":"\xff",', 'latin1'), body.subarray(1)]),
  })),
  edits('a byte order mark', doubtful, (text) => `\ufeff${text}`),
  edits('two documents', doubtful, (text) => `${text}${text}`),
  answers('success of another shape', doubtful, () => json({code: 0, success: true, data: [1, 2]})),
  answers('success without data', doubtful, () => json({code: 0, success: true})),
  answers('code "0", a text', doubtful, () => json({code: '0', success: 'true', data: {}})),
  edits('success and failure at once', doubtful, (text) =>
    text.includes('"success"') ? text.replace('{', '{"code":7,') : text.replace('{', '{"success":false,'),
  ),
  answers('too small a balance, in 200', refusedUnlessResend, () =>
    json({code: 7, success: false, message: 'INSUFFICIENT_BALANCE'}),
  ),
  ...[400, 422].map((status) =>
    answers(`a code that proves a refusal, in ${status}`, refusedUnlessResend, () =>
      json({code: 'BAD_FIELD', message: 'the account is none'}, status),
    ),
  ),
  ...[413, 414].map((status) => answers(`${status}`, turnedDown, () => page(status))),
  answers('a refusal that drives terminals and spreadsheets', refusedUnlessResend, () =>
    json({code: 'BAD_FIELD', message: hostileText}, 400),
  ),
  ...noesThatProveNothing(),
  answers('a refusal that repeats what it was sent', refusedUnlessResend, (_whole, {request}) =>
    json(
      {code: 'BAD_FIELD', message: `cannot take ${[...request.headers.values()].join(' ')} ${request.body}`},
      400,
    ),
  ),
  edits('success that drives terminals and spreadsheets', always('good'), (text) =>
    text
      .replace('"data":{', `"data":{"note":${JSON.stringify(hostileText)},`)
      .replace(/"(https:[^"]*webhooks|PC9)"/, JSON.stringify(hostileText)),
  ),
  answers('success that repeats what it was sent', always('good'), (whole, {request}) =>
    repeating(whole, request),
  ),
  answers('an HTML page with 400', doubtful, () => page(400)),
  answers('401', always('rejected'), () => json({code: 'INVALID_SIGNATURE', message: 'no'}, 401)),
  answers('an HTML page with 403', always('rejected'), () => page(403)),
  ...[500, 502, 503, 504].map((status) => answers(`${status}`, doubtful, () => page(status))),
  answers('503 with Retry-After 120', doubtful, () => busy(503, '120')),
  {...answers('503 once', goodOnceMore, () => page(503)), isOnce: true},
  answers('429 for ever, Retry-After 1', throttledRead, () => busy(429, '1')),
  answers('429 for ever, Retry-After 120', throttledRead, () => busy(429, '120')),
  answers('429 for ever, Retry-After a date', throttledRead, () =>
    busy(429, new Date(Date.now() + 3_600_000).toUTCString()),
  ),
  answers('429 for ever, Retry-After garbage', throttledRead, () => busy(429, 'soon')),
  {...answers('429 once, Retry-After 1', goodOnceMore, () => busy(429, '1')), isOnce: true},
  answers('a clock ten years off', always('good'), (whole) => ({
    ...whole,
    headers: {...whole.headers, date: 'Sat, 21 Nov 2016 03:55:24 GMT'},
  })),
  answers(
    'pages without end',
    partial,
    (_whole, {request}) => endlessPage(request.query, (page) => page + 1),
    ['list'],
  ),
  answers('a thousand million pages', partial, (_whole, {request}) => endlessPage(request.query, () => 1e9), [
    'list',
  ]),
  answers('totals that lie', partial, (_whole, {request}) => page1Of(50, request.query), ['list']),
  answers('the same records on every page', partial, (_whole, {request}) => page1Of(300, request.query, 3), [
    'list',
  ]),
]

function answers(
  name: string,
  means: Fault['means'],
  change: (whole: HttpAnswer, call: Call) => HttpAnswer,
  operations?: readonly Operation[],
): Fault {
  const fault: Fault = {name, means, play: (socket, whole, call) => send(socket, change(whole, call))}
  return operations ? {...fault, operations} : fault
}

function edits(
  name: string,
  means: Fault['means'],
  edit: (text: string) => string,
  operations?: readonly Operation[],
): Fault {
  return answers(
    name,
    means,
    (whole) => ({...whole, body: Buffer.from(edit(whole.body.toString()))}),
    operations,
  )
}

function page(status: number): HttpAnswer {
  const body = Buffer.from(`<!doctype html><title>${status}</title><h1>nginx</h1>`)
  return {status, headers: {'content-type': 'text/html; charset=utf-8'}, body}
}

function busy(status: number, retryAfter: string): HttpAnswer {
  return json({code: 'BUSY', message: 'later'}, status, {'retry-after': retryAfter})
}

/** By its status alone, which proves a create refused; a page is no answer to a read. */
function turnedDown(operation: Operation) {
  return isCreate(operation) ? (['refused'] as const) : (['doubtful'] as const)
}

/** To a read of the legacy API it is its absence. */
function meaningOfGone(operation: Operation) {
  return isLegacy(operation) && !isWrite(operation) ? (['gone'] as const) : (['doubtful'] as const)
}

/** Answered before, after or instead of doing: A5b lists none of them. */
function noesThatProveNothing(): Fault[] {
  return [
    answers('200 with code 500, busy', refusedRead, () => json({code: 500, message: 'system busy, query'})),
    answers('200 with the code TIMEOUT', refusedRead, () => json({code: 'TIMEOUT', message: 'please query'})),
    answers('200 with a code nobody knows', refusedRead, () => json({code: 'E_1042', message: 'failed'})),
    answers('200, success false, DELIVERY_FAILED', refusedRead, () =>
      json({success: false, error: {code: 'DELIVERY_FAILED', message: 'the server answered 503'}}),
    ),
    answers('400 with a code nobody knows', refusedRead, () => json({code: 'E_1042', message: 'no'}, 400)),
    answers('422 without a code', refusedRead, () => json({message: 'cannot be done'}, 422)),
    answers('409, in JSON', refusedRead, () => json({code: 'CONFLICT', message: 'in progress'}, 409)),
    answers('405, a page', meaningOfGone, () => page(405)),
    answers('404 of a gateway, in JSON', meaningOfGone, () =>
      json({message: 'no Route matched with those values'}, 404),
    ),
  ]
}

function partial() {
  return ['partial'] as const
}

/** An honest answer with every header and field of the request inside its data: what a debugging service does. */
function repeating(whole: HttpAnswer, {headers, body}: Call['request']): HttpAnswer {
  const answer = JSON.parse(whole.body.toString())
  const sent = {...Object.fromEntries(headers), ...(body === '' ? {} : JSON.parse(body))}
  answer.data = {...answer.data, received: sent, playerPhone: sent.playerPhone, note: `you sent ${body}`}
  return {...whole, body: Buffer.from(JSON.stringify(answer))}
}

/** Full pages of records that were never seen before, and always more to come. */
function endlessPage(query: URLSearchParams, totalPagesAt: (page: number) => number): HttpAnswer {
  const page = Number(query.get('page') ?? 1)
  const limit = Number(query.get('limit') ?? 20)
  const data = Array.from({length: limit}, (_, index) => recordOf(uuidOf((page - 1) * limit + index)))
  const totalPages = totalPagesAt(page)
  return legacy({data, pagination: {page, limit, total: totalPages * limit, total_pages: totalPages}})
}

/** One record, whatever page is asked for, and a total that says otherwise. */
function page1Of(total: number, query: URLSearchParams, totalPages = 1): HttpAnswer {
  const pagination = {page: 1, limit: Number(query.get('limit') ?? 20), total, total_pages: totalPages}
  return legacy({data: [recordOf(uuidOf(1))], pagination})
}

function uuidOf(number: number): string {
  return `0b5e55ed-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}
