import {parseInstant} from '../time.ts'

/**
 * The time in which an order without a row is missing from the ledger (docs/verdicts.md#the-window), in milliseconds,
 * both ends included.
 */
export interface Window {
  readonly fromMs: number
  readonly toMs: number
}

/** A window, or why there is none: then `missing_in_ledger` is not given, and the report says so. */
export type MaybeWindow =
  /** `isCut`: the list of delivery records does not reach back to its beginning. */
  ({readonly ok: true; readonly isCut?: boolean} & Window) | {readonly ok: false; readonly because: string}

/** `--since` and `--until` replace the ledger's own ends of the window. */
export function chooseWindow(
  ledger: MaybeWindow,
  sinceMs: number | null,
  untilMs: number | null,
): MaybeWindow {
  if (sinceMs === null && untilMs === null) return ledger
  const fromMs = sinceMs ?? (ledger.ok ? ledger.fromMs : null)
  // A person's bounds exclude the end: `--until 2026-11-21` ends with the 20th.
  const toMs =
    untilMs === null ? (ledger.ok && sinceMs === null ? ledger.toMs : Number.MAX_SAFE_INTEGER) : untilMs - 1
  if (fromMs !== null && fromMs > toMs) {
    const begins = sinceMs === null ? 'the first created_at of the ledger' : '--since'
    return {ok: false, because: `${begins} is not before --until`}
  }
  return {ok: true, fromMs: fromMs ?? 0, toMs}
}

export function isWithin(ms: number, {fromMs, toMs}: Window): boolean {
  return ms >= fromMs && ms <= toMs
}

/** The time of the month `2026-11` in a zone; null for other texts. */
export function monthWindow(text: string, timeZone: string): Window | null {
  const [, year = '', month = ''] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? []
  const after =
    month === '12' ? `${Number(year) + 1}-01` : `${year}-${String(Number(month) + 1).padStart(2, '0')}`
  const [fromMs, endMs] = [text, after].map((one) => parseInstant(`${one}-01`, timeZone))
  return year === '' || fromMs == null || endMs == null ? null : {fromMs, toMs: endMs - 1}
}
