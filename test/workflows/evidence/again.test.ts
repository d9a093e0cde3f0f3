import {expect, test} from 'vitest'

import type {Finding} from '../../../src/core/reconcile/finding.ts'
import {cutOff} from '../../../src/workflows/evidence/again.ts'
import {delivery} from '../../core/reconcile/sample.ts'
import {finding} from '../../report/sample.ts'

const cutoffMs = Date.UTC(2026, 10, 20, 18)
const earlier = cutoffMs - 1
const at = (ms: number) => delivery({createdAt: new Date(ms).toISOString()})

test.each<[what: string, of: Partial<Finding>, where: 'remaining' | 'vanished' | 'none', untimed: number]>([
  ['its row is of before', {orderedAtMs: earlier, delivery: null}, 'remaining', 0],
  ['its row is of then', {orderedAtMs: cutoffMs, delivery: null}, 'vanished', 0],
  ['its webhook is of before', {orderedAtMs: null, delivery: at(earlier)}, 'remaining', 0],
  ['its webhook is of then', {orderedAtMs: null, delivery: at(cutoffMs)}, 'vanished', 0],
  ['its webhook alone is of then', {orderedAtMs: earlier, delivery: at(cutoffMs)}, 'vanished', 0],
  ['its row alone is of then', {orderedAtMs: cutoffMs, delivery: at(earlier)}, 'vanished', 0],
  ['nothing says when it was', {orderedAtMs: null, delivery: null}, 'remaining', 1],
  ['it is no break', {orderedAtMs: null, delivery: null, action: 'none'}, 'none', 0],
])('what a cut-off leaves of a run: %s', (_, of, where, untimed) => {
  const {remaining, vanished, ...cut} = cutOff([finding({action: 'review', ...of})], cutoffMs)
  expect([remaining.length, vanished.length]).toEqual([
    where === 'remaining' ? 1 : 0,
    where === 'vanished' ? 1 : 0,
  ])
  expect(cut.untimed).toBe(untimed)
})
