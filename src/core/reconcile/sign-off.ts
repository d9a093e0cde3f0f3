/** A person says that a run's figures are right. */
export interface SignOff {
  readonly by: string
  readonly note: string
  /** The same person started the run, and declared that there is nobody else. */
  readonly isAlone: boolean
  readonly atMs: number
}
