import {feeMax, formatPaisa, type Paisa, parsePaisa} from '../../core/money.ts'
import {type OrderKind, orderKinds, type ServiceOrder} from '../../core/order.ts'
import {bareOrderNo, foldOrderNo} from '../../core/order-no-fold.ts'
import {playerName} from '../../core/player-name.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {RememberedRow} from '../../journal/memory-rows.ts'
import {orderNoFault} from '../../ledger/order-no.ts'
import {quoteCell} from '../../ledger/quotation.ts'
import {
  isUnread,
  keysOfAmount,
  keysOfAnyOrder,
  placeOf,
  type UnexplainedRow,
} from '../../staging/unexplained-rows.ts'

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
  /** Asks for the player where neither a row nor the answer has one: the webhook has. */
  readonly askPlayer?: () => Promise<string | undefined>
}

/** A row of this run's ledger, or of another run's, that may be an order which somebody booked by hand. */
export type UnexplainedBooking = UnexplainedRow | RememberedRow

/** `how` it may be the order, for a sentence. */
export interface MayBeBooking {
  readonly row: UnexplainedBooking
  readonly how: string
}

export interface BookingPlaces {
  /** Whether this run reads several files: in one file a row of nearly an amount does not count without a player or a number. */
  readonly isSeveral: boolean
  /** Whether rows of this place count for the order by their amount alone, `isExact` if it is the very one, and those of another run at all. */
  readonly isElsewhere: (row: UnexplainedBooking, order: ResendCandidate, isExact: boolean) => boolean
  /** The status at the service of an order with the row's number; null if it shows none. */
  readonly statusOf: (order: {readonly kind: OrderKind; readonly orderNo: string}) => Promise<string | null>
  /** By which rows of other runs name their players. */
  readonly digest: (player: string) => string
}

/** An order that may be sent: one row may book it together with others of its player, or with all of its kind. */
export type LostOrder = Partial<Pick<ServiceOrder, 'kind' | 'orderNo' | 'amount' | 'playerRef'>>

/** Of more than a few other orders of one player, one may be booked with it, or all. */
const addedMax = {few: 6, many: 1_000}
/** Shorter numbers are alike by chance: D-1 and D-11. */
const typedMin = 6
const clocksMs = 60 * 60_000
const ofPlayersMax = 100_000
/** A ledger with more rows that the service does not know is hardly its own. */
const numberedMax = 2_000

/**
 * The one rule for rows of this run and of others that may be the booking of an order, whatever their number says: booked, or with
 * a status that cannot be read, and explained by no order of their own. Elsewhere a row counts by its amount, which a fee or
 * rounding may have changed if it is that of no other order, and which may be that of several orders of one player. Everywhere it
 * counts by its very amount unless it is another player's, by its player, of any amount, by nearly its number, or by the amount of all lost orders together. An
 * amount that cannot be read may be any. A row whose kind or number cannot be read is no part of an order, and one of an
 * unreadable kind has its very amount: there are bonuses and withdrawals.
 */
export class UnexplainedBookings {
  private readonly byAmount = new Map<string, UnexplainedBooking[]>()
  private readonly byPlayer = new Map<string, UnexplainedBooking[]>()
  /** Rows that have the amount of no order, sorted by amount. */
  private readonly others: (readonly [amount: Paisa, row: UnexplainedBooking])[] = []
  /** By the folds of their numbers, which may be mistyped. */
  private readonly numbered: (readonly [fold: string, row: UnexplainedBooking])[] = []
  /** Booked rows whose own orders are not paid, by kind and amount. */
  private readonly unpaid = new Map<string, UnexplainedRow[]>()
  private readonly lost = new Map<string, LostOrder>()
  private readonly lostOfPlayer = new Map<string, LostOrder[]>()
  /** Of all lost orders of a kind; none where there is only one. */
  private readonly totals = new Map<OrderKind, Paisa>()
  private readonly places: BookingPlaces
  private players = 0
  /** Some row has a player. */
  private areNamed = false

  constructor(
    sources: readonly Iterable<UnexplainedBooking>[],
    orders: Iterable<LostOrder>,
    places: BookingPlaces,
  ) {
    this.places = places
    const rows = sources.flatMap((some) => [...some])
    if (rows.length === 0) return
    const amounts = new Set<string>()
    for (const order of orders) {
      amounts.add(keyOf(order))
      if (order.amount == null) continue
      this.lost.set(`${order.kind} ${order.orderNo}`, order)
      if (order.playerRef) add(this.lostOfPlayer, groupOf(order), order)
    }
    for (const [kind, lost] of Map.groupBy(this.lost.values(), (order) => order.kind))
      if (kind && lost.length > 1) this.totals.set(kind, sumOf(lost))
    for (const row of rows) this.take(row, amounts)
    this.others.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
  }

  private take(row: UnexplainedBooking, ofOrders: ReadonlySet<string>): void {
    const {kind, players} = row
    const amount = amountOf(row)
    const isRemembered = 'runId' in row
    this.areNamed ||= Boolean(players)
    if (!isRemembered && row.isUnpaid && kind !== null) {
      add(this.unpaid, keyOf({kind, amount}), row)
      return
    }
    for (const key of keysOfAnyOrder(row)) add(this.byAmount, key, row)
    const fold = foldOrderNo(row.orderNo)
    if (fold.length >= typedMin - 1 && this.numbered.length < numberedMax) this.numbered.push([fold, row])
    const mayBeNear = isRemembered || this.places.isSeveral || this.isOfAll(row) || isUnnumbered(row)
    const isLone = isRemembered || !row.isDoubled
    if (mayBeNear && isLone && amount !== null && kind !== null && !ofOrders.has(keyOf({kind, amount})))
      this.others.push([amount, row])
    if (!isRemembered && row.isDoubled) return
    for (const player of this.players < ofPlayersMax ? (players?.split('\n') ?? []) : []) {
      this.players += 1
      add(this.byPlayer, isRemembered ? player : playerName(player), row)
    }
    for (const {orderNo} of isRemembered ? [] : (row.shares ?? [])) add(this.byPlayer, sharing(orderNo), row)
  }

  /** Whether it has the amount of all lost orders of its kind together. */
  private isOfAll(row: UnexplainedBooking): boolean {
    const amount = amountOf(row)
    return amount !== null && row.kind !== null && this.totals.get(row.kind) === amount
  }

  /** The first row that may be the booking of this order. */
  async find(order: ResendCandidate): Promise<MayBeBooking | null> {
    const known = !order.playerRef && this.areNamed ? {...order, playerRef: await order.askPlayer?.()} : order
    for (const found of this.candidates(known)) if (!(await this.isOfItsOwn(found.row))) return found
    return null
  }

  private *candidates(order: ResendCandidate): Generator<MayBeBooking> {
    const {orderNo, amount, kinds, inLedger, sinceMs = null} = order
    if (amount === undefined) return
    const own = foldOrderNo(orderNo)
    const isOfKind = ({kind}: UnexplainedBooking) => kind === null || kinds.includes(kind)
    const {isSeveral, isElsewhere: isPlace} = this.places
    const isElsewhere = (row: UnexplainedBooking, isExact = false) =>
      isOfKind(row) && ('runId' in row || isSeveral) && isPlace(row, order, isExact)
    for (const row of this.unpaidLike(order)) {
      const more = row.isUnpaid === 'in part' ? ' more' : ''
      yield {row, how: `${withAmount(row)}${more} for its player`}
    }
    const isHere = (row: UnexplainedBooking): row is UnexplainedRow => isOfKind(row) && !('runId' in row)
    for (const sum of [amount, ...this.sumsWith(order)]) {
      for (const row of keysOfAmount(sum).flatMap((key) => this.byAmount.get(key) ?? [])) {
        const booked = amountOf(row)
        const how = booked === null ? unknownAmount : sum === amount ? 'with its amount' : withOthers(booked)
        const isOrder = isElsewhere(row, sum === amount) || (isHere(row) && this.isOfAll(row))
        if (isOrder) yield {row, how}
        else if (sum === amount && isHere(row) && isSince(row, sinceMs)) {
          if (isMistyped(foldOrderNo(row.orderNo), own)) yield {row, how: `${how} and nearly its number`}
          else if (booked !== null && booked === amount && isOfNoOrder(row) && !isOfOther(row, order))
            yield {row, how}
        }
      }
      for (const [booked, row] of sum === null ? [] : this.around(sum)) {
        const how =
          sum === amount ? `with ${formatPaisa(booked)}, as after a fee or rounded` : withOthers(booked)
        // What has a row of its own is no other row; `like` finds the very amount of what has none.
        const isUnnumberedHere =
          inLedger === 'no row' && sum === amount && isHere(row) && isUnnumbered(row) && isSince(row, sinceMs)
        if (isElsewhere(row) || isUnnumberedHere) yield {row, how}
      }
    }
    for (const [written, row] of this.numbered) {
      if (!isMistyped(written, own)) continue
      // Digits that changed places make a number like the others: it counts above, with the very amount.
      if (hasSameSigns(written, own)) continue
      if ('runId' in row ? isElsewhere(row) : isHere(row) && isSince(row, sinceMs))
        yield {row, how: `${withAmount(row)} and nearly its number`}
    }
    for (const row of this.ofPlayer(order)) {
      const isPlaced = 'runId' in row ? isElsewhere(row) : isOfKind(row) && isSince(row, sinceMs)
      if (!isPlaced || (amount !== null && !mayBePart(row, amount))) continue
      const same = 'runId' in row ? undefined : row.shares?.find((one) => one.orderNo === orderNo)
      const who = same ? `and the same ${quoteCell(same.header)}` : 'for its player'
      yield {row, how: `${withAmount(row)} ${who}`}
    }
  }

  /** Rows of its player that book its amount, or an amount that they do not say, and whose own orders are not paid. */
  private unpaidLike({amount, kinds, sinceMs = null, playerRef}: ResendCandidate): UnexplainedRow[] {
    const keys = kinds.flatMap((kind) =>
      [amount ?? null, null].map((stated) => keyOf({kind, amount: stated})),
    )
    const rows = playerName(playerRef) === '' ? [] : keys.flatMap((key) => this.unpaid.get(key) ?? [])
    return rows.filter((row) => playerName(row.players) === playerName(playerRef) && isSince(row, sinceMs))
  }

  private ofPlayer({orderNo, playerRef}: ResendCandidate): UnexplainedBooking[] {
    if (this.byPlayer.size === 0) return []
    const player = playerName(playerRef)
    const keys = player === '' ? [] : [player, this.places.digest(player)]
    return [...keys, sharing(orderNo)].flatMap((key) => this.byPlayer.get(key) ?? [])
  }

  /** What the order comes to with others that one row may book as well: with some of its player's, or with all of its kind. */
  private sumsWith({orderNo, amount, kinds}: ResendCandidate): Paisa[] {
    if (amount == null || this.byAmount.size === 0) return []
    return kinds.flatMap((kind) => {
      const own = this.lost.get(`${kind} ${orderNo}`)
      if (own === undefined) return []
      const group = this.lostOfPlayer.get(groupOf(own)) ?? []
      const others = group.flatMap((other) => (other === own ? [] : (other.amount ?? [])))
      const {few, many} = addedMax
      let some = [amount]
      if (others.length > few) some = others.slice(0, many).map((other) => amount + other)
      else for (const other of others) some = some.flatMap((sum) => [sum, sum + other])
      const sums = new Set([...some, sumOf(group), this.totals.get(kind) ?? amount])
      return [...sums].filter((sum) => sum > amount)
    })
  }

  private *around(amount: Paisa): Generator<readonly [Paisa, UnexplainedBooking]> {
    const {others} = this
    const reach = feeMax(amount)
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

function withAmount(row: UnexplainedBooking): string {
  const booked = amountOf(row)
  return booked === null ? unknownAmount : `with ${formatPaisa(booked)}`
}

function withOthers(booked: Paisa): string {
  return `with ${formatPaisa(booked)}, as for this order and others together`
}

/**
 * Whether two neighbours changed places, or one character was left out, added or typed as a letter. Not one digit for another:
 * the numbers of a day differ by that. Takes folds.
 */
function isMistyped(one: string, other: string): boolean {
  let [from, end] = [0, 0]
  while (from < other.length && one[from] === other[from]) from += 1
  const rest = Math.min(one.length, other.length) - from
  while (end < rest && one.at(-1 - end) === other.at(-1 - end)) end += 1
  const [wrong, right] = [one.slice(from, one.length - end), other.slice(from, other.length - end)]
  if (other.length < typedMin || /^\d\d$/.test(wrong + right)) return false
  return (wrong.length < 2 && right.length < 2) || (right.length === 2 && wrong === `${right[1]}${right[0]}`)
}

function hasSameSigns(one: string, other: string): boolean {
  return [...one].toSorted().join('') === [...other].toSorted().join('')
}

/** Its number is lost, so that its amount alone says whose it may be. */
function isUnnumbered({orderNo}: UnexplainedBooking): boolean {
  return orderNo.trim() === ''
}

function isSince({latestMs, createdMs}: UnexplainedRow, sinceMs: number | null): boolean {
  const atMs = latestMs ?? createdMs
  return atMs === undefined || sinceMs === null || atMs >= sinceMs - clocksMs
}

/** No order of the service is its own: a number that got no answer, or cannot be read for certain, may have one. */
function isOfNoOrder(row: UnexplainedRow): boolean {
  const isUnknown = row.isBooked && row.isOfAnyKind === true
  return row.kind !== null && (isUnknown || row.isDoubled === true || isUnnumbered(row))
}

/** Names and numbers are different ways to name a player, so one of each tells nothing. */
function isOfOther({players}: UnexplainedRow, {playerRef}: ResendCandidate): boolean {
  const all = (players?.split('\n') ?? []).map(playerName).filter((name) => name !== '')
  const own = playerName(playerRef)
  const isNumbered = (name: string) => /\p{N}/u.test(name)
  return (
    own !== '' && all.length > 0 && all.every((one) => one !== own && isNumbered(one) === isNumbered(own))
  )
}

/** A row of the order's player may be a part of the order, or several orders of the player. */
function mayBePart(row: UnexplainedBooking, amount: Paisa): boolean {
  const booked = amountOf(row)
  if (booked === null) {
    const keys = keysOfAnyOrder(row)
    return keysOfAmount(amount).some((key) => keys.includes(key))
  }
  if (row.kind === null) return booked === amount
  return row.isBooked || booked >= amount - feeMax(amount)
}

function keyOf({kind, amount}: LostOrder): string {
  return `${kind} ${amount}`
}

/** No player has a blank in its key. */
function sharing(orderNo: string): string {
  return ` ${orderNo}`
}

function groupOf({kind, playerRef}: LostOrder): string {
  return `${kind} ${bareOrderNo(playerRef ?? '')}`
}

function sumOf(orders: readonly LostOrder[]): Paisa {
  return orders.reduce((sum, {amount}) => sum + (amount ?? 0n), 0n)
}

/** Null if it cannot be read, or is one of several. */
export function amountOf({anyOrder}: Pick<UnexplainedRow, 'anyOrder'>): Paisa | null {
  return anyOrder?.amount == null || isUnread(anyOrder.amount) ? null : parsePaisa(anyOrder.amount)
}

function add<Row>(index: Map<string, Row[]>, key: string, row: Row): void {
  const same = index.get(key)
  if (same) same.push(row)
  else index.set(key, [row])
}

/** Which row of this run may be the order, and why, as a sentence. */
export function whyHere({row, how}: MayBeBooking, files: readonly {readonly path: string}[]): string {
  const place = placeOf(row, 'file' in row ? ` of ${escapeInvisible(files[row.file]?.path ?? '')}` : '')
  if (!row.isBooked) return `${place} cannot be read, and may be booked ${how}, so it may be this order.`
  if ('isUnpaid' in row && row.isUnpaid)
    return `${place} is booked ${how}, and its order is ${row.isUnpaid === 'all' ? 'not paid' : 'paid less'} at the service, so it may be this order.`
  if ('isDoubled' in row && row.isDoubled)
    return `${place} is booked ${how}, and another row has its number, so it may be this order.`
  const isAnswered = 'isOfAnyKind' in row && row.isOfAnyKind
  const why = isAnswered ? 'does not know that number' : 'gave no answer about that number'
  return `${place} is booked ${how}, and the service ${why}, so it may be this order.`
}
