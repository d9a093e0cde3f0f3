import {mayBeOneAmount, type Paisa} from '../core/money.ts'
import {amountsIn} from './amounts-in-text.ts'
import {saysNotBooked, saysOwnBooked} from './booking-words.ts'
import {bareOf} from './hand-lists.ts'
import type {OtherOrderTexts} from './other-order-texts.ts'
import {isPayerHeader} from './payer-header.ts'
import type {Payers} from './payer-lines.ts'
import {namesIn, PlayerTies} from './player-ties.ts'

/** More than the row's own booking: `prev pending added here`, `ager ta soho`, `আগেরটা সহ`. */
const speaksOfAnother =
  /(?<![\p{L}\p{M}])(?:also|too|prev(?:ious)?|old(?:er)?|earlier|other|another|both|stuck|missing|missed|pending|combined|ager\p{L}*|soho|shoho|আগের\p{L}*|সহ)(?![\p{L}\p{M}])/iu
/** With one of them it says that the other was given, and not that it is awaited. */
const gave =
  /(?<![\p{L}\p{M}])(?:given|gave|give|add(?:ed)?|credited|paid|incl(?:uded|uding)?|with|combined|booked|done|d(?:iye|isi|ichi|ewa|eya)\p{L}*|soho|shoho|সহ|দেওয়া|দেওয়া|দেয়া|দেয়া|যোগ|দিয়েছি|দিছি)(?![\p{L}\p{M}])/iu

/** Somebody gave it, in a word that is no row's status. */
const byGiving =
  /(?<![\p{L}\p{M}])(?:gave|(?:by|with) hand|hat[eh]\p{L}*|d(?:iye|isi|ise|ichi|ewa|eya)\p{L}*)(?![\p{L}\p{M}])|হাতে/iu
/** What is not the amount of a deposit. */
const extras =
  /\p{N}[\p{N},.]*\s*(?:tk|taka|bdt)?\s*(?:bonus|cash ?back|commission|rebate|fee|charge)|(?:bonus|cash ?back|commission|rebate|fee|charge)s?[\s:=-]*(?:of )?\p{N}[\p{N},.]*/giu

/** Given for another reason than a deposit. */
const anExtra = /(?<!\p{L})(?:bonus|cash ?back|commission|rebate|referr\p{L}*|promo)(?!\p{L})/iu

const linesMax = 50_000
/** What more rows have in the same words is said of each row. */
const routineRows = 5

export interface RemarkedRow {
  readonly player: string
  readonly amount: string
  readonly line: number
}

interface Remark {
  readonly text: string
  readonly line: number
  readonly header?: string
}

interface BookingRemark extends Remark {
  readonly row: RemarkedRow
  /** What names the player of the row. */
  readonly who: readonly string[]
  readonly says: 'by hand' | 'given' | 'maybe' | 'nothing'
  rows: number
}

type Take = (orderNo: string, remark: Remark) => void

/**
 * Remarks beside rows that may tell of another order than the row's own: of the same player, given along with it; or of a
 * player whom they name, or of an amount that is not the row's, with words of a booking.
 */
export class PlayerRemarks {
  readonly ties: PlayerTies
  private readonly remarks: {readonly player: string; readonly text: string; readonly line: number}[] = []
  private readonly bookings = new Map<string, BookingRemark>()
  /** How many rows have such a text, whatever its figures. */
  private readonly forms = new Map<string, number>()
  private rows = 0
  private readonly headers: readonly string[]
  private readonly whoAt: readonly number[]
  private readonly isNotes: (column: number) => boolean

  constructor(
    headers: readonly string[],
    isNotes: (column: number) => boolean,
    {playerAt, left}: {readonly playerAt: number; readonly left: ReadonlySet<number>},
  ) {
    this.headers = headers
    this.isNotes = (at) => isNotes(at) && !left.has(at)
    this.ties = new PlayerTies(headers, left, playerAt)
    this.whoAt = [...headers.keys()].filter((at) => at === playerAt || isPayerHeader(headers[at] ?? ''))
  }

  /** What names the player in a row. */
  whoIn(cells: readonly string[]): readonly string[] {
    return this.whoAt.map((at) => cells[at] ?? '')
  }

  /** A row, with its comments. */
  take(row: RemarkedRow, cells: readonly string[], comments: readonly string[]): void {
    this.rows += 1
    this.ties.take(cells)
    for (const [at, text] of cells.entries())
      if (this.isNotes(at)) this.add(text, row, cells, this.headers[at])
    for (const text of comments) this.add(text, row, cells)
  }

  /** A line that is no row, or that nothing explains: texts beside the table, and whose it may be. */
  takeNoRow(row: RemarkedRow, cells: readonly string[], isTotal: boolean): void {
    const [text = '', ...others] = new Set(cells.map((cell) => cell.trim()).filter(Boolean))
    // A sentence is about no row, and a line of it may be taken for a total.
    if (others.length === 0 && /\p{L}/u.test(text) && /\s/u.test(text))
      this.add(text, {player: '', amount: '', line: row.line}, [])
    if (isTotal) return
    const {length} = this.headers
    if (cells.length > length) for (const text of cells.slice(length)) this.add(text, row, cells)
    else this.ties.takeUnexplained(cells, row.line)
  }

  private add(text: string, row: RemarkedRow, cells: readonly string[], header = ''): void {
    if (text.trim() === '') return
    const {player, line} = row
    if (player.trim() !== '' && this.remarks.length < linesMax)
      if (speaksOfAnother.test(text) && gave.test(text)) this.remarks.push({player, text, line})
    const same = this.bookings.get(text)
    const says = same ? same.says : saysOfBooking(text)
    if (says === null) return
    const form = formOf(text)
    if (this.forms.size < linesMax || this.forms.has(form))
      this.forms.set(form, (this.forms.get(form) ?? 0) + 1)
    if (same) same.rows += 1
    else if (this.bookings.size < linesMax)
      this.bookings.set(text, {text, line, header, row, who: this.whoIn(cells), says, rows: 1})
  }

  /** Whether a remark may name a player without an amount. */
  get mayName(): boolean {
    const mayName = ({text, says}: BookingRemark) => says !== 'nothing' && this.ties.mayName(text)
    return this.remarks.length > 0 || [...this.told()].some(mayName)
  }

  *amounts(): Generator<Paisa> {
    for (const {text} of this.told()) yield* amountsOf(text)
  }

  /** For the orders of other days. */
  tell(others: OtherOrderTexts | null): void {
    if (others === null) return
    const {players} = others
    for (const {player} of this.remarks) players.takeLine([player])
    for (const {text, row, says} of this.told()) {
      if (others.namesOrders(text)) continue
      const cells = [...this.ties.playersIn(text).filter((one) => bareOf(one) !== bareOf(row.player)), text]
      if (amountsOf(text).length > 0) players.takePayer(cells, row.player)
      else if (says === 'by hand') players.takeLine(cells, row.player)
    }
    for (const {player} of this.ties.tied()) players.takeLine([player])
  }

  /** To be called when all players are known. */
  finish(payers: Payers, take: Take, takeOther: Take): void {
    for (const {player, ...remark} of this.remarks)
      for (const orderNo of payers.lostOf(player)) take(orderNo, remark)
    for (const remark of this.told())
      for (const orderNo of this.meant(remark, payers)) takeOther(orderNo, remark)
  }

  /** A remark of many rows is said of each of them. */
  private *told(): Generator<BookingRemark> {
    for (const remark of this.bookings.values()) {
      const alike = this.forms.get(formOf(remark.text)) ?? 0
      if (remark.rows <= routineRows && (alike <= routineRows || alike * 2 <= this.rows)) yield remark
    }
  }

  private *meant({text, row: {player, amount}, who, says}: BookingRemark, payers: Payers): Generator<string> {
    const own = new Set([player, ...who].map(bareOf))
    const names = new Set(namesIn(text))
    const [ofRow] = amountsIn(amount)
    const isExtra = anExtra.test(text)
    let namesAny = this.ties.playersIn(text).length > 0 || [...own].some((name) => names.has(name))
    for (const [name, payer] of payers.namedIn(text)) {
      if (!payer.isPart) namesAny = true
      if (!payer.isLost) continue
      const others = amountsOf(text).filter((one) => bareOf(String(one / 100n)) !== name)
      const isAmount = others.some((one) => mayBeOneAmount(one, payer.amount))
      if (own.has(name)) {
        if (others.some((one) => one !== ofRow && one === payer.amount)) yield payer.orderNo
      } else if (
        says === 'nothing'
          ? !payer.isPart && others.includes(payer.amount)
          : isAmount ||
            (!payer.isPart && says !== 'maybe' && (says === 'by hand' || (others.length === 0 && !isExtra)))
      )
        yield payer.orderNo
    }
    if (
      namesAny ||
      says === 'maybe' ||
      says === 'nothing' ||
      (this.forms.get(formOf(text)) ?? 0) > routineRows
    )
      return
    for (const one of amountsOf(text)) if (one !== ofRow) yield* payers.lostOfAmount(one)
  }
}

/**
 * Whether a remark says that something was booked: by a hand, given, or in words that may mean it. Without a word it still does
 * where it has another player and the very amount of his order.
 */
function saysOfBooking(text: string): BookingRemark['says'] | null {
  const said = saysOwnBooked(text, true)
  if (said === null && saysNotBooked(text)) return null
  if (said === null && byGiving.test(text)) return 'given'
  if (said === null) return /\p{N}/u.test(text) && !anExtra.test(text) ? 'nothing' : null
  if (said === 'by hand' || (said === 'manual' && byGiving.test(text))) return 'by hand'
  return said === 'booked' && (byGiving.test(text) || saysOwnBooked(text, false) !== null) ? 'given' : 'maybe'
}

function amountsOf(text: string): Paisa[] {
  return amountsIn(text.replace(extras, ' '))
}

function formOf(text: string): string {
  return text.trim().replace(/\p{N}+/gu, '#')
}
