import {randomInt} from 'node:crypto'

/** Short enough to be read out over the telephone. */
export const seedMax = 999_999

/** A seed nobody chose; whoever shows it lets the run be repeated. */
export function newSeed(): number {
  return randomInt(seedMax + 1)
}
