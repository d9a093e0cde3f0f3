import type {Paisa} from '../../core/money.ts'
import type {PayoutChannel} from '../../core/order.ts'
import type {PaySession} from '../store/pay-sessions.ts'
import type {WaitingReason} from '../store/sms.ts'
import {type Payment, smsOrigins} from './message.ts'

/** What an SMS is compared with: the deposits that are open now. */
export interface OpenDeposits {
  fitting(playerPhone: string, choice: {amount: Paisa; channel: PayoutChannel}): readonly PaySession[]
  ofPlayer(playerPhone: string): readonly PaySession[]
}

export type Match = {readonly releases: PaySession} | {readonly waits: WaitingReason}

/**
 * Which deposit a payment releases by itself (service §1, §2.1): the one open deposit whose `playerPhone` sent
 * exactly the chosen amount through the chosen channel. Everything else waits for a person, with the reason.
 */
export function matchPayment(origin: string, payment: Payment | null, open: OpenDeposits): Match {
  if (payment === null) return {waits: 'unreadable'}
  if (!isFromChannel(origin, payment)) return {waits: 'not_from_channel'}
  if (payment.sender === null) return {waits: 'sender_hidden'}
  const [first, second] = open.fitting(payment.sender, payment)
  if (first && second) return {waits: 'several_orders'}
  if (first) return {releases: first}
  return {waits: misfit(payment, open.ofPlayer(payment.sender))}
}

/** A telephone shows a name as the network spells it; Nagad's and bKash's are seen in either case. */
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
