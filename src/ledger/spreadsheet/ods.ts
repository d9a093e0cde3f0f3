import {isBdt} from '../../core/currency.ts'
import {numberText, plainFormat} from './cell-text.ts'
import {type Follower, type Note, textsOf} from './part-texts.ts'
import {
  isBlankRow,
  type MergedCell,
  RowCells,
  rowsMax,
  type SheetRows,
  sheetBytesMax,
  type TakeRow,
  type Workbook,
} from './rows.ts'
import {attributeOf, XmlReader} from './xml.ts'
import {type ZipArchive, ZipProblem} from './zip.ts'

/** Comments and drawings. */
const besideCells = new Set([
  'annotation',
  'shapes',
  'frame',
  'custom-shape',
  'text-box',
  'rect',
  'ellipse',
  'caption',
])

/** A workbook of OpenDocument (.ods): one part has all sheets, one after the other. */
export class OdsWorkbook implements Workbook {
  readonly format = 'ods'
  private readonly archive: ZipArchive
  merged: readonly MergedCell[] = []

  constructor(archive: ZipArchive) {
    this.archive = archive
  }

  async *notes(): AsyncGenerator<Note> {
    const merged: MergedCell[] = []
    for (const name of ['content.xml', 'styles.xml', 'meta.xml'])
      if (this.archive.entries.has(name))
        yield* textsOf(name, this.archive.unpack(name, sheetBytesMax), new NoteFollower(merged))
    this.merged = merged
  }

  async heads(most: number): Promise<readonly SheetRows[]> {
    const heads: {name: string; isHidden: boolean; rows: {cells: readonly string[]; line: number}[]}[] = []
    const take = (cells: readonly string[], line: number) => {
      const rows = heads.at(-1)?.rows ?? []
      if (rows.length < most) rows.push({cells, line})
      return true
    }
    await this.scan((name, isHidden) => {
      heads.push({name, isHidden, rows: []})
      return take
    })
    return heads
  }

  async read(sheet: number, take: TakeRow): Promise<{readonly hiddenRows: number}> {
    let at = -1
    return await this.scan(() => {
      at += 1
      return at === sheet ? take : null
    })
  }

  private async scan(sheet: OnSheet): Promise<{readonly hiddenRows: number}> {
    const rows = new ContentReader(sheet)
    const xml = new XmlReader(rows)
    for await (const piece of this.archive.unpack('content.xml', sheetBytesMax)) {
      xml.write(piece)
      if (rows.isDone) return rows
    }
    xml.end()
    return rows
  }
}

/** Follows the row that a comment, a shape or a link is in. */
class NoteFollower implements Follower {
  private readonly merged: MergedCell[]
  private tables = 0
  private sheet = -1
  private row = 0
  private column = 0
  private repeatRows = 1
  private isRow = false
  private cells = 0
  private beside = 0

  constructor(merged: MergedCell[]) {
    this.merged = merged
  }

  get isCell(): boolean {
    return this.cells > 0 && this.beside === 0
  }

  get at(): Note['at'] {
    return this.isRow ? {sheet: this.sheet, row: this.row} : null
  }

  open(name: string, attributes: string): null {
    if (besideCells.has(name)) this.beside += 1
    else if (isCellName(name)) this.openCell(attributes)
    else if (name === 'table') {
      this.tables += 1
      if (this.tables === 1) [this.sheet, this.row] = [this.sheet + 1, 0]
    } else if (name === 'table-row' && this.tables === 1) {
      this.repeatRows = repeated(attributes, 'number-rows-repeated')
      this.row += 1
      this.column = 0
      this.isRow = true
    }
    return null
  }

  private openCell(attributes: string): void {
    this.cells += 1
    if (this.tables !== 1 || this.cells > 1) return
    const {sheet, row: from, column} = this
    const rows = repeated(attributes, 'number-rows-spanned')
    if (rows > 1) this.merged.push({sheet, column, from, to: from + rows - 1})
    this.column += repeated(attributes, 'number-columns-repeated')
  }

  close(name: string): void {
    if (besideCells.has(name)) this.beside -= 1
    else if (isCellName(name)) this.cells -= 1
    else if (name === 'table') this.tables -= 1
    else if (name === 'table-row' && this.tables === 1) {
      this.row += this.repeatRows - 1
      this.isRow = false
    }
  }
}

function isCellName(name: string): boolean {
  return name === 'table-cell' || name === 'covered-table-cell'
}

/** Returns the taker of a sheet's rows, or null to skip the sheet. */
type OnSheet = (name: string, isHidden: boolean) => TakeRow | null

class ContentReader {
  hiddenRows = 0
  isDone = false
  private readonly onSheet: OnSheet
  private readonly hiddenStyles = new Set<string>()
  private styleName = ''
  /** Tables within tables and drawings are not sheets. */
  private depth = 0
  private takeRow: TakeRow | null = null
  private row = 0
  private repeatRows = 1
  private isHidden = false
  private column = 0
  private repeatCells = 1
  private readonly cells = new RowCells()
  private attributes = ''
  private isCell = false
  /** Below a merged cell, where nobody sees it. */
  private isCovered = false
  private paragraphs: string[] = []
  private isParagraph = false
  /** Above 0 inside a comment, whose paragraphs are not the cell's. */
  private commentDepth = 0

  constructor(onSheet: OnSheet) {
    this.onSheet = onSheet
  }

  readonly open = (name: string, attributes: string): void => {
    if (name === 'style') this.styleName = attributeOf(attributes, 'name') ?? ''
    else if (name === 'table-properties') {
      if (attributeOf(attributes, 'display') === 'false') this.hiddenStyles.add(this.styleName)
    } else if (name === 'table') this.openTable(attributes)
    else if (this.depth !== 1 || this.takeRow === null) return
    else if (isCellName(name)) {
      this.isCovered = name !== 'table-cell'
      this.openCell(attributes)
    } else if (name === 'table-row') this.openRow(attributes)
    else if (this.isCell) this.openText(name, attributes)
  }

  readonly close = (name: string): void => {
    if (name === 'table') this.depth -= 1
    else if (this.depth !== 1 || this.takeRow === null) return
    else if (isCellName(name)) this.closeCell()
    else if (name === 'table-row') this.closeRow()
    else if (name === 'annotation') this.commentDepth -= 1
    else if (name === 'p') this.isParagraph = false
  }

  readonly text = (text: string): void => {
    if (this.isParagraph && this.commentDepth === 0) this.write(text)
  }

  private openTable(attributes: string): void {
    this.depth += 1
    if (this.depth > 1) return
    const isHidden = this.hiddenStyles.has(attributeOf(attributes, 'style-name') ?? '')
    const before = this.takeRow
    this.takeRow = this.onSheet(attributeOf(attributes, 'name') ?? '', isHidden)
    // The wanted sheet has ended.
    if (before !== null && this.takeRow === null) this.isDone = true
    this.row = 0
  }

  private openRow(attributes: string): void {
    this.repeatRows = repeated(attributes, 'number-rows-repeated')
    this.isHidden = /visibility="(?:collapse|filter)"/.test(attributes)
    this.column = 0
  }

  private openCell(attributes: string): void {
    this.attributes = attributes
    this.repeatCells = repeated(attributes, 'number-columns-repeated')
    this.paragraphs = []
    this.isCell = true
  }

  private openText(name: string, attributes: string): void {
    if (name === 'annotation') this.commentDepth += 1
    if (this.commentDepth > 0) return
    if (name === 'p') {
      this.paragraphs.push('')
      this.isParagraph = true
    } else if (name === 's') this.write(' '.repeat(Math.min(repeated(attributes, 'c'), 1000)))
    else if (name === 'tab') this.write('\t')
    else if (name === 'line-break') this.write('\n')
  }

  private write(text: string): void {
    const last = this.paragraphs.length - 1
    if (last >= 0) this.paragraphs[last] += text
  }

  private closeCell(): void {
    this.isCell = false
    const text = this.isCovered ? '' : this.cellText()
    if (text !== '') {
      for (let index = 0; index < this.repeatCells; index++) this.cells.put(this.column + index, text)
    }
    this.column += this.repeatCells
  }

  private cellText(): string {
    const {attributes} = this
    const shown = this.paragraphs.join('\n') || this.formulaAlone()
    switch (attributeOf(attributes, 'value-type')) {
      case 'float':
      case 'currency':
      case 'percentage': {
        // To a person, leading zeros are part of the number.
        const value = attributeOf(attributes, 'value')
        if (value === null) return shown
        const isPadded = /^0[0-9]+$/.test(shown) && Number(shown) === Number(value)
        const currency = attributeOf(attributes, 'currency') ?? ''
        const before = currency === '' || isBdt(currency) ? '' : `${currency} `
        return isPadded ? before + shown : numberText(value, {...plainFormat, before}, 0)
      }
      case 'date':
        return (attributeOf(attributes, 'date-value') ?? shown).replace(/\.0+$/, '')
      case 'time':
      case 'boolean':
        return shown
      case 'string':
        return attributeOf(attributes, 'string-value') ?? shown
      default:
        return shown
    }
  }

  /** Of a formula without a result: the program that wrote it does not calculate. */
  private formulaAlone(): string {
    const {attributes} = this
    const isText = attributeOf(attributes, 'value-type') === 'string'
    return isText ? '' : (attributeOf(attributes, 'formula') ?? '').replace(/^[^=]*/, '')
  }

  private closeRow(): void {
    const cells = this.cells.take()
    const {row, repeatRows, takeRow} = this
    this.row += repeatRows
    if (isBlankRow(cells) || takeRow === null) return
    if (this.row > rowsMax) throw new ZipProblem(`it has more than ${rowsMax} rows`)
    for (let index = 1; index <= repeatRows && !this.isDone; index++) {
      if (this.isHidden) this.hiddenRows += 1
      this.isDone = !takeRow(cells, row + index)
    }
  }
}

function repeated(attributes: string, name: string): number {
  const text = attributeOf(attributes, name)
  const count = text === null ? 1 : Number(text)
  if (!(Number.isSafeInteger(count) && count >= 1)) throw new ZipProblem('a count in it is no number')
  return count
}
