import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import DepositCreate from '../../src/commands/deposit/create.ts'
import Find from '../../src/commands/find.ts'
import ItemsAssign from '../../src/commands/items/assign.ts'
import ItemsNote from '../../src/commands/items/note.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import SandboxClock from '../../src/commands/sandbox/clock.ts'
import WebhooksGet from '../../src/commands/webhooks/get.ts'
import WebhooksList from '../../src/commands/webhooks/list.ts'
import WebhooksResend from '../../src/commands/webhooks/resend.ts'
import {sandboxMerchantId} from '../../src/core/profile.ts'
import {openInbox} from '../../src/receiver/inbox.ts'
import {readWebhook} from '../../src/receiver/webhook.ts'
import {type FoundView, foundText} from '../../src/report/found-text.ts'
import {steppedClock} from '../../src/sandbox/clock.ts'
import {deliveryId, good, json, record, serve} from '../api/fixture.ts'
import {sortedRules} from '../receiver/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {type Shell, shellAt, shellWithSandbox} from './run-command.ts'

const hook = ['--return-url', 'http://127.0.0.1:9/hook']

/** A deposit whose webhook failed for good, found open in a ledger and resent in vain. */
async function lostDeposit() {
  const {sandbox, shell} = await shellWithSandbox({clock: steppedClock(Date.now() - 86_400_000)})
  await shell.run(
    DepositCreate,
    ...['--order-no', 'D-1', '--player-phone', '01712345678', '--player-ref', 'u-1', ...hook],
  )
  await sandbox.control.payDeposit('D-1', 500_00n)
  await shell.run(SandboxClock, '--advance', '8h')
  return Object.assign(shell, {stop: () => sandbox.close()})
}

function ledgerOf(...rows: string[]): string {
  const path = join(tempDir(), 'ledger.csv')
  writeFileSync(path, ['order_no,status,amount,player_ref', ...rows, ''].join('\n'))
  return path
}

async function find(shell: Shell, number: string) {
  const ran = await shell.run(Find, number, '--json')
  return {ran, found: ran.json() as unknown as FoundView}
}

test.each([
  ['pending', 503, 'hisab events forward'],
  ['acknowledged', 200, 'Your server took its order.completed, which hisab handed on.'],
])('an event of the receiver that is %s decides what is next', async (_state, httpStatus, next) => {
  const shell = await lostDeposit()
  const platformOrderNo = (await find(shell, 'D-1')).found.orders[0]?.service[0]?.platformOrderNo ?? ''
  const account = {environment: 'sandbox', merchantId: sandboxMerchantId} as const
  const inbox = openInbox({dataDir: shell.dataDir, account})
  const fields = {orderNo: 'D-1', platformOrderNo, playerRef: 'u-1', status: 'completed', amount: '500.00'}
  const webhook = readWebhook({event: 'order.completed', ...fields}, sortedRules)
  const {id = 0, claim = ''} = webhook ? await inbox.take(webhook, Date.now(), 1_000) : {}
  const acknowledgedAtMs = httpStatus === 200 ? Date.now() : null
  await inbox.recordForward(id, claim ?? '', {httpStatus, acknowledgedAtMs})
  inbox.close()
  expect((await find(shell, 'D-1')).found.orders[0]?.next).toEqual([expect.stringContaining(next)])
})

test('an order number, its platform number and its record find the same order, and the command that resends it', async () => {
  const shell = await lostDeposit()
  const {found} = await find(shell, 'D-1')
  const [order] = found.orders
  expect(order).toMatchObject({
    orderNo: 'D-1',
    service: [{kind: 'deposit', found: true, status: 'completed', amount: '500.00'}],
    webhooks: [{merchant_order_id: 'D-1', status: 'failed'}],
    created: [{kind: 'deposit', state: 'accepted'}],
  })
  const recordId = order?.webhooks?.[0]?.id ?? ''
  expect(order?.next).toEqual([expect.stringContaining(`hisab webhooks resend ${recordId}`)])
  for (const number of [order?.service[0]?.platformOrderNo ?? '', recordId, recordId.toUpperCase()]) {
    expect((await find(shell, number)).found.orders).toMatchObject([
      {orderNo: 'D-1', service: order?.service, webhooks: order?.webhooks, next: order?.next},
    ])
  }
  const text = await shell.run(Find, 'D-1')
  expect(text.status).toBe(0)
  expect(text.stdout.split('\n').slice(0, 3)).toEqual([
    'Order D-1',
    'At the service',
    '  deposit, completed, BDT 500.00',
  ])
})

test('colours reach a terminal, and nothing else of the service’s does', async () => {
  const {found} = await find(await lostDeposit(), 'D-1')
  const [order] = found.orders
  const webhooks = order?.webhooks?.map((one) => ({...one, event: 'a\u001b[2J'})) ?? []
  const orders = order ? [{...order, webhooks}] : []
  const text = foundText({...found, orders}, 'UTC', (_style, words) => `<${words}>`)
  expect(text).toContain('a\\u{1b}[2J  <failed>, ')
})

test('what a ledger said of its order holds its resend, and the next step says so', async () => {
  const shell = await lostDeposit()
  const ledger = join(tempDir(), 'ledger.csv')
  writeFileSync(ledger, 'order_no,status,amount,remarks\nD-1,open,500.00,credited by karim\n')
  await shell.run(Reconcile, ledger, '--dry-run', '--wait', '1s')
  const [order] = (await find(shell, 'D-1')).found.orders
  const recordId = order?.webhooks?.[0]?.id ?? ''
  const held = expect.stringMatching(
    `Look in your books first. If it is not booked, run:\\s.*webhooks resend ${recordId}.* --include-delivered`,
  )
  expect(order?.next).toEqual([held])
  expect((await shell.run(WebhooksGet, recordId)).stdout).toEqual(held)
})

test('what ledgers said, what was resent and by whom', async () => {
  const shell = await lostDeposit()
  const ledger = join(tempDir(), 'ledger.csv')
  writeFileSync(ledger, 'order_no,status,amount\nD-1,open,500.00\n')
  await shell.run(Reconcile, ledger, '--yes', '--wait', '1s')
  const [order] = (await find(shell, 'D-1')).found.orders
  expect(order?.resends).toEqual([
    expect.objectContaining({event: 'order.completed', by: expect.any(String)}),
  ])
  expect(order?.ledger).toEqual([expect.objectContaining({status: 'open', amount: '500.00', agreed: false})])
  expect(order?.openItems).toMatchObject([{verdict: 'missing_completion', owner: null, note: null}])
  await shell.run(ItemsAssign, 'D-1', '--to', 'rahima')
  await shell.run(ItemsNote, 'D-1', '--text', 'asked the service')
  const [assigned] = (await find(shell, 'D-1')).found.orders
  expect(assigned?.openItems).toMatchObject([{owner: 'rahima', note: 'asked the service'}])
  const text = await shell.run(Find, 'D-1')
  expect(text.stdout).toContain('\n  Owner: rahima\n  Note: asked the service\n')

  const booked = join(tempDir(), 'booked.csv')
  writeFileSync(booked, 'order_no,status,amount\nD-1,completed,500.00\n')
  await shell.run(Reconcile, booked, '--yes', '--wait', '1s')
  const [after] = (await find(shell, 'D-1')).found.orders
  expect(after?.openItems).toEqual([])
  expect(after?.next).toEqual([expect.stringMatching(/^Nothing: run \S+ found it booked/)])
})

test('amounts that differ are the next step, whatever a run saw before', async () => {
  const shell = await lostDeposit()
  for (const amount of ['500.00', '5000.00'])
    await shell.run(Reconcile, ledgerOf(`D-1,completed,${amount},u-1`), '--yes', '--wait', '1s')
  const [order] = (await find(shell, 'D-1')).found.orders
  expect(order?.openItems).toMatchObject([{verdict: 'amount_mismatch'}])
  expect(order?.next).toEqual([
    'Ledger BDT 5,000.00, service BDT 500.00. Find out which amount was paid, and correct the ledger. Do not resend it.',
  ])
})

test('where it is refused, a resend that a run held back names the file with the reason', async () => {
  const shell = await lostDeposit()
  await shell.run(Reconcile, ledgerOf('D-1,open,500.00,u-1', 'BAD-5,completed,100.00,u-1'), '--yes')
  const reason = expect.stringMatching(
    /held it back.* The reason is in \/.*\/findings\.csv\. Look in your books first/,
  )
  const resent = await shell.run(WebhooksResend, '--order-no', 'D-1', '--dry-run', '--json')
  expect(resent.json()).toMatchObject({records: [{state: 'skipped', why: reason}]})
  const {why} = (resent.json() as {records: {why: string}[]}).records[0] ?? {}
  const [, file = ''] = /reason is in (.+?)\. Look/.exec(why ?? '') ?? []
  expect(readFileSync(file, 'utf8')).toMatch(/line 3 of .*may be this order/)
  const [order] = (await find(shell, 'D-1')).found.orders
  expect(order?.next).toEqual([reason])
  expect(order?.next[0]).toMatch(/If it is not booked: hisab webhooks resend --order-no D-1/)
})

test('without a service: what is known here, which run compared nothing, and who gave no answer', async () => {
  const shell = await lostDeposit()
  const ledger = ledgerOf('D-1,completed,500.00,u-1')
  await shell.run(Reconcile, ledger, '--plan')
  expect((await find(shell, 'D-1')).found.orders[0]?.ledger).toEqual([])
  await shell.stop()
  expect((await shell.run(Reconcile, ledger, '--yes')).status).toBe(5)
  const known = await shell.run(Find, 'D-1')
  expect(known.stdout).toMatch(/In the ledgers\n {2}run \S+: line 2, not compared\n/)
  const none = await shell.run(Find, 'D-404')
  expect([none.status, none.stdout]).toEqual([
    8,
    expect.stringMatching(/^D-404 could not be looked up: no answer from 127\.0\.0\.1:\d+\.\n$/),
  ])
  expect(none.stderr).toMatch(/the deposit query got no answer: deposit query D-404: /)
  expect(none.stderr).toMatch(/the payout query got no answer: payout query D-404: /)
})

test('a phone number finds the payouts that were made to it here, and no other', async () => {
  const {shell} = await shellWithSandbox()
  const pay = (orderNo: string, account: string) =>
    shell.run(
      PayoutCreate,
      ...['--order-no', orderNo, '--amount', '9', '--bank-type', 'BKASH', '--account', account],
      ...['--user-name', 'Karim', '--yes', ...hook],
    )
  await pay('P-1', '01812345678')
  // The same when it is masked.
  await pay('P-2', '01899995678')
  const {found} = await find(shell, '01812345678')
  expect(found.orders.map(({orderNo}) => orderNo)).toEqual(['P-1'])
})

test('a number of nobody ends with 7; a list that cannot be read is no proof of that', async () => {
  const {shell} = await shellWithSandbox()
  // Each address has to know an order before its "no such order" counts (A5); the sandbox says it by a code.
  expect((await find(shell, 'D-404')).ran.status).toBe(7)
  const {origin} = await serve(json({message: 'no route'}, 404))
  expect((await find(shellAt(origin), 'D-404')).ran.status).toBe(8)
})

const noOrder = {code: 'ORDER_NOT_FOUND', message: 'no such order'}

/** Three pages; the record of D-1 is on the last, under the platform's own ID. */
function longList(found: boolean) {
  const others = Array.from({length: 4}, (_, index) => ({
    ...record,
    id: `aaaaaaaa-bbbb-4ccc-8ddd-00000000000${index}`,
    order_id: `bbbbbbbb-bbbb-4ccc-8ddd-00000000000${index}`,
    merchant_order_id: `X-${index}`,
  }))
  const all = found ? [...others, record] : others
  return serve((response, seen, nth) => {
    if (seen.method === 'POST') {
      const data = {
        ...good.query.data,
        orderNo: JSON.parse(seen.body).orderNo,
        platformOrderNo: record.order_id,
      }
      return json(seen.path.includes('apply') ? noOrder : {...good.query, data})(response, seen, nth)
    }
    const query = new URLSearchParams(seen.path.split('?')[1])
    const own = all.filter((one) => !query.has('order_id') || one.order_id === query.get('order_id'))
    const page = Number(query.get('page') ?? 1)
    const pagination = {page, limit: 2, total: own.length, total_pages: Math.ceil(own.length / 2)}
    json({success: true, data: {data: own.slice((page - 1) * 2, page * 2), pagination}})(response, seen, nth)
  })
}

test('--order-no alone finds a record on any page, and says which order has none', async () => {
  const {origin} = await longList(true)
  const shell = shellAt(origin)
  const listed = await shell.run(WebhooksList, '--order-no', record.merchant_order_id, '--json')
  expect(listed.json()).toMatchObject({records: [{id: deliveryId}], complete: true})
  const resent = await shell.run(
    WebhooksResend,
    ...['--order-no', record.merchant_order_id, '--dry-run', '--json'],
  )
  expect(resent.json()).toMatchObject({records: [{id: deliveryId}]})
  const none = await shellAt((await longList(false)).origin).run(
    WebhooksResend,
    ...['--order-no', record.merchant_order_id, '--dry-run', '--json'],
  )
  expect(none.json()).toMatchObject({error: {code: 'not_found'}})
})

test('a deposit and a payout with one number: each has its own next step, by its own webhook', async () => {
  const {origin} = await serve((response, seen, nth) => {
    if (seen.method !== 'POST') return json(good.list)(response, seen, nth)
    // The record is the payout's.
    const platformOrderNo = seen.path.includes('apply') ? record.order_id : 'PL-1'
    json({...good.query, data: {...good.query.data, platformOrderNo}})(response, seen, nth)
  })
  const {found} = await find(shellAt(origin), 'D-1')
  expect(found.orders[0]?.service.map(({kind}) => kind)).toEqual(['deposit', 'payout'])
  expect(found.orders[0]?.next).toEqual([
    expect.stringMatching(/^Deposit: The service has no webhook of this/),
    expect.stringMatching(new RegExp(`^Payout: .*hisab webhooks resend ${deliveryId}`)),
  ])
})
