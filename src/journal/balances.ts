import {orderKinds} from '../core/order.ts'
import type {BalanceOfRun, CountedOrder} from '../core/reconcile/tie-out.ts'
import {attempt, type Database} from '../files/sqlite.ts'
import {sortFinalOrders} from './final-orders.ts'

/** A step of `schema.ts`. What a later process of the same run did not count again is void. Amounts of many rows pass 64 bits. */
export const balancesSchema = `
  CREATE TABLE balances (
    kind INTEGER NOT NULL,
    order_no TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id),
    ledger_paisa TEXT NOT NULL,
    service_paisa TEXT NOT NULL,
    difference_paisa TEXT NOT NULL,
    verdict TEXT,
    cause TEXT,
    is_void INTEGER NOT NULL DEFAULT 0 CHECK (is_void IN (0, 1)),
    PRIMARY KEY (kind, order_no, run_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX balances_of_run ON balances (run_id);
`

/** An order that comes to nothing is written down only where an earlier run counted it. Part of `recordRun`. */
export function recordBalances(sql: Database['sql'], runId: string, orders: Iterable<CountedOrder>): void {
  sql.prepare('UPDATE balances SET is_void = 1 WHERE run_id = ?').run(runId)
  const put = sql.prepare(
    `INSERT OR REPLACE INTO balances SELECT :kind, :orderNo, :run, :ledger, :service, :difference, :verdict, :cause, 0
     WHERE :counts OR EXISTS (SELECT 1 FROM balances WHERE kind = :kind AND order_no = :orderNo)`,
  )
  for (const {kind, orderNo, ledger, service, difference, verdict, cause, isNotCounted} of orders)
    put.run({
      ...{kind: orderKinds.indexOf(kind), orderNo, run: runId, verdict, cause},
      ...{ledger: `${ledger}`, service: `${service}`, difference: `${difference}`},
      counts: Number(isNotCounted || ledger !== 0n || service !== 0n),
    })
}

/** Over all runs, each order as the last run had it that counted it. */
export function balancesOfRuns(db: Database): BalanceOfRun[] {
  sortFinalOrders(db)
  return attempt(db, (sql) =>
    sumBalances(sql.prepare(lastCounted).iterate(), sql.prepare(finalSums).iterate()),
  )
}

/** `counted`: each order as it was counted last; `final`: sums of orders that agree. */
export function sumBalances(
  counted: Iterable<Record<string, unknown>>,
  final: Iterable<Record<string, unknown>>,
): BalanceOfRun[] {
  const sums = new Map<string, {-readonly [Key in keyof BalanceOfRun]: BalanceOfRun[Key]}>()
  const add = (row: Record<string, unknown>, orders: number) => {
    const {runId, kind, verdict, cause, ledger, service, difference} = row
    const key = [runId, kind, verdict, cause].join()
    const sum = sums.get(key) ?? {
      ...({runId, kind: orderKinds[Number(kind)], verdict, cause} as BalanceOfRun),
      ...{orders: 0, ledger: 0n, service: 0n, differing: 0, plus: 0n, minus: 0n},
    }
    const apart = BigInt(String(difference))
    sum.orders += orders
    sum.ledger += BigInt(String(ledger))
    sum.service += BigInt(String(service))
    if (apart !== 0n) sum.differing += orders
    if (apart > 0n) sum.minus += apart
    else sum.plus -= apart
    sums.set(key, sum)
  }
  for (const row of counted) add(row, 1)
  for (const {high, low, orders, ...row} of final) {
    const sum = BigInt(String(high)) * sumPart + BigInt(String(low))
    add(
      {...row, verdict: null, cause: null, ledger: `${sum}`, service: `${sum}`, difference: 0},
      Number(orders),
    )
  }
  return [...sums.values()]
}

const counted = `counted AS (
  SELECT kind, order_no, run_id, ledger_paisa, service_paisa, difference_paisa, verdict, cause, seq,
    row_number() OVER (PARTITION BY kind, order_no ORDER BY seq DESC) AS age
  FROM balances JOIN runs ON runs.id = run_id WHERE NOT is_void)`
const final = `final AS (
  SELECT settled.kind, order_no, run_id, settlements.status, ledger_paisa, service_paisa, seq
  FROM settled JOIN settlements ON settlements.id = settlement JOIN runs ON runs.id = run_id
  WHERE NOT is_seen_only AND NOT is_taken_back)`

const lastCounted = `WITH ${counted}, ${final}
  SELECT run_id AS runId, kind, verdict, cause, ledger_paisa AS ledger, service_paisa AS service,
    difference_paisa AS difference
  FROM counted WHERE age = 1 AND NOT EXISTS (SELECT 1 FROM final
    WHERE final.kind = counted.kind AND final.order_no = counted.order_no AND final.seq > counted.seq)`

/** Both sides agree on each amount. Added up in two parts: no column holds the sum of all. */
export const sumPart = 1_000_000_000n
const finalSums = `WITH ${counted}, ${final}
  SELECT run_id AS runId, kind, count(*) AS orders, CAST(sum(ledger_paisa / ${sumPart}) AS TEXT) AS high,
    CAST(sum(ledger_paisa % ${sumPart}) AS TEXT) AS low
  FROM final WHERE status = 'completed' AND ledger_paisa IS NOT NULL AND service_paisa IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM counted
      WHERE counted.kind = final.kind AND counted.order_no = final.order_no AND counted.seq >= final.seq)
  GROUP BY run_id, kind`
