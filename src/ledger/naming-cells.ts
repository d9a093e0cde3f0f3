import {saysBooked} from './booking-words.ts'
import {CellMemory} from './cell-memory.ts'
import type {Naming} from './counter-names.ts'
import {namedBeside} from './late-names.ts'

/** Receives an order that is named, with the text and its line. */
export type TakeNamed = (naming: Naming, text: string, line: number) => void

/** Cells of one column with the same words around their numbers. */
interface Group {
  cells: number
  /** Cells that name an order about to be resent, other than that of their own row. */
  naming: number
  /** Cells that are a number of this file, booked ones included, and numbers of another series. */
  ofFile: number
  ofSeries: number
  readonly isBooked: boolean
  readonly found: Map<string, {readonly text: string; readonly line: number; readonly naming: Naming}>
}

interface Column {
  filled: number
  readonly mayRefer: boolean
  readonly groups: Map<number, Group>
  /** Cells of rows that name nothing. */
  readonly known: CellMemory<{readonly group: Group | null; readonly hasDigit: boolean}>
}

export interface NamingCell {
  readonly column: number
  readonly line: number
  readonly text: string
  readonly ownNo: string | null
  readonly named: readonly Naming[]
  /** All cells of its row. */
  readonly row?: readonly string[]
  /** A row with a number known to the service, or a line of another table: its cells may come from an export. */
  readonly isRow: boolean
  /** The column may hold references: its header has no word of notes or bookings. */
  readonly mayRefer?: boolean
  /** For another table's cells: whether it is a number of this file or of another series. */
  readonly numberOf?: 'file' | 'series' | null
  /** People write notes there, so a short number is an order's. */
  readonly isNotes: boolean
}

export interface FileCounts {
  readonly rows: number
  /** The part of its orders that is about to be resent. */
  readonly share: number
}

/** With fewer rows, a share says nothing. */
const rowsMin = 10
/** References name orders about to be resent at most this much more often than by chance. */
const byChance = 1.25
const groupsMax = 200

/**
 * Distinguishes columns of an export (a counter, the previous order, a reference) from notes. If nearly all rows have a
 * number in a column, it is an export's, and its usual cells name nothing. Cells that differ from the usual ones do,
 * and so does a group that names almost only orders about to be resent: that is a list.
 */
export class NamingCells {
  private rows = 0
  /** On another sheet a list of bookings may fill a column, unless it has all numbers of the file or another series. */
  private readonly isTable: boolean
  private readonly columns = new Map<number, Column>()

  constructor(isTable = false) {
    this.isTable = isTable
  }

  countRow(): void {
    this.rows += 1
  }

  /** Counts the cell of a row if the column had its text before and it names nothing; otherwise returns false. */
  addKnown(column: number, text: string): boolean {
    const at = this.columns.get(column)
    const known = at?.known.of(text)
    if (at === undefined || known === undefined) return false
    if (known.hasDigit) at.filled += 1
    if (known.group !== null) known.group.cells += 1
    return true
  }

  add(cell: NamingCell, take: TakeNamed): void {
    const {
      column,
      line,
      text,
      ownNo,
      named,
      row = [],
      isRow,
      isNotes,
      mayRefer = false,
      numberOf = null,
    } = cell
    const {shape, hasDigit} = shapeOf(text)
    let at = this.columns.get(column)
    if (at === undefined) {
      at = {filled: 0, mayRefer, groups: new Map(), known: new CellMemory()}
      this.columns.set(column, at)
    }
    if (isRow && hasDigit) at.filled += 1
    const own = ownNo?.trim()
    const others = namedBeside(named, text, row).filter(({orderNo}) => orderNo !== own)
    let group = at.groups.get(shape) ?? null
    if (group === null && (at.groups.size < groupsMax || others.length > 0)) {
      group = {cells: 0, naming: 0, ofFile: 0, ofSeries: 0, isBooked: saysBooked(text), found: new Map()}
      if (at.groups.size < groupsMax) at.groups.set(shape, group)
    }
    if (isRow && named.length === 0) at.known.keep(text, {group, hasDigit})
    if (group === null) return
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

  /** To be called after the last cell. */
  finish(take: TakeNamed, {share, rows}: FileCounts = {share: 0, rows: 0}): void {
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

/** From this number on, orders that may each be chance make a list. */
const listMin = 3

/** Hash of a text's words; of a word with a digit only the part before it, so that `P12` differs from `DEP12`. */
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
