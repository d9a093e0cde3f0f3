import {inBatches} from '../../core/batches.ts'
import type {ListMark} from '../../core/reconcile/list-order.ts'
import {columnsFor} from '../../files/sqlite.ts'
import type {Findings} from '../findings.ts'
import type {FinalOrder, RememberedRow, RunHistory} from '../memory-rows.ts'
import {part, type Query, rowsAtOnce, sql} from '../query.ts'
import {keptRowOf, rowKeyOf, storable} from '../run-history.ts'
import {holdAccount, type Shared} from './account.ts'
import {balancesOf, recordBalances} from './balances.ts'
import type {Transaction} from './database.ts'
import type {Lease} from './lease.ts'

const finals = part(
  `SELECT ${columnsFor<FinalOrder>({
    ...{kind: 'kind', orderNo: 'order_no', status: 'status', rawStatus: 'raw_status', runId: 'run_id'},
    ...{ledgerAmount: 'ledger_paisa::text', serviceAmount: 'service_paisa::text'},
    ...{platformOrderNo: 'platform_order_no', askedAtMs: 'settled_at_ms'},
    ...{isSeenOnly: 'is_seen_only = 1', isTakenBack: 'is_taken_back = 1'},
  })} FROM hisab.settled`,
)

const text = (value: bigint | null | undefined) => (value == null ? null : String(value))

/** The part of a shared journal that lasts from run to run. */
export function sharedMemory({db, accountId}: Shared, lease: Lease): Omit<RunHistory, keyof Findings> {
  const write = <T>(work: (tx: Transaction) => Promise<T>) =>
    db.write(async (tx) => {
      await holdAccount(tx, accountId)
      return await work(tx)
    }, 'repeat')
  const settled = async (query: Query): Promise<FinalOrder[]> =>
    (await db.all(query)).map((row) => {
      const amount = (value: unknown) => (value === null ? null : BigInt(String(value)))
      return {
        ...row,
        ledgerAmount: amount(row.ledgerAmount),
        serviceAmount: amount(row.serviceAmount),
      } as unknown as FinalOrder
    })
  return {
    findFinalOrders: (kind, orderNos) =>
      settled(
        sql`${finals} WHERE account_id = ${accountId} AND kind = ${kind} AND order_no = ANY (${[...orderNos]})`,
      ),
    findFinalOrdersOf: (numbers) =>
      settled(sql`${finals} WHERE account_id = ${accountId} AND platform_order_no = ANY (${[...numbers]})`),
    async recordFinalOrders(runId, nowMs, orders, nonFinal, isSeenOnly = false) {
      await write(async (tx) => {
        for (const page of inBatches(
          new Map(orders.map((one) => [`${one.order.kind}\0${one.order.orderNo}`, one])).values(),
          rowsAtOnce,
        ))
          await tx.run(
            sql`INSERT INTO hisab.settled AS known (account_id, kind, order_no, status, raw_status, run_id, settled_at_ms,
                ledger_paisa, service_paisa, platform_order_no, is_seen_only)
              SELECT ${accountId}, kind, order_no, status, raw_status, ${runId}, ${nowMs}, ledger, service, platform, ${Number(isSeenOnly)}
              FROM unnest(${page.map(({order}) => order.kind)}::text[], ${page.map(({order}) => order.orderNo)}::text[],
                ${page.map(({order}) => order.status)}::text[], ${page.map(({order}) => order.rawStatus)}::text[],
                ${page.map(({ledgerAmount}) => text(ledgerAmount))}::bigint[], ${page.map(({order}) => text(order.amount))}::bigint[],
                ${page.map(({order}) => order.platformOrderNo)}::text[])
                AS one (kind, order_no, status, raw_status, ledger, service, platform)
              ON CONFLICT (account_id, kind, order_no) DO UPDATE SET status = excluded.status, raw_status = excluded.raw_status,
                run_id = excluded.run_id, settled_at_ms = excluded.settled_at_ms, ledger_paisa = excluded.ledger_paisa,
                service_paisa = excluded.service_paisa, platform_order_no = excluded.platform_order_no,
                is_seen_only = excluded.is_seen_only, is_taken_back = 0
              WHERE NOT (excluded.is_seen_only = 1 AND known.is_taken_back = 0)`,
          )
        for (const page of inBatches(nonFinal, rowsAtOnce))
          await tx.run(
            sql`UPDATE hisab.settled AS known SET is_taken_back = 1
              FROM unnest(${page.map(({kind}) => kind)}::text[], ${page.map(({orderNo}) => orderNo)}::text[],
                ${page.map(({paid}) => paid?.platformOrderNo ?? null)}::text[], ${page.map(({paid}) => text(paid?.amount))}::bigint[])
                AS one (kind, order_no, platform, service)
              WHERE known.account_id = ${accountId} AND known.kind = one.kind AND known.order_no = one.order_no
                AND NOT (known.status = 'completed' AND known.platform_order_no IS NOT DISTINCT FROM one.platform
                  AND known.service_paisa IS NOT DISTINCT FROM one.service)`,
          )
      })
    },
    async recordRowsSeen(runId, {toMs, isKnown}, rows) {
      for (const page of inBatches(rows, rowsAtOnce)) {
        const kept = [...new Map(page.map((row) => [rowKeyOf(row).join('\0'), row])).values()]
        const keys = kept.map(rowKeyOf)
        await write((tx) =>
          tx.run(
            sql`INSERT INTO hisab.rows_seen AS known
              SELECT ${accountId}, kind, order_no, any_order, beginning, line, ${runId}, ${toMs}, ${Number(isKnown)}, booked
              FROM unnest(${keys.map(([kind]) => kind)}::int[], ${keys.map(([, no]) => no)}::text[],
                ${keys.map(([, , any]) => any)}::text[], ${kept.map(({isBeginning}) => Number(isBeginning))}::int[],
                ${kept.map(({line}) => line)}::int[], ${kept.map(({isBooked}) => Number(isBooked))}::int[])
                AS one (kind, order_no, any_order, beginning, line, booked)
              ON CONFLICT (account_id, kind, order_no, any_order) DO UPDATE SET is_beginning = excluded.is_beginning,
                line = excluded.line, run_id = excluded.run_id, ledger_to_ms = excluded.ledger_to_ms,
                is_time_known = excluded.is_time_known, is_booked = excluded.is_booked
              WHERE excluded.is_booked = 1 OR NOT (known.is_booked = 1 AND known.run_id <> excluded.run_id)`,
          ),
        )
      }
    },
    async *rowsSeen(exceptRunId): AsyncGenerator<RememberedRow> {
      for (let after: readonly unknown[] = [-2, '', '']; ; ) {
        const [kind, orderNo, any] = after
        const page = await db.all(
          sql`SELECT kind, order_no AS "orderNo", any_order AS "anyOrder", is_beginning AS "isBeginning", line,
              run_id AS "runId", ledger_to_ms AS "ledgerToMs", is_time_known AS "isTimeKnown", is_booked AS "isBooked"
            FROM hisab.rows_seen AS seen
            WHERE account_id = ${accountId} AND (kind, order_no COLLATE "C", any_order COLLATE "C") > (${kind}, ${orderNo}, ${any})
              AND run_id <> ${exceptRunId} AND NOT EXISTS (SELECT 1 FROM hisab.settled
                WHERE settled.account_id = seen.account_id AND seen.kind IN (array_position(ARRAY['deposit', 'payout'], settled.kind) - 1, -1)
                  AND settled.order_no = seen.order_no AND status = 'completed' AND is_taken_back = 0)
            ORDER BY kind, order_no COLLATE "C", any_order COLLATE "C" LIMIT 500`,
        )
        for (const row of page) yield keptRowOf(row)
        const last = page.at(-1)
        if (last === undefined) return
        after = [last.kind, last.orderNo, last.anyOrder]
      }
    },
    sortFinalOrders: async () => undefined,
    async recordRun({runId, nowMs, seen, closed, balances, totals, listMark}) {
      const held = part(
        `f.closed_by IS NOT DISTINCT FROM 'person' AND f.said IS NOT DISTINCT FROM excluded.said`,
      )
      await write(async (tx) => {
        await lease.checkFence(tx)
        for (const page of inBatches(seen, rowsAtOnce)) {
          const unique = [
            ...new Map(page.map((one) => [`${one.kind}\0${one.orderNo}\0${one.verdict}`, one])).values(),
          ]
          await tx.run(
            sql`INSERT INTO hisab.findings AS f (account_id, kind, order_no, verdict, cause, severity, at_risk_paisa,
                first_seen_ms, first_run_id, opened_ms, opened_run_id, last_seen_ms, last_run_id, said, ordered_at_ms)
              SELECT ${accountId}, kind, order_no, verdict, cause, severity, at_risk, ${nowMs}::bigint, ${runId}::text,
                ${nowMs}::bigint, ${runId}::text, ${nowMs}::bigint, ${runId}::text, said, ordered_at
              FROM unnest(${unique.map(({kind}) => kind)}::text[], ${unique.map(({orderNo}) => orderNo)}::text[],
                ${unique.map(({verdict}) => verdict)}::text[], ${unique.map(({cause}) => cause)}::text[],
                ${unique.map(({severity}) => severity)}::text[], ${unique.map(({atRisk}) => text(storable(atRisk)))}::bigint[],
                ${unique.map(({snapshot}) => snapshot)}::text[], ${unique.map(({orderedAtMs}) => orderedAtMs)}::bigint[])
                AS one (kind, order_no, verdict, cause, severity, at_risk, said, ordered_at)
              ON CONFLICT (account_id, kind, order_no, verdict) DO UPDATE SET cause = excluded.cause,
                severity = excluded.severity, at_risk_paisa = excluded.at_risk_paisa,
                ordered_at_ms = coalesce(excluded.ordered_at_ms, f.ordered_at_ms),
                opened_ms = CASE WHEN f.healed_ms IS NULL OR f.healed_run_id = excluded.last_run_id OR (${held}) THEN f.opened_ms ELSE excluded.opened_ms END,
                opened_run_id = CASE WHEN f.healed_ms IS NULL OR f.healed_run_id = excluded.last_run_id OR (${held}) THEN f.opened_run_id ELSE excluded.opened_run_id END,
                changed_run_id = CASE WHEN f.said IS NULL OR f.said = excluded.said THEN f.changed_run_id ELSE excluded.last_run_id END,
                healed_ms = CASE WHEN ${held} THEN f.healed_ms END, healed_run_id = NULL,
                closed_by = CASE WHEN ${held} THEN f.closed_by END,
                said = excluded.said, last_seen_ms = excluded.last_seen_ms, last_run_id = excluded.last_run_id`,
          )
        }
        for (const page of inBatches(closed, rowsAtOnce))
          await tx.run(
            sql`UPDATE hisab.findings AS f SET healed_ms = ${nowMs}, healed_run_id = ${runId}, closed_by = one.by
              FROM unnest(${page.map(({id}) => id)}::bigint[], ${page.map(({closedBy}) => closedBy)}::text[]) AS one (id, by)
              WHERE f.account_id = ${accountId} AND f.id = one.id AND f.healed_ms IS NULL`,
          )
        await recordBalances(tx, accountId, runId, balances)
        await tx.run(
          sql`UPDATE hisab.runs SET totals = ${totals} WHERE account_id = ${accountId} AND id = ${runId}`,
        )
        if (listMark === 'unchanged') return
        const mark = listMark === null ? null : JSON.stringify({...listMark, runId})
        await tx.run(sql`UPDATE hisab.account SET list_mark = ${mark} WHERE id = ${accountId}`)
      })
    },
    balancesOfRuns: () => balancesOf({db, accountId}),
    async listMark() {
      const [row] = await db.all(sql`SELECT list_mark AS mark FROM hisab.account WHERE id = ${accountId}`)
      return (row?.mark ?? null) as ListMark | null
    },
  }
}
