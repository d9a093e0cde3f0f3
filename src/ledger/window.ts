import {visible} from '../core/text.ts'
import {createdAtReader, type Span} from './created-at.ts'
import type {Header} from './header.ts'
import {quote} from './quotation.ts'

/** From the first to the last `created_at`, both inclusive; or one sentence why there is none (contract §4). */
export type LedgerWindow =
  | {readonly ok: true; readonly fromMs: number; readonly toMs: number}
  | {readonly ok: false; readonly because: string}

const slashed = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\b/
const isoDay = /^\d{4}-(\d\d)-(\d\d)/

/** Gathers the window while rows pass. One time that cannot be read takes the window away, never the row. */
export class WindowFinder {
  private readonly read: (text: string) => Span | null
  private span: Span | null = null
  private because: string | null = null
  private readonly slashes = {first: 0, second: 0}
  private readonly months = new Set<string>()
  private readonly days = new Set<string>()

  constructor(timeZone: string) {
    this.read = createdAtReader(timeZone)
  }

  /** To be called once for each file. */
  noteHeader(path: string, header: Header): void {
    if (header.at.created_at === undefined) this.because ??= `${visible(path)} has no created_at column`
  }

  /** The `created_at` of a row in milliseconds, null where it is blank or cannot be read. */
  noteRow(path: string, line: number, text: string): number | null {
    if (text.trim() === '') return null
    const span = this.read(text)
    if (span === null) {
      const [, first, second] = slashed.exec(text.trim()) ?? []
      this.slashes.first = Math.max(this.slashes.first, Number(first ?? 0))
      this.slashes.second = Math.max(this.slashes.second, Number(second ?? 0))
      this.because ??= `created_at on line ${line} of ${visible(path)} reads ${quote(text)}, which is not ISO 8601`
      return null
    }
    const [, month, day] = isoDay.exec(text.trim()) ?? []
    if (month && day) {
      this.months.add(month)
      this.days.add(day)
    }
    this.span = {
      fromMs: Math.min(span.fromMs, this.span?.fromMs ?? span.fromMs),
      toMs: Math.max(span.toMs, this.span?.toMs ?? span.toMs),
    }
    return span.fromMs
  }

  /** What looks as if a spreadsheet had swapped day and month, as a sentence; null where nothing does. */
  doubt(): string | null {
    const {first, second} = this.slashes
    if (first > 12 || second > 12) {
      const order = first > 12 ? 'day first' : 'month first'
      const others =
        this.span === null
          ? ''
          : ', so the other dates of the column have perhaps lost that order: day and month swapped'
      return `created_at holds dates with the ${order}${others}. Export dates as 2026-11-20.`
    }
    if (first > 0) return 'created_at holds dates that may be day or month first. Export dates as 2026-11-20.'
    const [day = ''] = this.days
    if (this.months.size < 3 || this.days.size > 1 || Number(day) > 12) return null
    return `Every created_at is day ${Number(day)} of one of ${this.months.size} months: are day and month swapped? The window is wrong then; give --since and --until.`
  }

  result(): LedgerWindow {
    const because = this.because ?? (this.span === null ? 'no row has a created_at' : null)
    if (because !== null || this.span === null) {
      return {ok: false, because: `${because}: give --since and --until`}
    }
    return {ok: true, ...this.span}
  }
}
