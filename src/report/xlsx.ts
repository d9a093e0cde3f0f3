import {constants, crc32, deflateRawSync} from 'node:zlib'

import {escapeInvisible} from '../core/text.ts'

/** `amount` is a decimal as text, `time` ISO 8601, shown as its local time. */
export type XlsxKind = 'text' | 'amount' | 'count' | 'time'

export interface XlsxColumn<Row> {
  readonly title: string
  readonly kind: XlsxKind
  readonly width: number
  readonly value: (row: Row) => XlsxValue
}

type XlsxValue = string | number | null | undefined

export interface XlsxSheet {
  readonly name: string
  readonly columns: readonly Omit<XlsxColumn<never>, 'value'>[]
  readonly rows: Iterable<readonly XlsxValue[]>
}

export function sheetOf<Row>(
  name: string,
  columns: readonly XlsxColumn<Row>[],
  rows: Iterable<Row>,
): XlsxSheet {
  const cells = {
    *[Symbol.iterator]() {
      for (const row of rows) yield columns.map(({value}) => value(row))
    },
  }
  return {name, columns, rows: cells}
}

/** The most rows of a sheet, with its header. */
const rowsMax = 1_048_576
const cellMax = 32_767

/**
 * A workbook in pieces, never in memory as a whole: a frozen header with filters on each sheet, typed amounts and
 * times, all else as text that no spreadsheet changes or runs.
 */
export function* xlsx(sheets: readonly XlsxSheet[]): Generator<Uint8Array> {
  const zip = new ZipWriter()
  const part = (at: number) => `worksheets/sheet${at + 1}.xml`
  const override = (name: string, type: string) =>
    `<Override PartName="/xl/${name}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`
  yield* zip.file('[Content_Types].xml', [
    `${xmlHead}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('workbook.xml', 'sheet.main')}${override('styles.xml', 'styles')}${sheets.map((_, at) => override(part(at), 'worksheet')).join('')}</Types>`,
  ])
  yield* zip.file('_rels/.rels', [relations([['officeDocument', 'xl/workbook.xml']])])
  yield* zip.file('xl/_rels/workbook.xml.rels', [
    relations([...sheets.map((_, at) => ['worksheet', part(at)] as const), ['styles', 'styles.xml']]),
  ])
  const names = sheets.map(
    ({name}, at) => `<sheet name="${escapeXml(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  )
  const filters = sheets.map(
    ({name, columns}, at) =>
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">'${escapeXml(name)}'!$A$1:$${letters(columns.length - 1)}$1</definedName>`,
  )
  yield* zip.file('xl/workbook.xml', [
    `${xmlHead}<workbook xmlns="${main}" xmlns:r="${office}/relationships"><sheets>${names.join('')}</sheets><definedNames>${filters.join('')}</definedNames></workbook>`,
  ])
  yield* zip.file('xl/styles.xml', [styles])
  for (const [at, sheet] of sheets.entries()) yield* zip.file(`xl/${part(at)}`, sheetXml(sheet))
  yield zip.directory()
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006'
const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

const styleOf: Readonly<Record<XlsxKind | 'title', number>> = {
  text: 1,
  amount: 2,
  count: 0,
  time: 3,
  title: 4,
}
const styles = `${xmlHead}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="4" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`

function relations(targets: readonly (readonly [type: string, target: string])[]): string {
  const all = targets.map(
    ([type, target], at) =>
      `<Relationship Id="rId${at + 1}" Type="${office}/relationships/${type}" Target="${target}"/>`,
  )
  return `${xmlHead}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`
}

function* sheetXml({columns, rows}: XlsxSheet): Generator<string> {
  const widths = columns.map(
    ({width}, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  )
  const places = columns.map((_, at) => letters(at))
  yield `${xmlHead}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData>`
  yield `<row r="1">${columns.map(({title}, at) => textCell(`${places[at]}1`, title, styleOf.title)).join('')}</row>`
  let line = 1
  let left = 0
  for (const row of rows) {
    if (line >= rowsMax - 1) {
      left += 1
      continue
    }
    line += 1
    const cells = columns.map(({kind}, at) => cell(`${places[at]}${line}`, kind, row[at]))
    yield `<row r="${line}">${cells.join('')}</row>`
  }
  if (left > 0)
    yield `<row r="${line + 1}">${textCell(`A${line + 1}`, `and ${left} more in findings.csv`, 1)}</row>`
  yield `</sheetData><autoFilter ref="A1:${places.at(-1)}${line}"/></worksheet>`
}

function cell(place: string, kind: XlsxKind, value: XlsxValue): string {
  if (value === null || value === undefined || value === '') return ''
  const text = String(value)
  const number =
    kind === 'time'
      ? serialOf(text)
      : kind !== 'text' && /^-?\d{1,15}(?:\.\d{1,2})?$/.test(text)
        ? text
        : null
  if (number !== null) return `<c r="${place}" s="${styleOf[kind]}"><v>${number}</v></c>`
  return textCell(place, text, styleOf.text)
}

function textCell(place: string, text: string, style: number): string {
  const shown = escapeInvisible(text, cellMax).slice(0, cellMax)
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(shown)}</t></is></c>`
}

/** The local time as days since 1899; null if invalid. */
function serialOf(text: string): string | null {
  const [wall] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(text) ?? []
  return wall === undefined ? null : String(Date.parse(`${wall}Z`) / 86_400_000 + 25_569)
}

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/_(?=x[0-9a-fA-F]{4}_)/g, '_x005F_')
    .replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
}

function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last
}

const blockCharacters = 256 * 1024

/** Writes the files of a zip one after the other; sizes follow each file, so that none is made in memory first. */
export class ZipWriter {
  private readonly entries: Buffer[] = []
  private at = 0

  directory(): Uint8Array {
    const entries = Buffer.concat(this.entries)
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50)
    end.writeUInt16LE(this.entries.length, 8)
    end.writeUInt16LE(this.entries.length, 10)
    end.writeUInt32LE(entries.length, 12)
    end.writeUInt32LE(this.at, 16)
    return Buffer.concat([entries, end])
  }

  *file(name: string, pieces: Iterable<string>): Generator<Uint8Array> {
    const nameBytes = Buffer.from(name)
    const start = this.at
    // Version 2.0; sizes after the data; names in UTF-8; deflated; 1 January 1980.
    const head = Buffer.from([20, 0, 8, 8, 8, 0, 0, 0, 0x21, 0])
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50)
    head.copy(local, 4)
    local.writeUInt16LE(nameBytes.length, 26)
    yield this.count(Buffer.concat([local, nameBytes]))
    let [crc, packed, size] = [0, 0, 0]
    for (const block of blocksOf(pieces)) {
      const bytes = Buffer.from(block)
      crc = crc32(bytes, crc)
      size += bytes.length
      // Each block ends on a byte and refers to no other, so that blocks can be joined.
      const deflated = deflateRawSync(bytes, {finishFlush: constants.Z_SYNC_FLUSH})
      packed += deflated.length
      yield this.count(deflated)
    }
    const end = Buffer.from([3, 0])
    packed += end.length
    const descriptor = Buffer.alloc(16)
    for (const [index, value] of [0x08074b50, crc, packed, size].entries())
      descriptor.writeUInt32LE(value, index * 4)
    yield this.count(Buffer.concat([end, descriptor]))
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50)
    central.writeUInt16LE(20, 4)
    head.copy(central, 6)
    for (const [index, value] of [crc, packed, size].entries()) central.writeUInt32LE(value, 16 + index * 4)
    central.writeUInt16LE(nameBytes.length, 28)
    central.writeUInt32LE(start, 42)
    this.entries.push(Buffer.concat([central, nameBytes]))
  }

  private count(bytes: Buffer): Buffer {
    this.at += bytes.length
    return bytes
  }
}

function* blocksOf(pieces: Iterable<string>): Generator<string> {
  let block = ''
  for (const piece of pieces) {
    block += piece
    if (block.length < blockCharacters) continue
    yield block
    block = ''
  }
  yield block
}
