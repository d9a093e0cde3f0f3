import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {formatFlag} from '../../cli/flags.ts'
import {hasUnicode} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {ReceiverRecords} from '../../core/reconcile/receiver-records.ts'
import {startOfDay} from '../../core/time.ts'
import {listText} from '../../report/list-text.ts'
import {receiversText, sumReceivers, type TrendDay, trendColumns, trendText} from '../../report/trend-text.ts'
import {runTrend} from '../../workflows/runs/trend.ts'

export interface TrendOverDays {
  readonly days: readonly TrendDay[]
  /** Over all days, most undelivered records first. */
  readonly receivers: readonly ReceiverRecords[]
}

const dayMs = 86_400_000

export default class RunsTrend extends BaseCommand {
  static override summary = 'Show breaks, delivery rate, ages and failing receivers over days.'

  static override description = unwrap(`
    Reads the journal. The service is not asked. A day has the last run of each kind of ledger; dry runs are not counted.
    Breaks and amount at risk are those of its last run, because every run asks about all open items. Delivered items are open until a ledger confirms them.
    The delivery rate is the share of delivery records that were delivered when the run read them, before any resend.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    {
      description: 'A quarter, for a spreadsheet:',
      command: '<%= config.bin %> <%= command.id %> --days 92 --format csv',
    },
  ]

  static override flags = {
    days: Flags.integer({summary: 'How many days back.', helpValue: 'N', default: 30, min: 1, max: 3_660}),
    format: formatFlag,
  }

  async run(): Promise<TrendOverDays> {
    const {flags} = await this.parse(RunsTrend)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const {timeZone} = loaded.profile.ledger
    const sinceMs = startOfDay(Date.now() - (flags.days - 1) * dayMs, timeZone)

    const days = await runTrend(journal, {sinceMs, timeZone})
    const receivers = sumReceivers(days.map((day) => day.receivers))

    const table = listText(flags.format, trendColumns, days, this.style, process.stdout.columns)
    const parts =
      flags.format === 'table'
        ? [
            trendText(days, this.style, hasUnicode(process.stdout)),
            days.length > 0 ? table : '',
            receiversText(receivers, this.style),
          ]
        : [table]
    await this.show(parts.filter((part) => part !== '').join('\n\n'))
    return {days, receivers}
  }
}
