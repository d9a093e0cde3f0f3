import {accountKey, accountOf} from '../../core/account.ts'
import {Failure} from '../../core/failure.ts'
import {isUuid} from '../../core/order.ts'
import {cooldownMs} from '../../core/reconcile/evidence.ts'
import {readWitness, writeWitness} from '../../files/witness-file.ts'
import {type Part, part, sql} from '../query.ts'
import {type JournalUser, sharedWitnessPath} from '../witness.ts'
import {
  clockNow,
  type Elapsed,
  type Held,
  heldAt,
  holdAccount,
  lockAccount,
  requireClock,
  type Shared,
  sendWithinMs,
  tooLate,
} from './account.ts'
import type {Reader, Row, Transaction} from './database.ts'
import {beginAt} from './origins.ts'

/** What holds in a transaction that may claim. */
export interface HeldToSend extends Held {
  /** A person accepted a restored database less than 8 hours ago: what it lacks, only the service's records tell. */
  readonly isRecentlyRestored: boolean
}

/** What a person is to know of a database that may have forgotten. */
export interface Restored {
  /** Nothing is sent until a person accepts it; else one did. */
  readonly isStopped: boolean
  readonly text: string
  readonly hint: string
}

/** The newest claim that this machine saw in the database, and which database that was. */
export interface Seen {
  readonly token: string
  /** Of the database's clock. */
  readonly atMs: number
  readonly place: string
}

/** Instead of a place: a machine found that claims are gone. */
const olderCopy = 'an older copy'

/** Instead of a token: the machine was set to this journal, and saw no claim in it yet. */
const noClaim = 'no claim yet'

const dayMs = 24 * 60 * 60_000
const hint =
  'Compare with the service what was sent since then. Then run: hisab journal link --start-over --reason "…".'

/**
 * Whether the database still knows what was sent. The account's row says in which database it was written: one that was
 * restored from a dump, moved or promoted is another. Each claim is a generation with a token of its own, and this machine
 * keeps the newest that it saw in a file: a disk that was put back lacks it. A person's word ends it, for all machines.
 */
export class SharedWitness {
  private readonly shared: Shared
  private readonly user: JournalUser
  private readonly place: Part
  private readonly path: string
  private seen: Seen | null
  /** As it was when the journal was opened. */
  restored: Restored | null = null

  private constructor(shared: Shared, user: JournalUser, canReadControl: boolean) {
    this.shared = shared
    this.user = user
    // The timeline is asked of the log: it changes with a promotion, not with the checkpoint after it.
    const system = canReadControl ? '(SELECT system_identifier FROM pg_control_system())' : `'-'`
    this.place = part(
      `concat_ws('/', ${system}, (SELECT oid FROM pg_database WHERE datname = current_database()),
        'hisab.account'::regclass::oid, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))`,
    )
    this.path = sharedWitnessPath(user.dataDir, user.account)
    this.seen = readSeen(this.path)
  }

  /** Why nothing is sent; changes nothing. */
  static async lossOf(shared: Shared, user: JournalUser): Promise<{text: string; hint: string} | null> {
    const witness = await SharedWitness.of(shared, user)
    const text = witness.lossIn(await witness.stateIn(shared.db))
    return text === null ? null : {text, hint}
  }

  private static async of(shared: Shared, user: JournalUser): Promise<SharedWitness> {
    const can = sql`SELECT has_function_privilege('pg_control_system()', 'EXECUTE') AS can`
    const [row] = await shared.db.all(can)
    return new SharedWitness(shared, user, row?.can === true)
  }

  static async open(shared: Shared, user: JournalUser, isLossAccepted: boolean): Promise<SharedWitness> {
    const witness = await SharedWitness.of(shared, user)
    if (isLossAccepted) await witness.accept()
    await witness.look()
    return witness
  }

  /** Takes the account's row to claim. Throws where the database may have forgotten, the clock is off, or the address is another's. */
  async hold(tx: Transaction): Promise<HeldToSend> {
    const {accountId} = this.shared
    await lockAccount(tx, accountId)
    const before = Date.now()
    const row = await this.stateIn(tx)
    const held = heldAt(Number(row.now), before)
    const lost = this.lossIn(row)
    if (lost) throw new Failure('file_unreadable', `${lost}. Nothing was sent.`, hint)
    requireClock(held)
    if (Number(row.origins) < this.user.addresses.length) await beginAt(tx, accountId, this.user)
    const acceptedAtMs = row.accepted === null ? null : Number(row.accepted)
    return {...held, isRecentlyRestored: acceptedAtMs !== null && held.nowMs - acceptedAtMs < cooldownMs}
  }

  /** In a claim's transaction, its last statement: a generation. What it returns is kept before anything is sent. */
  async record(tx: Transaction, token: string, nowMs: number): Promise<Seen> {
    const {accountId} = this.shared
    const row = await tx.one(
      sql`INSERT INTO hisab.generations (account_id, number, token, at_ms)
        SELECT ${accountId}, coalesce(max(number), 0) + 1, ${token}, ${nowMs} FROM hisab.generations
        WHERE account_id = ${accountId} RETURNING ${this.place} AS place`,
    )
    return {token, atMs: nowMs, place: String(row?.place)}
  }

  /** On this machine's disk when it returns. An earlier one, written by another process meanwhile, misses less and no more. */
  keep(seen: Seen): void {
    if (this.seen?.token === seen.token) return
    writeWitness(this.path, seen)
    this.seen = seen
  }

  /** Reads no more rows where there were more claims. */
  private async stateIn(reader: Reader): Promise<Row> {
    const {accountId} = this.shared
    const {merchantId, environment} = accountOf(accountKey(this.user.account))
    const addresses = [...this.user.addresses]
    // Where others changed its file, the database has no such claim.
    const {token = ''} = this.seen ?? {}
    const [row] = await reader.all(
      sql`SELECT ${clockNow} AS now, a.place AS known, ${this.place} AS place, a.accepted_at_ms AS accepted, newest.token, newest.at_ms AS "atMs",
          a.merchant_id = ${merchantId} AND a.environment = ${environment} AS mine,
          EXISTS (SELECT 1 FROM hisab.generations AS g WHERE g.account_id = a.id AND g.token = ${isUuid(token) ? token : null}::uuid) AS has,
          (SELECT count(*) FROM hisab.account_origin AS o WHERE o.account_id = a.id AND o.origin = ANY (${addresses})) AS origins
        FROM hisab.account AS a LEFT JOIN LATERAL (SELECT token, at_ms FROM hisab.generations AS g
          WHERE g.account_id = a.id ORDER BY number DESC LIMIT 1) AS newest ON true WHERE a.id = ${accountId}`,
    )
    return row ?? {}
  }

  /** In a sentence without its end, what the database may have forgotten; null where nothing shows it. */
  private lossIn({known, place, accepted, atMs, mine, has}: Row): string | null {
    const {seen} = this
    const since = atMs == null ? 'It has no claim' : `Its newest claim is of ${utc(Number(atMs))}`
    const because = (what: string) =>
      `${what}. ${since}, and it may not know what was sent after that: orders could be sent twice`
    const isAccepted = seen !== null && accepted != null && Number(accepted) > seen.atMs
    if (mine !== true) return because('The shared journal was replaced while this command ran')
    const isLacking = seen !== null && seen.token !== noClaim && has !== true && !isAccepted
    if (!isLacking && (known == null || known === place)) return null
    const before = isLacking ? seen.place : String(known)
    const lacks = isLacking ? `, and lacks what this machine sent or saw at ${utc(seen.atMs)}` : ''
    if (before === place || before === olderCopy)
      return because(
        `The shared journal is an older copy that was put back${lacks || ', and lacks what another machine sent'}`,
      )
    if (timelineless(before) === timelineless(String(place)))
      return because(
        `The shared journal failed over to another server, or was restored to an earlier time${lacks}`,
      )
    return because(`The shared journal was restored from a copy, or moved to another database${lacks}`)
  }

  private async look(): Promise<void> {
    const {db, accountId} = this.shared
    const row = await this.stateIn(db)
    const because = this.lossIn(row)
    if (because) this.restored = {isStopped: true, text: because, hint}
    const isPutBack =
      because !== null && this.seen !== null && row.has !== true && this.seen.place === row.place
    // Before the first claim too, so that a copy from before it shows. What only this machine knows is recorded for all.
    const to = isPutBack ? olderCopy : row.known == null && because === null ? this.place : null
    if (to !== null)
      await db.write(
        (tx) => tx.run(sql`UPDATE hisab.account SET place = ${to} WHERE id = ${accountId}`),
        'repeat',
      )
    if (because) return
    const token = row.token == null ? noClaim : String(row.token)
    this.keep({token, atMs: Number(row.atMs ?? 0), place: String(row.place)})
    const acceptedAtMs = Number(row.accepted ?? 0)
    if (Date.now() - acceptedAtMs > dayMs) return
    const [{before} = {}] = await db.all(
      sql`SELECT max(at_ms) AS before FROM hisab.generations WHERE account_id = ${accountId} AND at_ms < ${acceptedAtMs}`,
    )
    const from = before == null ? 'before' : `between ${utc(Number(before))} and`
    this.restored = {
      isStopped: false,
      text: `A person accepted a restored journal at ${utc(acceptedAtMs)}. It may lack what was sent ${from} then`,
      hint: 'For 8 hours, a webhook whose record shows a delivery less than 8 hours ago is not resent. The daily ceiling may be counted too low.',
    }
  }

  /** A person's word: this is the journal from now on. */
  private async accept(): Promise<void> {
    const {db, accountId} = this.shared
    const token = crypto.randomUUID()
    const seen = await db.write(async (tx) => {
      const held = await holdAccount(tx, accountId)
      await tx.run(
        sql`UPDATE hisab.account SET place = ${this.place}, accepted_at_ms = ${held.nowMs} WHERE id = ${accountId}`,
      )
      return await this.record(tx, token, held.nowMs)
    })
    this.keep(seen)
  }
}

/**
 * Before a claim is sent: it was acknowledged in time, and this machine keeps that it was made. Else `takeBack` ends it as
 * not sent, and this throws.
 */
export async function keepOrTakeBack(
  witness: SharedWitness,
  seen: Seen | null,
  since: Elapsed,
  takeBack: () => Promise<void>,
): Promise<void> {
  try {
    if (seen) witness.keep(seen)
    if (since.elapsedMs() > sendWithinMs) throw tooLate()
  } catch (error) {
    await takeBack()
    throw error
  }
}

/** Before the first connection, which may fail: a journal of this machine's own would not know what other machines sent. */
export function recordSetting({dataDir, account}: JournalUser): void {
  const path = sharedWitnessPath(dataDir, account)
  if (readSeen(path) === null) writeWitness(path, {token: noClaim, atMs: 0, place: ''})
}

function timelineless(place: string): string {
  return place.slice(0, place.lastIndexOf('/'))
}

function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

function readSeen(path: string): Seen | null {
  const asSeen = ({token, atMs, place}: Partial<Seen>) =>
    typeof token === 'string' && typeof atMs === 'number' && typeof place === 'string'
      ? {token, atMs, place}
      : null
  return readWitness(path, asSeen, {token: '', atMs: 0, place: ''})
}
