import {visible} from '../core/text.ts'
import {createdAtReader, type Span} from './created-at.ts'
import type {Header} from './header.ts'
import {quote} from './quotation.ts'

/** From the first to the last `created_at`, both inclusive; or one sentence why there is none (contract §4). */
export type LedgerWindow =
  | {readonly ok: true; readonly fromMs: number; readonly toMs: number}
  | {readonly ok: false; readonly because: string}

/** Gathers the window while rows pass. One time that cannot be read takes the window away, never the row. */
export class WindowFinder {
  private readonly read: (text: string) => Span | null
  private span: Span | null = null
  private because: string | null = null

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
      this.because ??= `created_at on line ${line} of ${visible(path)} reads ${quote(text)}, which is not ISO 8601`
      return null
    }
    this.span = {
      fromMs: Math.min(span.fromMs, this.span?.fromMs ?? span.fromMs),
      toMs: Math.max(span.toMs, this.span?.toMs ?? span.toMs),
    }
    return span.fromMs
  }

  result(): LedgerWindow {
    const because = this.because ?? (this.span === null ? 'no row has a created_at' : null)
    if (because !== null || this.span === null) {
      return {ok: false, because: `${because}: give --since and --until`}
    }
    return {ok: true, ...this.span}
  }
}
