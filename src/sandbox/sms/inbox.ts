import {randomInt} from 'node:crypto'
import type {Paisa} from '../../core/money.ts'
import type {PayoutChannel} from '../../core/order.ts'
import {Refusal} from '../answers.ts'
import type {Clock} from '../clock.ts'
import type {Log} from '../events.ts'
import type {OrderService} from '../order-service.ts'
import type {PaySession, PaySessionStore} from '../store/pay-sessions.ts'
import {isPayment, type NewSms, type SmsStore, type StoredSms, type WaitingReason} from '../store/sms.ts'
import {makeTrxId, type Payment, readPaymentSms, smsOrigins, writePaymentSms} from './message.ts'

export interface IncomingSms {
  /** The sender's name or number, such as `bKash`. */
  readonly from: string
  readonly text: string
}

export interface InboxParts {
  readonly store: SmsStore
  readonly sessions: PaySessionStore
  readonly orderService: OrderService
  readonly clock: Clock
  readonly log: Log
  readonly onDecided: () => void
}

export interface HandledSms {
  readonly sms: StoredSms
  readonly deliveryId: string | null
}

export type SmsInbox = ReturnType<typeof openSmsInbox>

/** Open deposits of one player that are compared to explain why none fits. */
const ofPlayerMax = 50
const awaitingMax = 20

/**
 * The payment SMS, and the desk where an SMS waits that releases no order by itself (service §1). An SMS and its
 * order change in one transaction, so that a crash neither counts a payment twice nor loses it.
 */
export function openSmsInbox(parts: InboxParts) {
  const {store, sessions, clock} = parts
  return {
    receive: (incoming: IncomingSms): HandledSms => receive(parts, incoming),
    release: (seq: number, session: PaySession): HandledSms => release(parts, seq, session),

    /** Throws `Refusal` 404 or 409. */
    discard(seq: number): HandledSms {
      const sms = findWaiting(store, seq)
      store.discard(sms.seq, clock.now())
      parts.onDecided()
      return handledSms(parts, seq, null)
    },

    find: (seq: number) => findSms(store, seq),

    /** Open deposits that a person may mean: the player's own, and those that wait for this payment. */
    candidates(sms: StoredSms): PaySession[] {
      const payment = paymentOf(sms)
      if (payment === null || !isReleasable(sms)) return []
      const atMs = clock.now()
      const own = sms.sender === null ? [] : sessions.listOpenOfPlayer(sms.sender, atMs, ofPlayerMax)
      const found = [...own, ...sessions.listAwaiting(payment, atMs, awaitingMax)]
      return [...new Map(found.map((session) => [session.seq, session])).values()]
    },

    /** The SMS that the channel would send for this payment, with a new transaction number. */
    write(payment: Pick<Payment, 'channel' | 'amount'> & {sender: string; trxId?: string}): IncomingSms {
      const trxId = payment.trxId ?? makeTrxId(payment.channel, randomInt)
      return writePaymentSms({...payment, trxId}, clock.now())
    },
  }
}

export function isReleasable(sms: StoredSms): boolean {
  return sms.state === 'waiting' && isPayment(sms)
}

function receive(parts: InboxParts, {from, text}: IncomingSms): HandledSms {
  const {store, sessions, orderService, clock} = parts
  const atMs = clock.now()
  const payment = readPaymentSms(text)
  const sms: NewSms = {
    ...{receivedAtMs: atMs, origin: from, text},
    ...(payment ?? {channel: null, sender: null, senderTail: null, amount: null, trxId: null}),
    ...{state: 'waiting', reason: null, depositSeq: null, decidedBy: null, decidedAtMs: null},
  }
  // Only a release uses up a transaction: a forged SMS that came first must not block the true one.
  if (
    payment &&
    isFromChannel(from, payment) &&
    store.findTransaction(payment.channel, payment.trxId, 'released')
  ) {
    return handledSms(
      parts,
      store.insert({...sms, state: 'duplicate', decidedBy: 'match', decidedAtMs: atMs}),
    )
  }
  const match = matchPayment(from, payment, {
    isDiscarded: ({channel, trxId}) => store.findTransaction(channel, trxId, 'discarded') !== null,
    fitting: (phone, choice) => sessions.listFitting(phone, choice, atMs, 2),
    ofPlayer: (phone) => sessions.listOpenOfPlayer(phone, atMs, ofPlayerMax),
  })
  if ('waits' in match || payment === null) {
    return handledSms(parts, store.insert({...sms, reason: 'waits' in match ? match.waits : null}))
  }
  const {seq: depositSeq, merchantId, orderNo} = match.releases
  let seq = 0
  const deliveryId = orderService.payDeposit(merchantId, orderNo, payment.amount, payment.channel, () => {
    seq = store.insert({...sms, state: 'released', depositSeq, decidedBy: 'match', decidedAtMs: atMs})
    store.setAside(payment.channel, payment.trxId, seq, atMs)
  })
  parts.onDecided()
  return handledSms(parts, seq, deliveryId)
}

/** Credits what was paid, not what was chosen. */
function release(parts: InboxParts, seq: number, session: PaySession): HandledSms {
  const {store, orderService, clock} = parts
  const sms = findWaiting(store, seq)
  const payment = paymentOf(sms)
  if (payment === null || !isReleasable(sms)) {
    throw new Refusal(
      409,
      'SMS_NOT_A_PAYMENT',
      `The SMS ${seq} cannot release an order.`,
      'Its channel did not send it, or no payment could be read in it: discard it.',
    )
  }
  const {merchantId, orderNo} = session
  const {amount, channel, trxId} = payment
  const deliveryId = orderService.payDeposit(merchantId, orderNo, amount, channel, () => {
    const atMs = clock.now()
    store.release(seq, session.seq, atMs)
    store.setAside(channel, trxId, seq, atMs)
  })
  parts.onDecided()
  return handledSms(parts, seq, deliveryId)
}

function handledSms({store, log}: InboxParts, seq: number, deliveryId: string | null = null): HandledSms {
  const sms = findSms(store, seq)
  const {channel, amount, state, reason, orderNo} = sms
  log({type: 'sms_handled', smsId: seq, channel, amount, state, reason, orderNo})
  return {sms, deliveryId}
}

function paymentOf({channel, amount, sender, senderTail, trxId}: StoredSms): Payment | null {
  if (channel === null || amount === null || trxId === null) return null
  return {channel, amount, sender, senderTail, trxId}
}

function findWaiting(store: SmsStore, seq: number): StoredSms {
  const sms = findSms(store, seq)
  if (sms.state === 'waiting') return sms
  throw new Refusal(
    409,
    'SMS_NOT_WAITING',
    `The SMS ${seq} is ${sms.state} already.`,
    'An SMS is released or discarded once.',
  )
}

function findSms(store: SmsStore, seq: number): StoredSms {
  const sms = store.find(seq)
  if (sms) return sms
  throw new Refusal(404, 'SMS_NOT_FOUND', `There is no SMS ${seq}.`, 'Take its id from the in-box.')
}

interface Known {
  /** A person discarded this transaction: only a person may decide otherwise. */
  isDiscarded(payment: Payment): boolean
  fitting(playerPhone: string, choice: {amount: Paisa; channel: PayoutChannel}): readonly PaySession[]
  ofPlayer(playerPhone: string): readonly PaySession[]
}

type Match = {readonly releases: PaySession} | {readonly waits: WaitingReason}

/**
 * The deposit that a payment releases by itself (service §1, §2.1): the one open deposit whose `playerPhone` sent
 * exactly the chosen amount by the chosen channel. Any other payment waits for a person, with the reason.
 */
function matchPayment(origin: string, payment: Payment | null, known: Known): Match {
  if (payment === null) return {waits: 'unreadable'}
  if (!isFromChannel(origin, payment)) return {waits: 'not_from_channel'}
  if (payment.sender === null) return {waits: 'sender_hidden'}
  if (known.isDiscarded(payment)) return {waits: 'discarded_before'}
  const [first, second] = known.fitting(payment.sender, payment)
  if (first && second) return {waits: 'several_orders'}
  if (first) return {releases: first}
  return {waits: misfit(payment, known.ofPlayer(payment.sender))}
}

/** Networks spell the names of Nagad and bKash in different cases. */
function isFromChannel(origin: string, {channel}: Payment): boolean {
  return origin.trim().toLowerCase() === smsOrigins[channel].toLowerCase()
}

function misfit({amount, channel}: Payment, ofPlayer: readonly PaySession[]): WaitingReason {
  if (ofPlayer.length === 0) return 'stranger'
  const chosen = ofPlayer.flatMap(({choice}) => choice ?? [])
  if (chosen.length === 0) return 'not_chosen'
  return chosen.some((choice) => choice.amount === amount && choice.channel !== channel)
    ? 'channel_differs'
    : 'amount_differs'
}
