import {editDistance} from '../core/nearest.ts'
import type {LedgerColumn} from '../core/profile.ts'
import {firstOf} from '../core/text.ts'
import {quoteCell} from './quotation.ts'

export interface HeaderRule<Column extends string> {
  readonly columns: readonly Column[]
  readonly required: readonly Column[]
  /** The file's header for a column, if it differs from hisab's own name. */
  readonly mapped: Readonly<Partial<Record<Column, string>>>
  /** Columns mapped by the profile's saved import. */
  readonly imported?: readonly Column[]
  /** A second name that hisab accepts for a column. */
  readonly aliases?: Readonly<Partial<Record<Column, string>>>
  /**
   * How surely an unknown header means a column, 0 the surest, null if it does not; `below` are the first cells under it. Without
   * it nothing is guessed.
   */
  readonly means?: (column: Column, header: string, below: readonly string[]) => number | null
  /** What to do about a missing required column; `nearest` is the most similar header. */
  readonly missingHint: (column: Column, nearest: string | null) => string
}

/** The place of each of hisab's columns in a file, and the header it was found under. */
export interface Header<Column extends string = LedgerColumn> {
  /** Every cell of the header line, trimmed. */
  readonly cells: readonly string[]
  readonly at: Readonly<Partial<Record<Column, number>>>
  readonly found: Readonly<Record<string, string>>
  /** Columns found by a guess, not by hisab's name or a mapping. */
  readonly guesses: readonly Column[]
  /** The first thing that makes the header unusable, as message and hint. */
  readonly problem: {readonly message: string; readonly hint: string} | null
}

/**
 * Finds hisab's columns in a header line. Mapped headers match exactly; hisab's own names match in any case, with
 * blanks and hyphens as `_` (`Order No` is `order_no`). Then come headers as people write them, if exactly one means a
 * column most surely. `below` are the first rows under the header.
 */
export function resolveHeader<Column extends string>(
  line: readonly string[],
  rule: HeaderRule<Column>,
  below: readonly (readonly string[])[] = [],
): Header<Column> {
  // `trim` takes a byte order mark away too.
  const cells = line.map((cell) => cell.trim())
  const mapped = new Set(Object.values<string>(rule.mapped as Record<string, string>).map(exact))
  const at: Partial<Record<Column, number>> = {}
  const found: Record<string, string> = {}
  let problem: Header['problem'] = null
  const put = (column: Column, place: number) => {
    at[column] = place
    found[column] = cells[place] ?? ''
  }
  for (const column of rule.columns) {
    const wanted = rule.mapped[column]
    const names: readonly (string | undefined)[] = [column, rule.aliases?.[column]]
    const isIt =
      wanted === undefined
        ? (cell: string) => names.includes(ownName(cell)) && !mapped.has(exact(cell))
        : (cell: string) => exact(cell) === exact(wanted)
    const places = [...cells.keys()].filter((index) => isIt(cells[index] ?? ''))
    const [first] = places
    if (first !== undefined) put(column, first)
    if (places.length > 1) problem ??= twice(column, places, cells)
    else if (first === undefined && wanted !== undefined)
      problem ??= mappedMissing(column, wanted, cells, rule)
  }
  const guesses: Column[] = []
  const read = new Set<number | undefined>(Object.values<number | undefined>(at))
  for (const column of rule.columns) {
    if (at[column] !== undefined || rule.mapped[column] !== undefined) continue
    const meant = [...cells.keys()].flatMap((index) => {
      const cellsBelow = below.map((row) => row[index] ?? '')
      const rank = read.has(index) ? null : (rule.means?.(column, cells[index] ?? '', cellsBelow) ?? null)
      return rank === null ? [] : {index, rank}
    })
    const surest = Math.min(...meant.map(({rank}) => rank))
    const places = meant.filter(({rank}) => rank === surest).map(({index}) => index)
    const [first] = places
    const isRequired = rule.required.includes(column)
    if (first !== undefined && places.length === 1) {
      put(column, first)
      guesses.push(column)
    } else if (isRequired && first !== undefined) problem ??= several(column, places, cells)
    else if (isRequired) problem ??= requiredMissing(column, cells, rule)
  }
  return {cells, at, found, guesses, problem}
}

/** Whether a row repeats the header line, as in exports that were joined. */
export function isHeaderAgain(header: Pick<Header, 'cells'>, row: readonly string[]): boolean {
  const {cells} = header
  return (
    cells.every((cell, index) => (row[index] ?? '').trim() === cell) &&
    row.slice(cells.length).every((cell) => cell.trim() === '')
  )
}

function exact(name: string): string {
  return name.trim().normalize('NFC')
}

function ownName(cell: string): string {
  return cell.toLowerCase().replace(/[\s-]+/g, '_')
}

function twice(column: string, places: readonly number[], cells: readonly string[]) {
  const names = places.map((index) => `${quoteCell(cells[index] ?? '')} (column ${index + 1})`).join(' and ')
  return {
    message: `two headers mean ${column}: ${names}`,
    hint: 'Rename or remove one of them in the file.',
  }
}

function several(column: string, places: readonly number[], cells: readonly string[]) {
  const names = places.map((index) => quoteCell(cells[index] ?? ''))
  return {
    message: `${names.join(' and ')} may each be ${column}`,
    hint: `Say which: --column ${column}=${names[0] ?? ''}`,
  }
}

function mappedMissing<Column extends string>(
  column: Column,
  wanted: string,
  cells: readonly string[],
  {imported = []}: HeaderRule<Column>,
) {
  const nearest = nearestTo(wanted, cells)
  if (imported.includes(column)) {
    return {
      message: `no header ${quoteCell(wanted)}, which the saved import has for ${column}; the headers are ${listed(cells)}`,
      hint: `If this is how the files look from now on, save that: \`hisab ledger check FILE --save\`. For this file alone, add --column ${column}=${quoteCell(nearest ?? '…')}.`,
    }
  }
  return {
    message: `no header ${quoteCell(wanted)}, which is mapped to ${column}; the headers are ${listed(cells)}`,
    hint: nearest
      ? `Did you mean --column ${column}=${quoteCell(nearest)}?`
      : `Give the header of your file: --column ${column}="…"`,
  }
}

function requiredMissing<Column extends string>(
  column: Column,
  cells: readonly string[],
  {missingHint}: HeaderRule<Column>,
) {
  return {
    message: `no column ${column}; the first line should be the header, but is ${listed(cells)}`,
    hint: missingHint(column, nearestTo(column, cells)),
  }
}

function listed(cells: readonly string[]): string {
  return firstOf(cells, 12, quoteCell)
}

/** The header most similar to `wanted`; null if all are too different. */
function nearestTo(wanted: string, cells: readonly string[]): string | null {
  let nearest: string | null = null
  let fewest = wanted.length * 0.7
  for (const cell of cells) {
    const edits = editDistance(ownName(wanted), ownName(cell).slice(0, 100))
    if (cell !== '' && edits < fewest) {
      fewest = edits
      nearest = cell
    }
  }
  return nearest
}
