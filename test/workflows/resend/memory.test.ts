import {expect, test} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import type {Finding} from '../../../src/core/reconcile/finding.ts'
import {openJournal} from '../../../src/journal/journal.ts'
import type {ResendRowState} from '../../../src/journal/rows.ts'
import {RunResends} from '../../../src/workflows/reconcile/memory.ts'
import {delivery} from '../../core/reconcile/sample.ts'
import {claimed, exhaustedDelivery, live, nightlyRun} from '../../journal/sample.ts'
import {tempDir} from '../../temp-dir.ts'

/** What the next run makes of a resend, by what the journal has of it; null: as if there had been none. */
const nextRun: readonly (readonly [moves: ResendRowState[], remembered: string | null])[] = [
  // The process was killed between the intent and its answer: nobody knows.
  [[], 'unknown'],
  [['unknown'], 'unknown'],
  [['accepted'], 'accepted'],
  [['accepted', 'delivered'], 'delivered'],
  [['accepted', 'still_failing'], 'still_failing'],
  [['unknown', 'refused'], 'refused'],
  [['not_sent'], null],
]

test.each(nextRun)('a resend that went %j is remembered as %s', async (moves, remembered) => {
  const journal = openJournal(tempDir(), live)
  await journal.startRun(nightlyRun)
  const id = await claimed(journal, exhaustedDelivery)
  for (const state of moves) await journal.recordResendOutcome(id, state, {})
  const {orderId, event, runId} = exhaustedDelivery
  expect((await journal.resendHistory()).earlier(orderId, event, 'run-2')?.state ?? null).toBe(remembered)
  expect((await journal.resendHistory()).earlier(orderId, event, runId)).toBeNull()
  await journal.close()
})

const {deliveryId, orderId, event, orderNo} = exhaustedDelivery
const its = delivery({id: deliveryId, orderId, event, merchantOrderId: orderNo ?? ''})

test.each<
  [what: string, moves: ResendRowState[], finding: Partial<Finding>, isWatched: boolean, state: string | null]
>([
  ['its record is read', ['accepted'], {delivery: its}, true, 'sent'],
  ['its record cannot be read', ['accepted'], {delivery: null}, true, 'sent'],
  [
    'another record of its order and event is read',
    ['accepted'],
    {delivery: {...its, id: 'd-2'}},
    false,
    'sent',
  ],
  [
    'a record of another event is read',
    ['accepted'],
    {delivery: {...its, event: 'order.failed'}},
    false,
    null,
  ],
  ['another order has no record', ['accepted'], {delivery: null, orderNo: 'D-2'}, false, null],
  ['a payout of its number has no record', ['accepted'], {delivery: null, kind: 'payout'}, false, null],
  ['nobody knows whether it was sent', [], {delivery: its}, true, 'unknown'],
  ['it was delivered', ['accepted', 'delivered'], {delivery: its}, false, 'delivered'],
  ['it never left', ['not_sent'], {delivery: its}, false, null],
])('a run that goes on, of a resend of its own: %s', async (_what, moves, change, isWatched, state) => {
  const journal = openJournal(tempDir(), live)
  await journal.startRun(nightlyRun)
  const id = await claimed(journal, exhaustedDelivery)
  for (const move of moves) await journal.recordResendOutcome(id, move, {})
  const resends = await RunResends.of(journal, nightlyRun.id)
  expect(resends.made).toBe(moves[0] === 'not_sent' ? 0 : 1)
  const finding = {
    ...{verdict: 'missing_completion', cause: 'recently_resent', action: 'wait', severity: 'none'},
    ...{kind: 'deposit', orderNo, service: null, resend: null, explanation: '', ledger: null},
    ...change,
  } as Finding
  expect(resends.pending([finding]).map((one) => one.deliveryId)).toEqual(isWatched ? [deliveryId] : [])
  expect(resends.restore(finding, 'Asia/Dhaka').resend?.state ?? null).toBe(state)
  const planned = resends.planned([{...finding, action: 'resend'}], defaultDialect)
  expect(planned).toHaveLength(finding.delivery !== null && state === null ? 1 : 0)
  await journal.close()
})

test('two findings with one record, or two records of one order and event, are resent once', async () => {
  const journal = openJournal(tempDir(), live)
  const resends = await RunResends.of(journal, nightlyRun.id)
  const finding = {
    action: 'resend',
    delivery: its,
    kind: 'deposit',
    orderNo,
    cause: 'delivery_exhausted',
    service: null,
  }
  const findings = [
    finding,
    {...finding, orderNo: 'D-2'},
    {...finding, delivery: {...its, id: 'd-2'}},
  ] as Finding[]
  expect(resends.planned(findings, defaultDialect).map(({orderNo: no}) => no)).toEqual([orderNo])
  await journal.close()
})
