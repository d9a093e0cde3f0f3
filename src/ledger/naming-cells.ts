import {saysBooked} from './booking-words.ts'
import type {Naming} from './counter-names.ts'

/** Takes an order that is named, with the text and its line. */
export type TakeNamed = (naming: Naming, text: string, line: number) => void

/** Cells of one column that are written alike: the same words around their numbers. */
interface Group {
  cells: number
  /** Cells that name an order about to be resent, other than their row's. */
  naming: number
  /** Cells that are a number of the file, booked ones too, and those of another series. */
  ofFile: number
  ofSeries: number
  readonly isBooked: boolean
  readonly found: Map<string, {readonly text: string; readonly line: number; readonly naming: Naming}>
}

interface Column {
  filled: number
  readonly mayRefer: boolean
  readonly groups: Map<number, Group>
}

export interface NamingCell {
  readonly column: number
  readonly line: number
  readonly text: string
  readonly ownNo: string | null
  readonly named: readonly Naming[]
  /** A row whose number the service knows, or a line of another table: its cells may be an export's. */
  readonly isRow: boolean
  /** The column may be one of references: its header is no word of notes or of booking. */
  readonly mayRefer?: boolean
  /** A cell of a line of another table: whether it is a number of the file or of another series. */
  readonly numberOf?: 'file' | 'series' | null
  /** People write notes there, so that a number of few digits is one of an order. */
  readonly isNotes: boolean
}

export interface FileCounts {
  readonly rows: number
  /** Of its orders those about to be resent. */
  readonly share: number
}

/** Below it a share of the rows says nothing. */
const rowsMin = 10
/** A column of references names those about to be resent no more often. */
const byChance = 1.25
const groupsMax = 200

/**
 * Tells columns of an export (a counter, the order before, a reference) from notes. A column is an export's where nearly
 * all rows have a number in it: its usual cells name nothing. Cells that stand out do, and so does what names hardly
 * anything but orders about to be resent: that is a list of them.
 */
export class NamingCells {
  private rows = 0
  /** Of another sheet: a list of bookings may fill a column there, unless it has all of the file or another series. */
  private readonly isTable: boolean
  private readonly columns = new Map<number, Column>()

  constructor(isTable = false) {
    this.isTable = isTable
  }

  countRow(): void {
    this.rows += 1
  }

  add(cell: NamingCell, take: TakeNamed): void {
    const {column, line, text, ownNo, named, isRow, isNotes, mayRefer = false, numberOf = null} = cell
    const {shape, hasDigit} = shapeOf(text)
    const at = this.columns.get(column) ?? {filled: 0, mayRefer, groups: new Map<number, Group>()}
    this.columns.set(column, at)
    if (isRow && hasDigit) at.filled += 1
    const own = ownNo?.trim()
    const others = named.filter(({orderNo}) => orderNo !== own)
    let group = at.groups.get(shape)
    if (group === undefined) {
      group = {cells: 0, naming: 0, ofFile: 0, ofSeries: 0, isBooked: saysBooked(text), found: new Map()}
      if (at.groups.size < groupsMax) at.groups.set(shape, group)
    }
    group.cells += 1
    if (numberOf === 'file') group.ofFile += 1
    if (numberOf === 'series') group.ofSeries += 1
    if (others.length > 0) group.naming += 1
    const isCounted = at.groups.get(shape) === group
    for (const one of others) {
      const {orderNo, sureness} = one
      const isCertain = sureness === 'sure' || (sureness === 'likely' && isNotes)
      if (isCertain && !(isRow && isCounted)) take(one, text, line)
      else if (group.found.get(orderNo)?.naming.sureness !== 'sure')
        group.found.set(orderNo, {text, line, naming: isCertain ? {...one, sureness: 'sure'} : one})
    }
  }

  /** Once all cells were added. */
  settle(take: TakeNamed, {share, rows}: FileCounts = {share: 0, rows: 0}): void {
    for (const {filled, mayRefer, groups} of this.columns.values()) {
      const isFull = !this.isTable && this.rows >= rowsMin && filled >= this.rows * 0.9
      for (const group of groups.values()) {
        const {cells, naming: named, isBooked, found} = group
        const isList = named >= cells * 0.8
        const isUsual = this.rows >= rowsMin && cells >= this.rows * (isBooked ? 0.5 : 0.1)
        const isOther = group.ofSeries >= cells * 0.9 || (group.ofFile >= cells * 0.9 && cells >= rows * 0.9)
        const refers =
          mayRefer && !isBooked && named <= cells * share * byChance && (!this.isTable || isOther)
        const isExport = isFull || refers
        for (const {text, line, naming} of found.values()) {
          if (isExport && isUsual && !isList) continue
          const isOfList = isList && found.size >= listMin && !isFull
          if (naming.sureness === 'sure' || isOfList) take(naming, text, line)
        }
      }
    }
  }
}

/** So many orders make a list of what may be chance each. */
const listMin = 3

/** A number for the words of a text; of a word with a digit what stands before it, so that `P12` is none of `DEP12`. */
function shapeOf(text: string): {readonly shape: number; readonly hasDigit: boolean} {
  let [shape, word, hasDigit, isNumber] = [7, 0, false, false]
  const end = Math.min(text.length, 200)
  for (let at = 0; at <= end; at += 1) {
    const code = at === end ? 0 : text.charCodeAt(at)
    const isDigit = (code >= 48 && code <= 57) || (code >= 0x9e6 && code <= 0x9ef)
    const letter = code | 0x20
    if (isDigit || (letter >= 97 && letter <= 122) || code > 127) {
      if (isDigit && !isNumber) word = (Math.imul(word, 31) + 1) | 0
      isNumber ||= isDigit
      if (!isNumber) word = (Math.imul(word, 31) + letter) | 0
    } else if (word !== 0) {
      shape = (Math.imul(shape, 33) + word) | 0
      hasDigit ||= isNumber
      ;[word, isNumber] = [0, false]
    }
  }
  return {shape, hasDigit}
}
