/** The promises (docs/promises.md) that a planted change may break. P6 covers P6b; P26 is about packages, not code. */
// biome-ignore format: a list of numbers
export const promises = [
  'P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P8', 'P9', 'P10', 'P11', 'P12', 'P13', 'P14', 'P15', 'P16',
  'P17', 'P18', 'P19', 'P19b', 'P20', 'P21', 'P22', 'P23', 'P24', 'P25',
] as const

/** What else it may break. */
export const rules = {
  signature: 'service §5, with the points it leaves open (A6, A12, A13)',
  verdicts: 'the verdict table, and what is counted of it',
  evidence: 'the delivery evidence table',
  window: 'the window of missing_in_ledger and of filters is half-open for a person’s own bounds',
  payouts: 'limits, duplicates and the question of a payout',
  proof: 'what a run relied on cannot be changed unseen',
  history: 'what is remembered from run to run',
  configuration: 'a key is set and every other byte stays',
} as const

/** One mistake a careless colleague could make, and the tests that must not let it pass. */
export interface Mutant {
  /** Kebab-case: for the command line and the table. */
  readonly name: string
  readonly breaks: (typeof promises)[number] | keyof typeof rules
  /** What the colleague believed while making it. */
  readonly thought: string
  /** From the top of the repository. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly put: string
  /** A second place of the same file, where one is not enough. */
  readonly also?: {readonly find: string; readonly put: string}
  /** Test files: at least one test of theirs must fail, by what it asserts. */
  readonly caughtBy: readonly string[]
  /** They run the built program. */
  readonly needsBuild?: true
}
