import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {formatFlag} from '../../cli/flags.ts'
import {viewRuns} from '../../cli/runs.ts'
import {type DoubtView, viewDoubt} from '../../report/doubts-list.ts'
import {inDoubtLines} from '../../report/in-doubt-text.ts'
import {listText} from '../../report/list-text.ts'
import {type MerchantView, merchantColumns, viewMerchant} from '../../report/merchants-text.ts'
import {type RunView, runColumns} from '../../report/runs-text.ts'
import {openDoubts} from '../../workflows/orders/doubts.ts'

export interface RunList {
  readonly runs: readonly RunView[]
  /** With what another machine is sending now, marked. */
  readonly inDoubt: readonly DoubtView[]
}

/** Every merchant that the role can see in the shared journal. */
export interface MerchantList {
  readonly merchants: readonly MerchantView[]
}

export default class RunsList extends BaseCommand {
  static override summary = 'List past runs of reconcile and webhooks resend, newest first.'

  static override description =
    "Reads the journal. The service is not asked. OPEN are the open items at a run's end, delivered ones included; NEW are those of them that the run found. --all-merchants shows one line a merchant of a shared journal: its last reconciliation, its breaks and the amount at risk. Any profile of that journal will do. A `killed` run did not record its end. Continue it with `hisab reconcile --resume RUN_ID` or `hisab webhooks resend --resume RUN_ID`."

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox',
    '<%= config.bin %> <%= command.id %> --all-merchants --profile live',
  ]

  static override flags = {
    'all-merchants': Flags.boolean({
      default: false,
      summary: 'Every merchant of a shared journal, and how its last reconciliation ended.',
    }),
    limit: Flags.integer({summary: 'How many to list.', helpValue: 'N', default: 20, min: 1, max: 1000}),
    format: formatFlag,
  }

  async run(): Promise<RunList | MerchantList> {
    const {flags} = await this.parse(RunsList)
    const loaded = await this.context.loadProfile(flags.profile)
    if (flags['all-merchants']) {
      const address = await this.context.sharedAddress(loaded)
      const {allMerchants} = await import('../../journal/postgres/all-merchants.ts')
      const {timeZone} = loaded.profile.ledger
      const merchants = (await allMerchants(address)).map((merchant) => viewMerchant(merchant, timeZone))
      await this.show(listText(flags.format, merchantColumns, merchants, this.style, process.stdout.columns))
      return {merchants}
    }
    const journal = await this.context.journal(loaded)

    const runs = await viewRuns(await journal.listRuns(flags.limit), loaded, this.context, journal)

    await this.show(listText(flags.format, runColumns, runs, this.style, process.stdout.columns))
    const {name, ledger} = loaded.profile
    const nowMs = Date.now()
    const inDoubt = (await openDoubts(journal, name)).map((doubt) => viewDoubt(doubt, nowMs, ledger.timeZone))
    for (const line of inDoubtLines(inDoubt, name)) this.tell(line)
    return {runs, inDoubt}
  }
}
