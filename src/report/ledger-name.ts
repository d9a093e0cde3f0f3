import {basename} from 'node:path'

import {escapeInvisible} from '../core/text.ts'

/** The name of a ledger file in a finding: none for a single file, the path if two files have the same name. */
export function ledgerName(path: string | null, ledger: readonly {readonly path: string}[]): string {
  if (path === null || ledger.length < 2) return ''
  const name = basename(path)
  return escapeInvisible(ledger.filter((file) => basename(file.path) === name).length > 1 ? path : name)
}
