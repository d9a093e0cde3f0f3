import {expect, test} from 'vitest'

import {ageDays, historyOf, type RememberedFinding} from '../../../src/core/reconcile/history.ts'
import {hadBookedRow, isHeldBack} from '../../../src/core/reconcile/snapshot.ts'
import {hourMs, nowMs} from './sample.ts'

const dayMs = 24 * hourMs

/** First seen by run-1 three days ago. */
const remembered: RememberedFinding = {
  ...{id: 1, kind: 'deposit', orderNo: 'D-1', verdict: 'amount_mismatch', cause: null, severity: 'high'},
  ...{atRisk: 1n, firstSeenMs: nowMs - 3 * dayMs, firstRunId: 'run-1', openedMs: nowMs - 3 * dayMs},
  ...{openedRunId: 'run-1', lastSeenMs: nowMs, lastRunId: 'run-1', closedMs: null, closedRunId: null},
  ...{closedBy: null, orderedAtMs: null},
  ...{snapshot: 'as it is', changedRunId: null},
}
const closedBy = (run: string) => ({...remembered, closedMs: nowMs - dayMs, closedRunId: run})

test.each<[what: string, before: RememberedFinding | null, runId: string, state: string, days: number]>([
  ['nobody saw it before', null, 'run-2', 'new', 0],
  ['an earlier process of this run saw it first', remembered, 'run-1', 'new', 3],
  ['an earlier run saw it', remembered, 'run-2', 'open', 3],
  ['something else was said of it', {...remembered, snapshot: 'as it was'}, 'run-2', 'changed', 3],
  ['an earlier version kept it, which knew less', {...remembered, snapshot: null}, 'run-2', 'open', 3],
  [
    'an earlier process of this run saw it change',
    {...remembered, changedRunId: 'run-2'},
    'run-2',
    'changed',
    3,
  ],
  ['it had delivered', closedBy('run-2'), 'run-3', 'reopened', 0],
  ['an earlier process of this run called it delivered', closedBy('run-2'), 'run-2', 'open', 3],
  ['a person closed it, and it is the same', {...closedBy('run-2'), closedBy: 'person'}, 'run-3', 'open', 3],
  [
    'a person closed it, and it is another',
    {...closedBy('run-2'), closedBy: 'person', snapshot: 'as it was'},
    'run-3',
    'reopened',
    0,
  ],
  [
    'an earlier process of this run opened it again',
    {...remembered, openedRunId: 'run-2'},
    'run-2',
    'reopened',
    3,
  ],
])('%s', (_what, before, runId, state, days) => {
  const history = historyOf(before, 'as it is', runId, nowMs)
  expect([history.state, ageDays(history.openedMs, nowMs)]).toEqual([state, days])
})

test('age is whole days, and never less than none', () => {
  expect([
    ageDays(nowMs - dayMs + 1, nowMs),
    ageDays(nowMs - dayMs, nowMs),
    ageDays(nowMs + 5, nowMs),
  ]).toEqual([0, 1, 0])
})

const rowsOf = (...rows: readonly (readonly (string | null)[])[]) =>
  JSON.stringify(rows.map((row) => JSON.stringify(row)))

test.each([
  ['missing_in_ledger', rowsOf([null, 'none', 'completed']), false],
  ['amount_mismatch', null, true],
  ['unreadable_row', rowsOf([null, 'review', 'open']), true],
  ['amount_mismatch', rowsOf([null, 'review', 'open']), false],
  ['duplicate_in_ledger', rowsOf([null, 'review', 'open'], [null, 'review', 'completed']), true],
] as const)('%s remembered as %s: a booked row is possible: %s', (verdict, snapshot, hadOne) => {
  expect(hadBookedRow({verdict, snapshot})).toBe(hadOne)
})

test.each([
  ['delivery_exhausted', 'review', null, true],
  ['delivery_stuck', 'review', null, true],
  ['delivered_not_booked', 'review', null, false],
  ['delivery_exhausted', 'resend', null, false],
  ['delivery_exhausted', 'review', nowMs, false],
  ['no_delivery_record', 'book r-1', null, true],
  ['no_delivery_record', 'review', null, false],
] as const)(
  '%s with the action %s, closed at %s: its resend was held back: %s',
  (cause, action, closedMs, isHeld) => {
    expect(isHeldBack({closedMs, snapshot: rowsOf([cause, action])})).toBe(isHeld)
  },
)
