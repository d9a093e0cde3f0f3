import {inBatches} from '../../core/batches.ts'
import {orderKinds} from '../../core/order.ts'
import type {BalanceOfRun, CountedOrder} from '../../core/reconcile/tie-out.ts'
import {sumBalances, sumPart} from '../balances.ts'
import {part, rowsAtOnce, sql} from '../query.ts'
import type {Shared} from './account.ts'
import type {Transaction} from './database.ts'

/** As the journal on a machine does: an order that comes to nothing only where an earlier run counted it. */
export async function recordBalances(
  tx: Transaction,
  accountId: number,
  runId: string,
  orders: Iterable<CountedOrder>,
): Promise<void> {
  await tx.run(
    sql`UPDATE hisab.balances SET is_void = 1 WHERE account_id = ${accountId} AND run_id = ${runId}`,
  )
  for (const page of inBatches(orders, rowsAtOnce)) {
    const all = [...new Map(page.map((one) => [`${one.kind}\0${one.orderNo}`, one])).values()]
    const counts = all.map(({isNotCounted, ledger, service}) =>
      Number(isNotCounted || ledger !== 0n || service !== 0n),
    )
    await tx.run(
      sql`INSERT INTO hisab.balances (account_id, run_id, kind, order_no, ledger_paisa, service_paisa, difference_paisa, verdict, cause)
        SELECT ${accountId}, ${runId}, kind, order_no, ledger, service, difference, verdict, cause
        FROM unnest(${all.map(({kind}) => orderKinds.indexOf(kind))}::int[], ${all.map(({orderNo}) => orderNo)}::text[],
          ${all.map(({ledger}) => `${ledger}`)}::numeric[], ${all.map(({service}) => `${service}`)}::numeric[],
          ${all.map(({difference}) => `${difference}`)}::numeric[], ${all.map(({verdict}) => verdict)}::text[],
          ${all.map(({cause}) => cause)}::text[], ${counts}::int[])
          AS one (kind, order_no, ledger, service, difference, verdict, cause, counts)
        WHERE counts = 1 OR EXISTS (SELECT 1 FROM hisab.balances AS known
          WHERE known.account_id = ${accountId} AND known.kind = one.kind AND known.order_no = one.order_no)
        ON CONFLICT (account_id, kind, order_no, run_id) DO UPDATE SET ledger_paisa = excluded.ledger_paisa,
          service_paisa = excluded.service_paisa, difference_paisa = excluded.difference_paisa,
          verdict = excluded.verdict, cause = excluded.cause, is_void = 0`,
    )
  }
}

export async function balancesOf({db, accountId}: Shared): Promise<BalanceOfRun[]> {
  const both = part(`counted AS (
      SELECT kind, order_no, run_id, ledger_paisa, service_paisa, difference_paisa, verdict, cause, seq,
        row_number() OVER (PARTITION BY kind, order_no ORDER BY seq DESC) AS age
      FROM hisab.balances AS b JOIN hisab.runs AS r ON r.account_id = b.account_id AND r.id = b.run_id
      WHERE b.account_id = ${accountId} AND b.is_void = 0),
    final AS (
      SELECT array_position(ARRAY['deposit', 'payout'], s.kind) - 1 AS kind, order_no, run_id, s.status, ledger_paisa,
        service_paisa, seq
      FROM hisab.settled AS s JOIN hisab.runs AS r ON r.account_id = s.account_id AND r.id = s.run_id
      WHERE s.account_id = ${accountId} AND is_seen_only = 0 AND is_taken_back = 0)`)
  const counted = await db.all(
    sql`WITH ${both} SELECT run_id AS "runId", kind, verdict, cause, ledger_paisa::text AS ledger, service_paisa::text AS service,
      difference_paisa::text AS difference FROM counted WHERE age = 1 AND NOT EXISTS (SELECT 1 FROM final
        WHERE final.kind = counted.kind AND final.order_no = counted.order_no AND final.seq > counted.seq)`,
  )
  const final = await db.all(
    sql`WITH ${both} SELECT run_id AS "runId", kind, count(*) AS orders, sum(ledger_paisa / ${part(String(sumPart))})::text AS high,
        sum(ledger_paisa % ${part(String(sumPart))})::text AS low
      FROM final WHERE status = 'completed' AND ledger_paisa IS NOT NULL AND service_paisa IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM counted
          WHERE counted.kind = final.kind AND counted.order_no = final.order_no AND counted.seq >= final.seq)
      GROUP BY run_id, kind`,
  )
  return sumBalances(counted, final)
}
