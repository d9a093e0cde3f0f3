import {expect, test} from 'vitest'

import WebhooksGet from '../../src/commands/webhooks/get.ts'
import WebhooksList from '../../src/commands/webhooks/list.ts'
import {type Answering, deliveryId, good, json, record, serve} from '../api/fixture.ts'
import {shellAt} from './run-command.ts'

const records = Array.from({length: 5}, (_, index) => ({
  ...record,
  id: `aaaaaaaa-bbbb-4ccc-8ddd-00000000000${index}`,
  merchant_order_id: `D-${index}`,
  event: index === 4 ? 'order.expired' : 'order.completed',
  // 2026-11-20 at 00:00, 06:00, 12:00, 18:00 and 24:00 in Dhaka.
  created_at: new Date(Date.UTC(2026, 10, 19, 18 + 6 * index)).toISOString(),
  sent_at: new Date(Date.UTC(2026, 10, 19, 18 + 6 * index)).toISOString(),
}))

/** Two records a page, whatever is asked. */
const pages: Answering = (response, seen, nth) => {
  const page = Number(new URLSearchParams(seen.path.split('?')[1]).get('page') ?? 1)
  const data = records.slice((page - 1) * 2, page * 2)
  const pagination = {page, limit: 2, total: records.length, total_pages: 3}
  json({success: true, data: {data, pagination}})(response, seen, nth)
}

const numbers = (listed: unknown) =>
  (listed as {merchant_order_id: string}[]).map((row) => row.merchant_order_id)

test('one page, under the names of the service, and that it is not the whole', async () => {
  const {origin, seen} = await serve(pages)
  const ran = await shellAt(origin).run(WebhooksList, '--status', 'failed', '--page', '2', '--json')
  expect(ran.json()).toEqual({
    records: records.slice(2, 4),
    pagination: {page: 2, limit: 2, total: 5, total_pages: 3},
    complete: false,
  })
  expect(seen[0]?.path).toBe('/api/v1/merchant/webhooks?status=failed&page=2')
  expect(ran.status).toBe(0)
})

test.each<[flags: string[], expected: string[]]>([
  [[], ['D-0', 'D-1', 'D-2', 'D-3', 'D-4']],
  [
    ['--since', '2026-11-20T06:00'],
    ['D-1', 'D-2', 'D-3', 'D-4'],
  ],
  [['--until', '2026-11-20T06:00'], ['D-0']],
  [
    ['--since', '2026-11-20', '--until', '2026-11-21'],
    ['D-0', 'D-1', 'D-2', 'D-3'],
  ],
  [['--event', 'order.expired'], ['D-4']],
  [['--order-no', 'D-2'], ['D-2']],
])('--all %j, in the time of Dhaka, the end left out', async (flags, expected) => {
  const {origin} = await serve(pages)
  const ran = await shellAt(origin).run(WebhooksList, '--all', ...flags, '--json')
  const {records: listed, complete} = ran.json()
  expect({numbers: numbers(listed), complete, status: ran.status}).toEqual({
    numbers: expected,
    complete: true,
    status: 0,
  })
})

test('a filter on one page says that only this page was filtered', async () => {
  const {origin} = await serve(pages)
  const ran = await shellAt(origin).run(WebhooksList, '--event', 'order.completed')
  expect(ran.stderr).toContain('only this page was filtered')
  expect(ran.stdout).toContain('D-1')
  expect(ran.stdout).not.toContain('D-2')
})

test('a list that moves while it is read is called partial everywhere', async () => {
  const {origin} = await serve((response, seen, nth) => {
    const page = Number(new URLSearchParams(seen.path.split('?')[1]).get('page'))
    const pagination = {page, limit: 1, total: 100 + nth, total_pages: 2}
    json({success: true, data: {data: [records[page]], pagination}})(response, seen, nth)
  })
  const shell = shellAt(origin)
  const table = await shell.run(WebhooksList, '--all')
  expect(table.stdout).toMatch(/^PARTIAL\n/)
  const ran = await shell.run(WebhooksList, '--all', '--json')
  expect(ran.json()).toMatchObject({complete: false})
  expect([table.status, ran.status]).toEqual([8, 8])
})

test('a deployment without the legacy API is told apart from an empty list', async () => {
  const {origin} = await serve(json({message: 'no such route'}, 404))
  const ran = await shellAt(origin).run(WebhooksList, '--json')
  expect(ran.json()).toMatchObject({error: {code: 'legacy_unavailable', exitCode: 5}})
})

test('one record: every field of the service as JSON, and safe to look at as text', async () => {
  const detail = {...good.get.data, response_body: 'Bad \u001b]0;owned\u0007 Gateway', extra: 'kept'}
  const {origin} = await serve(json({success: true, data: detail}))
  const shell = shellAt(origin)
  expect((await shell.run(WebhooksGet, deliveryId, '--json')).json()).toEqual(detail)
  const {stdout} = await shell.run(WebhooksGet, deliveryId)
  expect(stdout).toContain('Bad \\u{1b}]0;owned\\u{7} Gateway')
  expect(stdout).toContain('Payload\n  {\n    "amount": "500.00"\n  }')
})

test.each<[what: string, id: string, answer: Answering, status: number, code: string]>([
  ['a record that is not there', deliveryId, json({success: false, message: 'none'}, 404), 7, 'not_found'],
  ['no such route', deliveryId, json({message: 'no Route matched'}, 404), 5, 'legacy_unavailable'],
  ['an id that is none', '../admin', json(good.get), 2, 'usage'],
  ['another record than asked', deliveryId.replace('a', 'b'), json(good.get), 8, 'answer_untrusted'],
])('%s', async (_what, id, answer, status, code) => {
  const {origin} = await serve(answer)
  const ran = await shellAt(origin).run(WebhooksGet, id, '--json')
  expect(ran.json()).toMatchObject({error: {code, exitCode: status}})
  expect(ran.status).toBe(status)
})

/** What `webhooks get` shows of a record with these fields, its blank lines taken out. */
async function shownRecord(change: Record<string, unknown>, ...flags: string[]): Promise<string> {
  const {origin} = await serve(json({success: true, data: {...good.get.data, ...change}}))
  const {stdout} = await shellAt(origin).run(WebhooksGet, deliveryId, ...flags)
  return stdout.replaceAll(/\n+/g, '\n')
}

test('a record that was given up: what happened when, and the command that mends it', async () => {
  const text = await shownRecord({payload: '{"orderNo":"D-1","amount":500.00}'})
  expect(text).toContain(`order.completed of D-1: failed
record  ${deliveryId}
order   order-of-the-platform
url     https://shop.example/hook
Timeline
  2026-11-20 00:53:05  created
  2026-11-20 08:14:05  attempt 5, the latest: HTTP 503
  no retry is scheduled (5 of 5 attempts made)
Payload
  {
    "orderNo": "D-1",
    "amount": 500.00
  }
Your server answered
  Bad Gateway
Next
  When your server takes webhooks again, run:
    hisab webhooks resend ${deliveryId}
`)
})

test.each<[what: string, change: Record<string, unknown>, says: RegExp]>([
  [
    'due again',
    {next_retry_at: '2099-01-01T00:00:00Z'},
    /2099-01-01 06:00:00 {2}next retry by the service[\s\S]*Next\n {2}The service retries it at 2099-01-01 06:00\. Wait\./,
  ],
  [
    'taken',
    {status: 'success', response_code: 200},
    /: success[\s\S]*HTTP 200\n[\s\S]*Nothing, if your server booked it\.[\s\S]* --include-delivered/,
  ],
  ['no answer', {response_code: null}, /attempt 5, the latest: no answer/],
  [
    'never tried',
    {status: 'pending', attempts: 0, sent_at: null, response_code: null},
    /created\n {2}no retry is scheduled \(0 of/,
  ],
  [
    'nothing sent, nothing answered',
    {payload: null, response_body: ''},
    /Payload\n {2}none\nYour server answered\n {2}none/,
  ],
  [
    'a long page: its beginning',
    {response_body: Array.from({length: 60}, (_, n) => `line ${n}`).join('\n')},
    /line 19\n {2}… 40 more lines; --json has all of it/,
  ],
  [
    'a field of the service’s that hisab does not know',
    {region: 'dhaka\u202e'},
    /region {2}dhaka\\u\{202e\}/,
  ],
])('one that is %s', async (_what, change, says) => {
  expect(await shownRecord(change)).toMatch(says)
})

test('phones and names are masked in every form, unless asked for', async () => {
  const payload = {playerPhone: '01712345678', userName: 'Rahim Uddin', orderNo: '01712345678'}
  const personal = {payload, response_body: 'no such player 01812345678'}
  for (const flags of [[], ['--json']]) {
    const masked = await shownRecord(personal, ...flags)
    expect(masked).toContain('017****5678')
    expect(masked).toContain('R****')
    expect(masked).not.toMatch(/Rahim|01812345678/)
    expect(masked).toMatch(/"orderNo": "01712345678"/)
    expect(await shownRecord(personal, ...flags, '--unmask')).toMatch(/Rahim Uddin[\s\S]*01812345678/)
  }
})

test.each<[what: string, flags: string[], expected: string[], complete: boolean, status: number]>([
  ['reads on by itself', [], ['D-4'], true, 0],
  ['a page that is named and has it', ['--page', '3'], ['D-4'], false, 0],
  ['a page that is named and has it not proves nothing', ['--page', '1'], [], false, 8],
])('--order-no without --all: %s', async (_what, flags, expected, complete, status) => {
  const {origin} = await serve(pages)
  const ran = await shellAt(origin).run(WebhooksList, '--order-no', 'D-4', ...flags, '--json')
  const {records: listed, complete: isComplete} = ran.json()
  expect({numbers: numbers(listed), complete: isComplete, status: ran.status}).toEqual({
    ...{numbers: expected, complete, status},
  })
})

/** A legacy API of `pageCount` pages that filters by `order_id`; the query knows D-1 as `platformOrderNo`. */
async function bigService(
  rows: readonly (typeof record)[],
  platformOrderNo: string | null,
  total = rows.length,
) {
  return await serve((response, seen, nth) => {
    const [path = '', asked] = seen.path.split('?')
    const answer = (body: object, status = 200) => json(body, status)(response, seen, nth)
    if (path.endsWith('/query')) {
      const isOurs = path.includes('/pay/') && platformOrderNo !== null
      if (!isOurs) return answer({code: 'ORDER_NOT_FOUND', message: 'none'})
      return answer({code: 0, data: {...good.query.data, platformOrderNo}})
    }
    const [, id] = /webhooks\/([^/]+)$/.exec(path) ?? []
    if (id) return answer({success: true, data: rows.find((row) => row.id === id)})
    const filter = new URLSearchParams(asked)
    const [page, limit] = [Number(filter.get('page')), Number(filter.get('limit'))]
    const of = rows.filter(({order_id}) => order_id === (filter.get('order_id') ?? order_id))
    const data = of.slice((page - 1) * limit, page * limit)
    const count = filter.has('order_id') ? of.length : total
    const pagination = {page, limit, total: count, total_pages: Math.ceil(count / limit)}
    answer({success: true, data: {data, pagination}})
  })
}

const uuid = (n: number) => `aaaaaaaa-bbbb-4ccc-8ddd-${String(n).padStart(12, '0')}`
const ours = (n: number, created_at: string, change: Partial<typeof record> = {}) => ({
  ...{...record, id: uuid(n), merchant_order_id: 'D-1', order_id: 'PL-1', created_at},
  ...change,
})
const others = Array.from({length: 250}, (_, n) =>
  ours(n + 100, '2026-11-20T01:00:00Z', {merchant_order_id: `X-${n}`, order_id: `PL-X-${n}`}),
)
const older = ours(1, '2026-11-20T01:00:00Z')
const newer = ours(2, '2026-11-20T02:00:00Z')
const foreign = ours(3, '2026-11-20T03:00:00Z', {order_id: 'PL-9'})

test.each<
  [
    what: string,
    rows: (typeof record)[],
    platformOrderNo: string | null,
    shown: string,
    named: string[],
    lists: number,
  ]
>([
  ['a short list, read whole', [older, newer, foreign], 'PL-1', foreign.id, [older.id, newer.id], 1],
  ['a long one, the key proven: a look-up', [...others, older, newer], 'PL-1', newer.id, [older.id], 2],
  ['a long one, the key unproven: all of it', [...others, foreign], 'PL-1', foreign.id, [], 4],
  ['a long one, no such order: all of it', [...others, older], null, older.id, [], 3],
])(
  'get --order-no shows the newest record and names the others: %s',
  async (_what, rows, platform, shown, named, lists) => {
    const {origin, seen} = await bigService(rows, platform)
    const ran = await shellAt(origin).run(WebhooksGet, '--order-no', 'D-1', '--json')
    expect(ran.json()).toMatchObject({id: shown})
    expect([...ran.stderr.matchAll(/another record of D-1: (\S+)/g)].map(([, id]) => id).toSorted()).toEqual(
      named,
    )
    expect(ran.status).toBe(0)
    expect(seen.filter(({path}) => path.includes('?')).length).toBe(lists)
  },
)

test.each<[what: string, flags: string[], total: number, status: number, code: string]>([
  ['no record of the number, the list read whole', ['--order-no', 'D-9'], 2, 7, 'not_found'],
  ['a list that cannot be read whole', ['--order-no', 'D-9'], 9, 8, 'incomplete'],
  ['neither an id nor a number', [], 2, 2, 'usage'],
  ['both', [uuid(1), '--order-no', 'D-1'], 2, 2, 'usage'],
])('get --order-no: %s', async (_what, flags, total, status, code) => {
  const {origin} = await bigService([older, newer], null, total)
  const ran = await shellAt(origin).run(WebhooksGet, ...flags, '--json')
  expect(ran.json()).toMatchObject({error: {code, exitCode: status}})
})
