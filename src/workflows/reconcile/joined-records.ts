import type {Dialect} from '../../core/dialect.ts'
import type {Delivery, ServiceOrder} from '../../core/order.ts'
import {type Joined, type JoinSource, joinRecords} from '../../core/reconcile/join.ts'
import type {OddRecord} from '../../staging/records.ts'
import type {Worksheet} from '../../staging/staging.ts'

/** The part of a worksheet that joining needs. */
export type RecordSheet = Pick<Worksheet, 'ledger' | 'records' | 'answers'>

/** The delivery records of any order: one of the ledger, or one that no row names and the service knows. */
export class JoinedRecords implements JoinSource {
  private readonly sheet: RecordSheet
  private readonly join: Dialect['deliveryJoin']
  /** The platform's IDs of orders that no row names, and by their numbers. */
  private readonly unnamed = new Set<string>()
  private readonly unnamedByNumber = new Map<string, ReadonlySet<string>>()
  /** Numbers that another order has, too, whose platform's ID nobody knows. */
  private readonly shared = new Set<string>()

  constructor(sheet: RecordSheet, join: Dialect['deliveryJoin']) {
    this.sheet = sheet
    this.join = join
  }

  /** Makes an order known that no row names, so that no record of its is given to another one. */
  addOrder({orderNo, platformOrderNo}: ServiceOrder): void {
    this.unnamed.add(platformOrderNo)
    const others = this.unnamedByNumber.get(orderNo) ?? []
    this.unnamedByNumber.set(orderNo, new Set([...others, platformOrderNo]))
  }

  /** Says of a number that another order has it too, whose platform's ID nobody knows. */
  share(orderNo: string): void {
    this.shared.add(orderNo)
  }

  of(order: ServiceOrder): Joined {
    return joinRecords(order, this.join, this)
  }

  /** Records that may be this order's and are not as documented. */
  oddOf(order: ServiceOrder): readonly OddRecord[] {
    const {platformOrderNo} = order
    return this.sheet.records
      .oddOf(order)
      .filter(({orderId}) => orderId === null || orderId === platformOrderNo || !this.isKnown(orderId))
  }

  recordsByNumber(merchantOrderId: string): readonly Delivery[] {
    return this.sheet.records.byNumber(merchantOrderId)
  }

  recordsByOrderId(orderId: string): readonly Delivery[] {
    return this.sheet.records.byOrderId(orderId)
  }

  isKnown(platformOrderNo: string): boolean {
    return this.unnamed.has(platformOrderNo) || this.sheet.answers.isKnown(platformOrderNo)
  }

  /** Also where the service did not answer for both, or one stands on a row that cannot be read. */
  isShared(orderNo: string): boolean {
    if (this.shared.has(orderNo) || this.sheet.ledger.isShared(orderNo)) return true
    const others = this.unnamedByNumber.get(orderNo)
    if (others === undefined) return false
    return new Set([...this.sheet.answers.platformOrderNosOf(orderNo), ...others]).size > 1
  }
}
