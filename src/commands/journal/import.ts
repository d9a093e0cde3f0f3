import {BaseCommand} from '../../cli/base-command.ts'
import {unwrap} from '../../cli/unwrap.ts'

export interface ImportedJournal {
  /** The file that was moved into the shared journal; null where there was none. */
  readonly imported: string | null
  /** Rows that were taken over, by table. */
  readonly rows: Readonly<Record<string, number>>
}

export default class JournalImport extends BaseCommand {
  static override summary = 'Move what this machine remembers of a merchant into the shared journal.'

  static override description = unwrap(`
    Run it once on each machine that worked with a journal of its own, while no other hisab is at work there. Everything
    moves in one transaction, or nothing. If this machine and the shared journal sent one number with different
    parameters, nothing moves and the error names the number. The file is kept beside its place, with .imported at the
    end of its name. hisab then refuses to work on this machine without the shared journal.
  `)

  static override examples = ['<%= config.bin %> <%= command.id %> --profile live']

  async run(): Promise<ImportedJournal> {
    const {flags} = await this.parse(JournalImport)
    const loaded = await this.context.loadProfile(flags.profile)
    const address = await this.context.sharedAddress(loaded)
    // The machine's own, whatever is configured: it is brought up to date, and no run is at work on it.
    const own = {...loaded, sharedJournal: null}
    await this.context.lock(own)
    const imported = await this.context.ownJournalPath(loaded)
    if (imported === null) {
      await this.show('Nothing to import: this machine has no journal of this merchant.')
      return {imported, rows: {}}
    }
    await (await this.context.journal(own)).close()
    const {importJournal} = await import('../../journal/postgres/import.ts')
    const rows = await importJournal(imported, address, loaded.profile)
    const sum = Object.values(rows).reduce((all, count) => all + count, 0)
    await this.show(`Imported ${sum} rows from ${imported}.`)
    return {imported, rows}
  }
}
