import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {dataFlag, noStateIn, stateDirOf} from '../../cli/sandbox/state.ts'
import {isStdoutRead, writeStdout} from '../../cli/streams.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {sandboxMerchantId} from '../../core/profile.ts'
import type {ExportRow} from '../../sandbox/store/export.ts'
import {type ExportKind, exportKinds} from '../../sandbox/store/export-kinds.ts'

export type ExportedRows = Readonly<Partial<Record<ExportKind, readonly ExportRow[]>>>

export default class SandboxExport extends BaseCommand {
  static override summary = "Export the sandbox's orders or delivery records."

  static override description = unwrap(`
    \`ledger\`: every order as your books would have it if your server booked each webhook it took, as a CSV file that
    reconcile reads. \`records\`: every delivery record. Both are oldest first. Stop a running sandbox first.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> ledger > ledger.csv',
    '<%= config.bin %> <%= command.id %> records --format ndjson',
  ]

  static override args = {
    what: Args.option({options: exportKinds})({description: 'What to export.', required: true}),
  }

  static override flags = {
    format: Flags.option({options: ['csv', 'ndjson'] as const, default: 'csv'})({
      summary: 'Format of the export.',
    }),
    'merchant-id': Flags.string({
      summary: 'Merchant. Default: the demonstration merchant.',
      default: sandboxMerchantId,
    }),
    data: dataFlag,
  }

  async run(): Promise<ExportedRows | undefined> {
    const {args, flags} = await this.parse(SandboxExport)
    const dir = stateDirOf(this.context, flags.data)
    const {hasState} = await import('../../sandbox/store/state-files.ts')
    if (!hasState(dir)) throw noStateIn(dir)
    const {openStateDatabase: openDatabase} = await import('../../sandbox/store/database.ts')
    const {openExport} = await import('../../sandbox/store/export.ts')
    const {exportText} = await import('../../report/export-text.ts')
    const db = openDatabase(dir)
    try {
      const {columns, rows} = openExport(db, args.what, flags['merchant-id'])
      if (this.jsonEnabled()) return {[args.what]: [...rows]}
      for (const text of exportText(flags.format, columns, rows)) {
        this.context.signal.throwIfAborted()
        if (!isStdoutRead()) break
        await writeStdout(text)
      }
      return undefined
    } finally {
      db.close()
    }
  }
}
