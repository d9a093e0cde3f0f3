import type {Paisa} from '../../core/money.ts'
import {
  type OrderKind,
  type OrderState,
  type PayoutChannel,
  payoutChannels,
  retryDelaysMs,
} from '../../core/order.ts'
import {seededRandom} from '../../core/prng.ts'

/** Milliseconds since the epoch; `toMs` is not included. */
export interface ReceiverOutage {
  readonly fromMs: number
  readonly toMs: number
}

export interface HistoryOptions {
  readonly orders: number
  readonly seed: number
  readonly fromMs: number
  readonly untilMs: number
  /** The merchant's receiver answers 503 meanwhile. */
  readonly outages: readonly ReceiverOutage[]
}

export interface SeededOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly platformOrderNo: string
  readonly payCode: string
  readonly playerRef: string
  readonly playerPhone: string
  readonly userName: string
  readonly channel: PayoutChannel
  readonly amount: Paisa
  readonly createdAtMs: number
  readonly state: OrderState
  /** Null if it is open. */
  readonly finishedAtMs: number | null
  readonly deliveryId: string
  readonly attempts: SeededAttempts | null
}

const minuteMs = 60_000
const dayMs = 86_400_000
const dhakaOffsetMs = 6 * 3_600_000

/** Orders by the hour in Dhaka, from midnight: most at ten in the evening. */
const hourWeights = [5, 3, 2, 1, 1, 1, 2, 3, 4, 5, 6, 6, 7, 7, 6, 6, 6, 7, 8, 9, 10, 10, 9, 7]
const popularTaka = [
  100, 200, 300, 500, 500, 500, 500, 1000, 1000, 1000, 1500, 2000, 2000, 3000, 5000, 10_000, 20_000,
]
const names = ['Rahim Uddin', 'Fatema Begum', 'Karim Mia', 'Nusrat Jahan', 'Sumaiya Akter', 'Tanvir Hasan']

/**
 * A merchant's orders in the order of their creation, the same for the same options. Four of five are deposits; one
 * deposit in eight is never paid, one payout in 25 is refused; one webhook in 250 is taken only at its second attempt
 * and one in 2,000 never.
 */
export function* playHistory(options: HistoryOptions): Generator<SeededOrder> {
  const random = seededRandom(options.seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const instantOf = spreadOverDays(options)
  const stamp = new Date(options.untilMs + dhakaOffsetMs).toISOString().slice(2, 10).replaceAll('-', '')
  for (let n = 0; n < options.orders; n += 1) {
    // Drawn for every order, used or not, so that an order stays the same however many follow.
    const createdAtMs = instantOf((n + random()) / options.orders)
    const kind = random() < 0.8 ? 'deposit' : 'payout'
    const player = upTo(Math.max(20, Math.ceil(options.orders / 25)))
    const amount = drawAmount(random)
    const waitMs = Math.floor((kind === 'deposit' ? 1 + 8 * random() : 10 + 110 * random()) * minuteMs)
    const end = random() < (kind === 'deposit' ? 0.125 : 0.04) ? 'failed' : 'completed'
    const [temper, channel] = [random(), payoutChannels[upTo(payoutChannels.length)] ?? 'BKASH']
    const [platformOrderNo, deliveryId] = [drawUuid(random), drawUuid(random)]
    const endsAtMs = createdAtMs + waitMs
    const isOver = endsAtMs < options.untilMs
    yield {
      kind,
      orderNo: `${kind === 'deposit' ? 'D' : 'P'}${stamp}-${options.seed}-${String(n + 1).padStart(7, '0')}`,
      platformOrderNo,
      payCode: platformOrderNo.replaceAll('-', '').slice(0, 24),
      playerRef: `player-${player + 1}`,
      playerPhone: `01${3 + (player % 7)}${String((player * 7919) % 100_000_000).padStart(8, '0')}`,
      userName: names[player % names.length] ?? '',
      channel,
      amount,
      createdAtMs,
      state: isOver ? end : 'open',
      finishedAtMs: isOver ? endsAtMs : null,
      deliveryId,
      attempts: isOver ? playAttempts(endsAtMs, temper, options) : null,
    }
  }
}

/** Maps 0 to 1 onto the days, so that each hour gets its share. */
function spreadOverDays({fromMs, untilMs}: HistoryOptions): (share: number) => number {
  const edges: {readonly atMs: number; readonly before: number}[] = []
  let before = 0
  for (let atMs = fromMs; atMs < untilMs; ) {
    edges.push({atMs, before})
    const hour = Math.floor(((((atMs + dhakaOffsetMs) % dayMs) + dayMs) % dayMs) / 3_600_000)
    const nextMs = Math.min(untilMs, (Math.floor(atMs / 3_600_000) + 1) * 3_600_000)
    before += (hourWeights[hour] ?? 1) * (nextMs - atMs)
    atMs = nextMs
  }
  edges.push({atMs: untilMs, before})
  let at = 0
  return (share) => {
    const wanted = share * before
    while (at < edges.length - 2 && (edges[at + 1]?.before ?? 0) <= wanted) at += 1
    const [edge, next] = [edges[at], edges[at + 1]]
    if (!edge || !next) return fromMs
    return Math.floor(
      edge.atMs + ((wanted - edge.before) / (next.before - edge.before)) * (next.atMs - edge.atMs),
    )
  }
}

function drawAmount(random: () => number): Paisa {
  const [taste, size] = [random(), random()]
  if (taste < 0.8) return BigInt(popularTaka[Math.floor(size * popularTaka.length)] ?? 500) * 100n
  return BigInt(taste < 0.97 ? (50 + Math.floor(size * 4950)) * 100 : 5000 + Math.floor(size * 500_000))
}

/** The webhook's attempts until the end of the history. */
export type SeededAttempts = ReturnType<typeof playAttempts>

/** The first attempt and the five retries. */
function playAttempts(createdAtMs: number, temper: number, {outages, untilMs}: HistoryOptions) {
  let [count, atMs] = [0, createdAtMs]
  for (;;) {
    count += 1
    const isDown = outages.some(({fromMs, toMs}) => fromMs <= atMs && atMs < toMs)
    const isRefused = temper < 0.0005 || (temper < 0.0045 && count === 1)
    if (!isDown && !isRefused) return {count, responseCode: 200, sentAtMs: atMs, dueAtMs: null}
    const delayMs = retryDelaysMs[count - 1]
    const dueAtMs = delayMs === undefined ? null : atMs + delayMs
    if (dueAtMs === null || dueAtMs >= untilMs) {
      return {count, responseCode: isDown ? 503 : 500, sentAtMs: atMs, dueAtMs}
    }
    atMs = dueAtMs
  }
}

function drawUuid(random: () => number): string {
  const word = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  const hex = word() + word() + word() + word()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}
