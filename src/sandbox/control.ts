import type {Paisa} from '../core/money.ts'
import type {PayoutChannel} from '../core/order.ts'
import {sandboxMerchantId} from '../core/profile.ts'
import {Refusal, refuseField} from './answers.ts'
import {type Clock, isSteppedClock, type SteppedClock} from './clock.ts'
import type {DeliveryEngine} from './deliveries.ts'
import {type DeliveryRecord, showDelivery} from './delivery-record.ts'
import type {MerchantsById} from './merchants.ts'
import type {OrderDesk} from './order-desk.ts'
import type {PayDesk} from './pay-desk.ts'
import {openSmsControl, type SmsControl} from './sms/control.ts'
import type {SmsInbox} from './sms/inbox.ts'
import type {DeliveryStore} from './store/deliveries.ts'
import type {SmsStore} from './store/sms.ts'

/**
 * What the players, the payout desk and time do. Without a `merchantId` it is the demonstration merchant.
 *
 * The four that finish an order have done so, durably, when the call returns; the promise resolves with the
 * webhook's record once its first attempt has ended. They reject with `Refusal`: 404 no such order, 409 finished
 * already.
 */
export interface SandboxControl extends SmsControl {
  payDeposit(orderNo: string, amount: Paisa, payment?: PaymentOptions): Promise<DeliveryRecord>
  expireDeposit(orderNo: string, merchantId?: string): Promise<DeliveryRecord>
  completePayout(outOrderNo: string, merchantId?: string): Promise<DeliveryRecord>
  rejectPayout(outOrderNo: string, merchantId?: string): Promise<DeliveryRecord>
  /** What payouts can still be made from. */
  balance(merchantId?: string): Paisa
  /** The sandbox's time, in milliseconds since the epoch. */
  now(): number
  /** Stepped clock only, never back: resolves when every retry due until then has run, in order. */
  advanceTo(ms: number): Promise<void>
  advanceBy(ms: number): Promise<void>
  /** Resolves when no attempt is under way and none is due. */
  settled(): Promise<void>
}

interface PaymentOptions {
  readonly channel?: PayoutChannel
  readonly merchantId?: string
}

export interface ControlParts {
  readonly desk: OrderDesk
  readonly engine: DeliveryEngine
  readonly deliveries: DeliveryStore
  readonly inbox: SmsInbox
  readonly payDesk: PayDesk
  readonly sms: SmsStore
  readonly merchants: MerchantsById
  readonly clock: Clock
}

export function openControl(parts: ControlParts): SandboxControl {
  const {desk, engine, deliveries, inbox, payDesk, sms, merchants, clock} = parts
  const afterFirstAttempt = async (deliveryId: string): Promise<DeliveryRecord> => {
    await engine.attempted(deliveryId)
    const delivery = deliveries.find(deliveryId)
    if (delivery) return showDelivery(delivery)
    throw new Error(`the delivery record ${deliveryId} is gone`)
  }
  let moves: Promise<void> = Promise.resolve()
  // One after the other: two at once would fire each other's alarms out of order.
  const advance = (target: (stepped: SteppedClock) => number): Promise<void> => {
    const move = moves.then(async () => {
      const stepped = requireStepped(clock)
      await engine.settled()
      await stepped.advanceTo(requireForward(target(stepped), stepped))
    })
    moves = move.catch(() => {})
    return move
  }
  return {
    ...openSmsControl({inbox, payDesk, sms, afterFirstAttempt}),
    async payDeposit(orderNo, amount, {channel = 'BKASH', merchantId = sandboxMerchantId} = {}) {
      if (amount <= 0n) throw refuseField('amount', 'above zero')
      return await afterFirstAttempt(desk.payDeposit(merchantId, orderNo, amount, channel))
    },
    expireDeposit: async (orderNo, merchantId = sandboxMerchantId) =>
      await afterFirstAttempt(desk.expireDeposit(merchantId, orderNo)),
    completePayout: async (outOrderNo, merchantId = sandboxMerchantId) =>
      await afterFirstAttempt(desk.completePayout(merchantId, outOrderNo)),
    rejectPayout: async (outOrderNo, merchantId = sandboxMerchantId) =>
      await afterFirstAttempt(desk.rejectPayout(merchantId, outOrderNo)),
    balance(merchantId = sandboxMerchantId) {
      if (merchants.has(merchantId)) return desk.readBalance(merchantId)
      throw new Refusal(404, 'MERCHANT_UNKNOWN', 'No such merchant.', 'Check merchantId.')
    },
    now: () => clock.now(),
    advanceTo: (ms) => advance(() => ms),
    advanceBy: (ms) => advance((stepped) => stepped.now() + ms),
    settled: () => engine.settled(),
  }
}

function requireStepped(clock: Clock): SteppedClock {
  if (isSteppedClock(clock)) return clock
  throw new Refusal(
    409,
    'CLOCK_NOT_STEPPED',
    "The sandbox's clock runs by itself.",
    'Start the sandbox with a stepped clock to move time by hand.',
  )
}

function requireForward(ms: number, clock: Clock): number {
  if (Number.isSafeInteger(ms) && ms >= clock.now()) return ms
  throw refuseField('time', `whole milliseconds, not before ${new Date(clock.now()).toISOString()}`)
}
