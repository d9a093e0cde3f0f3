import type {MerchantState} from '../../core/merchant-state.ts'
import {sql} from '../query.ts'
import {openShared} from './journal.ts'
import type {DatabaseAddress} from './settings.ts'
import {isInDoubt} from './store.ts'

/** Every merchant that the database's role sees. Dry runs do not count. */
export async function allMerchants(address: DatabaseAddress): Promise<MerchantState[]> {
  const db = await openShared(address)
  try {
    const rows = await db.all(
      sql`SELECT a.merchant_id AS "merchantId", a.environment, u.id, u.started_at_ms AS "startedAtMs",
          u.finished_at_ms AS "finishedAtMs", u.status, u.exit_status AS "exitStatus",
          coalesce(u.options ->> 'by', 'hisab') || '@' || u.machine AS by,
          coalesce(u.alive_until > clock_timestamp(), false) AS "isAlive", ended.totals,
          (SELECT count(DISTINCT (f.kind, f.order_no)) FROM hisab.findings AS f
            WHERE f.account_id = a.id AND f.healed_ms IS NULL AND f.severity <> 'none') AS "openItems",
          (SELECT count(*) FROM hisab.resends AS r WHERE r.account_id = a.id AND ${isInDoubt.resend}) +
            (SELECT count(*) FROM hisab.requests AS r WHERE r.account_id = a.id AND ${isInDoubt.create}) +
            (SELECT count(*) FROM hisab.requests_dropped AS r WHERE r.account_id = a.id AND ${isInDoubt.create}) AS "inDoubt",
          (SELECT l.holder FROM hisab.lease AS l WHERE l.account_id = a.id AND l.expires_at > clock_timestamp()) AS "atWork"
        FROM hisab.account AS a
          LEFT JOIN LATERAL (SELECT * FROM hisab.runs WHERE account_id = a.id AND command = 'reconcile'
            AND coalesce(totals ->> 'dryRun', '') <> 'true' ORDER BY seq DESC LIMIT 1) AS u ON true
          LEFT JOIN LATERAL (SELECT totals::text AS totals FROM hisab.runs WHERE account_id = a.id AND command = 'reconcile'
            AND totals ->> 'dryRun' = 'false' ORDER BY seq DESC LIMIT 1) AS ended ON true
        ORDER BY a.merchant_id, a.environment`,
    )
    return rows.map(({id, startedAtMs, finishedAtMs, status, exitStatus, by, isAlive, ...merchant}) => ({
      ...merchant,
      run: id === null ? null : {id, startedAtMs, finishedAtMs, status, exitStatus, by, isAlive},
    })) as unknown as MerchantState[]
  } finally {
    await db.close()
  }
}
