import * as Flags from '@oclif/core/flags'

import type {ServiceClient} from '../../api/client.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {concurrencyFlag, formatFlag, maxResendsDefault, rateFlag} from '../../cli/flags.ts'
import {Progress} from '../../cli/progress.ts'
import {RowWriter} from '../../cli/row-writer.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {
  deliveryStatusFlag,
  localFilterFlags,
  localFilterOf,
  uuidFlag,
} from '../../cli/webhooks/filter-flags.ts'
import {outageWords, resendCommand} from '../../cli/webhooks/resend-command.ts'
import {type DeliveryFilter, isNarrowing} from '../../core/delivery-filter.ts'
import type {Dialect} from '../../core/dialect.ts'
import {legacyPageLimitMax} from '../../core/order.ts'
import {findOutages} from '../../core/outages.ts'
import {type RecordView, recordColumns, viewRecord} from '../../report/delivery-list.ts'
import {listText} from '../../report/list-text.ts'
import {
  type OutagesTotal,
  type OutageView,
  outageColumns,
  outagesText,
  totalOf,
  viewOutage,
} from '../../report/outages-report.ts'
import {readFullList} from '../../workflows/records/full-list-read.ts'
import {type ListEnd, listAll, listInFlight, listPage} from '../../workflows/records/list.ts'
import type {ListFilter} from '../../workflows/records/list-reader.ts'
import {payloadsOf, readAmounts, unreadAmounts} from '../../workflows/records/outage-amounts.ts'
import {listOrder} from '../../workflows/resend/order-records.ts'

/** Most payloads that are read without being asked for. */
const payloadsMax = 50

type ListFlags = Awaited<ReturnType<WebhooksList['parseFlags']>>

/** An order's records may be on any page: one page is read only if it is named. */
function readsOrder({all, page, limit, 'order-no': orderNo}: ListFlags): boolean {
  return !all && orderNo !== undefined && page === undefined && limit === undefined
}

interface Reading {
  readonly flags: ListFlags
  readonly client: ServiceClient
  readonly filter: ListFilter
  readonly local: DeliveryFilter
  readonly dialect: Dialect
  readonly timeZone: string
  readonly progress: Progress
}

/** Records of one page or of the whole list; with `--all`, `pagination` counts what was read. */
export interface RecordList extends Pick<ListEnd, 'pagination' | 'complete'> {
  readonly records: readonly RecordView[]
}

export interface OutageList {
  readonly outages: readonly OutageView[]
  readonly total: OutagesTotal
  readonly complete: boolean
}

export default class WebhooksList extends BaseCommand {
  static override summary = 'List the delivery records of webhooks: what was sent where, and the result.'

  static override description = unwrap(`
    Shows one page of the service's list. With --all it reads every page, and reads the list again where records may
    have been missed. With --order-no it reads all records of the order: by a look-up where that is proven to find
    them, else every page. The service filters by --status and --order-id; hisab applies the other filters to
    what it read. Of failed records --since and
    --until mean the last attempt, of others the creation. Exit status 8 if the list could not be read whole.

    With --all, CSV and NDJSON are written while the list is read. Each record is written once, as first read. If the
    list could not be read whole, the CSV ends with a line that says so.

    --outages reads every page. It shows when a host did not take webhooks, which are still failed, their total, and the
    commands that resend those of one outage or of all.
  `)

  static override usage = 'webhooks list [FLAGS]'

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox --status failed',
    {
      description: 'All records of the last day, for a spreadsheet:',
      command: '<%= config.bin %> <%= command.id %> --profile sandbox --all --since 24h --format csv',
    },
    {
      description: 'See when your server was down, and what to resend:',
      command: '<%= config.bin %> <%= command.id %> --profile sandbox --outages --amounts',
    },
  ]

  static override flags = {
    status: deliveryStatusFlag,
    'order-id': uuidFlag({summary: 'Only records of this platform order.'}),
    page: Flags.integer({summary: 'Page to read.', min: 1, helpValue: 'N', exclusive: ['all']}),
    limit: Flags.integer({
      summary: 'Records a page. The default of the service is 20.',
      min: 1,
      max: legacyPageLimitMax,
      helpValue: 'N',
      exclusive: ['all'],
    }),
    all: Flags.boolean({summary: 'Read every page.'}),
    ...localFilterFlags,
    outages: Flags.boolean({
      summary: 'Group failed webhooks into outages by time and host, each with the command that resends it.',
      exclusive: ['status', 'order-id', 'page', 'limit'],
    }),
    amounts: Flags.boolean({
      summary: 'With --outages: read the payloads to show amounts. Without it up to 50 are read.',
      allowNo: true,
      dependsOn: ['outages'],
    }),
    format: formatFlag,
    concurrency: concurrencyFlag,
    rate: rateFlag,
  }

  async run(): Promise<RecordList | OutageList | undefined> {
    const flags = await this.parseFlags()
    const {status, concurrency, rate = null} = flags
    const loaded = await this.context.loadProfile(flags.profile)
    const {
      dialect,
      ledger: {timeZone},
    } = loaded.profile
    const local = localFilterOf(flags, timeZone)
    const client = await this.context.client(loaded, {concurrencyMax: concurrency, ratePerSecond: rate})
    const filter = {...(status && {status}), ...(flags['order-id'] && {orderId: flags['order-id']})}
    const reading = {flags, client, filter, local, dialect, timeZone, progress: new Progress()}
    if (flags.outages) return await this.showOutages(reading)
    const {format} = flags
    if (flags.all && format !== 'table' && !this.jsonEnabled()) {
      await this.stream(reading, format)
      return undefined
    }
    return await this.list(reading)
  }

  private async parseFlags() {
    return (await this.parse(WebhooksList)).flags
  }

  private async list({flags, client, filter, local, timeZone, progress}: Reading): Promise<RecordList> {
    const {page, limit, concurrency: width, format} = flags
    const onPage = (read: number, total: number) => progress.update('pages', read, total)
    const {merchantOrderId} = local
    const onProgress = (stage: string, done: number, total: number) => progress.update(stage, done, total)
    const listing: ListEnd = flags.all
      ? await listAll(client, filter, local, {width, onPage})
      : merchantOrderId !== null && readsOrder(flags)
        ? await listOrder(filter, {...local, merchantOrderId}, {client, width, onProgress})
        : await listPage(client, {...filter, ...(page && {page}), ...(limit && {limit})}, local)
    progress.end()
    const {pagination, complete, because, isCut} = listing
    if (isCut) this.tellPartial(because)
    else if (!complete) {
      this.tell(`note: ${because}${isNarrowing(local) ? '; only this page was filtered' : ''}`)
    }
    const records = listing.records.map(viewRecord)
    const text = listText(format, recordColumns(timeZone), records, this.style, process.stdout.columns)
    await this.show(isCut && format === 'table' ? `PARTIAL\n${text}` : text)
    // A single page without the order does not prove that it has no record.
    const isNone = flags['order-no'] !== undefined && records.length === 0 && !complete
    this.endWith(isCut || isNone ? 8 : 0)
    return {records, pagination, complete}
  }

  private async stream(
    {flags, client, filter, local, timeZone, progress}: Reading,
    format: 'csv' | 'ndjson',
  ): Promise<void> {
    const rows = new RowWriter(format, recordColumns(timeZone))
    const onPage = (read: number, total: number) => {
      if (!process.stdout.isTTY) progress.update('pages', read, total)
    }
    const ports = {width: flags.concurrency, onPage}
    const {because, gone} = await listInFlight(client, filter, local, ports, async (records) => {
      for (const record of records) await rows.add(viewRecord(record))
    })
    progress.end()
    if (because !== null) rows.addPartial(because)
    await rows.flush()
    this.tellPartial(because)
    if (gone > 0) this.tell(`note: ${gone} of the records had left the list when it was read again`)
    this.endWith(because === null ? 0 : 8)
  }

  private async showOutages({
    flags,
    client,
    local,
    dialect,
    timeZone,
    progress,
  }: Reading): Promise<OutageList> {
    const {concurrency: width, format, profile} = flags
    const onPage = (read: number, total: number) => progress.update('pages', read, total)
    const {records, complete, because} = await readFullList(client, {filter: {}, width, onPage})
    const found = findOutages(records, local, Date.now())
    const onProgress = (done: number, total: number) => progress.update('payloads', done, total)
    const amounts = flags.amounts ?? payloadsOf(found) <= payloadsMax
    const sums = amounts
      ? await readAmounts(found, {client, dialect, width, onProgress})
      : found.map(unreadAmounts)
    progress.end()
    const commandOf = (id: string, webhooks: number) =>
      resendCommand(outageWords({id, records: webhooks}, local, timeZone, maxResendsDefault), profile)
    const outages = found.flatMap((outage, index) => {
      const sum = sums[index]
      return sum ? viewOutage(outage, sum, commandOf(outage.id, outage.records.length), timeZone) : []
    })
    const webhooks = found.reduce((count, {records: ofOutage}) => count + ofOutage.length, 0)
    const total = totalOf(found, outages, commandOf('all', webhooks))
    this.tellPartial(because)
    if (!amounts && outages.length > 0)
      this.tell('note: the list has no amounts. Add --amounts to read them from the payloads.')
    const text =
      format === 'table'
        ? outagesText(outages, total, this.style)
        : listText(format, outageColumns, outages, this.style)
    await this.show(!complete && format === 'table' ? `PARTIAL\n${text}` : text)
    this.endWith(complete ? 0 : 8)
    return {outages, total, complete}
  }

  private tellPartial(because: string | null): void {
    if (because !== null) this.tell(`PARTIAL: ${because}; what is not listed is not known to be absent`)
  }
}
