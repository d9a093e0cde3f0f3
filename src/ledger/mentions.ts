import {setImmediate} from 'node:timers/promises'

import type {LedgerLine} from '../core/reconcile/entry.ts'
import {escapeInvisible} from '../core/text.ts'
import {isNotesHeader, nameSaysByHand, saysBooked} from './booking-words.ts'
import {corruptFile} from './corrupt-file.ts'
import type {LedgerFile} from './ledger.ts'
import {FileScan} from './mention-scan.ts'
import {NameIndex} from './name-index.ts'
import type {OtherOrderTexts} from './other-order-texts.ts'
import {isAsWritten, ownExportOf} from './own-exports.ts'
import type {RowText} from './own-rows.ts'
import {type AskPlayers, type PaidOrder, Payers} from './payer-lines.ts'
import {flagFor, leavingOut, quoteCell} from './quotation.ts'
import {saveAgain, sheetName} from './read-sheet.ts'
import {type HoldReason, readColumns, type ScannedFile, type TakeAt} from './scanned-file.ts'
import type {SharedCell} from './shared-cells.ts'
import {Source} from './source.ts'
import {References} from './spreadsheet/references.ts'
import {MergedTexts, type Workbook} from './spreadsheet/rows.ts'
import {openWorkbook} from './spreadsheet/workbook.ts'
import {ZipProblem} from './spreadsheet/zip.ts'
import {isLegend} from './statements.ts'

export interface RowPlace {
  readonly file: number
  readonly line: number
}

export interface NamingRows {
  /** Rows with a number unknown to the service: it may be another order's number with words around it. */
  readonly unknown: Iterable<RowPlace>
  /** Rows that could not be read for certain. */
  readonly unreadable: Iterable<RowPlace>
  /** The lines of a text file, given by its place among the files. */
  readonly linesOf: (file: number) => Iterable<readonly LedgerLine[]>
  /** Rows whose orders are not paid at the service. */
  readonly unpaid?: Iterable<RowPlace>
  /** Booked rows whose webhook was not delivered. */
  readonly undelivered?: Iterable<RowPlace>
  readonly isBooked: (status: string) => boolean
  readonly isFailed?: (status: string) => boolean
  /** Whether a word for the kind is that of rows which are no orders. */
  readonly isOther?: (kind: string) => boolean
  readonly stateOf?: ScannedFile['stateOf']
  /** Sheets and columns that say nothing of bookings, as a person stated. */
  readonly ignoredSheets?: readonly string[]
  readonly ignoredColumns?: readonly string[]
  readonly ignoredTexts?: readonly string[]
  /** Receives what is said about other orders. */
  readonly otherOrders?: OtherOrderTexts
  /** Asked only about orders that a file may name by their player. */
  readonly playersOf?: AskPlayers
}

export interface Mentions {
  /** For each order number, in words, the place whose text holds its resend. */
  readonly places: ReadonlyMap<string, string>
  /** The orders of which a person wrote, in their own row or elsewhere: a later ledger without it takes nothing back. */
  readonly lasting: ReadonlySet<string>
  /** Those of them that only a text holds that may be about any order: it is remembered by itself. */
  readonly ofAny: ReadonlySet<string>
  /** Booked rows whose unread cells say otherwise, a sentence for each file. */
  readonly contradictions: readonly string[]
  /** Rows that nothing explains with a cell of an order's own row. */
  readonly shared: readonly (SharedCell & Pick<RowPlace, 'file'>)[]
}

/**
 * What a ledger says besides the columns that are read: where it names orders, and other cells in their rows. Somebody
 * may have noted there what was booked by hand, or was not. Throws `Failure` if a spreadsheet was changed since it was
 * read.
 */
export async function findMentions(
  files: readonly LedgerFile[],
  orders: Iterable<PaidOrder>,
  {
    unknown,
    unreadable,
    linesOf,
    unpaid = [],
    undelivered = [],
    isBooked,
    isFailed = () => false,
    isOther = () => false,
    stateOf = () => null,
    ignoredSheets = [],
    ignoredColumns = [],
    ignoredTexts = [],
    otherOrders,
    playersOf,
  }: NamingRows,
): Promise<Mentions> {
  const payers = new Payers()
  const index = new NameIndex(payers.taking(orders), otherOrders)
  const places = new Map<string, string>()
  const [lasting, ofAny] = [new Set<string>(), new Set<string>()]
  const contradictions: string[] = []
  const shared: (SharedCell & Pick<RowPlace, 'file'>)[] = []
  const doubted = placesIn(files, undelivered)
  const noRows = placesIn(files, [...unknown, ...unreadable])
  const unpaidLines = placesIn(files, unpaid)
  for (const [at, file] of files.entries()) {
    const of = files.length > 1 ? ` of ${escapeInvisible(file.path)}` : ''
    const take: TakeAt = (orderNo, text, where, how, header) => {
      const {text: place, sheet} = typeof where === 'string' ? {text: where} : where
      // An export writes its columns anew; what a person wrote stays true when a later one lacks it.
      if (sheet || how !== 'unlike others' || !header || isNotesHeader(header)) lasting.add(orderNo)
      // `SentenceHolds` keeps such texts themselves, but for a legend, which is about the rows beside it.
      const isKept = isOfAny(how) && !header && !isLegend(text)
      if (!isKept) ofAny.delete(orderNo)
      if (places.has(orderNo)) return
      if (isKept) ofAny.add(orderNo)
      const flags = wayOut(text.trim(), how, sheet, header)
      const said = header ? `${quoteCell(header)} has ${quoteCell(text.trim())}` : quoteCell(text.trim())
      places.set(orderNo, `${place}${of} (${said}) ${holdReasons[how]}${flags}`)
    }
    const said: RowText[] = []
    const [lines, own] = [doubted[at], unpaidLines[at]]
    const scanned = {
      ...{
        file,
        isBooked,
        isFailed,
        isOther,
        stateOf,
        ignoredColumns,
        ignoredTexts,
        undelivered: lines ?? new Set(),
        unpaid: own ?? new Set(),
        payers,
      },
      takeContradiction: (one: RowText) => void said.push(one),
      takeShared: (cell: SharedCell) => void shared.push({...cell, file: at}),
    }
    const scan = new FileScan(scanned, index, noRows[at] ?? new Set(), take)
    if (file.format === 'csv') await scanText(file, linesOf(at), scan)
    else await scanWorkbook(file, scan, ignoredSheets)
    if (playersOf) await payers.ask(scan.ends, playersOf)
    scan.finish()
    const sentence = describeContradictions(file.path, said)
    if (sentence !== null) contradictions.push(sentence)
  }
  return {places, lasting, ofAny, contradictions, shared}
}

function placesIn(files: readonly LedgerFile[], rows: Iterable<RowPlace>): readonly Set<number>[] {
  const lines = files.map(() => new Set<number>())
  for (const {file, line} of rows) lines[file]?.add(line)
  return lines
}

function describeContradictions(path: string, said: readonly RowText[]): string | null {
  const [first] = said
  if (first === undefined) return null
  const rows = new Set(said.map(({line}) => line)).size
  const more = rows > 1 ? ` (and ${rows - 1} more ${rows > 2 ? 'rows' : 'row'})` : ''
  const text = first.text === '' ? 'is blank' : `has ${quoteCell(first.text)}`
  return `line ${first.line} of ${escapeInvisible(path)} counts as booked, its webhook was not delivered, and ${quoteCell(first.header)} ${text}, unlike other booked rows${more}: look whether the order was booked. If that column says nothing of bookings, ${flagFor('--ignore-column', first.header)} leaves it out`
}

/** The flag that says of a place that it has no bookings, as a sentence with a point before it; empty if there is none. */
function wayOut(text: string, how: HoldReason, sheet?: string, header?: string): string {
  if (sheet) return `. If that sheet has no bookings, ${flagFor('--ignore-sheet', sheet)} leaves it out`
  if (header)
    return `. If that column says nothing of bookings, ${flagFor('--ignore-column', header)} leaves it out`
  return isOfAny(how) || how === 'figures' ? `. ${leavingOut(text)}` : ''
}

/** Whether the text may be about any order. */
function isOfAny(how: HoldReason): boolean {
  return how === 'all' || how === 'unread'
}

const holdReasons: Readonly<Record<HoldReason, string>> = {
  named: 'names it, and is not read as a row',
  player: 'has its player in a list of bookings by hand',
  'player named': 'names its player, and is not read as a row',
  'player and amount': 'has its player and its amount, and is not read as a row',
  remark: 'speaks, beside another row of its player, of more than that row',
  'other remark': 'tells of a booking that may be this order',
  'own row': 'says so in its own row',
  'money back': 'says in its own row that the money went back or must not be credited',
  heading: 'is a heading above its row and tells of bookings',
  'unlike others': 'is in its own row, and few or no unpaid orders have the same',
  listed: 'lists it, and hardly any other order that is not booked',
  all: 'tells of bookings and does not name them all, so it may be one of them',
  figures: 'has its amount, its last digits or its player, and is not read as a row',
  unread: 'stands below the rows and is no usual footer: it may tell of bookings',
}

async function scanText(
  {headerLine}: LedgerFile,
  blocks: Iterable<readonly LedgerLine[]>,
  scan: FileScan,
): Promise<void> {
  const where = (line: number) => `line ${line}`
  const [notes, rows] = [scan.notes(where, {isAround: true}), scan.linesOfRows(where)]
  let isAbove = true
  for (const block of blocks) {
    for (const [line, cells] of block) {
      if (isAbove && line >= headerLine) notes.finish()
      isAbove = line < headerLine
      const taker = isAbove ? notes : rows
      taker.take(cells, line)
    }
    await setImmediate()
  }
  rows.finish()
}

/** Reads the file again. */
async function scanWorkbook(
  file: LedgerFile,
  scan: FileScan,
  ignoredSheets: readonly string[],
): Promise<void> {
  const ignored = new Set(ignoredSheets.map(sheetName))
  const source = new Source(file.path)
  const chunks: Buffer[] = []
  for await (const chunk of source.bytes()) chunks.push(chunk)
  if (source.sha256() !== file.sha256)
    throw corruptFile(file.path, 'it was changed while hisab read it', 'Run the same command again.')
  try {
    const workbook = openWorkbook(Buffer.concat(chunks))
    const heads = await workbook.heads(1)
    const isIgnored = (sheet?: string) =>
      sheet !== undefined && sheet !== file.sheet && ignored.has(sheetName(sheet))
    const comments = new Map<number, string[]>()
    const references = new References(file.sheet ?? null)
    const beside = scan.beside()
    for await (const note of workbook.notes()) {
      const sheet = note.at === null ? undefined : heads[note.at.sheet]?.name
      if (isIgnored(sheet)) continue
      if (sheet === undefined || sheet !== file.sheet) beside.take(note)
      else if (note.at !== null) comments.set(note.at.row, [...(comments.get(note.at.row) ?? []), note.text])
    }
    beside.finish()
    const places = [...heads.entries()].map(([at, {name}]) => ({at, name, isRead: name === file.sheet}))
    for (const {at, name, isRead} of places.toSorted(
      (one, other) => Number(other.isRead) - Number(one.isRead),
    )) {
      if (isIgnored(name)) continue
      const where = (line: number) => {
        const text = heads.length > 1 ? `row ${line} of the sheet ${quoteCell(name)}` : `line ${line}`
        return isRead ? text : {text, sheet: name}
      }
      scan.text(name, 'the name of a sheet')
      if (isRead && heads.length > 1) scan.compareSheets()
      const isBooked = !isRead && saysBooked(name)
      if (!isRead && !isBooked && (await isOwnExport(workbook, at))) continue
      const notes = scan.notes(where, {isBooked, isTable: !isRead, isAround: true})
      const rows = scan.linesOfRows(where, isRead ? comments : undefined)
      const merged = new MergedTexts(isRead ? workbook.merged.filter(({sheet}) => sheet === at) : [])
      const ofSheet = {text: 'a sheet of bookings by hand', sheet: name}
      const byHand = isRead ? null : scan.sheetByHand(name, nameSaysByHand(name), ofSheet)
      let read = new Set<number>()
      let orderNoAt = -1
      await workbook.read(at, (given, line) => {
        const cells = isRead ? given : references.read(given)
        if (isRead && line === file.headerLine) {
          read = readColumns(file, cells)
          orderNoAt = cells.findIndex((cell) => cell.trim() === file.columns.order_no?.trim())
        }
        if (isRead && line > file.headerLine && heads.length > 1)
          references.keep(line, cells[orderNoAt] ?? '')
        if (isRead && line >= file.headerLine) rows.take(merged.fill(cells, line, read), line)
        else notes.take(cells, line)
        byHand?.(cells, line)
        return true
      })
      notes.finish()
      rows.finish()
    }
  } catch (error) {
    if (!(error instanceof ZipProblem)) throw error
    throw corruptFile(
      file.path,
      `a part of it cannot be read: ${escapeInvisible(error.message, 200)}`,
      saveAgain,
    )
  }
}

/** Whether a sheet is a list that hisab wrote, from its header to its last row. */
async function isOwnExport(workbook: Workbook, at: number): Promise<boolean> {
  let own: ReturnType<typeof ownExportOf> | undefined
  let isWritten = true
  await workbook.read(at, (cells) => {
    if (own === undefined) own = ownExportOf(cells)
    else isWritten = own !== null && isAsWritten(own, cells)
    return own !== null && isWritten
  })
  return own != null && isWritten
}
