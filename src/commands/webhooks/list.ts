import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {deliveryStatusFlag, eventFlag, localFilterOf, uuidFlag} from '../../cli/delivery-flags.ts'
import {concurrencyFlag, formatFlag, rateFlag} from '../../cli/flags.ts'
import {paintFor} from '../../cli/paint.ts'
import {Progress} from '../../cli/progress.ts'
import {prose} from '../../cli/prose.ts'
import {windowFlags} from '../../cli/time-flag.ts'
import {legacyPageLimitMax} from '../../core/order.ts'
import {recordColumns, viewRecord} from '../../report/delivery-list.ts'
import {listText} from '../../report/list-text.ts'
import {isNarrowing, listAll, listPage} from '../../workflows/list-deliveries.ts'

export default class WebhooksList extends BaseCommand {
  static override summary = 'The delivery records of webhooks: what was sent where, and how it went.'

  static override description = prose(`
    One page as the service gives it, or with --all every page, read again until nothing moved meanwhile. The
    service filters by --status and --order-id; the other filters are applied here, to what was read. Exit status 8
    where --all could not read the list as one whole.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox --status failed',
    {
      description: 'Everything of the last day, for a spreadsheet:',
      command: '<%= config.bin %> <%= command.id %> --profile sandbox --all --since 24h --format csv',
    },
  ]

  static override flags = {
    status: deliveryStatusFlag,
    'order-id': uuidFlag({summary: 'Only records of this platform order.'}),
    page: Flags.integer({summary: 'Page to read.', min: 1, helpValue: 'N', exclusive: ['all']}),
    limit: Flags.integer({
      summary: 'Records a page; the service gives 20 where it is not said.',
      min: 1,
      max: legacyPageLimitMax,
      helpValue: 'N',
      exclusive: ['all'],
    }),
    all: Flags.boolean({summary: 'Read every page.'}),
    ...windowFlags,
    event: eventFlag,
    'merchant-order-id': Flags.string({summary: 'Only records of this order of yours.', helpValue: 'NO'}),
    format: formatFlag,
    concurrency: concurrencyFlag,
    rate: rateFlag,
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(WebhooksList)
    const {status, page, limit, all, format, concurrency: width, rate = null} = flags
    const loaded = await this.context.loadProfile(flags.profile)
    const {timeZone} = loaded.profile.ledger
    const local = localFilterOf(flags, timeZone)
    const client = await this.context.client(loaded, {concurrencyMax: width, ratePerSecond: rate})
    const filter = {...(status && {status}), ...(flags['order-id'] && {orderId: flags['order-id']})}
    const progress = new Progress()
    const listing = all
      ? await listAll(client, filter, local, {
          width,
          onPage: (read, total) => progress.update('pages', read, total),
        })
      : await listPage(client, {...filter, ...(page && {page}), ...(limit && {limit})}, local)
    progress.end()
    const {pagination, complete, because} = listing
    if (all && !complete) this.tell(`PARTIAL: ${because}; what is not listed is not known to be absent`)
    else if (!complete)
      this.tell(`note: ${because}${isNarrowing(local) ? '; only this page was filtered' : ''}`)

    const records = listing.records.map(viewRecord)
    const text = listText(format, recordColumns(timeZone), records, paintFor(process.stdout))
    await this.show(all && !complete && format === 'table' ? `PARTIAL\n${text}` : text)
    this.endWith(all && !complete ? 8 : 0)
    return {records, pagination, complete}
  }
}
