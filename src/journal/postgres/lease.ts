import {type Account, accountKey} from '../../core/account.ts'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {holdAccount, type Shared} from './account.ts'
import type {Transaction} from './database.ts'
import {part, sql} from './sql.ts'

const lastsSeconds = 60
const renewMs = 10_000
const until = part(`clock_timestamp() + interval '${lastsSeconds} seconds'`)

export interface HeldLease {
  /** Lets the next run in. */
  release(): Promise<void>
}

/** The right of one run to an account, for as long as it is renewed. It only orders runs: what is sent, the claims decide. */
export class Lease {
  private readonly shared: Shared
  private readonly account: Account
  private readonly holder: string
  private fence: number | null = null
  private timer: NodeJS.Timeout | undefined

  /** `holder`: who, and on which machine. */
  constructor(shared: Shared, account: Account, holder: string) {
    this.shared = shared
    this.account = account
    this.holder = holder
  }

  /** Throws `locked`, with who has it, and since when. */
  async take(): Promise<HeldLease> {
    const {db, accountId} = this.shared
    const row = await db.write(async (tx) => {
      await holdAccount(tx, accountId)
      return await tx.one(
        sql`INSERT INTO hisab.lease (account_id, fence, holder, taken_at, expires_at)
          VALUES (${accountId}, 1, ${this.holder}, clock_timestamp(), ${until})
          ON CONFLICT (account_id) DO UPDATE SET fence = lease.fence + 1, holder = excluded.holder,
            taken_at = excluded.taken_at, expires_at = excluded.expires_at
          WHERE lease.expires_at <= clock_timestamp() RETURNING fence`,
      )
    })
    if (row === undefined) throw heldBy(this.account, (await this.holderNow()) ?? 'another hisab')
    this.fence = Number(row.fence)
    this.timer = setInterval(() => void this.renew().catch(() => undefined), renewMs)
    this.timer.unref()
    return {release: () => this.release()}
  }

  /** Who has it now, and since when; null where nobody has. */
  async holderNow(): Promise<string | null> {
    const {db, accountId} = this.shared
    const [row] = await db.all(
      sql`SELECT holder, to_char(taken_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS since FROM hisab.lease
        WHERE account_id = ${accountId} AND expires_at > clock_timestamp()`,
    )
    return row ? `${escapeInvisible(String(row.holder), 120)}, since ${row.since} UTC` : null
  }

  /** In a claim's transaction: throws `locked` where a run that had it has it no more. */
  async check(tx: Transaction): Promise<void> {
    if (this.fence === null) return
    const {accountId} = this.shared
    const row = await tx.one(
      sql`SELECT 1 FROM hisab.lease WHERE account_id = ${accountId} AND fence = ${this.fence} AND expires_at > clock_timestamp() FOR SHARE`,
    )
    if (row) return
    throw new Failure(
      'locked',
      'This run lost its place: it did not reach the shared journal for a minute, as after sleep. Nothing more was sent.',
      'Run it again, or resume it. The journal has what was sent.',
    )
  }

  private async renew(): Promise<void> {
    const {db, accountId} = this.shared
    await db.write(
      (tx) =>
        tx.run(
          sql`UPDATE hisab.lease SET expires_at = ${until} WHERE account_id = ${accountId} AND fence = ${this.fence} AND expires_at > clock_timestamp()`,
        ),
      'repeat',
    )
  }

  private async release(): Promise<void> {
    clearInterval(this.timer)
    const {fence} = this
    this.fence = null
    if (fence === null) return
    const {db, accountId} = this.shared
    const end = sql`UPDATE hisab.lease SET expires_at = clock_timestamp() WHERE account_id = ${accountId} AND fence = ${fence}`
    // Where the database is gone, it runs out by itself.
    await db.write((tx) => tx.run(end), 'repeat').catch(() => undefined)
  }
}

export function heldBy(account: Account, holder: string): Failure {
  return new Failure(
    'locked',
    `Another run of hisab is active for merchant ${escapeInvisible(accountKey(account))}: ${holder}.`,
    'Wait until it has finished. If its machine is gone, its lease ends by itself within a minute.',
  )
}
