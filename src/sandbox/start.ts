import type {AddressInfo} from 'node:net'

import {createAdaptorServer, type ServerType} from '@hono/node-server'
import type {Hono} from 'hono'

import {type Dialect, defaultDialect} from '../core/dialect.ts'
import {Failure} from '../core/failure.ts'
import type {Paisa} from '../core/money.ts'
import {sandboxApplyUrl} from '../core/profile.ts'
import {signByRecipe} from '../core/signing/recipe.ts'
import {type Apps, buildApps} from './app.ts'
import {type Clock, realClock} from './clock.ts'
import {openControl, type SandboxControl} from './control.ts'
import {DeliveryEngine} from './deliveries.ts'
import {openSender} from './delivery-sender.ts'
import type {Log} from './events.ts'
import {type FaultPlan, type FaultService, openFaultService} from './faults/fault-service.ts'
import {withWebhookFaults} from './faults/webhook-faults.ts'
import {
  defaultPayoutBalance,
  demonstrationMerchant,
  ordinaryMerchant,
  type SandboxMerchant,
} from './merchants.ts'
import {openServices} from './open-services.ts'
import {openRequestLog, type RequestLog} from './request-log.ts'
import {openFailedResender} from './resend-failed.ts'
import {StorageHealth} from './storage-health.ts'
import {openStateDatabase} from './store/database.ts'
import {openDeliveryStore} from './store/deliveries.ts'
import {openAttemptStore} from './store/delivery-attempts.ts'
import {openDeliveryList} from './store/delivery-list.ts'
import {openGroupCommit} from './store/group-commit.ts'
import {openOrderStore} from './store/orders.ts'
import {versionPath} from './version-path.ts'
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

export interface SandboxOptions extends AssemblyOptions {
  readonly port: number
}

export interface Sandbox {
  readonly url: string
  readonly baseUrl: string
  readonly applyUrl: string
  readonly legacyUrl: string
  readonly consoleUrl: string
  readonly control: SandboxControl
  readonly faults: FaultService
  readonly requestLog: RequestLog
  /** Interrupts webhook attempts; they are made again when the state is next opened. */
  close(): Promise<void>
}

export interface Assembly {
  readonly apps: Apps
  readonly control: SandboxControl
  readonly faults: FaultService
  readonly requestLog: RequestLog
  deliver(): void
  /** Ends every delivery, so that requests waiting for one can finish. */
  stopDelivering(): Promise<void>
  close(): void
}

const loopback = '127.0.0.1'
const deliveryTimeoutDefaultMs = 10_000
/** Results that arrive together share one sync of the disk. */
const deliveryConcurrency = 64
/** A receiver has at least this long in real time, however fast the clock runs. */
const attemptPatienceMs = 2000
/** Connections waiting to be accepted: more than arrive at once in any rehearsal. */
const backlog = 4096
const closeGraceMs = 1000

/**
 * The whole service (docs/service.md), listening on 127.0.0.1 only.
 *
 * Throws `Failure`: `usage` if the port is in use, `locked` if another sandbox uses the folder, `storage_failed`,
 * `config_invalid` for an impossible dialect.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  let url = ''
  let closing: Promise<void> | undefined
  const assembly = assembleSandbox(options, () => url)
  const {deposits, payouts} = assembly.apps
  let servers: readonly Listening[]
  try {
    servers = await listenOnPair([deposits, payouts], options.port)
  } catch (error) {
    assembly.close()
    throw error
  }
  url = `http://${loopback}:${servers[0]?.port}`
  assembly.deliver()
  return {
    url,
    baseUrl: `${url}${versionPath}`,
    applyUrl: sandboxApplyUrl(`${url}${versionPath}`),
    legacyUrl: url,
    consoleUrl: `${url}/console`,
    control: assembly.control,
    faults: assembly.faults,
    requestLog: assembly.requestLog,
    close: () => {
      closing ??= end()
      return closing
    },
  }

  async function end(): Promise<void> {
    await assembly.stopDelivering()
    await Promise.all(servers.map(({server}) => closeServer(server)))
    assembly.close()
  }
}

/** The same without a port. `origin` is the address of payment pages. */
export function assembleSandbox(options: AssemblyOptions, origin: () => string): Assembly {
  const {dialect = defaultDialect, clock = realClock()} = options
  const feed = new LiveFeed(options.log)
  const log = feed.publish
  const merchants = new Map(
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
  const {afterCommit} = commit
  const health = new StorageHealth(deliveries.probe, log)
  for (const {
    merchantId,
    openingBalance = options.payoutBalance ?? defaultPayoutBalance,
  } of merchants.values()) {
    orders.openBalance(merchantId, openingBalance)
  }
  clock.resumeFrom(deliveries.latestInstantMs())
  // Again: times such as `+1h` count from the resumed clock.
  faults.set(plan)
  const timeoutMs = () => attemptTimeoutMs(clock, options.deliveryTimeoutMs ?? deliveryTimeoutDefaultMs)
  const direct = openSender({
    timeoutMs,
    deliverTo: options.deliverTo ?? [],
  })
  const sender = withWebhookFaults(direct, faults)
  const engine = new DeliveryEngine({
    store: deliveries,
    attempts,
    sender,
    clock,
    merchants,
    dialect,
    concurrency: deliveryConcurrency,
    health,
    commit,
    serviceNow,
    log,
  })
  const onDelivery = (url: string, dueAtMs: number) => engine.added(url, dueAtMs)
  const shared = {deliveries, attempts, merchants, dialect, clock, log, health}
  const services = openServices({
    ...{...shared, db, orders, onDelivery, lateMs, afterCommit},
    depositLifetimeMs: options.depositLifetimeMs ?? null,
    idle: () => engine.idle(),
  })
  const control = openControl({...shared, ...services, engine, list})
  const failedResender = openFailedResender({...shared, ...services, engine, now: () => clock.now()})
  const requestLog = openRequestLog(merchants, dialect)
  const isLegacyServed = options.isLegacyServed ?? true
  return {
    apps: buildApps({
      ...{
        ...shared,
        ...services,
        commit,
        control,
        requestLog,
        engine,
        failedResender,
        timeoutMs,
        list,
        origin,
        feed,
        isLegacyServed,
        faults,
        serviceNow,
      },
    }),
    control: health.explained(control),
    faults,
    requestLog,
    deliver() {
      engine.wake()
      services.expiry.start()
    },
    async stopDelivering() {
      services.expiry.close()
      feed.close()
      health.close()
      await engine.close()
      await sender.close()
    },
    close: () => db.close(),
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

interface Listening {
  readonly server: ServerType
  readonly port: number
}

const pairTriesMax = 50

/** One app on `port` and the other on the next, so that one address gives the other. */
async function listenOnPair([first, second]: readonly [Hono, Hono], port: number): Promise<Listening[]> {
  for (let tries = 1; ; tries += 1) {
    const deposits = await listen(first, port)
    try {
      return [deposits, await listen(second, deposits.port + 1)]
    } catch (error) {
      await closeServer(deposits.server)
      if (port !== 0 || tries === pairTriesMax) throw error
    }
  }
}

async function listen({fetch}: Hono, port: number): Promise<Listening> {
  const server = createAdaptorServer({
    fetch,
    hostname: loopback,
    overrideGlobalObjects: false,
    serverOptions: {headersTimeout: 10_000, requestTimeout: 30_000},
  })
  const {promise, resolve, reject} = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({port, host: loopback, backlog}, resolve)
  try {
    await promise
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new Failure(
      'usage',
      `The sandbox cannot listen on ${loopback}:${port} (${reason}).`,
      'Stop what is using the port, or name another with --port: payouts have the next one.',
    )
  }
  return {server, port: (server.address() as AddressInfo).port}
}

async function closeServer(server: ServerType): Promise<void> {
  const {promise, resolve} = Promise.withResolvers<void>()
  server.close(() => resolve())
  const grace = setTimeout(
    () => 'closeAllConnections' in server && server.closeAllConnections(),
    closeGraceMs,
  )
  await promise
  clearTimeout(grace)
}
