import {type Account, accountKey, accountOf} from '../../core/account.ts'
import {openShared} from './journal.ts'
import {type Holder, leaseState} from './lease.ts'
import type {DatabaseAddress} from './settings.ts'
import {sql} from './sql.ts'

/** A shared journal as the doctor looks at it. */
export interface SharedState {
  /** How far this machine's clock is behind the database's. */
  readonly clockBehindMs: number
  readonly canDelete: boolean
  /** Names of standbys that a COMMIT does not wait for. */
  readonly asyncStandbys: readonly string[]
  readonly holder: Holder | null
  readonly resendsInDoubt: number
  readonly createsInDoubt: {readonly deposit: number; readonly payout: number}
}

/** Looks, and changes nothing. Throws as `openSharedJournal` does for what cannot be used. */
export async function inspectShared(address: DatabaseAddress, account: Account): Promise<SharedState> {
  const db = await openShared(address)
  try {
    const {merchantId, environment} = accountOf(accountKey(account))
    const before = Date.now()
    const [row = {}] = await db.all(
      sql`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
          has_table_privilege('hisab.resends', 'DELETE') AS "canDelete",
          ARRAY(SELECT coalesce(nullif(application_name, ''), 'a standby') FROM pg_stat_replication
            WHERE sync_state = 'async') AS standbys,
          a.id AS account,
          (SELECT count(*) FROM hisab.resends WHERE account_id = a.id AND state IN ('intent', 'unknown')) AS resends,
          (SELECT count(*) FROM hisab.requests WHERE account_id = a.id AND kind = 'deposit' AND state IN ('intent', 'unknown')) AS deposits,
          (SELECT count(*) FROM hisab.requests WHERE account_id = a.id AND kind = 'payout'
            AND (state IN ('intent', 'unknown') OR state = 'accepted' AND confirmation = 'contradicted')) AS payouts
        FROM (SELECT 1) AS one LEFT JOIN hisab.account AS a ON a.merchant_id = ${merchantId} AND a.environment = ${environment}`,
    )
    return {
      clockBehindMs: Number(row.now) - Math.round((before + Date.now()) / 2),
      canDelete: row.canDelete === true,
      asyncStandbys: (row.standbys as string[] | undefined) ?? [],
      holder: row.account == null ? null : (await leaseState(db, Number(row.account))).holder,
      resendsInDoubt: Number(row.resends ?? 0),
      createsInDoubt: {deposit: Number(row.deposits ?? 0), payout: Number(row.payouts ?? 0)},
    }
  } finally {
    await db.close()
  }
}
