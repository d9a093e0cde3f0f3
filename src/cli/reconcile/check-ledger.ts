import {formatPaisa, type Paisa} from '../../core/money.ts'
import type {OrderKind, OrderState} from '../../core/order.ts'
import type {LedgerMapping} from '../../core/profile.ts'
import type {DateInDigits, LedgerEntry, UnreadableRow} from '../../core/reconcile/entry.ts'
import type {Window} from '../../core/reconcile/window.ts'
import {formatInstant} from '../../core/time.ts'
import type {Ledger, LedgerFile} from '../../ledger/ledger.ts'
import {isPlainColumn} from '../../ledger/plain-columns.ts'
import {quoteCell} from '../../ledger/quotation.ts'
import {viewAmount} from '../../report/finding-view.ts'
import {type LedgerCheck, ledgerCheckText} from '../../report/ledger-check-text.ts'
import {styleFor} from '../style.ts'
import {type DelimiterName, delimiterOf, mappingWith} from './ledger-flags.ts'

export interface CheckFlags {
  readonly kind?: OrderKind | undefined
  readonly column?: readonly string[] | undefined
  readonly dates?: LedgerMapping['dates'] | undefined
  readonly delimiter?: DelimiterName | undefined
  readonly sheet?: string | undefined
  readonly 'header-row'?: number | undefined
  readonly 'ignore-column'?: readonly string[] | undefined
}

const rowsShown = 5
const problemsShown = 10

export async function checkLedger(
  path: string,
  flags: CheckFlags,
  mapping: LedgerMapping,
): Promise<LedgerCheck> {
  const {readLedger} = await import('../../ledger/read-ledger.ts')
  const seen = new SeenRows(mapping.timeZone)
  const read = mappingWith(mapping, flags.column, flags.dates, flags['ignore-column'])
  const ledger = await readLedger(
    [path],
    {
      mapping: read,
      kind: flags.kind ?? null,
      nowMs: Date.now(),
      // A file without a row counts as understood too.
      isTimeStated: true,
      delimiter: delimiterOf(flags.delimiter),
      sheet: flags.sheet ?? mapping.import?.sheet ?? null,
      isSheetStated: flags.sheet !== undefined,
      headerRow: flags['header-row'] ?? null,
    },
    seen,
  )
  return {
    ...viewFile(ledger, read.ignoredColumns),
    ...viewTimes(ledger, mapping.timeZone),
    ...seen.view(),
    saved: null,
  }
}

/** 7 if a row cannot be read or a doubt is left: a run with this file would not end with 0. */
export function statusOf({unreadable, doubts}: LedgerCheck): 0 | 7 {
  return unreadable.rows + doubts.length > 0 ? 7 : 0
}

export function withoutImport({import: _, ...mapping}: LedgerMapping): LedgerMapping {
  return mapping
}

export function textOf(check: LedgerCheck): string {
  return ledgerCheckText(check, styleFor(process.stdout), process.stdout.columns)
}

/** Keeps only the first rows and the sums: the file may be large. */
class SeenRows {
  private readonly timeZone: string
  private readonly first: LedgerCheck['firstRows'][number][] = []
  private readonly sums = new Map<string, {kind: OrderKind; status: OrderState; rows: number; paisa: Paisa}>()
  private readonly problems: {line: number; cause: string; detail: string}[] = []
  private unreadableRows = 0

  constructor(timeZone: string) {
    this.timeZone = timeZone
  }

  entry(entry: LedgerEntry, created: Window | DateInDigits | null): void {
    const {line, orderNo, kind, status, amount} = entry
    if (this.first.length < rowsShown) {
      const orderedAt =
        created !== null && 'fromMs' in created ? formatInstant(created.fromMs, this.timeZone) : null
      this.first.push({
        ...{line, orderNo, kind, status, orderedAt},
        amount: viewAmount(amount),
      })
    }
    const key = `${kind} ${status}`
    const sum = this.sums.get(key) ?? {kind, status, rows: 0, paisa: 0n}
    sum.rows += 1
    sum.paisa += amount ?? 0n
    this.sums.set(key, sum)
  }

  /** Not needed: it looks for nothing outside of rows. */
  line(): void {}

  unreadable({line, cause, detail}: UnreadableRow): void {
    this.unreadableRows += 1
    if (this.problems.length < problemsShown) this.problems.push({line, cause, detail})
  }

  view(): Pick<LedgerCheck, 'firstRows' | 'sums' | 'unreadable'> {
    return {
      firstRows: this.first,
      sums: [...this.sums.values()].map(({kind, status, rows, paisa}) => ({
        ...{kind, status, rows},
        amount: formatPaisa(paisa),
      })),
      unreadable: {rows: this.unreadableRows, first: this.problems},
    }
  }
}

/** A row without a status was booked, so its columns hold no resend. */
function holdingNote(file: LedgerFile, ignoredColumns: readonly string[]): string[] {
  const known = new Set(ignoredColumns.map((header) => header.trim()))
  const holding = file.ignored.filter((header) => !isPlainColumn(header) && !known.has(header.trim()))
  if (file.columns.status === undefined || holding.length === 0) return []
  const headers = holding.slice(0, 10).map(quoteCell).join(', ')
  return [
    `What a row has under ${headers} may tell of a booking. Where few or no unpaid rows have the same, it holds the row's resend for a person. If that says nothing of bookings, name the header in ledger.ignored_columns or with --ignore-column`,
  ]
}

function viewFile(
  {files, notes, readings, wrongTotals, unreadStatuses, doubts, unreadTimes}: Ledger,
  ignoredColumns: readonly string[],
) {
  const [file] = files
  if (file === undefined) throw new Error('one file was read')
  const {path, sha256, format, encoding, isCompressed, delimiter, sheet, headerLine, rows} = file
  // Shown once, as a doubt.
  const doubted = [
    ...wrongTotals,
    ...(file.contradictions ?? []),
    ...unreadStatuses,
    ...doubts.map(({says}) => says),
  ]
  if (unreadTimes !== null) doubted.push(unreadTimes)
  return {
    file: {
      ...{path, sha256, format, headerLine, rows},
      ...{encoding: encoding ?? null, compressed: isCompressed === true},
      ...{delimiter: delimiter ?? null, sheet: sheet ?? null},
    },
    columns: Object.entries(file.columns).map(([column, header]) => ({
      ...{column, header},
      guessed: file.guesses.some((guess) => guess === column),
    })),
    ignored: file.ignored,
    totals: file.totals.map(({line, label, amount, sum, agrees}) => ({
      ...{line, label, agrees},
      amount: viewAmount(amount),
      sum: formatPaisa(sum),
    })),
    doubts: doubted,
    notes: [
      ...notes.filter((note) => !readings.includes(note)),
      ...(file.kindAssumed
        ? ['It has no kind column, so its rows are read as deposits. For payouts add --kind payout']
        : []),
      ...holdingNote(file, ignoredColumns),
    ],
  }
}

function viewTimes({window}: Ledger, timeZone: string): Pick<LedgerCheck, 'window' | 'windowUnknown'> {
  if (!window.ok) return {window: null, windowUnknown: window.because}
  const time = (ms: number) => formatInstant(ms, timeZone)
  return {window: {from: time(window.fromMs), to: time(window.toMs)}, windowUnknown: null}
}
