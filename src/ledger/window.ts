import {earliestNow, type MeasuredTime} from '../core/clocks.ts'
import type {LedgerDates} from '../core/profile.ts'
import type {DateInDigits} from '../core/reconcile/entry.ts'
import {escapeInvisible} from '../core/text.ts'
import {type Span, spanFinder} from './created-at.ts'

import type {Header} from './header.ts'
import {quoteCell} from './quotation.ts'
import {RowTimes} from './row-times.ts'
import {dayMs, readWritten, type WrittenTime} from './written-time.ts'

/** From the first to the last `created_at`, both included; or one sentence why there is no window. */
export type LedgerWindow =
  | {readonly ok: true; readonly fromMs: number; readonly toMs: number}
  | {readonly ok: false; readonly because: string}

/** The time from which on the ledger proves nothing, and why, as a clause. */
export interface UncoveredTime {
  readonly fromMs: number
  readonly because: string
}

/** The latest cells, but for those that were later than the run. */
export interface LatestTimes {
  /** Where the latest cell begins. */
  readonly fromMs: number
  /** The latest date without a time; null without one. */
  readonly date: Span | null
  /** A cell was later than the run, by no more than two time zones can differ. */
  readonly isAhead: boolean
}

/** A date covers its day only if that is over by both clocks. `time`: when the run began. */
export function uncoveredAt({fromMs, date, isAhead}: LatestTimes, time: MeasuredTime): UncoveredTime | null {
  const overMs = earliestNow(time) + clockDriftMs
  if (isAhead || fromMs > overMs)
    return {
      fromMs: 0,
      because: 'a created_at of the ledger is later than now, so its time zone may be mistaken',
    }
  const isKnown = time.skewMs !== null
  if (date === null || (isKnown && date.toMs <= overMs)) return null
  const why = isKnown ? 'the day of this run is not over' : "the service's clock could not be read"
  return {fromMs: date.fromMs, because: `the ledger has dates without a time, and ${why}`}
}

type Order = keyof DateInDigits
type Place = {readonly path: string; readonly line: number; readonly text: string}
/** The number of such rows, and the first of them. */
type Cells = {rows: number; first: Place | null}

const orderNames: Readonly<Record<Order, string>> = {dayFirst: 'the day first', monthFirst: 'the month first'}
const sayOrder = 'set it with --dates day_first or --dates month_first, or as ledger.dates in the profile'
/** A database's clock may be ahead of this machine's. */
const clockDriftMs = 2 * 60_000
/** The largest difference between two time zones; a time that is ahead by more is a typing error. */
const zonesMs = 14 * 60 * 60_000
const dateMs = 23 * 60 * 60_000
const sayBounds = 'give --since and --until'

/** Gathers the window while rows pass. Unreadable cells do not affect their rows; they are reported. */
export class WindowFinder {
  private readonly spanOf: (time: WrittenTime) => Span
  private readonly dates: LedgerDates
  private because: string | null = null
  /** The span of cells with one meaning. */
  private span: Span | null = null
  private readonly times = new RowTimes()
  /** For dates in digits, by the order of day and month; `against` is the first cell that rules the order out. */
  private readonly numeric: Record<Order, {span: Span | null; against: Place | null; times: RowTimes}> = {
    dayFirst: {span: null, against: null, times: new RowTimes()},
    monthFirst: {span: null, against: null, times: new RowTimes()},
  }
  private firstNumeric: Place | null = null
  private readonly blank: Cells = {rows: 0, first: null}
  private readonly unreadable: Cells = {rows: 0, first: null}
  private readonly later: Cells = {rows: 0, first: null}
  private readonly latestMs: number
  private readonly day: Span | null
  private isAhead = false
  /** Where the latest cell begins. */
  private fromMs = Number.MIN_SAFE_INTEGER
  private date: Span | null = null
  private readonly isoDays = new Set<number>()
  private readonly isoMonths = new Set<number>()
  private file = newFile()
  private isSwapped = false

  /** `day`: the business day that the ledger should contain, if known. */
  constructor(
    timeZone: string,
    dates: LedgerDates,
    nowMs = Number.POSITIVE_INFINITY,
    day: Span | null = null,
  ) {
    this.day = day
    this.latestMs = nowMs + clockDriftMs
    this.spanOf = spanFinder(timeZone)
    this.dates = dates
  }

  /** To be called first, once for each file. */
  noteHeader(path: string, header: Header, like: readonly number[] = []): void {
    this.closeFile()
    if (header.at.created_at !== undefined) return
    const [date] = like.map((at) => quoteCell(header.cells[at] ?? ''))
    const choose = date === undefined ? '' : ` (--column created_at=${date} reads one)`
    this.because ??= `${escapeInvisible(path)} has no created_at column${choose}`
  }

  /**
   * `text` is the `created_at` cell of a row; undefined if there is none. Returns what it can mean; null if it is no time of
   * an order.
   */
  noteRow(path: string, line: number, text: string | undefined): Span | DateInDigits | null {
    if (text === undefined) return null
    if (text.trim() === '') {
      note(this.blank, {path, line, text})
      return null
    }
    const reading = readWritten(text)
    if (reading === null || (this.dates === 'iso' && reading.is !== 'iso')) {
      note(this.unreadable, {path, line, text})
      return null
    }
    if (reading.is === 'numeric') {
      const times = [reading.dayFirst, reading.monthFirst].filter((time) => time !== null)
      const spans = times.map(this.spanOf)
      if (spans.filter((span) => this.isToCome(span)).length === spans.length)
        this.noteLater(spans, {path, line, text})
      else return this.noteNumeric(reading, {path, line, text})
      return null
    }
    const span = this.spanOf(reading.time)
    if (this.isToCome(span)) {
      this.noteLater([span], {path, line, text})
      return null
    }
    if (reading.is === 'iso') this.noteIso(reading.time, reading.day)
    this.span = around(this.span, span)
    this.times.add(span)
    return span
  }

  /** How long after its `created_at` another time of a row is: of a date alone, the end of a later day. Null for no time. */
  delayOf(text: string, created: Span | DateInDigits | null): number | null {
    const reading = created === null ? null : (readWritten(text) ?? readWritten(withoutWords(text)))
    if (created === null || reading === null) return null
    const times = reading.is === 'numeric' ? [reading.dayFirst, reading.monthFirst] : [reading.time]
    const spans = 'fromMs' in created ? [created] : [created.dayFirst, created.monthFirst]
    // Of the meanings of dates in digits, those that are nearest belong together.
    const delays = times.flatMap((time) =>
      spans.flatMap((span) => {
        if (time === null || span === null) return []
        const {fromMs, toMs} = this.spanOf(time)
        if (time.lengthMs < dayMs) return fromMs - span.fromMs
        return fromMs > span.fromMs ? toMs - span.fromMs : []
      }),
    )
    return delays.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] ?? null
  }

  /** Whether what a cell may mean is later than the run; if not, it may be the latest. */
  private isToCome(span: Span): boolean {
    const {fromMs, toMs} = span
    if (fromMs > this.latestMs) return true
    if (fromMs > this.fromMs) this.fromMs = fromMs
    if (toMs - fromMs > dateMs && (this.date === null || toMs > this.date.toMs)) this.date = span
    return false
  }

  private noteLater(spans: readonly Span[], place: Place): void {
    this.isAhead ||= spans.some(({fromMs}) => fromMs <= this.latestMs + zonesMs)
    note(this.later, place)
  }

  /** A sentence if a spreadsheet seems to have swapped day and month; else null. */
  doubt(): string | null {
    this.closeFile()
    if (this.isSwapped) return `${swapped}. Export dates as 2026-11-20.`
    const [day = 0] = this.isoDays
    if (this.isoMonths.size < 3 || this.isoDays.size > 1 || day > 12) return null
    return `Every created_at is day ${day} of one of ${this.isoMonths.size} months. If day and month are swapped, the window is wrong: give --since and --until.`
  }

  /** The times that are unreadable, in the future or ambiguous, in one sentence. */
  unread(): string | null {
    const inDigits = this.resolveNumeric()
    const what = this.dates === 'iso' ? 'ISO 8601 time' : 'time hisab reads'
    const parts = [
      describeCells(this.unreadable, (text) => `reads ${quoteCell(text)}, which is no ${what}`),
      describeCells(this.later, (text) => `reads ${quoteCell(text)}, which is later than now`),
      typeof inDigits === 'string' ? inDigits : null,
    ]
    return parts.filter((one) => one !== null).join('; ') || null
  }

  latest(): LatestTimes {
    const {fromMs, date, isAhead} = this
    return {fromMs, date, isAhead}
  }

  blankTimes(): string | null {
    return describeCells(this.blank, () => 'is blank')
  }

  result(): LedgerWindow {
    this.closeFile()
    const because = this.because ?? (this.isSwapped ? swapped : null)
    if (because !== null) return {ok: false, because: `${because}: ${sayBounds}`}
    const inDigits = this.resolveNumeric()
    if (typeof inDigits === 'string') return {ok: false, because: inDigits}
    const span = inDigits ? around(this.span, inDigits) : this.span
    if (span !== null) return {ok: true, ...span}
    const why = this.unread() ?? this.blankTimes() ?? 'no row has a created_at'
    return {ok: false, because: `${why}: ${sayBounds}`}
  }

  /** The order of dates in digits; null if there are none, or nothing shows it. */
  order(): Order | null {
    const inDigits = this.resolveNumeric()
    if (inDigits === null || typeof inDigits === 'string') return null
    return inDigits === this.numeric.monthFirst.span ? 'monthFirst' : 'dayFirst'
  }

  /** The times of rows that could be read; to be called when the window is known. */
  rowTimes(): RowTimes {
    const order = this.order()
    if (order !== null) this.times.addAll(this.numeric[order].times)
    return this.times
  }

  private noteIso({wallMs}: WrittenTime, day: number): void {
    const isoDate = Math.floor(wallMs / dayMs)
    if (isoDate === this.file.isoDate) return
    this.file.isoDate = isoDate
    this.isoDays.add(day)
    this.isoMonths.add(new Date(wallMs).getUTCMonth())
    this.file.isoDayMax = Math.max(this.file.isoDayMax, day)
  }

  private noteNumeric(
    reading: Readonly<Record<Order, WrittenTime | null>>,
    place: Place,
  ): DateInDigits | null {
    const {dates} = this
    if (dates !== 'auto' && reading[dates === 'day_first' ? 'dayFirst' : 'monthFirst'] === null) {
      note(this.unreadable, place)
      return null
    }
    const found: Record<Order, Span | null> = {dayFirst: null, monthFirst: null}
    this.firstNumeric ??= place
    this.file.hasNumeric = true
    if (reading.dayFirst && reading.monthFirst) this.file.hasEither = true
    for (const order of ['dayFirst', 'monthFirst'] as const) {
      const [time, of] = [reading[order], this.numeric[order]]
      if (time) {
        const span = this.spanOf(time)
        of.span = around(of.span, span)
        of.times.add(span)
        found[order] = span
      } else of.against ??= place
    }
    return found
  }

  /** The window of dates in digits; null without any; a sentence if their order of day and month is unknown. */
  private resolveNumeric(): Span | string | null {
    const {firstNumeric: first, dates} = this
    const {dayFirst, monthFirst} = this.numeric
    if (first === null) return null
    if (dates === 'day_first') return dayFirst.span
    if (dates === 'month_first') return monthFirst.span
    if (dayFirst.against && monthFirst.against) {
      const at = (order: Order, {line, text}: Place) =>
        `${quoteCell(text)} on line ${line} not ${orderNames[order]}`
      return `created_at has ${at('dayFirst', dayFirst.against)}, and ${at('monthFirst', monthFirst.against)}: ${sayOrder}; the rows of the other order are named then`
    }
    if (dayFirst.against) return monthFirst.span
    if (monthFirst.against || isSame(dayFirst.span, monthFirst.span)) return dayFirst.span
    const [hasDay, hasDaySwapped] = [dayFirst.span, monthFirst.span].map((span) => this.isOfDay(span))
    if (hasDay !== hasDaySwapped) return hasDay ? dayFirst.span : monthFirst.span
    return `created_at on line ${first.line} of ${escapeInvisible(first.path)} reads ${quoteCell(first.text)}, and no row shows whether the day or the month is first: ${sayOrder}`
  }

  private isOfDay(span: Span | null): boolean {
    const {day} = this
    return day !== null && span !== null && span.fromMs <= day.toMs && span.toMs >= day.fromMs
  }

  /**
   * A spreadsheet converts the dates that fit its own order of day and month, with both swapped, and leaves the rest as
   * text: then all ISO 8601 dates have a day up to 12, and no date left as text has.
   */
  private closeFile(): void {
    const {hasNumeric, hasEither, isoDayMax} = this.file
    if (hasNumeric && !hasEither && isoDayMax > 0 && isoDayMax <= 12) this.isSwapped = true
    this.file = newFile()
  }
}

const swapped =
  'created_at has dates like 2026-11-20 only up to day 12, and later days with slashes, which suggests that a spreadsheet swapped day and month'

function newFile() {
  return {hasNumeric: false, hasEither: false, isoDayMax: 0, isoDate: Number.NaN}
}

function note(cells: Cells, place: Place): void {
  cells.rows += 1
  cells.first ??= place
}

function describeCells({rows, first}: Cells, is: (text: string) => string): string | null {
  if (first === null) return null
  const more = rows > 1 ? ` (and in ${rows - 1} more ${rows > 2 ? 'rows' : 'row'})` : ''
  return `created_at on line ${first.line} of ${escapeInvisible(first.path)} ${is(first.text)}${more}`
}

function around(one: Span | null, other: Span): Span {
  if (one === null) return other
  if (one.fromMs <= other.fromMs && one.toMs >= other.toMs) return one
  return {fromMs: Math.min(one.fromMs, other.fromMs), toMs: Math.max(one.toMs, other.toMs)}
}

function isSame(one: Span | null, other: Span | null): boolean {
  return one?.fromMs === other?.fromMs && one?.toMs === other?.toMs
}

/** `auto 2026-11-24 07:15`, `24/11/2026 07:15 by karim`, and a year of two digits, which the time of the order makes certain. */
function withoutWords(text: string): string {
  return text
    .trim()
    .replace(/^[\p{L}\p{M}]+[\s:,-]+(?=\d)/u, '')
    .replace(/[\s,(]+by\s.*$/iu, '')
    .replace(/^(\d{1,2}[-/.]\d{1,2}[-/.])(\d\d)(?!\d)/, (_, day, year) => `${day}20${year}`)
}
