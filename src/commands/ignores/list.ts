import {BaseCommand} from '../../cli/base-command.ts'
import {formatFlag} from '../../cli/flags.ts'
import {isClosing} from '../../core/reconcile/ignore.ts'
import {type IgnoreView, ignoreColumns, viewIgnore} from '../../report/ignores-text.ts'
import {listText} from '../../report/list-text.ts'

export interface IgnoreList {
  readonly ignores: readonly IgnoreView[]
}

export default class IgnoresList extends BaseCommand {
  static override summary = 'List ignored findings: reason, name and end.'

  static override description =
    'Reads the journal of this machine. Expired ignores have no effect. They are listed until they are removed.'

  static override examples = ['<%= config.bin %> <%= command.id %>']

  static override flags = {format: formatFlag}

  async run(): Promise<IgnoreList> {
    const {flags} = await this.parse(IgnoresList)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)

    const nowMs = Date.now()
    const ignores = (await journal.listIgnores())
      .filter((ignore) => !isClosing(ignore))
      .map((ignore) => viewIgnore(ignore, nowMs, loaded.profile.ledger.timeZone))

    await this.show(listText(flags.format, ignoreColumns, ignores, this.style, process.stdout.columns))
    return {ignores}
  }
}
