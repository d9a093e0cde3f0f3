import type {Dialect} from '../dialect.ts'
import type {Delivery, ServiceOrder} from '../order.ts'
import {foldOrderNo} from '../order-no-fold.ts'
import {escapeInvisible} from '../text.ts'

/** An order's records, and where the two ways of joining disagree (A9). */
export interface Joined {
  readonly records: readonly Delivery[]
  readonly disagreements: readonly string[]
}

/** The records that were read, and the orders that are known. */
export interface JoinSource {
  recordsByNumber(merchantOrderId: string): readonly Delivery[]
  recordsByOrderId(orderId: string): readonly Delivery[]
  isKnown(platformOrderNo: string): boolean
  /** Whether a deposit and a payout share this number, known or not. */
  isShared(orderNo: string): boolean
}

/**
 * The delivery records of a known order: by the platform's ID first, by the merchant's number second (A9), or by the
 * setting's keys. Records with the number that were not joined are reported.
 *
 * A deposit and a payout may share a merchant number. A record with another known order's `order_id` belongs to that
 * order; one with an unknown `order_id` belongs to nobody, because resending it for one order could credit the other.
 */
export function joinRecords(order: ServiceOrder, join: Dialect['deliveryJoin'], source: JoinSource): Joined {
  const isShared = source.isShared(order.orderNo)
  const carrying = join.includes('merchant_order_id') ? source.recordsByNumber(order.orderNo) : []
  const nobodys = carrying.filter(
    ({orderId}) => orderId !== order.platformOrderNo && (isShared || source.isKnown(orderId)),
  )
  const own = carrying.filter((record) => !nobodys.includes(record))
  // It has this order's number and another's ID, which has a different number: nobody knows whose it is.
  const crossed = isShared ? [] : nobodys
  for (const key of join) {
    const found = key === 'merchant_order_id' ? own : source.recordsByOrderId(order.platformOrderNo)
    if (found.length === 0) continue
    const ids = new Set(found.map(({id}) => id))
    const others = [...own, ...crossed].filter(({id}) => !ids.has(id))
    // A record that was taken or is still retried speaks against a resend, whatever its order_id.
    const isGivenUp = ({status, nextRetryAt}: Delivery) => status === 'failed' && nextRetryAt === null
    const left = others.filter(isGivenUp)
    const records = [...found, ...others.filter((record) => !isGivenUp(record))]
    return {
      records,
      disagreements: [...records.flatMap((record) => disagreementsOf(order, record)), ...left.map(leftAside)],
    }
  }
  const leftOver = isShared ? nobodys.filter(({orderId}) => !source.isKnown(orderId)) : []
  return {records: [], disagreements: [...leftOver.map(leftOut), ...crossed.map(leftAside)]}
}

/**
 * Why a resend of a record could not be told from one of another order, as a sentence, or null: the journal knows a resend
 * by `order_id` and event.
 */
export function whyNoOwnId(
  {orderId, merchantOrderId}: Delivery,
  others: Iterable<Pick<Delivery, 'orderId' | 'merchantOrderId'>>,
): string | null {
  if (orderId.trim() === '') return 'Its delivery record has no order_id.'
  const isAnother = (number: string) => number !== '' && foldOrderNo(number) !== foldOrderNo(merchantOrderId)
  for (const other of others)
    if (other.orderId === orderId && isAnother(other.merchantOrderId))
      return `Its order_id is also that of ${escapeInvisible(other.merchantOrderId, 40)}.`
  return null
}

/** What does not fit between a record and its order, as a sentence, or empty (A9). */
export function disagreementsOf(
  order: Pick<ServiceOrder, 'orderNo' | 'platformOrderNo'>,
  record: Delivery,
): string[] {
  const parts: string[] = []
  const shown = (text: string) => escapeInvisible(text, 60)
  if (record.orderId !== order.platformOrderNo) {
    parts.push(
      `its order_id ${shown(record.orderId)} is not the order's platformOrderNo ${shown(order.platformOrderNo)}`,
    )
  }
  if (record.merchantOrderId !== order.orderNo) {
    parts.push(
      `its merchant_order_id ${shown(record.merchantOrderId)} is not the order's number ${shown(order.orderNo)}`,
    )
  }
  return parts.length > 0 ? [`Delivery record ${record.id} was joined although ${parts.join(' and ')}.`] : []
}

function leftOut({id, orderId}: Delivery): string {
  return `Delivery record ${id} carries its number, but a deposit and a payout share that number and the record's order_id ${escapeInvisible(orderId, 60)} is neither's, so it was left out.`
}

function leftAside({id, orderId}: Delivery): string {
  return `Delivery record ${id} carries its number, but the record's order_id ${escapeInvisible(orderId, 60)} is another, so it was left out.`
}
