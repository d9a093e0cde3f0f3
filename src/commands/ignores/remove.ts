import * as Args from '@oclif/core/args'

import {authorOf, byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {Failure} from '../../core/failure.ts'

export interface RemovedIgnore {
  readonly removed: number
}

export default class IgnoresRemove extends BaseCommand {
  static override summary = 'End an ignore before its time.'

  static override description =
    'The next run of reconcile shows the finding again. The journal keeps who ignored it, why, and who ended the ignore.'

  static override examples = ['<%= config.bin %> <%= command.id %> 3']

  static override args = {
    id: Args.integer({description: 'Id, as `ignores list` shows it.', required: true, ignoreStdin: true}),
  }

  static override flags = {
    by: byFlag,
  }

  async run(): Promise<RemovedIgnore> {
    const {args, flags} = await this.parse(IgnoresRemove)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)

    if (!(await journal.removeIgnore(args.id, authorOf(flags.by), Date.now()))) {
      throw new Failure(
        'not_found',
        `No finding is ignored under the id ${args.id}.`,
        'See `hisab ignores list`.',
      )
    }

    await this.show(`No longer ignored: ${args.id}`)
    return {removed: args.id}
  }
}
