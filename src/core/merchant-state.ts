interface LastRun {
  readonly id: string
  readonly startedAtMs: number
  readonly finishedAtMs: number | null
  readonly status: 'running' | 'finished' | 'interrupted'
  readonly exitStatus: number | null
  /** `person@machine`. */
  readonly by: string | null
  readonly isAlive: boolean
}

export interface MerchantState {
  readonly merchantId: string
  readonly environment: string
  /** Null if it was never reconciled. */
  readonly run: LastRun | null
  /** Of the last finished run, as `writeTotals` wrote them. */
  readonly totals: string | null
  readonly openItems: number
  /** Creates and resends with an unknown outcome. */
  readonly inDoubt: number
  /** Who is at work: `person@machine`. */
  readonly atWork: string | null
}
