import type {Dialect} from '../core/dialect.ts'
import {retryDelaysMs} from '../core/order.ts'
import {Refusal} from './answers.ts'
import {attemptReasons} from './attempt-reasons.ts'
import {isDelivered} from './attempt-view.ts'
import type {Clock} from './clock.ts'
import {type Exchange, notSent, type Sender, type SendResult} from './delivery-sender.ts'
import type {Log} from './events.ts'
import type {MerchantsById} from './merchants.ts'
import type {DeliveryOutcome, DeliveryStore, StoredDelivery} from './store/deliveries.ts'
import type {AttemptStore} from './store/delivery-attempts.ts'
import type {GroupCommit} from './store/group-commit.ts'
import {webhookHeaders} from './webhook.ts'

export type DeliveryTrigger = 'schedule' | 'resend'

export interface DeliveryParts {
  readonly store: DeliveryStore
  readonly attempts: AttemptStore
  readonly sender: Sender
  readonly clock: Clock
  readonly merchants: MerchantsById
  readonly dialect: Dialect
  /** Attempts under way at the same time. While time moves by hand it is one, so that a day replays the same. */
  readonly concurrency: number
  readonly commit: GroupCommit
  /** Real time as the service has it, in milliseconds: what a receiver judges a signature's time by. */
  readonly serviceNow: () => number
  readonly log: Log
}

/**
 * Sends webhooks and retries them (service §6). What is due is kept in the state and not in memory, so it survives a
 * kill, and an attempt that was cut off is made again. A receiver may therefore see a webhook twice (service §4.7).
 *
 * A record is `pending` until its first attempt has ended; then `success`, or `failed` with the time of the next
 * retry, null after the fifth. `attempts` counts every attempt, so an exhausted record that nobody resent has 6.
 */
export class DeliveryEngine {
  private readonly parts: DeliveryParts
  private readonly underWay = new Map<string, Promise<void>>()
  private readonly waiting = new Map<string, (() => void)[]>()
  private readonly cancel = new AbortController()
  private callOffWake = () => {}
  private resendsWaiting = 0
  /** Attempts that were recorded since this engine was made. */
  attemptsEnded = 0

  constructor(parts: DeliveryParts) {
    this.parts = parts
  }

  /** Starts whatever is due and sets the alarm for the rest. */
  wake(): void {
    if (this.isStopped) return
    try {
      this.callOffWake()
      this.beginDue()
    } catch (error) {
      this.stop(error)
    }
  }

  /** Wakes the engine and resolves when the next attempt at this delivery has ended, well or badly. */
  attempted(id: string): Promise<void> {
    if (this.cancel.signal.aborted) return Promise.resolve()
    const ended = new Promise<void>((resolve) => {
      this.waiting.set(id, [...(this.waiting.get(id) ?? []), resolve])
    })
    this.wake()
    return ended
  }

  /** Makes one attempt at once and leaves the schedule as it is (service §4.7). Throws `Refusal` 503. */
  async resend(id: string): Promise<void> {
    this.resendsWaiting += 1
    while (!this.isStopped && (this.underWay.has(id) || this.underWay.size >= this.concurrency)) {
      await (this.underWay.get(id) ?? Promise.race(this.underWay.values()))
    }
    this.resendsWaiting -= 1
    if (!this.isStopped) await this.begin(id, 'resend')
    if (this.isStopped) {
      throw new Refusal(
        503,
        'DELIVERY_STOPPED',
        'The sandbox delivers no more webhooks until it is restarted.',
        'Restart it, then read the record to see whether this one went out.',
      )
    }
  }

  /** Resolves when nothing is under way and nothing due is left. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay.values())
  }

  /** Cuts attempts under way off without recording them: they are due again when the state is next opened. */
  async close(): Promise<void> {
    this.cancel.abort()
    this.callOffWake()
    await this.idle()
    this.releaseAll()
  }

  private get concurrency(): number {
    return this.parts.clock.isStepping ? 1 : this.parts.concurrency
  }

  private get isStopped(): boolean {
    return this.cancel.signal.aborted
  }

  private beginDue(): void {
    const {concurrency} = this
    const {store, clock} = this.parts
    const next = store.listDue(concurrency + 1).filter(({id}) => !this.underWay.has(id))
    for (const {id, dueAtMs} of next) {
      // A resend that waits goes first, or a long backlog would starve it.
      if (this.underWay.size + this.resendsWaiting >= concurrency) return
      if (dueAtMs > clock.now()) {
        this.callOffWake = clock.schedule(dueAtMs, () => {
          this.wake()
          return this.idle()
        })
        return
      }
      void this.begin(id, 'schedule')
    }
  }

  private begin(id: string, trigger: DeliveryTrigger): Promise<void> {
    const attempt = this.attempt(id, trigger)
      .finally(() => this.underWay.delete(id))
      .catch((error: unknown) => this.stop(error))
      .then(() => {
        this.release(id)
        this.wake()
      })
    this.underWay.set(id, attempt)
    return attempt
  }

  private async attempt(id: string, trigger: DeliveryTrigger): Promise<void> {
    const {store, attempts, clock, commit, log} = this.parts
    const delivery = store.find(id)
    if (!delivery) return
    const beganAtMs = clock.now()
    const {besides, ...exchange} = await this.send(delivery)
    const outcome = outcomeOf(delivery, trigger, exchange, clock.now())
    const attempt = {number: outcome.attempts, startedBy: trigger, beganAtMs}
    await commit.run(() => {
      store.record(id, outcome)
      for (const other of besides) attempts.insert(id, {...other, ...attempt})
      attempts.insert(id, {...exchange, ...attempt, role: 'webhook'})
    })
    this.attemptsEnded += 1
    log({
      type: 'delivery_attempted',
      deliveryId: id,
      orderNo: delivery.merchantOrderId,
      event: delivery.event,
      trigger,
      attempts: outcome.attempts,
      responseCode: exchange.responseCode,
      problem: exchange.reason === null ? null : attemptReasons[exchange.reason].text,
      nextRetryAtMs: outcome.dueAtMs,
    })
  }

  private async send({url, payload, ...delivery}: StoredDelivery): Promise<SendResult> {
    const {merchants, dialect, sender} = this.parts
    const merchant = merchants.get(delivery.merchantId)
    if (!merchant) return notSent(payload, 'merchant_gone')
    return await sender.send(
      url,
      webhookHeaders(
        {...delivery, url, payload},
        merchant,
        dialect,
        Math.floor(this.parts.serviceNow() / 1000),
      ),
      payload,
      this.cancel.signal,
    )
  }

  private release(id: string): void {
    const resolvers = this.waiting.get(id) ?? []
    this.waiting.delete(id)
    for (const resolve of resolvers) resolve()
  }

  private releaseAll(): void {
    for (const id of [...this.waiting.keys()]) this.release(id)
  }

  /** An attempt that cannot be recorded would be due again at once, for ever: better none until a restart. */
  private stop(error: unknown): void {
    if (this.isStopped) return
    this.cancel.abort()
    this.callOffWake()
    this.releaseAll()
    const reason = error instanceof Error ? error.message : String(error)
    this.parts.log({
      type: 'defect',
      message: `Webhooks have stopped until the sandbox is restarted: ${reason}`,
    })
  }
}

/** What an attempt that ended at `atMs` makes of a record; any 2xx is success. */
function outcomeOf(
  delivery: StoredDelivery,
  trigger: DeliveryTrigger,
  {responseCode, responseBody}: Exchange,
  atMs: number,
): DeliveryOutcome {
  const isSuccess = isDelivered(responseCode)
  const scheduledAttempts = delivery.scheduledAttempts + (trigger === 'schedule' ? 1 : 0)
  const delayMs = retryDelaysMs[scheduledAttempts - 1]
  const nextAtMs = delayMs === undefined ? null : atMs + delayMs
  const dueAtMs = trigger === 'schedule' ? nextAtMs : delivery.dueAtMs
  return {
    status: isSuccess ? 'success' : 'failed',
    responseCode,
    responseBody,
    attempts: delivery.attempts + 1,
    scheduledAttempts,
    dueAtMs: isSuccess ? null : dueAtMs,
    sentAtMs: atMs,
  }
}
