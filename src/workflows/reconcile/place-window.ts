import {type OrderKind, orderKinds} from '../../core/order.ts'
import {meetingOf, type RunWindow, sinceLast, type WindowMeeting} from '../../core/reconcile/run-windows.ts'
import {chooseWindow, type MaybeWindow} from '../../core/reconcile/window.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import type {Staging} from '../../staging/staging.ts'
import type {ReconcileOptions, ReconcilePorts} from './types.ts'

/** A ledger after reading, and the staging store with its rows. */
export interface OpenLedger {
  readonly ledger: Ledger
  readonly staging: Staging
}

/** The window of `missing_in_ledger`. */
export interface PlacedWindow {
  readonly window: MaybeWindow
  /** How it relates to the windows of earlier runs with the same kinds. */
  readonly meetings: readonly WindowMeeting[]
  /** The windows of earlier runs, by kind. */
  readonly seen: ReadonlyMap<OrderKind, readonly RunWindow[]>
  /** What this ledger itself covers. */
  readonly own: MaybeWindow
  /** Whether this ledger covers the whole time of an earlier run's ledger with orders of that kind. */
  readonly isGivenAgain: (kind: OrderKind, runId: string) => boolean
}

export async function placeWindow(
  {ledger, staging}: OpenLedger,
  {kind, sinceMs, untilMs, sinceLastRun = false}: ReconcileOptions,
  {journal, runId}: Pick<ReconcilePorts, 'journal' | 'runId'>,
): Promise<PlacedWindow> {
  const stated = orderKinds.filter((one) => one === kind || staging.ledger.kinds.has(one))
  // The kind of a ledger without rows is unknown.
  const kinds = stated.length > 0 ? stated : orderKinds
  const all: {kind: OrderKind; windows: readonly RunWindow[]}[] = []
  for (const one of orderKinds) all.push({kind: one, windows: await journal.windowsSeen(one, runId)})
  const seen = all.filter((one) => kinds.includes(one.kind))
  const chosen = chooseWindow(ledger.window, sinceMs, untilMs)
  const window = sinceLastRun
    ? sinceLast(
        chosen,
        seen.map(({windows}) => windows),
      )
    : chosen
  return {
    window,
    meetings: seen.map((one) => meetingOf(one.kind, window, one.windows)),
    seen: new Map(all.map((one) => [one.kind, one.windows])),
    own: chosen,
    isGivenAgain: (kind, earlierRunId) => {
      const windows = all.flatMap((one) => (one.kind === kind ? one.windows : []))
      const theirs = windows.find((one) => one.runId === earlierRunId)
      if (!theirs || !chosen.ok) return false
      return chosen.fromMs <= (theirs.ledgerFromMs ?? theirs.fromMs) && chosen.toMs >= theirs.toMs
    },
  }
}
