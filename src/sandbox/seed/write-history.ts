import type {DatabaseSync} from 'node:sqlite'

import type {Dialect} from '../../core/dialect.ts'
import type {SandboxMerchant} from '../merchants.ts'
import {transact} from '../store/database.ts'
import type {StoredDeposit, StoredPayout} from '../store/orders.ts'
import {composeWebhook, eventOf} from '../webhook.ts'
import {type HistoryOptions, playHistory, type SeededOrder} from './history.ts'

export interface SeedOptions extends HistoryOptions {
  readonly merchant: SandboxMerchant
  readonly dialect: Dialect
  readonly returnUrl: string
  readonly signal?: AbortSignal
  readonly onProgress?: (orders: number) => void
}

export interface SeedCounts {
  /** Deposits added now; a second run with the same seed adds none. */
  readonly deposits: number
  readonly payouts: number
  readonly deliveries: number
  /** Webhooks by their state at the end of the history. */
  readonly exhausted: number
  readonly retrying: number
}

const ordersPerCommit = 20_000

/**
 * Writes a history into the state, thousands of orders per commit. Run again after a kill it adds what is missing.
 * Payouts do not change the balance.
 */
export async function writeHistory(db: DatabaseSync, options: SeedOptions): Promise<SeedCounts> {
  // Bulk work: a cache for the indexes of a million orders, and fewer checkpoints.
  db.exec('PRAGMA cache_size = -400000; PRAGMA wal_autocheckpoint = 100000')
  const insert = prepareInserts(db, options)
  const counts = {deposits: 0, payouts: 0, deliveries: 0, exhausted: 0, retrying: 0}
  const waiting = new DeliveriesByTime()
  let latestMs = 0
  const put = (order: SeededOrder) => {
    if (!insert.delivery(order) || !order.attempts) return
    counts.deliveries += 1
    latestMs = Math.max(latestMs, order.attempts.sentAtMs)
    if (order.attempts.responseCode === 200) return
    counts[order.attempts.dueAtMs === null ? 'exhausted' : 'retrying'] += 1
  }
  const orders = playHistory(options)
  let done = 0
  for (let batch = take(orders, ordersPerCommit); batch.length > 0; batch = take(orders, ordersPerCommit)) {
    transact(db, () => {
      for (const order of batch) {
        // Records must be stored in the order of their creation.
        for (const earlier of waiting.takeUntil(order.createdAtMs)) put(earlier)
        if (insert.order(order)) counts[order.kind === 'deposit' ? 'deposits' : 'payouts'] += 1
        waiting.add(order)
      }
    })
    done += batch.length
    options.onProgress?.(done)
    // Lets Ctrl-C be handled between two commits.
    await new Promise((resolve) => setImmediate(resolve))
    options.signal?.throwIfAborted()
  }
  transact(db, () => {
    for (const rest of waiting.takeUntil(Number.POSITIVE_INFINITY)) put(rest)
    db.prepare('UPDATE latest_attempt SET sent_at = max(sent_at, ?)').run(latestMs)
  })
  return counts
}

function take<T>(from: Iterator<T>, count: number): T[] {
  const taken: T[] = []
  while (taken.length < count) {
    const next = from.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}

/** Finished orders by the minute of their end, because orders come in the order of their creation. */
class DeliveriesByTime {
  private readonly minutes = new Map<number, SeededOrder[]>()
  private firstMinute = Number.POSITIVE_INFINITY

  add(order: SeededOrder): void {
    if (order.finishedAtMs === null) return
    const minute = Math.floor(order.finishedAtMs / 60_000)
    const there = this.minutes.get(minute)
    if (there) there.push(order)
    else this.minutes.set(minute, [order])
    this.firstMinute = Math.min(this.firstMinute, minute)
  }

  /** Orders that finished before the minute of `ms`, soonest first. */
  *takeUntil(ms: number): Generator<SeededOrder> {
    const end = Math.floor(ms / 60_000)
    for (; this.firstMinute < end && this.minutes.size > 0; this.firstMinute += 1) {
      const orders = this.minutes.get(this.firstMinute) ?? []
      this.minutes.delete(this.firstMinute)
      yield* orders.sort((a, b) => (a.finishedAtMs ?? 0) - (b.finishedAtMs ?? 0))
    }
  }
}

function prepareInserts(db: DatabaseSync, {merchant, dialect, returnUrl}: SeedOptions) {
  const {merchantId} = merchant
  const deposit = db.prepare(
    `INSERT OR IGNORE INTO deposits (merchant_id, order_no, platform_order_no, pay_code, state, paisa, channel,
       return_url, player_phone, player_ref, is_test, created_at, finished_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
  )
  const payout = db.prepare(
    `INSERT OR IGNORE INTO payouts (merchant_id, order_no, platform_order_no, state, paisa, bank_type, user_name,
       account, return_url, created_at, finished_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const delivery = db.prepare(
    `INSERT OR IGNORE INTO deliveries (id, merchant_id, order_id, merchant_order_id, url, event, payload, status,
       response_code, response_body, attempts, scheduled_attempts, due_at, sent_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?)`,
  )
  return {
    /** Both return whether it was added. */
    order(order: SeededOrder): boolean {
      const {orderNo, platformOrderNo, state, amount, channel, playerPhone, createdAtMs, finishedAtMs} = order
      const head = [merchantId, orderNo, platformOrderNo] as const
      if (order.kind === 'payout') {
        const {userName} = order
        const rest = [amount, channel, userName, playerPhone, returnUrl, createdAtMs, finishedAtMs] as const
        return payout.run(...head, state, ...rest).changes === 1
      }
      const paid = state === 'completed' ? ([amount, channel] as const) : ([null, null] as const)
      const rest = [returnUrl, playerPhone, order.playerRef, createdAtMs, finishedAtMs] as const
      return deposit.run(...head, order.payCode, state, ...paid, ...rest).changes === 1
    },

    delivery(order: SeededOrder): boolean {
      const {deliveryId, platformOrderNo, orderNo, attempts, finishedAtMs} = order
      if (attempts === null) return false
      const stored = storedOrder(order, merchantId, returnUrl)
      const {count, responseCode, dueAtMs, sentAtMs} = attempts
      const status = responseCode === 200 ? 'success' : 'failed'
      const head = [deliveryId, merchantId, platformOrderNo, orderNo, returnUrl, eventOf(stored)] as const
      const payload = composeWebhook(stored, merchant, dialect)
      const rest = [status, responseCode, count, count, dueAtMs, sentAtMs, finishedAtMs] as const
      return delivery.run(...head, payload, ...rest).changes === 1
    },
  }
}

function storedOrder(
  order: SeededOrder,
  merchantId: string,
  returnUrl: string,
): StoredDeposit | StoredPayout {
  const {kind, orderNo, platformOrderNo, state, amount, payCode, playerRef} = order
  const head = {merchantId, orderNo, platformOrderNo, state, returnUrl}
  if (kind === 'payout') return {...head, kind, amount}
  return {...head, kind, payCode, playerRef, amount: state === 'completed' ? amount : null, chosen: null}
}
