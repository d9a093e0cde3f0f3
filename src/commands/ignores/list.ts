import {BaseCommand} from '../../cli/base-command.ts'
import {formatFlag} from '../../cli/flags.ts'
import {styleFor} from '../../cli/style.ts'
import {type IgnoreView, ignoreColumns, viewIgnore} from '../../report/ignores-text.ts'
import {listText} from '../../report/list-text.ts'

/** Everything a person said to ignore, what has expired among it. */
export interface IgnoreList {
  readonly ignores: readonly IgnoreView[]
}

export default class IgnoresList extends BaseCommand {
  static override summary = 'Findings that are ignored: which, why, by whom, until when.'

  static override description =
    'From the journal on this machine. Expired ones are listed until they are removed; they have no effect.'

  static override examples = ['<%= config.bin %> <%= command.id %>']

  static override flags = {format: formatFlag}

  async run(): Promise<IgnoreList> {
    const {flags} = await this.parse(IgnoresList)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)

    const nowMs = Date.now()
    const ignores = journal
      .listIgnores()
      .map((ignore) => viewIgnore(ignore, nowMs, loaded.profile.ledger.timeZone))

    await this.show(
      listText(flags.format, ignoreColumns, ignores, styleFor(process.stdout), process.stdout.columns),
    )
    return {ignores}
  }
}
