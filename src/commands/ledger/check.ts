import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {confirm, isTerminal} from '../../cli/prompt.ts'
import {checkLedger, statusOf, textOf, withoutImport} from '../../cli/reconcile/check-ledger.ts'
import {ledgerFlags} from '../../cli/reconcile/ledger-flags.ts'
import {saveImport} from '../../cli/reconcile/save-import.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {NoProfile} from '../../config/choose-profile.ts'
import {defaultLedgerMapping} from '../../core/profile.ts'
import type {LedgerCheck as Checked} from '../../report/ledger-check-text.ts'

export default class LedgerCheck extends BaseCommand {
  static override summary = 'Show what hisab understands of a ledger file. Nothing is queried or sent.'

  static override description = unwrap(`
    Reads the file as \`reconcile\` would. Shows the columns, the guesses, the first rows, the sums, the totals of the
    file, the time window, the rows that cannot be read, and every doubt. docs/ledgers.md explains how files are read.

    On a terminal it then asks whether to save this reading as the import of the profile. --save saves it without asking.
    From then on hisab refuses a file that lacks one of these headers. --save ignores the import that is saved already.

    Exit status: 0 everything is understood, 7 a row cannot be read or a doubt is left, 2 the file is damaged.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> ledger.csv --profile sandbox',
    {
      description: 'A sheet of a spreadsheet, saved as the import of the profile:',
      command: '<%= config.bin %> <%= command.id %> ledger.xlsx --sheet Orders --save --profile live',
    },
  ]

  static override args = {
    file: Args.string({description: 'The ledger: CSV or a spreadsheet.', required: true, ignoreStdin: true}),
  }

  static override flags = {
    ...ledgerFlags,
    save: Flags.boolean({
      default: false,
      summary: 'Save this reading as the import of the profile, without asking.',
    }),
  }

  async run(): Promise<Checked> {
    const {args, flags} = await this.parse(LedgerCheck)
    const profile = await this.profileIfAny(flags)
    const ledger = profile?.ledger ?? defaultLedgerMapping
    const mapping = flags.save ? withoutImport(ledger) : ledger
    const check = await checkLedger(args.file, flags, mapping)
    await this.show(textOf(check))
    this.endWith(statusOf(check))

    if (profile === null) {
      this.tell(
        'No profile is configured, so hisab read the file by its defaults. `hisab config init` makes a profile.',
      )
      return check
    }
    const isOffered = mapping.import === undefined && !this.jsonEnabled() && isTerminal()
    if (!flags.save && !isOffered) return check
    const isWanted =
      flags.save || (await confirm(`Save this as the import of the profile ${profile.name}?`)) === true
    if (!isWanted) return check
    await saveImport(this.context, profile.name, check, flags)
    this.tell(
      `Saved as the import of the profile ${profile.name}. \`hisab ledger import\` shows and removes it.`,
    )
    return {...check, saved: profile.name}
  }

  /** A file can be checked before anything is configured. */
  private async profileIfAny(flags: {readonly profile?: string | undefined; readonly save: boolean}) {
    try {
      return (await this.context.loadProfile(flags.profile, 'signing')).profile
    } catch (error) {
      if (flags.save || !(error instanceof NoProfile)) throw error
      return null
    }
  }
}
