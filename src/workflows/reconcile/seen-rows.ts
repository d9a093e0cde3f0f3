import {formatPaisa} from '../../core/money.ts'
import {isDuplicate} from '../../core/reconcile/orders.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RememberedRow, SeenRow} from '../../journal/memory-rows.ts'
import type {Ledger, LedgerFile} from '../../ledger/ledger.ts'
import type {UnexplainedRow} from '../../worksheet/damaged-rows.ts'
import type {Worksheet} from '../../worksheet/worksheet.ts'
import {isSettled} from './settled.ts'

/** What a run, a dry run or a plan saw of a ledger. */
export interface SeenLedger {
  readonly ledger: Ledger
  readonly sheet: Worksheet
  readonly runId: string
  readonly nowMs: number
}

/**
 * Remembers the rows that carried money, or may have, and did not end as matched, so that no later run resends what they
 * may be: a ledger given to hisab showed it as credited. Those that matched are remembered as they are answered for.
 */
export function rememberRows(
  {ledger, sheet, runId, nowMs}: SeenLedger,
  journal: Pick<Journal, 'recordRowsSeen'>,
): void {
  const {window} = ledger
  const toMs = window.ok ? Math.min(window.toMs, nowMs) : nowMs
  journal.recordRowsSeen(runId, toMs, rowsSeen(sheet, ledger.files))
}

function* rowsSeen(sheet: Worksheet, files: readonly LedgerFile[]): Generator<SeenRow> {
  for (const {order, side} of sheet.answers.undecided()) {
    const [first] = order.entries
    if (first && side?.is === 'found' && !isDuplicate(order) && isSettled(first, side.order)) continue
    for (const {status, kind, orderNo, line, file, amount} of order.entries) {
      if (status !== 'completed') continue
      const anyOrder =
        side?.is === 'absent' ? {amount: amount === null ? null : formatPaisa(amount)} : undefined
      yield {kind, orderNo, line, anyOrder, isBeginning: isCutOff(files, {file, line})}
    }
  }
  for (const {isBeginning = false, ...row} of unreadableNumbers(sheet)) yield {...row, isBeginning}
}

/** The rows that cannot be read and have a number, or an amount that may be any order's. */
export function* unreadableNumbers(sheet: Worksheet): Generator<UnexplainedRow> {
  for (const row of sheet.ledger.unreadableRows()) {
    const {line, file, kind = null, orderNo, rawOrderNo, anyOrder, isBeginning} = row
    const text = orderNo ?? rawOrderNo ?? (anyOrder && '')
    if (text !== undefined) yield {line, file, kind, orderNo: text, isBooked: false, anyOrder, isBeginning}
  }
}

/** Whether a file may have been cut off inside the number of this row. */
export function isCutOff(
  files: readonly Pick<LedgerFile, 'endsMidLine' | 'lastLine'>[],
  {file, line}: {readonly file: number; readonly line: number},
): boolean {
  return files[file]?.endsMidLine === true && files[file].lastLine === line
}

const dayMs = 24 * 60 * 60_000

/**
 * The rows that earlier runs saw. Such a row may be an order of quite another number only where its ledger ended on the
 * day before this window begins, and this ledger does not cover its time: else it stands in this one as well, mended or not.
 */
export class EarlierLedgers {
  private readonly journal: Pick<Journal, 'rowsSeen'>
  private readonly runId: string
  private readonly window: MaybeWindow
  private readonly ownWindow: MaybeWindow
  private readonly runIds: string[] = []

  constructor(
    journal: Pick<Journal, 'rowsSeen'>,
    runId: string,
    {window, ledger}: {readonly window: MaybeWindow; readonly ledger: Ledger},
  ) {
    this.journal = journal
    this.runId = runId
    this.window = window
    this.ownWindow = ledger.window
  }

  /** `file` is below zero: it is none of this run's. */
  *rows(): Generator<UnexplainedRow> {
    for (const row of this.journal.rowsSeen(this.runId)) {
      const {kind, orderNo, line, anyOrder, isBeginning, runId} = row
      if (!this.runIds.includes(runId)) this.runIds.push(runId)
      const file = -1 - this.runIds.indexOf(runId)
      const lost = anyOrder && this.isOfTheDayBefore(row) ? {anyOrder} : {}
      yield {kind, orderNo, line, file, isBooked: false, isBeginning, ...lost}
    }
  }

  /** The run whose ledger such a row stood in. */
  runOf({file}: Pick<UnexplainedRow, 'file'>): string | null {
    return this.runIds[-1 - file] ?? null
  }

  private isOfTheDayBefore({ledgerToMs}: RememberedRow): boolean {
    const {window, ownWindow} = this
    if (ownWindow.ok && ledgerToMs >= ownWindow.fromMs) return false
    return !window.ok || ledgerToMs >= window.fromMs - dayMs
  }
}
