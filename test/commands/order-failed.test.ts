import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import ItemsNote from '../../src/commands/items/note.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import WebhooksResend from '../../src/commands/webhooks/resend.ts'
import {type Answering, json, merchantId, text} from '../api/fixture.ts'
import {tempDir} from '../temp-dir.ts'
import {legacyApi, orderId, row} from './legacy-api.ts'

/*
 * A merchant's server gives back what it held for a payout when it takes `order.failed`. The judge is how often that left
 * although a ledger that hisab was given shows that it may have been given back by hand.
 */
const number = '0001001'
const resend = ['--status', 'failed', '--wait', '0s', '--rate', '1000', '--yes', '--json']

const shows =
  (status: string): Answering =>
  (...all) => {
    const {orderNo, outOrderNo = orderNo} = JSON.parse(all[1].body) as Record<string, string>
    const order = {merchantId, orderNo: outOrderNo, platformOrderNo: orderId(1), status, amount: '500.00'}
    const isKnown = outOrderNo === number && all[1].path.includes('/apply/')
    ;(isKnown ? json({code: 0, data: order}) : json({code: 'ORDER_NOT_FOUND'}, 404))(...all)
  }

/** P was created and failed, and its `order.failed` was never taken; then `hisab` was given these ledgers. */
async function service(now: Answering) {
  const asked = {now}
  const rows = [row(1, {merchant_order_id: number, event: 'order.failed'})]
  const {shell, resent} = await legacyApi(rows, json({success: true}), {}, (...all) => asked.now(...all))
  const reconcile = async (lines: string, ...argv: string[]) => {
    const path = join(tempDir(), 'ledger.csv')
    writeFileSync(path, `order_no,status,amount,created_at,platform_order_no,remarks\n${lines}\n`)
    const ran = await shell.run(Reconcile, path, '--kind', 'payout', '--no-deliveries', '--json', ...argv)
    return ran
  }
  const send = async (...argv: string[]) => {
    asked.now = shows('failed')
    const ran = await shell.run(WebhooksResend, ...resend, ...argv)
    return {...ran, sent: resent().length}
  }
  return {shell, reconcile, send}
}

const open = `${number},open,500.00,2026-11-20T09:00:00Z,,`
const failed = open.replace('open', 'failed')

const heldBy: [what: string, lines: string, now: Answering][] = [
  ['failed, where the service had it open', failed, shows('processing')],
  ['failed, where the service did not have it', failed, json({code: 'ORDER_NOT_FOUND'}, 404)],
  ['failed, where the service gave no answer', failed, text('busy', 503)],
  ['failed, where the service had a word nobody knows', failed, shows('HELD')],
  ['failed, where the service had it completed', failed, shows('completed')],
  ['failed and open, on two lines', `${open}\n${failed}`, shows('failed')],
  ['failed, its number without its zeros', failed.replace(number, '1001'), shows('failed')],
  [
    'failed, by the platform’s number',
    failed.replace(number, 'X-7').replace(/,$/, `${orderId(1)},`),
    shows('failed'),
  ],
  ['refunded, a word it does not know', open.replace('open', 'Refunded'), shows('failed')],
  ['completed', open.replace('open', 'completed'), shows('failed')],
  ['open, its amount not readable', open.replace('500.00', '5.0E+2'), shows('failed')],
  ['open, with a remark that it was given back', `${open}money given back by Karim`, shows('failed')],
  ['open, with a remark that it was paid by hand', `${open}paid by hand`, shows('failed')],
  ['open, with any other remark', `${open}called twice`, shows('failed')],
  [
    'open, and a remark of another row names it',
    `${open}\nP-2,completed,9.00,2026-11-20T09:10:00Z,,refunded with ${number}`,
    shows('failed'),
  ],
]

describe.each(heldBy)('order.failed of a payout that a ledger has as %s', (_what, lines, now) => {
  test.each([
    ['', []],
    [', in a dry run', ['--dry-run']],
  ])('is not sent%s', async (_how, argv) => {
    const {reconcile, send} = await service(now)
    await reconcile(lines, ...argv)
    const ran = await send()
    expect([ran.sent, ran.status]).toEqual([0, 7])
    expect(ran.json()).toMatchObject({records: [{why: expect.stringContaining('--include-delivered')}]})
    expect((await send('--include-delivered')).sent).toBe(1)
  })
})

test.each([
  ['sent from own bKash 017', 0],
  ['player got cash from agent', 0],
  ['taka diye disi', 0],
  ['not booked', 1],
])('with the note %j it is sent %i times', async (note, times) => {
  const {shell, reconcile, send} = await service(shows('failed'))
  await reconcile(open)
  expect((await shell.run(ItemsNote, number, '--text', note)).status).toBe(0)
  expect((await send()).sent).toBe(times)
})

test('nor after a later ledger that does not have the order', async () => {
  const {reconcile, send} = await service(shows('failed'))
  await reconcile(`${open}money given back by Karim`)
  await reconcile('P-2,completed,9.00,2026-11-21T09:10:00Z,,')
  expect((await send()).sent).toBe(0)
})

test('a remark that it was given back is told, and no command that sends it', async () => {
  const {reconcile} = await service(shows('failed'))
  const ran = await reconcile(`${open}money given back by Karim`)
  const [finding] = ran.json().findings as {cause: string; explanation: string}[]
  expect(finding).toMatchObject({
    cause: 'failed_maybe_paid',
    explanation: expect.stringMatching(/line 2 \(".+" has "money given back by Karim"\) says in its own row/),
  })
  expect(finding?.explanation).not.toContain('webhooks resend')
})

test.each([
  ['open', open],
  ['not at all', 'P-2,completed,9.00,2026-11-20T09:10:00Z,,'],
])('order.failed of a payout that a ledger has as %s is sent', async (_what, lines) => {
  const {reconcile, send} = await service(shows('failed'))
  await reconcile(lines)
  expect((await send()).sent).toBe(1)
})
