import {resolve} from 'node:path'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import type {Context} from '../../cli/context.ts'
import {confirm} from '../../cli/prompt.ts'
import {dataFlag, stateDirOf} from '../../cli/sandbox/state.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {HeldDatabase} from '../../files/hold-database.ts'
import type {HeldMemory} from '../../journal/forget.ts'

export interface SandboxRemains {
  readonly dir: string
  readonly deleted: readonly string[]
}

export default class SandboxReset extends BaseCommand {
  static override summary = "Delete the sandbox's state, with the journal of its merchants."

  static override description = unwrap(`
    Deletes all orders, balances and delivery records, and what hisab remembers of them: journal, runs and received events
    of the sandbox's two merchants. Otherwise the same order numbers would be refused as sent before. It asks first, and
    never deletes the journal of another merchant, nor a shared one. Stop a running sandbox first.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    {
      description: 'Before each run of a test:',
      command: '<%= config.bin %> <%= command.id %> --data ./rehearsal --yes',
    },
  ]

  static override flags = {
    data: dataFlag,
    'keep-journal': Flags.boolean({summary: 'Delete the state only.', default: false}),
    yes: Flags.boolean({char: 'y', summary: 'Delete without asking.', default: false}),
  }

  async run(): Promise<SandboxRemains> {
    const {flags} = await this.parse(SandboxReset)
    const dir = stateDirOf(this.context, flags.data)
    const {hasState, holdState} = await import('../../sandbox/store/state-files.ts')
    const {holdMemory} = await import('../../journal/forget.ts')
    const {demonstrationMerchant, ordinaryMerchant} = await import('../../sandbox/merchants.ts')
    const usual = stateDirOf(this.context, undefined)
    const isOther = resolve(dir) !== resolve(usual) && hasState(usual)
    const held: {readonly what: string; readonly part: HeldDatabase | HeldMemory}[] = []
    const hold = (what: string, part: HeldDatabase | HeldMemory | null) => part && held.push({what, part})
    const {context} = this
    const merchants = [demonstrationMerchant, ordinaryMerchant].map(({merchantId}) => merchantId)
    const shared = flags['keep-journal'] ? null : await sharedJournalOf(context, flags.profile, merchants)
    if (shared !== null) this.tell(shared)
    try {
      hold(`the sandbox's state in ${escapeInvisible(dir)}`, holdState(dir))
      if (isOther && !flags['keep-journal']) {
        this.tell(`note: The journal stays: it knows the sandbox in ${escapeInvisible(usual)}, too.`)
      } else if (!flags['keep-journal']) {
        for (const merchantId of merchants) {
          const memory = holdMemory(context.dataDir, {merchantId, environment: 'sandbox'})
          hold(`the journal of its merchant ${merchantId}`, memory)
        }
      }
      if (held.length === 0) {
        await this.show(`Nothing to delete: ${escapeInvisible(dir)} has no sandbox state.`)
        return {dir, deleted: []}
      }
      const sizes = held.map(({what, part}) => `${what} (${(part.bytes / 2 ** 20).toFixed(1)} MB)`)
      if (!flags.yes) await askToDelete(`Delete ${sizes.join(', and ')}?`)
      const deleted = held.flatMap(({part}) => part.files)
      for (const {part} of held.splice(0)) part.remove()
      await this.show(sizes.map((size) => `Deleted ${size}.`).join('\n'))
      return {dir, deleted}
    } finally {
      for (const {part} of held) part.release()
    }
  }
}

/** A shared journal also belongs to other machines: hisab never deletes from it. */
async function sharedJournalOf(
  context: Context,
  name: string | undefined,
  merchants: readonly string[],
): Promise<string | null> {
  try {
    const {sharedJournal, profile} = await context.loadProfile(name, 'service', {isQuiet: true})
    if (sharedJournal === null || !merchants.includes(profile.merchantId)) return null
    const {name: database} = await context.sharedAddress({sharedJournal})
    return `note: The shared journal ${database} stays, and refuses numbers that were sent before. For the next rehearsal take an empty database, or other numbers (sandbox seed --seed N).`
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

async function askToDelete(question: string): Promise<void> {
  const answer = await confirm(question)
  if (answer === true) return
  if (answer === false)
    throw new Failure(
      'declined',
      'You answered no. Nothing was deleted.',
      'To delete, answer y or add --yes.',
    )
  throw new Failure(
    'confirmation_needed',
    'A reset needs your consent, and there is no terminal to ask in. Nothing was deleted.',
    'Add --yes to delete without being asked.',
  )
}
