import {completedEvent} from '../../core/order.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import {corruptFile} from '../../ledger/corrupt-file.ts'
import type {LedgerFile} from '../../ledger/ledger.ts'
import type {Records} from '../../staging/records.ts'

const dayMs = 24 * 60 * 60_000
/** Between the first days of the two date systems of spreadsheets, 1 January 1900 and 2 January 1904. */
const betweenMs = 1462 * dayMs
/** A webhook is made some time before or after its row. */
const aroundMs = 3 * dayMs
/** What this many rows have is no accident. */
const rowsMin = 3

/**
 * Throws if the dates of a file are those of the other date system: every webhook is four years and a day later than its row.
 * Dates of the future make a run incomplete anyway.
 */
export function refuseOtherDateSystem(
  records: Pick<Records, 'laterThanRows'>,
  own: MaybeWindow,
  files: readonly LedgerFile[],
  nowMs: number,
): void {
  if (!own.ok || nowMs - own.toMs < betweenMs - aroundMs) return
  for (const {file, leastMs, mostMs, rows} of records.laterThanRows(completedEvent)) {
    const isOff = [leastMs, mostMs].every((ms) => Math.abs(ms - betweenMs) < aroundMs)
    if (!isOff || rows < rowsMin) continue
    throw corruptFile(
      files[file]?.path ?? '',
      'its dates are 4 years and a day before the webhooks of its orders: they were copied between spreadsheets that count days from 1900 and from 1904',
      'Export the ledger again as CSV, or turn "Use 1904 date system" of the workbook over and save it (Excel: File, Options, Advanced).',
    )
  }
}
