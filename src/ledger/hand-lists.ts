import {plainText} from '../core/order-no-fold.ts'
import {headerSaysBooked, headerSaysByHand, saysOwnBooked} from './booking-words.ts'
import {lineText} from './quotation.ts'
import {statesBooking} from './statements.ts'

/** A cell of a list of bookings by hand. */
export interface ListCell {
  readonly text: string
  readonly line: number
  readonly header: string
}

interface FoundCell extends ListCell {
  readonly at: number
  /** The row has a player of its own, so another one is not a second name of that. */
  readonly isOwnKnown: boolean
}

interface ListRow {
  readonly cell: ListCell
  readonly forms: readonly string[]
}

const keptMax = 10_000

/** The players of the orders that are about to be resent, by the keys of `playerKeys`. */
export class Players {
  private readonly orders = new Map<string, Set<string>>()
  private readonly forms = new Set<string>()
  private areNames = false

  /** `orderNo` is null for any other row. */
  add(player: string, orderNo: string | null): void {
    const key = bareOf(player)
    if (key !== '' && this.forms.size < keptMax) this.forms.add(formOf(player))
    this.areNames ||= key !== '' && !/\p{N}/u.test(key)
    if (orderNo === null || !isPlayerKey(key)) return
    const orders = this.orders.get(key) ?? new Set()
    this.orders.set(key, orders.add(orderNo))
  }

  ordersOf(text: string): string[] {
    return keysOf(text).flatMap((key) => [...(this.orders.get(key) ?? [])])
  }

  /** Whether a text may name a player, also one whom no row has. Without players, a word alone is rather a number. */
  mayName(text: string): boolean {
    const forms = formsOf(text)
    if (this.forms.size === 0)
      return /\S\s\S/u.test(text) && forms.some((form) => /\p{L}.*#|#.*\p{L}|#{5}/u.test(form))
    // Players that are names have no form of their own.
    return this.hasForm(forms) || (forms.length > 0 && this.areNames)
  }

  /** Whether one of the texts looks like a player of this ledger. */
  hasForm(forms: readonly string[]): boolean {
    return forms.some((form) => this.forms.has(form))
  }
}

/**
 * Lists of bookings by hand beside the rows of a ledger: below a header of bookings stands the player of another order than
 * the row's own. Behind a blank column another table begins, whose rows have nothing to do with the ledger's.
 */
export class HandLists {
  private readonly headers: readonly string[]
  /** Blank for read columns; none for those that are left out. */
  private readonly lineHeaders: readonly (string | undefined)[]
  /** The places of unread columns whose header tells of bookings. */
  private readonly lists: readonly number[]
  /** The blank column behind which another table begins; -1 for none. */
  private readonly gap: number
  private isGapBlank = true
  private rows = 0
  private readonly filled = new Map<number, number>()
  private readonly found = new Map<string, FoundCell>()
  private readonly inLines = new Map<string, ListCell>()
  private readonly others: ListRow[] = []

  /** `left`: places of columns that a person chose to ignore. */
  constructor(headers: readonly string[], read: ReadonlySet<number>, left: ReadonlySet<number>) {
    this.headers = headers.map((header, at) => (left.has(at) ? '' : header.trim()))
    this.lineHeaders = headers.map((_, at) =>
      left.has(at) ? undefined : read.has(at) ? '' : this.headers[at],
    )
    this.lists = [...this.headers.keys()].filter((at) => {
      const header = this.headers[at] ?? ''
      return !read.has(at) && (headerSaysBooked(header) || ofGiving.test(header))
    })
    const last = Math.max(-1, ...read)
    const gap = this.headers.findIndex((_, at) => at > last && headers[at]?.trim() === '')
    this.gap = this.headers.slice(gap + 1).some((header) => header !== '') ? gap : -1
  }

  get mayList(): boolean {
    return this.gap >= 0 || this.lists.length > 0
  }

  /** The cells of the other table, if there is one, and those under no header. */
  beside(cells: readonly string[]): readonly string[] {
    return cells.slice(this.gap < 0 ? this.headers.length : this.gap + 1)
  }

  /** `player`: the row's own; blank where that is not known. */
  take(cells: readonly string[], line: number, player: string): void {
    const {gap} = this
    this.rows += 1
    if (gap >= 0 && (cells[gap] ?? '').trim() !== '') this.isGapBlank = false
    if (!this.mayList) return
    const beside = gap < 0 ? [] : [...cells.keys()].filter((at) => at > gap && this.headers[at] !== '')
    const isSaid = beside.some((at) => saysOwnBooked(cells[at] ?? '', false) === 'by hand')
    const listed = new Set([...this.lists, ...(isSaid ? beside : [])])
    const own = cells.filter((_, at) => !listed.has(at) && (gap < 0 || at < gap)).map(bareOf)
    for (const at of listed) {
      const text = (cells[at] ?? '').trim()
      if (text === '') continue
      this.filled.set(at, (this.filled.get(at) ?? 0) + 1)
      const cell = {text, line, header: this.headers[at] ?? '', at, isOwnKnown: player.trim() !== ''}
      for (const key of keysOf(text))
        if (!own.includes(key) && this.found.size < keptMax && !this.found.has(key)) this.found.set(key, cell)
    }
    const byHand = beside.find((at) => {
      const text = (cells[at] ?? '').trim()
      return text !== '' && !isYesOrNo.test(text) && (isSaid || headerSaysByHand(this.headers[at] ?? ''))
    })
    if (byHand === undefined || this.others.length >= keptMax) return
    const texts = beside.map((at) => (cells[at] ?? '').trim())
    const ownNumbers = new Set(cells.filter((_, at) => at < gap).flatMap(numbersOf))
    const numbers = texts.flatMap(numbersOf)
    if (numbers.length === 0 || numbers.some((number) => ownNumbers.has(number))) return
    const cell = {text: (cells[byHand] ?? '').trim(), line, header: this.headers[byHand] ?? ''}
    this.others.push({cell, forms: texts.flatMap(formsOf)})
  }

  /** A line that is no row of an order known to the service, or cannot be read: its own player's orders are found by that. */
  takeLine(cells: readonly string[], line: number, player: string): void {
    if (cells.length > this.headers.length || this.inLines.size >= keptMax) return
    const own = bareOf(player)
    for (const [at, text] of cells.entries()) {
      const header = this.lineHeaders[at]
      if (header === undefined || bareOf(text) === own) continue
      for (const key of keysOf(text))
        if (key !== own && !this.inLines.has(key)) this.inLines.set(key, {text, line, header})
    }
  }

  mayNamePlayers(players: Players): boolean {
    return [...this.inLines.values(), ...this.found.values()].some(({text}) => players.mayName(text))
  }

  /**
   * To be called after the last row. `takeAll` receives a booking whose player cannot be told, `takeLine` an order whose player
   * stands in such a line.
   */
  finish(
    players: Players,
    take: (orderNo: string, cell: ListCell) => void,
    takeAll: (cell: ListCell) => void,
    takeLine: (orderNo: string, cell: ListCell) => void,
  ): void {
    for (const [key, cell] of this.inLines)
      for (const orderNo of players.ordersOf(key)) takeLine(orderNo, cell)
    for (const [key, cell] of this.found) {
      const isBeside = this.isGapBlank && this.gap >= 0 && cell.at > this.gap
      // An export fills its column in most rows.
      if (!isBeside && (!cell.isOwnKnown || (this.filled.get(cell.at) ?? 0) * 2 > this.rows)) continue
      for (const orderNo of players.ordersOf(key)) take(orderNo, cell)
    }
    const other = this.isGapBlank ? this.others.find(({forms}) => !players.hasForm(forms)) : undefined
    if (other) takeAll(other.cell)
  }
}

/**
 * Another sheet with bookings by hand, by its name, a title, a header or the words of a row. A row of it that names no order
 * by a number of this ledger may be any order, or any of its player.
 */
export class HandSheet {
  private isBelowTitle: boolean
  private readonly players: Players
  private readonly to: {
    readonly names: (text: string) => boolean
    readonly take: (orderNo: string, text: string) => void
    readonly takeAll: () => void
    /** Receives a row that is about its player. */
    readonly tell: (line: readonly string[]) => void
  }
  private lines = 0
  private columns: readonly number[] = []
  private isOfOther = false
  /** Rows that a hand's work is said of, without saying of which order. */
  private readonly rows: (readonly string[])[] = []

  constructor(isByHand: boolean, players: Players, to: HandSheet['to']) {
    this.isBelowTitle = isByHand
    this.players = players
    this.to = to
  }

  take(line: readonly string[]): void {
    this.lines += 1
    this.columns = handColumns(line) ?? this.columns
    const saysSo = line.some((text) => saysOwnBooked(text, false) === 'by hand')
    const filled = line.filter((text) => text.trim() !== '')
    if (this.lines > 1 && filled.length > 1 && /\p{N}/u.test(filled.join()) && !line.some(this.to.names))
      this.takeRow(line, saysSo)
    this.isBelowTitle ||= filled.length === 1 && (saysSo || filled.some(isTitle))
  }

  private takeRow(line: readonly string[], saysSo: boolean): void {
    if (this.isBelowTitle || saysSo) {
      this.isOfOther = true
      return
    }
    const texts = this.columns.map((at) => (line[at] ?? '').trim())
    const isBooked = texts.some((text) => text !== '' && !isYesOrNo.test(text))
    if (!isBooked && !line.some(isHandAlone)) return
    this.to.tell(line)
    if (this.rows.length < keptMax) this.rows.push(line)
    this.isOfOther ||= isBooked && !this.players.hasForm(line.flatMap(formsOf))
  }

  mayNamePlayers(): boolean {
    return this.rows.flat().some((text) => this.players.mayName(text))
  }

  /** To be called when all players are known. */
  finish(): void {
    for (const line of this.rows)
      for (const orderNo of line.flatMap((text) => this.players.ordersOf(text)))
        this.to.take(orderNo, lineText(line))
    if (this.isOfOther) this.to.takeAll()
  }
}

/** A title above bookings by hand: without the rows below it, `Adjustments` says nothing. */
function isTitle(text: string): boolean {
  return statesBooking(text) !== null || /^[\p{L} ]*adjustments?(?!\p{L})/iu.test(text.trim())
}

/** Places of the columns whose header tells of a hand's work; null for a line that is no header. */
function handColumns(line: readonly string[]): number[] | null {
  const filled = line.filter((text) => text.trim() !== '')
  if (filled.length < 2 || filled.some((text) => /\p{N}/u.test(text))) return null
  return [...line.keys()].filter((at) => headerSaysByHand(line[at] ?? ''))
}

/** A cell with nothing but a word for a hand's work. */
function isHandAlone(text: string): boolean {
  return saysOwnBooked(text, false) === 'manual' && /^[^\s]+(?:[ _-]hand)?$/iu.test(text.trim())
}

const ofGiving = /(?<!\p{L})given(?!\p{L})|দেওয়া|দেওয়া/iu
const isYesOrNo = /^(?:y|yes|true|x|done|ok|n|no|false|nil|none|[-–—✓✔☑✅]|[01](?:[.,]0+)?)$/iu

/** The text, and its words: a player may stand beside an amount or a name. */
export function keysOf(text: string): string[] {
  return [...new Set([text, ...text.split(/[\s,;:()|/]+/)].map(bareOf))].filter(isPlayerKey)
}

/** Few digits alone may be an amount. */
export function isPlayerKey(key: string): boolean {
  return key.length >= 3 && !/^\p{N}{1,4}$/u.test(key)
}

function formsOf(text: string): string[] {
  return [text, ...text.split(/[\s,;:()|]+/)].filter((part) => /\p{L}|\p{N}{5}/u.test(part)).map(formOf)
}

/** A text without its figures: players of a merchant look alike. */
export function formOf(text: string): string {
  return plainText(text)
    .trim()
    .replace(/\p{N}+/gu, '#')
}

/** Amounts, telephones and the like, without dates and times. */
function numbersOf(text: string): string[] {
  const plain = text
    .replace(/\p{N}+(?:[-/.:]\p{N}+){2,}|\p{N}+[:/]\p{N}+/gu, ' ')
    .replace(/(?<=\p{N}),(?=\p{N}{3})/gu, '')
  return [...plain.matchAll(/(?<![\p{L}\p{N}])(\p{N}{2,})(?:\.(\p{N}*?)0*)?(?![\p{L}\p{N}])/gu)].map(
    ([, whole = '', part = '']) => `${whole}.${part}`,
  )
}

export function bareOf(text: string): string {
  return plainText(text).replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}
