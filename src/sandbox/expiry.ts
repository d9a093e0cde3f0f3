import {setImmediate} from 'node:timers/promises'

import {Refusal} from './answers.ts'
import type {Clock} from './clock.ts'
import type {Log} from './events.ts'
import type {OrderService} from './order-service.ts'
import type {PaySessionStore} from './store/pay-sessions.ts'

export interface ExpiryParts {
  readonly sessions: PaySessionStore
  readonly orderService: OrderService
  readonly clock: Clock
  readonly log: Log
  /** Resolves when the webhooks under way have been tried: a stepped clock goes on only then. */
  readonly idle: () => Promise<void>
}

const batchMax = 100

/**
 * Fails the deposits whose time to pay is over. What expires when stands in the state: a sandbox that was down
 * meanwhile does it when it is next started.
 */
export class ExpiryWatch {
  private readonly parts: ExpiryParts
  private nextAtMs = Number.POSITIVE_INFINITY
  private callOff = () => {}
  private isClosed = false

  constructor(parts: ExpiryParts) {
    this.parts = parts
  }

  /** Fails what expired while nobody watched, and sets the alarm for what expires next. */
  start(): void {
    const [first] = this.parts.sessions.listExpiring(1)
    if (!first) return
    if (first.expiresAtMs <= this.parts.clock.now()) void this.expireDue()
    else this.watch(first.expiresAtMs)
  }

  /** A deposit that expires at `atMs` has been made. Costs nothing where an earlier one is awaited already. */
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
      // Tried again at the next alarm, or at the next start.
      const reason = error instanceof Error ? error.message : String(error)
      this.parts.log({type: 'defect', message: `Deposits have stopped expiring: ${reason}`})
    }
  }

  /** Answers how many were due. */
  private expireBatch(): number {
    const {sessions, orderService, clock} = this.parts
    const nowMs = clock.now()
    const due = sessions.listExpiring(batchMax).filter(({expiresAtMs}) => expiresAtMs <= nowMs)
    for (const {merchantId, orderNo} of due) {
      try {
        orderService.expireDeposit(merchantId, orderNo)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        // Its merchant is not set up any more, and nobody could sign the webhook: it waits for ever.
        sessions.stopExpiring(merchantId, orderNo)
      }
    }
    return due.length
  }
}
