import {expect, test} from 'vitest'

import {type CallPlanInput, planCalls} from '../../../src/core/reconcile/call-plan.ts'

const night: CallPlanInput = {
  ...{orders: 500, final: 0, notCompleted: 12, noWindowBecause: null, skipDeliveries: false},
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
