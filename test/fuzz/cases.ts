import fc from 'fast-check'

/**
 * The same seed makes the same cases: `HISAB_FUZZ_SEED=7 npx vitest …`. Without it each push has its own, which
 * stands in the names of the tests.
 */
export const seed = Number(process.env.HISAB_FUZZ_SEED ?? Date.now() % 2 ** 31)

/**
 * How many cases a push has time for, 10,000 unless a case is dear; a campaign plays as many as it was told:
 * HISAB_PROPERTY_RUNS=1000000.
 */
export function casesOf(atEachPush = 10_000): number {
  return Number(process.env.HISAB_PROPERTY_RUNS ?? atEachPush)
}

export function check<T>(property: fc.IProperty<T>, numRuns = casesOf()): void {
  fc.assert(property, {numRuns, seed})
}

export async function checkAsync<T>(property: fc.IAsyncProperty<T>, numRuns = casesOf()): Promise<void> {
  await fc.assert(property, {numRuns, seed})
}

/** Longer than any campaign: what a test may not outlive is vitest's to say. */
export const campaignMs = process.env.HISAB_PROPERTY_RUNS === undefined ? 60_000 : 24 * 3_600_000
