import type {LoadedProfile} from '../config/load-profile.ts'
import type {Context} from './context.ts'

/** The right to send, of a command that asks first. */
export interface Turn {
  /** Throws `locked`. True where another run was at work since this one began to look. */
  take(): Promise<boolean>
  /** To ask once more. */
  giveBack(): Promise<void>
}

/**
 * The lock of a command that looks, and sends after a person's answer. Of a shared journal it is taken then: who sits at a
 * question turns nobody away. What others did meanwhile is to be planned for again.
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
