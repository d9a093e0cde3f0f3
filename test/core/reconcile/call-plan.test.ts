import {expect, test} from 'vitest'

import {type CallPlanInput, planCalls} from '../../../src/core/reconcile/call-plan.ts'
import {callPlanLine, callPlanText} from '../../../src/report/plan-text.ts'

const night: CallPlanInput = {
  ...{orders: 500, final: 0, leftOpen: 0, notCompleted: 12, noWindowBecause: null, skipDeliveries: false},
  ...{isListOrdered: false, pagesLastTime: null, pagesReadLastTime: null, rate: null, rateLastTime: null},
}

test.each<[string, Partial<CallPlanInput>, string, [number, number | null, number | null], number | null]>([
  ['a first night takes the whole list, however long', {}, 'full-list', [501, null, null], null],
  [
    'the last run knows how long it was',
    {pagesLastTime: 40, rateLastTime: 100},
    'full-list',
    [501, null, 540],
    6,
  ],
  [
    'a list proven in order is read as far as the last time',
    {isListOrdered: true, pagesLastTime: 4_000, pagesReadLastTime: 7, rate: 10},
    'incremental-list',
    [501, null, 507],
    51,
  ],
  ['final orders are not queried', {final: 480, rate: 5}, 'full-list', [21, null, null], 5],
  ['orders left open are queried, too', {leftOpen: 26, rate: 5}, 'full-list', [527, null, null], 106],
  ['without a window: look-ups at most', {noWindowBecause: 'none'}, 'cheaper', [500, 513, null], null],
  ['or a short list', {noWindowBecause: 'none', pagesLastTime: 3}, 'cheaper', [500, 513, 503], null],
  ['nothing open and no window', {noWindowBecause: 'none', notCompleted: 0}, 'none', [500, 500, 500], null],
  ['--no-deliveries', {skipDeliveries: true, rate: 100}, 'none', [500, 500, 500], 5],
])('%s', (_what, change, way, [least, most, expected], seconds) => {
  const plan = planCalls({...night, ...change})
  expect(plan.records.way).toBe(way)
  expect(plan.calls).toEqual({least, most, expected})
  expect(plan.expectedSeconds).toBe(seconds)
  expect(plan.records.lookUpsMost).toBe(change.notCompleted ?? 12)
})

test.each([
  [null, null, null, null],
  [5, null, 5, 'flag'],
  [5, 7, 5, 'flag'],
  [null, 7, 7, 'last_run'],
])('with --rate %s, and %s a second in the last run', (rate, rateLastTime, ratePerSecond, rateFrom) => {
  expect(planCalls({...night, rate, rateLastTime})).toMatchObject({ratePerSecond, rateFrom})
})

test.each([
  [{}, 'Calls: 500 queries, then', 'queries  500, one for each order'],
  [
    {leftOpen: 26, orders: 1},
    'Calls: 27 queries (1 for the ledger, 26 for orders that earlier runs left open), then',
    'queries  27, 1 for the ledger, 26 for orders that earlier runs left open',
  ],
  [
    {leftOpen: 26, orders: 3, final: 3},
    'Calls: 26 queries (0 for the ledger, 26 for orders that earlier runs left open; 3 orders are final), then',
    'queries  26, 0 for the ledger, 26 for orders that earlier runs left open',
  ],
])('in words: %o', (change, line, queries) => {
  const plan = planCalls({...night, ...change})
  expect(callPlanLine(plan)).toContain(line)
  expect(callPlanLine(plan)).toContain('and its orders without a row.')
  expect(callPlanText(plan)).toContain(queries)
})
