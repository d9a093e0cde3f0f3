import {randomBytes, randomUUID} from 'node:crypto'
import type {DatabaseSync} from 'node:sqlite'

import type {Dialect} from '../core/dialect.ts'
import {formatPaisa, type Paisa} from '../core/money.ts'
import type {PayoutChannel} from '../core/order.ts'
import {escapeInvisible} from '../core/text.ts'
import {Refusal, refuseUnknownOrder} from './answers.ts'
import type {Clock} from './clock.ts'
import type {Log} from './events.ts'
import type {MerchantsById, SandboxMerchant} from './merchants.ts'
import {testSms} from './sms/message.ts'
import {transact} from './store/database.ts'
import type {DeliveryStore} from './store/deliveries.ts'
import type {GroupCommit} from './store/group-commit.ts'
import type {NewDeposit, NewPayout, OrderStore, StoredDeposit, StoredPayout} from './store/orders.ts'
import type {SmsStore} from './store/sms.ts'
import {composeWebhook, eventOf} from './webhook.ts'
import {wordOf} from './words.ts'

export interface OrderServiceParts {
  readonly db: DatabaseSync
  readonly orders: OrderStore
  readonly deliveries: DeliveryStore
  readonly sms: SmsStore
  readonly merchants: MerchantsById
  readonly dialect: Dialect
  readonly clock: Clock
  readonly log: Log
  /** Lifetime of an unpaid deposit; null: no limit. */
  readonly depositLifetimeMs: number | null
  readonly onDelivery: (url: string, dueAtMs: number) => void
  readonly onExpiring: (atMs: number) => void
  /** Delay before an order's webhook is first sent. */
  readonly lateMs: (orderNo: string) => number
  /** Called once the current transaction is stored. */
  readonly afterCommit: GroupCommit['afterCommit']
}

export type DepositOrder = Omit<
  NewDeposit,
  'merchantId' | 'platformOrderNo' | 'payCode' | 'createdAtMs' | 'expiresAtMs'
>
export type PayoutOrder = Omit<NewPayout, 'merchantId' | 'platformOrderNo' | 'createdAtMs'>

/** The payment in the made-up SMS of an `isTest` deposit (service §1). */
const testPayment = {amount: 500_00n, channel: 'BKASH'} as const

export type OrderService = ReturnType<typeof openOrderService>

/** Everything that can happen to an order (service §3). Each is one transaction with its webhook. */
export function openOrderService(parts: OrderServiceParts) {
  const {orders} = parts
  const find = {
    deposit(merchantId: string, orderNo: string): StoredDeposit {
      const order = orders.findDeposit(merchantId, orderNo)
      if (order) return order
      throw refuseUnknownOrder(parts.dialect, orderNo)
    },
    payout(merchantId: string, outOrderNo: string): StoredPayout {
      const order = orders.findPayout(merchantId, outOrderNo)
      if (order) return order
      throw refuseUnknownOrder(parts.dialect, outOrderNo)
    },
  }
  return {
    find,
    findDepositByPayCode: orders.findDepositByPayCode,
    readBalance: orders.readBalance,
    createDeposit: (merchant: SandboxMerchant, request: DepositOrder) =>
      createDeposit(parts, merchant, request),
    createPayout: (merchant: SandboxMerchant, request: PayoutOrder) => createPayout(parts, merchant, request),

    /**
     * Each of the four returns the id of the delivery record. Throws `Refusal` 404 or 409. `alongside` runs in the
     * same transaction.
     */
    payDeposit(
      merchantId: string,
      orderNo: string,
      amount: Paisa,
      channel: PayoutChannel,
      alongside?: () => unknown,
    ): string {
      const order = find.deposit(merchantId, orderNo)
      return finishOrder(parts, order, (atMs) => {
        if (!orders.completeDeposit(order, amount, channel, atMs)) return false
        alongside?.()
        return true
      })
    },
    expireDeposit(merchantId: string, orderNo: string): string {
      const order = find.deposit(merchantId, orderNo)
      return finishOrder(parts, order, (atMs) => orders.failDeposit(order, atMs))
    },
    completePayout(merchantId: string, outOrderNo: string): string {
      const order = find.payout(merchantId, outOrderNo)
      return finishOrder(parts, order, (atMs) => orders.finishPayout(order, 'completed', atMs))
    },
    /** The reserved amount returns to the balance. */
    rejectPayout(merchantId: string, outOrderNo: string): string {
      const order = find.payout(merchantId, outOrderNo)
      return finishOrder(parts, order, (atMs) => {
        if (!orders.finishPayout(order, 'failed', atMs)) return false
        orders.giveBack(merchantId, order.amount)
        return true
      })
    },
  }
}

/** A repeated number returns the order it made, whatever else the request says (service §4.1). */
function createDeposit(
  parts: OrderServiceParts,
  merchant: SandboxMerchant,
  request: DepositOrder,
): StoredDeposit {
  const {db, orders, sms, clock, log, depositLifetimeMs, afterCommit} = parts
  const {merchantId} = merchant
  const known = orders.findDeposit(merchantId, request.orderNo)
  if (known) return known
  const createdAtMs = clock.now()
  const created: NewDeposit = {
    ...request,
    merchantId,
    platformOrderNo: randomUUID(),
    payCode: randomBytes(9).toString('base64url'),
    createdAtMs,
    expiresAtMs: depositLifetimeMs === null ? null : createdAtMs + depositLifetimeMs,
  }
  const deposit: StoredDeposit = {...created, kind: 'deposit', state: 'open', amount: null, chosen: null}
  const {orderNo, platformOrderNo} = created
  if (!request.isTest) {
    orders.insertDeposit(created)
    afterCommit(() => {
      log({type: 'order_created', kind: 'deposit', orderNo, platformOrderNo})
      if (created.expiresAtMs) parts.onExpiring(created.expiresAtMs)
    })
    return deposit
  }
  const {amount, channel} = testPayment
  const paid = transact(db, () => {
    const seq = orders.insertDeposit(created)
    sms.insert(testSms(seq, request.playerPhone, testPayment, createdAtMs))
    return moveOrder(parts, deposit, (atMs) => orders.completeDeposit(deposit, amount, channel, atMs))
  })
  afterCommit(() => log({type: 'order_created', kind: 'deposit', orderNo, platformOrderNo}))
  announce(parts, paid)
  return deposit
}

/** Order and balance change together. A repeated number returns the order as it is now. */
function createPayout(
  parts: OrderServiceParts,
  merchant: SandboxMerchant,
  request: PayoutOrder,
): StoredPayout {
  const {db, orders, clock, log, afterCommit} = parts
  const {merchantId} = merchant
  const known = orders.findPayout(merchantId, request.orderNo)
  if (known) return known
  const created: NewPayout = {
    ...request,
    merchantId,
    platformOrderNo: randomUUID(),
    createdAtMs: clock.now(),
  }
  transact(db, () => {
    if (!orders.reserve(merchantId, request.amount)) {
      throw new Refusal(
        400,
        'INSUFFICIENT_BALANCE',
        `The balance is below ${formatPaisa(request.amount)}.`,
        'Nothing was paid out: the same outOrderNo can be used again once there is money.',
      )
    }
    orders.insertPayout(created)
  })
  const {orderNo, platformOrderNo} = created
  afterCommit(() => log({type: 'order_created', kind: 'payout', orderNo, platformOrderNo}))
  return {...created, kind: 'payout', state: 'open'}
}

type Order = StoredDeposit | StoredPayout

function finishOrder(parts: OrderServiceParts, order: Order, move: (atMs: number) => boolean): string {
  const moved = transact(parts.db, () => moveOrder(parts, order, move))
  announce(parts, moved)
  return moved.deliveryId
}

/** Runs inside a transaction: the new state and its webhook. */
function moveOrder(parts: OrderServiceParts, order: Order, move: (atMs: number) => boolean) {
  const {orders, deliveries, merchants, dialect, clock} = parts
  const atMs = clock.now()
  const {kind, merchantId, orderNo} = order
  const merchant = merchants.get(merchantId)
  const find = kind === 'deposit' ? orders.findDeposit : orders.findPayout
  const finished = move(atMs) ? find(merchantId, orderNo) : null
  if (!merchant || !finished) throw refuseFinished(order, dialect)
  const deliveryId = randomUUID()
  const dueAtMs = atMs + parts.lateMs(orderNo)
  deliveries.insert({
    id: deliveryId,
    merchantId,
    orderId: order.platformOrderNo,
    merchantOrderId: orderNo,
    url: order.returnUrl,
    event: eventOf(finished),
    payload: composeWebhook(finished, merchant, dialect),
    createdAtMs: atMs,
    dueAtMs,
  })
  return {order: finished, deliveryId, dueAtMs}
}

/** After the transaction: only stored rows are reported. */
function announce(
  {log, onDelivery, afterCommit}: OrderServiceParts,
  {order, dueAtMs}: {order: Order; dueAtMs: number},
): void {
  const {kind, orderNo, platformOrderNo, state, amount} = order
  afterCommit(() => {
    log({type: 'order_finished', kind, orderNo, platformOrderNo, state, amount})
    onDelivery(order.returnUrl, dueAtMs)
  })
}

function refuseFinished(order: Order, dialect: Dialect): Refusal {
  return new Refusal(
    409,
    'ORDER_NOT_OPEN',
    `The ${order.kind} ${escapeInvisible(order.orderNo, 80)} is ${wordOf(dialect, order.kind, order.state)} already.`,
    'An order is finished once; make another.',
  )
}
