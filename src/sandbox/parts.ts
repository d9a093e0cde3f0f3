import {type Dialect, defaultDialect} from '../core/dialect.ts'
import type {Paisa} from '../core/money.ts'
import {signByRecipe} from '../core/signing/recipe.ts'
import {type Clock, realClock} from './clock.ts'
import {openControl} from './control.ts'
import {DeliveryEngine} from './deliveries.ts'
import {openSender} from './delivery-sender.ts'
import type {Log} from './events.ts'
import {ExpiryWatch} from './expiry-watch.ts'
import {type FaultPlan, openFaultService} from './faults/fault-service.ts'
import {withWebhookFaults} from './faults/webhook-faults.ts'
import {
  defaultPayoutBalance,
  demonstrationMerchant,
  ordinaryMerchant,
  type SandboxMerchant,
} from './merchants.ts'
import {openOrderService} from './order-service.ts'
import {openPayService} from './pay-service.ts'
import {openRequestLog} from './request-log.ts'
import {openFailedResender} from './resend-failed.ts'
import {openSmsInbox} from './sms/inbox.ts'
import {StorageHealth} from './storage-health.ts'
import {openConsoleDeliveries} from './store/console-deliveries.ts'
import {openStateDatabase} from './store/database.ts'
import {openDeliveryStore} from './store/deliveries.ts'
import {openAttemptStore} from './store/delivery-attempts.ts'
import {openDeliveryList} from './store/delivery-list.ts'
import {openGroupCommit} from './store/group-commit.ts'
import {openOrderLists} from './store/order-lists.ts'
import {openOrderStore} from './store/orders.ts'
import {openPaySessionStore} from './store/pay-sessions.ts'
import {openSmsStore} from './store/sms.ts'
import {LiveFeed} from './web/live-feed.ts'

export interface AssemblyOptions {
  /** Folder of the state, created with mode 0700; null keeps it in memory. */
  readonly dataDir: string | null
  readonly dialect?: Dialect
  readonly clock?: Clock
  /** In addition to the two built-in merchants; the same id replaces one of them. */
  readonly merchants?: readonly SandboxMerchant[]
  /** Balance of a merchant without an `openingBalance`. A stored balance stays. */
  readonly payoutBalance?: Paisa
  readonly log?: Log
  /** Faults in force from the start. */
  readonly faults?: FaultPlan
  readonly deliveryTimeoutMs?: number
  readonly deliverTo?: readonly string[]
  /** False: a deployment without the deprecated webhook log (service §1). */
  readonly isLegacyServed?: boolean
  /** How long a player has to pay before a deposit fails; null: no limit. */
  readonly depositLifetimeMs?: number | null
}

const deliveryTimeoutDefaultMs = 10_000
/** Results that arrive together share one sync of the disk. */
const deliveryConcurrency = 64
/** A receiver has at least this long in real time, however fast the clock runs. */
const attemptPatienceMs = 2000

/** Everything that the sandbox is made of, for its routes and pages. */
export type SandboxParts = ReturnType<typeof openParts>

/** `origin` is the address of payment pages, without a slash at its end. */
export function openParts(options: AssemblyOptions, origin: () => string) {
  const {dialect = defaultDialect, clock = realClock(), isLegacyServed = true} = options
  const {depositLifetimeMs = null, deliverTo = []} = options
  const feed = new LiveFeed(options.log)
  const log = feed.publish
  const merchants: ReadonlyMap<string, SandboxMerchant> = new Map(
    [demonstrationMerchant, ordinaryMerchant, ...(options.merchants ?? [])].map((m) => [m.merchantId, m]),
  )
  for (const merchant of merchants.values()) assertDialectSpoken(dialect, merchant)
  const plan = options.faults ?? {chaos: [], seed: 0}
  const faults = openFaultService(clock, log, plan)
  const {serviceNow, lateMs} = faults
  const db = openStateDatabase(options.dataDir)
  const orders = openOrderStore(db)
  const deliveries = openDeliveryStore(db)
  const attempts = openAttemptStore(db)
  const list = openDeliveryList(db)
  const commit = openGroupCommit(db)
  const sms = openSmsStore(db)
  const sessions = openPaySessionStore(db)
  const orderLists = openOrderLists(db)
  const consoleDeliveries = openConsoleDeliveries(db)
  const health = new StorageHealth(deliveries.probe, log)
  const balance = options.payoutBalance ?? defaultPayoutBalance
  for (const {merchantId, openingBalance = balance} of merchants.values()) {
    orders.openBalance(merchantId, openingBalance)
  }
  clock.resumeFrom(deliveries.latestInstantMs())
  // Again: times such as `+1h` count from the resumed clock.
  faults.set(plan)
  /** How long a receiver has for its whole answer, in real time. */
  const timeoutMs = () => attemptTimeoutMs(clock, options.deliveryTimeoutMs ?? deliveryTimeoutDefaultMs)
  const sender = withWebhookFaults(openSender({timeoutMs, deliverTo}), faults)
  const shared = {deliveries, attempts, merchants, dialect, clock, log, health, sms, sessions}
  const engine = new DeliveryEngine({
    ...shared,
    store: deliveries,
    sender,
    concurrency: deliveryConcurrency,
    commit,
    serviceNow,
  })
  const orderService = openOrderService({
    ...shared,
    db,
    orders,
    depositLifetimeMs,
    onDelivery: (url, dueAtMs) => engine.added(url, dueAtMs),
    onExpiring: (atMs) => expiry.watch(atMs),
    lateMs,
    afterCommit: commit.afterCommit,
  })
  const expiry = new ExpiryWatch({...shared, orderService, idle: () => engine.idle()})
  const payService = openPayService(shared)
  const inbox = openSmsInbox({...shared, store: sms, orderService, onDecided: () => expiry.start()})
  const services = {...shared, engine, orderService, payService, inbox, consoleDeliveries, list}
  return {
    ...services,
    db,
    orderLists,
    commit,
    faults,
    feed,
    sender,
    expiry,
    origin,
    serviceNow,
    timeoutMs,
    isLegacyServed,
    control: openControl(services),
    failedResender: openFailedResender({...services, now: () => clock.now()}),
    requestLog: openRequestLog(merchants, dialect),
  }
}

/** In real time: a stopped clock would never time out, and a fast one before any answer. */
function attemptTimeoutMs({timeScale, isStepping}: Clock, timeoutMs: number): number {
  const patienceMs = Math.min(timeoutMs, attemptPatienceMs)
  return isStepping ? patienceMs : Math.max(patienceMs, timeoutMs / timeScale)
}

/** Finds an invalid recipe now, not at the first webhook. */
function assertDialectSpoken(dialect: Dialect, {merchantId, credentials}: SandboxMerchant): void {
  const parts = {timestamp: '0', method: 'POST', path: '/', body: '', merchantId, apiKey: credentials.apiKey}
  signByRecipe(dialect.legacySignature, parts, credentials)
  if (dialect.webhookSignature.scheme === 'hmac') {
    signByRecipe(dialect.webhookSignature.recipe, parts, credentials)
  }
}
