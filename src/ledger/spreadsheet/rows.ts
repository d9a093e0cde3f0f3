import type {Note} from './part-texts.ts'
import {ZipProblem} from './zip.ts'

/** Receives a row that is not blank, up to its last filled cell; returning false ends the reading. */
export type TakeRow = (cells: readonly string[], row: number) => boolean

export interface SheetRows {
  readonly name: string
  readonly isHidden: boolean
  readonly rows: readonly {readonly cells: readonly string[]; readonly line: number}[]
}

/** A cell merged over several rows; `to` is included. */
export interface MergedCell {
  readonly sheet: number
  readonly column: number
  readonly from: number
  readonly to: number
}

export interface Workbook {
  readonly format: 'xlsx' | 'ods'
  /** The first rows of every sheet, to choose one. */
  heads(rowsMax: number): Promise<readonly SheetRows[]>
  /** Texts outside of cells: comments, text boxes, links, messages, headers and footers, properties. */
  notes(): AsyncGenerator<Note>
  /** Complete after `notes()` has been read to its end. */
  readonly merged: readonly MergedCell[]
  /** Reads all rows of a sheet, by its index in `heads`. Returns how many of them a filter or a person hid. */
  read(sheet: number, take: TakeRow): Promise<{readonly hiddenRows: number}>
}

export const rowsMax = 1_048_576
const columnsMax = 16_384
const cellCharactersMax = 64 * 1024
/** The most text of one sheet; a million rows of ten columns need half of it. */
export const sheetBytesMax = 2 * 1024 ** 3
/** The most text of any other part. */
export const notesBytesMax = 64 * 1024 ** 2

/** Places the cells of one row in their columns. */
export class RowCells {
  cells: string[] = []

  put(column: number, text: string): void {
    if (text === '') return
    if (column >= columnsMax) throw new ZipProblem(`it has more than ${columnsMax} columns`)
    if (text.length > cellCharactersMax) throw new ZipProblem('a cell of it is larger than 64 KiB')
    const {cells} = this
    while (cells.length < column) cells.push('')
    cells[column] = text
  }

  take(): readonly string[] {
    const {cells} = this
    this.cells = []
    return cells
  }
}

/** Copies the text of a merged cell into each of its rows, because it was written for all of them. */
export class MergedTexts {
  private readonly byRow: ReadonlyMap<number, readonly MergedCell[]>
  private open: {readonly cell: MergedCell; readonly text: string}[] = []

  constructor(merged: readonly MergedCell[]) {
    this.byRow = Map.groupBy(merged, ({from}) => from)
  }

  /** To be called for each row in order. `left`: columns that are not filled. */
  fill(cells: readonly string[], row: number, left: ReadonlySet<number>): readonly string[] {
    this.open = this.open.filter(({cell}) => row <= cell.to)
    let filled: string[] | null = null
    for (const {cell, text} of this.open) {
      if ((cells[cell.column] ?? '') !== '' || left.has(cell.column)) continue
      filled ??= [...cells]
      while (filled.length < cell.column) filled.push('')
      filled[cell.column] = text
    }
    for (const cell of this.byRow.get(row) ?? []) {
      const text = cells[cell.column] ?? ''
      if (text !== '') this.open.push({cell, text})
    }
    return filled ?? cells
  }
}

export function isBlankRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '')
}
