import type {Paisa} from '../../core/money.ts'
import {type OrderKind, type PayoutChannel, payoutChannels} from '../../core/order.ts'
import {seededRandom} from '../../core/prng.ts'

/** One order of the demonstration's day, and how it ends. Times are milliseconds since the epoch. */
export interface ScriptedOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly playerRef: string
  readonly playerName: string
  readonly phone: string
  readonly channel: PayoutChannel
  readonly amount: Paisa
  readonly createdAtMs: number
  /** Null where it is still open when the day ends. */
  readonly endsAtMs: number | null
  readonly end: 'completed' | 'failed'
}

export interface ScriptedDay {
  readonly fromMs: number
  readonly toMs: number
  /** While the merchant's server is down. */
  readonly outage: {readonly fromMs: number; readonly toMs: number}
  readonly orders: readonly ScriptedOrder[]
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const names = ['রহিম উদ্দিন', 'Fatema Begum', 'করিম মিয়া', 'Nusrat Jahan', 'সুমাইয়া আক্তার', 'Tanvir Hasan']

/**
 * A day of a merchant's deposits and payouts, the same for the same seed. The outage from 01:10 to 10:45
 * outlives the service's 7 h 21 min of retries for what ends in its first hours, and only for that.
 */
export function scriptDay(midnightMs: number, seed: number): ScriptedDay {
  const random = seededRandom(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const stamp = new Date(midnightMs + 12 * hourMs).toISOString().slice(2, 10).replaceAll('-', '')
  const toMs = midnightMs + 24 * hourMs
  const orders: ScriptedOrder[] = []
  const add = (kind: OrderKind, count: number, prefix: string) => {
    for (let n = 1; n <= count; n++) {
      const createdAtMs = midnightMs + upTo(24 * 60 * 60) * 1000
      const waitMs = kind === 'deposit' ? (2 + upTo(7)) * minuteMs : (15 + upTo(90)) * minuteMs
      const endsAtMs = createdAtMs + waitMs
      const player = upTo(90) + 10
      orders.push({
        kind,
        orderNo: `${prefix}${stamp}-${String(n).padStart(4, '0')}`,
        playerRef: `player-${player}`,
        playerName: names[player % names.length] ?? '',
        phone: `017${String(10_000_000 + player * 7919).slice(-8)}`,
        channel: payoutChannels[upTo(payoutChannels.length)] ?? 'BKASH',
        amount: BigInt((1 + upTo(60)) * 50) * 100n,
        createdAtMs,
        endsAtMs: endsAtMs < toMs ? endsAtMs : null,
        end: kind === 'deposit' && random() < 0.05 ? 'failed' : 'completed',
      })
    }
  }
  add('deposit', 260, 'D')
  add('payout', 52, 'P')
  orders.sort((a, b) => a.createdAtMs - b.createdAtMs)
  const outage = {fromMs: midnightMs + 70 * minuteMs, toMs: midnightMs + 10 * hourMs + 45 * minuteMs}
  return {fromMs: midnightMs, toMs, outage, orders}
}
