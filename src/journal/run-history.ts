import type {SQLOutputValue} from 'node:sqlite'
import type {Paisa} from '../core/money.ts'
import {type OrderKind, orderKinds} from '../core/order.ts'
import type {RememberedFinding} from '../core/reconcile/history.ts'
import type {Ignore} from '../core/reconcile/ignore.ts'
import type {ListMark} from '../core/reconcile/list-order.ts'
import type {RunWindow} from '../core/reconcile/run-windows.ts'
import {attempt, columnsFor, type Database, Statements, write} from '../files/sqlite.ts'
import {balancesOfRuns, recordBalances} from './balances.ts'
import {findFinalOrders, findFinalOrdersOf, recordFinalOrders, sortFinalOrders} from './final-orders.ts'
import {
  type LedgerEnd,
  type NewIgnore,
  noteKinds,
  type RememberedRow,
  type RunHistory,
  type RunMemory,
  type SeenRow,
} from './memory-rows.ts'

const findingColumns = columnsFor<RememberedFinding>({
  ...{id: 'id', kind: 'kind', orderNo: 'order_no', verdict: 'verdict', cause: 'cause', severity: 'severity'},
  ...{atRisk: 'CAST(at_risk_paisa AS TEXT)', firstSeenMs: 'first_seen_ms', firstRunId: 'first_run_id'},
  ...{openedMs: 'opened_ms', openedRunId: 'opened_run_id', lastSeenMs: 'last_seen_ms'},
  ...{lastRunId: 'last_run_id', changedRunId: 'changed_run_id', snapshot: 'said'},
  ...{
    closedMs: 'healed_ms',
    closedRunId: 'healed_run_id',
    closedBy: 'closed_by',
    orderedAtMs: 'ordered_at_ms',
  },
})
export const selectFinding = (more = '') =>
  `SELECT ${findingColumns}${more === '' ? '' : `, ${more}`} FROM findings`

/** One question for all of a kind. */
function findingsOf(
  db: Database,
  orders: readonly Pick<RememberedFinding, 'kind' | 'orderNo'>[],
): RememberedFinding[] {
  const text = `${selectFinding()} WHERE kind = ? AND order_no IN (SELECT value FROM json_each(?)) ORDER BY id`
  return [...Map.groupBy(orders, ({kind}) => kind)].flatMap(([kind, some]) =>
    attempt(db, (sql) => sql.prepare(text).all(kind, JSON.stringify(some.map(({orderNo}) => orderNo)))).map(
      findingOf,
    ),
  )
}

function openFindings(db: Database, runId: string | undefined): RememberedFinding[] {
  const open = `${selectFinding()} WHERE healed_ms IS NULL`
  const rows = attempt(db, (sql) =>
    runId === undefined
      ? sql.prepare(`${open} ORDER BY id`).all()
      : sql.prepare(`${open} OR healed_run_id = ? ORDER BY id`).all(runId),
  )
  return rows.map(findingOf)
}

/** A person closed it, and it says the same. */
const isHeldClosed = `closed_by IS 'person' AND said IS excluded.said`
const isStillOpen = `healed_ms IS NULL OR healed_run_id = :run OR (${isHeldClosed})`

/**
 * Remembers a run in one write. Safe to repeat for the same run: what this run saw first stays its own, and what it
 * saw closed is opened again by it without counting as reopened.
 */
function recordRun(db: Database, memory: RunMemory): void {
  const {runId: run, nowMs: now, seen, closed, balances, totals, listMark} = memory
  write(db, (sql) => {
    const see = sql.prepare(
      `INSERT INTO findings (kind, order_no, verdict, cause, severity, at_risk_paisa, first_seen_ms, first_run_id,
         opened_ms, opened_run_id, last_seen_ms, last_run_id, said, ordered_at_ms)
       VALUES (:kind, :orderNo, :verdict, :cause, :severity, :atRisk, :now, :run, :now, :run, :now, :run, :snapshot,
         :orderedAtMs)
       ON CONFLICT (kind, order_no, verdict) DO UPDATE SET
         cause = excluded.cause, severity = excluded.severity, at_risk_paisa = excluded.at_risk_paisa,
         ordered_at_ms = coalesce(excluded.ordered_at_ms, ordered_at_ms),
         opened_ms = CASE WHEN ${isStillOpen} THEN opened_ms ELSE :now END,
         opened_run_id = CASE WHEN ${isStillOpen} THEN opened_run_id ELSE :run END,
         changed_run_id = CASE WHEN said IS NULL OR said = excluded.said THEN changed_run_id ELSE :run END,
         healed_ms = CASE WHEN ${isHeldClosed} THEN healed_ms END,
         healed_run_id = NULL, closed_by = CASE WHEN ${isHeldClosed} THEN closed_by END,
         said = excluded.said, last_seen_ms = :now, last_run_id = :run`,
    )
    for (const finding of seen) see.run({...finding, atRisk: storable(finding.atRisk), now, run})
    const close = sql.prepare(
      'UPDATE findings SET healed_ms = ?, healed_run_id = ?, closed_by = ? WHERE id = ? AND healed_ms IS NULL',
    )
    for (const {id, closedBy} of closed) close.run(now, run, closedBy, id)
    recordBalances(sql, run, balances)
    sql.prepare('INSERT OR REPLACE INTO run_totals VALUES (?, ?)').run(run, totals)
    if (listMark === 'unchanged') return
    sql.exec('DELETE FROM list_mark')
    if (listMark === null) return
    const {direction, records, newestId} = listMark
    sql.prepare('INSERT INTO list_mark VALUES (1, ?, ?, ?, ?)').run(direction, records, newestId, run)
  })
}

const storableMax = 2n ** 63n - 1n

/** What a column of 64 bits holds; a larger sum is kept as unknown, and only the report has it. */
export function storable(amount: Paisa | null): Paisa | null {
  return amount === null || amount > storableMax ? null : amount
}

function findTotals(db: Database, runId: string): string | null {
  const row = attempt(db, (sql) => sql.prepare('SELECT totals FROM run_totals WHERE run_id = ?').get(runId))
  return row === undefined ? null : String(row.totals)
}

function lastTotals(db: Database, exceptRunId: string): {runId: string; totals: string} | null {
  const row = attempt(db, (sql) =>
    sql
      .prepare(
        `SELECT runs.id, totals FROM runs JOIN run_totals ON run_id = runs.id
         WHERE runs.id <> ? AND status = 'finished' ORDER BY seq DESC LIMIT 1`,
      )
      .get(exceptRunId),
  )
  return row === undefined ? null : {runId: String(row.id), totals: String(row.totals)}
}

/**
 * A run is compared with those that began before it, also where it is resumed after others. Of those before the first that
 * looked, whatever became of them, the empty window at the time they were to look from.
 */
function windowsSeen(db: Database, kind: OrderKind, beforeRunId: string): RunWindow[] {
  return attempt(db, (sql) =>
    sql
      .prepare(
        `WITH earlier AS (SELECT * FROM runs
           WHERE seq < coalesce((SELECT seq FROM runs WHERE id = :run), ${Number.MAX_SAFE_INTEGER})),
         looked AS (
           SELECT run_id AS runId, seq, coalesce(json_extract(totals, :from), 0) AS fromMs,
             json_extract(totals, :to) AS toMs, json_extract(totals, :ledger) AS ledgerFromMs
           FROM earlier JOIN run_totals ON run_id = earlier.id WHERE status = 'finished' AND toMs >= fromMs)
         SELECT runId, fromMs, toMs, ledgerFromMs FROM looked
         UNION ALL
         SELECT id, json_extract(options, :begin) AS fromMs, json_extract(options, :begin) - 1, NULL FROM earlier
         WHERE command = 'reconcile' AND fromMs IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM looked WHERE looked.seq < earlier.seq)`,
      )
      .all({
        ...{from: `$.ledger.${kind}.fromMs`, to: `$.ledger.${kind}.toMs`, begin: `$.looksFromMs.${kind}`},
        ...{ledger: `$.ledger.${kind}.ledgerFromMs`, run: beforeRunId},
      }),
  ).map((row) => ({...row}) as unknown as RunWindow)
}

function lastColumns(db: Database, kind: OrderKind): {runId: string; columns: Record<string, string>} | null {
  const row = attempt(db, (sql) =>
    sql
      .prepare(
        `SELECT run_id AS runId, json_extract(totals, ?) AS columns FROM runs JOIN run_totals ON run_id = runs.id
         WHERE status = 'finished' AND columns IS NOT NULL ORDER BY seq DESC LIMIT 1`,
      )
      .get(`$.ledger.${kind}.columns`),
  )
  return row === undefined ? null : {runId: String(row.runId), columns: JSON.parse(String(row.columns))}
}

function readListMark(db: Database): ListMark | null {
  const row = attempt(db, (sql) =>
    sql.prepare('SELECT direction, records, newest_id AS newestId, run_id AS runId FROM list_mark').get(),
  )
  return row === undefined ? null : ({...row} as unknown as ListMark)
}

export function findingOf(row: Record<string, SQLOutputValue>): RememberedFinding {
  const atRisk = row.atRisk === null ? null : BigInt(String(row.atRisk))
  return {...row, atRisk} as unknown as RememberedFinding
}

export function runHistory(db: Database): RunHistory {
  const statements = new Statements(db)
  return {
    findFinalOrders: async (kind, orderNos) => findFinalOrders(db, kind, orderNos),
    findFinalOrdersOf: async (platformOrderNos) => findFinalOrdersOf(db, platformOrderNos),
    recordFinalOrders: async (runId, nowMs, orders, nonFinal, isSeenOnly = false) =>
      recordFinalOrders(db, statements, runId, nowMs, orders, nonFinal, isSeenOnly),
    recordRowsSeen: async (runId, ledger, rows) => recordRowsSeen(db, runId, ledger, rows),
    rowsSeen: (exceptRunId) => rowsSeen(db, exceptRunId),
    sortFinalOrders: async () => sortFinalOrders(db),
    findingsOf: async (orders) => findingsOf(db, orders),
    openFindings: async (runId) => openFindings(db, runId),
    recordRun: async (memory) => recordRun(db, memory),
    findTotals: async (runId) => findTotals(db, runId),
    balancesOfRuns: async () => balancesOfRuns(db),
    lastTotals: async (exceptRunId) => lastTotals(db, exceptRunId),
    windowsSeen: async (kind, beforeRunId) => windowsSeen(db, kind, beforeRunId),
    lastColumns: async (kind) => lastColumns(db, kind),
    listMark: async () => readListMark(db),
    addIgnore: async (ignore) => addIgnore(db, ignore),
    removeIgnore: async (id, by, atMs) => removeIgnore(db, id, by, atMs),
    listIgnores: async () => listIgnores(db),
  }
}

function addIgnore(db: Database, ignore: NewIgnore): number {
  const {findingId, atRisk, reason, by, atMs, expiresAtMs} = ignore
  return write(db, (sql) => {
    const {lastInsertRowid} = sql
      .prepare(
        `INSERT INTO ignores (finding_id, at_risk_paisa, reason, ignored_by, ignored_at_ms, expires_at_ms, said, opened_ms)
         SELECT id, ?, ?, ?, ?, ?, said, opened_ms FROM findings WHERE id = ?`,
      )
      .run(atRisk, reason, by, atMs, expiresAtMs, findingId)
    return Number(lastInsertRowid)
  })
}

function removeIgnore(db: Database, id: number, by: string, atMs: number): boolean {
  return write(db, (sql) => {
    const update =
      'UPDATE ignores SET removed_by = ?, removed_at_ms = ? WHERE id = ? AND removed_at_ms IS NULL'
    return sql.prepare(update).run(by, atMs, id).changes === 1
  })
}

const ignoreColumns = columnsFor<Ignore>({
  ...{id: 'ignores.id', kind: 'kind', orderNo: 'order_no', verdict: 'verdict'},
  ...{atRisk: 'CAST(ignores.at_risk_paisa AS TEXT)', snapshot: 'ignores.said', openedMs: 'ignores.opened_ms'},
  ...{reason: 'reason', by: 'ignored_by', atMs: 'ignored_at_ms', expiresAtMs: 'expires_at_ms'},
})

function listIgnores(db: Database): Ignore[] {
  return attempt(db, (sql) =>
    sql
      .prepare(
        `SELECT ${ignoreColumns} FROM ignores JOIN findings ON findings.id = finding_id WHERE removed_at_ms IS NULL ORDER BY ignores.id`,
      )
      .all(),
  ).map(ignoreOf)
}

function ignoreOf(row: Record<string, SQLOutputValue>): Ignore {
  return {...row, atRisk: row.atRisk === null ? null : BigInt(String(row.atRisk))} as unknown as Ignore
}

/** Repeating it changes nothing. If several runs saw a row, the last one that had it as completed is kept. */
function recordRowsSeen(db: Database, runId: string, ledger: LedgerEnd, rows: Iterable<SeenRow>): void {
  const see = attempt(db, (sql) =>
    sql.prepare(
      `INSERT OR REPLACE INTO rows_seen SELECT :kind, :no, :any, :beginning, :line, :run, :to, :known, :booked
       WHERE :booked OR NOT EXISTS (SELECT 1 FROM rows_seen
         WHERE kind = :kind AND order_no = :no AND any_order = :any AND is_booked AND run_id <> :run)`,
    ),
  )
  const left = rows[Symbol.iterator]()
  const writeSome = () => {
    for (let written = 0; written < rowsAtOnce; written++) {
      const next = left.next()
      if (next.done) return false
      const {line, isBeginning, isBooked} = next.value
      const [kindAt, orderNo, any] = rowKeyOf(next.value)
      see.run({
        ...{kind: kindAt, no: orderNo, any, line, run: runId, to: ledger.toMs},
        ...{beginning: Number(isBeginning), known: Number(ledger.isKnown), booked: Number(isBooked)},
      })
    }
    return true
  }
  while (write(db, writeSome));
}

/** What a row is known by. */
export function rowKeyOf(row: SeenRow): [kind: number, orderNo: string, any: string] {
  const {kind, orderNo, anyOrder, note} = row
  const any = note ?? (anyOrder ? (anyOrder.amount ?? anyAmount) : noOther)
  return [kind === null ? -1 : orderKinds.indexOf(kind), orderNo, any]
}

const anyAmount = 'any'
const noOther = ''
/** A stopped run may leave a million of them, which one write would hold in memory. */
const rowsAtOnce = 50_000
const pageRows = 500

/** A page at a time, so that no statement stays open; a row whose own order a later run matched is explained. */
async function* rowsSeen(db: Database, exceptRunId: string): AsyncGenerator<RememberedRow> {
  sortFinalOrders(db)
  const text = `SELECT kind, order_no AS orderNo, any_order AS anyOrder, is_beginning AS isBeginning, line, run_id AS runId,
      ledger_to_ms AS ledgerToMs, is_time_known AS isTimeKnown, is_booked AS isBooked
    FROM rows_seen WHERE (kind, order_no, any_order) > (?, ?, ?) AND run_id <> ? AND NOT EXISTS (
      SELECT 1 FROM settled JOIN settlements ON settlements.id = settlement
      WHERE rows_seen.kind IN (settled.kind, -1) AND settled.order_no = rows_seen.order_no AND status = 'completed'
        AND is_taken_back = 0)
    ORDER BY kind, order_no, any_order LIMIT ${pageRows}`
  for (let after: readonly SQLOutputValue[] = [-2, '', '']; ; ) {
    const [kindAt = null, orderNo = null, any = null] = after
    const page = attempt(db, (sql) => sql.prepare(text).all(kindAt, orderNo, any, exceptRunId))
    for (const row of page) yield keptRowOf(row)
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) return
    after = [last.kind ?? null, last.orderNo ?? null, last.anyOrder ?? null]
  }
}

export function keptRowOf({
  kind,
  anyOrder,
  isBeginning,
  isTimeKnown,
  isBooked,
  ...row
}: Record<string, unknown>): RememberedRow {
  const amount = anyOrder === anyAmount ? null : anyOrder
  const note = noteKinds.find((one) => one === anyOrder)
  return {
    ...row,
    kind: orderKinds[Number(kind)] ?? null,
    isBeginning: isBeginning === 1,
    isTimeKnown: isTimeKnown === 1,
    isBooked: isBooked === 1,
    ...(note ? {note} : anyOrder !== noOther && {anyOrder: {amount}}),
  } as unknown as RememberedRow
}
