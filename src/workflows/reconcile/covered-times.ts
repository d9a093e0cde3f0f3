import type {ServiceOrder} from '../../core/order.ts'
import type {Window} from '../../core/reconcile/window.ts'
import {formatMinute, parseInstant} from '../../core/time.ts'
import type {Deliveries} from './deliveries.ts'
import type {PlacedWindow} from './place-window.ts'

/**
 * Tells of an order that no row names whether it is of a time that no ledger covers: a window begun earlier than the
 * ledger (`--since-last-run`) is looked at whole, and what is booked there, this ledger does not show.
 */
export class CoveredTimes {
  private readonly placed: PlacedWindow
  private readonly deliveries: Pick<Deliveries, 'completionsRead'>
  private readonly timeZone: string
  /** A delivered order of the stretch between two neighbours, that stands in neither, proves that a ledger lacks there. */
  private readonly isStretchLost: boolean

  constructor(
    placed: PlacedWindow,
    missing: readonly ServiceOrder[],
    deliveries: Pick<Deliveries, 'completionsRead'>,
    timeZone: string,
  ) {
    this.placed = placed
    this.deliveries = deliveries
    this.timeZone = timeZone
    this.isStretchLost = missing.some((order) => {
      const stretch = {fromMs: this.coveredFrom(order), toMs: this.ownFromMs}
      return deliveries
        .completionsRead(order)
        .some(({status, createdAt}) => status === 'success' && isOf(createdAt, stretch))
    })
  }

  /** Why nobody knows whether it is booked, one sentence; null where a ledger would show it. */
  reasonAgainst(order: ServiceOrder): string | null {
    const {window} = this.placed
    if (!window.ok) return null
    const toMs = this.isStretchLost ? this.ownFromMs : this.coveredFrom(order)
    const records = this.deliveries.completionsRead(order)
    if (!records.some(({createdAt}) => isOf(createdAt, {fromMs: window.fromMs, toMs}))) return null
    const from = formatMinute(window.fromMs, this.timeZone)
    const to =
      toMs === Number.POSITIVE_INFINITY
        ? `${from} on: this one has no times`
        : `${from} to ${formatMinute(toMs, this.timeZone)}`
    return `Not missing for certain: no ledger was given that covers the time from ${to}, so it may be booked there. Run hisab with the ledger of that time; do not book it twice.`
  }

  private get ownFromMs(): number {
    const {own} = this.placed
    return own.ok ? own.fromMs : Number.POSITIVE_INFINITY
  }

  private coveredFrom({kind}: ServiceOrder): number {
    return this.placed.coveredFromMs.get(kind) ?? this.ownFromMs
  }
}

/** `toMs` itself is not part of it. */
function isOf(createdAt: string, {fromMs, toMs}: Window): boolean {
  const ms = parseInstant(createdAt) ?? 0
  return ms >= fromMs && ms < toMs
}
