import {partsOf} from '../core/order-no-fold.ts'
import {escapeInvisible} from '../core/text.ts'
import {corruptFile} from './corrupt-file.ts'
import {joined, TextSource} from './encoding.ts'
import type {LedgerFile} from './ledger.ts'
import {quoteCell} from './quotation.ts'
import {type Delimiter, readRecords} from './records.ts'
import {readStart, Source} from './source.ts'
import {openWorkbook} from './spreadsheet/workbook.ts'

/** The numbers by which a text may name an order. */
export interface NamedOrder {
  readonly orderNo: string
  readonly platformOrderNo: string
}

/** A row of the ledger files. */
export interface RowPlace {
  readonly file: number
  readonly line: number
}

export interface NamingRows {
  /** Rows whose number the service does not know: it may be another order's, with words around it. */
  readonly unknown: Iterable<RowPlace & {readonly orderNo: string}>
  /** Rows of which nothing was read for certain. */
  readonly unreadable: Iterable<RowPlace>
}

/**
 * Where a ledger names orders outside the cells that are read as its rows: beside them, above the header, on lines of totals
 * or of words, on other sheets. Somebody may have written there what was booked by hand. Reads the files once more. Returns,
 * by order number, a place in words. Throws `Failure` where a file was changed since it was read.
 */
export async function findMentions(
  files: readonly LedgerFile[],
  orders: Iterable<NamedOrder>,
  {unknown, unreadable}: NamingRows,
): Promise<ReadonlyMap<string, string>> {
  const index = new NameIndex(orders)
  const places = new Map<string, string>()
  if (index.isEmpty) return places
  const takeFrom =
    (path: string): TakeText =>
    (text, ownNo, where, isColumn) => {
      for (const orderNo of index.find(text, isColumn)) {
        if (places.has(orderNo) || ownNo?.trim() === orderNo) continue
        const of = files.length > 1 ? ` of ${escapeInvisible(path)}` : ''
        places.set(orderNo, `${where()}${of} (${quoteCell(text.trim())})`)
      }
    }
  for (const {file, line, orderNo} of unknown)
    takeFrom(files[file]?.path ?? '')(orderNo, orderNo, () => `line ${line}`, false)
  const unreadLines = files.map(() => new Set<number>())
  for (const {file, line} of unreadable) unreadLines[file]?.add(line)
  for (const [at, file] of files.entries()) {
    const take = takeFrom(file.path)
    const lines = unreadLines[at] ?? new Set()
    const source = new Source(file.path)
    const bytes = source.bytes()
    try {
      if (file.format === 'csv') await scanText(file, lines, bytes, take)
      else await scanWorkbook(file, lines, bytes, take)
      for await (const _ of bytes);
    } finally {
      await bytes.return()
    }
    if (source.sha256() !== file.sha256)
      throw corruptFile(file.path, 'it was changed while hisab read it', 'Run the same command again.')
  }
  return places
}

/** `ownNo`: the number of the row that the text is in; null outside of rows. `isColumn`: in a column with a header. */
type TakeText = (text: string, ownNo: string | null, where: () => string, isColumn: boolean) => void

async function scanText(
  file: LedgerFile,
  unreadable: ReadonlySet<number>,
  bytes: AsyncGenerator<Buffer, void>,
  take: TakeText,
): Promise<void> {
  const text = new TextSource(file.path).text(bytes, false)
  const head = await readStart(text, headBytes)
  // Lines above the header are no CSV.
  let at = 0
  for (let line = 1; line < file.headerLine; line += 1) {
    const end = /\r\n|\n|\r/.exec(head.toString('latin1', at))
    const till = end === null ? head.length : at + end.index + end[0].length
    for (const cell of head.toString('utf8', at, till).split(/[,;|\t"]/))
      take(cell, null, () => `line ${line}`, false)
    at = till
  }
  const row = rowTaker(file, unreadable, take, (line) => `line ${line}`)
  await readRecords(joined(head.subarray(at), text), {
    ...{path: file.path, delimiter: (file.delimiter ?? ',') as Delimiter, firstLine: file.headerLine},
    onRecord: row,
  })
}

/** As much as is looked through for the header. */
const headBytes = 64 * 1024

async function scanWorkbook(
  file: LedgerFile,
  unreadable: ReadonlySet<number>,
  bytes: AsyncGenerator<Buffer, void>,
  take: TakeText,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  const workbook = openWorkbook(Buffer.concat(chunks))
  for (const note of workbook.notes()) take(note, null, () => 'a comment', false)
  const heads = await workbook.heads(1)
  for (const [at, {name}] of heads.entries()) {
    const where = (line: number) =>
      heads.length > 1 ? `row ${line} of the sheet ${quoteCell(name)}` : `line ${line}`
    const row = rowTaker(file, unreadable, take, where)
    await workbook.read(at, (cells, line) => {
      if (name === file.sheet && line >= file.headerLine) row(cells, line)
      else for (const cell of cells) take(cell, null, () => where(line), false)
      return true
    })
  }
}

/** Of the rows below the header the cells that are not read, of lines of totals all. */
function rowTaker(
  {columns, headerLine, totals}: LedgerFile,
  unreadable: ReadonlySet<number>,
  take: TakeText,
  where: (line: number) => string,
): (cells: readonly string[], line: number) => void {
  const totalLines = new Set(totals.map(({line}) => line))
  const readHeaders = new Set(Object.values(columns).map((header) => header.trim()))
  let read = new Set<number>()
  let headed = new Set<number>()
  let orderNoAt = -1
  return (cells, line) => {
    if (line === headerLine) {
      const places = [...cells.entries()]
      read = new Set(places.flatMap(([at, cell]) => (readHeaders.has(cell.trim()) ? at : [])))
      headed = new Set(places.flatMap(([at, cell]) => (cell.trim() === '' ? [] : at)))
      orderNoAt = cells.findIndex((cell) => cell.trim() === columns.order_no?.trim())
      return
    }
    const isTotal = totalLines.has(line)
    const ownNo = isTotal ? null : (cells[orderNoAt] ?? null)
    const isNoRow = isTotal || unreadable.has(line)
    for (const [at, cell] of cells.entries())
      if (isNoRow || !read.has(at)) take(cell, ownNo, () => where(line), !isNoRow && headed.has(at))
  }
}

/** A number of fewer digits is also an amount, a count or a time. */
const digitsMin = 6

interface Name {
  readonly orderNo: string
  readonly parts: number
  readonly isDigits: boolean
}

/** Order numbers as they may stand in a text, whatever is between their letters and digits. */
class NameIndex {
  private readonly names = new Map<string, Name>()
  /** The last words of all names: what has none of them names nothing. */
  private readonly lastParts = new Set<string>()
  private partsMax = 0

  constructor(orders: Iterable<NamedOrder>) {
    for (const {orderNo, platformOrderNo} of orders) {
      for (const name of [orderNo, platformOrderNo]) {
        const parts = partsOf(name)
        const [bare, last] = [parts.join(''), parts.at(-1)]
        if (last === undefined || bare.length < 2) continue
        this.names.set(bare, {orderNo, parts: parts.length, isDigits: /^\d+$/.test(bare)})
        for (const [at] of parts.entries()) this.lastParts.add(parts.slice(at).join(''))
        this.partsMax = Math.max(this.partsMax, parts.length)
      }
    }
  }

  get isEmpty(): boolean {
    return this.names.size === 0
  }

  /** `isColumn`: there a short number is one of another kind. */
  *find(text: string, isColumn: boolean): Generator<string> {
    if (text.length < 2 || !this.mayName(text)) return
    const parts = partsOf(text, textPartsMax)
    for (const [from] of parts.entries()) {
      let bare = ''
      for (const [more, part] of parts.slice(from, from + Math.max(this.partsMax, 2)).entries()) {
        bare += part
        const name = this.names.get(bare)
        if (!name || (name.isDigits && more + 1 > name.parts)) continue
        const isWhole = more + 1 === parts.length
        if (name.isDigits && bare.length < digitsMin && (isColumn || !isWhole)) continue
        yield name.orderNo
      }
    }
  }

  /** Cheap, because it is asked of every cell. */
  private mayName(text: string): boolean {
    if (!/^[\x20-\x7e]*$/.test(text)) return true
    for (const word of text.toLowerCase().split(/[^a-z0-9]+/)) {
      if (word === '') continue
      if (/^\d+e\d+$/.test(word) || this.lastParts.has(word.replace(/(?<!\d)0+(?=\d)/g, ''))) return true
    }
    return false
  }
}

const textPartsMax = 2_000
