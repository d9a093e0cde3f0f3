import {expect, test} from 'vitest'

import type {Dialect} from '../../../src/core/dialect.ts'
import type {Delivery, ServiceOrder} from '../../../src/core/order.ts'
import {type Joined, type JoinSource, joinRecords, whyNoOwnId} from '../../../src/core/reconcile/join.ts'
import {delivery, order} from './sample.ts'

function indexOf(
  records: readonly Delivery[],
  known: readonly ServiceOrder[] = [],
  join: Dialect['deliveryJoin'] = ['order_id', 'merchant_order_id'],
) {
  const source: JoinSource = {
    recordsByNumber: (number) => records.filter(({merchantOrderId}) => merchantOrderId === number),
    recordsByOrderId: (id) => records.filter(({orderId}) => orderId === id),
    isKnown: (id) => known.some(({platformOrderNo}) => platformOrderNo === id),
    isShared: (number) => known.filter(({orderNo}) => orderNo === number).length > 1,
  }
  return {recordsOf: (one: ServiceOrder): Joined => joinRecords(one, join, source)}
}

test('the right record joins, and agreement says nothing', () => {
  const right = delivery({id: 'right'})
  const index = indexOf([delivery({id: 'other', merchantOrderId: 'D-2', orderId: 'platform-2'}), right])
  expect(index.recordsOf(order())).toEqual({records: [right], disagreements: []})
})

test('every record of the number is found, whatever its event', () => {
  const records = [delivery({id: 'a'}), delivery({id: 'b', event: 'order.created'})]
  expect(indexOf(records).recordsOf(order()).records).toEqual(records)
})

test('order_id joins a record of another number, and the disagreement is told', () => {
  const record = delivery({merchantOrderId: 'MERCHANT-D-1'})
  const {records, disagreements} = indexOf([record]).recordsOf(order())
  expect(records).toEqual([record])
  expect(disagreements).toEqual([
    `Delivery record ${record.id} was joined although its merchant_order_id MERCHANT-D-1 is not the order's number D-1.`,
  ])
})

test('the platform id joins before the number, and a record of the number alone is told', () => {
  const byId = delivery({id: 'by-id', merchantOrderId: 'D-9'})
  const byNumber = delivery({id: 'by-number', orderId: 'elsewhere'})
  const {records, disagreements} = indexOf([byNumber, byId]).recordsOf(order())
  expect(records).toEqual([byId])
  expect(disagreements).toHaveLength(2)
  expect(disagreements[1]).toBe(
    "Delivery record by-number carries its number, but the record's order_id elsewhere is another, so it was left out.",
  )
})

test.each<[what: string, other: Partial<Delivery>]>([
  ['taken', {status: 'success'}],
  ['to be tried again', {nextRetryAt: '2026-11-20T12:00:00Z'}],
  ['under way', {status: 'pending'}],
])('one of the number alone that is %s is joined as well: it speaks against a resend', (_what, other) => {
  const byId = delivery({id: 'by-id'})
  const byNumber = delivery({id: 'by-number', orderId: 'elsewhere', ...other})
  expect(indexOf([byNumber, byId]).recordsOf(order()).records).toEqual([byId, byNumber])
})

test('a number with an order_id nobody knows is joined, and the disagreement is told', () => {
  const record = delivery({orderId: 'elsewhere'})
  const {records, disagreements} = indexOf([record], [order()]).recordsOf(order())
  expect(records).toEqual([record])
  expect(disagreements.join()).toContain(
    "its order_id elsewhere is not the order's platformOrderNo platform-1",
  )
})

test('a deposit and a payout of one number each get their own record', () => {
  const deposit = order()
  const payout = order({kind: 'payout', platformOrderNo: 'platform-2'})
  const ofDeposit = delivery({id: 'deposit'})
  const ofPayout = delivery({id: 'payout', orderId: 'platform-2'})
  const index = indexOf([ofPayout, ofDeposit], [deposit, payout])
  expect(index.recordsOf(deposit).records).toEqual([ofDeposit])
  expect(index.recordsOf(payout).records).toEqual([ofPayout])
})

test('a shared number with an order_id nobody knows belongs to nobody, and both are told', () => {
  const payout = order({kind: 'payout', platformOrderNo: 'platform-2'})
  const index = indexOf([delivery({id: 'stray', orderId: 'elsewhere'})], [order(), payout])
  for (const one of [order(), payout]) {
    const {records, disagreements} = index.recordsOf(one)
    expect(records).toEqual([])
    expect(disagreements.join()).toMatch(
      /^Delivery record stray carries its number, .* elsewhere is neither's/,
    )
  }
})

test("another known order's record is not taken, even where there is no other", () => {
  const payout = order({kind: 'payout', platformOrderNo: 'platform-2'})
  const index = indexOf([delivery({orderId: 'platform-2'})], [order(), payout])
  expect(index.recordsOf(order())).toEqual({records: [], disagreements: []})
})

test('a record of the number that is the record of an order with another number goes to that one', () => {
  const other = order({orderNo: 'D-2', platformOrderNo: 'platform-2'})
  const index = indexOf([delivery({orderId: 'platform-2'})], [order(), other])
  expect(index.recordsOf(order()).records).toEqual([])
  expect(index.recordsOf(other).records).toHaveLength(1)
})

test('a profile may join by order_id alone', () => {
  const index = indexOf([delivery({orderId: 'elsewhere'})], [], ['order_id'])
  expect(index.recordsOf(order()).records).toEqual([])
})

test('numbers compare byte for byte', () => {
  const index = indexOf([
    delivery({merchantOrderId: 'd-1', orderId: 'x'}),
    delivery({merchantOrderId: ' D-1', orderId: 'y'}),
  ])
  expect(index.recordsOf(order()).records).toEqual([])
})

test('what a disagreement quotes cannot drive a terminal', () => {
  const {disagreements} = indexOf([delivery({merchantOrderId: '\u001b[2J\u202eD-1'})]).recordsOf(order())
  expect(disagreements.join()).toContain('\\u{1b}[2J\\u{202e}D-1')
  expect(disagreements.join()).not.toMatch(/[\u001b\u202e]/)
})

test.each<[orderId: string, other: string, number: string, why: RegExp | null]>([
  ['platform-1', 'platform-1', 'D-1', null],
  ['platform-1', 'platform-1', 'd-1 ', null],
  ['platform-1', 'platform-1', '', null],
  ['platform-1', 'platform-2', 'D-2', null],
  ['platform-1', 'platform-1', 'D-2', /is also that of D-2/],
  ['', 'platform-1', 'D-2', /has no order_id/],
  [' ', 'platform-1', 'D-2', /has no order_id/],
])('the ID "%s" of a record, beside another record of "%s" and %s', (orderId, other, number, why) => {
  const said = whyNoOwnId(delivery({orderId}), [delivery({orderId: other, merchantOrderId: number})])
  if (why === null) expect(said).toBeNull()
  else expect(said).toMatch(why)
})
