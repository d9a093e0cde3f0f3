import type {Paisa} from '../core/money.ts'
import {type OrderKind, orderKinds, orderStates, type ServiceOrder} from '../core/order.ts'
import type {ServiceSide, TakenFrom} from '../core/reconcile/classify.ts'
import type {BookedRow} from '../core/reconcile/entry.ts'
import {
  type LedgerRows,
  nameOfCells,
  rowColumns,
  rowOfCells,
  type StagedOrder,
  sumColumns,
  sumOf,
} from './ledger-rows.ts'
import {type Cells, columnsOf, type StagingDatabase} from './staging-database.ts'

/** What an answer needs: nothing, a decision, or a decision with the order's delivery records. */
export const nextSteps = ['nothing', 'decision', 'records'] as const
export type NextStep = (typeof nextSteps)[number]

/** An order and the service's answer; null if it was not queried. */
export interface Answered {
  readonly order: StagedOrder
  readonly side: ServiceSide | null
}

/** A row that its answer may not explain. */
export interface UnexplainedEntry {
  readonly entry: BookedRow
  readonly side: ServiceSide | null
  readonly isShared: boolean
}

const statuses = [...orderStates, 'unknown_status'] as const
const {
  text: columns,
  at,
  cellsOf,
} = columnsOf({
  state: 'state',
  status: 'answers.status',
  rawStatus: 'raw_status',
  amount: 'answers.amount',
  platformOrderNo: 'platform_order_no',
  sentAmount: 'sent_amount',
  /** JSON: for a found order, the other run whose answer it is; without an answer, the reason. */
  source: 'source',
})

/** The service's answers for the orders of the ledger. All are put before the first question. */
export class Answers {
  private readonly db: StagingDatabase
  private readonly ledger: LedgerRows
  private isIndexed = false

  constructor(db: StagingDatabase, ledger: LedgerRows) {
    this.db = db
    this.ledger = ledger
  }

  put({row, kind}: Pick<StagedOrder, 'row' | 'kind'>, side: ServiceSide, left: NextStep): void {
    const begin = [row, nextSteps.indexOf(left), orderKinds.indexOf(kind)]
    this.db.put('answers', [...begin, ...cellsOf({...toldBy(side), state: side.is})])
  }

  /** The answer will be put again. */
  forget({row}: Pick<StagedOrder, 'row'>): void {
    this.db.run('DELETE FROM answers WHERE row = ?', row)
  }

  unasked(): Generator<StagedOrder> {
    return this.ledger.pages(
      'LEFT JOIN answers ON row = ledger.id',
      'multiplicity < 2 AND row IS NULL',
      (cells) => this.ledger.orderOf(cells),
    )
  }

  /** Orders that do not simply agree, and orders that were not queried. */
  undecided(): Generator<Answered> {
    return this.pages('LEFT JOIN', 'multiplicity < 2 AND (next_step IS NULL OR next_step > 0)', (cells) =>
      this.answeredOf(cells),
    )
  }

  private answeredOf(cells: Cells): Answered {
    const order = this.ledger.orderOf(cells)
    return {order, side: sideOf(order, cells.slice(rowColumns.count))}
  }

  /**
   * Rows that their answer may not explain: an unknown number, no answer, or a contradiction; and all rows of a
   * repeated number, because a number may have become another.
   */
  unexplained(): Generator<UnexplainedEntry> {
    return this.pages(
      'LEFT JOIN',
      `(multiplicity > 0 OR state IS NULL OR state <> 'found' OR next_step = ${nextSteps.indexOf('decision')}
         OR (next_step > 0 AND ledger.amount <> answers.amount) OR lower(stated_platform) <> lower(platform_order_no))`,
      (cells) => {
        const entry = rowOfCells(cells)
        const multiplicity = Number(cells[rowColumns.at.multiplicity])
        // Only the first row was queried.
        const side = multiplicity > 1 ? this.sideOf(entry) : sideOf(entry, cells.slice(rowColumns.count))
        return {entry, side, isShared: multiplicity > 0}
      },
    )
  }

  stillOpen(): Generator<{readonly entry: BookedRow; readonly side: ServiceSide}> {
    const open = `multiplicity = 0 AND next_step = 0 AND answers.status = ${statuses.indexOf('open')}`
    return this.pages('JOIN', open, (cells) => {
      const entry = rowOfCells(cells)
      return {entry, side: {is: 'found', order: orderOf(entry, cells.slice(rowColumns.count))}}
    })
  }

  /** The first rows that are not booked, of orders that the service was not paid for. */
  unpaid(): Generator<BookedRow> {
    const where = `multiplicity = 0 AND ledger.status <> 0 AND answers.status IN (1, 2)`
    return this.pages('JOIN', where, rowOfCells)
  }

  /** Rows of payouts that are failed, where the service does not say the same of that one row. */
  failedAlone(): Generator<BookedRow> {
    const failed = statuses.indexOf('failed')
    const where = `ledger.kind = ${orderKinds.indexOf('payout')} AND ledger.status = ${failed}
      AND (multiplicity > 0 OR answers.status IS NOT ${failed})`
    return this.pages('LEFT JOIN', where, rowOfCells)
  }

  /** Orders whose absence a bare 404 said. */
  bare(where: string): Generator<StagedOrder> {
    this.indexOnce()
    return this.pages('JOIN', `state = 'absent' AND source IS NOT NULL AND ${where}`, (cells) =>
      this.ledger.orderOf(cells),
    )
  }

  candidates(): Generator<ServiceOrder> {
    return this.pages('JOIN', 'next_step = 2', (cells) => {
      return orderOf(nameOfCells(cells), cells.slice(rowColumns.count))
    })
  }

  countCandidates(): number {
    const [[count] = []] = this.db.ask('SELECT count(*) FROM answers WHERE next_step = 2')
    return Number(count)
  }

  /** How many orders of a kind, failed rows aside, the service knows and does not know. */
  countKnown(kind: OrderKind): {readonly known: number; readonly unknown: number} {
    const [[known, unknown] = []] = this.db.ask(
      `SELECT sum(state = 'found'), sum(state = 'absent' AND ledger.status <> ?)
       FROM answers JOIN ledger ON ledger.id = row WHERE answers.kind = ?`,
      ...[statuses.indexOf('failed'), orderKinds.indexOf(kind)],
    )
    return {known: Number(known), unknown: Number(unknown)}
  }

  /** Null if the order is not in the ledger, or has no answer. */
  sideOf(order: Pick<StagedOrder, 'kind' | 'orderNo'>): ServiceSide | null {
    const row = this.ledger.rowOf(order)
    if (row === null) return null
    const [cells] = this.db.ask(`SELECT ${columns} FROM answers WHERE row = ?`, row)
    return cells === undefined ? null : sideOf(order, cells)
  }

  isKnown(platformOrderNo: string): boolean {
    this.indexOnce()
    return this.db.ask('SELECT 1 FROM answers WHERE platform_order_no = ?', platformOrderNo).length > 0
  }

  /** Whether a row has this order as paid, whatever its number. */
  hasPaid({kind, platformOrderNo}: ServiceOrder): boolean {
    if (platformOrderNo === '') return false
    this.indexOnce()
    const sql = 'SELECT 1 FROM answers WHERE platform_order_no = ? AND kind = ? AND status = 0'
    return this.db.ask(sql, platformOrderNo, orderKinds.indexOf(kind)).length > 0
  }

  /** The platform IDs of this number: two if a deposit and a payout share it. */
  platformOrderNosOf(orderNo: string): string[] {
    return orderKinds.flatMap((kind) => {
      const side = this.sideOf({kind, orderNo})
      return side?.is === 'found' ? [side.order.platformOrderNo] : []
    })
  }

  /**
   * Joins numbers for which the service answers with the same platform number, as completed: it is paid once. Call it
   * after all answers are put. Returns those on which both sides agreed separately.
   */
  joinSameOrders(): Answered[] {
    this.indexOnce()
    this.db.exec(joinSameOrders)
    const isAgreed = 'next_step = 0 AND row IN (SELECT row FROM same_order)'
    const found = [...this.pages('JOIN', isAgreed, (cells) => this.answeredOf(cells))]
    this.db.exec(decideSameOrders)
    return found
  }

  /** The sum that the service calls completed, of a kind; an order with two numbers counts once. */
  completed(kind: OrderKind): Paisa {
    const question = `SELECT ${sumColumns} FROM answers WHERE status = 0 AND kind = ?
      AND row NOT IN (SELECT row FROM same_order WHERE row <> first_row)`
    return sumOf(this.db.ask(question, orderKinds.indexOf(kind)))
  }

  /** Indexes all answers at once, before the first question that needs it. */
  indexOnce(): void {
    if (!this.isIndexed)
      this.db.exec('CREATE INDEX answers_by_platform ON answers (platform_order_no, kind, status)')
    this.isIndexed = true
  }

  private pages<T>(join: 'JOIN' | 'LEFT JOIN', where: string, read: (cells: Cells) => T): Generator<T> {
    return this.ledger.pages(`${join} answers ON row = ledger.id`, where, read, `, ${columns}`)
  }
}

const joinSameOrders = `
  INSERT INTO same_order
    SELECT ledger.kind, order_no, row, first_row FROM (
      SELECT platform_order_no AS platform, kind AS of_kind, min(row) AS first_row FROM answers
        WHERE status = 0 AND platform_order_no <> '' GROUP BY platform_order_no, kind HAVING count(*) > 1
    ) JOIN answers ON platform_order_no = platform AND answers.kind = of_kind AND answers.status = 0
      JOIN ledger ON ledger.id = row;
`
const decideSameOrders = `
  UPDATE answers SET next_step = 1 WHERE row IN (SELECT row FROM same_order);
  UPDATE ledger SET multiplicity = 1 + (ledger.id <> first_row) FROM same_order
    WHERE ledger.order_no = same_order.order_no AND ledger.kind = same_order.kind;
`

const nothing = {
  ...{status: null, rawStatus: null, amount: null},
  ...{platformOrderNo: null, sentAmount: null, source: null},
}

function toldBy(side: ServiceSide) {
  if (side.is !== 'found')
    return {...nothing, source: side.is === 'no_answer' || side.isBare ? JSON.stringify(side) : null}
  const {status, rawStatus, amount, platformOrderNo, sentAmount = null} = side.order
  const source = side.takenFrom ? JSON.stringify(side.takenFrom) : null
  return {status: statuses.indexOf(status), rawStatus, amount, platformOrderNo, sentAmount, source}
}

function sideOf(order: Pick<StagedOrder, 'kind' | 'orderNo'>, cells: Cells): ServiceSide | null {
  const source = cells[at.source] ?? null
  switch (cells[at.state] as ServiceSide['is'] | null) {
    case null:
      return null
    case 'absent':
      return source === null ? {is: 'absent'} : {is: 'absent', isBare: true}
    case 'no_answer':
      return JSON.parse(String(source)) as ServiceSide
    case 'found': {
      const found = {is: 'found', order: orderOf(order, cells)} as const
      return source === null ? found : {...found, takenFrom: JSON.parse(String(source)) as TakenFrom}
    }
  }
}

function orderOf({kind, orderNo}: Pick<StagedOrder, 'kind' | 'orderNo'>, cells: Cells): ServiceOrder {
  return {
    ...{kind, orderNo},
    platformOrderNo: String(cells[at.platformOrderNo]),
    status: statuses[Number(cells[at.status])] ?? 'unknown_status',
    rawStatus: String(cells[at.rawStatus]),
    amount: cells[at.amount] as Paisa | null,
    ...(cells[at.sentAmount] != null && {sentAmount: cells[at.sentAmount] as Paisa}),
  }
}
