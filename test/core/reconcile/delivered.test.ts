import {expect, test} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import {type JsonValue, parseJson} from '../../../src/core/json.ts'
import {
  deliveredAmount,
  isDecidedByPayload,
  judgeByDelivered,
  whyAnotherWebhook,
} from '../../../src/core/reconcile/delivered.ts'
import type {Finding} from '../../../src/core/reconcile/finding.ts'
import {order} from './sample.ts'

const own = {orderNo: 'D-1', platformOrderNo: 'platform-1', amount: '500.00'}

test.each<[what: string, payload: JsonValue | undefined, amount: bigint | null]>([
  ['its own', own, 50_000n],
  ['as the text that was sent', JSON.stringify(own), 50_000n],
  ['with the amount as a number, by its source text', parseJson('{"amount":500.10}'), 50_010n],
  ['that names no order', {amount: '500.00'}, 50_000n],
  ['of another order number', {...own, orderNo: 'D-2'}, null],
  ['of an order number in another case', {...own, orderNo: 'd-1'}, null],
  ['of another platform id', {...own, platformOrderNo: 'platform-2'}, null],
  ['with two numbers, one of another order', {...own, outOrderNo: 'P-1'}, null],
  ['with an amount nobody can read', {...own, amount: '5,00'}, null],
  ['without an amount', {orderNo: 'D-1'}, null],
  ['that is no JSON', '<html>', null],
  ['that is not there', undefined, null],
])('a webhook %s', (_what, payload, amount) => {
  expect(deliveredAmount(payload, order(), defaultDialect)).toBe(amount)
})

const [another, anotherAmount] = [/is about the order/, /has BDT 9,000\.00/]

test.each<[what: string, payload: JsonValue | undefined, why: RegExp | null]>([
  ['its own', own, null],
  ['its own, nested', {event: 'order.completed', data: own}, null],
  ['its own, with a fee', {...own, fee: {amount: '5.00'}}, null],
  ['its own, nested beside a fee', {data: own, fee: {amount: '5.00'}}, null],
  ['that names nothing', {}, null],
  ['that is no JSON', '<html>', null],
  ['that is not there', undefined, null],
  ['of another amount', {...own, amount: '9000.00'}, anotherAmount],
  ['of another amount, as a number', parseJson('{"amount":9000.00}'), anotherAmount],
  ['of another amount, nested', {data: {amount: '9000.00'}}, anotherAmount],
  ['of another amount, in a list', {orders: [{amount: '9000.00'}]}, anotherAmount],
  ['of another amount, as text in JSON', {data: JSON.stringify({amount: '9000.00'})}, anotherAmount],
  ['with commas and a currency', {...own, amount: 'BDT 500.00'}, null],
  ['of another amount, with commas', {...own, amount: '9,000.00'}, anotherAmount],
  ['of another amount, with a currency', {...own, amount: 'BDT 9000'}, anotherAmount],
  ['of another amount, under a like name', {orderNo: 'D-1', orderAmount: '9000.00'}, anotherAmount],
  ['of its amount with commas by lakh, and another', {...own, amount: '1,23,500.00'}, /has BDT 1,23,500\.00/],
  ['of an amount under another name', {orderNo: 'D-1', amountOf: '9000.00'}, null],
  ['of another amount, as a form', 'orderNo=D-1&amount=9000.00', anotherAmount],
  [
    'of an amount that is no number',
    {...own, amount: {value: '500.00'}},
    /an amount that cannot be read \(no number\)/,
  ],
  ['of an amount below zero', {...own, amount: '-500.00'}, /an amount that cannot be read \(-500\.00\)/],
  ['that says failed', {...own, status: 'failed'}, /has the status "failed"/],
  ['that says nothing hisab knows', {...own, status: 'success'}, null],
  ['of another order', {...own, orderNo: 'B-9'}, another],
  ['of another order, by the name of the record', {...own, merchant_order_id: 'B-9'}, another],
  ['of another order, nested', {data: {orderNo: 'B-9', amount: '500.00'}}, another],
  ['of another platform id', {...own, platformOrderNo: 'platform-2'}, another],
])('a webhook %s, before it is sent again', (_what, payload, why) => {
  const held = whyAnotherWebhook(payload, order({amount: 50_000n}), defaultDialect)
  if (why === null) expect(held).toBeNull()
  else expect(held ?? 'sent').toMatch(why)
})

test.each<[said: string, service: bigint | null, ours: bigint | null, why: RegExp | null]>([
  ['50000.00', null, 50_000n, /has BDT 50,?000\.00, but your ledger has BDT 500\.00/],
  ['500.00', null, 50_000n, null],
  ['50000.00', null, null, null],
  ['500.00', 50_000n, 30_000n, null],
  ['300.00', 50_000n, 30_000n, /the service now has BDT 500\.00/],
])('a webhook says %s, the service %s and the ledger %s', (amount, service, ours, why) => {
  const held = whyAnotherWebhook({amount}, order({amount: service}), defaultDialect, ours)
  if (why === null) expect(held).toBeNull()
  else expect(held ?? 'sent').toMatch(why)
})

const found = (
  verdict: string,
  cause: string | null,
  ours: bigint | null,
  theirs: bigint | null,
  change: object = {},
) =>
  ({
    ...{verdict, cause, ledger: {status: 'completed', amount: ours}, service: order({amount: theirs})},
    ...change,
  }) as unknown as Finding

test.each<[what: string, finding: Finding, withAmounts: boolean, withoutAmounts: boolean]>([
  ['amounts differ', found('amount_mismatch', null, 1n, 2n), true, true],
  ['accepted, not booked', found('missing_completion', 'delivered_not_booked', 1n, 1n), true, true],
  [
    'accepted, not booked, of no amount',
    found('missing_completion', 'delivered_not_booked', 1n, null),
    false,
    false,
  ],
  ['delivered', found('missing_in_ledger', 'delivered', null, 1n, {ledger: null}), true, true],
  ['failed for good', found('missing_completion', 'delivery_exhausted', 1n, 1n), false, false],
  ['agrees', found('matched', null, 1n, 1n), false, false],
  ['agrees, the service states no amount', found('matched', null, 1n, null), true, true],
  ['agrees, nobody states an amount', found('matched', null, null, null), false, false],
  ['agrees, the row has no amount', found('matched', null, null, 1n), true, false],
  ['both failed', found('matched', null, null, 1n, {ledger: {status: 'failed', amount: null}}), false, false],
  ['open there', found('matched', null, null, 1n, {service: order({status: 'open'})}), false, false],
  ['no answer', found('matched', null, null, 1n, {service: null}), false, false],
  ['read by an earlier run', found('amount_mismatch', null, 1n, 2n, {snapshot: '[]'}), false, false],
])('the payload decides where it is: %s', (_, finding, withAmounts, withoutAmounts) => {
  expect([isDecidedByPayload(finding, true), isDecidedByPayload(finding, false)]).toEqual([
    withAmounts,
    withoutAmounts,
  ])
})

test.each<[verdict: string, ours: bigint | null, theirs: bigint | null, judged: string | null]>([
  ['matched', 5n, 5n, null],
  ['matched', null, 5n, null],
  ['matched', 5n, null, null],
  ['amount_mismatch', 6n, 5n, 'amount_mismatch booked_amount_differs'],
  ['amount_mismatch', 6n, null, 'amount_mismatch booked_amount_differs'],
  ['amount_mismatch', 5n, 6n, 'amount_mismatch delivered_amount_differs'],
  ['amount_mismatch', null, 6n, 'amount_mismatch delivered_amount_differs'],
  ['amount_mismatch', 6n, 7n, 'amount_mismatch all_amounts_differ'],
  ['missing_completion', 6n, 5n, null],
  ['missing_completion', 6n, null, null],
  ['missing_completion', 5n, 6n, 'missing_completion delivered_amount_differs'],
  ['missing_in_ledger', null, 6n, 'missing_in_ledger delivered_amount_differs'],
])('%s: the ledger has %s, the service %s, and the webhook had 5', (verdict, ours, theirs, judged) => {
  const by = judgeByDelivered(found(verdict, null, ours, theirs), 5n)
  expect(by && `${by.verdict} ${by.cause}`).toBe(judged)
})
