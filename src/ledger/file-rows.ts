import type {OrderKind} from '../core/order.ts'
import type {LedgerSink, UnreadableRow} from '../core/reconcile/entry.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible, isNothing} from '../core/text.ts'
import {amountIn} from './amount.ts'
import {bookingReader, contradictionGuard, stateReader} from './booking-words.ts'
import {ContradictedRows} from './contradicted-rows.ts'
import {corruptFile} from './corrupt-file.ts'
import {CurrencyColumn} from './currency.ts'
import {refuseTableBeside} from './find-header.ts'
import {type Header, isHeaderAgain, resolveHeader} from './header.ts'
import {
  bookedPlaces,
  clockBeside,
  ledgerHeader,
  likeColumn,
  tellsOfBooking,
  timePlaces,
  unreadHeaders,
  unreadPlaces,
} from './header-words.ts'
import type {LedgerOptions} from './ledger.ts'
import {ownExportOf} from './own-exports.ts'
import {quoteCell} from './quotation.ts'
import {type ReadRow, rowReader} from './row.ts'
import {firstLineOf, refuseSwallowedRows} from './swallowed-rows.ts'
import type {TableLayout} from './table.ts'
import {type RowWorth, type TotalCells, type TotalRow, TotalRows} from './total-rows.ts'
import type {WindowFinder} from './window.ts'
import {isClockAlone, isDateAlone} from './written-time.ts'

export interface FileContext {
  readonly path: string
  /** Index into the run's list of ledger files. */
  readonly file: number
  readonly layout: TableLayout
  readonly window: WindowFinder
  readonly sink: LedgerSink
  /** Receives what a person should know of the file, a sentence each. */
  readonly notes: string[]
  readonly guesses: string[]
}

/** Takes the records of one file, the header first, and sorts them into entries and problems. */
export class FileRows {
  /** Rows so far, unreadable ones included, total rows not. */
  count = 0
  /** Set once the whole file has been read. */
  totals: readonly TotalRow[] = []
  readonly kinds = new Set<OrderKind>()
  /** Rows that are no orders, by their word. */
  private readonly others = new Map<string, number>()
  /** The words in columns that look like a status and are not read, by column; null if it is not a status. */
  private readonly statusWords = new Map<number, Set<string> | null>()
  /** For columns that say when or how much was booked: whether any row has no value. */
  private readonly bookings = new Map<number, boolean>()
  /** Unread columns, under any header, in which every cell is blank or a word for a state: the rows of each. */
  private readonly stateWords = new Map<number, {open: number; blank: number}>()
  private readonly context: FileContext
  private readonly options: LedgerOptions
  private readonly stateOf: ReturnType<typeof stateReader>
  private readonly rule: ReturnType<typeof ledgerHeader>
  private heading: {readonly header: Header; readonly read: ReadRow; readonly rows: TotalRows} | null = null
  lastLine = 0
  /** The first cell in a column without a header. */
  firstUnderNoHeader: {readonly line: number; readonly text: string} | null = null
  private currency = noCurrency
  private contradicted: ContradictedRows | null = null
  private headerless: readonly number[] = []
  /** The place of the time of the day, where it has a column of its own. */
  private clockAt: number | null = null
  private bookedAt: readonly number[] = []
  /** Columns of times that may be those of the booking, and what they have in rows that are open. */
  private timesAt: ReadonlyMap<number, {filled: number; blank: number}> = new Map()
  isStatusUnread = false
  private lastRowFields = 0
  /** Number of order numbers with an apostrophe before them. */
  private marked = 0
  /** Held back, because the last row is known only at the end of the file. */
  private lastUnreadable: UnreadableRow | null = null

  constructor(context: FileContext, options: LedgerOptions) {
    this.context = context
    this.options = options
    this.stateOf = stateReader(options.mapping)
    this.rule = ledgerHeader(options.mapping)
  }

  /** Throws `Failure` for a header that cannot be used or is repeated. */
  readonly take = (cells: readonly string[], line: number, lineEnds: number): void => {
    if (this.heading === null) this.takeHeader(cells, line, lineEnds)
    else this.takeRow(cells, line, lineEnds, this.heading)
    const {sink, file, layout} = this.context
    if (layout.format === 'csv') sink.line(file, line, cells)
  }

  /** To be called after the last row. Throws `Failure` for a file without rows. */
  finish(): Header {
    const {heading, context} = this
    this.totals = heading?.rows.finish() ?? []
    if (heading === null)
      throw corruptFile(context.path, 'the file has only blank lines', 'Check the export.')
    if (this.count === 0 && !this.options.isTimeStated) {
      const file = quoteForShell(escapeInvisible(context.path))
      const hint = `Check the days that were exported. If nothing was booked: \`hisab reconcile ${file} --since DAY --until NEXT_DAY\`.`
      throw corruptFile(context.path, 'the file has a header and no row', hint)
    }
    if (this.count === 0) context.notes.push(`${escapeInvisible(context.path)} has a header and no row`)
    // Only a time that open orders do not have is that of the booking: `Expires At` has one in each row.
    if ([...this.timesAt.values()].some(({filled, blank}) => filled > 0 || blank === 0))
      context.sink.withoutDelays?.(context.file)
    const {header} = heading
    const isLastATotal = this.totals.some(({line}) => line > this.lastLine)
    if (!isLastATotal && this.lastRowFields < header.cells.length) this.doubtLastRow(header.at.order_no ?? 0)
    this.handOnUnreadable()
    if (this.others.size > 0) {
      const words = [...this.others].map(([word, rows]) => `${quoteCell(word)}: ${rows}`)
      context.notes.push(
        `${escapeInvisible(context.path)}: rows that are no orders, by ledger.kind.other, are left out (${words.join(', ')})`,
      )
    }
    const currency = this.currency.note()
    if (currency !== null) context.notes.push(`${escapeInvisible(context.path)}: ${currency}`)
    if (this.marked > 0)
      context.notes.push(
        `${escapeInvisible(context.path)}: ${this.marked === 1 ? 'an order number starts' : `${this.marked} order numbers start`} with an apostrophe, which spreadsheets put before text. hisab compares numbers exactly: if it is no part of them, export the column as text`,
      )
    return header
  }

  /** Booked rows whose unread columns say otherwise: at most one sentence. */
  contradictions(): string[] {
    return this.contradicted?.sentences(this.context.path) ?? []
  }

  /** The headers of unread columns that look like a status or tell of the booking, unless they call every row booked. */
  unreadStatuses(): string[] {
    const {cells = []} = this.heading?.header ?? {}
    const isBooked = bookingReader(this.options.mapping)
    const places = [
      ...[...this.statusWords].flatMap(([at, words]) =>
        words && (words.size > 1 || [...words].some((word) => isBooked(word) !== true)) ? at : [],
      ),
      ...[...this.bookings].flatMap(([at, isMissing]) => (isMissing ? at : [])),
      ...[...this.stateWords].flatMap(([at, {open, blank}]) =>
        open > 0 && blank * 10 <= this.count ? at : [],
      ),
    ]
    return [...new Set(places)].map((at) => cells[at] ?? '')
  }

  private takeHeader(line1: readonly string[], line: number, lineEnds: number): void {
    const {path, file, window, layout, notes, sink} = this.context
    // These need not be CSV.
    for (const [at, text] of layout.above.entries()) sink.line(file, at + 1, text.split(/[,;|\t"]/))
    const cells = toWidthOfRows(line1, layout.below)
    const {mapping, kind} = this.options
    const own = ownExportOf(cells)
    if (own !== null)
      throw corruptFile(
        path,
        `it is a ${own.is} that hisab wrote, and no ledger`,
        'Give the export of your books.',
      )
    const {rule} = this
    const header = resolveHeader(cells, rule, layout.below)
    if (header.problem)
      throw corruptFile(path, `line ${line}: ${header.problem.message}`, header.problem.hint)
    if (lineEnds > 0) {
      const first = resolveHeader(firstLineOf(cells, layout.delimiter), rule)
      this.lookForRowsInside(
        cells,
        line,
        first,
        rowReader(first, mapping, kind, file, noCurrency),
        'one below',
      )
    }
    window.noteHeader(path, header, likeColumn('created_at', header, mapping))
    const guesses = header.guesses.map((column) => `${quoteCell(header.found[column] ?? '')} as ${column}`)
    if (guesses.length > 0)
      this.context.guesses.push(`${escapeInvisible(path)}: hisab reads ${listed(guesses)}`)
    this.bookedAt = bookedPlaces(header, mapping)
    this.clockAt = clockBeside(header, mapping, layout.below)
    const times = this.bookedAt.length > 0 ? [] : timePlaces(header, mapping)
    this.timesAt = new Map(times.flatMap((at) => (at === this.clockAt ? [] : [[at, {filled: 0, blank: 0}]])))
    if (this.clockAt !== null) {
      const [date, time] = [header.found.created_at, cells[this.clockAt]].map((cell) => quoteCell(cell ?? ''))
      notes.push(`${escapeInvisible(path)}: ${time} is read as the time of ${date}`)
    }
    if (header.at.status === undefined)
      notes.push(`${escapeInvisible(path)} has no status column, so every row counts as completed`)
    for (const at of likeColumn('status', header, mapping)) this.statusWords.set(at, new Set())
    this.isStatusUnread = this.statusWords.size > 0
    if (header.at.status === undefined) {
      for (const at of tellsOfBooking(header, mapping)) this.bookings.set(at, false)
      for (const at of unreadPlaces(header, mapping)) this.stateWords.set(at, {open: 0, blank: 0})
    }
    for (const unread of unreadHeaders(header, mapping)) notes.push(`${escapeInvisible(path)}: ${unread}`)
    this.currency = new CurrencyColumn(header.at.currency, layout.below)
    const read = rowReader(header, mapping, kind, file, this.currency)
    this.contradicted = new ContradictedRows(header, mapping)
    const guard = contradictionGuard(path, header, mapping)
    const rows = new TotalRows(totalCells(header), amountIn, (cells, line) =>
      this.takeOrder(cells, line, header, read, guard),
    )
    this.headerless = cells.flatMap((cell, at) => (cell.trim() === '' ? at : []))
    this.heading = {header, read, rows}
  }

  private takeRow(
    cells: readonly string[],
    line: number,
    lineEnds: number,
    {header, read, rows}: NonNullable<FileRows['heading']>,
  ): void {
    if (isHeaderAgain(header, cells)) {
      const problem = `the header line is repeated on line ${line}`
      throw corruptFile(
        this.context.path,
        problem,
        'If two exports were put into one file, give them as two files.',
      )
    }
    if (lineEnds > 0) this.lookForRowsInside(cells, line, header, read)
    const beside = this.headerless.flatMap((at) => ((cells[at] ?? '').trim() === '' ? [] : (cells[at] ?? '')))
    const [text] = beside
    if (text !== undefined) this.firstUnderNoHeader ??= {line, text}
    refuseTableBeside(this.context.path, line, beside, this.rule)
    rows.take(cells, line)
  }

  private takeOrder(
    cells: readonly string[],
    line: number,
    header: Header,
    read: ReadRow,
    guard: ReturnType<typeof contradictionGuard>,
  ): RowWorth {
    const {path, window, sink} = this.context
    const hasAllFields = cells.length === header.cells.length
    const date = hasAllFields ? cells[header.at.created_at ?? -1] : undefined
    const clock = this.clockAt === null ? undefined : cells[this.clockAt]
    const hasClock = date && clock && isDateAlone(date) && isClockAlone(clock)
    const createdAt = hasClock ? `${date} ${clock}` : date
    const created = window.noteRow(path, line, createdAt)
    const row = read(cells, line)
    this.handOnUnreadable()
    this.lastRowFields = cells.length
    this.lastLine = line
    if (row.ok === 'other') {
      this.others.set(row.word, (this.others.get(row.word) ?? 0) + 1)
      return {kind: null, amount: amountIn(cells[header.at.amount ?? -1] ?? ''), status: null}
    }
    if (hasAllFields && this.isStatusUnread) this.noteStatusWords(cells)
    if (hasAllFields) this.noteBookings(cells)
    this.count += 1
    if (row.ok) {
      guard(cells, line, row.entry)
      if (row.entry.status === 'completed') this.contradicted?.take(cells, line)
      const {entry} = row
      this.kinds.add(entry.kind)
      if (textMark.test(entry.orderNo)) this.marked += 1
      for (const [at, open] of entry.status === 'open' ? this.timesAt : [])
        open[(cells[at] ?? '').trim() === '' ? 'blank' : 'filled'] += 1
      const places = this.bookedAt.length > 0 ? this.bookedAt : this.timesAt.keys().toArray()
      const delays = places.map((at) => window.delayOf(cells[at] ?? '', created)).filter((ms) => ms !== null)
      const [first = null] = this.bookedAt.length > 0 ? delays : delays.toSorted((a, b) => b - a)
      sink.entry(entry, created, first)
      return entry
    }
    this.lastUnreadable = {...row.problem, ...(created && 'fromMs' in created && {createdMs: created.fromMs})}
    const stated = hasAllFields ? cells[header.at.amount ?? -1] : undefined
    return {kind: row.problem.kind ?? null, amount: amountIn(stated ?? ''), status: null}
  }

  private noteStatusWords(cells: readonly string[]): void {
    for (const [at, words] of this.statusWords) {
      const word = (cells[at] ?? '').trim().toLowerCase()
      words?.add(word)
      if (words && (words.size > statusWordsMax || /\p{N}{2}/u.test(word))) this.statusWords.set(at, null)
    }
  }

  private noteBookings(cells: readonly string[]): void {
    for (const [at, isMissing] of this.bookings)
      if (!isMissing && /^(?:[\s-]*|0+(?:\.0+)?)$/.test((cells[at] ?? '').trim())) this.bookings.set(at, true)
    for (const [at, rows] of this.stateWords) {
      const state = isNothing(cells[at] ?? '') ? 'blank' : this.stateOf(cells[at] ?? '')
      if (state === null) this.stateWords.delete(at)
      else if (state !== 'booked') rows[state] += 1
    }
  }

  private lookForRowsInside(
    cells: readonly string[],
    line: number,
    header: Header,
    read: ReadRow,
    signs: 'all' | 'one below' = 'all',
  ): void {
    // Only a readable row with a status or an amount counts, so that an address of several lines is not taken for rows.
    const isRow = (fields: readonly string[]): boolean => {
      const row = read(fields, line)
      return row.ok === true && (row.entry.amount !== null || header.at.status !== undefined)
    }
    const {path, layout} = this.context
    refuseSwallowedRows(cells, line, {path, delimiter: layout.delimiter}, isRow, signs)
  }

  private doubtLastRow(orderNoAt: number): void {
    const last = this.lastUnreadable
    if (last === null) return
    const detail = `${last.detail} It is the last row, so the file may be cut off.`
    // Its last field may be cut off, and the start of an order number is a different number.
    const isWhole = orderNoAt < this.lastRowFields - 1
    const beginning = isWhole
      ? {}
      : {orderNo: null, rawOrderNo: last.orderNo ?? last.rawOrderNo ?? '', isBeginning: true as const}
    this.lastUnreadable = {...last, detail, ...beginning}
  }

  private handOnUnreadable(): void {
    if (this.lastUnreadable !== null) this.context.sink.unreadable(this.lastUnreadable)
    this.lastUnreadable = null
  }
}

/**
 * Adds the blank cells to a header that the first rows have at their end: some programs write a delimiter after the
 * last cell of rows or of the header alone. Not if a comma may have split an amount.
 */
function toWidthOfRows(header: readonly string[], below: TableLayout['below']): readonly string[] {
  const named = header.findLastIndex((cell) => cell.trim() !== '') + 1
  const [first] = below
  const width = first?.length ?? 0
  const isOfAll = below.every(
    (row) =>
      row.length === width &&
      row.slice(named).every((cell) => cell.trim() === '') &&
      (width <= header.length || !isSplitAmount.test(row.join(','))),
  )
  if (first === undefined || width < named || !isOfAll) return header
  return Array.from({length: width}, (_, at) => header[at] ?? '')
}

const isSplitAmount = /(?:^|,)\s*\d{1,3},\d{3}(?:\.\d{1,2})?\s*(?:,|$)/

function totalCells({at, cells}: Header): TotalCells {
  const {order_no: label = 0, amount, kind, currency: _, ...others} = at
  return {label, amount, kind, others: Object.values(others), count: cells.length}
}

function listed(parts: readonly string[]): string {
  const [last = '', ...others] = parts.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`
}

const noCurrency = new CurrencyColumn(undefined)

const textMark = /^['\u2018\u2019][0-9০-৯]/

/** A column with more different words is no status. */
const statusWordsMax = 12
