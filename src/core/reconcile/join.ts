import type {Dialect} from '../dialect.ts'
import type {Delivery, ServiceOrder} from '../order.ts'
import {visible} from '../text.ts'

/** An order's records and where the two ways of joining disagree (A9). */
export interface Joined {
  readonly records: readonly Delivery[]
  readonly disagreements: readonly string[]
}

/**
 * Finds the delivery records of an order: by the merchant's number first, by the platform's ID second (A9).
 *
 * A deposit and a payout may carry the same merchant number; a record whose `order_id` is another known
 * order's belongs to that one, and a record whose `order_id` is neither's belongs to nobody: resending it for
 * the one could credit the other.
 */
export class DeliveryIndex {
  private readonly byMerchantOrderId = new Map<string, Delivery[]>()
  private readonly byOrderId = new Map<string, Delivery[]>()
  private readonly platformOrderNos = new Set<string>()
  /** Platform ids by merchant number: more than one where a deposit and a payout share it. */
  private readonly sharing = new Map<string, Set<string>>()
  /** Numbers a deposit and a payout share of which not both are known. */
  private readonly shared = new Set<string>()
  private readonly join: Dialect['deliveryJoin']

  constructor(join: Dialect['deliveryJoin']) {
    this.join = join
  }

  add(record: Delivery): void {
    push(this.byMerchantOrderId, record.merchantOrderId, record)
    push(this.byOrderId, record.orderId, record)
  }

  /** Makes an order known, so that no record of its is given to another one. */
  addOrder(order: ServiceOrder): void {
    this.platformOrderNos.add(order.platformOrderNo)
    const ids = this.sharing.get(order.orderNo) ?? new Set()
    this.sharing.set(order.orderNo, ids.add(order.platformOrderNo))
  }

  /** Says of a number that another order has it too, whose platform id nobody knows. */
  share(orderNo: string): void {
    this.shared.add(orderNo)
  }

  recordsOf(order: ServiceOrder): Joined {
    for (const key of this.join) {
      const found =
        key === 'merchant_order_id' ? this.byNumber(order) : this.byOrderId.get(order.platformOrderNo)
      if (found?.length)
        return {records: found, disagreements: found.flatMap((record) => disagreementsOf(order, record))}
    }
    return {records: [], disagreements: this.nobodysOf(order).map(leftOut)}
  }

  private byNumber(order: ServiceOrder): Delivery[] {
    const isShared = this.isShared(order)
    return (this.byMerchantOrderId.get(order.orderNo) ?? []).filter(
      ({orderId}) => orderId === order.platformOrderNo || (!isShared && !this.platformOrderNos.has(orderId)),
    )
  }

  private nobodysOf(order: ServiceOrder): Delivery[] {
    if (!this.isShared(order) || !this.join.includes('merchant_order_id')) return []
    const records = this.byMerchantOrderId.get(order.orderNo) ?? []
    return records.filter(({orderId}) => !this.platformOrderNos.has(orderId))
  }

  private isShared({orderNo}: ServiceOrder): boolean {
    return this.shared.has(orderNo) || (this.sharing.get(orderNo)?.size ?? 0) > 1
  }
}

/** What of a record does not fit the order it was joined to, as a sentence; empty where all does (A9). */
export function disagreementsOf(
  order: Pick<ServiceOrder, 'orderNo' | 'platformOrderNo'>,
  record: Delivery,
): string[] {
  const parts: string[] = []
  const shown = (text: string) => visible(text, 60)
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
  return `Delivery record ${id} carries its number, but a deposit and a payout share that number and the record's order_id ${visible(orderId, 60)} is neither's, so it was left out.`
}

function push(index: Map<string, Delivery[]>, key: string, record: Delivery): void {
  const known = index.get(key)
  if (known) known.push(record)
  else index.set(key, [record])
}
