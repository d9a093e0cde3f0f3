import type {SQLOutputValue} from 'node:sqlite'
import type {Paisa} from '../core/money.ts'
import {orderKinds} from '../core/order.ts'
import type {ListMark} from '../core/reconcile/list-order.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import {balancesOfRuns, recordBalances} from './balances.ts'
import {findFinalOrders, findFinalOrdersOf, recordFinalOrders, sortFinalOrders} from './final-orders.ts'
import type {Findings} from './findings.ts'
import {
  type LedgerEnd,
  noteKinds,
  type RememberedRow,
  type RunHistory,
  type RunMemory,
  type SeenRow,
} from './memory-rows.ts'

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

function readListMark(db: Database): ListMark | null {
  const row = attempt(db, (sql) =>
    sql.prepare('SELECT direction, records, newest_id AS newestId, run_id AS runId FROM list_mark').get(),
  )
  return row === undefined ? null : ({...row} as unknown as ListMark)
}

/** The part of a journal that lasts from run to run, as SQLite keeps it. */
export function runHistory(db: Database): Omit<RunHistory, keyof Findings> {
  return {
    findFinalOrders: async (kind, orderNos) => findFinalOrders(db, kind, orderNos),
    findFinalOrdersOf: async (platformOrderNos) => findFinalOrdersOf(db, platformOrderNos),
    recordFinalOrders: async (runId, nowMs, orders, nonFinal, isSeenOnly = false) =>
      recordFinalOrders(db, runId, nowMs, orders, nonFinal, isSeenOnly),
    recordRowsSeen: async (runId, ledger, rows) => recordRowsSeen(db, runId, ledger, rows),
    rowsSeen: (exceptRunId) => rowsSeen(db, exceptRunId),
    sortFinalOrders: async () => sortFinalOrders(db),
    recordRun: async (memory) => recordRun(db, memory),
    balancesOfRuns: async () => balancesOfRuns(db),
    listMark: async () => readListMark(db),
  }
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
  const {kind, orderNo, anyOrder, note, createdMs, isTimeShared, players} = row
  const time = createdMs === undefined ? '' : `${madeAt}${createdMs}${isTimeShared ? shared : ''}`
  const at = `${time}${players ? `${madeBy}${players}` : ''}`
  const any = note ?? (anyOrder ? `${anyOrder.amount ?? anyAmount}${at}` : noOther)
  return [kind === null ? -1 : orderKinds.indexOf(kind), orderNo, any]
}

const madeAt = ' @'
const madeBy = ' #'
const shared = '~'
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
    if (last === undefined) return
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
  const [stated = '', players] = String(anyOrder).split(madeBy)
  const [text, time] = stated.split(madeAt)
  const amount = text === anyAmount ? null : text
  const note = noteKinds.find((one) => one === anyOrder)
  return {
    ...row,
    kind: orderKinds[Number(kind)] ?? null,
    isBeginning: isBeginning === 1,
    isTimeKnown: isTimeKnown === 1,
    isBooked: isBooked === 1,
    ...(note ? {note} : anyOrder !== noOther && {anyOrder: {amount}}),
    ...(players !== undefined && {players}),
    ...(time !== undefined && {createdMs: Number.parseInt(time, 10), isTimeShared: time.endsWith(shared)}),
  } as unknown as RememberedRow
}
