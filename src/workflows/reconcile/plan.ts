import {type CallPlan, planCalls} from '../../core/reconcile/call-plan.ts'
import {LedgerOrders} from '../../core/reconcile/orders.ts'
import {chooseWindow, type MaybeWindow} from '../../core/reconcile/window.ts'
import type {Journal} from '../../journal/journal.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import {readTotals} from '../../report/run-totals.ts'
import type {ReconcileOptions, ReconcilePorts} from './reconcile.ts'
import {takeSettled} from './settled.ts'

/** The calls a run would make, without making one: from the ledger, the journal and the flags alone. */
export function planRun(
  ledger: Ledger,
  options: ReconcileOptions,
  {profile, journal, runId, resumes}: Pick<ReconcilePorts, 'profile' | 'journal' | 'runId' | 'resumes'>,
): CallPlan {
  const orders = new LedgerOrders(ledger.entries, ledger.unreadable, options.kind)
  const window = chooseWindow(ledger.window, options.sinceMs, options.untilMs)
  const skipSettled = options.skipSettled ?? false
  const settled =
    skipSettled || resumes ? takeSettled(orders.all, journal, profile, {runId, skipSettled}).sides.size : 0
  return planOf(orders, settled, window, options, journal, runId)
}

export function planOf(
  orders: LedgerOrders,
  settled: number,
  window: MaybeWindow,
  options: ReconcileOptions,
  journal: Pick<Journal, 'lastTotals' | 'listMark'>,
  runId: string,
): CallPlan {
  const last = readTotals(journal.lastTotals(runId)?.totals ?? null)
  return planCalls({
    orders: orders.all.length,
    settled,
    notCompleted: orders.all.filter(({entries}) => entries[0]?.status !== 'completed').length,
    noWindowBecause: window.ok ? null : window.because,
    skipDeliveries: options.skipDeliveries,
    isListOrdered: !options.wholeList && journal.listMark() !== null,
    pagesLastTime: last?.records.pagesTotal ?? null,
    pagesReadLastTime: last?.records.pagesRead ?? null,
    rate: options.rate ?? null,
    rateLastTime: last?.queriesPerSecond ?? null,
  })
}
