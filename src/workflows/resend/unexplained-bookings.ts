import {formatPaisa, type Paisa, parsePaisa} from '../../core/money.ts'
import {type OrderKind, orderKinds, type ServiceOrder} from '../../core/order.ts'
import {bareOrderNo} from '../../core/order-no-fold.ts'
import type {RememberedRow} from '../../journal/memory-rows.ts'
import {orderNoFault} from '../../ledger/order-no.ts'
import {isUnread, keysOfAmount, keysOfAnyOrder, type UnexplainedRow} from '../../staging/unexplained-rows.ts'

/** An order that is about to be resent, as far as it is known. */
export interface ResendCandidate extends Pick<ServiceOrder, 'orderNo' | 'platformOrderNo'> {
  readonly kinds: readonly OrderKind[]
  /** Whether `platformOrderNo` is what the service answered with; a delivery record's may be another's. */
  readonly isAnswered: boolean
  /** Missing where it was not queried. */
  readonly amount?: ServiceOrder['amount']
  /** When it was made, or its webhook was: a ledger which ends later may have it. Null where that is not known. */
  readonly sinceMs?: number | null
  /** What this ledger has of it; of an order of another time a row of its own proves nothing. */
  readonly inLedger?: 'own row' | 'no row' | 'of another time'
  /** The file of its row in this run. */
  readonly file?: number | null
  readonly playerRef?: string | null | undefined
}

/** A row of this run's ledger, or of another run's, that may be an order which somebody booked by hand. */
export type UnexplainedBooking = UnexplainedRow | RememberedRow

/** `how` it may be the order, for a sentence. */
export interface MayBeBooking {
  readonly row: UnexplainedBooking
  readonly how: string
}

export interface BookingPlaces {
  /** Whether this run reads several files: in one file no row counts by its amount alone. */
  readonly isSeveral: boolean
  /** Whether rows of this place count for the order by their amount alone. */
  readonly isElsewhere: (row: UnexplainedBooking, order: ResendCandidate) => boolean
  /** The status at the service of an order with the row's number; null if it shows none. */
  readonly statusOf: (order: {readonly kind: OrderKind; readonly orderNo: string}) => Promise<string | null>
}

/** The most that a fee or rounding changes: a twentieth of the amount, or 10.00 if that is more. */
const near = {share: 20n, least: 1_000n}

/** A bonus may raise a booking above its order by this part of the amount. */
const bonusMost = 5n
const clocksMs = 60 * 60_000
const ofPlayersMax = 100_000

/**
 * The one rule for rows that may be the booking of an order, whatever their number says: booked, or with a status that
 * cannot be read, and explained by no order of their own. Elsewhere a row counts by its amount, which a fee or rounding may
 * have changed if it is that of no other order. In the order's own file it counts by its player, with a fee or bonus, or as
 * a part of it. An amount that cannot be read may be any. A row whose kind or number cannot be read is no part of an order,
 * and one of an unreadable kind has its very amount: there are bonuses and withdrawals.
 */
export class UnexplainedBookings {
  private readonly byAmount = new Map<string, UnexplainedBooking[]>()
  private readonly byPlayer = new Map<string, UnexplainedRow[]>()
  /** Rows of this run that have the amount of no order, sorted by amount. */
  private readonly others: (readonly [amount: Paisa, row: UnexplainedRow])[] = []
  private readonly places: BookingPlaces
  private players = 0

  constructor(
    sources: readonly Iterable<UnexplainedBooking>[],
    orders: Iterable<Partial<ServiceOrder>>,
    places: BookingPlaces,
  ) {
    this.places = places
    const amounts = new Set(Array.from(orders, keyOf))
    for (const rows of sources) for (const row of rows) this.take(row, amounts)
    this.others.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
  }

  private take(row: UnexplainedBooking, ofOrders: ReadonlySet<string>): void {
    const isHere = !('runId' in row)
    const {isSeveral} = this.places
    if (!isHere || isSeveral) for (const key of keysOfAnyOrder(row)) add(this.byAmount, key, row)
    if (!isHere) return
    const {kind} = row
    const amount = amountOf(row)
    if (isSeveral && amount !== null && kind !== null && !ofOrders.has(keyOf({kind, amount})))
      this.others.push([amount, row])
    for (const player of this.players < ofPlayersMax ? (row.players?.split('\n') ?? []) : []) {
      this.players += 1
      add(this.byPlayer, bareOrderNo(player), row)
    }
  }

  /** The first row that may be the booking of this order. */
  async find(order: ResendCandidate): Promise<MayBeBooking | null> {
    for (const found of this.candidates(order)) if (!(await this.isOfItsOwn(found.row))) return found
    return null
  }

  private *candidates(order: ResendCandidate): Generator<MayBeBooking> {
    const {amount, kinds, playerRef, sinceMs = null} = order
    if (amount === undefined) return
    const isOfKind = ({kind}: UnexplainedBooking) => kind === null || kinds.includes(kind)
    const isElsewhere = (row: UnexplainedBooking) => isOfKind(row) && this.places.isElsewhere(row, order)
    for (const row of keysOfAmount(amount).flatMap((key) => this.byAmount.get(key) ?? []))
      if (isElsewhere(row)) yield {row, how: amountOf(row) === null ? unknownAmount : 'with its amount'}
    if (amount !== null)
      for (const [booked, row] of this.around(amount))
        if (isElsewhere(row)) yield {row, how: `with ${formatPaisa(booked)}, as after a fee or rounded`}
    for (const row of playerRef ? (this.byPlayer.get(bareOrderNo(playerRef)) ?? []) : []) {
      const latestMs = row.latestMs ?? row.createdMs
      const isSince = latestMs === undefined || sinceMs === null || latestMs >= sinceMs - clocksMs
      const booked = amountOf(row)
      if (!isOfKind(row) || !isSince || (amount !== null && !isPart(row, amount))) continue
      yield {row, how: `${booked === null ? unknownAmount : `with ${formatPaisa(booked)}`} for its player`}
    }
  }

  private *around(amount: Paisa): Generator<readonly [Paisa, UnexplainedRow]> {
    const {others} = this
    const reach = reachOf(amount)
    let [from, to] = [0, others.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((others[middle]?.[0] ?? 0n) < amount - reach) from = middle + 1
      else to = middle
    }
    for (let one = others[from]; one && one[0] <= amount + reach; one = others[++from]) yield one
  }

  /** A row that cannot be read was not queried, or got no answer. Its own order explains it: if it is booked, a paid one. */
  private async isOfItsOwn(row: UnexplainedBooking): Promise<boolean> {
    const {kind, orderNo, isBooked} = row
    const isRead = kind !== null && isBooked && amountOf(row) !== null
    if (isRead || orderNo === '' || orderNoFault(orderNo) !== null) return false
    for (const one of kind === null ? orderKinds : [kind]) {
      const status = await this.places.statusOf({kind: one, orderNo})
      if (status === 'completed' || (status !== null && !isBooked)) return true
    }
    return false
  }
}

const unknownAmount = 'with an amount that cannot be read'

function isPart(row: UnexplainedRow, amount: Paisa): boolean {
  const booked = amountOf(row)
  if (booked === null) {
    const keys = keysOfAnyOrder(row)
    return keysOfAmount(amount).some((key) => keys.includes(key))
  }
  if (row.kind === null) return booked === amount
  const least = row.isBooked ? 0n : amount - reachOf(amount)
  return booked >= least && booked <= amount + amount / bonusMost
}

function keyOf({kind, amount}: Partial<ServiceOrder>): string {
  return `${kind} ${amount}`
}

function reachOf(amount: Paisa): Paisa {
  const share = amount / near.share
  return share > near.least ? share : near.least
}

/** Null if it cannot be read, or is one of several. */
function amountOf({anyOrder}: UnexplainedBooking): Paisa | null {
  return anyOrder?.amount == null || isUnread(anyOrder.amount) ? null : parsePaisa(anyOrder.amount)
}

function add<Row>(index: Map<string, Row[]>, key: string, row: Row): void {
  const same = index.get(key)
  if (same) same.push(row)
  else index.set(key, [row])
}
