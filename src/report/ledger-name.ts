import {basename} from 'node:path'

import {escapeInvisible} from '../core/text.ts'

/** A file of a run's ledger as a finding names it: nothing where it is the only one, its path where two are named alike. */
export function ledgerName(path: string | null, ledger: readonly {readonly path: string}[]): string {
  if (path === null || ledger.length < 2) return ''
  const name = basename(path)
  return escapeInvisible(ledger.filter((file) => basename(file.path) === name).length > 1 ? path : name)
}
