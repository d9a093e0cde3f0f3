import fc from 'fast-check'

const isCampaign = process.env.HISAB_PROPERTY_RUNS !== undefined

/**
 * The same seed makes the same cases, and stands in the names of the tests. Each push plays the same ones, that it
 * turns red by what it changes; a campaign plays new ones. `HISAB_FUZZ_SEED=7 npx vitest …` chooses.
 */
export const seed = Number(process.env.HISAB_FUZZ_SEED ?? (isCampaign ? Date.now() % 2 ** 31 : 20261121))

/**
 * How many cases a push has time for, 2,000 unless a case is dear; a campaign plays as many as it was told:
 * HISAB_PROPERTY_RUNS=1000000.
 */
export function casesOf(atEachPush = 2_000): number {
  return Number(process.env.HISAB_PROPERTY_RUNS ?? atEachPush)
}

export function check<T>(property: fc.IProperty<T>, numRuns = casesOf()): void {
  fc.assert(property, {numRuns, seed})
}

export async function checkAsync<T>(property: fc.IAsyncProperty<T>, numRuns = casesOf()): Promise<void> {
  await fc.assert(property, {numRuns, seed})
}

/** Longer than any campaign: what a test may not outlive is vitest's to say. */
export const campaignMs = isCampaign ? 24 * 3_600_000 : 60_000
