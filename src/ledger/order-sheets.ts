import {isNotesHeader} from './booking-words.ts'
import type {NameIndex} from './name-index.ts'
import type {NumberSpan} from './number-span.ts'
import {type Meaning, type OwnRow, OwnRows, type RowText} from './own-rows.ts'
import type {ScannedFile} from './scanned-file.ts'

interface ReadRow extends Pick<OwnRow, 'state' | 'status'> {
  /** What it has under which header; empty unless its order is about to be resent. */
  readonly texts: ReadonlyMap<string, string>
}

const noTexts: ReadonlyMap<string, string> = new Map()
const bookedRow: ReadRow = {state: 'booked', status: 'open', texts: noTexts}

/** The rows of the sheet that is read, by the numbers of their orders. */
export class ReadRows {
  private readonly rows = new Map<string, ReadRow>()
  private headers: readonly string[] = []
  /** The orders that are not booked. */
  readonly open = new Set<string>()

  takeHeader(cells: readonly string[]): void {
    this.headers = cells.map((cell) => cell.trim())
  }

  take(number: string, {state, status}: Pick<OwnRow, 'state' | 'status'>, cells: readonly string[]): void {
    if (state === 'booked' || state === 'undelivered') {
      this.open.delete(number)
      this.rows.set(number, bookedRow)
      return
    }
    const texts = () => new Map(this.headers.map((header, at) => [header, (cells[at] ?? '').trim()]))
    this.open.add(number)
    this.rows.set(number, {state, status, texts: state === 'resend' ? texts() : noTexts})
  }

  of(number: string): ReadRow | null {
    return this.rows.get(number) ?? null
  }
}

export interface OrderSheetOptions {
  readonly read: ReadRows
  /** The orders that are about to be resent, by their numbers. */
  readonly lost: ReadonlyMap<string, string>
  /** One for all ways to write a number. */
  readonly keyOf: (orderNo: string) => string
  /** The key of an order of this file, by which `ReadRows` knows it; null for any other text. */
  readonly numberOf: (text: string) => string | null
  /** What the word of a state says of its order. */
  readonly stateOf: (word: string) => 'booked' | 'open' | null
  readonly isNotes: (header: string) => boolean
  /** Headers of columns that say nothing of bookings. */
  readonly left: ReadonlySet<string>
}

/** Of a file whose sheet has these rows; null if no order is about to be resent. */
export function orderSheetOf(
  read: ReadRows,
  {file, ignoredColumns = [], stateOf = () => null}: Pick<ScannedFile, 'file' | 'ignoredColumns' | 'stateOf'>,
  {
    index,
    numbers,
    keyOf,
  }: {readonly index: NameIndex; readonly numbers: NumberSpan; readonly keyOf: (orderNo: string) => string},
): OrderSheet | null {
  if (index.size === 0) return null
  const lost = new Map([...index.all()].map((orderNo) => [keyOf(orderNo), orderNo]))
  const {order_no: _, status: __, ...columns} = file.columns
  return new OrderSheet({
    ...{read, lost, keyOf, stateOf, isNotes: isNotesHeader},
    numberOf: (text) => {
      const key = keyOf(text)
      return lost.has(key) || read.of(key) !== null || numbers.has(text) === 'file' ? key : null
    },
    left: new Set([...Object.values(columns), ...ignoredColumns].map((name) => name.trim())),
  })
}

interface Listed extends RowText {
  readonly number: string
}

/**
 * Another sheet that lists orders of the file. Each of its rows is its order's own row, so what stands there and not in the
 * row that is read holds the order by the same rule. And if the sheet leaves out orders that are not booked, its rows are
 * bookings, unless they say otherwise.
 */
export class OrderSheet {
  private readonly of: OrderSheetOptions
  private before: readonly string[] = []
  private headers: readonly string[] = []
  private own: OwnRows | null = null
  private orderNoAt = -1
  private readonly open = new Set<string>()
  private readonly listed: Listed[] = []
  private lost = 0
  private readonly unpaid = {open: 0, failed: 0}

  constructor(options: OrderSheetOptions) {
    this.of = options
  }

  take(cells: readonly string[], line: number): void {
    const {read, lost, numberOf} = this.of
    if (this.own === null) {
      this.orderNoAt = cells.findIndex((text) => {
        const number = numberOf(text)
        return number !== null && (read.of(number) !== null || lost.has(number))
      })
      if (this.orderNoAt < 0) {
        this.before = cells
        return
      }
      this.begin()
    }
    const number = numberOf(cells[this.orderNoAt] ?? '')
    if (number === null) return
    const orderNo = lost.get(number)
    const row = read.of(number)
    // An order that the read sheet does not have is open, if it is not lost.
    const state = orderNo === undefined ? (row === null ? 'unpaid' : row.state) : 'resend'
    const own = {orderNo: orderNo ?? number, line, state, status: row?.status ?? 'open'} as const
    if (state !== 'booked') this.open.add(number)
    if (state === 'unpaid') this.unpaid[own.status] += 1
    const isOpen = cells.some((text) => this.of.stateOf(text) === 'open')
    const texts =
      state === 'resend' ? cells.map((text, at) => (this.isNew(text, at, row) ? text : '')) : cells
    this.own?.take(own, texts, [])
    if (orderNo === undefined) return
    this.lost += 1
    const said = {
      orderNo,
      line,
      header: this.headers[this.orderNoAt] ?? '',
      text: cells[this.orderNoAt] ?? '',
    }
    if (!isOpen) this.listed.push({...said, number})
  }

  private begin(): void {
    const {left, isNotes} = this.of
    this.headers = this.before.map((cell) => cell.trim())
    const places = [...this.headers.entries()].flatMap(([at, header]) => (left.has(header) ? at : []))
    const none = {amountAt: -1, createdAt: -1}
    this.own = new OwnRows(this.headers, {
      ...none,
      left: new Set([this.orderNoAt, ...places]),
      read: new Set(),
      isNotes,
    })
  }

  /** Not so for numbers of orders, and for what the row that is read has: a word, only under the same header. */
  private isNew(text: string, at: number, row: ReadRow | null): boolean {
    const own = text.trim()
    if (this.of.stateOf(own) === 'open' || this.of.numberOf(own) !== null) return false
    if (row?.texts.get(this.headers[at] ?? '') === own) return false
    return !(own.length > 1 && /\p{N}/u.test(own) && [...(row?.texts.values() ?? [])].includes(own))
  }

  /** To be called after the last row: what holds back the resend of an order. */
  held(take: (said: RowText, how: Meaning | 'heading' | 'listed') => void): void {
    const {read} = this.of
    this.own?.held((said, how) => {
      if (how !== 'unlike others' || this.maySayBooked(said)) take(said, how)
    })
    const isWhole = [...read.open].every((number) => this.open.has(number))
    const isList = this.lost >= this.open.size * 0.9
    for (const {number, ...said} of this.listed)
      if (isList && !(isWhole && read.of(number) !== null)) take(said, 'listed')
  }

  /** Other sheets have more that tells of no booking: a word that hisab does not know counts only if it can be compared. */
  private maySayBooked({orderNo, header, text}: RowText): boolean {
    const {stateOf, read, keyOf} = this.of
    const row = read.of(keyOf(orderNo))
    const isOtherWord = header !== '' && (row?.texts.has(header) ?? false)
    return isOtherWord || stateOf(text) === 'booked' || this.unpaid[row?.status ?? 'open'] >= comparedMin
  }
}

/** With fewer unpaid rows it is chance if none has a text. */
const comparedMin = 3
