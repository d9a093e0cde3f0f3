import type {SQLInputValue, SQLOutputValue} from 'node:sqlite'
import {RowBuffer} from '../files/row-buffer.ts'
import {openScratchDatabase} from '../files/scratch-database.ts'
import {attempt, type Database} from '../files/sqlite.ts'

/**
 * `multiplicity` of a row: 0 the only one of its order; 1 the first of several, unreadable ones included; 2 a later one.
 * `next_step` of an answer: 0 nothing; 1 a decision; 2 a decision with its delivery records. `same_order` has the numbers
 * that the service answers for as one order; their rows share it. `day_from` to `month_to`: a date in digits with the day or
 * the month first.
 */
const stagingSchema = `
  CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, file INTEGER, line INTEGER, kind INTEGER, order_no TEXT, status INTEGER, amount INTEGER,
    multiplicity INTEGER, stated_platform TEXT, player_ref TEXT, from_ms INTEGER, to_ms INTEGER,
    day_from INTEGER, day_to INTEGER, month_from INTEGER, month_to INTEGER, delay_ms INTEGER
  );
  CREATE TABLE lines (id INTEGER PRIMARY KEY, file INTEGER, lines TEXT);
  CREATE TABLE same_order (kind INTEGER, order_no TEXT, row INTEGER, first_row INTEGER, PRIMARY KEY (kind, order_no));
  CREATE TABLE unreadable (id INTEGER PRIMARY KEY, order_no TEXT, kind INTEGER, row TEXT);
  CREATE TABLE answers (
    row INTEGER PRIMARY KEY, next_step INTEGER, kind INTEGER, state TEXT, status INTEGER, raw_status TEXT, amount INTEGER,
    platform_order_no TEXT, sent_amount INTEGER, source TEXT
  );
  CREATE TABLE records (
    id TEXT PRIMARY KEY, order_id TEXT, merchant_order_id TEXT, event TEXT, created_ms INTEGER, record TEXT
  );
  CREATE TABLE odd_records (
    id TEXT PRIMARY KEY, order_id TEXT, merchant_order_id TEXT, event TEXT, created_ms INTEGER, status TEXT,
    why TEXT
  );
  CREATE TABLE findings (
    id INTEGER PRIMARY KEY, file INTEGER, line INTEGER, says INTEGER, finding BLOB
  );
  CREATE TABLE balances (id INTEGER PRIMARY KEY, counted BLOB);
  CREATE TABLE damaged (
    fold TEXT, is_own INTEGER, kind INTEGER, file INTEGER, line INTEGER, order_no TEXT, is_booked INTEGER
  );
  CREATE TABLE likenesses (id INTEGER PRIMARY KEY, file INTEGER, line INTEGER, order_no TEXT);
  CREATE TABLE places (place INTEGER PRIMARY KEY, id INTEGER);
`

const pageRows = 500

export type Cells = readonly SQLOutputValue[]

/**
 * The columns of a statement, with each one's index in its rows: named rows cost more. `cellsOf` takes a value for
 * each in that order; a missing one does not compile.
 */
export function columnsOf<Name extends string>(selected: Readonly<Record<Name, string>>) {
  const entries = Object.entries<string>(selected)
  const at = Object.fromEntries(entries.map(([name], place) => [name, place])) as Readonly<
    Record<Name, number>
  >
  const names = Object.keys(selected) as Name[]
  const cellsOf = (row: Readonly<Record<Name, SQLInputValue>>) => names.map((name) => row[name])
  return {text: entries.map(([, column]) => column).join(', '), at, cellsOf, count: entries.length}
}

export class StagingDatabase {
  private readonly db: Database
  private readonly buffers = new Map<string, RowBuffer>()

  constructor() {
    this.db = openScratchDatabase(stagingSchema)
  }

  /** Puts a row with a value for each column; later questions see it. */
  put(table: string, row: readonly SQLInputValue[]): void {
    let buffer = this.buffers.get(table)
    if (!buffer) {
      buffer = new RowBuffer(this.db, table, row.length)
      this.buffers.set(table, buffer)
    }
    buffer.add(row)
  }

  /** Defines an SQL function. */
  define(name: string, work: (text: string) => string): void {
    attempt(this.db, (sql) => sql.function(name, {deterministic: true}, (text) => work(String(text))))
  }

  exec(text: string): void {
    this.flush()
    attempt(this.db, (sql) => sql.exec(text))
  }

  run(text: string, ...values: readonly SQLInputValue[]): number {
    this.flush()
    const statement = this.db.statements.of(text)
    return attempt(this.db, () => Number(statement.run(...values).changes))
  }

  ask(text: string, ...values: readonly SQLInputValue[]): readonly Cells[] {
    this.flush()
    const statement = this.db.statements.of(text, 'cells')
    return attempt(this.db, () => statement.all(...values) as unknown as readonly Cells[])
  }

  /**
   * A long answer, a page at a time: the first parameter is the first column of the previous row, by which it is
   * ordered.
   */
  *pages<T>(
    text: string,
    values: readonly SQLInputValue[],
    read: (cells: Cells) => T,
    rows = pageRows,
  ): Generator<T> {
    for (let after: SQLInputValue = 0; ; ) {
      const page = this.ask(`${text} LIMIT ${rows}`, after, ...values)
      for (const cells of page) yield read(cells)
      if (page.length < rows) return
      after = page.at(-1)?.[0] ?? 0
    }
  }

  private flush(): void {
    for (const buffer of this.buffers.values()) buffer.flush()
  }

  close(): void {
    this.db.sql.close()
  }
}
