import type {Paisa} from '../core/money.ts'
import {type OrderKind, orderKinds, orderStates} from '../core/order.ts'
import type {
  BookedRow,
  DateInDigits,
  LedgerEntry,
  LedgerLine,
  LedgerSink,
  UnreadableRow,
} from '../core/reconcile/entry.ts'
import type {LedgerOrder} from '../core/reconcile/orders.ts'
import type {Window} from '../core/reconcile/window.ts'
import {type Cells, columnsOf, type StagingDatabase} from './staging-database.ts'

/** An order of the ledger, by the number of its first row. */
export interface StagedOrder extends LedgerOrder {
  readonly row: number
}

type OrderName = Pick<LedgerOrder, 'kind' | 'orderNo'>

/** Columns that a statement adds come after these. */
export const rowColumns = columnsOf({
  id: 'ledger.id',
  file: 'ledger.file',
  line: 'ledger.line',
  kind: 'ledger.kind',
  orderNo: 'order_no',
  status: 'ledger.status',
  amount: 'ledger.amount',
  /** 0 for a single row with the number, else 1 for the first and 2 for the others. */
  multiplicity: 'multiplicity',
  platformOrderNo: 'stated_platform',
  createdMs: 'ledger.from_ms',
  latestMs: 'ledger.to_ms',
  playerRef: 'ledger.player_ref',
  bookedMs: 'ledger.from_ms + ledger.delay_ms',
})
const {text: columns, at} = rowColumns

/**
 * The rows of a ledger, by order. Numbers compare byte for byte (P13); a deposit and a payout may share one. No row
 * is taken after the first question.
 */
export class LedgerRows implements LedgerSink {
  /** The kinds of this ledger: orders of other kinds are not missing from it. */
  readonly kinds = new Set<OrderKind>()
  /** Whether any row states an amount: else nothing can be compared. */
  hasAmounts = false
  private readonly db: StagingDatabase
  private readonly lastRows = new Map<number, number | null>()
  private isSorted = false
  private isSortedByTime = false
  private lines: {readonly file: number; readonly block: LedgerLine[]} = {file: 0, block: []}

  constructor(db: StagingDatabase) {
    this.db = db
  }

  entry(
    {file, line, kind, orderNo, status, amount, platformOrderNo, playerRef}: LedgerEntry,
    created: Window | DateInDigits | null = null,
    delayMs: number | null = null,
  ): void {
    this.kinds.add(kind)
    if (amount !== null) this.hasAmounts = true
    const [kindAt, statusAt] = [orderKinds.indexOf(kind), orderStates.indexOf(status)]
    const known = created !== null && 'fromMs' in created ? created : null
    const inDigits = created !== null && 'dayFirst' in created ? created : null
    const times = [known, inDigits?.dayFirst, inDigits?.monthFirst].flatMap((time) => [
      time?.fromMs ?? null,
      time?.toMs ?? null,
    ])
    const more = [platformOrderNo, playerRef, ...times, delayMs]
    this.db.put('ledger', [null, file, line, kindAt, orderNo, statusAt, amount, 0, ...more])
  }

  withoutDelays(file: number): void {
    this.db.exec(`UPDATE ledger SET delay_ms = NULL WHERE file = ${file}`)
  }

  /** Dates in digits have their time once the whole column was read. */
  dates(order: keyof DateInDigits): void {
    const as = order === 'dayFirst' ? 'day' : 'month'
    this.db.exec(
      `UPDATE ledger SET from_ms = ${as}_from, to_ms = ${as}_to WHERE from_ms IS NULL AND ${as}_from IS NOT NULL`,
    )
  }

  unreadable(row: UnreadableRow): void {
    if (row.kind !== undefined) this.kinds.add(row.kind)
    const kind = row.kind === undefined ? null : orderKinds.indexOf(row.kind)
    this.db.put('unreadable', [null, row.orderNo, kind, JSON.stringify(row)])
  }

  line(file: number, line: number, cells: readonly string[]): void {
    if (this.lines.file !== file || this.lines.block.length >= linesAtOnce) this.putLines(file)
    this.lines.block.push([line, cells])
  }

  /** The lines of a text file, many at a time. */
  linesOf(file: number): Generator<readonly LedgerLine[]> {
    this.putLines(this.lines.file)
    return this.db.pages(
      'SELECT id, lines FROM lines WHERE id > ? AND file = ? ORDER BY id',
      [file],
      ([, block]) => JSON.parse(String(block)) as LedgerLine[],
      1,
    )
  }

  private putLines(nextFile: number): void {
    const {file, block} = this.lines
    if (block.length > 0) this.db.put('lines', [null, file, JSON.stringify(block)])
    this.lines = {file: nextFile, block: []}
  }

  /** Rows as JSON arrays, many lines at a time: readable rows, then unreadable ones. */
  *asLines(mask: (text: string) => string): Generator<string> {
    this.db.define('masked', mask)
    for (const [table, line] of [
      ['ledger', ledgerLine],
      ['unreadable', unreadableLine],
    ])
      yield* this.db.pages(
        `SELECT max(id), group_concat(line, char(10) ORDER BY id)
           FROM (SELECT id, ${line} AS line FROM ${table} WHERE id > ? ORDER BY id LIMIT ${rowsAtOnce}) HAVING max(id) > 0`,
        [],
        ([, lines]) => String(lines),
        1,
      )
  }

  /** How many orders its rows name, and how many are not completed. */
  count(): {readonly orders: number; readonly notCompleted: number} {
    const [[orders, notCompleted] = []] = this.ask(
      'SELECT count(*), sum(status <> 0) FROM ledger WHERE multiplicity < 2',
    )
    return {orders: Number(orders), notCompleted: Number(notCompleted ?? 0)}
  }

  /** Every order, by its first row. */
  all(): Generator<StagedOrder> {
    return this.pages('', 'multiplicity < 2', (cells) => this.orderOf(cells))
  }

  names({kind, orderNo}: OrderName): boolean {
    const found = this.ask(
      `SELECT 1 FROM ledger WHERE order_no = ?1 AND kind = ?2
       UNION ALL SELECT 1 FROM unreadable WHERE order_no = ?1 AND (kind IS NULL OR kind = ?2) LIMIT 1`,
      ...[orderNo, orderKinds.indexOf(kind)],
    )
    return found.length > 0
  }

  /** Whether rows of both kinds have this number, readable or not. */
  isShared(orderNo: string): boolean {
    return orderKinds.every((kind) => this.names({kind, orderNo}))
  }

  /** The time of the newest readable row of a file; null if none has one. */
  lastRowMs(file: number): number | null {
    let lastMs = this.lastRows.get(file)
    if (lastMs === undefined) {
      const [[ms = null] = []] = this.ask('SELECT max(from_ms) FROM ledger WHERE file = ?', file)
      lastMs = ms === null ? null : Number(ms)
      this.lastRows.set(file, lastMs)
    }
    return lastMs
  }

  /** The same of the oldest row. */
  firstRowMs(file: number): number | null {
    const [[ms = null] = []] = this.ask('SELECT min(from_ms) FROM ledger WHERE file = ?', file)
    return ms === null ? null : Number(ms)
  }

  /** The row of an order; null if no readable row names it. */
  rowOf({kind, orderNo}: OrderName): number | null {
    const [[row = null] = []] = this.ask(
      'SELECT min(id) FROM ledger WHERE order_no = ? AND kind = ?',
      ...[orderNo, orderKinds.indexOf(kind)],
    )
    return row === null ? null : Number(row)
  }

  unreadableRows(): Generator<UnreadableRow> {
    this.sortOnce()
    return this.db.pages(
      'SELECT place, row FROM unreadable_order JOIN unreadable USING (id) WHERE place > ? ORDER BY place',
      [],
      ([, row]) => JSON.parse(String(row)) as UnreadableRow,
    )
  }

  numbers(): Generator<Pick<LedgerEntry, 'orderNo'>> {
    return this.pages('', 'TRUE', (cells) => ({orderNo: String(cells[at.orderNo])}))
  }

  players(max: number): string[] {
    return this.ask('SELECT DISTINCT player_ref FROM ledger WHERE player_ref IS NOT NULL LIMIT ?', max).map(
      ([player]) => String(player),
    )
  }

  /** The sum that the rows call completed, of a kind. */
  completed(kind: OrderKind): Paisa {
    return sumOf(
      this.ask(`SELECT ${sumColumns} FROM ledger WHERE status = 0 AND kind = ?`, orderKinds.indexOf(kind)),
    )
  }

  /** Rows that match `where`, a page at a time; `more` are columns of a joined table. */
  pages<T>(join: string, where: string, read: (cells: Cells) => T, more = ''): Generator<T> {
    this.sortOnce()
    return this.db.pages(
      `SELECT ${columns}${more} FROM ledger ${join} WHERE ledger.id > ? AND ${where} ORDER BY ledger.id`,
      [],
      read,
    )
  }

  orderOf(cells: Cells): StagedOrder {
    const entry = rowOfCells(cells)
    const {kind, orderNo} = entry
    const row = Number(cells[at.id])
    if (Number(cells[at.multiplicity]) === 0) return {row, kind, orderNo, entries: [entry], unreadable: []}
    const order = {kind, orderNo}
    return {row, ...order, entries: this.entriesOf(order), unreadable: this.unreadableOf(order)}
  }

  entriesOf(order: OrderName): BookedRow[] {
    return this.ask(
      `SELECT ${columns} FROM ledger WHERE order_no IN (${numbersOf}) AND kind = ?2 ORDER BY id`,
      ...[order.orderNo, orderKinds.indexOf(order.kind)],
    ).map(rowOfCells)
  }

  /** The rows with this number, readable or not, by the time of each that says it; `kind` is null for any. */
  rowsNamed(orderNo: string, kind: OrderKind | null): readonly {readonly createdMs?: number}[] {
    const ofKinds = kind === null ? orderKinds : [kind]
    return ofKinds.flatMap((one) => {
      const order = {kind: one, orderNo}
      return this.names(order) ? [...this.entriesOf(order), ...this.unreadableOf(order)] : []
    })
  }

  /** The booked rows with this amount at this time. */
  bookedAt(amount: Paisa, createdMs: number): BookedRow[] {
    if (!this.isSortedByTime) this.db.exec('CREATE INDEX ledger_by_time ON ledger (from_ms)')
    this.isSortedByTime = true
    return this.ask(
      `SELECT ${columns} FROM ledger WHERE from_ms = ?1 AND amount = ?2 AND status = 0 ORDER BY id`,
      ...[createdMs, amount],
    ).map(rowOfCells)
  }

  private unreadableOf({kind, orderNo}: OrderName): UnreadableRow[] {
    return this.ask(
      `SELECT row FROM unreadable WHERE order_no IN (${numbersOf}) AND (kind IS NULL OR kind = ?2) ORDER BY id`,
      ...[orderNo, orderKinds.indexOf(kind)],
    ).map(([row]) => JSON.parse(String(row)) as UnreadableRow)
  }

  private ask(question: string, ...values: readonly (string | number | bigint)[]): readonly Cells[] {
    this.sortOnce()
    return this.db.ask(question, ...values)
  }

  private sortOnce(): void {
    if (!this.isSorted) this.db.exec(sortByOrder)
    this.isSorted = true
  }
}

/** Whole numbers beyond 53 bits are text. Kind and status are closed sets. */
const wordAt = (words: readonly string[], column: string) =>
  `CASE ${column} ${words.map((word, at) => `WHEN ${at} THEN '${word}'`).join(' ')} END`
const ledgerLine = `json_array(file, line, ${wordAt(orderKinds, 'kind')}, order_no, ${wordAt(orderStates, 'status')},
  CAST(amount AS TEXT), stated_platform, from_ms, to_ms, CASE WHEN player_ref IS NOT NULL THEN masked(player_ref) END, delay_ms)`
const unreadableLine = `CASE WHEN row ->> 'players' IS NULL THEN row
  ELSE json_set(row, '$.players', masked(row ->> 'players')) END`

const rowsAtOnce = 2_000
const linesAtOnce = 500

/** All numbers of the order with the number ?1, of the kind ?2. */
const numbersOf = `SELECT ?1 UNION SELECT order_no FROM same_order WHERE kind = ?2 AND first_row =
  (SELECT first_row FROM same_order WHERE kind = ?2 AND order_no = ?1)`

const sortByOrder = `
  CREATE INDEX ledger_by_order ON ledger (order_no, kind);
  CREATE INDEX unreadable_by_order ON unreadable (order_no, kind);
  CREATE TABLE unreadable_order (place INTEGER PRIMARY KEY, id INTEGER);
  INSERT INTO unreadable_order SELECT row_number() OVER (ORDER BY order_no, kind, id), id FROM unreadable;
  CREATE TABLE shared AS
    SELECT order_no, kind, min(id) AS first_row FROM ledger GROUP BY order_no, kind HAVING count(*) > 1;
  UPDATE ledger SET multiplicity = 1 + (ledger.id <> first_row) FROM shared
    WHERE ledger.order_no = shared.order_no AND ledger.kind = shared.kind;
  UPDATE ledger SET multiplicity = 1 FROM unreadable
    WHERE ledger.order_no = unreadable.order_no AND multiplicity = 0
      AND (unreadable.kind IS NULL OR unreadable.kind = ledger.kind);
`

export function nameOfCells(cells: Cells): OrderName {
  return {kind: orderKinds[Number(cells[at.kind])] ?? 'deposit', orderNo: String(cells[at.orderNo])}
}

export function rowOfCells(cells: Cells): BookedRow {
  const [platformOrderNo, createdMs, bookedMs] = [at.platformOrderNo, at.createdMs, at.bookedMs].map(
    (place) => cells[place],
  )
  return {
    ...nameOfCells(cells),
    line: Number(cells[at.line]),
    file: Number(cells[at.file]),
    status: orderStates[Number(cells[at.status])] ?? 'open',
    amount: cells[at.amount] as Paisa | null,
    ...(typeof platformOrderNo === 'string' && {platformOrderNo}),
    ...(createdMs != null && {createdMs: Number(createdMs), latestMs: Number(cells[at.latestMs])}),
    ...(bookedMs != null && {bookedMs: Number(bookedMs)}),
    ...(typeof cells[at.playerRef] === 'string' && {playerRef: String(cells[at.playerRef])}),
  }
}

/** In two parts, because the sum of a million amounts may exceed 64 bits. */
const half = 1_000_000_000n
export const sumColumns = `sum(amount / ${half}), sum(amount % ${half})`

export function sumOf(rows: readonly Cells[]): Paisa {
  const [[high, low] = []] = rows
  return BigInt(String(high ?? 0)) * half + BigInt(String(low ?? 0))
}
