import type {OrderKind} from '../order.ts'
import type {MaybeWindow, Window} from './window.ts'

/** The run whose window reached farthest, among earlier ones that looked for missing orders of a kind. */
export interface WindowEnd {
  readonly runId: string
  /** Inclusive. */
  readonly toMs: number
}

/** Whether a run's window begins where that of the last run ended, of one kind. */
export interface WindowMeeting {
  readonly kind: OrderKind
  /** Null: no earlier run looked for missing orders of this kind. */
  readonly last: WindowEnd | null
  /** The time in which no run looked; null where the windows meet, or there is none. */
  readonly between: Window | null
}

/** The window, begun where the last ones ended; it is never narrower for it. Reaches to now where the ledger has none. */
export function sinceLast(window: MaybeWindow, ends: readonly WindowEnd[]): MaybeWindow {
  if (ends.length === 0) return window
  const fromMs = Math.min(...ends.map(({toMs}) => toMs + 1))
  if (!window.ok) return {ok: true, fromMs, toMs: Number.MAX_SAFE_INTEGER}
  return {...window, fromMs: Math.min(window.fromMs, fromMs)}
}

export function meetingOf(kind: OrderKind, window: MaybeWindow, last: WindowEnd | null): WindowMeeting {
  const isApart = window.ok && last !== null && window.fromMs > last.toMs + 1
  return {kind, last, between: isApart ? {fromMs: last.toMs + 1, toMs: window.fromMs - 1} : null}
}
