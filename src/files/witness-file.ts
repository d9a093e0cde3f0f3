import {dirname} from 'node:path'

import {makeOwnDir, readIfThere, writeFileAtomically} from './private-files.ts'

/** The witness file beside a store; null if there is none, `changed` if somebody else changed it. */
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
    return changed
  }
}

export function writeWitness(path: string, seen: object): void {
  makeOwnDir(dirname(path))
  writeFileAtomically(path, `${JSON.stringify(seen)}\n`)
}
