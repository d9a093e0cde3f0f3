import type {OrderKind} from '../core/order.ts'
import type {RememberedFinding} from '../core/reconcile/history.ts'
import type {Ignore} from '../core/reconcile/ignore.ts'
import type {RunWindow} from '../core/reconcile/run-windows.ts'
import {columnsFor} from '../files/sqlite.ts'
import type {RunHistory} from './memory-rows.ts'
import {part, type Query, sql} from './query.ts'
import type {Row, Store} from './store.ts'

export const findingColumns = columnsFor<RememberedFinding>({
  ...{id: 'r.id', kind: 'r.kind', orderNo: 'r.order_no', verdict: 'r.verdict', cause: 'r.cause'},
  ...{severity: 'r.severity', atRisk: 'CAST(r.at_risk_paisa AS TEXT)', firstSeenMs: 'r.first_seen_ms'},
  ...{firstRunId: 'r.first_run_id', openedMs: 'r.opened_ms', openedRunId: 'r.opened_run_id'},
  ...{lastSeenMs: 'r.last_seen_ms', lastRunId: 'r.last_run_id', changedRunId: 'r.changed_run_id'},
  ...{snapshot: 'r.said', closedMs: 'r.healed_ms', closedRunId: 'r.healed_run_id'},
  ...{closedBy: 'r.closed_by', orderedAtMs: 'r.ordered_at_ms'},
})

const ignoreColumns = columnsFor<Ignore>({
  ...{id: 'r.id', kind: 'kind', orderNo: 'order_no', verdict: 'verdict', snapshot: 'r.said'},
  ...{atRisk: 'CAST(r.at_risk_paisa AS TEXT)', openedMs: 'r.opened_ms', reason: 'reason', by: 'ignored_by'},
  ...{atMs: 'ignored_at_ms', expiresAtMs: 'expires_at_ms'},
})

export const newIgnoreColumns =
  'finding_id, at_risk_paisa, reason, ignored_by, ignored_at_ms, expires_at_ms, said, opened_ms'

const withAmount = (row: Row) => ({
  ...row,
  atRisk: row.atRisk === null ? null : BigInt(String(row.atRisk)),
})

export function findingOf(row: Row): RememberedFinding {
  return withAmount(row) as unknown as RememberedFinding
}

export type Findings = Pick<
  RunHistory,
  | 'findingsOf'
  | 'openFindings'
  | 'addIgnore'
  | 'removeIgnore'
  | 'listIgnores'
  | 'findTotals'
  | 'lastTotals'
  | 'windowsSeen'
  | 'lastColumns'
>

/** What runs found, what people ignore of it, and the figures that each run left. */
export function findingsAndTotals({engine, mine, into, first, given, all, run}: Store): Findings {
  const [findings, ignores] = [engine.table('findings'), engine.table('ignores')]
  const select = async (where: Query) =>
    (
      await all(
        sql`SELECT ${part(findingColumns)} FROM ${findings} AS r WHERE ${mine('r')} AND ${where} ORDER BY r.id`,
      )
    ).map(findingOf)
  const totals = async (where: Query) =>
    await all(
      sql`SELECT r.id, CAST(r.totals AS TEXT) AS totals FROM ${engine.runsWithTotals} AS r
        WHERE ${mine('r')} AND ${where} ORDER BY r.seq DESC LIMIT 1`,
    )
  return {
    findingsOf: (orders) => {
      const rows = orders.map(({kind, orderNo}) => ({kind, order_no: orderNo}))
      return select(
        sql`(r.kind, r.order_no) IN (SELECT one.kind, one.order_no FROM ${given(rows, ['kind', 'order_no'])} AS one)`,
      )
    },
    openFindings: (runId = '', closedSinceMs = Number.MAX_SAFE_INTEGER) =>
      select(
        sql`(r.healed_ms IS NULL OR r.healed_run_id = ${runId} OR (r.closed_by = 'person' AND r.healed_ms > ${closedSinceMs}))`,
      ),
    async addIgnore({findingId, atRisk, reason, by, atMs, expiresAtMs}) {
      await run(
        sql`INSERT INTO ${into('ignores', newIgnoreColumns)}
          SELECT ${first}id, ${atRisk}, ${reason}, ${by}, ${atMs}, ${expiresAtMs}, said, opened_ms
          FROM ${findings} AS r WHERE ${mine('r')} AND id = ${findingId}`,
      )
      const [row] = await all(
        sql`SELECT max(id) AS id FROM ${ignores} AS r WHERE ${mine('r')} AND finding_id = ${findingId}`,
      )
      return Number(row?.id)
    },
    removeIgnore: async (id, by, atMs) =>
      (await run(
        sql`UPDATE ${ignores} AS r SET removed_by = ${by}, removed_at_ms = ${atMs}
          WHERE ${mine('r')} AND id = ${id} AND removed_at_ms IS NULL`,
      )) === 1,
    async listIgnores() {
      const rows = await all(
        sql`SELECT ${part(ignoreColumns)} FROM ${ignores} AS r JOIN ${findings} AS f ON f.id = r.finding_id
          WHERE ${mine('r')} AND r.removed_at_ms IS NULL ORDER BY r.id`,
      )
      return rows.map(withAmount) as unknown as Ignore[]
    },
    async findTotals(runId) {
      const [row] = await totals(sql`r.id = ${runId}`)
      return row?.totals == null ? null : String(row.totals)
    },
    async lastTotals(exceptRunId) {
      const [row] = await totals(
        sql`r.id <> ${exceptRunId} AND r.status = 'finished' AND r.totals IS NOT NULL`,
      )
      return row ? {runId: String(row.id), totals: String(row.totals)} : null
    },
    /**
     * A run is compared with those that began before it, also where it is resumed after others. Of those before the first
     * that looked, whatever became of them, the empty window at the time they were to look from.
     */
    windowsSeen: async (kind, beforeRunId) =>
      (await all(
        sql`WITH earlier AS (SELECT id, seq, status, command, totals -> 'ledger' -> CAST(${kind} AS TEXT) AS ledger,
              CAST(options -> 'looksFromMs' ->> CAST(${kind} AS TEXT) AS BIGINT) AS looks_from_ms
            FROM ${engine.runsWithTotals} AS r WHERE ${mine('r')} AND seq < coalesce((SELECT seq FROM ${engine.table('runs')} AS own
              WHERE ${engine.same('own')} AND own.id = ${beforeRunId}), ${Number.MAX_SAFE_INTEGER})),
          looked AS (SELECT id, seq, coalesce(CAST(ledger ->> 'fromMs' AS BIGINT), 0) AS from_ms,
              CAST(ledger ->> 'toMs' AS BIGINT) AS to_ms, CAST(ledger ->> 'ledgerFromMs' AS BIGINT) AS ledger_from_ms,
              CAST(ledger ->> 'doubtedFromMs' AS BIGINT) AS doubted_from_ms
            FROM earlier WHERE status = 'finished' AND ledger IS NOT NULL)
          SELECT id AS "runId", from_ms AS "fromMs", to_ms AS "toMs", ledger_from_ms AS "ledgerFromMs",
              doubted_from_ms AS "doubtedFromMs"
            FROM looked WHERE to_ms >= from_ms
          UNION ALL
          SELECT id, looks_from_ms, looks_from_ms - 1, NULL, NULL FROM earlier
          WHERE command = 'reconcile' AND looks_from_ms IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM looked WHERE to_ms >= from_ms AND looked.seq < earlier.seq)`,
      )) as unknown as RunWindow[],
    async lastColumns(kind: OrderKind) {
      const [row] = await all(
        sql`SELECT id, totals -> 'ledger' -> CAST(${kind} AS TEXT) ->> 'columns' AS columns FROM ${engine.runsWithTotals} AS r
          WHERE ${mine('r')} AND status = 'finished'
            AND totals -> 'ledger' -> CAST(${kind} AS TEXT) ->> 'columns' IS NOT NULL ORDER BY seq DESC LIMIT 1`,
      )
      return row ? {runId: String(row.id), columns: JSON.parse(String(row.columns))} : null
    },
  }
}
