import type {OrderKind} from '../../core/order.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import type {Ignore} from '../../core/reconcile/ignore.ts'
import {closedForMs} from '../../core/reconcile/ignore.ts'
import type {ItemEvent, OpenItem} from '../../core/reconcile/item.ts'
import type {ListMark} from '../../core/reconcile/list-order.ts'
import type {RunWindow} from '../../core/reconcile/run-windows.ts'
import {columnsFor} from '../../files/sqlite.ts'
import type {FinalOrder, ItemRegister, RememberedRow, RunHistory} from '../memory-rows.ts'
import {keptRowOf, findingOf as readFinding, rowKeyOf, storable} from '../run-history.ts'
import type {SignOffs} from '../sign-offs.ts'
import {holdAccount, type Shared} from './account.ts'
import {balancesOf, recordBalances} from './balances.ts'
import type {Row, Transaction} from './database.ts'
import type {Lease} from './lease.ts'
import {pages, part, type Query, sql} from './sql.ts'

const findingColumns = columnsFor<RememberedFinding>({
  ...{id: 'f.id', kind: 'f.kind', orderNo: 'f.order_no', verdict: 'f.verdict', cause: 'f.cause'},
  ...{severity: 'f.severity', atRisk: 'f.at_risk_paisa::text', firstSeenMs: 'f.first_seen_ms'},
  ...{firstRunId: 'f.first_run_id', openedMs: 'f.opened_ms', openedRunId: 'f.opened_run_id'},
  ...{lastSeenMs: 'f.last_seen_ms', lastRunId: 'f.last_run_id', changedRunId: 'f.changed_run_id'},
  ...{snapshot: 'f.said', closedMs: 'f.healed_ms', closedRunId: 'f.healed_run_id'},
  ...{closedBy: 'f.closed_by', orderedAtMs: 'f.ordered_at_ms'},
})
const findings = part(`SELECT ${findingColumns} FROM hisab.findings AS f`)
export const findingOf = (row: Row): RememberedFinding =>
  readFinding(row as Parameters<typeof readFinding>[0])

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
export function sharedMemory({db, accountId}: Shared, lease: Lease): RunHistory & ItemRegister & SignOffs {
  const found = async (where: Query) => (await db.all(where)).map(findingOf)
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
  const lastOf = (what: string) =>
    part(`(SELECT said.text FROM hisab.item_events AS said WHERE said.account_id = f.account_id
      AND said.kind = f.kind AND said.order_no = f.order_no AND said.what = '${what}'
      ORDER BY said.at_ms DESC, said.id DESC LIMIT 1)`)
  const insertEvents = (
    tx: Transaction,
    orders: readonly Pick<OpenItem, 'kind' | 'orderNo'>[],
    {what, text: said, by, atMs}: ItemEvent,
  ) =>
    tx.run(
      sql`INSERT INTO hisab.item_events (account_id, kind, order_no, what, text, by, at_ms)
        SELECT ${accountId}, kind, order_no, ${what}, ${said}, ${by}, ${atMs}
        FROM unnest(${orders.map(({kind}) => kind)}::text[], ${orders.map(({orderNo}) => orderNo)}::text[]) AS one (kind, order_no)
        ON CONFLICT DO NOTHING`,
    )
  return {
    findFinalOrders: (kind, orderNos) =>
      settled(
        sql`${finals} WHERE account_id = ${accountId} AND kind = ${kind} AND order_no = ANY (${[...orderNos]})`,
      ),
    findFinalOrdersOf: (numbers) =>
      settled(sql`${finals} WHERE account_id = ${accountId} AND platform_order_no = ANY (${[...numbers]})`),
    async recordFinalOrders(runId, nowMs, orders, nonFinal, isSeenOnly = false) {
      await write(async (tx) => {
        for (const page of pages(
          new Map(orders.map((one) => [`${one.order.kind}\0${one.order.orderNo}`, one])).values(),
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
        for (const page of pages(nonFinal))
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
      for (const page of pages(rows)) {
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
        if (last === undefined || page.length < 500) return
        after = [last.kind, last.orderNo, last.anyOrder]
      }
    },
    sortFinalOrders: async () => undefined,
    findingsOf: (orders) =>
      found(
        sql`${findings} WHERE f.account_id = ${accountId} AND (f.kind, f.order_no) IN (SELECT * FROM
          unnest(${orders.map(({kind}) => kind)}::text[], ${orders.map(({orderNo}) => orderNo)}::text[])) ORDER BY f.id`,
      ),
    openFindings: (runId) =>
      found(
        sql`${findings} WHERE f.account_id = ${accountId} AND (f.healed_ms IS NULL OR f.healed_run_id = ${runId ?? null}) ORDER BY f.id`,
      ),
    async recordRun({runId, nowMs, seen, closed, balances, totals, listMark}) {
      const held = part(
        `f.closed_by IS NOT DISTINCT FROM 'person' AND f.said IS NOT DISTINCT FROM excluded.said`,
      )
      await write(async (tx) => {
        await lease.checkFence(tx)
        for (const page of pages(seen)) {
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
        for (const page of pages(closed))
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
    async findTotals(runId) {
      const [row] = await db.all(
        sql`SELECT totals::text AS totals FROM hisab.runs WHERE account_id = ${accountId} AND id = ${runId}`,
      )
      return row?.totals == null ? null : String(row.totals)
    },
    balancesOfRuns: () => balancesOf({db, accountId}),
    async lastTotals(exceptRunId) {
      const [row] = await db.all(
        sql`SELECT id, totals::text AS totals FROM hisab.runs WHERE account_id = ${accountId} AND id <> ${exceptRunId}
          AND status = 'finished' AND totals IS NOT NULL ORDER BY seq DESC LIMIT 1`,
      )
      return row ? {runId: String(row.id), totals: String(row.totals)} : null
    },
    async windowsSeen(kind, beforeRunId) {
      const rows = await db.all(
        sql`WITH earlier AS (SELECT id, seq, status, command, options, totals -> 'ledger' -> ${kind}::text AS ledger
            FROM hisab.runs WHERE account_id = ${accountId} AND seq < coalesce((SELECT seq FROM hisab.runs
              WHERE account_id = ${accountId} AND id = ${beforeRunId}), ${Number.MAX_SAFE_INTEGER})),
          looked AS (SELECT id, seq, coalesce((ledger ->> 'fromMs')::bigint, 0) AS from_ms, (ledger ->> 'toMs')::bigint AS to_ms,
              (ledger ->> 'ledgerFromMs')::bigint AS ledger_from_ms
            FROM earlier WHERE status = 'finished' AND ledger IS NOT NULL)
          SELECT id AS "runId", from_ms AS "fromMs", to_ms AS "toMs", ledger_from_ms AS "ledgerFromMs"
            FROM looked WHERE to_ms >= from_ms
          UNION ALL
          SELECT id, (options -> 'looksFromMs' ->> ${kind}::text)::bigint, (options -> 'looksFromMs' ->> ${kind}::text)::bigint - 1, NULL
          FROM earlier WHERE command = 'reconcile' AND options -> 'looksFromMs' ->> ${kind}::text IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM looked WHERE to_ms >= from_ms AND looked.seq < earlier.seq)`,
      )
      return rows as unknown as RunWindow[]
    },
    async lastColumns(kind: OrderKind) {
      const [row] = await db.all(
        sql`SELECT id, (totals -> 'ledger' -> ${kind}::text ->> 'columns') AS columns FROM hisab.runs
          WHERE account_id = ${accountId} AND status = 'finished'
            AND totals -> 'ledger' -> ${kind}::text ->> 'columns' IS NOT NULL ORDER BY seq DESC LIMIT 1`,
      )
      return row ? {runId: String(row.id), columns: JSON.parse(String(row.columns))} : null
    },
    async listMark() {
      const [row] = await db.all(sql`SELECT list_mark AS mark FROM hisab.account WHERE id = ${accountId}`)
      return (row?.mark ?? null) as ListMark | null
    },
    addIgnore: ({findingId, atRisk, reason, by, atMs, expiresAtMs}) =>
      write(async (tx) => {
        const row = await tx.one(
          sql`INSERT INTO hisab.ignores (account_id, finding_id, at_risk_paisa, reason, ignored_by, ignored_at_ms, expires_at_ms, said, opened_ms)
            SELECT ${accountId}, id, ${atRisk}, ${reason}, ${by}, ${atMs}, ${expiresAtMs}, said, opened_ms
            FROM hisab.findings WHERE account_id = ${accountId} AND id = ${findingId} RETURNING id`,
        )
        return Number(row?.id)
      }),
    removeIgnore: (id, by, atMs) =>
      write(async (tx) => {
        const end = sql`UPDATE hisab.ignores SET removed_by = ${by}, removed_at_ms = ${atMs}
          WHERE account_id = ${accountId} AND id = ${id} AND removed_at_ms IS NULL`
        return (await tx.run(end)) === 1
      }),
    async listIgnores() {
      const rows = await db.all(
        sql`SELECT i.id, f.kind, f.order_no AS "orderNo", f.verdict, i.at_risk_paisa::text AS "atRisk", i.said AS snapshot,
            i.opened_ms AS "openedMs", i.reason, i.ignored_by AS by, i.ignored_at_ms AS "atMs", i.expires_at_ms AS "expiresAtMs"
          FROM hisab.ignores AS i JOIN hisab.findings AS f ON f.id = i.finding_id
          WHERE i.account_id = ${accountId} AND i.removed_at_ms IS NULL ORDER BY i.id`,
      )
      return rows.map(({atRisk, ...row}) => ({
        ...row,
        atRisk: atRisk === null ? null : BigInt(String(atRisk)),
      })) as unknown as Ignore[]
    },
    async listItems() {
      const rows = await db.all(
        sql`SELECT ${part(findingColumns)}, ${lastOf('assigned')} AS owner, ${lastOf('noted')} AS note FROM hisab.findings AS f
          WHERE f.account_id = ${accountId} AND f.severity <> 'none' ORDER BY coalesce(f.ordered_at_ms, f.opened_ms), f.id`,
      )
      return rows.map((row) => findingOf(row) as OpenItem)
    },
    async itemEvents(kind, orderNo) {
      const rows = await db.all(
        sql`SELECT what, text, by, at_ms AS "atMs" FROM hisab.item_events
          WHERE account_id = ${accountId} AND kind = ${kind} AND order_no = ${orderNo} ORDER BY at_ms, id`,
      )
      return rows as unknown as ItemEvent[]
    },
    recordItemEvents: (orders, event) => write(async (tx) => void (await insertEvents(tx, orders, event))),
    closeItems: (items, {reason, by, atMs}) =>
      write(async (tx) => {
        const rows = await tx.all(
          sql`UPDATE hisab.findings SET healed_ms = ${atMs}, healed_run_id = NULL, closed_by = 'person'
            WHERE account_id = ${accountId} AND id = ANY (${items.map(({id}) => id)}::bigint[]) AND healed_ms IS NULL
            RETURNING id, kind, order_no AS "orderNo"`,
        )
        await tx.run(
          sql`INSERT INTO hisab.ignores (account_id, finding_id, at_risk_paisa, reason, ignored_by, ignored_at_ms, expires_at_ms, said, opened_ms)
            SELECT ${accountId}, id, at_risk_paisa, ${reason}, ${by}, ${atMs}, ${closedForMs}, said, opened_ms
            FROM hisab.findings WHERE id = ANY (${rows.map(({id}) => id)}::bigint[])`,
        )
        const orders = rows as unknown as Pick<OpenItem, 'kind' | 'orderNo'>[]
        await insertEvents(tx, orders, {what: 'closed', text: reason, by, atMs})
        return rows.length
      }),
    signOff: (runId, {by, note, isAlone, atMs}) =>
      write(async (tx) => {
        await tx.run(
          sql`INSERT INTO hisab.sign_offs (account_id, run_id, by, note, is_alone, at_ms)
            VALUES (${accountId}, ${runId}, ${by}, ${note}, ${Number(isAlone)}, ${atMs}) ON CONFLICT DO NOTHING`,
        )
      }),
    async signOffsOf(runId) {
      const rows = await db.all(
        sql`SELECT by, note, is_alone, at_ms FROM hisab.sign_offs WHERE account_id = ${accountId} AND run_id = ${runId} ORDER BY id`,
      )
      return rows.map((row) => ({
        ...{by: String(row.by), note: String(row.note)},
        ...{isAlone: row.is_alone === 1, atMs: Number(row.at_ms)},
      }))
    },
  }
}
