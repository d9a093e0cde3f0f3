import type {StatementSync} from 'node:sqlite'

import type {Delivery} from '../core/order.ts'
import type {Window} from '../core/reconcile/window.ts'
import {parseInstant} from '../core/time.ts'
import {attempt, type Database} from '../files/sqlite.ts'
import type {Answers} from './answers.ts'
import {pageRows} from './schema.ts'

/** The delivery records that were read, each id once. */
export class Records {
  private readonly db: Database
  private readonly answers: Answers
  private readonly insert: StatementSync
  private readonly replacing: StatementSync
  private isIndexed = false

  constructor(db: Database, answers: Answers) {
    this.db = db
    this.answers = answers
    const prepare = (word: string) =>
      attempt(db, (sql) => sql.prepare(`INSERT OR ${word} INTO records VALUES (?, ?, ?, ?, ?, ?)`))
    this.insert = prepare('IGNORE')
    this.replacing = prepare('REPLACE')
  }

  /** Forgets them all: the list is read again from its beginning. */
  clear(): void {
    attempt(this.db, (sql) => sql.exec('DELETE FROM records'))
  }

  /** False where a record of that id is there already; it stays as it was. */
  add(record: Delivery): boolean {
    return this.write(this.insert, record) > 0
  }

  /** Takes the place of an older reading of the same record. */
  replace(record: Delivery): void {
    this.write(this.replacing, record)
  }

  byNumber(merchantOrderId: string): Delivery[] {
    return this.select('merchant_order_id', merchantOrderId)
  }

  byOrderId(orderId: string): Delivery[] {
    return this.select('order_id', orderId)
  }

  /** Records of an event, created in the window, whose order is none that the service knew of the ledger's. */
  *ofUnknownOrders(event: string, {fromMs, toMs}: Window): Generator<Delivery> {
    const select = this.answers.ask((sql) =>
      sql.prepare(
        `SELECT rowid AS at, record FROM records WHERE rowid > ? AND event = ? AND created_ms BETWEEN ? AND ?
           AND NOT EXISTS (SELECT 1 FROM answers WHERE platform_order_no = order_id)
         ORDER BY rowid LIMIT ${pageRows}`,
      ),
    )
    for (let after = 0; ; ) {
      const from = after
      const page = attempt(this.db, () => select.all(from, event, fromMs, toMs))
      for (const {record} of page) yield JSON.parse(String(record)) as Delivery
      after = Number(page.at(-1)?.at)
      if (page.length < pageRows) return
    }
  }

  private select(column: 'merchant_order_id' | 'order_id', value: string): Delivery[] {
    return attempt(this.db, (sql) => {
      if (!this.isIndexed) {
        sql.exec(
          'CREATE INDEX records_by_number ON records (merchant_order_id); CREATE INDEX records_by_order ON records (order_id)',
        )
      }
      this.isIndexed = true
      return sql
        .prepare(`SELECT record FROM records WHERE ${column} = ? ORDER BY rowid`)
        .all(value)
        .map(({record}) => JSON.parse(String(record)) as Delivery)
    })
  }

  private write(statement: StatementSync, record: Delivery): number {
    const {id, orderId, merchantOrderId, event, createdAt} = record
    const createdMs = parseInstant(createdAt) ?? 0
    const text = JSON.stringify(record)
    return Number(
      attempt(this.db, () => statement.run(id, orderId, merchantOrderId, event, createdMs, text)).changes,
    )
  }
}
