import {asFailure, Failure} from '../../core/failure.ts'
import type {Journal} from '../../journal/interface.ts'

type Sends = Pick<Journal, 'claimResend' | 'recordResendOutcome'>

/**
 * The journal while a run sends. Once it refused a write, nothing more is claimed, and what was sent is watched on: its
 * results are written at the end, if the journal is back by then.
 */
export class SendingJournal {
  /** Why nothing more is sent. */
  failure: Failure | null = null
  private readonly journal: Sends
  private readonly pending: Parameters<Journal['recordResendOutcome']>[] = []

  constructor(journal: Sends) {
    this.journal = journal
  }

  /** Null where the journal refused it. */
  async claimResend(...asked: Parameters<Journal['claimResend']>) {
    try {
      return await this.journal.claimResend(...asked)
    } catch (error) {
      this.failure = refusalOf(error)
      return null
    }
  }

  async recordResendOutcome(...outcome: Parameters<Journal['recordResendOutcome']>): Promise<void> {
    if (this.failure === null) {
      try {
        return await this.journal.recordResendOutcome(...outcome)
      } catch (error) {
        this.failure = refusalOf(error)
      }
    }
    this.pending.push(outcome)
  }

  /** Tries again what it did not take. Returns the resends whose result it does not have. */
  async writePending(): Promise<ReadonlySet<number>> {
    const left = new Set(this.pending.map(([id]) => id))
    try {
      for (const outcome of this.pending) await this.journal.recordResendOutcome(...outcome)
      return new Set()
    } catch (thrown) {
      // A result that was written after all is refused as a second one.
      asFailure(thrown)
      return left
    }
  }
}

function refusalOf(error: unknown): Failure {
  if (error instanceof Failure && error.code !== 'bug') return error
  throw error
}
