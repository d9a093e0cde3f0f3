import type {Dice} from './dice.ts'
import {merchantId, type OperationName, type Reply, type Request} from './service.ts'

/** What hisab may conclude from one try: what this file says of a fault is what the oracle judges hisab by. */
export type Hears =
  /** A yes that can be believed. */
  | 'yes'
  /** A no that can be believed: it did not happen. */
  | 'no'
  /** Turned away unread. */
  | 'throttled'
  /** Not a byte left. */
  | 'not_sent'
  /** It may have happened. */
  | 'nothing'

export interface Fault {
  readonly name: string
  /** Whether the service did it, whatever it said. */
  readonly happens: boolean
  readonly hears: Hears
  /** Instead of an answer: an error after that long. `unsent`: before a connection was up. */
  readonly breaks?: {readonly code: string; readonly afterMs: number; readonly unsent: boolean}
  /** The answer's head comes, and its body never ends. */
  readonly drips?: true
  /** What comes instead of the answer there would have been; the same again is no fault. */
  readonly reply?: (reply: Reply) => Reply
  /** The service does it only this much later. */
  readonly lateMs?: number
  readonly of?: readonly OperationName[]
  /** It harms but who reads the amount. */
  readonly inAmount?: true
}

const page = '<!doctype html><title>502</title>'
const html = (status: number): Reply => ({status, body: page, type: 'text/html'})
const say = (status: number, body: object, retryAfter?: string): Reply => ({
  ...{status, body: JSON.stringify(body)},
  ...(retryAfter === undefined ? {} : {retryAfter}),
})
const orders: readonly OperationName[] = ['query', 'create']
const busy = {code: 50300, message: 'busy'}

/** A fault of a service that cannot be read, which a write takes for "it may have happened". */
const garbled = (name: string, reply: (reply: Reply) => Reply, of?: readonly OperationName[]): Fault => ({
  ...{name, happens: true, hears: 'nothing'},
  // A "not found" is no better or worse for it.
  reply: (honest) => (honest.status < 300 && !honest.isNo ? reply(honest) : honest),
  ...(of ? {of} : {}),
})

export const faults: readonly Fault[] = [
  unsent('the connection was refused', 'ECONNREFUSED', 2),
  unsent('the name was not found', 'ENOTFOUND', 5),
  unsent('the TLS handshake failed', 'CERT_HAS_EXPIRED', 20),
  unsent('no connection came up in time', 'UND_ERR_CONNECT_TIMEOUT', 5_000),
  broken('the connection broke before the service read it', 'ECONNRESET', 10, false),
  broken('the connection broke after the service did it', 'ECONNRESET', 30, true),
  broken('the service never saw it, and nobody answered', 'UND_ERR_HEADERS_TIMEOUT', 15_000, false),
  broken('the service did it, and the answer never came', 'UND_ERR_HEADERS_TIMEOUT', 15_000, true),
  {name: 'the answer began and never ended', happens: true, hears: 'nothing', drips: true},
  {...garbled('HTTP 500', () => say(500, {code: 50000, message: 'oops'})), happens: false},
  {...garbled('HTTP 502 of a proxy', () => html(502)), happens: false},
  garbled('HTTP 504, and it was done', () => html(504)),
  garbled('HTTP 408, and it was done', () => html(408)),
  {...garbled('HTTP 503, come back in 3 s', () => say(503, busy, '3')), happens: false},
  throttled('HTTP 429', undefined),
  throttled('HTTP 429, come back in 2 s', '2'),
  throttled('HTTP 429, come back in 45 s', '45'),
  throttled('HTTP 429, come back in 10 minutes', '600'),
  garbled('a page in place of JSON', () => html(200)),
  garbled('JSON cut off', (reply) => ({...reply, body: reply.body.slice(0, -7)})),
  garbled('a name twice in the JSON', (reply) => ({
    ...reply,
    body: `{"code":0,"success":true,${reply.body.slice(1)}`,
  })),
  garbled('yes and no at once', (reply) => ({
    ...reply,
    body: `{"error":"X_Y",${reply.body.slice(1).replace('"code":0', '"code":0,"success":false').replace('"success":true', '"success":true,"code":9')}`,
  })),
  garbled(
    'an answer of another merchant',
    (reply) => swap(reply, merchantId, '99999999-0000-4000-8000-000000000000'),
    orders,
  ),
  garbled('an answer about another order', (reply) => swap(reply, '"orderNo":"', '"orderNo":"x'), orders),
  garbled('an answer without the order', (reply) => ({...reply, body: '{"code":0,"data":{}}'}), orders),
  garbled('an empty answer', (reply) => ({...reply, body: ''}), [...orders, 'list', 'get']),
  {
    ...garbled(
      'an amount that is none',
      (reply) => change(reply, (body) => body.replace(/"amount":("[^"]*"|[\d.]+)/, '"amount":"1e3"')),
      ['query'],
    ),
    inAmount: true,
  },
  garbled('a record of another id', (reply) => ({...reply, body: reply.body.replace(/"id":"0/, '"id":"f')}), [
    'get',
  ]),
  {...garbled('HTTP 400, no', () => say(400, {code: 40001, message: 'no'})), happens: false, hears: 'no'},
  {...garbled('HTTP 401', () => say(401, {code: 40100, message: 'who?'})), happens: false, hears: 'no'},
  {
    name: 'accepted, and not done',
    happens: false,
    hears: 'yes',
    reply: () => say(200, {success: true}),
    of: ['resend'],
  },
  {
    name: 'accepted, done 20 s later',
    happens: false,
    hears: 'yes',
    lateMs: 20_000,
    reply: () => say(202, {success: true}),
    of: ['resend'],
  },
  {
    name: 'accepted, done 10 minutes later',
    happens: false,
    hears: 'yes',
    lateMs: 600_000,
    reply: () => say(200, {}),
    of: ['resend'],
  },
  {
    name: 'no answer, done 3 minutes later',
    happens: false,
    hears: 'nothing',
    lateMs: 180_000,
    breaks: {code: 'ECONNRESET', afterMs: 5, unsent: false},
    of: ['resend'],
  },
]

/** Lies that are told in good JSON, which only what comes before or after gives away. */
export const lies: readonly Fault[] = [
  lie('one record more than there are', (body) =>
    body.replace(/"total":(\d+)/, (_, total) => `"total":${Number(total) + 1}`),
  ),
  lie('a page more than there are', (body) =>
    body.replace(/"total_pages":(\d+)/, (_, pages) => `"total_pages":${Number(pages) + 1}`),
  ),
  lie('a record left out', (body) => body.replace(/"data":\[\{[^{}]*\},?/, '"data":[')),
  lie('a record twice', (body) => body.replace(/"data":\[(\{[^{}]*\})/, '"data":[$1,$1')),
]

const everyFault: readonly Fault[] = [...faults, ...lies]

export function chooseFault(dice: Dice, {name}: Request): Fault {
  const possible = everyFault.filter(({of}) => !of || of.includes(name))
  // Faults that one operation alone can meet would be lost among the many that all can.
  const own = possible.filter(({of, hears}) => of?.length === 1 || (name === 'resend' && hears === 'no'))
  const chosen = dice.pick(own.length > 0 && dice.chance(0.35) ? own : possible)
  // Credentials that are turned down end a run: seldom, so that others get a chance.
  return chosen.name === 'HTTP 401' && dice.chance(0.7) ? (faults[0] as Fault) : chosen
}

function unsent(name: string, code: string, afterMs: number): Fault {
  return {name, happens: false, hears: 'not_sent', breaks: {code, afterMs, unsent: true}}
}

function broken(name: string, code: string, afterMs: number, happens: boolean): Fault {
  return {name, happens, hears: 'nothing', breaks: {code, afterMs, unsent: false}}
}

function throttled(name: string, retryAfter: string | undefined): Fault {
  return {
    name,
    happens: false,
    hears: 'throttled',
    reply: () => say(429, {code: 42900, message: 'slow down'}, retryAfter),
  }
}

function lie(name: string, edit: (body: string) => string): Fault {
  return {
    name: `the list states ${name}`,
    happens: true,
    hears: 'yes',
    reply: (reply) => change(reply, edit),
    of: ['list'],
  }
}

function change(reply: Reply, edit: (body: string) => string): Reply {
  const body = edit(reply.body)
  return body === reply.body ? reply : {...reply, body}
}

function swap(reply: Reply, from: string, to: string): Reply {
  return change(reply, (body) => body.replace(from, to))
}
