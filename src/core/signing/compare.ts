import {timingSafeEqual} from 'node:crypto'

/** Whether two signatures are the same text, in time that does not tell where they differ (P22). */
export function sameSignature(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && a.length > 0 && timingSafeEqual(a, b)
}
