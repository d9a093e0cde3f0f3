import {expect, test} from 'vitest'

import {closedForMs} from '../../src/core/reconcile/ignore.ts'
import {itemMovement} from '../../src/workflows/reconcile/item-movement.ts'

const found = {kind: 'deposit', verdict: 'missing_completion', cause: 'delivery_exhausted', severity: 'act'}

/** The run `run-2`: D-1 was open before, D-2 is new, D-3 was closed by a person, D-4 is open on both sides. */
test('the open items before a run and after it: what a person closed is none, and what was delivered is not at risk', async () => {
  const seen = (orderNo: string, more: object = {}) => ({
    ...found,
    orderNo,
    atRisk: 5n,
    snapshot: 's',
    ...more,
  })
  const opened = (orderNo: string, openedRunId: string, more: object = {}) =>
    seen(orderNo, {openedRunId, ...more})
  const ignore = (orderNo: string, more: object = {}) => ({
    ...{...found, orderNo, snapshot: 's', atMs: 1, expiresAtMs: closedForMs, removedAtMs: null},
    ...more,
  })
  const journal = {
    listIgnores: async () => [
      ignore('D-3'),
      ignore('D-5', {expiresAtMs: 9}),
      ignore('D-6', {snapshot: 'before'}),
    ],
    openFindings: async (runId: string) => [
      opened('D-1', 'run-1'),
      opened('D-2', runId),
      opened('D-4', 'run-1', {severity: 'none'}),
      opened('D-7', 'run-1', {cause: 'delivered'}),
      opened('D-9', 'run-1', {verdict: 'unreadable_row'}),
    ],
  }
  const movement = await itemMovement(
    'run-2',
    ['D-1', 'D-2', 'D-3', 'D-5', 'D-6']
      .map((orderNo) => seen(orderNo))
      .concat(seen('D-4', {severity: 'none'}), seen('D-9', {verdict: 'query_failed', atRisk: 7n})) as never,
    [opened('D-7', 'run-1', {cause: 'delivered'}), opened('D-8', 'run-1', {severity: 'none'})] as never,
    journal as never,
  )
  const keys = ({before, after}: typeof movement) =>
    [before, after].map((some) => some.find(({key}) => key.includes('D-9'))?.key)
  expect(new Set(keys(movement))).toEqual(new Set(['deposit\0D-9\0unreadable_row']))
  const shown = (items: typeof movement.before) =>
    items.map(({kind, key, atRisk}) => `${kind} ${key.split('\0')[1]} ${atRisk}`)
  expect([shown(movement.before), shown(movement.after)]).toEqual([
    ['deposit D-1 5', 'deposit D-7 0', 'deposit D-9 5'],
    ['deposit D-1 5', 'deposit D-2 5', 'deposit D-5 5', 'deposit D-6 5', 'deposit D-9 7', 'deposit D-7 0'],
  ])
})
