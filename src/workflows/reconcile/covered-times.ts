import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import {coveredFrom, type RunWindow, type UnreadTime, unreadBefore} from '../../core/reconcile/run-windows.ts'
import type {MaybeWindow, Window} from '../../core/reconcile/window.ts'
import {formatMinute, parseInstant, startOfDay, startOfNextDay} from '../../core/time.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import type {UncoveredTime} from '../../ledger/window.ts'
import type {Deliveries} from './deliveries.ts'
import type {PlacedWindow} from './place-window.ts'

const dayMs = 24 * 60 * 60_000
/** A webhook books at once, but clocks differ, and an export may lack its first and last rows. */
const aroundMs = 60 * 60_000

/** If this many delivered orders have no row, and they outnumber the others, the merchant's server is not the cause. */
const partMin = 3

export interface CoveredTimesInput {
  /** Completed orders without a row. */
  readonly missing: readonly ServiceOrder[]
  readonly deliveries: Pick<Deliveries, 'completionsRead'>
  readonly rowTimes: Ledger['rowTimes']
  readonly uncovered: UncoveredTime | null
  readonly isOfCredits: boolean
  /** Its rows are shown to have the time of the booking, not of the order. */
  readonly areBookingTimes: () => boolean
  /** When the first row of a ledger of credits was made; null if unknown or if `--since` is given. */
  readonly firstBookedMs: number | null
  readonly nowMs: number
  readonly timeZone: string
  readonly includeMissing: boolean
}

/**
 * Decides whether an order without a row is of a time that no ledger covers, so that it may be booked there. A window
 * that begins before the ledger (`--since-last-run`) counts as a whole, and the time between first and last row may
 * have gaps.
 */
export class CoveredTimes {
  private readonly placed: PlacedWindow
  private readonly input: CoveredTimesInput
  /** What this ledger covers. Orders paid long after they were made count at the time of payment. */
  private readonly own: MaybeWindow
  /** The end of the day of its last row. */
  private readonly dayEndMs: number
  /** From this time on, this ledger and the earlier ones that it meets cover the window. */
  private readonly coveredFromMs = new Map<OrderKind, number>()
  /** Times for which no ledger was read. */
  private readonly unread = new Map<OrderKind, readonly UnreadTime[]>()
  /** Whether a ledger is missing between this one and earlier ones, as a delivered order of that time shows. */
  private readonly isStretchLost: boolean
  /** Numbers of orders without a row, delivered or not, by the gap between rows that they are in. */
  private readonly rowless = new Map<string, {delivered: number; others: number}>()
  /** The same for the whole window. */
  private readonly all = {delivered: 0, others: 0}

  constructor(placed: PlacedWindow, input: CoveredTimesInput) {
    this.placed = placed
    this.input = input
    const {own, seen} = placed
    this.own =
      own.ok && input.firstBookedMs !== null
        ? {...own, fromMs: Math.max(own.fromMs, Math.min(input.firstBookedMs, own.toMs))}
        : own
    const lastMs = Math.min(own.ok ? own.toMs : Number.POSITIVE_INFINITY, input.nowMs)
    this.dayEndMs = startOfNextDay(startOfDay(lastMs, input.timeZone), input.timeZone)
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
      const of = times.length > 0 ? times : this.timesOf(order)
      if (of.length === 0) continue
      this.all[times.length > 0 ? 'delivered' : 'others'] += 1
      for (const key of new Set(of.map((ms) => keyOf(this.stretchAt(ms))))) {
        const counts = this.rowless.get(key) ?? {delivered: 0, others: 0}
        counts[times.length > 0 ? 'delivered' : 'others'] += 1
        this.rowless.set(key, counts)
      }
    }
  }

  /** Why it is unknown whether the order is booked; null if a ledger would show it. */
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

  /** Whether what a webhook booked at `takenMs` is of a later day than this ledger of credits. */
  isOfLaterDay(takenMs: number): boolean {
    return this.input.isOfCredits && this.own.ok && takenMs >= this.dayEndMs
  }

  /** Whether what a webhook booked at `takenMs` would be in a row: this ledger, with those that it meets, covers the time around. */
  wouldShow(kind: OrderKind, takenMs: number): boolean {
    const {own, input} = this
    const {delivered, others} = this.all
    if (!input.isOfCredits || !own.ok || (delivered >= partMin && delivered > others)) return false
    const [fromMs, toMs] = [takenMs - aroundMs, takenMs + aroundMs]
    if (toMs > Math.min(own.toMs, input.nowMs, input.uncovered?.fromMs ?? own.toMs)) return false
    const isMet = ({toMs: endMs, ...one}: RunWindow) =>
      endMs + aroundMs >= own.fromMs && (one.ledgerFromMs ?? one.fromMs) <= fromMs
    if (own.fromMs > fromMs && !this.placed.seen.get(kind)?.some(isMet)) return false
    const stretch = this.stretchAt(takenMs)
    return (stretch === null || stretch.toMs - stretch.fromMs <= dayMs) && input.areBookingTimes()
  }

  /** Orders in the last rows of an unread ledger may be paid, and have their record, up to a day later. */
  private straddlerText({kind}: ServiceOrder, times: readonly number[]): string | null {
    const unread = this.unread
      .get(kind)
      ?.find(({toMs, lateMs}) => times.some((ms) => isOf(ms, {fromMs: toMs, toMs: toMs + lateMs})))
    if (!unread) return null
    if (this.placed.seen.get(kind)?.length === 0) {
      return this.input.includeMissing
        ? null
        : `It may not be missing: this is the first ledger of this merchant with a ${kind}, so the order may be booked in the last rows of the one before. Run that one first. If there is none, run again with --include-missing.`
    }
    return notCovered(
      `its record is of the day after ${this.span(unread)}, and no ledger of that time was read (a dry run does not count). It may be booked in its last rows`,
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
      // After an outage most orders were not delivered, so then this proves nothing.
      if (!isTaken && delivered > 1 && delivered >= others) {
        return notCovered(
          `${delivered} orders of the time from ${this.span(stretch)} were delivered and stand in no row either, so rows of that time may be missing`,
        )
      }
    }
    return null
  }

  /** The ledger of a single wallet or shop has rows at all hours, but lacks other orders. */
  private partText(isTaken: boolean): string | null {
    const {delivered, others} = this.all
    if (isTaken || delivered < partMin || delivered <= others) return null
    return `Not missing for certain: ${delivered} orders were delivered and stand in no row, so rows may be missing. Is this the whole ledger? Give all files of its time in one command; do not book it twice.`
  }

  /** The gap around `ms` between two rows, or a row and the end of the ledger; null if there is none. */
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

  /**
   * When the order's records were made; with `isTaken` only those of delivered webhooks. What was delivered on a later day than this
   * ledger's last is in a later one, so its row is not missing here.
   */
  private timesOf(order: ServiceOrder, isTaken = false): number[] {
    return this.input.deliveries
      .completionsRead(order)
      .filter(
        ({status, sentAt}) =>
          !isTaken || (status === 'success' && (parseInstant(sentAt ?? '') ?? 0) < this.dayEndMs),
      )
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

/** `toMs` is exclusive. */
function isOf(ms: number, {fromMs, toMs}: Window): boolean {
  return ms >= fromMs && ms < toMs
}
