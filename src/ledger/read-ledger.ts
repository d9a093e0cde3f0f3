import type {LedgerSink} from '../core/reconcile/entry.ts'
import {escapeInvisible} from '../core/text.ts'
import {type FileContext, FileRows} from './file-rows.ts'
import {ledgerHeader} from './header-words.ts'
import type {Ledger, LedgerFile, LedgerOptions} from './ledger.ts'
import {quoteCell} from './quotation.ts'
import {readTable} from './read-table.ts'
import type {TableFacts, TableLayout} from './table.ts'
import {describeTotal} from './total-rows.ts'
import {WindowFinder} from './window.ts'

export type {Ledger, LedgerFile, LedgerOptions} from './ledger.ts'

/**
 * Reads the merchant's ledger (contract §4.1). Entries and unreadable rows go to `sink` in the order of files and
 * lines. Returns the files and the window. `-` is stdin. Throws `ledger_damaged` for a damaged file, `file_unreadable`
 * for one that cannot be read, `input_invalid` for one over 1 GiB; the caller must then drop what the sink has.
 */
export async function readLedger(
  paths: readonly string[],
  options: LedgerOptions,
  sink: LedgerSink,
): Promise<Ledger> {
  const files: LedgerFile[] = []
  const [notes, guesses]: [string[], string[]] = [[], []]
  const {mapping, nowMs, day} = options
  const window = new WindowFinder(mapping.timeZone, mapping.dates, nowMs, day)
  for (const path of paths)
    files.push(await readFile(path, {file: files.length, window, sink, notes, guesses}, options))
  const doubt = window.doubt()
  const order = doubt === null ? window.order() : null
  if (order !== null) sink.dates?.(order)
  const blank = window.blankTimes()
  const totals = files.flatMap(({path, totals}) =>
    totals.map((row) => ({says: describeTotal(row, path), isWrong: row.agrees === false})),
  )
  const readings = [...guesses, ...totals.map(({says}) => says)]
  return {
    files,
    readings,
    notes: [
      ...notes,
      ...readings,
      ...(blank === null ? [] : [`${blank}: the window is that of the other rows`]),
    ],
    wrongTotals: totals.flatMap(({says, isWrong}) => (isWrong ? `${says}: rows may be missing` : [])),
    unreadStatuses: files.flatMap(({path, unreadStatuses: [header] = []}) =>
      header === undefined
        ? []
        : `${escapeInvisible(path)}: ${quoteCell(header)} looks like a status, does not call every row completed and is not read, so every row counts as completed: --column status=${quoteCell(header)} reads it, ledger.holds = "credits" in the profile says that it is none`,
    ),
    window: window.result(),
    rowTimes: window.rowTimes(),
    unreadTimes: window.unread(),
    latest: window.latest(),
    doubts: doubt === null ? [] : [{what: 'day_month_swapped', says: doubt}],
  }
}

async function readFile(
  path: string,
  at: Pick<FileContext, 'file' | 'window' | 'sink' | 'notes' | 'guesses'>,
  options: LedgerOptions,
): Promise<LedgerFile> {
  const {taker, layout, facts} = await readTable(
    path,
    ledgerHeader(options.mapping),
    (layout) => {
      at.notes.push(...layout.notes)
      return new FileRows({path, layout, ...at}, options)
    },
    options,
  )
  const {hiddenRows} = facts
  const beside = taker.firstUnderNoHeader ?? facts.beside
  if (beside !== null)
    at.notes.push(
      `${escapeInvisible(path)}: cells under no header are not read, as on line ${beside.line} (${quoteCell(beside.text)})`,
    )
  if (hiddenRows > 0)
    at.notes.push(
      `${escapeInvisible(path)}: ${hiddenRows} of its rows ${hiddenRows === 1 ? 'is' : 'are'} hidden in the sheet, by a filter or by hand. hisab reads them like the others`,
    )
  return describeFile(path, layout, taker, facts, options)
}

function describeFile(
  path: string,
  {format, delimiter, sheet, headerLine}: TableLayout,
  rows: FileRows,
  {sha256, encoding, isCompressed, endsMidLine}: TableFacts,
  {kind}: LedgerOptions,
): LedgerFile {
  const header = rows.finish()
  const unreadStatuses = rows.unreadStatuses()
  const contradictions = rows.contradictions()
  return {
    path,
    sha256,
    format,
    ...(encoding && {encoding, delimiter}),
    ...(isCompressed && {isCompressed}),
    ...(sheet !== null && {sheet}),
    headerLine,
    rows: rows.count,
    lastLine: Math.max(rows.lastLine, rows.totals.at(-1)?.line ?? 0),
    totals: rows.totals,
    ...(unreadStatuses.length > 0 ? {unreadStatuses} : {}),
    ...(contradictions.length > 0 ? {contradictions} : {}),
    columns: header.found,
    ignored: header.cells.filter((cell, at) => cell !== '' && !Object.values<number>(header.at).includes(at)),
    guesses: header.guesses,
    kinds: [...rows.kinds],
    kindAssumed: header.at.kind === undefined && kind === null,
    ...(rows.isStatusUnread || unreadStatuses.length > 0 ? {isStatusUnread: true} : {}),
    ...(endsMidLine ? {endsMidLine} : {}),
  }
}
