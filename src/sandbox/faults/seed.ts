import {randomInt} from 'node:crypto'

/** Short enough to read out on the telephone. */
export const seedMax = 999_999

/** Shown to the user, so that the run can be repeated. */
export function newSeed(): number {
  return randomInt(seedMax + 1)
}
