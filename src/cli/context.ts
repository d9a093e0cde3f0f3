import {existsSync} from 'node:fs'
import {join, resolve} from 'node:path'
import type {Config} from '@oclif/core/config'

import type {ServiceClient, ServiceClientOptions} from '../api/client.ts'
import type {LoadedProfile} from '../config/load-profile.ts'
import {Failure} from '../core/failure.ts'
import type {Journal} from '../journal/journal.ts'
import type {Forwarder} from '../receiver/forwarder.ts'
import type {Inbox} from '../receiver/inbox.ts'
import type {Worksheet} from '../worksheet/worksheet.ts'
import {holdHeap} from './heap.ts'
import {interruptSignal} from './interrupt.ts'
import {hideSecret} from './streams.ts'

interface ProfileOptions {
  /** Secrets are used with the line end their file or command gave them (`--exact-secret`). */
  readonly isSecretExact?: boolean | undefined
  /** The command shows the warnings itself. */
  readonly isQuiet?: boolean
}

type ClientOptions = Partial<ServiceClientOptions> & {readonly ordersOnly?: boolean}

/**
 * What a command needs from the world, made when first asked for: profile, client, journal, lock. Heavy rooms
 * are imported here, inside the calls, so that a command pays only for what it uses.
 */
export class Context {
  readonly dataDir: string
  /** Where the configuration is looked for; it need not be there. */
  readonly configPath: string
  private readonly debug: boolean
  private readonly closing: (() => void | Promise<void>)[] = []

  constructor(config: Config, argv: readonly string[]) {
    this.dataDir = process.env.HISAB_DATA_DIR || config.dataDir
    this.configPath = resolve(process.env.HISAB_CONFIG || join(config.configDir, 'config.toml'))
    this.debug = argv.includes('--debug')
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

  /** `ordersOnly`: deposits and payouts are signed with the secret alone; the API key is the legacy API's. */
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
    const client = new Client({
      profile: loaded.profile,
      credentials,
      signal: this.signal,
      ...(this.debug ? {onAttempt: (event) => process.stderr.write(`${JSON.stringify(event)}\n`)} : {}),
      ...options,
    })
    this.closing.push(() => client.close())
    return client
  }

  async journal({profile}: LoadedProfile): Promise<Journal> {
    const {openJournal} = await import('../journal/journal.ts')
    const journal = openJournal(this.dataDir, profile)
    this.closing.push(() => journal.close())
    return journal
  }

  /** For what does not fit into memory, until the command ends. */
  async worksheet(): Promise<Worksheet> {
    const {Worksheet: Sheet} = await import('../worksheet/worksheet.ts')
    holdHeap()
    const sheet = new Sheet()
    this.closing.push(() => sheet.close())
    return sheet
  }

  /** What `webhooks listen` received for this profile and merchant. */
  async inbox({profile}: LoadedProfile): Promise<Inbox> {
    const {openInbox} = await import('../receiver/inbox.ts')
    const inbox = openInbox({dataDir: this.dataDir, owner: profile})
    this.closing.push(() => inbox.close())
    return inbox
  }

  /** What hands events to the merchant's own server. */
  async forwarder(url: string): Promise<Forwarder> {
    const {forwardTimeoutMs, openForwarder} = await import('../receiver/forwarder.ts')
    const forwarder = openForwarder({url, timeoutMs: forwardTimeoutMs})
    this.closing.push(() => forwarder.close())
    return forwarder
  }

  /** For a command that reads only: null where there is no journal yet, or it cannot be read. */
  async journalIfAny(loaded: LoadedProfile): Promise<Journal | null> {
    const {ownedFileName} = await import('../files/owned-database.ts')
    if (!existsSync(join(this.dataDir, 'journal', ownedFileName(loaded.profile)))) return null
    try {
      return await this.journal(loaded)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      process.stderr.write(`warning: hisab's own resends are not shown: ${error.clause}\n`)
      return null
    }
  }

  /** One run a profile (P14). Held until the command ends, however it ends. */
  async lock({profile}: LoadedProfile): Promise<void> {
    const {acquireRunLock} = await import('../journal/lock.ts')
    const lock = acquireRunLock(this.dataDir, profile.name)
    this.closing.push(() => lock.release())
  }

  async close(): Promise<void> {
    for (const close of this.closing.reverse()) await close()
  }
}

/** Throws what stopped a run from outside, if anything did. */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw signal.reason instanceof Failure ? signal.reason : new Error('aborted')
}
