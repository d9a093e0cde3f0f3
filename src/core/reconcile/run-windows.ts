import type {OrderKind} from '../order.ts'
import type {MaybeWindow, Window} from './window.ts'

/** In which an earlier run looked for missing orders of a kind; empty where it was to look from `fromMs` and did not. */
export interface RunWindow extends Window {
  readonly runId: string
  /** Start of its own ledger; missing where it was not kept. */
  readonly ledgerFromMs?: number | null
}

/** Compares the window of a run with those of earlier runs, for one kind. */
export interface WindowMeeting {
  readonly kind: OrderKind
  /** The one that reached farthest; null: no earlier run looked for missing orders of this kind. */
  readonly last: RunWindow | null
  /** The times before this window in which no run looked, since the first did; each with the run whose window ends there. */
  readonly gaps: readonly RunWindow[]
}

/**
 * The window, begun where the first time begins in which no run looked; it is never narrower for it. Reaches to now where
 * the ledger has none.
 */
export function sinceLast(window: MaybeWindow, seen: readonly (readonly RunWindow[])[]): MaybeWindow {
  const now = Number.MAX_SAFE_INTEGER
  const fromMs = Math.min(
    ...seen.flatMap((windows) => gapsBefore(windows, window.ok ? window.fromMs : now)[0]?.fromMs ?? []),
  )
  if (fromMs === Number.POSITIVE_INFINITY) return window
  if (!window.ok) return {ok: true, fromMs, toMs: now}
  return {...window, fromMs: Math.min(window.fromMs, fromMs)}
}

export function meetingOf(
  kind: OrderKind,
  window: MaybeWindow,
  windows: readonly RunWindow[],
): WindowMeeting {
  return {
    kind,
    last: farthest(windows.filter(isLookedAt)),
    gaps: window.ok ? gapsBefore(windows, window.fromMs) : [],
  }
}

function farthest(windows: readonly RunWindow[]): RunWindow | null {
  return windows.reduce<RunWindow | null>((far, one) => (far && far.toMs >= one.toMs ? far : one), null)
}

function isLookedAt({fromMs, toMs}: RunWindow): boolean {
  return toMs >= fromMs
}

/** Ledgers come in any order: what lies between two windows may be looked at later than what lies after them. */
function gapsBefore(windows: readonly RunWindow[], endMs: number): RunWindow[] {
  const gaps: RunWindow[] = []
  let reach = null as RunWindow | null
  for (const one of [...windows.toSorted((a, b) => a.fromMs - b.fromMs), null]) {
    const toMs = Math.min(one?.fromMs ?? endMs, endMs) - 1
    if (reach && toMs > reach.toMs) gaps.push({runId: reach.runId, fromMs: reach.toMs + 1, toMs})
    if (one && (!reach || one.toMs > reach.toMs)) reach = one
  }
  return gaps
}

/** A whole day's ledger may stand in as much. */
const dayMs = 24 * 60 * 60_000

/**
 * From when on ledgers that were given tell which orders are booked: the beginning of a run's own, or the end of the one
 * before where the two are neighbours: no ledger as long as theirs may stand between. What lies before it in a window that
 * was begun earlier, no ledger covers for certain.
 */
export function coveredFrom(own: MaybeWindow, windows: readonly RunWindow[]): number {
  if (!own.ok) return Number.POSITIVE_INFINITY
  const ledgers = windows.filter(isLookedAt).map(ledgerOf)
  const last = farthest(ledgers.filter(({fromMs}) => fromMs < own.fromMs))
  if (last === null || last.toMs >= own.fromMs) return own.fromMs
  const longestMs = Math.max(own.toMs - own.fromMs, last.toMs - last.fromMs)
  return own.fromMs - last.toMs < Math.min(longestMs, dayMs) ? last.toMs + 1 : own.fromMs
}

/**
 * The stretches before a run's own ledger for which none was read, since the first one: a whole day's ledger may stand
 * in each.
 */
export function unreadBefore(
  own: MaybeWindow,
  windows: readonly RunWindow[],
  ofOtherKinds: readonly RunWindow[],
): Window[] {
  if (!own.ok) return []
  // Ledgers of the other kind alone were read: this one is not the first there is.
  if (windows.length === 0 && ofOtherKinds.length > 0)
    return [{fromMs: own.fromMs - dayMs, toMs: own.fromMs - 1}]
  const gaps = gapsBefore(windows.map(ledgerOf), own.fromMs)
  return gaps.filter(({fromMs, toMs}) => toMs + 2 - fromMs >= dayMs)
}

/** The time of the ledger itself, which the window may have begun before. */
function ledgerOf(window: RunWindow): RunWindow {
  return {...window, fromMs: window.ledgerFromMs ?? window.fromMs}
}
