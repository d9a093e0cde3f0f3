/** What a planted change breaks: a promise (docs/promises.md), or a table or rule of docs/contract.md. */
export const promises = {
  P1: 'one intent, one number: the same bytes on every try',
  P2: 'a number that was used before is never answered with an old order unseen',
  P3: 'write, sync, send',
  P4: 'at most one resend of an order’s event in a run; in doubt is never repeated by itself',
  P5: 'no resend within 8 hours of another, nor while one is due by itself',
  P6: 'a lost answer to a write is neither yes nor no',
  P7: 'an unknown word is no status',
  P8: 'an answer counts only if it is whole, strict, of the right shape and about what was asked',
  P9: 'absence needs proof',
  P10: 'a list is read to its end before anything is changed',
  P11: 'a bad row is named and the others go on; a damaged file stops the run',
  P12: 'money is exact',
  P13: 'order numbers compare byte for byte',
  P14: 'one run, one memory a merchant and environment',
  P15: 'killed anywhere, it goes on to the same end',
  P16: 'a disk that says no: no intent, no send, the old report whole, and it is told',
  P17: 'everything ends, and a struggling service is left alone',
  P18: 'the exit status is the truth',
  P19: 'clock skew is shown, never corrected',
  P19b: 'what was said earlier holds for what it was said of',
  P20: 'no secret, signature, phone or name where it does not belong',
  P21: 'signed bytes go to the configured addresses alone',
  P22: 'verifying fails closed',
  P23: 'a webhook is answered 200 only once it is stored; a duplicate does nothing',
  P24: 'text from outside drives nothing',
  P25: 'files are for their owner',
  signature: 'service §5, with the points it leaves open (A6, A12, A13)',
  verdicts: 'the verdict table, and what is counted of it',
  evidence: 'the delivery evidence table',
  window: 'the window of missing_in_ledger and of filters is half-open for a person’s own bounds',
  payouts: 'limits, duplicates and the question of a payout',
  nights: 'what is remembered from night to night',
  configuration: 'a key is set and every other byte stays',
} as const

/** One mistake a careless colleague could make, and the tests that must not let it pass. */
export interface PlantedBug {
  /** Kebab-case: for the command line and the table. */
  readonly name: string
  readonly breaks: keyof typeof promises
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
