import type {LedgerEntry, UnreadableRow} from '../core/reconcile/entry.ts'
import {FileRows} from './file-rows.ts'
import {ledgerHeader} from './header.ts'
import type {Ledger, LedgerFile, LedgerOptions} from './ledger.ts'
import {readTable} from './read-table.ts'
import type {Delimiter} from './records.ts'
import type {SourceFacts} from './source.ts'
import {WindowFinder} from './window.ts'

export type {Ledger, LedgerFile, LedgerOptions} from './ledger.ts'

/**
 * Reads the merchant's ledger (contract §4): entries, the rows that cannot be read with their lines, and the
 * window of time. `-` is stdin. A damaged file throws `Failure('ledger_damaged')`, one that cannot be read
 * `file_unreadable`, one over 1 GiB `input_invalid`; then nothing of any file is returned.
 */
export async function readLedger(paths: readonly string[], options: LedgerOptions): Promise<Ledger> {
  const entries: LedgerEntry[] = []
  const unreadable: UnreadableRow[] = []
  const files: LedgerFile[] = []
  const window = new WindowFinder(options.mapping.timeZone)
  for (const path of paths) {
    const {rows, info} = await readFile(path, files.length, window, options)
    for (const entry of rows.entries) entries.push(entry)
    for (const row of rows.unreadable) unreadable.push(row)
    files.push(info)
  }
  const doubt = window.doubt()
  return {
    entries,
    unreadable,
    files,
    window: window.result(),
    doubts: doubt === null ? [] : [{what: 'day_month_swapped', says: doubt}],
  }
}

async function readFile(path: string, file: number, window: WindowFinder, options: LedgerOptions) {
  const {
    taker: rows,
    delimiter,
    facts,
  } = await readTable(
    path,
    ledgerHeader(options.mapping),
    (delimiter) => new FileRows({path, file, delimiter, window}, options),
    options.delimiter,
  )
  return {rows, info: describeFile(path, delimiter, rows, facts, options)}
}

function describeFile(
  path: string,
  delimiter: Delimiter,
  rows: FileRows,
  {sha256, endsMidLine}: SourceFacts,
  {kind}: LedgerOptions,
): LedgerFile {
  const header = rows.finish()
  return {
    path,
    sha256,
    rows: rows.count,
    lastLine: rows.lastLine,
    delimiter,
    columns: header.found,
    kindAssumed: header.at.kind === undefined && kind === null,
    ...(endsMidLine ? {endsMidLine} : {}),
  }
}
