import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {ServiceClient} from '../../src/api/client.ts'
import DepositCreate from '../../src/commands/deposit/create.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import WebhooksResend from '../../src/commands/webhooks/resend.ts'
import {sandboxCredentials, sandboxMerchantId} from '../../src/core/profile.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {acquireRunLock} from '../../src/journal/lock.ts'
import {steppedClock} from '../../src/sandbox/clock.ts'
import {type Answering, json, merchantId, profileAt, serve, text} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {deposit, payout} from './bookkeeper.ts'
import {id, legacyApi, orderId, row} from './legacy-api.ts'
import {type CommandClass, type Shell, shellAt, shellWithSandbox} from './run-command.ts'

const hour = 3_600_000

/** Paid orders whose webhooks all failed while the merchant's server was down; the last retry was two hours ago. */
async function afterAnOutage(orderNos: readonly string[]) {
  const shop = {isUp: false, took: [] as string[]}
  const receiver = await serve((response, {body}) => {
    if (shop.isUp) shop.took.push((JSON.parse(body) as {orderNo: string}).orderNo)
    response.writeHead(shop.isUp ? 200 : 503).end()
  })
  const clock = steppedClock(Date.now() - 10 * hour)
  const {sandbox, shell} = await shellWithSandbox({clock})
  const {baseUrl, applyUrl, legacyUrl} = sandbox
  const client = new ServiceClient({
    profile: {...profileAt(sandbox.url), merchantId: sandboxMerchantId, baseUrl, applyUrl, legacyUrl},
    credentials: sandboxCredentials,
  })
  onTestFinished(() => client.close())
  for (const orderNo of orderNos) {
    const returnUrl = `${receiver.origin}/hook`
    await client.createDeposit({orderNo, playerPhone: '01712345678', playerRef: 'player-7', returnUrl})
    await sandbox.control.payDeposit(orderNo, 50_000n)
  }
  await sandbox.control.advanceBy(8 * hour)
  return {shell, shop, sandbox, client, ids: (await client.listDeliveries()).records.map(({id}) => id)}
}

const failed = ['--status', 'failed', '--wait', '0s', '--rate', '1000']

/** `merchant_order_id` and state of each record. */
function states(report: Record<string, unknown>): Record<string, string> {
  const records = report.records as {merchant_order_id: string; state: string}[]
  return Object.fromEntries(records.map((row) => [row.merchant_order_id, row.state]))
}

test('without a terminal it refuses, names the flag and sends nothing', async () => {
  const {shell, shop} = await afterAnOutage(['D-1', 'D-2'])
  shop.isUp = true
  const ran = await shell.run(WebhooksResend, ...failed, '--json')
  expect(ran.json()).toMatchObject({
    error: {code: 'confirmation_needed', hint: expect.stringContaining('--yes')},
  })
  expect({status: ran.status, took: shop.took}).toEqual({status: 2, took: []})
})

test('after the outage each is sent once and heals; the second run finds nothing failed', async () => {
  const {shell, shop} = await afterAnOutage(['D-1', 'D-2', 'D-3'])
  shop.isUp = true
  const ran = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect(ran.json()).toEqual({
    runId: expect.any(String),
    resends: {planned: 3, sent: 3, delivered: 3, stillFailing: 0, unknown: 0, refused: 0, skipped: 0},
    records: expect.arrayContaining([
      {
        id: expect.any(String),
        order_id: expect.any(String),
        merchant_order_id: 'D-1',
        event: 'order.completed',
        state: 'delivered',
        why: null,
      },
    ]),
  })
  expect({status: ran.status, took: shop.took.sort()}).toEqual({status: 0, took: ['D-1', 'D-2', 'D-3']})

  const again = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect(again.json()).toMatchObject({resends: {planned: 0, sent: 0}, records: []})
  expect({status: again.status, took: shop.took.length}).toEqual({status: 0, took: 3})
})

test('a run is in the journal, with what it sent', async () => {
  const {shell, shop} = await afterAnOutage(['D-1'])
  shop.isUp = true
  await shell.run(WebhooksResend, ...failed, '--yes')
  const journal = openJournal(shell.dataDir, {environment: 'sandbox', merchantId: sandboxMerchantId})
  const [run] = await journal.listRuns(10)
  expect(run).toMatchObject({command: 'resend', status: 'finished', exitStatus: 0})
  expect(await journal.resendsOfRun(run?.id ?? '')).toMatchObject([{orderNo: 'D-1', state: 'delivered'}])
  await journal.close()
})

test('a server that is still down: 7, and for 8 hours it is left alone unless told', async () => {
  const {shell, shop, ids} = await afterAnOutage(['D-1'])
  const first = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect([first.status, states(first.json())]).toEqual([7, {'D-1': 'still_failing'}])
  shop.isUp = true
  const cooling = await shell.run(WebhooksResend, ...ids, '--yes', '--json')
  expect([cooling.status, states(cooling.json())]).toEqual([7, {'D-1': 'skipped'}])
  expect(shop.took).toEqual([])
  const told = await shell.run(WebhooksResend, ...failed, '--yes', '--ignore-cooldown', '--json')
  expect([told.status, shop.took]).toEqual([0, ['D-1']])
})

test('what was delivered is left out by id, unless --include-delivered', async () => {
  const {shell, shop, ids} = await afterAnOutage(['D-1'])
  shop.isUp = true
  await shell.run(WebhooksResend, ...failed, '--yes')
  const refused = await shell.run(WebhooksResend, ...ids, '--yes', '--json')
  expect(refused.json()).toMatchObject({
    records: [{state: 'skipped', why: expect.stringContaining('--include-delivered')}],
  })
  const argv = [...ids, '--yes', '--include-delivered', '--ignore-cooldown', '--wait', '0s']
  const told = await shell.run(WebhooksResend, ...argv)
  expect([refused.status, told.status, shop.took]).toEqual([7, 0, ['D-1', 'D-1']])
})

test('more than --max-resends: none is sent', async () => {
  const {shell, shop} = await afterAnOutage(['D-1', 'D-2'])
  shop.isUp = true
  const ran = await shell.run(WebhooksResend, ...failed, '--yes', '--max-resends', '1', '--json')
  expect(ran.json()).toMatchObject({error: {code: 'too_many_resends', exitCode: 2}})
  expect(shop.took).toEqual([])
})

test('while another run holds the profile it does not start', async () => {
  const {shell} = await afterAnOutage(['D-1'])
  const lock = acquireRunLock(shell.dataDir, {environment: 'sandbox', merchantId: sandboxMerchantId})
  onTestFinished(() => lock.release())
  const ran = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect(ran.json()).toMatchObject({error: {code: 'locked', exitCode: 9}})
})

test('of two records of one event only the newest is sent', async () => {
  const older = row(1, {created_at: '2026-11-19T18:00:00Z'})
  const newer = row(2, {order_id: orderId(1), merchant_order_id: 'D-1'})
  const {shell, resent} = await legacyApi([older, newer])
  const ran = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect(resent()).toEqual([id(2)])
  expect(ran.json()).toMatchObject({
    records: [
      {id: id(1), state: 'skipped', why: expect.stringContaining(id(2))},
      {id: id(2), state: 'sent'},
    ],
  })
  expect(ran.status).toBe(8)
})

test('a failed record is not sent where a newer one of the same event succeeded', async () => {
  const {shell, resent} = await legacyApi([
    row(1, {created_at: '2026-11-19T18:00:00Z'}),
    row(2, {order_id: orderId(1), status: 'success'}),
  ])
  const ran = await shell.run(WebhooksResend, ...failed, '--yes')
  expect({status: ran.status, resent: resent()}).toEqual({status: 0, resent: []})
})

test('a lost answer is unknown, and is not sent again by itself', async () => {
  const {shell, resent} = await legacyApi([row(1)], (response) => response.socket?.destroy())
  const lost = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect([lost.status, states(lost.json())]).toEqual([6, {'D-1': 'unknown'}])
  const again = await shell.run(WebhooksResend, id(1), '--yes', '--json')
  expect(again.json()).toMatchObject({
    records: [{state: 'skipped', why: expect.stringContaining('--retry-unknown')}],
  })
  expect(resent()).toEqual([id(1)])
  await shell.run(WebhooksResend, id(1), '--yes', '--retry-unknown', '--ignore-cooldown', '--wait', '0s')
  expect(resent()).toEqual([id(1), id(1)])
})

test('a refusal is not finished: 8', async () => {
  const {shell} = await legacyApi([row(1)], json({success: false, message: 'disabled'}, 400))
  const ran = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect([ran.status, states(ran.json())]).toEqual([8, {'D-1': 'refused'}])
})

const deliveryFailed = {success: false, error: {code: 'DELIVERY_FAILED', message: 'your server said 500'}}
test.each<[what: string, httpStatus: number, body: object | null]>([
  ['success false', 200, deliveryFailed],
  ['a no', 400, deliveryFailed],
  ['a conflict', 409, {message: 'busy'}],
  ['rejected credentials', 401, {message: 'who?'}],
  ['no such route', 404, {message: 'no Route matched'}],
  ['a redirect', 303, {}],
  ['too many requests', 429, {message: 'slow down'}],
  ['a fault', 500, {message: 'oops'}],
  ['a reset', 0, null],
])(
  'delivered and answered with %s: four runs within 8 hours are one delivery, and none ends with 0',
  async (_, httpStatus, body) => {
    const record = row(1)
    const {shell, resent} = await legacyApi([record], (response, call, nth) => {
      // It reaches the merchant's server, which says 500.
      const sentAt = new Date().toISOString()
      Object.assign(record, {attempts: record.attempts + 1, response_code: 500, sent_at: sentAt})
      if (body === null) response.socket?.destroy()
      else json(body, httpStatus)(response, call, nth)
    })
    const first = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
    expect([first.status, states(first.json())]).toEqual([7, {'D-1': 'still_failing'}])
    for (const argv of [failed, [id(1)], failed]) {
      const again = await shell.run(WebhooksResend, ...argv, '--yes', '--json')
      expect([again.status, states(again.json())]).toEqual([7, {'D-1': 'skipped'}])
    }
    expect(resent()).toEqual([id(1)])
  },
)

test.each<[what: string, httpStatus: number]>([
  ['a no', 400],
  ['a conflict', 409],
  ['too many requests', 429],
])('answered with %s, the record is late: nothing is sent again', async (_, httpStatus) => {
  const record = row(1)
  const {shell, resent} = await legacyApi([record], json({message: 'no'}, httpStatus))
  await shell.run(WebhooksResend, ...failed, '--yes')
  const again = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect([again.status, states(again.json())]).toEqual([7, {'D-1': 'skipped'}])
  expect(resent()).toEqual([id(1)])
})

test('an id that is not there is listed, and the others go on', async () => {
  const {shell, resent} = await legacyApi([row(1)])
  const ran = await shell.run(WebhooksResend, id(1), id(9), '--yes', '--wait', '0s', '--json')
  expect(ran.json()).toMatchObject({
    records: [
      {id: id(1)},
      {id: id(9), order_id: null, state: 'skipped', why: 'The service has no such record.'},
    ],
  })
  expect(resent()).toEqual([id(1)])
})

test.each<[what: string, argv: string[]]>([
  ['nothing chosen', []],
  ['ids and a filter', [id(1), '--status', 'failed']],
  ['an id that is none', ['../x', '--yes']],
  ['--yes and --dry-run', ['--status', 'failed', '--yes', '--dry-run']],
  ['a time that is none', ['--status', 'failed', '--since', 'yesterday']],
])('usage: %s, and nothing is asked', async (_what, argv) => {
  const {origin, seen} = await serve(json({}))
  const ran = await shellAt(origin).run(WebhooksResend, ...argv, '--json')
  expect(ran.json()).toMatchObject({error: {code: 'usage'}})
  expect({status: ran.status, calls: seen.length}).toEqual({status: 2, calls: 0})
})

test('--dry-run shows the plan and starts no run', async () => {
  const {shell, resent} = await legacyApi([row(1), row(2, {next_retry_at: '2099-01-01T00:00:00Z'})])
  const ran = await shell.run(WebhooksResend, ...failed, '--dry-run', '--json')
  expect(states(ran.json())).toEqual({'D-1': 'planned', 'D-2': 'skipped'})
  expect({status: ran.status, resent: resent(), runs: await runsOf(shell)}).toEqual({
    status: 7,
    resent: [],
    runs: 0,
  })
})

async function runsOf({dataDir}: Shell): Promise<number> {
  const journal = openJournal(dataDir, {environment: 'sandbox', merchantId})
  const {length} = await journal.listRuns(10)
  await journal.close()
  return length
}

const orderNow = (fields: Record<string, string>) => {
  const told = {
    merchantId,
    orderNo: 'D-1',
    platformOrderNo: orderId(1),
    status: 'completed',
    amount: '500.00',
  }
  return json({code: 0, data: {...told, ...fields}})
}
test.each<[what: string, query: Answering, payload: object, isSent: boolean, status: number, why: RegExp]>([
  ['completed', orderNow({}), {amount: '500.00'}, true, 7, /./],
  ['completed, its id another than the record’s', orderNow({platformOrderNo: 'PL-1'}), {}, true, 7, /./],
  ['failed by now', orderNow({status: 'failed'}), {}, false, 7, /now has "failed"/],
  ['open', orderNow({status: 'processing'}), {}, false, 7, /now has "processing"/],
  ['in a word nobody knows', orderNow({status: 'REVERSED'}), {}, false, 7, /now has "REVERSED"/],
  ['of another amount', orderNow({amount: '50.00'}), {data: {amount: '500.00'}}, false, 7, /has BDT 500\.00/],
  ['not the one of its webhook', orderNow({}), {orderNo: 'B-9'}, false, 7, /is about the order B-9/],
  ['not there', json({code: 'ORDER_NOT_FOUND'}, 404), {}, false, 7, /no longer has the order D-1/],
  ['not told, for the service is busy', text('busy', 503), {}, false, 8, /could not be queried/],
  ['not told, for nothing is there to ask', text('<p>no', 404), {}, true, 7, /./],
])('a record whose order is %s', async (_what, query, payload, isSent, status, why) => {
  const rows = [row(1, {payload})]
  const {shell, resent} = await legacyApi(rows, json({success: true}), {}, query)
  const ran = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect(resent()).toEqual(isSent ? [id(1)] : [])
  if (!isSent) {
    expect(states(ran.json())).toEqual({'D-1': 'skipped'})
    expect(ran.json()).toMatchObject({records: [{why: expect.stringMatching(why)}]})
    expect(ran.status).toBe(status)
  }
})

test.each<[what: string, command: CommandClass, argv: string[], shown: Record<string, string>, why: RegExp]>([
  [
    'a deposit for another player',
    DepositCreate,
    deposit('D-1'),
    {playerRef: 'player-9'},
    /another playerRef than this machine sent/,
  ],
  [
    'a payout of another amount',
    PayoutCreate,
    payout('D-1'),
    {amount: '900.00'},
    /BDT 900\.00 at the service, but BDT 1,000\.00 was sent/,
  ],
])(
  '%s than was sent from here is not sent, unless a person says so',
  async (_what, command, argv, shown, why) => {
    let isMade = false
    const ofKind: Answering = (response, call, nth) => {
      const isIt = isMade && call.body.includes('outOrderNo') === (command === PayoutCreate)
      const answer = isIt
        ? orderNow({amount: '1000.00', outOrderNo: 'D-1', ...shown})
        : json({code: 'ORDER_NOT_FOUND'}, 404)
      answer(response, call, nth)
    }
    const {shell, resent} = await legacyApi([row(1)], json({success: true}), {}, ofKind)
    expect((await shell.run(command, ...argv)).status).toBe(6)
    isMade = true
    const left = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
    expect([left.status, states(left.json()), resent()]).toEqual([7, {'D-1': 'skipped'}, []])
    expect(left.json()).toMatchObject({records: [{why: expect.stringMatching(why)}]})
    await shell.run(WebhooksResend, ...failed, '--yes', '--include-delivered', '--json')
    expect(resent()).toEqual([id(1)])
  },
)

test.each<[event: string, now: string, isSent: boolean, argv?: string[]]>([
  ['order.failed', 'failed', true],
  ['order.cancelled', 'failed', true],
  ['order.failed', 'completed', false],
  ['order.cancelled', 'completed', false],
  ['order.expired', 'completed', false],
  ['payout.failed', 'completed', false],
  ['order.failed', 'processing', false],
  ['order.paid', 'completed', true],
  ['ORDER.COMPLETED', 'completed', true],
  ['ORDER.COMPLETED', 'failed', false],
  ['order.completed ', 'failed', false],
  ['order_paid', 'processing', false],
  ['deposit.completed', 'SETTLED', false],
  ['order.failed', 'completed', false, ['--event', 'order.failed']],
  ['order.failed', 'completed', false, [id(1)]],
  ['order.reviewed', 'completed', false],
  ['', 'completed', false],
  ['order.reviewed', 'completed', true, ['--event', 'order.reviewed']],
  ['order.reviewed', 'completed', true, [id(1)]],
])('"%s" of an order that is %s now: sent %s %s', async (event, status, isSent, argv = []) => {
  const rows = [row(1, {event})]
  const {shell, resent} = await legacyApi(rows, json({success: true}), {}, orderNow({status}))
  const chosen = argv[0] === id(1) ? [id(1), ...failed.slice(2)] : [...failed, ...argv]
  const ran = await shell.run(WebhooksResend, ...chosen, '--yes', '--json')
  expect(resent()).toEqual(isSent ? [id(1)] : [])
  if (isSent) return
  expect(ran.json()).toMatchObject({
    records: [{state: 'skipped', event, why: expect.stringMatching(/now|known/)}],
  })
  expect(ran.status).toBe(7)
})

test.each<[event: string, isSent: boolean]>([
  ['orderCompleted', false],
  ['order.completed.v2', false],
  ['order.settled', false],
  ['order.done', false],
  ['order.created', true],
  ['payment.received', true],
  ['order.updated', true],
])('a failed completion after a taken %s: sent %s', async (event, isSent) => {
  const own = {order_id: orderId(1), merchant_order_id: 'D-1', created_at: '2026-11-19T02:00:00Z'}
  const rows = [row(1), row(2, {...own, event, status: 'success'})]
  const {shell, resent} = await legacyApi(rows, json({success: true}), {}, orderNow({status: 'completed'}))
  const ran = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect([resent(), ran.status === 7]).toEqual([isSent ? [id(1)] : [], !isSent])
})

test('order.failed of an order that a ledger has as failed is left out: its money may be given back', async () => {
  const rows = [row(1, {event: 'order.failed'})]
  const {shell, resent} = await legacyApi(rows, json({success: true}), {}, orderNow({status: 'failed'}))
  const path = join(tempDir(), 'ledger.csv')
  writeFileSync(path, 'order_no,status,amount,created_at\nD-1,failed,500.00,2026-11-20T09:00:00Z\n')
  await shell.run(Reconcile, path, '--kind', 'payout', '--no-deliveries', '--json')
  const left = await shell.run(WebhooksResend, ...failed, '--yes', '--json')
  expect([left.status, states(left.json()), resent()]).toEqual([7, {'D-1': 'skipped'}, []])
  expect(left.json()).toMatchObject({
    records: [{why: expect.stringMatching(/found it failed in a ledger too/)}],
  })
  await shell.run(WebhooksResend, ...failed, '--yes', '--include-delivered', '--json')
  expect(resent()).toEqual([id(1)])
})
