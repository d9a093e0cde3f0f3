import {authorOf, byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {type DroppedRowView, keepFlag, viewDropped} from '../../cli/dropped-rows.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {quoteForShell} from '../../core/shell.ts'

export interface MergedJournal {
  readonly merged: readonly string[]
  /** Rows that were dropped because another journal contradicts them. */
  readonly dropped: readonly DroppedRowView[]
}

export default class JournalMerge extends BaseCommand {
  static override summary = 'Merge the journals of one merchant into one.'

  static override description = unwrap(`
    Earlier versions kept one journal for each profile name. Every command merges such journals if they agree. If two
    journals sent one number with different parameters, the row counts that was accepted before the other was sent.
    If there is no such row, nothing changes and the error refers to this command. Ask the service for the number, then
    give the journal whose rows are right. Rows that are not kept are listed. A dropped payout that may have been made
    is in doubt. With a shared journal it merges the journals of this
    machine. Then journal import moves the one, and takes --keep too. Merged files stay beside the journal, with .merged at the
    end of their names.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile live',
    '<%= config.bin %> <%= command.id %> --profile live --keep other',
  ]

  static override flags = {
    keep: keepFlag(
      'Where they contradict: keep the rows of the first file in the error (this), or of the second (other).',
    ),
    by: byFlag,
  }

  async run(): Promise<MergedJournal> {
    const {flags} = await this.parse(JournalMerge)
    const loaded = await this.context.loadProfile(flags.profile)
    const {keep = null} = flags
    const isShared = loaded.sharedJournal !== null
    // The journals of this machine become one, which import then moves into the shared one.
    const own = {...loaded, sharedJournal: null}
    if (isShared && (await this.context.ownJournalPath(loaded)) === null) {
      await this.show('Nothing to merge: this machine has no journal of its own, and the shared one is one.')
      return {merged: [], dropped: []}
    }
    const journal = await this.context.journal(own, {keep})
    const {merged} = journal
    if (keep !== null && merged.length > 0) {
      await journal.addNote({
        atMs: Date.now(),
        by: authorOf(flags.by),
        what: `merge, keep ${keep}`,
        reason: null,
      })
    }
    await this.show(
      merged.length === 0 ? 'Nothing to merge: there is one journal.' : `Merged: ${merged.length}`,
    )
    if (isShared) this.tell(`Next: hisab journal import --profile ${quoteForShell(loaded.profile.name)}`)
    return {merged, dropped: viewDropped(journal.dropped)}
  }
}
