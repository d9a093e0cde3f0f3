import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {formatFlag} from '../../cli/flags.ts'
import {viewRuns} from '../../cli/runs.ts'
import {styleFor} from '../../cli/style.ts'
import {type DoubtView, viewDoubt} from '../../report/doubts-list.ts'
import {inDoubtLine} from '../../report/in-doubt-text.ts'
import {listText} from '../../report/list-text.ts'
import {type RunView, runColumns} from '../../report/runs-text.ts'
import {openDoubts} from '../../workflows/orders/doubts.ts'

/** Past runs, the newest first, and what is in doubt of all of them. */
export interface RunList {
  readonly runs: readonly RunView[]
  readonly inDoubt: readonly DoubtView[]
}

export default class RunsList extends BaseCommand {
  static override summary = 'List past runs of reconcile and webhooks resend, newest first.'

  static override description =
    'Reads the journal of this machine. The service is not asked. A `killed` run did not record its end. Continue it with `hisab reconcile --resume RUN_ID` or `hisab webhooks resend --resume RUN_ID`.'

  static override examples = ['<%= config.bin %> <%= command.id %> --profile sandbox']

  static override flags = {
    limit: Flags.integer({summary: 'How many to list.', helpValue: 'N', default: 20, min: 1, max: 1000}),
    format: formatFlag,
  }

  async run(): Promise<RunList> {
    const {flags} = await this.parse(RunsList)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)

    const runs = await viewRuns(await journal.listRuns(flags.limit), loaded, this.context, journal)

    await this.show(
      listText(flags.format, runColumns, runs, styleFor(process.stdout), process.stdout.columns),
    )
    const {name, ledger} = loaded.profile
    const nowMs = Date.now()
    const inDoubt = (await openDoubts(journal, name)).map((doubt) => viewDoubt(doubt, nowMs, ledger.timeZone))
    if (inDoubt.length > 0) this.tell(inDoubtLine(inDoubt, name))
    return {runs, inDoubt}
  }
}
