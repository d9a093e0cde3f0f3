import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {Failure} from '../../src/core/failure.ts'
import {defaultLedgerMapping} from '../../src/core/profile.ts'
import type {LedgerEntry, UnreadableRow} from '../../src/core/reconcile/entry.ts'
import {type Ledger, type LedgerOptions, readLedger} from '../../src/ledger/read-ledger.ts'

const folder = mkdtempSync(join(tmpdir(), 'hisab-ledger-'))
// Of all files that this process tests: a hook would end it with the first.
process.once('exit', () => rmSync(folder, {recursive: true, force: true}))

export const defaultOptions: LedgerOptions = {mapping: defaultLedgerMapping, kind: null}

export function writeLedger(content: string | Buffer, name = 'ledger.csv'): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** A ledger with its rows, for tables. */
export interface WholeLedger extends Ledger {
  readonly entries: readonly LedgerEntry[]
  readonly unreadable: readonly UnreadableRow[]
}

export async function readWhole(paths: readonly string[], options: LedgerOptions): Promise<WholeLedger> {
  const entries: LedgerEntry[] = []
  const unreadable: UnreadableRow[] = []
  const sink = {
    entry: (entry: LedgerEntry) => void entries.push(entry),
    unreadable: (row: UnreadableRow) => void unreadable.push(row),
    line: () => {},
  }
  return {...(await readLedger(paths, options, sink)), entries, unreadable}
}

export function read(content: string | Buffer, options: Partial<LedgerOptions> = {}): Promise<WholeLedger> {
  return readWhole([writeLedger(content)], {...defaultOptions, ...options})
}

/** The failure that reading ends with; a test fails where it does not. */
export async function failureOf(reading: Promise<WholeLedger>): Promise<Failure> {
  const outcome = await reading.then(
    (ledger) => new Error(`read ${ledger.entries.length} entries instead of failing`),
    (error: unknown) => error,
  )
  if (outcome instanceof Failure) return outcome
  throw outcome
}
