import {basename} from 'node:path'

import {headerSaysBooked, isNotesHeader, saysBooked, saysByHand, saysYes} from './booking-words.ts'
import type {Naming} from './counter-names.ts'
import {bareOf, HandLists, HandSheet, type ListCell, Players} from './hand-lists.ts'
import {LateNames} from './late-names.ts'
import type {LedgerFile} from './ledger.ts'
import {LostSheet} from './lost-sheet.ts'
import type {NameIndex} from './name-index.ts'
import {type FileCounts, NamingCells} from './naming-cells.ts'
import {NumberSpan} from './number-span.ts'
import {orderSheetOf, ReadRows} from './order-sheets.ts'
import {type Heading, OwnRows, type RowState, type RowText} from './own-rows.ts'
import {type PayerLine, PayerLines, Payers} from './payer-lines.ts'
import {PlayerEnds} from './player-ends.ts'
import {PlayerRemarks} from './player-remarks.ts'
import {lineText} from './quotation.ts'
import {
  type HoldReason,
  type LineTaker,
  type NoteTaker,
  readColumns,
  type ScannedFile,
  type TakeAt,
  type WhereOf,
} from './scanned-file.ts'
import {SentenceHolds} from './sentence-holds.ts'
import {SharedCells} from './shared-cells.ts'
import type {Note} from './spreadsheet/part-texts.ts'
import type {Place} from './statement-scan.ts'
import {isLegend} from './statements.ts'
import {toldRows} from './told-rows.ts'
import {UnreadFooters} from './unread-footers.ts'

const sheetMax = 100_000
const besideCells = 'a comment, text box, link or property of the file'
/** Stands for a row's comments among its columns. */
const commentColumn = -1
const noLines: ReadonlySet<number> = new Set()

/** Looks through one file for what names orders. */
export class FileScan {
  private readonly file: LedgerFile
  private readonly index: NameIndex
  /** Lines that could not be read for certain, or whose number the service does not know. */
  private readonly noRows: ReadonlySet<number>
  private readonly takeAt: TakeAt
  private readonly late: LateNames
  private readonly numbers: NumberSpan
  private rowCount = 0
  private openCount = 0
  private readonly players = new Players()
  private readonly payers: Payers
  readonly ends: PlayerEnds
  /** Null if the file has no other sheets. */
  private readRows: ReadRows | null = null
  private readonly scanned: ScannedFile
  private readonly sentences: SentenceHolds

  constructor(scanned: ScannedFile, index: NameIndex, noRows: ReadonlySet<number>, takeAt: TakeAt) {
    this.file = scanned.file
    this.scanned = scanned
    this.index = index
    this.numbers = new NumberSpan(index)
    this.noRows = noRows
    this.takeAt = takeAt
    this.late = new LateNames(this.numbers, takeAt)
    this.payers = scanned.payers ?? new Payers()
    this.ends = new PlayerEnds(this.players, this.payers, scanned.takeShared)
    this.sentences = new SentenceHolds(index, this.players, this.ends, takeAt, scanned.ignoredTexts)
    if (this.file.path !== '-') this.name(basename(this.file.path))
  }

  /** Files are seldom named after an order: a few matching characters are rather a counter or a date. */
  private name(text: string): void {
    if (saysByHand(text)) {
      const statements = this.sentences.scan('file name')
      statements.add(text.replace(/\.\p{L}+$/u, ''), 'the name of the file', false)
      statements.endBlock()
    }
    const isWhole = (orderNo: string) =>
      bareOf(orderNo).length >= nameMin && bareOf(text).includes(bareOf(orderNo))
    for (const naming of this.index.find(text))
      if (naming.sureness === 'sure' && (saysBooked(text) || isWhole(naming.orderNo)))
        this.late.take(naming, text, 'the name of the file')
  }

  /** A text outside of rows and lines. */
  text(text: string, where: Place): void {
    for (const naming of this.index.findInNotes(text))
      if (naming.sureness === 'sure') this.late.take(naming, text, where)
  }

  /** The texts of a workbook outside of its cells; the notes of one part come together. */
  beside(): {readonly take: (note: Note) => void; readonly finish: () => void} {
    const statements = this.sentences.scan()
    let part = ''
    return {
      take: (note) => {
        if (note.part !== part) statements.endBlock()
        part = note.part
        this.text(note.text, besideCells)
        this.ends.takeText([note.text], 0, besideCells)
        if (note.isSentence) statements.add(note.text, besideCells, this.index.find(note.text).length > 0)
      },
      finish: () => statements.endBlock(),
    }
  }

  /** To be called before the rows are scanned, if other sheets follow. */
  compareSheets(): void {
    this.readRows = new ReadRows()
  }

  private keyOf(orderNo: string): string {
    const counter = this.index.counterOf(orderNo.trim())
    return counter === null ? orderNo.trim() : `${counter.prefix} ${counter.value}`
  }

  /** Another sheet that may have bookings by hand; its name says so where `isByHand`. */
  sheetByHand(name: string, isByHand: boolean, where: Place): LineTaker['take'] {
    const sheet = new HandSheet(isByHand, this.players, {
      names: (text) => this.index.find(text).length > 0 || this.isOwnNumber(text),
      take: (orderNo, text) => this.takeAt(orderNo, text, where, 'player'),
      takeAll: () => this.sentences.takeAll(name, where),
      tell: (line) => this.index.otherOrders?.players.takeLine(line),
    })
    const lost = new LostSheet(
      name,
      this.index,
      this.payers,
      this.taking(() => where, 'listed'),
    )
    this.ends.addSheet(sheet, lost)
    return (line, lineNo) => {
      sheet.take(line)
      lost.take(line, lineNo)
    }
  }

  private isOwnNumber(text: string): boolean {
    const counter = this.index.counterOf(text.trim())
    return counter !== null && this.index.counts(counter.prefix)
  }

  private takePayer(payers: PayerLines, line: readonly string[], lineNo: number): void {
    payers.take(line, lineNo)
    const {otherOrders} = this.index
    // A line with a number like those of the ledger is about that.
    if (otherOrders && !line.some((cell) => otherOrders.namesOrders(cell)))
      otherOrders.players.takePayer(line)
  }

  private counts(): FileCounts {
    const all = this.rowCount + this.index.size - this.openCount
    return {rows: this.rowCount, share: this.index.size / Math.max(1, all)}
  }

  /**
   * Scans lines that are not rows. `isTable`: they are another sheet's, scanned after the rows. A sheet may list all
   * orders, or numbers of another kind: it lists bookings only if a word says so. `isAround`: not between the rows.
   */
  notes(where: WhereOf, {isBooked = false, isTable = false, isAround = false} = {}): NoteTaker {
    const [cells, {index, numbers}] = [new NamingCells(isTable), this]
    const orders =
      isTable && this.readRows
        ? orderSheetOf(this.readRows, this.scanned, {index, keyOf: (no) => this.keyOf(no), numbers})
        : null
    const take = this.taker(where)
    let [isBelowHeading, isOfBooked] = [false, false]
    const statements = this.sentences.scan()
    const [payers, ofSheet] = [new PayerLines(this.payers), [] as string[]]
    const endBlock = () => {
      statements.endBlock()
      isBelowHeading = false
    }
    return {
      take: (line, lineNo, sentence) => {
        orders?.take(line, lineNo)
        if (isTable && ofSheet.length < sheetMax) ofSheet.push(...line)
        if (isAround) this.ends.takeText(line, lineNo, where(lineNo))
        if (isTable && !/\p{N}/u.test(line.join(''))) isOfBooked = line.some(headerSaysBooked)
        else if (isOfBooked && line.some(saysYes))
          for (const cell of line) this.index.otherOrders?.see(cell, true)
        isBelowHeading ||= line.some(saysByHand)
        const isNote = isBooked || isBelowHeading
        const isSheet = isTable && !isNote
        const all = line.map((text) => this.index[isSheet ? 'find' : 'findInNotes'](text, isNote))
        const isNamed = all.flat().some(({end}) => end === undefined)
        if (!isNamed && sentence === undefined && !line.some((cell) => this.isOwnNumber(cell)))
          this.takePayer(payers, line, lineNo)
        const isRow = isTable && !isNote && !(isNamed && line.some(saysBooked))
        if (isRow) cells.countRow()
        for (const [column, text] of line.entries()) {
          const named = all[column] ?? []
          if (named.length === 0 && !/\d/.test(text)) continue
          const ofLine = {column, line: lineNo, text, ownNo: null, named, isRow, isNotes: true}
          cells.add({...ofLine, mayRefer: isRow, numberOf: isRow ? this.numbers.has(text) : null}, take)
        }
        const text = sentence ?? lineText(line)
        statements.add(text, where(lineNo), isNamed)
      },
      endBlock,
      finish: () => {
        endBlock()
        cells.finish(take, this.counts())
        this.index.otherOrders?.seeSheet(ofSheet)
        this.ends.addLines(payers, this.taking(where, 'player and amount'))
        orders?.held(({orderNo, ...said}, how) => this.taking(where, how)(orderNo, said))
      },
    }
  }

  /** Scans the header and all lines below it: of rows only the unread cells. */
  private rows(where: WhereOf, comments = new Map<number, string[]>()): LineTaker {
    const {columns, headerLine, totals, format} = this.file
    let own: OwnRows | null = null
    let lists: HandLists | null = null
    let shared: SharedCells | null = null
    const totalLines = new Set(totals.map(({line}) => line))
    const cells = new NamingCells()
    const take = this.taker(where)
    let read = new Set<number>()
    /** Of columns with a header: people write notes there, or another row's number. */
    let meanings: {readonly isNotes: boolean; readonly mayRefer: boolean}[] = []
    let [orderNoAt, amountAt, statusAt, playerAt, kindAt] = [-1, -1, -1, -1, -1]
    const besides = new PayerLines(this.payers)
    const lost = new LostSheet('', this.index, this.payers, this.taking(where, 'listed'))
    let remarks: PlayerRemarks | null = null
    let heading: Heading | null = null
    const [notes, footers] = [this.notes(where), new UnreadFooters()]
    return {
      take: (line, lineNo) => {
        if (lineNo === headerLine) {
          footers.takeHeader(line, this.file)
          this.readRows?.takeHeader(line)
          meanings = line.map((cell) => {
            const header = cell.trim()
            const isNotes = header === '' || isNotesHeader(header)
            return {isNotes, mayRefer: !isNotes && !headerSaysBooked(header)}
          })
          read = readColumns(this.file, line)
          const placeOf = (header: string | undefined) =>
            header === undefined ? -1 : line.findIndex((cell) => cell.trim() === header.trim())
          ;[orderNoAt, amountAt] = [placeOf(columns.order_no), placeOf(columns.amount)]
          statusAt = placeOf(columns.status)
          ;[playerAt, kindAt] = [placeOf(columns.player_ref), placeOf(columns.kind)]
          const {ignoredColumns = []} = this.scanned
          const ignored = new Set(ignoredColumns.map(placeOf))
          const left = new Set([...read, ...ignored])
          remarks = new PlayerRemarks(line, (at) => meanings[at]?.isNotes === true, {playerAt, left})
          lists = new HandLists(line, read, ignored)
          lost.take(lists.beside(line), lineNo)
          if (this.noRows.size > 0) shared = new SharedCells(line, left)
          const ofOrder = [columns.order_no, columns.status, columns.kind]
          const notOwn = [...ofOrder, columns.platform_order_no, ...ignoredColumns].map(placeOf)
          const createdAt = placeOf(columns.created_at)
          own = new OwnRows(line, {left: new Set(notOwn), read, amountAt, createdAt, isNotes: isNotesHeader})
          for (const cell of line) {
            this.text(cell, where(lineNo))
            if (isLegend(cell)) this.sentences.takeAll(cell, where(lineNo))
          }
          return
        }
        const said = comments.get(lineNo) ?? []
        comments.delete(lineNo)
        const [player, amount] = [line[playerAt] ?? '', line[amountAt] ?? '']
        const isBooked = statusAt < 0 || this.scanned.isBooked(line[statusAt]?.trim() ?? '')
        const ofRow = {player, amount, line: lineNo, isBooked}
        if (totalLines.has(lineNo) || this.noRows.has(lineNo)) {
          lists?.takeLine(line, lineNo, player)
          remarks?.takeNoRow(ofRow, line, totalLines.has(lineNo))
          if (line.length <= meanings.length) this.index.otherOrders?.players.takeLine(line, player)
          shared?.take(line, {line: lineNo, orderNo: null}, false)
          const [text = '', ...others] = new Set(line.map((cell) => cell.trim()).filter(Boolean))
          const isTotal = totalLines.has(lineNo)
          footers.take(line, lineNo)
          if (isTotal || others.length === 0) heading = isTotal ? null : {line: lineNo, text}
          const isAmount = (cell: string, at: number) => at === amountAt && /^[\p{N}\s.,]*$/u.test(cell)
          const texts = [...line.map((cell, at) => (isAmount(cell, at) ? '' : cell)), ...said]
          if (isBooked && !isTotal) this.index.otherOrders?.seeBeside(line, read, said)
          // Text beside a number is about that number, so it is no sentence.
          return notes.take(texts, lineNo, /\p{N}/u.test(line[orderNoAt] ?? '') ? line[orderNoAt] : undefined)
        }
        notes.endBlock()
        footers.takeRow()
        const number = line[orderNoAt]?.trim() ?? ''
        // A bonus is given on a booked deposit: its row is not that order's own, and names it.
        const isOther = this.scanned.isOther?.(line[kindAt]?.trim() ?? '') === true
        if (isOther)
          for (const naming of this.index.find(number))
            if (naming.sureness === 'sure') take(naming, number, lineNo)
        const ownNo = isOther ? '' : number
        if (!isOther) {
          this.numbers.add(ownNo)
          this.payers.addNumber(ownNo)
        }
        const isOpen = this.index.has(ownNo)
        cells.countRow()
        this.rowCount += 1
        if (isOpen) this.openCount += 1
        this.late.addAmount(amount)
        const status = line[statusAt]?.trim() ?? ''
        const state = this.stateOf(statusAt < 0 ? undefined : status, lineNo, isOpen)
        const is = this.scanned.isFailed?.(status) === true ? 'failed' : 'open'
        own?.take({orderNo: ownNo, line: lineNo, state, status: is}, line, said, heading)
        if (isOpen || state === 'unpaid') remarks?.addPayer(this.payers, line, ownNo, amount, isOpen)
        this.readRows?.take(this.keyOf(ownNo), {state, status: is}, line)
        shared?.take(line, {line: lineNo, orderNo: isOpen ? ownNo : null}, true)
        // Other sheets and lines that are no rows may name players, too.
        if (lists?.mayList || isOpen || format !== 'csv') this.players.add(player, isOpen ? ownNo : null)
        lists?.take(line, lineNo, player)
        const beside = lists?.beside(line) ?? []
        besides.take(beside, lineNo, ownNo)
        lost.take(beside, lineNo)
        remarks?.take(ofRow, line, said)
        const ofCell = {line: lineNo, ownNo: isOpen ? ownNo : null, row: line, isRow: true}
        for (const text of said) {
          const named = this.index.findInNotes(text)
          cells.add({...ofCell, column: commentColumn, text, named, isNotes: true}, take)
        }
        for (const [column, text] of line.entries()) {
          if (text === '') continue
          if (column === orderNoAt || column === amountAt) continue
          if (cells.addKnown(column, text)) continue
          if (!read.has(column) && isLegend(text)) this.sentences.takeAll(text, where(lineNo))
          const all = this.index.findInNotes(text)
          // In a column that is read, a short number is a player's.
          const named = read.has(column) ? all.filter(({sureness}) => sureness === 'sure') : all
          const meaning = meanings[column] ?? {isNotes: true, mayRefer: false}
          cells.add({...ofCell, column, text, named, ...meaning}, take)
        }
      },
      finish: () => {
        const beside = this.beside()
        for (const [lineNo, texts] of comments)
          for (const text of texts) beside.take({text, at: null, isSentence: true, part: String(lineNo)})
        beside.finish()
        cells.finish(take, this.counts())
        const takeOwn = ({orderNo, ...said}: RowText, how: HoldReason) =>
          this.taking(where, how)(orderNo, said)
        this.ends.addLines(besides, this.taking(where, 'player and amount'))
        this.ends.addLost(lost)
        notes.finish()
        own?.held(takeOwn)
        own?.early(takeOwn)
        const takeAll = (said: PayerLine & {readonly header?: string}) =>
          this.sentences.takeAll(said.text, where(said.line), 'sentence', {header: said.header})
        const listed = [this.taking(where, 'player'), takeAll, this.taking(where, 'player named')] as const
        if (lists) this.ends.addLists(lists, ...listed)
        const taking = (how: HoldReason) => this.taking(where, how)
        if (remarks) this.ends.addRemarks(remarks, this.index.otherOrders, taking, takeAll)
        this.sentences.takeUnread(footers, where)
        if (this.scanned.takeShared) shared?.finish(this.scanned.takeShared)
        for (const said of own?.contradictions() ?? []) this.scanned.takeContradiction?.(said)
      },
    }
  }

  linesOfRows(where: WhereOf, comments?: Map<number, string[]>): LineTaker {
    const {undelivered = noLines, unpaid = noLines} = this.scanned
    if (this.index.size + undelivered.size + unpaid.size > 0) return this.rows(where, comments)
    const {index, noRows, ends} = this
    const takeUnread = (footers: UnreadFooters) => this.sentences.takeUnread(footers, where)
    return toldRows({...this.scanned, index, noRows, ends, takeUnread}, this.notes(where), comments)
  }

  /** To be called at the end. */
  finish(): void {
    this.ends.finish()
    this.late.finish()
  }

  /** Without a status column all rows are booked. */
  private stateOf(status: string | undefined, line: number, isOpen: boolean): RowState | null {
    const {isBooked, unpaid = noLines, undelivered = noLines} = this.scanned
    if (status === undefined || isBooked(status)) return undelivered.has(line) ? 'undelivered' : 'booked'
    return isOpen ? 'resend' : unpaid.has(line) ? 'unpaid' : null
  }

  private taker(where: WhereOf) {
    return (naming: Naming, text: string, line: number) => this.late.take(naming, text, where(line))
  }

  private taking(where: WhereOf, how: HoldReason) {
    return (orderNo: string, said: PayerLine & Partial<ListCell> & {readonly where?: Place}) =>
      this.takeAt(orderNo, said.text, said.where ?? where(said.line), how, said.header)
  }
}

const nameMin = 6
