import {openJournal} from '../../src/journal/journal.ts'
import type {SeenFinding} from '../../src/journal/memory-rows.ts'
import type {Scenario} from '../acceptance/scenario.ts'

/** No run that was killed. */
export const earlierRunId = 'the-earlier-run'

/** As if a run that was interrupted had found these deposits to differ in their amount, a day and a half ago. */
export async function rememberMismatches(
  {machine, service}: Scenario,
  orderNos: readonly string[],
): Promise<void> {
  const nowMs = Date.now() - 36 * 3_600_000
  const journal = openJournal(machine.dataDir, {environment: 'sandbox', merchantId: service.merchant.id})
  const seen = orderNos.map(
    (orderNo): SeenFinding => ({
      ...{kind: 'deposit', orderNo, verdict: 'amount_mismatch', cause: null},
      ...{severity: 'high', atRisk: 100n, orderedAtMs: null, snapshot: '[]'},
    }),
  )
  const id = earlierRunId
  await journal.startRun({id, command: 'reconcile', startedAtMs: nowMs, options: '{}', reportDir: null})
  await journal.recordRun({runId: id, nowMs, seen, closed: [], balances: [], totals: '{}', listMark: null})
  await journal.finishRun(id, {finishedAtMs: nowMs, status: 'interrupted', exitStatus: 130})
  await journal.close()
}
