import {dirname} from 'node:path'

import {makeOwnDir, readIfThere, writeFileAtomically} from './private-files.ts'

/** What a file beside a store says of it; null where there is none, `changed` where others changed it. */
export function readWitness<Seen>(
  path: string,
  asSeen: (found: Partial<Seen>) => Seen | null,
  changed: Seen,
): Seen | null {
  const text = readIfThere(path)?.toString()
  if (text === undefined) return null
  try {
    return asSeen(JSON.parse(text)) ?? changed
  } catch {
    // Written whole or not at all.
    return changed
  }
}

export function writeWitness(path: string, seen: object): void {
  makeOwnDir(dirname(path))
  writeFileAtomically(path, `${JSON.stringify(seen)}\n`)
}
