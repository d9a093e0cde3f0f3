import {formatPaisa, parsePaisa} from '../../src/core/money.ts'
import type {KnownOrder, WireRecord} from './fast-service.ts'

/** What a group of orders is on both sides, and what must be said of it. The rest of the ledger agrees. */
interface Breaks {
  readonly said: string
  readonly count: number
  readonly ledger: string
  /** Null where the service does not know the order. */
  readonly service: string | null
  /** Paisa the service has more than the ledger. */
  readonly more?: bigint
  readonly delivery: 'delivered' | 'exhausted' | 'none'
}

// biome-ignore format: one line a group reads as a table
export const breaks: readonly Breaks[] = [
  {said: 'missing_completion delivery_exhausted resend', count: 90, ledger: 'open', service: 'completed', delivery: 'exhausted'},
  {said: 'missing_completion delivered_not_booked review', count: 40, ledger: 'open', service: 'completed', delivery: 'delivered'},
  {said: 'missing_completion no_delivery_record review', count: 20, ledger: 'failed', service: 'completed', delivery: 'none'},
  {said: 'amount_mismatch  review', count: 60, ledger: 'completed', service: 'completed', more: 1n, delivery: 'delivered'},
  {said: 'status_mismatch booked_but_failed review', count: 30, ledger: 'completed', service: 'failed', delivery: 'none'},
  {said: 'status_mismatch booked_but_open review', count: 25, ledger: 'completed', service: 'processing', delivery: 'none'},
  {said: 'missing_at_provider booked review', count: 50, ledger: 'completed', service: null, delivery: 'none'},
  {said: 'unknown_status  review', count: 15, ledger: 'completed', service: 'SETTLED', delivery: 'none'},
  {said: 'in_flight  wait', count: 35, ledger: 'open', service: 'pending', delivery: 'none'},
  {said: 'missing_in_ledger delivery_exhausted resend', count: 9, ledger: 'no row', service: 'completed', delivery: 'exhausted'},
  {said: 'unreadable_row amount_unreadable review', count: 12, ledger: 'damaged', service: 'completed', delivery: 'none'},
]

const agreed: Omit<Breaks, 'count'> = {
  said: 'matched  none',
  ledger: 'completed',
  service: 'completed',
  delivery: 'delivered',
}

/** A ledger of so many rows, the service's side of it, and both totals added up on the way. */
export function playLargeRun(rowsMax: number) {
  const matched =
    rowsMax - breaks.reduce((sum, {count, ledger}) => (ledger === 'no row' ? sum : sum + count), 0)
  const rows: string[] = []
  const orders = new Map<string, KnownOrder>()
  const records: WireRecord[] = []
  let ledgerCompleted = 0n
  let serviceCompleted = 0n
  let serial = 0
  for (const group of spread([...breaks, {...agreed, count: matched}])) {
    serial += 1
    const orderNo = `L-${String(serial).padStart(6, '0')}`
    const platformOrderNo = `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`
    const amount = parsePaisa(`${1 + (serial % 5000)}.${String(serial % 100).padStart(2, '0')}`) ?? 0n
    const paid = amount + (group.more ?? 0n)
    const minute = String(serial % 60).padStart(2, '0')
    if (group.ledger === 'damaged') rows.push(`${orderNo},deposit,completed,1.234,2026-11-20 12:${minute}`)
    else if (group.ledger !== 'no row') {
      rows.push(`${orderNo},deposit,${group.ledger},${formatPaisa(amount)},2026-11-20 12:${minute}`)
    }
    if (group.ledger === 'completed') ledgerCompleted += amount
    // Nothing is said of an order whose row cannot be read, so its amount is on neither side.
    if (group.service === 'completed' && group.ledger !== 'damaged') serviceCompleted += paid
    if (group.service !== null) {
      orders.set(orderNo, {platformOrderNo, status: group.service, amount: formatPaisa(paid)})
    }
    if (group.delivery === 'none') continue
    records.push({
      id: platformOrderNo.replace('-8000-', '-9000-'),
      order_id: platformOrderNo,
      merchant_order_id: orderNo,
      ...(group.delivery === 'delivered'
        ? {status: 'success', response_code: 200, attempts: 1}
        : {status: 'failed', response_code: 503, attempts: 6}),
    })
  }
  const csv = `order_no,kind,status,amount,created_at\n${rows.join('\n')}\n`
  return {csv, matched, orders, records, ledgerCompleted, serviceCompleted}
}

/** The members of all groups, those of a small group spread evenly among those of the largest. */
function spread(groups: readonly Breaks[]): Breaks[] {
  return groups
    .flatMap((group) =>
      Array.from({length: group.count}, (_, index) => ({group, at: (index + 0.5) / group.count})),
    )
    .sort((a, b) => a.at - b.at)
    .map(({group}) => group)
}
