import {
  epoch1900,
  epoch1904,
  formatOfCode,
  formatOfId,
  type NumberFormat,
  numberText,
  plainFormat,
} from './cell-text.ts'
import {type Note, textsOf} from './part-texts.ts'
import {
  isBlankRow,
  type MergedCell,
  notesBytesMax,
  RowCells,
  rowsMax,
  type SheetRows,
  sheetBytesMax,
  type TakeRow,
  type Workbook,
} from './rows.ts'
import {SharedStrings} from './shared-strings.ts'
import {columnOf, PartFollower} from './xlsx-follower.ts'
import {attributeOf, XmlReader} from './xml.ts'
import {type ZipArchive, ZipProblem} from './zip.ts'

interface SheetPart {
  readonly name: string
  readonly isHidden: boolean
  readonly part: string
}

const textsBytesMax = 1024 ** 3
/** Parts without texts of people, or with copies of cells and sheet names. */
const otherParts =
  /^(?:\[Content_Types\]|docProps\/app|xl\/(?:styles|theme|calcChain|metadata|pivot|queryTables|externalLinks|persons))/i
/** Codes of a header or footer: position, font, and fields filled in when printing. */
const printCodes = /&(?:"[^"]*"|K[0-9A-F]{6}|\d+|[A-Z])/gi

/** An Excel workbook (.xlsx, .xlsm), of any program that writes the format. */
export class XlsxWorkbook implements Workbook {
  readonly format = 'xlsx'
  private readonly archive: ZipArchive
  private readonly sheets: readonly SheetPart[]
  private readonly epochDays: number
  private readonly formats: readonly NumberFormat[]
  private readonly textsPart: string | undefined
  private texts: SharedStrings | null = null
  merged: readonly MergedCell[] = []

  constructor(archive: ZipArchive) {
    this.archive = archive
    const main = related(archive, '').find(({type}) => type === 'officeDocument')?.target
    if (main === undefined) throw new ZipProblem('it has no workbook')
    const parts = related(archive, main)
    const {sheets, is1904} = readWorkbook(archive.text(main), parts)
    this.sheets = sheets
    this.epochDays = is1904 ? epoch1904 : epoch1900
    const styles = parts.find(({type}) => type === 'styles')?.target
    this.formats =
      styles === undefined || !archive.entries.has(styles) ? [] : readFormats(archive.text(styles))
    this.textsPart = parts.find(({type}) => type === 'sharedStrings')?.target
  }

  async *notes(): AsyncGenerator<Note> {
    const sheetOf = new Map(
      this.sheets.flatMap(({part}, sheet) =>
        [part, ...related(this.archive, part).map(({target}) => target)].map((of) => [of, sheet] as const),
      ),
    )
    const parts = new Set(this.sheets.map(({part}) => part))
    const merged: MergedCell[] = []
    for (const name of this.archive.entries.keys()) {
      if (!/\.(?:xml|vml)$/i.test(name) || otherParts.test(name) || name === this.textsPart) continue
      const links = new Map(related(this.archive, name, true).map(({id, target}) => [id, target]))
      const follower = new PartFollower(sheetOf.get(name) ?? null, links, merged)
      const most = parts.has(name) ? sheetBytesMax : notesBytesMax
      for await (const note of textsOf(name, this.archive.unpack(name, most), follower))
        yield parts.has(name) ? {...note, text: note.text.replace(printCodes, ' ')} : note
      for (const text of links.values()) yield {text, at: null, isSentence: false, part: name}
    }
    this.merged = merged
  }

  async heads(most: number): Promise<readonly SheetRows[]> {
    const heads: SheetRows[] = []
    for (const [at, {name, isHidden}] of this.sheets.entries()) {
      const rows: {cells: readonly string[]; line: number}[] = []
      await this.read(at, (cells, line) => rows.push({cells, line}) < most)
      heads.push({name, isHidden, rows})
    }
    return heads
  }

  async read(sheet: number, take: TakeRow): Promise<{readonly hiddenRows: number}> {
    const texts = await this.readTexts()
    const rows = new SheetReader(texts, this.formats, this.epochDays, take)
    const xml = new XmlReader(rows)
    for await (const piece of this.archive.unpack(this.sheets[sheet]?.part ?? '', sheetBytesMax)) {
      xml.write(piece)
      if (rows.isDone) return rows
    }
    xml.end()
    return rows
  }

  private async readTexts(): Promise<SharedStrings> {
    if (this.texts !== null) return this.texts
    const texts = new SharedStrings()
    this.texts = texts
    if (this.textsPart === undefined || !this.archive.entries.has(this.textsPart)) return texts
    const text = new TextReader()
    const xml = new XmlReader({
      open: text.open,
      close: (name) => {
        text.close(name)
        if (name === 'si') texts.add(text.take())
      },
      text: text.text,
    })
    for await (const piece of this.archive.unpack(this.textsPart, textsBytesMax)) xml.write(piece)
    xml.end()
    return texts
  }
}

/** The text of `si` and `is`: of all runs, without phonetic guides of East Asian text. */
class TextReader {
  private value = ''
  private isText = false
  private isAid = false

  readonly open = (name: string): void => {
    if (name === 't') this.isText = !this.isAid
    else if (name === 'rPh') this.isAid = true
  }

  readonly close = (name: string): void => {
    if (name === 't') this.isText = false
    else if (name === 'rPh') this.isAid = false
  }

  readonly text = (text: string): void => {
    if (this.isText) this.value += text
  }

  take(): string {
    const {value} = this
    this.value = ''
    return value.includes('_x') ? value.replace(/_x([0-9a-f]{4})_/gi, (_, hex) => charOf(hex)) : value
  }
}

function charOf(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16))
}

class SheetReader {
  hiddenRows = 0
  isDone = false
  private isData = false
  private hasData = false
  private row = 0
  private isHidden = false
  private column = 0
  private type = ''
  private style = -1
  private value = ''
  private formula = ''
  private within: 'value' | 'formula' | 'inline' | null = null
  private readonly cells = new RowCells()
  private readonly inline = new TextReader()
  private readonly texts: SharedStrings
  private readonly formats: readonly NumberFormat[]
  private readonly epochDays: number
  private readonly takeRow: TakeRow

  constructor(texts: SharedStrings, formats: readonly NumberFormat[], epochDays: number, takeRow: TakeRow) {
    this.texts = texts
    this.formats = formats
    this.epochDays = epochDays
    this.takeRow = takeRow
  }

  readonly open = (name: string, attributes: string): void => {
    if (!this.isData) {
      this.isData = name === 'sheetData'
      if (this.isData && this.hasData) throw new ZipProblem('a sheet of it has two tables of rows')
      this.hasData ||= this.isData
    } else if (this.within === 'inline') this.inline.open(name)
    else if (name === 'v') this.within = 'value'
    else if (name === 'c') this.openCell(attributes)
    else if (name === 'row') this.openRow(attributes)
    else if (name === 'f') this.within = 'formula'
    else if (name === 'is') this.within = 'inline'
  }

  readonly close = (name: string): void => {
    if (!this.isData) return
    if (name === 'is') this.within = null
    else if (this.within === 'inline') this.inline.close(name)
    else if (name === 'v' || name === 'f') this.within = null
    else if (name === 'c') this.closeCell()
    else if (name === 'row') this.closeRow()
    else if (name === 'sheetData') this.isData = false
  }

  readonly text = (text: string): void => {
    if (this.within === 'value') this.value += text
    else if (this.within === 'inline') this.inline.text(text)
    else if (this.within === 'formula') this.formula += text
  }

  private openRow(attributes: string): void {
    const stated = attributeOf(attributes, 'r')
    const row = stated === null ? this.row + 1 : Number(stated)
    // A repeated row would be read twice, or hide another.
    if (!(Number.isInteger(row) && row > this.row)) throw new ZipProblem('its rows are not in their order')
    if (row > rowsMax) throw new ZipProblem(`it has more than ${rowsMax} rows`)
    this.row = row
    this.column = -1
    this.isHidden = isTrue(attributeOf(attributes, 'hidden'))
  }

  private openCell(attributes: string): void {
    const place = attributeOf(attributes, 'r')
    const column = place === null ? this.column + 1 : columnOf(place)
    if (column <= this.column) throw new ZipProblem(`the cells of its row ${this.row} are not in their order`)
    this.column = column
    this.type = attributeOf(attributes, 't') ?? 'n'
    this.style = Number(attributeOf(attributes, 's') ?? -1)
    this.value = ''
    this.formula = ''
  }

  private closeCell(): void {
    this.cells.put(this.column, this.cellText())
  }

  private cellText(): string {
    const {value, type} = this
    if (type === 'inlineStr') return this.inline.take()
    // A formula without a value: the program that wrote it does not calculate.
    if (value === '') return this.formula === '' ? '' : `=${this.formula}`
    switch (type) {
      case 's':
        return this.texts.at(Number(value))
      case 'n':
        return numberText(value, this.formats[this.style] ?? plainFormat, this.epochDays)
      case 'b':
        return value === '1' ? 'TRUE' : 'FALSE'
      case 'd':
        return value.replace(/\.0+$/, '')
      default:
        return value
    }
  }

  private closeRow(): void {
    const cells = this.cells.take()
    if (isBlankRow(cells)) return
    if (this.isHidden) this.hiddenRows += 1
    if (!this.isDone) this.isDone = !this.takeRow(cells, this.row)
  }
}

function isTrue(value: string | null): boolean {
  return value === '1' || value === 'true'
}

interface Relation {
  readonly id: string
  readonly type: string
  readonly target: string
}

/** The relations of a part, with the last word of their types: the format's two editions differ before it. */
function related(archive: ZipArchive, part: string, isExternal = false): Relation[] {
  const slash = part.lastIndexOf('/') + 1
  const name = `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`
  const found: Relation[] = []
  if (!archive.entries.has(name)) return found
  forEachTag(archive.text(name), (tag, attributes) => {
    const isOther = (attributeOf(attributes, 'TargetMode') === 'External') !== isExternal
    if (tag !== 'Relationship' || isOther) return
    const target = attributeOf(attributes, 'Target') ?? ''
    found.push({
      id: attributeOf(attributes, 'Id') ?? '',
      type: (attributeOf(attributes, 'Type') ?? '').replace(/.*\//, ''),
      target: isExternal ? target : resolvePart(part.slice(0, slash), target),
    })
  })
  return found
}

function resolvePart(folder: string, target: string): string {
  return new URL(target, `zip:///${folder}`).pathname.slice(1)
}

function readWorkbook(xml: string, parts: readonly Relation[]) {
  const sheets: SheetPart[] = []
  let is1904 = false
  forEachTag(xml, (tag, attributes) => {
    if (tag === 'workbookPr') is1904 = isTrue(attributeOf(attributes, 'date1904'))
    if (tag !== 'sheet') return
    const relation = parts.find(({id}) => id === attributeOf(attributes, 'id'))
    // Charts and dialogs are skipped.
    if (relation?.type !== 'worksheet') return
    const state = attributeOf(attributes, 'state') ?? 'visible'
    const name = attributeOf(attributes, 'name') ?? ''
    sheets.push({name, isHidden: state !== 'visible', part: relation.target})
  })
  return {sheets, is1904}
}

/** The format of each cell style, by index. */
function readFormats(xml: string): NumberFormat[] {
  const codes = new Map<number, NumberFormat>()
  const formats: NumberFormat[] = []
  let isCellStyle = false
  const taker = {
    open: (tag: string, attributes: string) => {
      const id = Number(attributeOf(attributes, 'numFmtId') ?? 0)
      if (tag === 'numFmt') codes.set(id, formatOfCode(attributeOf(attributes, 'formatCode') ?? ''))
      else if (tag === 'cellXfs') isCellStyle = true
      else if (tag === 'xf' && isCellStyle) formats.push(codes.get(id) ?? formatOfId(id))
    },
    close: (tag: string) => {
      if (tag === 'cellXfs') isCellStyle = false
    },
    text: () => {},
  }
  readAll(xml, taker)
  return formats
}

function forEachTag(xml: string, open: (tag: string, attributes: string) => void): void {
  readAll(xml, {open, close: () => {}, text: () => {}})
}

function readAll(xml: string, taker: ConstructorParameters<typeof XmlReader>[0]): void {
  const reader = new XmlReader(taker)
  reader.write(xml)
  reader.end()
}
