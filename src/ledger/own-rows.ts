import {headerSaysBooked, headerSaysByHand, saysNotBooked, saysOwnBooked, wordsOf} from './booking-words.ts'
import {isBlank, isForm, isNo, isNothing, isOfNumbers, isShort, keyOf, signsOf} from './cell-keys.ts'
import {CellMemory} from './cell-memory.ts'
import {isHarmlessNote, isHarmlessRemark} from './harmless-remarks.ts'
import {headerSaysMoneyBack, saysMoneyBack, saysNoMoneyBack} from './money-back.ts'
import {isFreeText, isNoExtra, isOfOwner, isPlainColumn} from './plain-columns.ts'
import {readWritten} from './written-time.ts'

/** What a row says about its order: it is booked, its money went back, or something that hisab cannot read. */
export type Meaning = 'own row' | 'money back' | 'unlike others'

interface Said {
  readonly how: Meaning
  /** Nobody writes this about an open order. */
  readonly isCertain: boolean
  /** It may as well be a way of matching or paying: `manual review`. */
  readonly isMethod: boolean
}

/**
 * `resend`: its webhook is about to be resent; `unpaid`: not paid at the service; `undelivered`: booked although its
 * webhook was not delivered; `booked`: any other booked row.
 */
export type RowState = 'resend' | 'unpaid' | 'undelivered' | 'booked'

export interface OwnRow {
  readonly orderNo: string
  readonly line: number
  /** Null for any other row. */
  readonly state: RowState | null
  /** The meaning of its status, if it is not booked. */
  readonly status: 'open' | 'failed'
}

export interface RowText {
  readonly orderNo: string
  readonly line: number
  readonly header: string
  readonly text: string
}

/** A line within the table that is no row. */
export interface Heading {
  readonly line: number
  readonly text: string
}

interface Cell extends RowText {
  readonly status: OwnRow['status']
  readonly key: string
}

interface Column {
  readonly header: string
  readonly isPlain: boolean
  readonly isNotes: boolean
  /** It is read, for another meaning. */
  readonly isRead: boolean
  readonly keys: CellMemory<string>
  readonly booked: Map<string, number>
  readonly unpaid: Readonly<Record<OwnRow['status'], Map<string, number>>>
  readonly lost: Readonly<Record<OwnRow['status'], Map<string, number>>>
  /** Rows that have something there. */
  readonly filled: Record<'booked' | OwnRow['status'], number>
  /** Of a column that is read: the signs around its cells, with how many booked and unpaid rows have them. */
  readonly signs: Map<string, number>
  readonly resend: Cell[]
  /** Of rows that are open, and whose orders are not paid yet. */
  readonly open: Cell[]
  readonly undelivered: Cell[]
}

const keysMax = 10_000
const undeliveredMax = 1_000
/** What this many rows have is no accident. */
const usualMin = 3
/** A column of so many words is no list of what was done. */
const manyMin = 10

/**
 * Judges the cells in unread columns, and the headings between the rows. hisab resends a webhook unasked only if its
 * order's row says nothing that hisab cannot read. A cell is harmless under a plain header, or if it is about as common
 * among unpaid rows with the same status. A booked row whose webhook was not delivered must look like the other booked
 * rows.
 */
export class OwnRows {
  private readonly columns: (Column | null)[]
  private readonly comments: Column
  private readonly headings: Column
  private readonly createdAt: number
  private readonly amountAt: number
  private readonly unpaid = {open: 0, failed: 0}
  private readonly lost = {open: 0, failed: 0}
  private booked = 0
  private undelivered = 0

  /** `left`: places of columns that are checked elsewhere or not at all; `read`: columns with another meaning. */
  constructor(
    headers: readonly string[],
    {
      left,
      read,
      amountAt,
      createdAt,
      isNotes,
    }: {
      readonly left: ReadonlySet<number>
      readonly read: ReadonlySet<number>
      readonly amountAt: number
      readonly createdAt: number
      readonly isNotes: (header: string) => boolean
    },
  ) {
    this.createdAt = createdAt
    this.amountAt = amountAt
    this.columns = headers.map((header, at) =>
      left.has(at)
        ? null
        : columnOf(
            header.trim(),
            at !== amountAt && at !== createdAt && (read.has(at) || isPlainColumn(header)),
            header.trim() === '' || isNotes(header),
            read.has(at),
          ),
    )
    this.comments = columnOf('', false, true)
    this.headings = columnOf('', false, true)
  }

  /** `heading`: the line above it, within the table, that is no row. */
  take(
    row: OwnRow,
    cells: readonly string[],
    comments: readonly string[],
    heading: Heading | null = null,
  ): void {
    const {state, status} = row
    if (state === null) return
    if (state === 'booked') this.booked += 1
    if (state === 'unpaid') this.unpaid[status] += 1
    if (state === 'resend') this.lost[status] += 1
    if (state === 'undelivered') this.undelivered += 1
    const created = cells[this.createdAt]?.trim() ?? ''
    while (this.columns.length < cells.length) this.columns.push(columnOf('', false, true))
    for (const [at, column] of this.columns.entries()) {
      const text = (cells[at] ?? '').trim()
      // The amount is compared with the service's anyway, unless it is blank.
      if (at === this.amountAt && (text !== '' || state === 'resend') && state !== 'booked') continue
      if (!column) continue
      if (at === this.createdAt && !isOtherThanTime(text)) continue
      const isCreated = text !== '' && text === created && at !== this.createdAt
      this.takeCell(column, row, text === row.orderNo ? '' : text, isCreated)
    }
    for (const text of comments) this.takeCell(this.comments, row, text.trim())
    if (heading !== null && meaningOf(heading.text, this.headings) !== null)
      this.takeCell(this.headings, {...row, line: heading.line}, heading.text)
  }

  private takeCell(
    column: Column,
    {state, status, orderNo, line}: OwnRow,
    text: string,
    isCreated = false,
  ): void {
    const own = column.keys.of(text) ?? column.keys.keep(text, isBlank(text) ? '' : keyOf(text))
    const key = isCreated && own !== '' ? createdKey : own
    const counted = state === 'booked' ? 'booked' : state === 'unpaid' ? status : null
    if (counted && key !== '') column.filled[counted] += 1
    if (counted && column.isRead) for (const sign of signsOf(text)) count(column.signs, sign)
    if (state === 'booked') count(column.booked, key)
    else if (state === 'unpaid') {
      count(column.unpaid[status], key)
      if (key !== '' && status === 'open')
        column.open.push({orderNo, line, header: column.header, text, status, key})
    } else if (state === 'resend') {
      count(column.lost[status], key)
      if (key !== '') column.resend.push({orderNo, line, header: column.header, text, status, key})
    } else if (this.undelivered <= undeliveredMax)
      column.undelivered.push({orderNo, line, header: column.header, text, status, key})
  }

  /** To be called after the last row: the cells that hold back the resend of their order. */
  held(take: (said: RowText, how: Meaning | 'heading') => void): void {
    for (const column of [...this.columns, this.comments, this.headings]) {
      if (column === null) continue
      for (const cell of column.resend) {
        const said = meaningOf(cell.text, column)
        if (this.isHarmless(cell, column, said)) continue
        take(cell, column === this.headings ? 'heading' : (said?.how ?? 'unlike others'))
      }
    }
  }

  /** The same of orders that are not paid yet: only words of a booking or of money, since `waiting` will be over then. */
  early(take: (said: RowText, how: Meaning) => void): void {
    for (const column of [...this.columns, this.comments])
      for (const cell of column?.open ?? []) {
        const said = column && meaningOf(cell.text, column)
        if (!column || (said === null && !hasMoney.test(cell.text))) continue
        if (!this.isHarmless(cell, column, said, 1)) take(cell, said?.how ?? 'unlike others')
      }
  }

  /** Cells of booked rows without a delivered webhook that say otherwise. */
  *contradictions(): Generator<RowText> {
    for (const column of [...this.columns, this.comments]) {
      if (column === null) continue
      for (const cell of column.undelivered) if (this.saysOtherwise(cell, column)) yield cell
    }
  }

  /** `self`: how many of the unpaid rows are its own. */
  private isHarmless(cell: Cell, column: Column, said: Said | null, self = 0): boolean {
    const {key, text, status} = cell
    const {booked, filled} = column
    const others = this.booked + this.unpaid.open + this.unpaid.failed - self
    if (column.isRead && signsOf(text).some((sign) => ((column.signs.get(sign) ?? 0) - self) * 10 < others))
      return others === 0
    if (said === null && this.isOfOwner(cell, column)) return true
    if (this.isOfUnpaid(cell, column, said, self)) return true
    // Times in a form that hisab cannot read.
    if (column === this.columns[this.createdAt] && filled.booked * 2 > this.booked) return said === null
    // A title below the header.
    if (column === this.headings) return key === this.usualOf(column) && !said?.isCertain
    if (isShort(key) && isOfNumbers(column.unpaid[status])) return true
    if (this.unpaid[status] === 0 && booked.size > 1 && isNoExtra(cell)) return true
    if (said === null && (this.isSpread(cell, column) || (column.isNotes && isHarmlessRemark(text))))
      return true
    // `Updated At` equal to `Created At`: nobody touched the row.
    if (key === createdKey && this.unpaid[status] === 0)
      return changes.test(wordsOf(column.header)) && filled.booked * 2 > this.booked
    if (column.isPlain)
      return (
        !this.isOfBooking(key, text, column, status) &&
        (said === null || ((booked.get(key) ?? 0) >= usualMin && !said.isCertain))
      )
    // Below a header that asks for what is open, a no means booked, and booked rows have a no or nothing.
    if (!isNo(text) || [...column.unpaid[status].keys()].some((other) => other !== '' && !isNo(other)))
      return false
    const nos = [...booked].reduce((all, [word, rows]) => (isNo(word) ? all + rows : all), 0)
    return (filled.booked - nos) * 2 > this.booked
  }

  /** Whether unpaid rows have it as well, and not by an accident: staff may write one text over paid and unpaid rows. */
  private isOfUnpaid({key, text, status}: Cell, column: Column, said: Said | null, self: number): boolean {
    const unpaid = this.unpaid[status] - self
    const ofUnpaid = (column.unpaid[status].get(key) ?? 0) - self
    if (ofUnpaid <= 0) return false
    if (ofUnpaid * (said === null ? 3 : 2) >= unpaid || saysNotBooked(text)) return true
    if (said?.isCertain || isForm(key)) return false
    if (said !== null && !said.isMethod) return false
    // One of several words in a column that most rows fill.
    const usual = this.usualOf(column)
    const filled = column.filled[status] - (usual === '' ? 0 : (column.unpaid[status].get(usual) ?? 0))
    const isFilled = filled * 2 >= unpaid && column.filled.booked * 2 >= this.booked
    if (isFilled && (column.booked.get(key) ?? 0) >= usualMin) return true
    const others = self - 1
    const [lost, ofLost] = [this.lost[status] + others, (column.lost[status].get(key) ?? 0) + others]
    return said === null && ofUnpaid >= usualMin && ofUnpaid * lost * 2 >= ofLost * unpaid
  }

  /** Whether the column tells of the player, and the cell is a number or a letter, a word of several booked rows, or one of many. */
  private isOfOwner({key, text}: Cell, {header, isRead, booked, filled}: Column): boolean {
    if (isRead || !isOfOwner(header)) return false
    const isMany = isFreeText(header) || booked.size >= manyMin || booked.size * 2 >= filled.booked
    return isForm(key) || text.length <= 2 || isMany || (booked.get(key) ?? 0) >= usualMin
  }

  /**
   * Whether the column has several words over booked and unpaid rows alike, as the level of a player has, and it is by
   * accident that no unpaid row has this one.
   */
  private isSpread({key, status}: Cell, column: Column): boolean {
    const {booked, filled, header, isNotes, isRead} = column
    const asks = wordsOf(header)
    if (isNotes || isRead || asks === '' || ofState.test(asks)) return false
    const unpaid = this.unpaid[status]
    const words = [...column.unpaid[status].keys()].filter((word) => word !== '')
    // The player enters a code before he pays.
    const isCode = isPromo.test(asks)
    const [ofBooked, ofUnpaid] = [filled.booked / this.booked, filled[status] / unpaid]
    const isFilled =
      words.length > 1 && (ofUnpaid >= 0.9 || filled[status] >= usualMin) && ofUnpaid >= ofBooked * 0.8
    if (!isCode && (!isFilled || isForm(key))) return false
    const isUsual = (word: string) => (booked.get(word) ?? 0) >= Math.max(usualMin, this.booked * 0.05)
    if (![key, ...words].every(isUsual) || this.usualOf(column) !== '') return false
    // A word of most booked rows is rather what a booking writes.
    const share = (booked.get(key) ?? 0) / this.booked
    return (1 - share) ** unpaid > (share < 0.4 ? 0.01 : 0.1)
  }

  /** What nearly all booked rows have; nothing, if they differ. */
  private usualOf({booked}: Column): string {
    return [...booked].find(([, rows]) => rows >= this.booked * 0.9)?.[0] ?? ''
  }

  /** Whether a cell under a harmless header is rather of those that booked: few rows have it, or hardly any unpaid one. */
  private isOfBooking(key: string, text: string, column: Column, status: OwnRow['status']): boolean {
    const {filled, booked, header} = column
    if (isWallet.test(wordsOf(header)) && !isChannel.test(text) && !isForm(key)) return true
    if (this.booked < rowsMin) return false
    // One word in nearly all rows, and another in few: `system`, and `karim`.
    const usual = this.usualOf(column)
    const isUnusual = !isForm(key) && !isChannel.test(text)
    if (usual !== '' && !isForm(usual) && isUnusual && (booked.get(key) ?? 0) < this.booked * 0.1) return true
    // A column that is read, such as the player, may be blank in all payouts.
    if (column.isRead) return false
    const [unpaid, ofUnpaid] = [this.unpaid[status], filled[status]]
    const share = filled.booked / this.booked
    if (ofUnpaid > 0)
      return share < 0.1 ? ofUnpaid < usualMin && ofUnpaid * 3 < unpaid : ofUnpaid * 3 < unpaid * share
    return share < 0.3 || unpaid >= usualMin || (1 - share) ** unpaid <= 0.1 + Number.EPSILON
  }

  private saysOtherwise({key, text}: Cell, {header, isPlain, isNotes, booked}: Column): boolean {
    if (isPlain) return false
    if (key !== '' && (saysMoneyBack(text, isNotes) !== null || saysNotBooked(text))) return true
    if (saysOwnBooked(text, true) !== null) return false
    const [usual, rows] = [...booked].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0])
    // A column of numbers, and a few words where most rows have none: `promo EID`.
    if (
      isNumber.test(text) &&
      (isBalance.test(wordsOf(header)) ||
        (key !== 'no' && isForm(usual) && isNumber.test(usual.replaceAll('#', '0'))))
    )
      return false
    if (isNotes && usual === '' && isHarmlessNote(text)) return false
    return rows * 2 > this.booked && (booked.get(key) ?? 0) < this.booked * 0.1
  }
}

const createdKey = '= created_at'
const hasMoney = /(?<!\p{L})(?:got|gets|took|taken|received|has it|peyeche|paise|পেয়েছে|পেয়েছেন)(?!\p{L})/iu
const changes =
  /(?:^| )(?:updated?|modified|changed|edited|last|created?|requested|synced|আপডেট|পরিবর্তন)(?= |$)/u
/** Below such a header stands who did something, or how far it came. */
const ofState =
  /(?<!\p{L})(?:by|operator|staff|cashier|clerk|officer|admin|handler|assignee|status|state|stage|step|result|outcome|progress|flag|mark|check|checked|action|done|wallet|credit|credited|booked|posted|settled|settlement|sync|অপারেটর|এজেন্ট|অবস্থা|স্ট্যাটাস)(?!\p{L})/u
const isPromo = /(?<!\p{L})(?:promo|coupon|voucher|campaign|referral|bonus code)(?!\p{L})/u
const isWallet = /(?:^| )wallet(?= |$)|ওয়ালেট/u
const isChannel = /bkash|b-kash|nagad|rocket|upay|বিকাশ|নগদ|রকেট/iu
/** Fewer booked rows show nothing of what is usual. */
const rowsMin = 10

const isNumber = /^[\p{N}.,\s]*\p{N}[\p{N}.,\s]*$/u
const isBalance = /balance|ব্যালেন্স/u

/** What stands beside a time, or in its place: `karim 2026-11-23 10:15`, `2026-11-23 10:15*`. */
function isOtherThanTime(text: string): boolean {
  return !isBlank(text) && !isNothing.test(text.toLowerCase()) && readWritten(text) === null
}

function columnOf(header: string, isPlain: boolean, isNotes: boolean, isRead = false): Column {
  const unpaid = {open: new Map(), failed: new Map()}
  const filled = {booked: 0, open: 0, failed: 0}
  const lost = {open: new Map(), failed: new Map()}
  return {
    ...{header, isPlain, isNotes, isRead},
    keys: new CellMemory(),
    booked: new Map(),
    unpaid,
    lost,
    filled,
    signs: new Map(),
    resend: [],
    open: [],
    undelivered: [],
  }
}

function count(cells: Map<string, number>, key: string): void {
  if (cells.size < keysMax || cells.has(key)) cells.set(key, (cells.get(key) ?? 0) + 1)
}

function meaningOf(text: string, {header, isNotes, isPlain}: Column): Said | null {
  const back = saysMoneyBack(text, isNotes)
  const isOfBack = headerSaysMoneyBack(header) && !saysNoMoneyBack(text)
  if (isOfBack || back !== null)
    return {how: 'money back', isCertain: isOfBack || back === 'certain', isMethod: false}
  const own = saysOwnBooked(text, isNotes || isPlain)
  if (own === null && !headerSaysBooked(header)) return null
  const isCertain = own === 'by hand' || headerSaysByHand(header)
  return {how: 'own row', isCertain, isMethod: own === 'manual' && !headerSaysBooked(header)}
}
