import type {SQLOutputValue} from 'node:sqlite'

import {
  completedEvent,
  type Delivery,
  type OddDelivery,
  type OrderKind,
  orderKinds,
  type ServiceOrder,
} from '../core/order.ts'
import type {ReceiverRecords} from '../core/reconcile/receiver-records.ts'
import type {Window} from '../core/reconcile/window.ts'
import {escapeInvisible} from '../core/text.ts'
import {parseInstant} from '../core/time.ts'
import type {Answers} from './answers.ts'
import type {StagedOrder} from './ledger-rows.ts'
import type {StagingDatabase} from './staging-database.ts'

export class Records {
  private readonly db: StagingDatabase
  private readonly answers: Answers
  private isIndexed = false

  constructor(db: StagingDatabase, answers: Answers) {
    this.db = db
    this.answers = answers
  }

  clear(): void {
    this.db.exec('DELETE FROM records')
    this.clearOdd()
  }

  clearOdd(): void {
    this.db.exec('DELETE FROM odd_records')
  }

  add(record: Delivery): boolean {
    return this.db.run('INSERT OR IGNORE INTO records VALUES (?, ?, ?, ?, ?, ?)', ...valuesOf(record)) > 0
  }

  has(id: string): boolean {
    const sql = 'SELECT 1 FROM records WHERE id = ? UNION ALL SELECT 1 FROM odd_records WHERE id = ?'
    return this.db.ask(sql, id, id).length > 0
  }

  /** A record that is not as documented; false if its id is there already. */
  addOdd({id, orderId, merchantOrderId, event, createdAt, status, why}: OddDelivery): boolean {
    const createdMs = parseInstant(createdAt ?? '')
    const values = [id, orderId, merchantOrderId, event, createdMs, status, why]
    return this.db.run('INSERT OR IGNORE INTO odd_records VALUES (?, ?, ?, ?, ?, ?, ?)', ...values) > 0
  }

  oddOf({orderNo, platformOrderNo}: Pick<ServiceOrder, 'orderNo' | 'platformOrderNo'>): OddRecord[] {
    return this.db
      .ask(`${oddColumns} WHERE merchant_order_id = ? OR order_id = ?`, orderNo, platformOrderNo)
      .map(oddOf)
  }

  /** Odd records without an order, or with an unknown ID: they may belong to any order. */
  oddOfNobody(): OddRecord[] {
    this.answers.indexOnce()
    const sql = `${oddColumns} WHERE merchant_order_id IS NULL
      AND NOT EXISTS (SELECT 1 FROM answers WHERE platform_order_no = order_id) ORDER BY rowid`
    return this.db.ask(sql).map(oddOf)
  }

  allOdd(): OddRecord[] {
    return this.db.ask(`${oddColumns} ORDER BY rowid`).map(oddOf)
  }

  /** Odd records that may belong to `ofUnknownOrders`. */
  oddOfUnknownOrders(event: string, {fromMs, toMs}: Window): OddRecord[] {
    this.answers.indexOnce()
    const sql = `${oddColumns} WHERE merchant_order_id IS NOT NULL AND coalesce(event, ?) = ?
      AND coalesce(created_ms, ?) BETWEEN ? AND ?
      AND NOT EXISTS (SELECT 1 FROM answers WHERE platform_order_no = order_id) ORDER BY rowid`
    return this.db.ask(sql, event, event, fromMs, fromMs, toMs).map(oddOf)
  }

  /** Replaces an older reading of the same record. */
  replace(record: Delivery): void {
    this.db.run('INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)', ...valuesOf(record))
  }

  byNumber(merchantOrderId: string): Delivery[] {
    return this.select('merchant_order_id', merchantOrderId)
  }

  byOrderId(orderId: string): Delivery[] {
    return this.select('order_id', orderId)
  }

  /**
   * Records of an event, of all others, or of any (null), created in the window, whose order is not one the service knows of the
   * ledger's; also those with its ID and a number no row has, which may be another's (A9).
   */
  ofUnknownOrders(
    event: string | null,
    {fromMs, toMs}: Window,
    which: 'is' | 'is not' = 'is',
  ): Generator<Delivery> {
    this.answers.indexOnce()
    return this.db.pages(
      `SELECT rowid, record FROM records WHERE rowid > ? AND ${event === null ? '? IS NULL' : `event ${which} ?`} AND created_ms BETWEEN ? AND ?
         AND (NOT EXISTS (SELECT 1 FROM answers WHERE platform_order_no = order_id)
           OR (merchant_order_id NOT IN ('', order_id)
             AND NOT EXISTS (SELECT 1 FROM ledger WHERE order_no = merchant_order_id)))
       ORDER BY rowid`,
      [event, fromMs, toMs],
      ([, record]) => JSON.parse(String(record)) as Delivery,
    )
  }

  /**
   * Time of the first booked row, if all rows state their times: a row booked at once, whose record of `event` was
   * made more than `lateMs` later. Null if a row has no time.
   */
  firstBookedMs(event: string, lateMs: number): number | null {
    this.indexOnce()
    const [[ms = null, untimed] = []] = this.db.ask(
      `SELECT min(CASE WHEN recorded_ms > to_ms + ? THEN recorded_ms ELSE from_ms END), sum(from_ms IS NULL)
       FROM (SELECT from_ms, to_ms, (SELECT min(created_ms) FROM records
         WHERE merchant_order_id = order_no AND event = ?) AS recorded_ms FROM ledger)`,
      ...[lateMs, event],
    )
    return ms === null || Number(untimed) > 0 ? null : Number(ms)
  }

  /**
   * By file, of all rows whose order has a record of `event`: how much later than the row it was made, the least and the most, and
   * how many they are.
   */
  laterThanRows(event: string): {file: number; leastMs: number; mostMs: number; rows: number}[] {
    this.indexOnce()
    const sql = `SELECT file, min(later), max(later), count(later) FROM (SELECT file, (SELECT min(created_ms) FROM records
      WHERE merchant_order_id = order_no AND event = ?) - from_ms AS later FROM ledger) GROUP BY file`
    return this.db.ask(sql, event).map(([file, leastMs, mostMs, rows]) => ({
      ...{file: Number(file), leastMs: Number(leastMs), mostMs: Number(mostMs), rows: Number(rows)},
    }))
  }

  /**
   * Whether rows have the time of the booking: more of them are of a time after the record of `event` was made than before.
   * Times without the minute say nothing.
   */
  areBookingTimes(event: string): boolean {
    this.indexOnce()
    const [[later, earlier] = []] = this.db.ask(
      `SELECT sum(from_ms >= made_ms - 1000), sum(to_ms < made_ms - 1000) FROM (SELECT from_ms, to_ms, (SELECT min(created_ms)
        FROM records WHERE merchant_order_id = order_no AND event = ?) AS made_ms FROM ledger)
       WHERE to_ms - from_ms <= 60000`,
      event,
    )
    return Number(later ?? 0) > Number(earlier ?? 0)
  }

  /** Names of the events of orders of a kind that are completed on both sides, if none of them is `event`; empty otherwise. */
  eventsInstead(kind: OrderKind, event: string): string[] {
    this.indexOnce()
    const agreed = 'FROM answers JOIN ledger ON ledger.id = row'
    const isAgreed = 'answers.status = 0 AND ledger.status = 0 AND ledger.kind = ?'
    const at = orderKinds.indexOf(kind)
    const ofEvent = `SELECT 1 ${agreed} WHERE ${isAgreed} AND (EXISTS (SELECT 1 FROM records WHERE ${isOfOrder} AND event = ?)
      OR EXISTS (SELECT 1 FROM odd_records WHERE ${isOfOrder} AND event = ?)) LIMIT 1`
    if (this.db.ask(ofEvent, at, event, event).length > 0) return []
    const of = (own: string) => `SELECT event ${agreed} JOIN records ON ${own} WHERE ${isAgreed}`
    const sql = `${of('order_id = platform_order_no')} UNION ${of('merchant_order_id = order_no')} ORDER BY event`
    return this.db.ask(sql, at, at).map(([name]) => String(name))
  }

  /** Whether half of the orders whose completion was delivered have this event as well, and three at least. */
  isUsual(event: string): boolean {
    this.indexOnce()
    const delivered = `SELECT count(DISTINCT order_id) FROM records AS known WHERE event = ?
      AND json_extract(record, '$.status') = 'success'`
    const both = `${delivered} AND EXISTS (SELECT 1 FROM records WHERE order_id = known.order_id AND event = ?)`
    const [[of, all] = []] = this.db.ask(
      `SELECT (${both}), (${delivered})`,
      ...[completedEvent, event, completedEvent],
    )
    return Number(of) >= 3 && Number(of) * 2 >= Number(all)
  }

  /**
   * Records of this event in the window, not taken, with an order_id of no known order and the number of one that has another
   * platform ID and a record of its own.
   */
  ofTwoOrders(event: string, {fromMs, toMs}: Window): {id: string; orderNo: string}[] {
    this.indexOnce()
    this.answers.indexOnce()
    const isKnown = 'SELECT 1 FROM answers AS other WHERE other.platform_order_no = records.order_id'
    const own =
      'SELECT 1 FROM records AS own WHERE own.order_id = platform_order_no AND own.event = records.event'
    const sql = `SELECT records.id, order_no FROM answers JOIN ledger ON ledger.id = row
      JOIN records ON merchant_order_id = order_no AND event = ? AND created_ms BETWEEN ? AND ?
      WHERE json_extract(record, '$.status') <> 'success' AND order_id <> '' AND NOT EXISTS (${isKnown})
        AND EXISTS (${own}) LIMIT 6`
    return this.db
      .ask(sql, event, fromMs, toMs)
      .map(([id, orderNo]) => ({id: String(id), orderNo: String(orderNo)}))
  }

  /** Whether a record's order_id is the platform ID of a known order. */
  hasOfKnownOrder(): boolean {
    this.answers.indexOnce()
    const sql =
      'SELECT 1 FROM records WHERE EXISTS (SELECT 1 FROM answers WHERE platform_order_no = order_id) LIMIT 1'
    return this.db.ask(sql).length > 0
  }

  /**
   * Orders of the ledger that the service does not call completed although a record of this event has their number:
   * orders on which both sides agree, and rows not booked whose record was not taken.
   */
  ofNotCompleted(event: string): {kind: OrderKind; orderNo: string}[] {
    this.indexOnce()
    this.answers.indexOnce()
    const sql = `SELECT DISTINCT ledger.kind, order_no FROM answers JOIN ledger ON ledger.id = row
      JOIN records ON merchant_order_id = order_no AND event = ?
      WHERE multiplicity = 0 AND (next_step = 0 AND answers.status IS NOT 0 OR ledger.status <> 0 AND state <> 'no_answer'
          AND coalesce(answers.status, 1) IN (1, 2) AND json_extract(record, '$.status') <> 'success')
        AND NOT EXISTS
        (SELECT 1 FROM answers AS other WHERE other.platform_order_no = order_id AND other.row <> answers.row)`
    return this.db
      .ask(sql, event)
      .map(([kind, orderNo]) => ({kind: orderKinds[Number(kind)] ?? 'deposit', orderNo: String(orderNo)}))
  }

  /** Orders of a bare 404 that a record may be of: it has their number or platform number, and no other order's. */
  ofBareAbsences(): Generator<StagedOrder> {
    this.indexOnce()
    return this.answers.bare(`EXISTS (SELECT 1 FROM records WHERE (merchant_order_id = order_no OR order_id = stated_platform)
      AND NOT EXISTS (SELECT 1 FROM answers AS other WHERE other.platform_order_no = order_id))`)
  }

  /**
   * The first rows of orders that are completed on both sides, whose records of this event were not taken by the merchant's
   * server: something else booked them.
   */
  bookedUndelivered(event: string): {file: number; line: number}[] {
    this.indexOnce()
    this.answers.indexOnce()
    const missed = `event = ? AND json_extract(record, '$.status') <> 'success'`
    const taken = `SELECT 1 FROM records WHERE ${isOfOrder} AND json_extract(record, '$.status') = 'success'`
    const sql = `SELECT file, line FROM ledger JOIN answers ON row = ledger.id
      WHERE ledger.id IN (SELECT ledger.id FROM records JOIN ledger ON order_no = merchant_order_id WHERE ${missed}
        UNION SELECT row FROM records JOIN answers ON platform_order_no = order_id WHERE ${missed})
      AND multiplicity = 0 AND ledger.status = 0 AND answers.status = 0 AND NOT EXISTS (${taken}) LIMIT 10000`
    return this.db.ask(sql, event, event).map(([file, line]) => ({file: Number(file), line: Number(line)}))
  }

  /** Orders whose row is not booked, and whose record of this event was taken by the merchant's server. */
  takenUnbooked(event: string): {kind: OrderKind; orderNo: string}[] {
    this.indexOnce()
    this.answers.indexOnce()
    const sql = `SELECT DISTINCT ledger.kind, order_no FROM ledger LEFT JOIN answers ON row = ledger.id
      WHERE ledger.status <> 0 AND EXISTS (SELECT 1 FROM records WHERE ${isOfOrder} AND event = ?
        AND json_extract(record, '$.status') = 'success')`
    return this.db
      .ask(sql, event)
      .map(([kind, orderNo]) => ({kind: orderKinds[Number(kind)] ?? 'deposit', orderNo: String(orderNo)}))
  }

  /** When the oldest was created; null if none has a time. */
  oldestMs(): number | null {
    const sql = `SELECT min(created_ms) FROM (SELECT created_ms FROM records UNION ALL SELECT created_ms FROM odd_records)`
    const [[oldest = null] = []] = this.db.ask(sql)
    return oldest === null ? null : Number(oldest)
  }

  /** The number of records not newer than this one; null if it is not there. */
  countUpTo(id: string): number | null {
    const all = 'SELECT id, created_ms FROM records UNION ALL SELECT id, created_ms FROM odd_records'
    const sql = `SELECT count(*), max(id = ?) FROM (${all}) WHERE coalesce(created_ms, 0) <=
      (SELECT coalesce(created_ms, 0) FROM (${all}) WHERE id = ?)`
    const [[count, isThere] = []] = this.db.ask(sql, id, id)
    return isThere === 1 || isThere === 1n ? Number(count) : null
  }

  /** Orders completed on both sides: with a delivered record, and without one. */
  countAgreed(): {readonly delivered: number; readonly without: number} {
    this.indexOnce()
    const count = (condition: string): number => {
      const sql = `SELECT count(*) FROM answers JOIN ledger ON ledger.id = row
        WHERE answers.status = 0 AND ledger.status = 0 AND ${condition}`
      const [[found] = []] = this.db.ask(sql)
      return Number(found)
    }
    return {
      delivered: count(
        `EXISTS (SELECT 1 FROM records WHERE ${isOfOrder} AND json_extract(record, '$.status') = 'success')`,
      ),
      without: count(
        `NOT EXISTS (SELECT 1 FROM records WHERE ${isOfOrder}) AND NOT EXISTS (SELECT 1 FROM odd_records WHERE ${isOfOrder})`,
      ),
    }
  }

  /** Whether any record is of an order of the ledger. */
  areOfLedger(): boolean {
    this.indexOnce()
    const sql = `SELECT 1 FROM ledger LEFT JOIN answers ON row = ledger.id WHERE EXISTS (SELECT 1 FROM records WHERE ${isOfOrder}) LIMIT 1`
    return this.db.ask(sql).length > 0
  }

  /** How many records have an order number. */
  countNumbered(): number {
    const [[found] = []] = this.db.ask(`SELECT count(*) FROM records WHERE trim(merchant_order_id) <> ''`)
    return Number(found)
  }

  byReceiver(): ReceiverRecords[] {
    return this.db.ask(countByHost).map(([host, records, delivered]) => ({
      ...{host: escapeInvisible(String(host), 100), records: Number(records), delivered: Number(delivered)},
    }))
  }

  private indexOnce(): void {
    if (!this.isIndexed) {
      this.db.exec(`
        CREATE INDEX records_by_number ON records (merchant_order_id);
        CREATE INDEX records_by_order ON records (order_id);
      `)
    }
    this.isIndexed = true
  }

  private select(column: 'merchant_order_id' | 'order_id', value: string): Delivery[] {
    this.indexOnce()
    return this.db
      .ask(`SELECT record FROM records WHERE ${column} = ? ORDER BY rowid`, value)
      .map(([record]) => JSON.parse(String(record)) as Delivery)
  }
}

export type OddRecord = Omit<OddDelivery, 'createdAt' | 'at'> & {readonly createdMs: number | null}

/** The host ends at the path or query; other texts have no host. */
const countByHost = `
  SELECT coalesce(lower(substr(rest, instr(rest, '@') + 1)), '') AS host, count(*) AS records, sum(status = 'success')
  FROM (SELECT substr(after, 1, min(instr(after || '/', '/'), instr(after || '?', '?')) - 1) AS rest, status FROM (SELECT substr(url, nullif(instr(url, '://'), 0) + 3) AS after, status
    FROM (SELECT json_extract(record, '$.url') AS url, json_extract(record, '$.status') AS status FROM records)))
  GROUP BY host ORDER BY records - sum(status = 'success') DESC, host LIMIT 20`
const isOfOrder = '(order_id = platform_order_no OR merchant_order_id = ledger.order_no)'
const oddColumns = 'SELECT id, order_id, merchant_order_id, event, created_ms, status, why FROM odd_records'

function oddOf(values: readonly SQLOutputValue[]): OddRecord {
  const [id, orderId, merchantOrderId, event, createdMs, status, why] = values
  const textOf = (value: SQLOutputValue | undefined) => (typeof value === 'string' ? value : null)
  return {
    id: String(id),
    orderId: textOf(orderId),
    merchantOrderId: textOf(merchantOrderId),
    event: textOf(event),
    createdMs: createdMs == null ? null : Number(createdMs),
    status: textOf(status),
    why: String(why),
  }
}

function valuesOf(record: Delivery): [string, string, string, string, number, string] {
  const {id, orderId, merchantOrderId, event, createdAt} = record
  return [id, orderId, merchantOrderId, event, parseInstant(createdAt) ?? 0, JSON.stringify(record)]
}
