import {gzipSync} from 'node:zlib'

import {always, type Call, doubtful, doubtfulUnlessResend, type Fault, isCreate, isLegacy} from './fault.ts'
import {legacy, merchantId, type Operation, recordOf} from './honest-service.ts'
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
  ...[301, 302, 307, 308].map((status) =>
    answers(`a redirect ${status} to another origin`, meaningOfRedirect, (whole, {elsewhere, request}) => ({
      ...whole,
      status,
      headers: {...whole.headers, location: `${elsewhere}${request.path}`},
    })),
  ),
  answers('another content type', doubtful, (whole) => ({...whole, headers: {'content-type': 'text/plain'}})),
  answers('no content type', doubtful, (whole) => ({...whole, headers: {}})),
  answers('an empty body with 200', doubtfulUnlessResend, (whole) => ({...whole, body: Buffer.alloc(0)})),
  answers('204', doubtfulUnlessResend, () => ({status: 204, headers: {}, body: Buffer.alloc(0)})),
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
  answers('success of another shape', doubtfulUnlessResend, () =>
    json({code: 0, success: true, data: [1, 2]}),
  ),
  answers('success without data', doubtfulUnlessResend, () => json({code: 0, success: true})),
  answers('code "0", a text', doubtfulUnlessResend, () => json({code: '0', success: 'true', data: {}})),
  edits('success and failure at once', doubtful, (text) =>
    text.includes('"success"') ? text.replace('{', '{"code":7,') : text.replace('{', '{"success":false,'),
  ),
  answers('a refusal in 200', always('refused'), () =>
    json({code: 7, success: false, message: 'INSUFFICIENT_BALANCE'}),
  ),
  answers('a refusal that drives terminals and spreadsheets', always('refused'), () =>
    json({code: 'BAD_FIELD', message: hostileText}, 400),
  ),
  answers('a refusal that repeats what it was sent', always('refused'), (_whole, {request}) =>
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
  answers('503 once', once, (whole, {nth}) => (nth === 1 ? page(503) : whole)),
  answers('429 for ever, Retry-After 1', always('throttled'), () => busy(429, '1')),
  answers('429 for ever, Retry-After 120', always('throttled'), () => busy(429, '120')),
  answers('429 for ever, Retry-After a date', always('throttled'), () =>
    busy(429, new Date(Date.now() + 3_600_000).toUTCString()),
  ),
  answers('429 for ever, Retry-After garbage', always('throttled'), () => busy(429, 'soon')),
  answers('429 once, Retry-After 1', always('good'), (whole, {nth}) => (nth === 1 ? busy(429, '1') : whole)),
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

/** No handler can have run, so a write was not done; a page is no answer to a read; of the legacy API it is its absence. */
function meaningOfGone(operation: Operation) {
  if (isLegacy(operation)) return ['gone'] as const
  return isCreate(operation) ? (['refused'] as const) : (['doubtful'] as const)
}

function meaningOfRedirect(operation: Operation) {
  return isCreate(operation) || operation === 'resend' ? (['refused'] as const) : (['doubtful'] as const)
}

function once(operation: Operation) {
  return operation === 'resend' ? (['doubtful'] as const) : (['good'] as const)
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
