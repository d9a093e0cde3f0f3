import {setImmediate} from 'node:timers/promises'
import {Refusal} from './answers.ts'
import type {Clock} from './clock.ts'
import type {OrderService} from './order-service.ts'
import type {StorageHealth} from './storage-health.ts'
import type {PaySessionStore} from './store/pay-sessions.ts'

interface ExpiryParts {
  readonly sessions: PaySessionStore
  readonly orderService: OrderService
  readonly clock: Clock
  readonly health: StorageHealth
  /** Resolves when no webhook attempt is under way: a stepped clock waits for it. */
  readonly idle: () => Promise<void>
}

const batchMax = 100

/** Fails the deposits whose time to pay is over. Expiry times are stored, so a restarted sandbox catches up. */
export class ExpiryWatch {
  private readonly parts: ExpiryParts
  private nextAtMs = Number.POSITIVE_INFINITY
  private callOff = () => {}
  private isClosed = false

  constructor(parts: ExpiryParts) {
    this.parts = parts
    parts.health.onRecovered(() => this.start())
  }

  /** Fails orders that have expired, and sets the timer for the next one. */
  start(): void {
    const [first] = this.parts.sessions.listExpiring(1)
    if (!first) return
    if (first.expiresAtMs <= this.parts.clock.now()) void this.expireDue()
    else this.watch(first.expiresAtMs)
  }

  /** A deposit that expires at `atMs` was created. */
  watch(atMs: number): void {
    if (this.isClosed || atMs >= this.nextAtMs) return
    this.callOff()
    this.nextAtMs = atMs
    this.callOff = this.parts.clock.schedule(atMs, () => this.expireDue())
  }

  close(): void {
    this.isClosed = true
    this.callOff()
  }

  private async expireDue(): Promise<void> {
    this.nextAtMs = Number.POSITIVE_INFINITY
    try {
      while (!this.isClosed && this.expireBatch() === batchMax) await setImmediate()
      await this.parts.idle()
      if (!this.isClosed) this.start()
    } catch (error) {
      this.parts.health.failed(error)
    }
  }

  private expireBatch(): number {
    const {sessions, orderService, clock} = this.parts
    const nowMs = clock.now()
    const due = sessions.listExpiring(batchMax).filter(({expiresAtMs}) => expiresAtMs <= nowMs)
    for (const {merchantId, orderNo} of due) {
      try {
        orderService.expireDeposit(merchantId, orderNo)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        // Its merchant is no longer set up, and nobody could sign the webhook: it never expires.
        sessions.stopExpiring(merchantId, orderNo)
      }
    }
    return due.length
  }
}
