import type {SQLOutputValue, StatementSync} from 'node:sqlite'

import type {Paisa} from '../core/money.ts'
import {type OrderKind, orderKinds, orderStates} from '../core/order.ts'
import type {BookedRow, LedgerEntry, LedgerSink, UnreadableRow} from '../core/reconcile/entry.ts'
import type {LedgerOrder} from '../core/reconcile/orders.ts'
import {attempt, type Database} from '../files/sqlite.ts'
import {pageRows} from './schema.ts'

/** An order of the ledger, by the number of its first row. */
export interface SheetOrder extends LedgerOrder {
  readonly row: number
}

const columns =
  'ledger.id, ledger.file, ledger.line, ledger.kind, order_no, ledger.status, ledger.amount, shares'
/** How many of them there are: what else a statement selects comes after these. */
export const columnsOfRow = 8

/**
 * The rows of a ledger, by order. Numbers compare byte for byte (P13); a deposit and a payout may share one. Rows are
 * taken first and then asked for: none is taken after the first question.
 */
export class LedgerRows implements LedgerSink {
  /** The kinds this ledger is about: what it does not name of other kinds is not missing from it. */
  readonly kinds = new Set<OrderKind>()
  /** Whether any row states an amount: else there is nothing of the ledger's to compare. */
  hasAmounts = false
  private readonly db: Database
  private readonly insert: StatementSync
  private isSorted = false

  constructor(db: Database) {
    this.db = db
    this.insert = attempt(db, (sql) => sql.prepare('INSERT INTO ledger VALUES (NULL, ?, ?, ?, ?, ?, ?, 0)'))
  }

  entry({file, line, kind, orderNo, status, amount}: LedgerEntry): void {
    this.kinds.add(kind)
    if (amount !== null) this.hasAmounts = true
    const [kindAt, statusAt] = [orderKinds.indexOf(kind), orderStates.indexOf(status)]
    attempt(this.db, () => this.insert.run(file, line, kindAt, orderNo, statusAt, amount))
  }

  unreadable(row: UnreadableRow): void {
    const kind = row.kind === undefined ? null : orderKinds.indexOf(row.kind)
    attempt(this.db, (sql) =>
      sql
        .prepare('INSERT INTO unreadable VALUES (NULL, ?, ?, ?)')
        .run(row.orderNo, kind, JSON.stringify(row)),
    )
  }

  /** How many orders its rows name, and how many of them it does not call completed. */
  count(): {readonly orders: number; readonly notCompleted: number} {
    const row = this.ask((sql) =>
      sql
        .prepare('SELECT count(*) AS orders, sum(status <> 0) AS notCompleted FROM ledger WHERE shares < 2')
        .get(),
    )
    return {orders: Number(row?.orders), notCompleted: Number(row?.notCompleted ?? 0)}
  }

  /** Every order, in the order of its first rows. */
  all(): Generator<SheetOrder> {
    return this.pages('', 'shares < 2', (cells) => this.orderOf(cells))
  }

  names({kind, orderNo}: Pick<LedgerOrder, 'kind' | 'orderNo'>): boolean {
    const at = orderKinds.indexOf(kind)
    return this.ask(
      (sql) =>
        sql
          .prepare(
            `SELECT 1 FROM ledger WHERE order_no = ?1 AND kind = ?2
             UNION ALL SELECT 1 FROM unreadable WHERE order_no = ?1 AND (kind IS NULL OR kind = ?2) LIMIT 1`,
          )
          .get(orderNo, at) !== undefined,
    )
  }

  /** The row of an order, null for one that no readable row names. */
  rowOf({kind, orderNo}: Pick<LedgerOrder, 'kind' | 'orderNo'>): number | null {
    const row = this.ask((sql) =>
      sql
        .prepare('SELECT min(id) AS row FROM ledger WHERE order_no = ? AND kind = ?')
        .get(orderNo, orderKinds.indexOf(kind)),
    )
    return row?.row == null ? null : Number(row.row)
  }

  /** Rows that cannot be read, those with the same number one after the other. */
  *unreadableRows(): Generator<UnreadableRow> {
    const select = this.ask((sql) =>
      sql.prepare(`SELECT row FROM unreadable ORDER BY order_no, kind, id LIMIT ${pageRows} OFFSET ?`),
    )
    for (let at = 0; ; at += pageRows) {
      const rows = attempt(this.db, () => select.all(at))
      for (const {row} of rows) yield JSON.parse(String(row)) as UnreadableRow
      if (rows.length < pageRows) return
    }
  }

  /** The order number of every row. */
  numbers(): Generator<Pick<LedgerEntry, 'orderNo'>> {
    return this.pages('', 'TRUE', (cells) => ({orderNo: String(cells[4])}))
  }

  /** What the rows of a kind call completed, in all. */
  completed(kind: OrderKind): Paisa {
    return this.ask((sql) =>
      sumOf(sql.prepare(`SELECT ${sumColumns} FROM ledger WHERE status = 0 AND kind = ?`), kind),
    )
  }

  /** Rows that `where` is true of, a page at a time; `more` are columns of a joined table. */
  *pages<T>(
    join: string,
    where: string,
    read: (cells: readonly SQLOutputValue[]) => T,
    more = '',
  ): Generator<T> {
    const select = this.ask((sql) => {
      const statement = sql.prepare(
        `SELECT ${columns}${more} FROM ledger ${join} WHERE ledger.id > ? AND ${where} ORDER BY ledger.id LIMIT ${pageRows}`,
      )
      // Amounts do not fit a number.
      statement.setReadBigInts(true)
      statement.setReturnArrays(true)
      return statement
    })
    for (let after: SQLOutputValue = 0; ; ) {
      const from = after
      const page = attempt(this.db, () => select.all(from)) as unknown as readonly SQLOutputValue[][]
      for (const cells of page) yield read(cells)
      after = page.at(-1)?.[0] ?? 0
      if (page.length < pageRows) return
    }
  }

  orderOf(cells: readonly SQLOutputValue[]): SheetOrder {
    const entry = rowOfCells(cells)
    const {kind, orderNo} = entry
    const row = Number(cells[0])
    if (Number(cells[7]) === 0) return {row, kind, orderNo, entries: [entry], unreadable: []}
    const order = {kind, orderNo}
    return {row, ...order, entries: this.entriesOf(order), unreadable: this.unreadableOf(order)}
  }

  entriesOf({kind, orderNo}: Pick<LedgerOrder, 'kind' | 'orderNo'>): BookedRow[] {
    return this.ask((sql) => {
      const select = sql.prepare(`SELECT ${columns} FROM ledger WHERE order_no = ? AND kind = ? ORDER BY id`)
      select.setReadBigInts(true)
      select.setReturnArrays(true)
      const rows = select.all(orderNo, orderKinds.indexOf(kind)) as unknown as readonly SQLOutputValue[][]
      return rows.map(rowOfCells)
    })
  }

  private unreadableOf({kind, orderNo}: Pick<LedgerOrder, 'kind' | 'orderNo'>): UnreadableRow[] {
    return this.ask((sql) =>
      sql
        .prepare('SELECT row FROM unreadable WHERE order_no = ? AND (kind IS NULL OR kind = ?) ORDER BY id')
        .all(orderNo, orderKinds.indexOf(kind))
        .map(({row}) => JSON.parse(String(row)) as UnreadableRow),
    )
  }

  private ask<T>(question: (sql: Database['sql']) => T): T {
    return attempt(this.db, (sql) => {
      if (!this.isSorted) sortByOrder(sql)
      this.isSorted = true
      return question(sql)
    })
  }
}

/** An index made of all rows at once is a sort; kept up row by row it would be a million searches. */
function sortByOrder(sql: Database['sql']): void {
  sql.exec(`
    CREATE INDEX ledger_by_order ON ledger (order_no, kind);
    CREATE INDEX unreadable_by_order ON unreadable (order_no, kind);
    CREATE TABLE shared AS
      SELECT order_no, kind, min(id) AS first_row FROM ledger GROUP BY order_no, kind HAVING count(*) > 1;
    UPDATE ledger SET shares = 1 + (ledger.id <> first_row) FROM shared
      WHERE ledger.order_no = shared.order_no AND ledger.kind = shared.kind;
    UPDATE ledger SET shares = 1 FROM unreadable
      WHERE ledger.order_no = unreadable.order_no AND shares = 0
        AND (unreadable.kind IS NULL OR unreadable.kind = ledger.kind);
  `)
}

function rowOfCells([, file, line, kind, orderNo, status, amount]: readonly SQLOutputValue[]): BookedRow {
  return {
    line: Number(line),
    file: Number(file),
    kind: orderKinds[Number(kind)] ?? 'deposit',
    orderNo: String(orderNo),
    status: orderStates[Number(status)] ?? 'open',
    amount: amount as Paisa | null,
  }
}

/** In two parts, because the sum of a million amounts may be more than 64 bits. */
const half = 1_000_000_000
export const sumColumns = `sum(amount / ${half}) AS high, sum(amount % ${half}) AS low`

export function sumOf(statement: StatementSync, kind: OrderKind): Paisa {
  statement.setReadBigInts(true)
  const {high, low} = statement.get(orderKinds.indexOf(kind)) as Record<string, bigint | null>
  return (high ?? 0n) * BigInt(half) + (low ?? 0n)
}
