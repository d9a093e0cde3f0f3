import type {LoadedProfile} from '../config/load-profile.ts'
import type {Context} from './context.ts'

/** The right to send, for a command that asks first. */
export interface Turn {
  /** Throws `locked`. True if another run worked since this one began to look. */
  take(): Promise<boolean>
  /** Releases it, to ask again. */
  giveBack(): Promise<void>
}

/**
 * The lock of a command that looks, asks and then sends. Of a shared journal it is taken only after the answer, so
 * that a person at a question blocks nobody. If others worked meanwhile, the plan is made again.
 */
export async function turnOf(context: Context, loaded: LoadedProfile, isAsking: boolean): Promise<Turn> {
  if (!loaded.sharedJournal || !isAsking) {
    await context.lock(loaded)
    return {take: async () => false, giveBack: async () => undefined}
  }
  const journal = await context.sharedJournal(loaded)
  let before = await journal.leaseState()
  let lock: Awaited<ReturnType<Context['lock']>> | undefined
  const who = before.holder && (await context.activeRun(loaded))
  if (who !== null)
    process.stderr.write(
      `note: at work now: ${who} You can look. This command sends nothing before that is over.\n`,
    )
  return {
    async take() {
      if (lock) return false
      lock = await context.lock(loaded)
      return before.holder !== null || lock.fence !== before.fence + 1
    },
    async giveBack() {
      if (!lock) return
      await lock.release()
      lock = undefined
      before = await journal.leaseState()
    },
  }
}
