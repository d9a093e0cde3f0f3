import type {Failure} from '../../core/failure.ts'
import {sql} from '../query.ts'
import type {JournalUser} from '../witness.ts'
import {accountIfAny, openShared} from './journal.ts'
import {type Holder, leaseState} from './lease.ts'
import {refusalAt} from './origins.ts'
import type {DatabaseAddress} from './settings.ts'
import {isInDoubt} from './store.ts'
import {SharedWitness} from './witness.ts'

/** A shared journal as the doctor looks at it. */
export interface SharedState {
  /** How far this machine's clock is behind the database's. */
  readonly clockBehindMs: number
  /** As the role has it; each write of hisab sets it on. */
  readonly synchronousCommit: string
  /** The same in a write of hisab's. */
  readonly commitOfWrites: string
  readonly standbys: number
  /** Names of standbys that a COMMIT does not wait for. */
  readonly asyncStandbys: readonly string[]
  /** Standbys whose replication this role may not see. */
  readonly hiddenStandbys: number
  readonly canDelete: boolean
  /** Why nothing is sent: it was restored, or failed over. */
  readonly restored: {readonly text: string; readonly hint: string} | null
  /** Why this profile may not work on it. */
  readonly refusal: Failure | null
  /** Ids of the keys that payouts were recognised by, with the count of their payouts. */
  readonly payeeKeys: ReadonlyMap<string, number>
  readonly holder: Holder | null
  readonly resendsInDoubt: number
  readonly createsInDoubt: {readonly deposit: number; readonly payout: number}
}

/** Looks, and changes nothing. Throws as `openSharedJournal` does for what cannot be used. */
export async function inspectShared(address: DatabaseAddress, user: JournalUser): Promise<SharedState> {
  const db = await openShared(address)
  try {
    const id = await accountIfAny(db, user.account)
    const before = Date.now()
    const [row = {}] = await db.all(
      sql`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
          current_setting('synchronous_commit') AS commit,
          (SELECT bool_or(has_table_privilege(c.oid, 'DELETE') OR has_table_privilege(c.oid, 'TRUNCATE'))
            FROM pg_class AS c WHERE c.relnamespace = 'hisab'::regnamespace AND c.relkind = 'r') AS "canDelete",
          (SELECT count(*) FROM pg_stat_replication)::int AS standbys,
          (SELECT count(*) FROM pg_stat_replication WHERE sync_state IS NULL)::int AS hidden,
          ARRAY(SELECT coalesce(nullif(application_name, ''), 'a standby') FROM pg_stat_replication
            WHERE sync_state = 'async') AS async,
          (SELECT count(*) FROM hisab.resends AS r WHERE ${isInDoubt.resend} AND r.account_id = ${id}) AS resends,
          doubts.*
        FROM (SELECT count(*) FILTER (WHERE kind = 'deposit') AS deposits, count(*) FILTER (WHERE kind = 'payout') AS payouts
          FROM (SELECT r.kind FROM hisab.requests AS r WHERE r.account_id = ${id} AND ${isInDoubt.create}
            UNION ALL SELECT r.kind FROM hisab.requests_dropped AS r WHERE r.account_id = ${id} AND ${isInDoubt.create}) AS every) AS doubts`,
    )
    const clockBehindMs = Number(row.now) - Math.round((before + Date.now()) / 2)
    const [write] = await db.write((tx) =>
      tx.all(sql`SELECT current_setting('synchronous_commit') AS commit`),
    )
    const keys = await db.all(
      sql`SELECT substr(payee_fingerprint, 1, 8) AS id, count(*) AS payouts FROM hisab.requests
        WHERE account_id = ${id} AND payee_fingerprint IS NOT NULL GROUP BY 1`,
    )
    const shared = id === null ? null : {db, accountId: id}
    return {
      clockBehindMs,
      synchronousCommit: String(row.commit),
      commitOfWrites: String(write?.commit),
      standbys: Number(row.standbys),
      asyncStandbys: (row.async as string[] | undefined) ?? [],
      hiddenStandbys: Number(row.hidden),
      canDelete: row.canDelete === true,
      restored: shared && (await SharedWitness.lossOf(shared, user)),
      refusal: id === null ? null : await refusalAt(db, id, user),
      payeeKeys: new Map(keys.map((key) => [String(key.id), Number(key.payouts)])),
      holder: id === null ? null : (await leaseState(db, id)).holder,
      resendsInDoubt: Number(row.resends),
      createsInDoubt: {deposit: Number(row.deposits), payout: Number(row.payouts)},
    }
  } finally {
    await db.close()
  }
}
