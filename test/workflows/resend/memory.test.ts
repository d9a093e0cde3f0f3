import {expect, test} from 'vitest'

import {openJournal} from '../../../src/journal/journal.ts'
import type {ResendRowState} from '../../../src/journal/rows.ts'
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
