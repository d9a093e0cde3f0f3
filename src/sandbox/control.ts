import type {Dialect} from '../core/dialect.ts'
import type {Paisa} from '../core/money.ts'
import type {PayoutChannel} from '../core/order.ts'
import {sandboxMerchantId} from '../core/profile.ts'
import {Refusal, refuseField} from './answers.ts'
import {showAttempt} from './attempt-view.ts'
import {type Clock, latestMs} from './clock.ts'
import type {DeliveryEngine} from './deliveries.ts'
import {type DeliveryRecord, showDelivery, showDeliveryDetail} from './delivery-record.ts'
import type {MerchantsById} from './merchants.ts'
import type {OrderService} from './order-service.ts'
import type {PayService} from './pay-service.ts'
import {openSmsControl} from './sms/control.ts'
import type {SmsInbox} from './sms/inbox.ts'
import type {DeliveryStore} from './store/deliveries.ts'
import type {AttemptStore} from './store/delivery-attempts.ts'
import type {DeliveryList} from './store/delivery-list.ts'
import type {SmsStore} from './store/sms.ts'

/** A day in 1.5 s. If it were faster, two retries could have the same time. */
const timeScaleMax = 60_000

export interface PaymentOptions {
  readonly channel?: PayoutChannel
  readonly merchantId?: string
}

export interface ControlParts {
  readonly orderService: OrderService
  readonly engine: DeliveryEngine
  readonly deliveries: DeliveryStore
  readonly attempts: AttemptStore
  readonly dialect: Dialect
  readonly inbox: SmsInbox
  readonly payService: PayService
  readonly sms: SmsStore
  readonly list: DeliveryList
  readonly merchants: MerchantsById
  readonly clock: Clock
}

export type SandboxControl = ReturnType<typeof openControl>

/**
 * What the players, the payout desk and time do. Without a `merchantId` it is the demonstration merchant.
 *
 * The four that finish an order have stored it when the call returns. The promise resolves with the webhook's record
 * after its first attempt, or at once if a fault makes it late. They reject with `Refusal`: 404 no such order, 409
 * already finished.
 */
export function openControl(parts: ControlParts) {
  const {orderService, engine, deliveries, attempts, list, inbox, payService, sms, merchants} = parts
  const {clock, dialect} = parts
  const afterFirstAttempt = async (deliveryId: string): Promise<DeliveryRecord> => {
    // A late webhook may be due only when somebody moves the clock.
    if ((deliveries.find(deliveryId)?.dueAtMs ?? 0) <= clock.now()) await engine.attempted(deliveryId)
    const delivery = deliveries.find(deliveryId)
    if (delivery) return showDelivery(delivery)
    throw new Error(`the delivery record ${deliveryId} is gone`)
  }
  let moves: Promise<unknown> = Promise.resolve()
  // One move at a time: two at once would run each other's alarms out of order.
  const advance = (target: () => number): Promise<number> => {
    const move = moves.then(async () => {
      await engine.idle()
      const before = engine.attemptsEnded
      await clock.advanceTo(requireForward(target(), clock))
      return engine.attemptsEnded - before
    })
    moves = move.catch(() => {})
    return move
  }
  return {
    ...openSmsControl({inbox, payService, sms, afterFirstAttempt}),
    async payDeposit(
      orderNo: string,
      amount: Paisa,
      {channel = 'BKASH', merchantId = sandboxMerchantId}: PaymentOptions = {},
    ) {
      if (amount <= 0n) throw refuseField('amount', 'above zero')
      return await afterFirstAttempt(orderService.payDeposit(merchantId, orderNo, amount, channel))
    },
    expireDeposit: async (orderNo: string, merchantId = sandboxMerchantId) =>
      await afterFirstAttempt(orderService.expireDeposit(merchantId, orderNo)),
    completePayout: async (outOrderNo: string, merchantId = sandboxMerchantId) =>
      await afterFirstAttempt(orderService.completePayout(merchantId, outOrderNo)),
    rejectPayout: async (outOrderNo: string, merchantId = sandboxMerchantId) =>
      await afterFirstAttempt(orderService.rejectPayout(merchantId, outOrderNo)),
    /** Every delivery record of a merchant, oldest first (service §4.6). */
    deliveries: (merchantId = sandboxMerchantId) => list.readAll(merchantId).map(showDeliveryDetail),
    /** Every attempt at a delivery, in order, explained. Throws `Refusal` 404. */
    attempts(deliveryId: string) {
      const delivery = deliveries.find(deliveryId)
      if (!delivery) {
        throw new Refusal(404, 'WEBHOOK_NOT_FOUND', 'No such delivery.', 'Take the id from the list.')
      }
      const merchant = merchants.get(delivery.merchantId)
      return attempts
        .ofDelivery(deliveryId)
        .map((attempt) => showAttempt(attempt, delivery, merchant, dialect))
    },
    /** What can still be paid out. */
    balance(merchantId = sandboxMerchantId) {
      if (merchants.has(merchantId)) return orderService.readBalance(merchantId)
      throw new Refusal(404, 'MERCHANT_UNKNOWN', 'No such merchant.', 'Check merchantId.')
    },
    now: () => clock.now(),
    timeScale: () => clock.timeScale,
    setTimeScale(timeScale: number) {
      if (!Number.isFinite(timeScale) || timeScale < 0 || timeScale > timeScaleMax) {
        throw refuseField('timeScale', `a number from 0 (stopped) to ${timeScaleMax}`)
      }
      clock.setTimeScale(timeScale)
      engine.wake()
    },
    /** Never back. Resolves with the number of attempts made, after every retry due until then has run. */
    advanceTo: (ms: number) => advance(() => ms),
    advanceBy: (ms: number) => advance(() => clock.now() + ms),
    idle: () => engine.idle(),
  }
}

function requireForward(ms: number, clock: Clock): number {
  if (Number.isSafeInteger(ms) && ms >= clock.now() && ms <= latestMs) return ms
  const [from, to] = [clock.now(), latestMs].map((end) => new Date(end).toISOString())
  throw refuseField('time', `whole milliseconds, from ${from} to ${to}: time moves forward only`)
}
