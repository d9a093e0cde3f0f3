import * as Flags from '@oclif/core/flags'
import {BaseCommand} from '../../cli/base-command.ts'
import {unwrap} from '../../cli/unwrap.ts'

export interface MigratedJournal {
  readonly before: number
  readonly now: number
  readonly grantedTo: string | null
}

export default class JournalMigrate extends BaseCommand {
  static override summary = 'Make the tables of a shared journal, or bring them up to date.'

  static override description = unwrap(`
    A shared journal is a PostgreSQL database (docs/shared-journal.md). Run this command as the owner of its schema, once
    for each version of hisab that changes it. No other command changes the schema. --grant lets the role of all other
    commands read, add and change rows; no role of hisab may delete any. Nothing else is changed, and the service is not
    asked.
  `)

  static override examples = [
    'HISAB_JOURNAL_FILE=/run/secrets/owner-url <%= config.bin %> <%= command.id %> --profile live --grant hisab',
  ]

  static override flags = {
    grant: Flags.string({summary: 'The role that all other commands connect as.', helpValue: 'ROLE'}),
  }

  async run(): Promise<MigratedJournal> {
    const {flags} = await this.parse(JournalMigrate)
    const loaded = await this.context.loadProfile(flags.profile)
    const address = await this.context.sharedAddress(loaded)
    const {migrateJournal} = await import('../../journal/postgres/schema.ts')
    const grantedTo = flags.grant ?? null
    const {before, now} = await migrateJournal(address, grantedTo)
    await this.show(
      before === now ? `The schema is up to date: ${now}.` : `The schema was ${before} and is ${now} now.`,
    )
    return {before, now, grantedTo}
  }
}
