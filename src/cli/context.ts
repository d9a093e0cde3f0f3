import {join, resolve} from 'node:path'
import type {Config} from '@oclif/core/config'
import type {OnPayoutEnd, ServiceClient, ServiceClientOptions} from '../api/client.ts'
import type {EndpointMemory} from '../api/known-endpoints.ts'
import type {LoadedProfile} from '../config/load-profile.ts'
import {isClockOff} from '../core/clocks.ts'
import {Failure} from '../core/failure.ts'
import type {Delivery, OrderKind} from '../core/order.ts'
import {escapeInvisible} from '../core/text.ts'
import {requireTrusted} from '../files/trust.ts'
import type {Forwarder} from '../receiver/forwarder.ts'
import type {Inbox} from '../receiver/inbox.ts'
import {clockText} from '../report/figures.ts'
import type {Staging} from '../staging/staging.ts'
import type {WhyReceived} from '../workflows/resend/received.ts'
import {dataDirOf} from './data-dir.ts'
import {holdHeap} from './heap.ts'
import {interruptSignal} from './interrupt.ts'
import {JournalAccess, userOf} from './journal-access.ts'
import {profileIn, withProfile} from './named-commands.ts'
import {hideSecret} from './streams.ts'

interface ProfileOptions {
  /** Keep the line end of a secret's file or command (`--exact-secret`). */
  readonly isSecretExact?: boolean | undefined
  /** The command shows the warnings itself. */
  readonly isQuiet?: boolean
}

type ClientOptions = Partial<ServiceClientOptions> & {readonly ordersOnly?: boolean | OrderKind}

/** Milliseconds for waits and durations, whatever happens to the wall clock (P17). */
export function monotonic(): number {
  return performance.now()
}

/**
 * What a command needs: profile, client, journal, lock. Each is opened on first use, and heavy modules are imported
 * inside the calls, so that a command loads only what it uses.
 */
export class Context extends JournalAccess {
  readonly configPath: string
  private readonly config: Config
  private readonly debug: boolean
  private readonly argv: readonly string[]
  private isDataTrusted = false

  constructor(config: Config, argv: readonly string[], id = '') {
    super(`hisab ${id.replaceAll(':', ' ')}`)
    this.config = config
    this.configPath = resolve(process.env.HISAB_CONFIG || join(config.configDir, 'config.toml'))
    this.debug = argv.includes('--debug')
    this.argv = argv
  }

  /**
   * Throws `config_invalid` for a relative path, and if another user could exchange the content: a missing journal
   * must never look like an empty one.
   */
  get dataDir(): string {
    const dir = this.namedDataDir
    if (!this.isDataTrusted) requireTrusted(dir, `The data directory ${escapeInvisible(dir)}`)
    this.isDataTrusted = true
    return dir
  }

  /** The same without the checks, for the doctor, which reports them. */
  get namedDataDir(): string {
    return dataDirOf(this.config)
  }

  /** hisab's version, for a run's evidence. */
  get version(): string {
    return this.config.version
  }

  /**
   * Aborted by the first Ctrl-C or SIGTERM: calls under way finish, no new one starts. A second one ends the process.
   */
  get signal(): AbortSignal {
    return interruptSignal()
  }

  /** `signing`: offline work, which needs only the secret. */
  async loadProfile(
    name: string | undefined,
    needs: 'service' | 'signing' = 'service',
    {isSecretExact = false, isQuiet = false}: ProfileOptions = {},
  ): Promise<LoadedProfile> {
    const {loadProfile} = await import('../config/load-profile.ts')
    const {env} = process
    const {configPath} = this
    const loaded = await loadProfile({env, configPath, profileFlag: name ?? null, needs, isSecretExact})
    if (isQuiet) return loaded
    // Reading a secret may add warnings, so they are shown when the command ends.
    this.closing.push(() => this.tell(...loaded.warnings.map((text) => `warning: ${text}`)))
    return loaded
  }

  private tell(...notes: readonly string[]): void {
    for (const note of notes) process.stderr.write(`${withProfile(note, profileIn(this.argv))}\n`)
  }

  /** `ordersOnly`: deposits and payouts are signed with the secret alone; only the legacy API needs the API key. */
  async client(
    loaded: LoadedProfile,
    {ordersOnly = false, ...options}: ClientOptions = {},
  ): Promise<ServiceClient> {
    const credentials = ordersOnly
      ? {apiSecret: await loaded.apiSecret(), apiKey: ''}
      : await loaded.credentials()
    hideSecret(credentials.apiSecret)
    hideSecret(credentials.apiKey)
    const {ServiceClient: Client} = await import('../api/client.ts')
    const onDelivery = ordersOnly ? null : await this.resendEnds(loaded)
    const client = new Client({
      profile: loaded.profile,
      credentials,
      endpointMemory: await this.endpointMemory(loaded),
      ...(onDelivery ? {onDelivery} : {}),
      onPayoutEnd: await this.endMemory(loaded),
      signal: this.signal,
      ...(this.debug ? {onAttempt: (event) => process.stderr.write(`${JSON.stringify(event)}\n`)} : {}),
      ...options,
    })
    if (ordersOnly)
      this.closing.push(() => this.tell(...clockNotes(client.clockSkewMs, ordersOnly !== 'deposit')))
    this.closing.push(() => this.tell(...addressNotes(client.strangeSettings)))
    this.closing.push(() => client.close())
    return client
  }

  /** Which addresses knew an order, from the journal (A5). Without a journal only this process's answers count. */
  private async endpointMemory(loaded: LoadedProfile): Promise<EndpointMemory> {
    const attempt = await this.quietJournal(loaded)
    return {
      knewAnOrder: async (address) => (await attempt((one) => one.knewAnOrder(address))) ?? false,
      recordKnewAnOrder: (address) => attempt((one) => one.recordKnewAnOrder(address, Date.now())),
    }
  }

  /**
   * Whichever command sees that a payout failed, the journal keeps it: the service may show it otherwise later. That it was
   * completed is kept of one that repeats or replaces another.
   */
  private async endMemory(loaded: LoadedProfile): Promise<OnPayoutEnd> {
    const attempt = await this.quietJournal(loaded)
    const seen = new Set<string>()
    // Most merchants create their payouts elsewhere, so one query shows whether any look-up is needed.
    let newest: Promise<unknown[] | undefined> | undefined
    const isKept = async (orderNo: string) => {
      newest ??= attempt((one) => one.listRequests('payout', 1))
      if (!(await newest)?.length) return false
      const row = await attempt((one) => one.findRequest('payout', orderNo))
      return row != null && row.repeatsAllowed.length > 0 && row.seenCompletedMs === null
    }
    return async (orderNo, status) => {
      if (status === 'completed') {
        if (await isKept(orderNo)) await attempt((one) => one.recordSeenCompleted(orderNo, Date.now()))
        return
      }
      if (seen.has(orderNo)) return
      seen.add(orderNo)
      await attempt((one) => one.recordSeenFailed(orderNo, Date.now()))
    }
  }

  /**
   * Resolves doubts about resends by the records that a command reads. Without a journal, the next command does it.
   */
  private async resendEnds(loaded: LoadedProfile): Promise<((record: Delivery) => Promise<void>) | null> {
    if (!(await this.hasJournal(loaded))) return null
    const {endingByRecords} = await import('./resend-ends.ts')
    const isBusy = async () => !this.hasLock && (await this.activeRun(loaded)) !== null
    const {onDelivery, notes} = endingByRecords(await this.quietJournal(loaded), isBusy)
    this.closing.push(() => this.tell(...notes()))
    return onDelivery
  }

  /** A store for data larger than memory, removed when the command ends. */
  async staging(): Promise<Staging> {
    const {Staging} = await import('../staging/staging.ts')
    holdHeap()
    const staging = new Staging()
    this.closing.push(() => staging.close())
    return staging
  }

  async inbox({profile}: LoadedProfile): Promise<Inbox> {
    const {beginReceiving, refuseElsewhere} = await import('../journal/inspect.ts')
    const user = {dataDir: this.dataDir, account: profile, ...userOf(profile)}
    refuseElsewhere(user)
    const {openInbox} = await import('../receiver/inbox.ts')
    const {dataDir} = this
    const inbox = openInbox({
      ...{dataDir, account: profile, words: profile.dialect.status, addresses: user.addresses},
      inTurn: (begin) => beginReceiving(user, begin),
    })
    this.closing.push(() => inbox.close())
    return inbox
  }

  /** Null if nothing was ever received. */
  async inboxIfAny(loaded: LoadedProfile): Promise<Inbox | null> {
    const {hasInbox} = await import('../receiver/inspect-inbox.ts')
    return hasInbox(this.dataDir, loaded.profile) ? await this.inbox(loaded) : null
  }

  /** What was received here speaks against sending it again; nothing, if nothing was ever received. */
  async received(loaded: LoadedProfile): Promise<WhyReceived> {
    const inbox = await this.inboxIfAny(loaded)
    if (inbox === null) return () => null
    const {receivedBy} = await import('../workflows/resend/received.ts')
    return receivedBy((about) => inbox.list({about, rowsMax: -1}), loaded.profile.dialect)
  }

  async forwarder(url: string): Promise<Forwarder> {
    const {forwardTimeoutMs, openForwarder} = await import('../receiver/forwarder.ts')
    const forwarder = openForwarder({url, timeoutMs: forwardTimeoutMs})
    this.closing.push(() => forwarder.close())
    return forwarder
  }
}

/** Throws the reason if the run was stopped by a signal. */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw signal.reason instanceof Failure ? signal.reason : new Error('aborted')
}

/** Reports a wrong clock and never corrects it (P19). */
function clockNotes(skewMs: number | null, paysOut: boolean): readonly string[] {
  if (!isClockOff(skewMs)) return []
  const meanwhile = paysOut
    ? ' Until it is set right, payouts count as repetitions at any age, and the ceiling counts the day of either clock.'
    : ''
  return [`warning: ${clockText(skewMs)}.${meanwhile}`]
}

/** A note only: a single answer may have come from a proxy. */
function addressNotes(settings: readonly string[]): readonly string[] {
  return settings.length === 0
    ? []
    : [
        `warning: No answer from ${settings.join(' and ')} was one of the payment service. The address may be wrong: run \`hisab doctor\`.`,
      ]
}
