import type {Dialect} from '../../core/dialect.ts'
import type {Delivery, ServiceOrder} from '../../core/order.ts'
import {type Joined, type JoinSource, joinRecords} from '../../core/reconcile/join.ts'
import type {OddRecord} from '../../staging/records.ts'
import type {Staging} from '../../staging/staging.ts'

/** The part of the staging store that joining needs. */
export type StagedRecords = Pick<Staging, 'ledger' | 'records' | 'answers'>

/** Finds the delivery records of an order, whether it has a row or not. */
export class JoinedRecords implements JoinSource {
  private readonly staging: StagedRecords
  private readonly join: Dialect['deliveryJoin']
  /** The platform's IDs of orders without a row; then the same by order number. */
  private readonly missing = new Set<string>()
  private readonly missingByNumber = new Map<string, ReadonlySet<string>>()
  /** Numbers that another order with an unknown platform ID has too. */
  private readonly shared = new Set<string>()

  constructor(staging: StagedRecords, join: Dialect['deliveryJoin']) {
    this.staging = staging
    this.join = join
  }

  /** Makes an order without a row known, so that its records are not attributed to another. */
  addOrder({orderNo, platformOrderNo}: ServiceOrder): void {
    this.missing.add(platformOrderNo)
    const others = this.missingByNumber.get(orderNo) ?? []
    this.missingByNumber.set(orderNo, new Set([...others, platformOrderNo]))
  }

  /** Marks a number that another order with an unknown platform ID has too. */
  share(orderNo: string): void {
    this.shared.add(orderNo)
  }

  of(order: ServiceOrder): Joined {
    return joinRecords(order, this.join, this)
  }

  /** Records of any event, by either key, because any may have reached the merchant's server. */
  anyOf({orderNo, platformOrderNo}: ServiceOrder): readonly Delivery[] {
    const {records} = this.staging
    const byNumber = records.byNumber(orderNo).filter(({orderId}) => !this.isKnown(orderId))
    return [...records.byOrderId(platformOrderNo), ...byNumber]
  }

  /** Malformed records that may be this order's. */
  oddOf(order: ServiceOrder): readonly OddRecord[] {
    const {platformOrderNo} = order
    return this.staging.records
      .oddOf(order)
      .filter(({orderId}) => orderId === null || orderId === platformOrderNo || !this.isKnown(orderId))
  }

  recordsByNumber(merchantOrderId: string): readonly Delivery[] {
    return this.staging.records.byNumber(merchantOrderId)
  }

  recordsByOrderId(orderId: string): readonly Delivery[] {
    return this.staging.records.byOrderId(orderId)
  }

  isKnown(platformOrderNo: string): boolean {
    return this.missing.has(platformOrderNo) || this.staging.answers.isKnown(platformOrderNo)
  }

  /** True also without an answer for one of them, or if one is on an unreadable row. */
  isShared(orderNo: string): boolean {
    if (this.shared.has(orderNo) || this.staging.ledger.isShared(orderNo)) return true
    const others = this.missingByNumber.get(orderNo)
    if (others === undefined) return false
    return new Set([...this.staging.answers.platformOrderNosOf(orderNo), ...others]).size > 1
  }
}
