import {escapeInvisible, firstOf} from '../core/text.ts'
import {corruptFile} from './corrupt-file.ts'
import {type Candidate, findHeader, refuseTableBeside, titleLinesMax} from './find-header.ts'
import type {HeaderRule} from './header.ts'
import {quoteCell} from './quotation.ts'
import {lineEndsIn} from './records.ts'
import type {SheetRows} from './spreadsheet/rows.ts'
import {openWorkbook} from './spreadsheet/workbook.ts'
import {ZipProblem} from './spreadsheet/zip.ts'
import {
  type ReadParts,
  type RecordTaker,
  type TableFacts,
  type TableLayout,
  type TableReading,
  titleNotes,
} from './table.ts'

/** The file is held in memory; a million rows of seven columns are 40 MiB. */
const fileBytesMax = 128 * 1024 ** 2
const rowsBelow = 30

/** Reads one sheet of a spreadsheet as `readTable` reads a file, with its cells as text. */
export async function readSheet<Column extends string, Taker extends RecordTaker>(
  path: string,
  bytes: AsyncGenerator<Buffer, void>,
  rule: HeaderRule<Column>,
  takerFor: (layout: TableLayout) => Taker,
  reading: TableReading,
): Promise<ReadParts<Taker>> {
  const file = await readWhole(path, bytes)
  try {
    const workbook = openWorkbook(file)
    const heads = await workbook.heads(titleLinesMax + rowsBelow)
    const at = chooseSheet(path, heads, rule, reading)
    const head = heads[at] ?? {name: '', isHidden: false, rows: []}
    const header = headerOf(path, head, rule, reading)
    const layout: TableLayout = {
      ...{format: workbook.format, delimiter: ',', sheet: head.name, headerLine: header.line},
      above: [],
      below: header.below,
      notes: [...titleNotes(path, header.above), ...otherSheets(path, heads, at)],
    }
    const taker = takerFor(layout)
    const width = header.cells.length
    let beside: TableFacts['beside'] = null
    const {hiddenRows} = await workbook.read(at, (cells, line) => {
      if (line >= header.line) taker.take(toWidth(cells, width), line, lineEndsIn(cells))
      if (cells.length > width && line > header.line) {
        beside ??= {line, text: cells.at(-1) ?? ''}
        refuseTableBeside(path, line, cells.slice(width), rule)
      }
      return true
    })
    const facts = {encoding: null, isCompressed: false, endsMidLine: false, hiddenRows, beside}
    return {taker, layout, facts}
  } catch (error) {
    if (!(error instanceof ZipProblem)) throw error
    throw corruptFile(
      path,
      `this spreadsheet cannot be read: ${escapeInvisible(error.message, 200)}`,
      saveAgain,
    )
  }
}

export const saveAgain =
  'Open it in a spreadsheet program and save it again as .xlsx without a password, or as CSV (UTF-8).'

async function readWhole(path: string, bytes: AsyncGenerator<Buffer, void>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > fileBytesMax)
      throw corruptFile(
        path,
        `this spreadsheet is larger than ${fileBytesMax / 1024 ** 2} MiB`,
        'Save the sheet as CSV (UTF-8), which may be 1 GiB, or export fewer days at a time.',
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function otherSheets(path: string, heads: readonly SheetRows[], at: number): string[] {
  const others = heads.filter(({rows}, place) => place !== at && rows.length > 0)
  if (others.length === 0) return []
  return [
    `${escapeInvisible(path)}: hisab reads the sheet ${quoteCell(heads[at]?.name ?? '')} alone, and not ${listSheets(others)}`,
  ]
}

/** In a sheet each cell is in its column, even if cells before it are missing or others follow the last header. */
function toWidth(cells: readonly string[], width: number): readonly string[] {
  if (cells.length === width) return cells
  return cells.length > width
    ? cells.slice(0, width)
    : [...cells, ...Array<string>(width - cells.length).fill('')]
}

/**
 * The stated sheet; else the only one that is not empty, hidden ones counted. If several are left, a person must
 * choose: an unread sheet may list bookings by hand, and those orders would be credited again.
 */
function chooseSheet<Column extends string>(
  path: string,
  heads: readonly SheetRows[],
  rule: HeaderRule<Column>,
  {sheet}: TableReading,
): number {
  const names = listSheets(heads)
  if (sheet != null) {
    const alike = [...heads.keys()].filter((at) => sheetName(heads[at]?.name) === sheetName(sheet))
    const [named, other] = alike
    if (other !== undefined)
      throw corruptFile(
        path,
        `${alike.length} sheets have the name ${quoteCell(sheet)} or nearly that name; the sheets are ${names}`,
        `Give its number: ${alike.map((at) => `--sheet ${at + 1}`).join(' or ')}.`,
      )
    const at = named ?? (/^[1-9][0-9]{0,4}$/.test(sheet) ? Number(sheet) - 1 : -1)
    if (heads[at] !== undefined) return at
    throw corruptFile(path, `there is no sheet ${quoteCell(sheet)}; the sheets are ${names}`, sayWhich(heads))
  }
  const filled = [...heads.entries()].filter(([, {rows}]) => rows.length > 0)
  const [only, ...others] = filled
  if (only === undefined || (others.length === 0 && only[1].isHidden))
    throw corruptFile(path, `no visible sheet has anything in it; the sheets are ${names}`, sayWhich(heads))
  if (others.length === 0) return only[0]
  const ledgers = filled.filter(([, head]) => findHeader(candidatesOf(head), rule) !== null)
  const found = ledgers.length === 0 ? 'none has' : ledgers.length === 1 ? '1 has' : `${ledgers.length} have`
  throw corruptFile(
    path,
    `it has ${filled.length} sheets, and ${found} the header of a ledger: ${listSheets(filled.map(([, head]) => head))}`,
    sayWhich((ledgers.length === 0 ? filled : ledgers).map(([, head]) => head)),
  )
}

/** Spreadsheet programs treat `Orders` and `ORDERS` as one name, and people `Orders` and `Orders `. */
export function sheetName(name = ''): string {
  return name.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase()
}

function listSheets(heads: readonly Pick<SheetRows, 'name' | 'isHidden'>[]): string {
  return firstOf(heads, 8, ({name, isHidden}) => `${quoteCell(name)}${isHidden ? ' (hidden)' : ''}`)
}

function sayWhich([first]: readonly Pick<SheetRows, 'name'>[]): string {
  return `Say which: --sheet ${quoteCell(first?.name ?? 'Orders')}, or its number.`
}

interface SheetHeader extends Candidate {
  readonly above: readonly Candidate[]
}

function headerOf<Column extends string>(
  path: string,
  head: SheetRows,
  rule: HeaderRule<Column>,
  {headerRow}: TableReading,
): SheetHeader {
  const candidates = [...candidatesOf(head)]
  const [first] = candidates
  if (first === undefined)
    throw corruptFile(path, `the sheet ${quoteCell(head.name)} is empty`, 'Check the export.')
  if (headerRow == null) {
    const found = findHeader(candidates, rule)
    return found ? {...found.candidate, above: found.above} : {...first, above: []}
  }
  const stated = candidates.find(({line}) => line === headerRow)
  if (stated !== undefined) return {...stated, above: candidates.filter(({line}) => line < headerRow)}
  throw corruptFile(
    path,
    `row ${headerRow} of the sheet ${quoteCell(head.name)} is blank, or too far down for a header`,
    'Give the number that the spreadsheet program shows beside the row.',
  )
}

function* candidatesOf({rows}: SheetRows): Generator<Candidate> {
  for (const [at, {cells, line}] of rows.entries()) {
    if (at > titleLinesMax) return
    yield {line, cells, below: rows.slice(at + 1, at + 1 + rowsBelow).map((row) => row.cells)}
  }
}
