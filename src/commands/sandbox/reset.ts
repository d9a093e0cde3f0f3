import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {confirm} from '../../cli/prompt.ts'
import {dataFlag, stateDirOf} from '../../cli/sandbox/state.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'

/** Names of the files that were deleted; none where there was no state. */
export interface SandboxRemains {
  readonly dir: string
  readonly deleted: readonly string[]
}

export default class SandboxReset extends BaseCommand {
  static override summary = "Delete the sandbox's state."

  static override description = unwrap(`
    Deletes all orders, balances and delivery records, after asking. Only the sandbox's own files are deleted, never
    the folder or other files in it. Stop a running sandbox first.
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
    yes: Flags.boolean({char: 'y', summary: 'Delete without asking.', default: false}),
  }

  async run(): Promise<SandboxRemains> {
    const {flags} = await this.parse(SandboxReset)
    const dir = stateDirOf(this.context, flags.data)
    const {holdState} = await import('../../sandbox/store/state-files.ts')
    const state = holdState(dir)
    if (state === null) {
      await this.show(`Nothing to delete: ${escapeInvisible(dir)} has no sandbox state.`)
      return {dir, deleted: []}
    }
    const size = `${(state.bytes / 2 ** 20).toFixed(1)} MB`
    try {
      if (!flags.yes) await askToDelete(`Delete the sandbox's state in ${escapeInvisible(dir)} (${size})?`)
    } catch (error) {
      state.release()
      throw error
    }
    state.remove()
    await this.show(`Deleted the sandbox's state in ${escapeInvisible(dir)} (${size}).`)
    return {dir, deleted: state.files}
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
