import {BaseCommand} from '../../cli/base-command.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {openDoubts} from '../../workflows/orders/doubts.ts'

export interface StatusOfJournal {
  /** `user@host:port/database`, or null if the journal is on this machine. */
  readonly database: string | null
  /** Who is at work for the merchant, at what, and since when; or null. */
  readonly activeRun: string | null
  /** Creates and resends with an unknown outcome. */
  readonly inDoubt: number
  /** Those that another machine is sending now. */
  readonly onItsWay: number
  /** Set if the shared journal seems to have been restored or failed over. */
  readonly restored: {readonly isStopped: boolean; readonly text: string; readonly hint: string} | null
}

export default class JournalStatus extends BaseCommand {
  static override summary = 'Show where the journal is, who is at work on it, and what is in doubt.'

  static override description = unwrap(`
    Changes nothing, and does not ask the service. A shared journal (docs/shared-journal.md) says who holds the lease of
    the merchant, on which machine, and since when. What is in doubt is listed by runs list.
  `)

  static override examples = ['<%= config.bin %> <%= command.id %> --profile live']

  async run(): Promise<StatusOfJournal> {
    const {flags} = await this.parse(JournalStatus)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const database = loaded.sharedJournal ? (await this.context.sharedAddress(loaded)).name : null
    const activeRun = await this.context.activeRun(loaded)
    const open = await openDoubts(journal, loaded.profile.name)
    const onItsWay = open.filter(({isOnItsWay}) => isOnItsWay).length
    const inDoubt = open.length - onItsWay
    await this.show(
      [
        `journal   ${database ?? 'on this machine'}`,
        `at work   ${activeRun ?? 'nobody'}`,
        `in doubt  ${inDoubt}`,
      ].join('\n'),
    )
    const restored = loaded.sharedJournal ? (await this.context.sharedJournal(loaded)).restored : null
    return {database, activeRun, inDoubt, onItsWay, restored}
  }
}
