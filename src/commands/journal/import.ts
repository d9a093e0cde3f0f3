import {authorOf, byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {type DroppedRowView, keepFlag, tellDropped, viewDropped} from '../../cli/dropped-rows.ts'
import {unwrap} from '../../cli/unwrap.ts'

export interface ImportedJournal {
  readonly imported: string | null
  /** Imported rows by table. */
  readonly rows: Readonly<Record<string, number>>
  /** Rows that were dropped because the other journal has another row of that number. */
  readonly dropped: readonly DroppedRowView[]
}

export default class JournalImport extends BaseCommand {
  static override summary = 'Move what this machine remembers of a merchant into the shared journal.'

  static override description = unwrap(`
    Run it once on each machine that worked with a journal of its own, while no other hisab is at work there. Everything
    moves in one transaction, or nothing. If this machine and the shared journal sent one number with different
    parameters, the row counts that was accepted before the other was sent. If there is no such row, nothing moves and
    the error names the number. Ask the service for it, then give --keep. A dropped payout that may have been made is in
    doubt. The file is kept beside its place, with .imported at the
    end of its name. hisab then refuses to work on this machine without the shared journal.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile live',
    '<%= config.bin %> <%= command.id %> --profile live --keep other',
  ]

  static override flags = {
    keep: keepFlag(
      'Where they contradict: keep the rows of this machine (this), or of the shared journal (other).',
    ),
    by: byFlag,
  }

  async run(): Promise<ImportedJournal> {
    const {flags} = await this.parse(JournalImport)
    const loaded = await this.context.loadProfile(flags.profile)
    const address = await this.context.sharedAddress(loaded)
    // This machine's journal, whatever is configured: it is migrated first, and no run works on it.
    const own = {...loaded, sharedJournal: null}
    await this.context.lock(own)
    const imported = await this.context.ownJournalPath(loaded)
    if (imported === null) {
      await this.show('Nothing to import: this machine has no journal of this merchant.')
      return {imported, rows: {}, dropped: []}
    }
    const journal = await this.context.journal(own)
    const {keep = null} = flags
    // Moved with the rest.
    if (keep !== null)
      await journal.addNote({
        atMs: Date.now(),
        by: authorOf(flags.by),
        what: `import, keep ${keep}`,
        reason: null,
      })
    await journal.close()
    const {importJournal} = await import('../../journal/postgres/import.ts')
    const {rows, dropped} = await importJournal(imported, address, loaded.profile, keep)
    const sum = Object.values(rows).reduce((all, count) => all + count, 0)
    await this.show(`Imported ${sum} rows from ${imported}.`)
    tellDropped(dropped)
    return {imported, rows, dropped: viewDropped(dropped)}
  }
}
