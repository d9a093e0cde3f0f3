import type {Dialect} from '../core/dialect.ts'
import {retryDelaysMs} from '../core/order.ts'
import {Refusal} from './answers.ts'
import {attemptReasons} from './attempt-reasons.ts'
import {isDelivered} from './attempt-view.ts'
import type {Clock} from './clock.ts'
import {type Exchange, notSent, type Sender, type SendResult} from './delivery-sender.ts'
import type {Log} from './events.ts'
import type {MerchantsById} from './merchants.ts'
import type {StorageHealth} from './storage-health.ts'
import type {DeliveryOutcome, DeliveryStore, StoredDelivery} from './store/deliveries.ts'
import type {AttemptStore} from './store/delivery-attempts.ts'
import type {GroupCommit} from './store/group-commit.ts'
import {webhookHeaders} from './webhook.ts'

const attemptsMax = 4096

export type DeliveryTrigger = 'schedule' | 'resend'

export interface DeliveryParts {
  readonly store: DeliveryStore
  readonly attempts: AttemptStore
  readonly sender: Sender
  readonly clock: Clock
  readonly merchants: MerchantsById
  readonly dialect: Dialect
  /** Attempts at one receiver at the same time. While time moves by hand it is one in all. */
  readonly concurrency: number
  readonly health: StorageHealth
  readonly commit: GroupCommit
  /** The service's real time in milliseconds: a receiver checks a signature's age by it. */
  readonly serviceNow: () => number
  readonly log: Log
}

/** An attempt under way: nothing is recorded yet, but the receiver may have it. */
export interface BegunAttempt {
  readonly startedBy: DeliveryTrigger
  /** By the sandbox's clock. */
  readonly beganAtMs: number
  readonly beganRealMs: number
}

/** The attempt under way at a record, or `queued` for a resend that waits for a free place at its receiver. */
export type DeliveryProgress =
  | (BegunAttempt & {
      /** The attempt has ended, but its result cannot be stored now. */
      readonly isUnstored: boolean
    })
  | 'queued'
  | null

interface Lane {
  underWay: number
  resendsWaiting: number
}

/**
 * Sends webhooks and retries them (service §6). What is due is stored, so it survives a kill, and an interrupted
 * attempt is made again: a receiver may see a webhook twice (service §4.7).
 *
 * Each receiver has its own share of the attempts, so one that hangs delays no other.
 *
 * A record is `pending` until its first attempt ends, then `success`, or `failed` with the time of the next retry,
 * null after the fifth. `attempts` counts every attempt: an exhausted record that nobody resent has 6.
 */
export class DeliveryEngine {
  private readonly parts: DeliveryParts
  private readonly underWay = new Map<string, Promise<void>>()
  private readonly begun = new Map<string, BegunAttempt>()
  private readonly queued = new Set<string>()
  private readonly lanes = new Map<string, Lane>()
  /** Receivers with something due that found no free attempt. */
  private readonly crowded = new Set<string>()
  private readonly waiting = new Map<string, (() => void)[]>()
  /** Results that could not be stored. Nothing is sent until they are: each would be due again at once. */
  private readonly unstored = new Map<string, () => void>()
  private readonly cancel = new AbortController()
  private alarm = {atMs: Number.POSITIVE_INFINITY, callOff: () => {}}
  /** Everything due until then has been begun. */
  private sweptToMs = Number.NEGATIVE_INFINITY
  attemptsEnded = 0
  /** Attempts begun, and resends asked for. */
  private changes = 0

  constructor(parts: DeliveryParts) {
    this.parts = parts
    parts.health.owe(() => {
      for (const record of this.unstored.values()) record()
    })
    parts.health.onRecovered(() => this.goOnAfterFailure())
  }

  /** Starts whatever is due, and sets the alarm for the rest. */
  wake(): void {
    this.sweptToMs = Number.NEGATIVE_INFINITY
    this.beginDue()
  }

  added(url: string, dueAtMs: number): void {
    this.guard(() => {
      if (this.parts.clock.isStepping) return this.beginNext()
      this.fill(receiverOf(url))
      if (dueAtMs > this.parts.clock.now()) this.setAlarm(dueAtMs)
    })
  }

  progressOf(id: string): DeliveryProgress {
    const begun = this.begun.get(id)
    if (begun) return {...begun, isUnstored: this.unstored.has(id)}
    return this.queued.has(id) ? 'queued' : null
  }

  /** Changes whenever an answer of `progressOf` does. */
  get revision(): number {
    return this.changes
  }

  /** Resolves when the next attempt at this delivery has ended or cannot be made. */
  attempted(id: string): Promise<void> {
    if (this.isHalted) return Promise.resolve()
    const ended = new Promise<void>((resolve) => {
      this.waiting.set(id, [...(this.waiting.get(id) ?? []), resolve])
    })
    const delivery = this.parts.store.find(id)
    if (delivery) this.added(delivery.url, delivery.dueAtMs ?? 0)
    return ended
  }

  /** Makes one attempt at once; the schedule stays as it is (service §4.7). Throws `Refusal` 503. */
  async resend(id: string): Promise<void> {
    const delivery = this.parts.store.find(id)
    if (!delivery) return
    const lane = this.laneOf(receiverOf(delivery.url))
    lane.resendsWaiting += 1
    this.queued.add(id)
    this.changes += 1
    while (!this.isHalted && (this.underWay.has(id) || this.isFull(lane))) {
      await (this.underWay.get(id) ?? Promise.race(this.underWay.values()))
    }
    lane.resendsWaiting -= 1
    this.queued.delete(id)
    if (!this.isHalted) await this.begin(id, receiverOf(delivery.url), 'resend')
    if (this.isHalted) {
      throw new Refusal(
        503,
        'STORAGE_UNAVAILABLE',
        this.parts.health.state().problem ?? 'The sandbox is being closed.',
        'Then read the record to see whether this one went out.',
      )
    }
  }

  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay.values())
  }

  /** Interrupts attempts without recording them: they are due again when the state is next opened. */
  async close(): Promise<void> {
    this.cancel.abort()
    this.alarm.callOff()
    await this.idle()
    this.releaseAll()
  }

  /** Closed, or results could not be stored: nothing new begins. */
  private get isHalted(): boolean {
    return this.cancel.signal.aborted || this.parts.health.isFailing
  }

  /** The number of attempts that one receiver may have at a time. */
  private get share(): number {
    const {concurrency} = this.parts
    return Math.max(1, Math.min(concurrency, Math.floor(attemptsMax / Math.max(1, this.lanes.size))))
  }

  private isFull(lane: Lane): boolean {
    if (this.parts.clock.isStepping) return this.underWay.size > 0
    return lane.underWay >= this.share || this.underWay.size >= attemptsMax
  }

  private laneOf(receiver: string): Lane {
    const lane = this.lanes.get(receiver) ?? {underWay: 0, resendsWaiting: 0}
    this.lanes.set(receiver, lane)
    return lane
  }

  /** Begins what has become due since the last call. */
  private beginDue(): void {
    this.guard(() => {
      const {store, clock} = this.parts
      if (clock.isStepping) return this.beginNext()
      const nowMs = clock.now()
      for (const receiver of store.listDueReceivers(this.sweptToMs, nowMs)) this.fill(receiver)
      this.sweptToMs = nowMs
      const nextAtMs = store.nextDueAfter(nowMs)
      if (nextAtMs !== null) this.setAlarm(nextAtMs)
    })
  }

  /** Time moves by hand: one attempt after the other, so that a day replays the same. */
  private beginNext(): void {
    const {store, clock} = this.parts
    const isResendWaiting = [...this.lanes.values()].some(({resendsWaiting}) => resendsWaiting > 0)
    if (this.underWay.size > 0 || isResendWaiting) return
    const [next] = store.listDue(1)
    if (!next) return
    if (next.dueAtMs > clock.now()) this.setAlarm(next.dueAtMs)
    else void this.begin(next.id, next.receiver, 'schedule')
  }

  /** Begins what is due at one receiver, within its share. */
  private fill(receiver: string): void {
    const {store, clock} = this.parts
    const lane = this.laneOf(receiver)
    // A waiting resend goes first, or a long backlog would starve it.
    const free = this.share - lane.underWay - lane.resendsWaiting
    if (free > 0) {
      const due = store.listDueOf(receiver, clock.now(), lane.underWay + free)
      for (const {id} of due.filter((one) => !this.underWay.has(one.id)).slice(0, free)) {
        if (this.underWay.size >= attemptsMax) {
          this.crowded.add(receiver)
          break
        }
        void this.begin(id, receiver, 'schedule')
      }
    }
    this.leave(receiver, lane)
  }

  /** An empty lane takes no share. */
  private leave(receiver: string, lane: Lane): void {
    if (lane.underWay + lane.resendsWaiting === 0) this.lanes.delete(receiver)
  }

  private setAlarm(atMs: number): void {
    if (atMs >= this.alarm.atMs) return
    this.alarm.callOff()
    const callOff = this.parts.clock.schedule(atMs, () => {
      this.alarm = {atMs: Number.POSITIVE_INFINITY, callOff: () => {}}
      this.beginDue()
      return this.idle()
    })
    this.alarm = {atMs, callOff}
  }

  private begin(id: string, receiver: string, trigger: DeliveryTrigger): Promise<void> {
    const lane = this.laneOf(receiver)
    lane.underWay += 1
    const begun = {startedBy: trigger, beganAtMs: this.parts.clock.now(), beganRealMs: Date.now()}
    this.begun.set(id, begun)
    this.changes += 1
    const attempt = this.attempt(id, begun)
      .catch((error: unknown) => this.fail(error))
      .then(() => {
        this.underWay.delete(id)
        if (!this.unstored.has(id)) this.begun.delete(id)
        lane.underWay -= 1
        this.leave(receiver, lane)
        this.release(id)
        this.goOn(receiver)
      })
    this.underWay.set(id, attempt)
    return attempt
  }

  private goOn(receiver: string): void {
    this.guard(() => {
      if (this.parts.clock.isStepping) return this.beginNext()
      this.fill(receiver)
      for (const other of [...this.crowded]) {
        if (this.underWay.size >= attemptsMax) break
        this.crowded.delete(other)
        this.fill(other)
      }
    })
  }

  private async attempt(id: string, begun: BegunAttempt): Promise<void> {
    const {store, attempts, clock, commit, log} = this.parts
    const delivery = store.find(id)
    if (!delivery) return
    const {besides, ...exchange} = await this.send(delivery)
    const outcome = outcomeOf(delivery, begun, exchange, clock.now())
    const attempt = {number: outcome.attempts, ...begun}
    const record = () => {
      store.record(id, outcome)
      for (const other of besides) attempts.insert(id, {...other, ...attempt})
      attempts.insert(id, {...exchange, ...attempt, role: 'webhook'})
    }
    try {
      await commit.run(record)
    } catch (error) {
      this.unstored.set(id, record)
      throw error
    }
    if (outcome.dueAtMs !== null) this.setAlarm(outcome.dueAtMs)
    this.attemptsEnded += 1
    log({
      type: 'delivery_attempted',
      deliveryId: id,
      orderNo: delivery.merchantOrderId,
      event: delivery.event,
      trigger: begun.startedBy,
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

  private guard(work: () => void): void {
    if (this.isHalted) return
    try {
      work()
    } catch (error) {
      this.fail(error)
    }
  }

  private fail(error: unknown): void {
    if (this.cancel.signal.aborted) return
    this.parts.health.failed(error)
    this.releaseAll()
  }

  /** The results of the interrupted attempts are stored now. */
  private goOnAfterFailure(): void {
    for (const id of this.unstored.keys()) this.begun.delete(id)
    this.unstored.clear()
    this.wake()
  }
}

/** Scheme, host and port, as in the column `receiver`. */
export function receiverOf(url: string): string {
  return url.slice(0, 8) + (url.slice(8).split('/')[0] ?? '')
}

function outcomeOf(
  delivery: StoredDelivery,
  {startedBy, beganAtMs}: BegunAttempt,
  {responseCode, responseBody}: Exchange,
  endedAtMs: number,
): DeliveryOutcome {
  const isSuccess = isDelivered(responseCode)
  const scheduledAttempts = delivery.scheduledAttempts + (startedBy === 'schedule' ? 1 : 0)
  const delayMs = retryDelaysMs[scheduledAttempts - 1]
  const nextAtMs = delayMs === undefined ? null : endedAtMs + delayMs
  const dueAtMs = startedBy === 'schedule' ? nextAtMs : delivery.dueAtMs
  return {
    status: isSuccess ? 'success' : 'failed',
    responseCode,
    responseBody,
    attempts: delivery.attempts + 1,
    scheduledAttempts,
    dueAtMs: isSuccess ? null : dueAtMs,
    sentAtMs: beganAtMs,
  }
}
