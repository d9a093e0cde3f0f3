import type {LedgerMapping} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'
import {saysNotBooked, stateReader} from './booking-words.ts'
import type {Header} from './header.ts'
import {tellsOfBooking, unreadPlaces} from './header-words.ts'
import {quoteCell} from './quotation.ts'

/** Rows with the same contradiction, and the first of them. */
interface Said {
  rows: number
  readonly line: number
  readonly text: string
}

/** If more of the booked rows say so, it is how the file is written. */
const share = 0.1
const saidMax = 1000

/**
 * Rows that count as booked, but whose unread columns say otherwise: `not credited`, `pending`, or nothing below
 * `Credited At` although other rows have a value. If such a row is believed, an order that nobody booked stays hidden.
 */
export class ContradictedRows {
  private readonly header: Header
  private readonly unread: readonly number[]
  private readonly ofBooking: ReadonlySet<number>
  private readonly stateOf: ReturnType<typeof stateReader>
  private readonly said = new Map<string, Said>()
  private booked = 0

  constructor(header: Header, mapping: LedgerMapping) {
    this.header = header
    this.unread = unreadPlaces(header, mapping)
    this.ofBooking = new Set(header.at.status === undefined ? [] : tellsOfBooking(header, mapping))
    this.stateOf = stateReader(mapping)
  }

  /** Call it only for rows that count as booked. */
  take(cells: readonly string[], line: number): void {
    this.booked += 1
    for (const at of this.unread) {
      const text = cells[at] ?? ''
      const isNone = this.ofBooking.has(at) && /^(?:[\s-]*|0+(?:\.0+)?)$/.test(text)
      if (!isNone && this.stateOf(text) !== 'open' && !saysNotBooked(text)) continue
      const key = `${at} ${isNone ? '' : text}`
      const said = this.said.get(key)
      if (said) said.rows += 1
      else if (this.said.size < saidMax) this.said.set(key, {rows: 1, line, text: this.shown(at, text)})
    }
  }

  /** To be called after the last row; at most one sentence. */
  sentences(path: string): string[] {
    const rare = [...this.said.values()].filter(({rows}) => rows === 1 || rows <= this.booked * share)
    const [first] = rare
    if (first === undefined) return []
    const rows = rare.reduce((all, one) => all + one.rows, 0)
    const more = rows > 1 ? ` (and ${rows - 1} more ${rows > 2 ? 'rows' : 'row'})` : ''
    return [
      `line ${first.line} of ${escapeInvisible(path)} counts as booked and says otherwise (${first.text})${more}: correct the row, or the order that it names may not be booked`,
    ]
  }

  private shown(at: number, text: string): string {
    const header = quoteCell(this.header.cells[at] ?? '')
    return `${header} ${text.trim() === '' ? 'is blank' : `says ${quoteCell(text)}`}`
  }
}
