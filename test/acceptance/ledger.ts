import type {Kind} from '../fake-service/book.ts'

export interface LedgerRow {
  readonly order_no: string
  readonly kind?: Kind
  readonly status?: string
  readonly amount?: string
  readonly created_at?: string
}

const startedAtMs = Date.now()

/** Moments are counted back from the start of the tests, as the bundled clock of the binary is the real one. */
export function minutesAgo(minutes: number): string {
  return new Date(startedAtMs - minutes * 60_000).toISOString()
}

export function minutesAhead(minutes: number): string {
  return minutesAgo(-minutes)
}

/** A ledger with the columns any of its rows has, in a fixed order. */
export function writeLedger(rows: readonly LedgerRow[]): string {
  const columns = (['order_no', 'kind', 'status', 'amount', 'created_at'] as const).filter((column) =>
    rows.some((row) => row[column] !== undefined),
  )
  const lines = rows.map((row) => columns.map((column) => quote(row[column] ?? '')).join(','))
  return `${[columns.join(','), ...lines].join('\n')}\n`
}

function quote(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
