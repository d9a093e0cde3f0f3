import type {DeliveryRecord, Kind, ResendOutcome} from '../fake-service/book.ts'
import type {Json} from '../fake-service/replies.ts'
import type {FakeService} from '../fake-service/service.ts'
import {type LedgerRow, minutesAgo} from './ledger.ts'
import type {Verdict} from './report.ts'

/** What the service says of one delivery of one order. */
export type RecordSketch = Partial<Omit<DeliveryRecord, 'id'>> & {
  readonly onResend?: readonly ResendOutcome[]
}

/** One cell of the tables in docs/verdicts.md: both sides, the delivery evidence, and what hisab must conclude. */
export interface Cell {
  /** Becomes the order number, so it fits into 30 characters. */
  readonly name: string
  /** Undefined: the ledger has no row of this order. */
  readonly ledger?: {readonly status: string; readonly amount?: string}
  /** Undefined: the service does not know the order. */
  readonly provider?: {readonly status: string; readonly amount?: Json}
  readonly records?: readonly RecordSketch[]
  /** `nothing`: the order is nobody's business, not even under --all. */
  readonly verdict: Verdict | 'nothing'
  readonly cause?: string
  readonly action?: 'resend' | 'wait' | 'review' | 'retry'
  /** Which of `records` is resent, by its place; undefined: none of them. */
  readonly resent?: number
}

/** A cell with its order and records in the service's book. */
export interface PlacedCell {
  readonly cell: Cell
  readonly kind: Kind
  readonly orderNo: string
  readonly recordIds: readonly string[]
  readonly row: LedgerRow | undefined
}

/** Puts a cell into the service's book and says which row of the ledger goes with it. */
export function placeCell(cell: Cell, kind: Kind, service: FakeService): PlacedCell {
  const orderNo = `${kind === 'deposit' ? 'd' : 'p'}-${cell.name}`
  if (orderNo.length > 32) throw new Error(`${orderNo} is too long for an order number`)
  const {provider, ledger} = cell
  const recordIds: string[] = []
  if (provider !== undefined) {
    const {status, amount} = provider
    const order = service.book.addOrder({kind, number: orderNo, status, amount})
    for (const record of cell.records ?? []) recordIds.push(service.book.addRecord({order, ...record}).id)
  }
  const row = ledger && {...ledger, order_no: orderNo, kind, created_at: minutesAgo(600)}
  return {cell, kind, orderNo, recordIds, row}
}

/** A day that begins and ends with a matched order, so that every record made in between is inside its window. */
export function boundTheDay(service: FakeService): {readonly first: LedgerRow; readonly last: LedgerRow} {
  const bound = (order_no: string, created_at: string): LedgerRow => {
    service.book.addOrder({kind: 'deposit', number: order_no, status: 'completed', amount: '1.00'})
    return {order_no, kind: 'deposit', status: 'completed', amount: '1.00', created_at}
  }
  return {first: bound('day-begins', minutesAgo(24 * 60)), last: bound('day-ends', minutesAgo(0))}
}

/** The list in an order that is nobody's (A10): the newest record is neither the first nor the last. */
export function scrambleList(service: FakeService): void {
  const rank = (id: string) => (Number(id.slice(-4)) * 7919) % 1009
  service.book.records.sort((left, right) => rank(left.fields.id) - rank(right.fields.id))
}
