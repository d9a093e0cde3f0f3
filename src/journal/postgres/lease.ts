import {setTimeout as delay} from 'node:timers/promises'

import type {Account} from '../../core/account.ts'
import {Failure, thenRunAgain} from '../../core/failure.ts'
import type {OrderKind} from '../../core/order.ts'
import {escapeInvisible, firstOf} from '../../core/text.ts'
import {formatMinute, formatSecond, spanText} from '../../core/time.ts'
import {part, sql} from '../query.ts'
import {holdAccount, type Shared} from './account.ts'
import type {Reader, Transaction} from './database.ts'
import {isOnItsWay} from './doubts.ts'
import {soon} from './presence.ts'

const lostPlace = 'This run lost its place: it did not reach the shared journal for a minute, as after sleep'
const lostHint = thenRunAgain('The journal has what was sent.')

const renewMs = 10_000
const releaseWithinMs = 5_000

export interface HeldLease {
  /** One more with each run that took it. */
  readonly fence: number
  /** Lets the next run in. */
  release(): Promise<void>
}

/** Who is at work for a merchant, and at what. */
export interface Holder {
  /** `person@machine`. */
  readonly by: string
  /** The words of its command line. */
  readonly doing: string
  readonly sinceMs: number
  readonly forSeconds: number
  readonly sent: readonly SentKind[]
}

/** What the holder sent since it is at work. */
export interface SentKind {
  readonly kind: 'resend' | OrderKind
  readonly count: number
  /** The number and the time of the last one; null where none was sent. */
  readonly last: string | null
  readonly lastAtMs: number | null
  /** Numbers of what it is sending now. */
  readonly onItsWay: readonly string[]
}

export interface LeaseState {
  /** 0 where nobody ever had it. */
  readonly fence: number
  readonly holder: Holder | null
}

/** `karim@nightly-0: hisab reconcile, since 2026-11-20 02:14 (3 min 5 s). It has sent 12 webhooks, …`. */
export function holderText(holder: Holder, timeZone: string): string {
  return `${escapeInvisible(holder.by, 120)}: ${doingText(holder, timeZone)}. ${sentText(holder, timeZone)}`
}

const kindsAsked: Readonly<Record<SentKind['kind'], string>> = {
  ...{resend: 'webhook', deposit: 'deposit', payout: 'payout'},
}
const namedMax = 3

/** What it sent, and what it is sending, so that nobody sends it as well. */
function sentText({sent}: Holder, timeZone: string): string {
  const done = sent
    .filter(({count}) => count > 0)
    .map(({kind, count, last, lastAtMs}) => {
      const what = `${count} ${kindsAsked[kind]}${count === 1 ? '' : 's'}`
      return `${what} (the last of ${escapeInvisible(last ?? '', 80)} at ${formatSecond(lastAtMs ?? 0, timeZone)})`
    })
  const now = sent.flatMap(({onItsWay: numbers}) => numbers)
  const named = firstOf(now, namedMax, (number) => escapeInvisible(number, 80))
  return [
    done.length === 0 ? 'It has sent nothing yet.' : `It has sent ${done.join(', ')}.`,
    ...(now.length === 0 ? [] : [`It is sending now: ${named}.`]),
  ].join(' ')
}

function doingText({doing, sinceMs, forSeconds}: Holder, timeZone: string): string {
  return `${escapeInvisible(doing, 80)}, since ${formatMinute(sinceMs, timeZone)} (${spanText(forSeconds)})`
}

/** The right of one run to an account, for as long as it is renewed. It only orders runs: what is sent, the claims decide. */
export class Lease {
  private readonly shared: Shared
  private readonly account: Account
  private readonly holder: Pick<Holder, 'by' | 'doing'>
  private readonly timeZone: string
  private fence: number | null = null
  private timer: NodeJS.Timeout | undefined

  /** `timeZone`: of the times that a refusal names. */
  constructor(shared: Shared, account: Account, holder: Pick<Holder, 'by' | 'doing'>, timeZone: string) {
    this.shared = shared
    this.account = account
    this.holder = holder
    this.timeZone = timeZone
  }

  /** Throws `locked`, with who has it, and since when. */
  async take(): Promise<HeldLease> {
    const {db, accountId} = this.shared
    const {by, doing} = this.holder
    const row = await db.write(async (tx) => {
      await holdAccount(tx, accountId)
      return await tx.one(
        sql`INSERT INTO hisab.lease (account_id, fence, holder, doing, taken_at, expires_at)
          VALUES (${accountId}, 1, ${by}, ${doing}, clock_timestamp(), ${soon})
          ON CONFLICT (account_id) DO UPDATE SET fence = lease.fence + 1, holder = excluded.holder,
            doing = excluded.doing, taken_at = excluded.taken_at, expires_at = excluded.expires_at
          WHERE lease.expires_at <= clock_timestamp() RETURNING fence`,
      )
    })
    if (row === undefined) throw heldBy(this.account, (await this.state()).holder, this.timeZone)
    this.fence = Number(row.fence)
    this.timer = setInterval(() => void this.renew().catch(() => undefined), renewMs)
    this.timer.unref()
    return {fence: this.fence, release: () => this.release()}
  }

  async state(): Promise<LeaseState> {
    const {db, accountId} = this.shared
    return await leaseState(db, accountId)
  }

  /** In a claim's transaction: throws `locked` where a run that had it has it no more. */
  async check(tx: Transaction): Promise<void> {
    if (this.fence === null) return
    const {accountId} = this.shared
    const row = await tx.one(
      sql`SELECT 1 FROM hisab.lease WHERE account_id = ${accountId} AND fence = ${this.fence} AND expires_at > clock_timestamp() FOR SHARE`,
    )
    if (row) return
    throw new Failure('locked', `${lostPlace}. It sends nothing more.`, lostHint)
  }

  /** What a run found is not written over what a later one did: throws `locked` where another run took the lease since. */
  async checkFence(tx: Transaction): Promise<void> {
    if (this.fence === null) return
    const {accountId} = this.shared
    const row = await tx.one(
      sql`SELECT 1 FROM hisab.lease WHERE account_id = ${accountId} AND fence = ${this.fence} FOR SHARE`,
    )
    if (!row) throw new Failure('locked', `${lostPlace}, and another run began.`, lostHint)
  }

  private async renew(): Promise<void> {
    const {db, accountId} = this.shared
    await db.write(
      (tx) =>
        tx.run(
          sql`UPDATE hisab.lease SET expires_at = ${soon} WHERE account_id = ${accountId} AND fence = ${this.fence} AND expires_at > clock_timestamp()`,
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
    // Where the database is gone, or does not answer, it runs out by itself.
    await Promise.race([
      db.write((tx) => tx.run(end), 'repeat').catch(() => undefined),
      delay(releaseWithinMs, undefined, {ref: false}),
    ])
  }
}

export async function leaseState(reader: Reader, accountId: number): Promise<LeaseState> {
  const [row] = await reader.all(
    sql`SELECT fence, holder, doing, expires_at > clock_timestamp() AS is_held,
        floor(extract(epoch FROM taken_at) * 1000)::bigint AS since,
        floor(extract(epoch FROM clock_timestamp() - taken_at))::int AS seconds
      FROM hisab.lease WHERE account_id = ${accountId}`,
  )
  if (row === undefined) return {fence: 0, holder: null}
  const {holder: by, doing, seconds} = row
  const [fence, sinceMs] = [Number(row.fence), Number(row.since)]
  if (row.is_held !== true) return {fence, holder: null}
  const sent = await reader.all(
    sql`SELECT kind, count(*) FILTER (WHERE NOT is_open)::int AS count,
        (array_agg(number ORDER BY at_ms DESC) FILTER (WHERE NOT is_open))[1] AS last,
        max(at_ms) FILTER (WHERE NOT is_open) AS "lastAtMs",
        coalesce(array_agg(number ORDER BY at_ms) FILTER (WHERE is_open), '{}') AS "onItsWay"
      FROM (SELECT 'resend' AS kind, coalesce(r.order_no, r.order_id) AS number, r.intent_at_ms AS at_ms,
            ${part(isOnItsWay.resend)} AS is_open FROM hisab.resends AS r
          WHERE r.account_id = ${accountId} AND r.intent_at_ms >= ${sinceMs} AND r.state <> 'not_sent'
        UNION ALL SELECT r.kind, r.order_no, r.claimed_at_ms, ${part(isOnItsWay.create)} FROM hisab.requests AS r
          WHERE r.account_id = ${accountId} AND r.claimed_at_ms >= ${sinceMs} AND r.sent_by = ${by}
            AND r.state <> 'refused') AS every GROUP BY kind ORDER BY kind`,
  )
  const holder = {by: String(by), doing: String(doing), sinceMs, forSeconds: Number(seconds)}
  return {fence, holder: {...holder, sent: sent as unknown as SentKind[]}}
}

/** `holder`: null where it has just finished. */
export function heldBy({merchantId, environment}: Account, holder: Holder | null, timeZone: string): Failure {
  const who = holder ? escapeInvisible(holder.by, 120) : 'Another hisab, which has just finished,'
  const doing = holder ? `: ${doingText(holder, timeZone)}` : ''
  const sent = holder ? ` ${sentText(holder, timeZone)}` : ''
  return new Failure(
    'locked',
    `${who} is at work for merchant ${escapeInvisible(merchantId)} (${environment})${doing}.${sent} This command sent nothing.`,
    'Wait until it has finished. hisab journal status shows it; find, items, runs and --dry-run work meanwhile. If that machine is gone, another run can start within a minute.',
  )
}
