import type {DatabaseSync} from 'node:sqlite'
import {setImmediate} from 'node:timers/promises'
import {Refusal} from './answers.ts'
import type {Clock} from './clock.ts'
import {type OrderService, type OrderServiceParts, openOrderService} from './order-service.ts'
import {openPayService} from './pay-service.ts'
import {openSmsInbox} from './sms/inbox.ts'
import type {StorageHealth} from './storage-health.ts'
import {openConsoleDeliveries} from './store/console-deliveries.ts'
import {openOrderLists} from './store/order-lists.ts'
import {openPaySessionStore, type PaySessionStore} from './store/pay-sessions.ts'
import {openSmsStore} from './store/sms.ts'

export interface ServicesParts extends Omit<OrderServiceParts, 'sms' | 'onExpiring'> {
  readonly db: DatabaseSync
  /** Resolves when the webhooks under way have been tried. */
  readonly idle: () => Promise<void>
  readonly health: StorageHealth
}

/** Everybody who does something to an order: the service, the players, the SMS desk, time; and who looks at them all. */
export function openServices(parts: ServicesParts) {
  const {db, dialect, clock, log, health, idle} = parts
  const sms = openSmsStore(db)
  const sessions = openPaySessionStore(db)
  const orderService = openOrderService({...parts, sms, onExpiring: (atMs) => expiry.watch(atMs)})
  const expiry = new ExpiryWatch({sessions, orderService, clock, health, idle})
  return {
    orderService,
    expiry,
    sms,
    payService: openPayService({sessions, sms, dialect, clock, log}),
    inbox: openSmsInbox({store: sms, sessions, orderService, clock, log, onDecided: () => expiry.start()}),
    orderLists: openOrderLists(db),
    consoleDeliveries: openConsoleDeliveries(db),
  }
}

interface ExpiryParts {
  readonly sessions: PaySessionStore
  readonly orderService: OrderService
  readonly clock: Clock
  readonly health: StorageHealth
  /** Resolves when the webhooks under way have been tried: a stepped clock goes on only then. */
  readonly idle: () => Promise<void>
}

const batchMax = 100

/**
 * Fails the deposits whose time to pay is over. What expires when stands in the state: a sandbox that was down
 * meanwhile does it when it is next started.
 */
class ExpiryWatch {
  private readonly parts: ExpiryParts
  private nextAtMs = Number.POSITIVE_INFINITY
  private callOff = () => {}
  private isClosed = false

  constructor(parts: ExpiryParts) {
    this.parts = parts
    parts.health.onRecovered(() => this.start())
  }

  /** Fails orders that expired meanwhile, and sets the timer for the next one. */
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
      // Tried again once something can be stored.
      this.parts.health.failed(error)
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
