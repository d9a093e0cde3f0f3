import {expect, test} from 'vitest'

import type {Delivery} from '../../src/core/order.ts'
import type {Window} from '../../src/core/reconcile/window.ts'
import type {Records} from '../../src/staging/records.ts'
import {
  completionsOfOthers,
  whyOdd,
  whyOddOfNobody,
  whyOfNoOrder,
} from '../../src/workflows/reconcile/record-facts.ts'
import {delivery, hourMs, nowMs, order} from '../core/reconcile/sample.ts'

const window = {ok: true, fromMs: nowMs - 10 * hourMs, toMs: nowMs - hourMs} as const
type Odd = ReturnType<Records['allOdd']>[number]
/** A failed completion without an order, of the window. */
const odd = (change: Partial<Odd> = {}): Odd => ({
  ...{id: 'odd-1', why: 'it names no order', event: 'order.completed', status: 'failed', orderId: null},
  ...{merchantOrderId: null, createdMs: nowMs - 2 * hourMs},
  ...change,
})
const recordsOf = (known: Partial<Records>) => known as Records
const named = /^1 record is not as documented: odd-1 \(it names no order\)/

test.each<[what: string, change: Partial<Odd>, ofWindow: boolean, whereOneIsUnread: boolean]>([
  ['a completion', {}, true, true],
  ['a record of no event', {event: null}, true, true],
  ['a completion in other letters', {event: ' Order.COMPLETED '}, true, true],
  ['another event', {event: 'order.created'}, false, false],
  ['a completion that was taken', {status: 'success'}, false, true],
  ['at the start of the window', {createdMs: window.fromMs}, true, true],
  ['just before it', {createdMs: window.fromMs - 1}, false, true],
  ['at the end of the window', {createdMs: window.toMs}, true, true],
  ['just after it', {createdMs: window.toMs + 1}, false, true],
  ['of no time', {createdMs: null}, true, true],
])(
  'a record without an order may be one that is missing: %s',
  (_what, change, ofWindow, whereOneIsUnread) => {
    const records = recordsOf({oddOfNobody: () => [odd(change)]})
    const told = (isTold: boolean) =>
      isTold ? expect.stringMatching(/; whose it is nobody can tell$/) : null
    expect(whyOddOfNobody(records, window, false)).toEqual(told(ofWindow))
    expect(whyOddOfNobody(records, window, true)).toEqual(told(whereOneIsUnread))
    const none = {ok: false, because: 'no row has a time'} as const
    expect(whyOddOfNobody(records, none, false) === null).toBe(
      change.status === 'success' || change.event === 'order.created',
    )
  },
)

test('two of them are told together', () => {
  const records = recordsOf({oddOfNobody: () => [odd(), odd({id: 'odd-2'})]})
  expect(whyOddOfNobody(records, window, false)).toMatch(/odd-1 .* odd-2 .*; whose they are nobody can tell$/)
})

test.each<[what: string, own: Odd[], newest: Delivery | null, nobodys: Odd[], why: RegExp | null]>([
  ['all is well', [], delivery(), [], null],
  ['it has none', [], null, [], null],
  ['its own is malformed', [odd()], delivery(), [], named],
  ['its own, and another', [odd()], null, [odd({id: 'odd-2'})], /odd-1 \(it names no order\)$/],
  ['it has one, and a malformed one is nobody’s', [], delivery(), [odd()], null],
  ['it has none, and a malformed one is nobody’s', [], null, [odd()], /\); it may be this order's$/],
  ['it has none, and one of another event is nobody’s', [], null, [odd({event: 'order.created'})], null],
  [
    'it has none, and one that was taken is nobody’s',
    [],
    null,
    [odd({status: 'success'})],
    /may be this order's$/,
  ],
])('whether malformed records leave an order undecided: %s', (_what, own, newest, nobodys, why) => {
  const joined = {oddOf: () => own} as unknown as Parameters<typeof whyOdd>[0]
  const told = whyOdd(joined, recordsOf({oddOfNobody: () => nobodys}), order(), newest)
  expect(told).toEqual(why === null ? null : expect.stringMatching(why))
})

test('the completions of others are those that are well and those that name an order at least', () => {
  const asked: unknown[] = []
  const records = recordsOf({
    *ofUnknownOrders(event, span) {
      asked.push([event, span])
      yield delivery({orderId: 'p-1', merchantOrderId: 'D-1', status: 'success'})
      yield delivery({orderId: 'p-2', merchantOrderId: 'D-2', status: 'failed'})
    },
    oddOfUnknownOrders: (event, span) => {
      asked.push([event, span])
      return [
        odd({orderId: null, merchantOrderId: 'D-3', status: 'success'}),
        odd({orderId: 'p-4', merchantOrderId: 'D-4'}),
        odd({orderId: 'p-5', merchantOrderId: null}),
      ]
    },
  })
  expect([...completionsOfOthers(records, window)]).toEqual([
    {orderId: 'p-1', merchantOrderId: 'D-1', isTaken: true},
    {orderId: 'p-2', merchantOrderId: 'D-2', isTaken: false},
    {orderId: '', merchantOrderId: 'D-3', isTaken: true},
    {orderId: 'p-4', merchantOrderId: 'D-4', isTaken: false},
  ])
  expect(asked).toEqual([
    ['order.completed', window],
    ['order.completed', window],
  ])
})

const dayMs = 24 * hourMs
test.each<[what: string, times: number[], status: Delivery['status'], why: RegExp | null]>([
  ['a time of this year', [nowMs - hourMs], 'failed', null],
  ['of 2014, its last millisecond', [Date.UTC(2015, 0) - 1], 'failed', /2014-12-31T23:59:59.999Z: whether/],
  ['of 2014, taken', [Date.UTC(2014, 5)], 'success', null],
  ['of tomorrow', [nowMs + dayMs - 1], 'failed', null],
  [
    'of the day after',
    [nowMs + dayMs + 1],
    'pending',
    /has the time 2026-11-21T12:00:00.001Z: whether its order/,
  ],
  [
    'two of them',
    [Date.UTC(2000, 0), nowMs + 2 * dayMs],
    'failed',
    /2000-01-01T00:00:00.000Z, and 1 more: whether/,
  ],
])('a completion with an impossible time: %s', (_what, times, status, why) => {
  const all = times.map((ms) => delivery({id: 'r-1', status, createdAt: new Date(ms).toISOString()}))
  const records = recordsOf({
    ofTwoOrders: () => [],
    *ofUnknownOrders(_event: string | null, {fromMs, toMs}: Window) {
      for (const one of all) {
        const ms = Date.parse(one.createdAt)
        if (ms >= fromMs && ms <= toMs) yield one
      }
    },
  })
  expect(whyOfNoOrder(records, window, nowMs)).toEqual(why === null ? [] : [expect.stringMatching(why)])
})

test.each([
  [1, /^delivery records have .*: r-1 \(D-1\)\. The unknown order/],
  [5, /: r-1 \(D-1\), .*, r-5 \(D-5\)\. The unknown/],
  [6, /: r-1 \(D-1\), .*, r-5 \(D-5\) and more\. The unknown/],
])('%d records that name two orders', (count, why) => {
  const found = Array.from({length: count}, (_, n) => ({id: `r-${n + 1}`, orderNo: `D-${n + 1}`}))
  const records = recordsOf({ofTwoOrders: () => found, *ofUnknownOrders() {}})
  expect(whyOfNoOrder(records, window, nowMs)).toEqual([expect.stringMatching(why)])
})
