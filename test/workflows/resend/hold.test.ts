import {expect, test} from 'vitest'

import {Failure} from '../../../src/core/failure.ts'
import type {JsonValue} from '../../../src/core/json.ts'
import type {Delivery, ServiceOrder} from '../../../src/core/order.ts'
import {orderKey} from '../../../src/core/reconcile/orders.ts'
import {holdBack} from '../../../src/workflows/resend/hold.ts'
import {jobOf} from '../../../src/workflows/resend/run.ts'
import {profileAt} from '../../api/fixture.ts'
import {delivery, order} from '../../core/reconcile/sample.ts'
import {FakeClient, FakeClock, failure} from '../fake-client.ts'

const {dialect} = profileAt('https://pay.example')

const sentHere = {whyNotAsSent: async () => null, whyPaidAnew: async () => null}

interface Case {
  /** How the record is now; null where it is gone. */
  readonly fresh?: Partial<Delivery> | null
  /** The order of the ledger that the resend was decided on. */
  readonly known?: ServiceOrder
  /** What the service has under the number, by kind. */
  readonly at?: readonly (ServiceOrder | Failure)[]
  readonly payload?: JsonValue
  readonly booked?: string
  readonly refuses?: string
  readonly isUnasked?: boolean
}

async function hold({fresh = {}, known, at = [], payload, booked, refuses, isUnasked = true}: Case) {
  const client = new FakeClient(new FakeClock())
  const record = delivery({nextRetryAt: '2026-11-20T13:00:00Z', ...(fresh?.event && {event: fresh.event})})
  if (fresh !== null) client.records.set(record.id, {...record, ...fresh})
  if (payload !== undefined) client.payloads.set(record.id, payload)
  for (const [n, one] of at.entries())
    client.orders.set(
      orderKey(one instanceof Failure ? {kind: n === 0 ? 'deposit' : 'payout', orderNo: 'D-1'} : one),
      one,
    )
  const ledgers = {amountOf: async () => null, whyBooked: async () => booked ?? null}
  const outcome = await holdBack(
    {
      ...jobOf({delivery: record, cause: 'delivery_exhausted'}),
      order: known ?? null,
      refusePayload: () => refuses ?? null,
    },
    client,
    sentHere,
    isUnasked ? {dialect, ledgers} : undefined,
  )
  return outcome.state === 'cleared' ? null : [outcome.state, outcome.why, outcome.needsPerson ?? false]
}

const paid = order()
const payout = order({kind: 'payout', platformOrderNo: 'platform-2'})
const busy = failure('service_busy', 'HTTP 503')
const ofRecord = (what: string) => `Not sent: its record moved since it was read (${what}).`
const moved = (what: string) => `Not sent: the ${what}. Run it again.`

test.each<[what: string, one: Case, why: string | null, needsPerson?: boolean]>([
  ['nothing moved', {known: paid, at: [paid]}, null],
  ['nobody asks for its order', {isUnasked: false}, null],
  ['its record is gone', {fresh: null}, 'Not sent: the service no longer has its record.'],
  ['it was delivered meanwhile', {fresh: {status: 'success'}}, ofRecord('now success, 5 tries')],
  ['it was tried meanwhile', {fresh: {attempts: 6}}, ofRecord('now failed, 6 tries')],
  ['it was sent meanwhile', {fresh: {sentAt: '2026-11-20T11:59:00Z'}}, ofRecord('now failed, 5 tries')],
  ['it is to be tried at another time', {fresh: {nextRetryAt: null}}, ofRecord('now failed, 5 tries')],
  [
    'what it says is refused',
    {known: paid, at: [paid], refuses: 'Not sent: another amount.'},
    'Not sent: another amount.',
    true,
  ],
  [
    'the order failed meanwhile',
    {known: paid, at: [order({status: 'failed', rawStatus: 'FAILED'})]},
    moved('order changed since it was queried (now "FAILED")'),
  ],
  [
    'the order is another one',
    {known: paid, at: [order({platformOrderNo: 'platform-9'})]},
    moved('order changed since it was queried (now "completed")'),
  ],
  [
    'the order has another amount',
    {known: paid, at: [order({amount: 60_000n})]},
    moved('amount of the order changed since it was queried (now BDT 600.00)'),
  ],
  [
    'the order has no amount any more',
    {known: paid, at: [order({amount: null})]},
    moved('amount of the order changed since it was queried (now not stated)'),
  ],
  ['the order is gone', {known: paid}, moved('service no longer knows the order')],
  [
    'the order cannot be asked for',
    {known: paid, at: [busy]},
    moved('order could not be queried just before (HTTP 503)'),
  ],

  ['of an unknown order: as it says', {at: [paid]}, null],
  [
    'it says completed, and the order failed',
    {at: [order({status: 'failed', rawStatus: 'FAILED'})]},
    'Not sent: the webhook has the status completed, but the service now has "FAILED". Ask the service which is right.',
    true,
  ],
  [
    'it says failed, and the order is completed',
    {fresh: {event: 'order.failed'}, at: [paid]},
    'Not sent: the webhook has the status failed, but the service now has "completed". Ask the service which is right.',
    true,
  ],
  ['an event that says no status', {fresh: {event: 'order.expiring'}, at: [order({status: 'open'})]}, null],
  ['a ledger has it booked', {at: [paid], booked: 'a ledger has it.'}, 'Not sent: a ledger has it.', true],
  [
    'it failed, and a ledger has it booked',
    {fresh: {event: 'order.failed'}, at: [order({status: 'failed'})], booked: 'a ledger has it.'},
    null,
  ],
  [
    'the order of its order_id counts, not the other of its number',
    {at: [order({status: 'failed', platformOrderNo: 'other'}), order({kind: 'payout'})]},
    null,
  ],
  [
    'the order of its order_id, in another case',
    {
      at: [
        order({platformOrderNo: 'PLATFORM-1'}),
        order({kind: 'payout', status: 'failed', platformOrderNo: 'other'}),
      ],
    },
    null,
  ],
  [
    'two of its number, one as it says',
    {at: [order({status: 'failed', platformOrderNo: 'other'}), payout]},
    null,
  ],
  [
    'two of its number, none as it says',
    {
      at: [
        order({status: 'failed', rawStatus: 'F-1', platformOrderNo: 'other'}),
        order({kind: 'payout', status: 'open', rawStatus: 'O-2', platformOrderNo: 'another'}),
      ],
    },
    'Not sent: the webhook has the status completed, but the service now has "F-1". Ask the service which is right.',
    true,
  ],
  ['no number at all', {fresh: {merchantOrderId: ''}}, null],
  [
    'nobody has its number',
    {},
    'Not sent: the service no longer has the order D-1. Ask the service why.',
    true,
  ],
  [
    'a query without an answer now',
    {at: [busy]},
    'Not sent: its order could not be queried just before (HTTP 503). Run it again.',
  ],
  ['one address has it, the other is silent', {at: [busy, payout]}, null],
  [
    'a query that is never answered',
    {at: [failure('answer_untrusted', 'A page'), failure('answer_untrusted', 'A page')]},
    null,
  ],
])('just before a resend: %s', async (_what, one, why, needsPerson = false) => {
  expect(await hold(one)).toEqual(why === null ? null : ['skipped', why, needsPerson])
})

test.each([
  [busy, ['skipped', 'Not sent: its record could not be read just before (HTTP 503.).', false]],
  [new TypeError('a defect'), null],
])('a record that cannot be read just before a resend holds it: %s', async (thrown, expected) => {
  const client = new FakeClient(new FakeClock())
  client.before = () => {
    throw thrown
  }
  const held = holdBack(jobOf({delivery: delivery(), cause: 'delivery_exhausted'}), client, sentHere)
  if (expected === null) await expect(held).rejects.toBe(thrown)
  else expect(await held).toMatchObject({state: expected[0], why: expected[1]})
})
