import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import {coveredFrom, unreadBefore} from '../../core/reconcile/run-windows.ts'
import type {MaybeWindow, Window} from '../../core/reconcile/window.ts'
import {formatMinute, parseInstant} from '../../core/time.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import type {Deliveries} from './deliveries.ts'
import type {PlacedWindow} from './place-window.ts'

const dayMs = 24 * 60 * 60_000

/** So many delivered orders in no row, and more than were not delivered, are no defect of the merchant's server. */
const partMin = 3

export interface CoveredTimesInput {
  /** Completed orders that no row names. */
  readonly missing: readonly ServiceOrder[]
  readonly deliveries: Pick<Deliveries, 'completionsRead'>
  readonly rowTimes: Ledger['rowTimes']
  readonly uncovered: Ledger['uncovered']
  /** When the first row of a ledger of credits was made, where that is known and `--since` is not given. */
  readonly firstBookedMs: number | null
  readonly nowMs: number
  readonly timeZone: string
  readonly includeMissing: boolean
}

/**
 * Tells of an order that no row names whether it is of a time that no ledger covers: what is booked there, this ledger does
 * not show. A window begun earlier than the ledger (`--since-last-run`) is looked at whole; and from the first row to the
 * last is not all covered.
 */
export class CoveredTimes {
  private readonly placed: PlacedWindow
  private readonly input: CoveredTimesInput
  /** What this ledger covers: an order paid long after it was made was booked when it was paid. */
  private readonly own: MaybeWindow
  /** From when on this ledger, or an earlier one it meets, covers the window. */
  private readonly coveredFromMs = new Map<OrderKind, number>()
  /** For which no ledger was read. */
  private readonly unread = new Map<OrderKind, readonly Window[]>()
  /** A delivered order between two neighbours that neither has shows that a ledger is missing there. */
  private readonly isStretchLost: boolean
  /** Orders without a row, delivered and not, by the gap between two rows they belong to. */
  private readonly rowless = new Map<string, {delivered: number; others: number}>()
  /** Those of the whole window. */
  private readonly all = {delivered: 0, others: 0}

  constructor(placed: PlacedWindow, input: CoveredTimesInput) {
    this.placed = placed
    this.input = input
    const {own, seen} = placed
    this.own =
      own.ok && input.firstBookedMs !== null
        ? {...own, fromMs: Math.max(own.fromMs, Math.min(input.firstBookedMs, own.toMs))}
        : own
    for (const [kind, windows] of seen) {
      this.coveredFromMs.set(kind, coveredFrom(this.own, windows))
      const others = [...seen].flatMap(([other, theirs]) => (other === kind ? [] : theirs))
      this.unread.set(kind, unreadBefore(this.own, windows, others))
    }
    const taken = input.missing.map((order) => ({order, times: this.timesOf(order, true)}))
    this.isStretchLost = taken.some(({order, times}) =>
      times.some((ms) => isOf(ms, {fromMs: this.coveredFrom(order), toMs: this.ownFromMs})),
    )
    for (const {order, times} of taken) {
      this.all[times.length > 0 ? 'delivered' : 'others'] += 1
      const of = times.length > 0 ? times : this.timesOf(order)
      for (const key of new Set(of.map((ms) => keyOf(this.stretchAt(ms))))) {
        const counts = this.rowless.get(key) ?? {delivered: 0, others: 0}
        counts[times.length > 0 ? 'delivered' : 'others'] += 1
        this.rowless.set(key, counts)
      }
    }
  }

  /** Why it is unknown whether it is booked; null where a ledger would show it. */
  reasonAgainst(order: ServiceOrder): string | null {
    const {window} = this.placed
    if (!window.ok) return null
    const times = this.timesOf(order)
    const {uncovered} = this.input
    if (uncovered && times.some((ms) => ms >= uncovered.fromMs)) return notCovered(uncovered.because)
    const toMs = this.isStretchLost ? this.ownFromMs : this.coveredFrom(order)
    if (times.some((ms) => isOf(ms, {fromMs: window.fromMs, toMs}))) {
      const from = this.minute(window.fromMs)
      const to =
        toMs === Number.POSITIVE_INFINITY
          ? `${from} on: this one has no times`
          : `${from} to ${this.minute(toMs)}`
      return notCovered(`no ledger covers the time from ${to}, so it may be booked there`)
    }
    const isTaken = this.timesOf(order, true).length > 0
    return this.straddlerText(order, times) ?? this.rowlessText(times, isTaken) ?? this.partText(isTaken)
  }

  /** An order of an unread ledger's last rows is paid, and has its record, up to a day later. */
  private straddlerText({kind}: ServiceOrder, times: readonly number[]): string | null {
    const unread = this.unread
      .get(kind)
      ?.find(({toMs}) => times.some((ms) => isOf(ms, {fromMs: toMs, toMs: toMs + dayMs})))
    if (!unread) return null
    if (this.placed.seen.get(kind)?.length === 0) {
      return this.input.includeMissing
        ? null
        : `It may not be missing: this is the first ledger of this merchant with a ${kind}, so the order may be booked in the last rows of the one before. Run that one first. If there is none, run again with --include-missing.`
    }
    return notCovered(
      `its record is of the day after ${this.span(unread)}, and no ledger of that time was read. It may be booked in its last rows`,
    )
  }

  private rowlessText(times: readonly number[], isTaken: boolean): string | null {
    for (const ms of times) {
      const stretch = this.stretchAt(ms)
      if (!stretch) continue
      if (stretch.toMs - stretch.fromMs > dayMs) {
        return notCovered(
          `the ledger has no row from ${this.span(stretch)}. The order may be booked in another ledger of that time`,
        )
      }
      const {delivered, others} = this.rowless.get(keyOf(stretch)) ?? {delivered: 0, others: 0}
      // After an outage most were not delivered.
      if (!isTaken && delivered > 1 && delivered >= others) {
        return notCovered(
          `${delivered} orders of the time from ${this.span(stretch)} were delivered and stand in no row either, so rows of that time may be missing`,
        )
      }
    }
    return null
  }

  /** The ledger of one wallet or shop has rows of all hours, and lacks the orders of the others. */
  private partText(isTaken: boolean): string | null {
    const {delivered, others} = this.all
    if (isTaken || delivered < partMin || delivered <= others) return null
    return `Not missing for certain: ${delivered} orders were delivered and stand in no row, so rows may be missing. Is this the whole ledger? Give all files of its time in one command; do not book it twice.`
  }

  /** Between two neighbouring rows of this ledger, or a row and the end of its time; null where it is not of a time between. */
  private stretchAt(ms: number): Window | null {
    const {own} = this.placed
    if (!own.ok || ms < own.fromMs || ms > own.toMs) return null
    const rows = this.input.rowTimes.stretchAt(ms)
    return (
      rows && {
        fromMs: rows.afterMs ?? own.fromMs,
        toMs: rows.beforeMs ?? Math.min(own.toMs, this.input.nowMs),
      }
    )
  }

  /** When the order's records were made; those of webhooks that were taken alone, where it is asked for them. */
  private timesOf(order: ServiceOrder, isTaken = false): number[] {
    return this.input.deliveries
      .completionsRead(order)
      .filter(({status}) => !isTaken || status === 'success')
      .map(({createdAt}) => parseInstant(createdAt) ?? 0)
  }

  private get ownFromMs(): number {
    return this.own.ok ? this.own.fromMs : Number.POSITIVE_INFINITY
  }

  private coveredFrom({kind}: ServiceOrder): number {
    return this.coveredFromMs.get(kind) ?? this.ownFromMs
  }

  private span({fromMs, toMs}: Window): string {
    return `${this.minute(fromMs)} to ${this.minute(toMs)}`
  }

  private minute(ms: number): string {
    return formatMinute(ms, this.input.timeZone)
  }
}

function notCovered(why: string): string {
  return `It may not be missing: ${why}. Run hisab with the ledger of that time. Do not book it twice.`
}

function keyOf(stretch: Window | null): string {
  return stretch ? `${stretch.fromMs} ${stretch.toMs}` : ''
}

/** `toMs` itself is not part of it. */
function isOf(ms: number, {fromMs, toMs}: Window): boolean {
  return ms >= fromMs && ms < toMs
}
