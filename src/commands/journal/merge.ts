import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {authorOf} from '../../cli/reconcile/ignores.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {formatPaisa} from '../../core/money.ts'
import type {DroppedRow} from '../../journal/account-memory.ts'

/** What became one journal. */
export interface MergedJournal {
  /** Paths of the journals that were taken over. */
  readonly merged: readonly string[]
  /** Rows that were not kept, because another says otherwise of their number. */
  readonly dropped: readonly DroppedRowView[]
}

/** The amount in taka, as text. */
type DroppedRowView = Omit<DroppedRow, 'amount'> & {readonly amount: string | null}

export default class JournalMerge extends BaseCommand {
  static override summary = 'Make one journal of those that one merchant has.'

  static override description = unwrap(`
    Earlier versions kept a journal for each name of a profile. Every command takes such journals over by itself where
    they agree. Of a number that two sent with other parameters, the one counts that was accepted before the other was
    sent. Where neither was, nothing is changed and this command is named: ask the service for the number, then say whose
    rows are right. Each row that is not kept is named; one that may have been made goes on counting in the warning of
    repeated payouts and in the ceiling. The files that were taken over stay beside the journal, with
    .merged at the end of their names.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile live',
    '<%= config.bin %> <%= command.id %> --profile live --keep other',
  ]

  static override flags = {
    keep: Flags.option({options: ['this', 'other'] as const})({
      summary:
        'Where they contradict: the rows of the first file that the error names (this), or of the second (other).',
    }),
    by: Flags.string({summary: 'Your name. Default: the user of this machine.', helpValue: 'NAME'}),
  }

  async run(): Promise<MergedJournal> {
    const {flags} = await this.parse(JournalMerge)
    const loaded = await this.context.loadProfile(flags.profile)
    const {keep = null} = flags
    const journal = await this.context.journal(loaded, {keep})
    const {merged} = journal
    if (keep !== null && merged.length > 0) {
      journal.addNote({atMs: Date.now(), by: authorOf(flags.by), what: `merge, keep ${keep}`, reason: null})
    }
    await this.show(
      merged.length === 0 ? 'There is one journal: nothing to merge.' : `Merged: ${merged.length}`,
    )
    const dropped = journal.dropped.map(({amount, ...row}) => ({
      ...row,
      amount: amount === null ? null : formatPaisa(amount),
    }))
    return {merged, dropped}
  }
}
