import type {LoadedProfile} from '../config/load-profile.ts'
import {asFailure, Failure} from '../core/failure.ts'
import {addressesOf, type Profile} from '../core/profile.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import type {Journal, JournalOptions} from '../journal/journal.ts'
import type {SharedJournal} from '../journal/postgres/journal.ts'
import type {DatabaseAddress} from '../journal/postgres/settings.ts'
import {tellDropped} from './dropped-rows.ts'
import type {QuietJournal} from './resend-ends.ts'
import {hideSecret} from './streams.ts'

type JournalAsked = Omit<JournalOptions, 'addresses' | 'profileName' | 'isEnvironmentNamed'>

/** Access to the merchant's journal, on this machine or in a database, with its lock and who is at work. */
export abstract class JournalAccess {
  abstract readonly dataDir: string
  private readonly doing: string
  private opened: Journal | undefined
  private shared: Promise<SharedJournal> | undefined
  protected hasLock = false
  protected readonly closing: (() => void | Promise<void>)[] = []

  constructor(doing: string) {
    this.doing = doing
  }

  /** Throws `config_invalid` for an address that does not belong to this journal. */
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

  /** For commands that only read: null if there is no journal yet, or it cannot be read. */
  async journalIfAny(
    loaded: LoadedProfile,
    consequence = "hisab's own resends are not shown",
  ): Promise<Journal | null> {
    if (!(await this.hasJournal(loaded))) return null
    try {
      return await this.journal(loaded)
    } catch (thrown) {
      const error = asFailure(thrown)
      process.stderr.write(`warning: ${consequence}: ${error.clause}\n`)
      return null
    }
  }

  /** Optional work on the journal: undefined if the journal cannot be opened. */
  protected async quietJournal(loaded: LoadedProfile): Promise<QuietJournal> {
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
      } catch (thrown) {
        asFailure(thrown)
        isLost = true
        return undefined
      }
    }
  }

  protected async hasJournal(loaded: LoadedProfile): Promise<boolean> {
    return loaded.sharedJournal !== null || (await this.ownJournalPath(loaded)) !== null
  }

  /** The journal on this machine, or null. */
  async ownJournalPath({profile}: LoadedProfile): Promise<string | null> {
    const {journalPath} = await import('../journal/journal.ts')
    return journalPath(this.dataDir, profile, addressesOf(profile))
  }

  /** The journal in a database. This machine's own journal must be moved there first. */
  async sharedJournal(loaded: LoadedProfile, options: JournalAsked = {}): Promise<SharedJournal> {
    this.shared ??= this.openShared(loaded, options)
    return await this.shared
  }

  /** Throws `usage` if the journal is on this machine. */
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

  /**
   * One run at a time for a merchant and environment (P14), whatever the profile's name. Held until it is released,
   * or the command ends.
   */
  async lock(loaded: LoadedProfile) {
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

  /** Who is at work for the merchant, or null. */
  async activeRun(loaded: LoadedProfile): Promise<string | null> {
    if (loaded.sharedJournal) {
      const {holderText} = await import('../journal/postgres/lease.ts')
      const {holder} = await (await this.sharedJournal(loaded)).leaseState()
      return holder && holderText(holder, loaded.profile.ledger.timeZone)
    }
    const {isLockHeld} = await import('../journal/inspect.ts')
    return isLockHeld(this.dataDir, loaded.profile) ? 'another hisab on this machine' : null
  }

  /** For changes that a running command may contradict. Throws `locked`, without taking the lock. */
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

  /** Whether a run recorded as running really is. */
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

  /** Runs when the command ends, however it ends. */
  onClose(work: () => void): void {
    this.closing.push(work)
  }

  async close(): Promise<void> {
    for (const close of this.closing.reverse()) await close()
  }
}

export function userOf(profile: Profile) {
  const {name: profileName, isEnvironmentNamed} = profile
  return {addresses: addressesOf(profile), profileName, isEnvironmentNamed}
}

/** Names journals of earlier versions that were merged, and their rows that were dropped. */
function tellTakenOver(journal: Journal): void {
  for (const path of journal.merged) {
    process.stderr.write(`note: the journal ${escapeInvisible(path)} of the same merchant was taken over.\n`)
  }
  tellDropped(journal.dropped)
}
