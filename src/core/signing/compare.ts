import {timingSafeEqual} from 'node:crypto'

/** Compares two signatures in constant time (P22). */
export function sameSignature(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && a.length > 0 && timingSafeEqual(a, b)
}
