/** The last reconciliation of a merchant. */
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

/** A merchant of a shared journal. */
export interface MerchantState {
  readonly merchantId: string
  readonly environment: string
  /** Null where none was ever reconciled. */
  readonly run: LastRun | null
  /** Of the last run that came to its end, as `writeTotals` wrote them. */
  readonly totals: string | null
  readonly openItems: number
  /** Creates and resends whose outcome nobody knows. */
  readonly inDoubt: number
  /** Who is at work, `person@machine`. */
  readonly atWork: string | null
}
