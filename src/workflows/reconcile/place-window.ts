import {orderKinds} from '../../core/order.ts'
import {meetingOf, sinceLast, type WindowMeeting} from '../../core/reconcile/run-windows.ts'
import {chooseWindow, type MaybeWindow} from '../../core/reconcile/window.ts'
import type {OpenLedger} from './examine.ts'
import type {ReconcileOptions, ReconcilePorts} from './reconcile.ts'

/** The window of `missing_in_ledger`, and how it meets those of earlier runs whose ledger had the same kinds. */
export function placeWindow(
  {ledger, sheet}: OpenLedger,
  {kind, sinceMs, untilMs, sinceLastRun = false}: ReconcileOptions,
  {journal, runId}: Pick<ReconcilePorts, 'journal' | 'runId'>,
): {readonly window: MaybeWindow; readonly meetings: readonly WindowMeeting[]} {
  const kinds = orderKinds.filter((one) => one === kind || sheet.ledger.kinds.has(one))
  const seen = kinds.map((one) => ({kind: one, windows: journal.windowsSeen(one, runId)}))
  const chosen = chooseWindow(ledger.window, sinceMs, untilMs)
  const window = sinceLastRun
    ? sinceLast(
        chosen,
        seen.map(({windows}) => windows),
      )
    : chosen
  return {window, meetings: seen.map((one) => meetingOf(one.kind, window, one.windows))}
}
