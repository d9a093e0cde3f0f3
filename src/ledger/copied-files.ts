import {readFileSync, statSync} from 'node:fs'
import {basename} from 'node:path'

/** What a second download or a copied file has in its name: `ledger (1).csv`, `Copy of ledger.csv`, `ledger - Copy.csv`. */
const markOfCopy = /(?<!\p{L})copy(?: of)?(?!\p{L})|\(\d{1,2}\)|[\s_-]+/giu

/**
 * Leaves out files with the bytes and the name of another, whose orders would all be in the ledger twice. Files of one line stay:
 * those of two people who booked nothing are alike.
 */
export function withoutCopies(paths: readonly string[]) {
  const read: string[] = []
  const copies: {readonly path: string; readonly of: string}[] = []
  for (const path of paths) {
    const of = read.find((other) => isCopy(path, other))
    if (of === undefined) read.push(path)
    else copies.push({path, of})
  }
  return {paths: read, copies}
}

function isCopy(path: string, other: string): boolean {
  const [name, otherName] = [path, other].map((one) => basename(one).replaceAll(markOfCopy, '').toLowerCase())
  if (path === other || name !== otherName) return false
  try {
    if (statSync(path).size !== statSync(other).size) return false
    const bytes = readFileSync(path)
    const end = bytes.indexOf('\n')
    return end >= 0 && end < bytes.length - 1 && bytes.equals(readFileSync(other))
  } catch {
    // The reader of the ledger says what is wrong with it.
    return false
  }
}
