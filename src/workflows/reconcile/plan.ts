import {type CallPlan, planCalls} from '../../core/reconcile/call-plan.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {askedAfterClosingMs, countLeftOpen} from '../../core/reconcile/item.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import type {Journal} from '../../journal/journal.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import {readTotals} from '../../report/run-totals.ts'
import type {Staging} from '../../staging/staging.ts'
import {takeFinalOrders} from './final-orders.ts'
import {placeWindow} from './place-window.ts'
import type {ReconcileOptions, ReconcilePorts} from './types.ts'

/** The calls that a run would make, computed from ledger, journal and flags without any call. */
export async function planRun(
  ledger: Ledger,
  staging: Staging,
  options: ReconcileOptions,
  {
    profile,
    journal,
    runId,
    resumes,
    now,
  }: Pick<ReconcilePorts, 'profile' | 'journal' | 'runId' | 'resumes' | 'now'>,
): Promise<CallPlan> {
  const {window} = await placeWindow({ledger, staging}, options, {journal, runId})
  const skipFinal = options.skipFinal ?? false
  let finalCount = 0
  if (skipFinal || resumes) {
    const {hasAmounts: hasLedgerAmounts} = staging.ledger
    const of = {runId, skipFinal, hasLedgerAmounts, nowMs: now()}
    await takeFinalOrders(staging.ledger.all(), journal, profile, of, () => {
      finalCount += 1
    })
  }
  const nowMs = now()
  const items = await journal.openFindings(runId, nowMs - askedAfterClosingMs)
  return await planOf({staging, items, nowMs}, finalCount, window, options, journal, runId)
}

interface ToAsk {
  readonly staging: Pick<Staging, 'ledger'>
  /** The open ones, and what a person closed lately. */
  readonly items: readonly RememberedFinding[]
  readonly nowMs: number
}

export async function planOf(
  {staging, items, nowMs}: ToAsk,
  finalCount: number,
  window: MaybeWindow,
  options: ReconcileOptions,
  journal: Pick<Journal, 'lastTotals' | 'listMark'>,
  runId: string,
): Promise<CallPlan> {
  const last = readTotals((await journal.lastTotals(runId))?.totals ?? null)
  return planCalls({
    ...staging.ledger.count(),
    final: finalCount,
    leftOpen: countLeftOpen(items, (one) => staging.ledger.names(one), nowMs),
    noWindowBecause: window.ok ? null : window.because,
    skipDeliveries: options.skipDeliveries,
    isListOrdered: !options.wholeList && (await journal.listMark()) !== null,
    pagesLastTime: last?.records.pagesTotal ?? null,
    pagesReadLastTime: last?.records.pagesRead ?? null,
    rate: options.rate ?? null,
    rateLastTime: last?.queriesPerSecond ?? null,
  })
}
