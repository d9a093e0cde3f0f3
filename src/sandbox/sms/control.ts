import {formatPaisa, type Paisa} from '../../core/money.ts'
import type {PayoutChannel} from '../../core/order.ts'
import {sandboxMerchantId} from '../../core/profile.ts'
import type {DeliveryRecord} from '../delivery-record.ts'
import type {PayService} from '../pay-service.ts'
import {topCursor} from '../store/pages.ts'
import type {SmsState, SmsStore, StoredSms} from '../store/sms.ts'
import type {HandledSms, IncomingSms, SmsInbox} from './inbox.ts'

export interface PlayedPayment {
  readonly channel: PayoutChannel
  readonly sender: string
  readonly amount: Paisa
  readonly trxId?: string
}

/** An SMS as the control addresses show it, with the webhook it caused. */
export type SmsRecord = ReturnType<typeof showSms> & {readonly delivery: DeliveryRecord | null}

export type SmsControl = ReturnType<typeof openSmsControl>

export interface SmsControlParts {
  readonly inbox: SmsInbox
  readonly payService: PayService
  readonly sms: SmsStore
  /** Waits for the first attempt of a delivery and reads its record. */
  readonly afterFirstAttempt: (deliveryId: string) => Promise<DeliveryRecord>
}

const listMax = 100

export function openSmsControl({inbox, payService, sms, afterFirstAttempt}: SmsControlParts) {
  const answer = async ({sms: handled, deliveryId}: HandledSms): Promise<SmsRecord> => ({
    ...showSms(handled),
    delivery: deliveryId === null ? null : await afterFirstAttempt(deliveryId),
  })
  return {
    /** What the payment page does: the deposit now waits for this amount by this channel. */
    chooseAmount(
      orderNo: string,
      amount: Paisa,
      channel: PayoutChannel,
      merchantId = sandboxMerchantId,
    ): void {
      payService.choose(payService.findByOrderNo(merchantId, orderNo), {amount, channel})
    },
    /** Resolves after the first attempt at the webhook that it caused. */
    receiveSms: async (incoming: IncomingSms | PlayedPayment) =>
      await answer(inbox.receive('text' in incoming ? incoming : inbox.write(incoming))),
    /** A person decides that this SMS pays for that deposit, with the amount of the SMS. */
    releaseSms: async (id: number, orderNo: string, merchantId = sandboxMerchantId) =>
      await answer(inbox.release(id, payService.findByOrderNo(merchantId, orderNo))),
    discardSms: async (id: number) => await answer(inbox.discard(id)),
    listSms: (state?: SmsState): SmsRecord[] =>
      sms
        .list(state ?? null, topCursor, listMax)
        .lines.map((stored) => ({...showSms(stored), delivery: null})),
  }
}

function showSms(sms: StoredSms) {
  return {
    id: sms.seq,
    receivedAt: new Date(sms.receivedAtMs).toISOString(),
    from: sms.origin,
    text: sms.text,
    channel: sms.channel,
    sender: sms.sender,
    amount: sms.amount === null ? null : formatPaisa(sms.amount),
    trxId: sms.trxId,
    state: sms.state,
    reason: sms.reason,
    decidedBy: sms.decidedBy,
    orderNo: sms.orderNo,
  }
}
