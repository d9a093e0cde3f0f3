import type {OrderKind} from '../order.ts'
import type {MaybeWindow, Window} from './window.ts'

/** Where an earlier run looked for missing orders of a kind; empty if it should have from `fromMs` and did not. */
export interface RunWindow extends Window {
  readonly runId: string
  /** Start of its own ledger; absent if it was not kept. */
  readonly ledgerFromMs?: number | null
  /** From here on its ledger may lack rows of its day; else null. */
  readonly doubtedFromMs?: number | null
}

/** The window, extended back to the first uncovered time, never narrowed. Ends now if the ledger has no end. */
export function sinceLast(window: MaybeWindow, seen: readonly (readonly RunWindow[])[]): MaybeWindow {
  const now = Number.MAX_SAFE_INTEGER
  const fromMs = Math.min(
    ...seen.flatMap((windows) => gapsBefore(windows, window.ok ? window.fromMs : now)[0]?.fromMs ?? []),
  )
  if (fromMs === Number.POSITIVE_INFINITY) return window
  if (!window.ok) return {ok: true, fromMs, toMs: now}
  return {...window, fromMs: Math.min(window.fromMs, fromMs)}
}

/** How the window of a run relates to those of earlier runs, for one kind. */
export type WindowMeeting = ReturnType<typeof meetingOf>

export function meetingOf(kind: OrderKind, window: MaybeWindow, windows: readonly RunWindow[]) {
  return {
    kind,
    /** The one that reached farthest; null if there is none. */
    last: farthest(windows.filter(isLookedAt)),
    /** Times before this window that no run covered, each with the run whose window ends there. */
    gaps: window.ok ? gapsBefore(windows, window.fromMs) : [],
  }
}

function farthest(windows: readonly RunWindow[]): RunWindow | null {
  return windows.reduce<RunWindow | null>((far, one) => (far && far.toMs >= one.toMs ? far : one), null)
}

function isLookedAt({fromMs, toMs}: RunWindow): boolean {
  return toMs >= fromMs
}

/** Ledgers come in any order: a gap may be covered later than what follows it. */
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

/** A gap this long may hide a whole day's ledger. */
const dayMs = 24 * 60 * 60_000

/**
 * The time from which the given ledgers prove what is booked: the start of the run's own, or the end of the one
 * before if no ledger of their length fits in between. Earlier times of the window are not certainly covered.
 */
export function coveredFrom(own: MaybeWindow, windows: readonly RunWindow[]): number {
  if (!own.ok) return Number.POSITIVE_INFINITY
  const ledgers = windows.filter(isLookedAt).map(ledgerOf)
  const last = farthest(ledgers.filter(({fromMs}) => fromMs < own.fromMs))
  if (last === null || last.toMs >= own.fromMs || isDoubted(last)) return own.fromMs
  const longestMs = Math.max(own.toMs - own.fromMs, last.toMs - last.fromMs)
  return own.fromMs - last.toMs < Math.min(longestMs, dayMs) ? last.toMs + 1 : own.fromMs
}

/** A time without a ledger, and how long after it what stands in that ledger may have its record. */
export interface UnreadTime extends Window {
  readonly lateMs: number
}

/** An order may be made in the last minutes of a day, and paid after them. */
const midnightMs = 60 * 60_000

/**
 * Times before a run's own ledger without any ledger, since the first one: each may hide a whole day's ledger, or the
 * rest of one.
 */
export function unreadBefore(
  own: MaybeWindow,
  windows: readonly RunWindow[],
  ofOtherKinds: readonly RunWindow[],
): UnreadTime[] {
  if (!own.ok) return []
  // Only ledgers of the other kind were read: this one is not the first.
  if (windows.length === 0 && ofOtherKinds.length > 0)
    return [{fromMs: own.fromMs - dayMs, toMs: own.fromMs - 1, lateMs: dayMs}]
  const gaps = gapsBefore(windows.map(ledgerOf), own.fromMs)
  return gaps.flatMap((gap) => {
    if (gap.toMs + 2 - gap.fromMs >= dayMs) return {...gap, lateMs: dayMs}
    const before = windows.find(({runId}) => runId === gap.runId)
    return before && isDoubted(before) ? {...gap, lateMs: midnightMs} : []
  })
}

function isDoubted({doubtedFromMs}: RunWindow): boolean {
  return doubtedFromMs != null
}

/** The ledger's own time, which the window may exceed. */
function ledgerOf(window: RunWindow): RunWindow {
  return {...window, fromMs: window.ledgerFromMs ?? window.fromMs}
}
