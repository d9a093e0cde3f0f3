import {join, resolve} from 'node:path'
import type {Config} from '@oclif/core/config'
import type {ServiceClient, ServiceClientOptions} from '../api/client.ts'
import type {EndpointMemory} from '../api/known-endpoints.ts'
import type {LoadedProfile} from '../config/load-profile.ts'
import {Failure} from '../core/failure.ts'
import type {Delivery, OrderKind} from '../core/order.ts'
import {addressesOf, type Profile} from '../core/profile.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import {requireTrusted} from '../files/trust.ts'
import type {Journal, JournalOptions} from '../journal/journal.ts'
import type {SharedJournal} from '../journal/postgres/journal.ts'
import type {DatabaseAddress} from '../journal/postgres/settings.ts'
import type {Forwarder} from '../receiver/forwarder.ts'
import type {Inbox} from '../receiver/inbox.ts'
import type {Staging} from '../staging/staging.ts'
import {tellAddress, tellClock} from './clock-note.ts'
import {dataDirOf} from './data-dir.ts'
import {tellDropped} from './dropped-rows.ts'
import {holdHeap} from './heap.ts'
import {interruptSignal} from './interrupt.ts'
import type {QuietJournal} from './resend-ends.ts'
import {hideSecret} from './streams.ts'

interface HeldLock {
  /** One more with each run that took the lease of a shared journal. */
  readonly fence: number
  release(): Promise<void>
}

interface ProfileOptions {
  /** Secrets are used with the line end their file or command gave them (`--exact-secret`). */
  readonly isSecretExact?: boolean | undefined
  /** The command shows the warnings itself. */
  readonly isQuiet?: boolean
}

type JournalAsked = Omit<JournalOptions, 'addresses' | 'profileName' | 'isEnvironmentNamed'>

type ClientOptions = Partial<ServiceClientOptions> & {readonly ordersOnly?: boolean | OrderKind}

/** Milliseconds at the pace of a watch: what waits and durations are measured by, whatever the clock is set to (P17). */
export function monotonic(): number {
  return performance.now()
}

/**
 * What a command needs from the world, made when first asked for: profile, client, journal, lock. Heavy rooms
 * are imported here, inside the calls, so that a command pays only for what it uses.
 */
export class Context {
  /** Where the configuration is looked for; it need not be there. */
  readonly configPath: string
  private readonly config: Config
  private readonly debug: boolean
  /** The command, as a person reads it. */
  private readonly doing: string
  private opened: Journal | undefined
  private shared: Promise<SharedJournal> | undefined
  private hasLock = false
  private isDataTrusted = false
  private readonly closing: (() => void | Promise<void>)[] = []

  constructor(config: Config, argv: readonly string[], id = '') {
    this.config = config
    this.doing = `hisab ${id.replaceAll(':', ' ')}`
    this.configPath = resolve(process.env.HISAB_CONFIG || join(config.configDir, 'config.toml'))
    this.debug = argv.includes('--debug')
  }

  /**
   * Throws `config_invalid` for one that is not a whole path, and where another user could exchange what is in it: a
   * journal that was taken away is no reason to send again.
   */
  get dataDir(): string {
    const dir = this.namedDataDir
    if (!this.isDataTrusted) requireTrusted(dir, `The data directory ${escapeInvisible(dir)}`)
    this.isDataTrusted = true
    return dir
  }

  /** The same without a look at it, for the doctor, who says what is wrong with it. */
  get namedDataDir(): string {
    return dataDirOf(this.config)
  }

  /** Of hisab: what wrote a run's evidence. */
  get version(): string {
    return this.config.version
  }

  /** Aborted by the first Ctrl-C or SIGTERM: calls under way finish, no new one starts. A second one ends the process. */
  get signal(): AbortSignal {
    return interruptSignal()
  }

  /** `signing`: offline work, which needs a secret and neither merchant nor addresses. */
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
    // Reading a secret may add warnings, so they are told when the command ends.
    this.closing.push(() =>
      loaded.warnings.forEach((text) => void process.stderr.write(`warning: ${text}\n`)),
    )
    return loaded
  }

  /** `ordersOnly`: deposits and payouts, or those of one kind, are signed with the secret alone; the API key is the legacy API's. */
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
      signal: this.signal,
      ...(this.debug ? {onAttempt: (event) => process.stderr.write(`${JSON.stringify(event)}\n`)} : {}),
      ...options,
    })
    if (ordersOnly) this.closing.push(() => tellClock(client.clockSkewMs, ordersOnly !== 'deposit'))
    this.closing.push(() => tellAddress(client.strangeSettings))
    this.closing.push(() => client.close())
    return client
  }

  /**
   * Which addresses knew an order, as the journal remembers it (A5). A journal that cannot be had is no reason to
   * stop: then only what this process saw counts.
   */
  private async endpointMemory(loaded: LoadedProfile): Promise<EndpointMemory> {
    const attempt = await this.quietJournal(loaded)
    return {
      knewAnOrder: async (address) => (await attempt((one) => one.knewAnOrder(address))) ?? false,
      recordKnewAnOrder: (address) => attempt((one) => one.recordKnewAnOrder(address, Date.now())),
    }
  }

  /**
   * Ends what is in doubt about resends by the records that any command reads. Where the journal cannot be had, the
   * doubt stays, and the next command ends it.
   */
  private async resendEnds(loaded: LoadedProfile): Promise<((record: Delivery) => Promise<void>) | null> {
    if (!(await this.hasJournal(loaded))) return null
    const {endingByRecords} = await import('./resend-ends.ts')
    const isBusy = async () => !this.hasLock && (await this.activeRun(loaded)) !== null
    const {onDelivery, notes} = endingByRecords(await this.quietJournal(loaded), isBusy)
    this.closing.push(() => notes().forEach((note) => void process.stderr.write(`${note}\n`)))
    return onDelivery
  }

  /** Work on the journal that a command can do without: undefined where it cannot be had. */
  private async quietJournal(loaded: LoadedProfile): Promise<QuietJournal> {
    const {profile} = loaded
    const {openJournal} = await import('../journal/journal.ts')
    let isLost = false
    return async (work) => {
      try {
        if (isLost) return undefined
        if (loaded.sharedJournal) this.opened = await this.sharedJournal(loaded)
        else if (!this.opened) {
          const journal = openJournal(this.dataDir, profile, userOf(profile))
          this.closing.push(() => journal.close())
          this.opened = journal
        }
        return await work(this.opened)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        isLost = true
        return undefined
      }
    }
  }

  /** The merchant's journal. Throws `config_invalid` for an address that is not this journal's. */
  async journal(loaded: LoadedProfile, options: JournalAsked = {}): Promise<Journal> {
    const {profile} = loaded
    if (loaded.sharedJournal) return await this.sharedJournal(loaded, options)
    const {openJournal} = await import('../journal/journal.ts')
    const {authorOf} = await import('./author.ts')
    const author = authorOf()
    const journal = openJournal(this.dataDir, profile, {...userOf(profile), author, ...options})
    this.closing.push(() => journal.close())
    this.opened = journal
    tellTakenOver(journal)
    return journal
  }

  /** The journal in a database. What this machine alone remembers is to be moved there first. */
  async sharedJournal(loaded: LoadedProfile, options: JournalAsked = {}): Promise<SharedJournal> {
    this.shared ??= this.openShared(loaded, options)
    return await this.shared
  }

  private async openShared(loaded: LoadedProfile, options: JournalAsked): Promise<SharedJournal> {
    const {profile} = loaded
    const path = await this.ownJournalPath(loaded)
    if (path !== null)
      throw new Failure(
        'config_invalid',
        `This machine has its own journal for this merchant, ${escapeInvisible(path)}. The shared journal does not have its rows. Nothing was sent.`,
        `Run: hisab journal import --profile ${quoteForShell(profile.name)}.`,
      )
    const {authorOf} = await import('./author.ts')
    const {openSharedJournal} = await import('../journal/postgres/journal.ts')
    const user = {dataDir: this.dataDir, account: profile, ...userOf(profile)}
    const address = await this.sharedAddress(loaded)
    const {timeZone} = profile.ledger
    const journal = await openSharedJournal(this.dataDir, address, user, {
      ...{author: authorOf(), doing: this.doing, timeZone},
      ...options,
    })
    this.closing.push(() => journal.close())
    const {restored} = journal
    if (restored)
      process.stderr.write(
        `warning: ${restored.text}. ${restored.isStopped ? 'Nothing is sent. ' : ''}${restored.hint}\n`,
      )
    return journal
  }

  /** Throws `usage` where the journal is on this machine. */
  async sharedAddress({sharedJournal}: Pick<LoadedProfile, 'sharedJournal'>): Promise<DatabaseAddress> {
    if (sharedJournal === null)
      throw new Failure(
        'usage',
        'The journal of this profile is on this machine.',
        'Set journal = { file = "…" } in the profile, or HISAB_JOURNAL, to the URL of the database.',
      )
    const {readAddress} = await import('../journal/postgres/settings.ts')
    const address = readAddress(await sharedJournal.url(), sharedJournal.place)
    if (address.password !== '') hideSecret(address.password)
    return address
  }

  /** Whether there is anything to remember from. */
  private async hasJournal(loaded: LoadedProfile): Promise<boolean> {
    return loaded.sharedJournal !== null || (await this.ownJournalPath(loaded)) !== null
  }

  /** The journal on this machine; null where there is none. */
  async ownJournalPath({profile}: LoadedProfile): Promise<string | null> {
    const {journalPath} = await import('../journal/journal.ts')
    return journalPath(this.dataDir, profile, addressesOf(profile))
  }

  /** Who is at work for the merchant, as far as it is known; null where nobody is. */
  async activeRun(loaded: LoadedProfile): Promise<string | null> {
    if (loaded.sharedJournal) {
      const {holderText} = await import('../journal/postgres/lease.ts')
      const {holder} = await (await this.sharedJournal(loaded)).leaseState()
      return holder && holderText(holder, loaded.profile.ledger.timeZone)
    }
    const {isLockHeld} = await import('../journal/inspect.ts')
    return isLockHeld(this.dataDir, loaded.profile) ? 'another hisab on this machine' : null
  }

  /** For what does not fit into memory, until the command ends. */
  async staging(): Promise<Staging> {
    const {Staging} = await import('../staging/staging.ts')
    holdHeap()
    const staging = new Staging()
    this.closing.push(() => staging.close())
    return staging
  }

  /** What `webhooks listen` received for this merchant. Throws `config_invalid` as `journal` does. */
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

  /** Null where nothing was ever received. */
  async inboxIfAny(loaded: LoadedProfile): Promise<Inbox | null> {
    const {hasInbox} = await import('../receiver/inbox.ts')
    return hasInbox(this.dataDir, loaded.profile) ? await this.inbox(loaded) : null
  }

  async forwarder(url: string): Promise<Forwarder> {
    const {forwardTimeoutMs, openForwarder} = await import('../receiver/forwarder.ts')
    const forwarder = openForwarder({url, timeoutMs: forwardTimeoutMs})
    this.closing.push(() => forwarder.close())
    return forwarder
  }

  /** For a command that reads only: null where there is no journal yet, or it cannot be read. */
  async journalIfAny(
    loaded: LoadedProfile,
    consequence = "hisab's own resends are not shown",
  ): Promise<Journal | null> {
    if (!(await this.hasJournal(loaded))) return null
    try {
      return await this.journal(loaded)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      process.stderr.write(`warning: ${consequence}: ${error.clause}\n`)
      return null
    }
  }

  /** One run a merchant and environment (P14), whatever names them. Held until it is released, or the command ends. */
  async lock(loaded: LoadedProfile): Promise<HeldLock> {
    const {acquireRunLock} = await import('../journal/lock.ts')
    const lock = loaded.sharedJournal
      ? await (await this.sharedJournal(loaded)).takeLease()
      : {fence: 0, ...acquireRunLock(this.dataDir, loaded.profile)}
    this.hasLock = true
    this.closing.push(() => lock.release())
    return {
      fence: lock.fence,
      release: async () => {
        await lock.release()
        this.hasLock = false
      },
    }
  }

  /** When the command ends, however it ends. */
  onClose(work: () => void): void {
    this.closing.push(work)
  }

  /** For what a run at work may contradict. Throws `locked`; takes no lock, so that no run is turned away. */
  async refuseDuringRun(loaded: LoadedProfile): Promise<void> {
    if (!loaded.sharedJournal) {
      if ((await this.activeRun(loaded)) === null) return
      const {heldByAnother} = await import('../journal/lock.ts')
      throw heldByAnother(loaded.profile)
    }
    const {holder} = await (await this.sharedJournal(loaded)).leaseState()
    if (holder === null) return
    const {heldBy} = await import('../journal/postgres/lease.ts')
    throw heldBy(loaded.profile, holder, loaded.profile.ledger.timeZone)
  }

  /** Whether a run that says it is running does. */
  async isRunActive(loaded: LoadedProfile): Promise<boolean> {
    if (loaded.sharedJournal) return (await this.activeRun(loaded)) !== null
    try {
      await this.lock(loaded)
      return false
    } catch (error) {
      if (error instanceof Failure && error.code === 'locked') return true
      throw error
    }
  }

  async close(): Promise<void> {
    for (const close of this.closing.reverse()) await close()
  }
}

/** Throws what stopped a run from outside, if anything did. */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw signal.reason instanceof Failure ? signal.reason : new Error('aborted')
}

/** Where a profile's service is, and how that came to be known. */
function userOf(profile: Profile) {
  const {name: profileName, isEnvironmentNamed} = profile
  return {addresses: addressesOf(profile), profileName, isEnvironmentNamed}
}

/** Names the journals of versions before that were taken over, and their rows that were not kept. */
function tellTakenOver(journal: Journal): void {
  for (const path of journal.merged) {
    process.stderr.write(`note: the journal ${escapeInvisible(path)} of the same merchant was taken over.\n`)
  }
  tellDropped(journal.dropped)
}
