import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll} from 'vitest'
import {Failure} from '../../src/core/failure.ts'
import {defaultLedgerMapping} from '../../src/core/profile.ts'
import {type Ledger, type LedgerOptions, readLedger} from '../../src/ledger/read-ledger.ts'

const folder = mkdtempSync(join(tmpdir(), 'hisab-ledger-'))
afterAll(() => rmSync(folder, {recursive: true, force: true}))

export const defaultOptions: LedgerOptions = {mapping: defaultLedgerMapping, kind: null}

export function writeLedger(content: string | Buffer, name = 'ledger.csv'): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

export function read(content: string | Buffer, options: Partial<LedgerOptions> = {}): Promise<Ledger> {
  return readLedger([writeLedger(content)], {...defaultOptions, ...options})
}

/** The failure that reading ends with; a test fails where it does not. */
export async function failureOf(reading: Promise<Ledger>): Promise<Failure> {
  const outcome = await reading.then(
    (ledger) => new Error(`read ${ledger.entries.length} entries instead of failing`),
    (error: unknown) => error,
  )
  if (outcome instanceof Failure) return outcome
  throw outcome
}
