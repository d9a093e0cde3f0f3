import {part, sql} from '../query.ts'
import type {Shared} from './account.ts'

const renewMs = 10_000
/** Longer than some renewals that did not arrive. */
export const soon = part(`clock_timestamp() + interval '60 seconds'`)

/** Says of the runs of this process that they are at work, with or without a lease. */
export class Presence {
  private readonly shared: Shared
  private readonly runs = new Set<string>()
  private timer: NodeJS.Timeout | undefined

  constructor(shared: Shared) {
    this.shared = shared
  }

  begin(runId: string): void {
    this.runs.add(runId)
    this.timer ??= setInterval(() => void this.renew().catch(() => undefined), renewMs).unref()
  }

  end(runId: string): void {
    this.runs.delete(runId)
    if (this.runs.size === 0) this.stop()
  }

  stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  private async renew(): Promise<void> {
    const {db, accountId} = this.shared
    await db.write(
      (tx) =>
        tx.run(
          sql`UPDATE hisab.runs SET alive_until = ${soon} WHERE account_id = ${accountId} AND id = ANY (${[...this.runs]})`,
        ),
      'repeat',
    )
  }
}
