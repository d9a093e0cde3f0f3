import type {Note} from './part-texts.ts'
import {ZipProblem} from './zip.ts'

/** Takes a row that is not blank, its cells up to the last filled one; false ends the reading. */
export type TakeRow = (cells: readonly string[], row: number) => boolean

export interface SheetRows {
  readonly name: string
  readonly isHidden: boolean
  readonly rows: readonly {readonly cells: readonly string[]; readonly line: number}[]
}

export interface Workbook {
  readonly format: 'xlsx' | 'ods'
  /** The first rows of every sheet, so that one can be chosen. */
  heads(rowsMax: number): Promise<readonly SheetRows[]>
  /** What is written beside the cells: comments, text boxes, links, messages, what is printed above and below, properties. */
  notes(): AsyncGenerator<Note>
  /** All rows of a sheet, by its place among `heads`. Returns how many of them a filter or a person hid. */
  read(sheet: number, take: TakeRow): Promise<{readonly hiddenRows: number}>
}

export const rowsMax = 1_048_576
const columnsMax = 16_384
const cellCharactersMax = 64 * 1024
/** The text of one sheet; a million rows of ten columns are half of it. */
export const sheetBytesMax = 2 * 1024 ** 3
/** Of a part beside the sheets. */
export const notesBytesMax = 64 * 1024 ** 2

/** Puts the cells of one row in their places. */
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

export function isBlankRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '')
}
