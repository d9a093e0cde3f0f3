import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {checkLedger, statusOf, textOf, withoutImport} from '../../cli/reconcile/check-ledger.ts'
import {ledgerFlags} from '../../cli/reconcile/ledger-flags.ts'
import {removeImport, saveImport} from '../../cli/reconcile/save-import.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {escapeInvisible} from '../../core/text.ts'

export interface LedgerImportView {
  readonly profile: string
  readonly import: {
    readonly sheet: string | null
    readonly columns: readonly {readonly column: string; readonly header: string}[]
  } | null
  readonly removed: boolean
}

export default class LedgerImport extends BaseCommand {
  static override summary = 'Save, show or remove the import of the profile: how its ledger files look.'

  static override description = unwrap(`
    With a file it does the same as \`hisab ledger check FILE --save\`. Without a file it shows the saved import. --remove
    removes it. A ledger that lacks one of the saved headers is refused (2). The configuration has the import under
    \`ledger.import\` of the profile.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> ledger.csv --profile live',
    '<%= config.bin %> <%= command.id %> --profile live',
    '<%= config.bin %> <%= command.id %> --remove --profile live',
  ]

  static override args = {
    file: Args.string({description: 'The ledger to save: CSV or a spreadsheet.', ignoreStdin: true}),
  }

  static override flags = {
    ...ledgerFlags,
    remove: Flags.boolean({
      default: false,
      summary: 'Remove the import. Each file is then read by itself.',
    }),
  }

  async run(): Promise<LedgerImportView> {
    const {args, flags} = await this.parse(LedgerImport)
    const load = async (isQuiet: boolean) =>
      (await this.context.loadProfile(flags.profile, 'signing', {isQuiet})).profile
    if (args.file !== undefined && !flags.remove) {
      const {name, ledger} = await load(false)
      const check = await checkLedger(args.file, flags, withoutImport(ledger))
      await this.show(`${textOf(check)}\n`)
      this.endWith(statusOf(check))
      await saveImport(this.context, name, check, flags)
    }
    const profile = await load(true)
    const saved = profile.ledger.import
    if (flags.remove && saved !== undefined) await removeImport(this.context, profile.name)
    const columns = Object.entries(saved?.columns ?? {}).map(([column, header]) => ({column, header}))
    const lines = columns.map(({column, header}) => `${column.padEnd(18)} ${escapeInvisible(header, 60)}`)
    const sheet = saved?.sheet ?? null
    const shown =
      saved === undefined
        ? [`The profile ${profile.name} has no import. \`hisab ledger check FILE --save\` makes one.`]
        : [
            `Import of the profile ${profile.name}${flags.remove ? ', now removed' : ''}`,
            ...(sheet === null ? [] : [`sheet              ${escapeInvisible(sheet, 60)}`]),
            ...lines,
          ]
    await this.show(shown.join('\n'))
    return {
      profile: profile.name,
      import: saved === undefined || flags.remove ? null : {sheet, columns},
      removed: flags.remove && saved !== undefined,
    }
  }
}
