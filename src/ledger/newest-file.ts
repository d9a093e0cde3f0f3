import type {LedgerFile} from './ledger.ts'

export interface FileAge {
  /** The time of its last row. */
  readonly endsMs: number | null
  /** When it was last written. */
  readonly savedMs: number | null
}

/** Of the files with rows of one order the one that ends last; null without a row. */
export function newestFile(
  rows: readonly {readonly file: number}[],
  files: readonly LedgerFile[],
  lastRowMs: (file: number) => number | null,
): FileAge | null {
  const [first, ...more] = [...new Set(rows.map(({file}) => file))].map((file) => ({
    endsMs: lastRowMs(file),
    savedMs: files[file]?.savedMs ?? null,
  }))
  if (!first) return null
  return more.reduce((last, one) => ((one.endsMs ?? 0) > (last.endsMs ?? 0) ? one : last), first)
}
