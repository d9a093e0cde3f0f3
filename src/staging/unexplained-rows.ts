import {formatPaisa} from '../core/money.ts'
import {type OrderKind, orderKinds, type ServiceOrder} from '../core/order.ts'
import {bareOrderNo, foldOrderNo, foldsOf, isShortened, namedIn} from '../core/order-no-fold.ts'
import {digitsOf} from '../core/reconcile/like-amount.ts'
import type {StagingDatabase} from './staging-database.ts'

/**
 * A row that nothing explains: the service does not know its number, contradicts it, or the row cannot be read. `file` is
 * below zero where an earlier run saw it.
 */
export interface UnexplainedRow {
  readonly line: number
  readonly file: number
  /** Null where the row does not say. */
  readonly kind: OrderKind | null
  /** The service does not know its number under its kind: that may be mistyped, and the order one of the other kind. */
  readonly isOfAnyKind?: boolean | undefined
  readonly orderNo: string
  /** The platform's number of its order, where the row states one. */
  readonly platformOrderNo?: string | null | undefined
  readonly isBooked: boolean
  /** There where no order has its number for certain: it may be any order of this amount, of any amount where that is null. */
  readonly anyOrder?: {readonly amount: string | null} | undefined
  /** The file was perhaps cut off inside its number. */
  readonly isBeginning?: boolean | undefined
}

export interface LikeRow
  extends Omit<UnexplainedRow, 'anyOrder' | 'isBeginning' | 'isOfAnyKind' | 'platformOrderNo'> {
  /** Its amount or the beginning of its number fits, so that other orders fit it as well. */
  readonly isLost: boolean
}

type Place = Pick<UnexplainedRow, 'line' | 'file'>

/** So many are named at the most: two are one too many to tell which it is. */
const namedMax = 2

/**
 * Rows that nothing explains, by what is left of their numbers, and the orders missing from the ledger that may be
 * theirs: an index on disk, because a spreadsheet damages a whole column at once.
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
      // What the service calls an order is one order's alone, of whatever kind.
      if (row.platformOrderNo) this.put({...row, kind: null}, foldOrderNo(row.platformOrderNo), true)
      // Many orders may have its amount, and its money is none of theirs for certain.
      for (const key of lostKeys(row)) this.put({...row, isBooked: false}, key, false)
    }
    this.db.exec('CREATE INDEX damaged_by_fold ON damaged (fold)')
  }

  private put({kind, file, line, orderNo, isBooked}: UnexplainedRow, fold: string, isOwn: boolean): void {
    const kindAt = kind === null ? null : orderKinds.indexOf(kind)
    this.db.put('damaged', [fold, Number(isOwn), kindAt, file, line, orderNo, Number(isBooked)])
  }

  /** The first rows that may be the order's, its number damaged on the way, in either direction; those are remembered of them. */
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
       ORDER BY file < 0, file, line LIMIT ${namedMax}`,
      ...[
        JSON.stringify([...foldsOf(orderNo, this.which), foldOrderNo(platformOrderNo)]),
        foldOrderNo(orderNo),
        kindAt,
      ],
    )
    const rows = read(damaged, false)
    for (const {file, line} of rows) this.db.put('likenesses', [null, file, line, orderNo])
    if (rows.length > 0) return rows
    // Not sorted, for a whole column may be lost.
    const lost = this.db.ask(
      `SELECT file, line, order_no, is_booked FROM damaged
       WHERE fold IN (SELECT value FROM json_each(?)) AND (kind IS NULL OR kind = ?) LIMIT ${namedMax}`,
      ...[JSON.stringify(keysOfLost(order)), kindAt],
    )
    return read(lost, true)
  }

  /** The missing orders' numbers that a row may be. */
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

/** Where a row is found whatever is left of its number. No fold holds a blank, so that none is one of these. */
function lostKeys({anyOrder, isBeginning, isOfAnyKind, orderNo}: UnexplainedRow): string[] {
  return [
    ...keysOfAnyOrder({anyOrder}),
    ...(anyOrder || isOfAnyKind ? keysOfNamed(orderNo) : []),
    ...(isBeginning ? [`${beginningKey} ${foldOrderNo(orderNo)}`] : []),
  ]
}

/** Where a row is found by a number that stands in its cell beside other text. */
export function keysOfNamed(cell: string): string[] {
  return [...namedIn(cell)].map((bare) => `${namedKey} ${bare}`)
}

/** Where the rows are whose cell names the order beside other text. */
export function keyOfName(orderNo: string): string {
  return `${namedKey} ${bareOrderNo(orderNo)}`
}

/** Where a row is found by its amount, by whatever was left of that. */
export function keysOfAnyOrder({anyOrder}: Pick<UnexplainedRow, 'anyOrder'>): string[] {
  if (!anyOrder) return []
  return [anyKey, ...(anyOrder.amount?.split(' ') ?? ['null']).map((amount) => `${anyKey} ${amount}`)]
}

/** Where the rows are that may be an order of this amount. */
export function keysOfAmount(amount: ServiceOrder['amount']): string[] {
  if (amount === null) return [anyKey]
  return [formatPaisa(amount), digitsOf(amount), null].map((one) => `${anyKey} ${one}`)
}

/** Where the rows are that may be the order's. */
function keysOfLost({
  orderNo,
  platformOrderNo,
  amount,
}: Pick<ServiceOrder, 'orderNo' | 'platformOrderNo' | 'amount'>): string[] {
  const beginnings = Array.from(orderNo, (_, length) => foldOrderNo(orderNo.slice(0, length)))
  return [
    ...keysOfAmount(amount),
    ...[orderNo, platformOrderNo].map(keyOfName),
    ...new Set(beginnings.map((fold) => `${beginningKey} ${fold}`)),
  ]
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
