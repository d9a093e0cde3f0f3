import {formatPaisa} from '../core/money.ts'
import {type OrderKind, orderKinds, type ServiceOrder} from '../core/order.ts'
import {bareOrderNo, foldOrderNo, foldsOf, isShortened, namedIn} from '../core/order-no-fold.ts'
import {digitsOf} from '../core/reconcile/like-amount.ts'
import {escapeInvisible} from '../core/text.ts'
import type {StagingDatabase} from './staging-database.ts'

/** A row that nothing explains: an unknown number, a contradiction, or an unreadable row. */
export interface UnexplainedRow {
  readonly line: number
  readonly file: number
  /** Null if the row does not say. */
  readonly kind: OrderKind | null
  /**
   * The service does not know its number under its kind: the number may be mistyped, and the order of the other kind.
   */
  readonly isOfAnyKind?: boolean | undefined
  readonly orderNo: string
  /** The platform's number of its order, if the row states one. */
  readonly platformOrderNo?: string | null | undefined
  readonly isBooked: boolean
  /** Set if no order has its number for certain: it may be any order of this amount, or of any amount for null. */
  readonly anyOrder?: {readonly amount: string | null} | undefined
  /** The file may have been cut off inside its number. */
  readonly isBeginning?: boolean | undefined
  /** The service has its order, without a payment or with a smaller one, and `anyOrder` has the rest. */
  readonly isUnpaid?: 'all' | 'in part' | undefined
  /** Another booked row of its file has its number, and is no copy of it. */
  readonly isDoubled?: boolean | undefined
  /** Who its player may be, a line each. */
  readonly players?: string | undefined
  /** Orders about to be resent with a cell of this row under the same header, which few other rows have. */
  readonly shares?: readonly {readonly orderNo: string; readonly header: string}[] | undefined
  /** The earliest time of its order. */
  readonly createdMs?: number | undefined
  /** The latest: a date without a time covers its day. */
  readonly latestMs?: number | undefined
}

export interface LikeRow extends Pick<UnexplainedRow, 'line' | 'file' | 'kind' | 'orderNo' | 'isBooked'> {
  /** Only its amount or the beginning of its number fits, so other orders fit too. */
  readonly isLost: boolean
}

type Place = Pick<UnexplainedRow, 'line' | 'file'>

/** Two candidates are enough to see that it is ambiguous. */
const namedMax = 2

/**
 * Unexplained rows by what is left of their numbers, and the missing orders that may be theirs. An index on disk,
 * because a spreadsheet damages a whole column at once.
 */
export class UnexplainedRows {
  private readonly db: StagingDatabase
  private isIndexed = false
  private which: 'all' | 'unshortened' = 'unshortened'

  constructor(db: StagingDatabase) {
    this.db = db
  }

  /** All rows, before the first question. `numbers` are those that will be asked for. */
  fill(rows: () => Iterable<UnexplainedRow>, numbers: Iterable<string>): void {
    this.which = isAnyShortened(numbers) || isAnyShortened(numbersOf(rows())) ? 'all' : 'unshortened'
    for (const row of rows()) {
      const own = foldOrderNo(row.orderNo)
      const named = row.isOfAnyKind ? {...row, kind: null} : row
      for (const fold of foldsOf(row.orderNo, this.which)) this.put(named, fold, fold === own)
      // A platform number belongs to one order, of whatever kind.
      if (row.platformOrderNo) this.put({...row, kind: null}, foldOrderNo(row.platformOrderNo), true)
      // Many orders may have its amount, so its money is certainly none of theirs.
      for (const key of lostKeys(row)) this.put({...row, isBooked: false}, key, false)
    }
    this.db.exec('CREATE INDEX damaged_by_fold ON damaged (fold)')
  }

  private put({kind, file, line, orderNo, isBooked}: UnexplainedRow, fold: string, isOwn: boolean): void {
    const kindAt = kind === null ? null : orderKinds.indexOf(kind)
    this.db.put('damaged', [fold, Number(isOwn), kindAt, file, line, orderNo, Number(isBooked)])
  }

  /** The first rows that may be the order with a damaged number, in either direction. */
  like(order: Pick<ServiceOrder, 'kind' | 'orderNo' | 'platformOrderNo' | 'amount'>): LikeRow[] {
    const {kind, orderNo, platformOrderNo} = order
    const kindAt = orderKinds.indexOf(kind)
    const read = (rows: ReturnType<StagingDatabase['ask']>, isLost: boolean): LikeRow[] =>
      rows.map(([file, line, text, isBooked]) => ({
        ...{file: Number(file), line: Number(line), kind, orderNo: String(text)},
        ...{isBooked: Number(isBooked) === 1, isLost},
      }))
    const damaged = this.db.ask(
      `SELECT DISTINCT file, line, order_no, is_booked FROM damaged
       WHERE ((is_own = 1 AND fold IN (SELECT value FROM json_each(?))) OR fold = ?) AND (kind IS NULL OR kind = ?)
       ORDER BY file, line LIMIT ${namedMax}`,
      ...[
        JSON.stringify([...foldsOf(orderNo, this.which), foldOrderNo(platformOrderNo)]),
        foldOrderNo(orderNo),
        kindAt,
      ],
    )
    const rows = read(damaged, false)
    for (const {file, line} of rows) this.db.put('likenesses', [null, file, line, orderNo])
    if (rows.length > 0) return rows
    // Not sorted: a whole column may be lost.
    const lost = this.db.ask(
      `SELECT DISTINCT file, line, order_no, is_booked FROM damaged
       WHERE fold IN (SELECT value FROM json_each(?)) AND (kind IS NULL OR kind = ?) LIMIT ${namedMax}`,
      ...[JSON.stringify(keysOfLost(order)), kindAt],
    )
    return read(lost, true)
  }

  /** Numbers of missing orders that a row may be. */
  missingLike({file, line}: Place): string[] {
    if (!this.isIndexed) this.db.exec('CREATE INDEX likenesses_by_place ON likenesses (file, line)')
    this.isIndexed = true
    return this.db
      .ask(
        `SELECT DISTINCT order_no FROM likenesses WHERE file = ? AND line = ? LIMIT ${namedMax}`,
        file,
        line,
      )
      .map(([orderNo]) => String(orderNo))
  }
}

/** The keys of a row with a lost number. No folded number has a space, so none collides with these. */
function lostKeys({anyOrder, isBeginning, isOfAnyKind, orderNo}: UnexplainedRow): string[] {
  return [
    ...keysOfAnyOrder({anyOrder}),
    ...(anyOrder || isOfAnyKind ? keysOfNamed(orderNo) : []),
    ...(isBeginning ? [keyOfBeginning(orderNo)] : []),
  ]
}

/** The keys of a number beside other text in its cell. */
export function keysOfNamed(cell: string): string[] {
  return [...namedIn(cell)].map((bare) => `${namedKey} ${bare}`)
}

/** The key of rows whose cell names the order beside other text. */
export function keyOfName(orderNo: string): string {
  return `${namedKey} ${bareOrderNo(orderNo)}`
}

/** The keys of a row by what is left of its amount. */
export function keysOfAnyOrder({anyOrder}: Pick<UnexplainedRow, 'anyOrder'>): string[] {
  if (!anyOrder) return []
  return [anyKey, ...(anyOrder.amount?.split(' ') ?? ['null']).map((amount) => `${anyKey} ${amount}`)]
}

/** The key of a row that was cut off inside its number, and those of an order that it may be. */
export function keyOfBeginning(cut: string): string {
  return `${beginningKey} ${foldOrderNo(cut)}`
}

export function keysOfBeginnings(orderNo: string): string[] {
  return [...new Set(Array.from(orderNo, (_, length) => keyOfBeginning(orderNo.slice(0, length))))]
}

/** A row in a sentence. */
export function placeOf({line, orderNo}: Pick<UnexplainedRow, 'line' | 'orderNo'>, of = ''): string {
  return `line ${line}${of} (${orderNo.trim() === '' ? 'no number' : `"${escapeInvisible(orderNo, 40)}"`})`
}

/** Whether the amount that a row may have could not be read. */
export function isUnread(amount: string | null): boolean {
  return amount === null || amount.startsWith('~')
}

/** The keys of rows that may be an order of this amount. */
export function keysOfAmount(amount: ServiceOrder['amount']): string[] {
  if (amount === null) return [anyKey]
  return [formatPaisa(amount), digitsOf(amount), null].map((one) => `${anyKey} ${one}`)
}

/** The keys of rows that may be this order. */
function keysOfLost({
  orderNo,
  platformOrderNo,
  amount,
}: Pick<ServiceOrder, 'orderNo' | 'platformOrderNo' | 'amount'>): string[] {
  return [...keysOfAmount(amount), ...[orderNo, platformOrderNo].map(keyOfName), ...keysOfBeginnings(orderNo)]
}

const anyKey = ' any'
const namedKey = ' named'
const beginningKey = ' beginning'

function isAnyShortened(numbers: Iterable<string>): boolean {
  for (const number of numbers) if (isShortened(foldOrderNo(number))) return true
  return false
}

function* numbersOf(rows: Iterable<UnexplainedRow>): Generator<string> {
  for (const {orderNo} of rows) yield orderNo
}
