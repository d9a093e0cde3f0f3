import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {formatFlag} from '../../cli/flags.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {viewStored} from '../../cli/webhooks/received-view.ts'
import {listText} from '../../report/list-text.ts'
import {type StoredView, storedColumns} from '../../report/received-text.ts'

export interface EventList {
  readonly events: readonly StoredView[]
  /** How many there are, with those beyond --limit. */
  readonly total: number
}

export default class EventsList extends BaseCommand {
  static override summary = 'List the events that `webhooks listen` stored here, newest first.'

  static override description = unwrap(`
    Reads the store on this machine. The service is not asked. --pending lists events your server has not acknowledged:
    \`pending\` was refused or not forwarded yet; \`unknown\` is being forwarded now, or the forward was cut off. The
    service retries both until it gives up. \`events forward\` forwards them at once. A contradiction (CONFLICT) is
    forwarded only by \`events forward ORDER_NO --conflicts\`.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox',
    '<%= config.bin %> <%= command.id %> --profile sandbox --pending --format csv',
  ]

  static override flags = {
    'order-no': Flags.string({summary: 'Only events of this order number.', helpValue: 'NO'}),
    pending: Flags.boolean({summary: 'Only events that your server has not acknowledged.', default: false}),
    limit: Flags.integer({
      summary: 'How many to list.',
      helpValue: 'N',
      default: 20,
      min: 1,
      max: 100_000,
    }),
    format: formatFlag,
  }

  async run(): Promise<EventList> {
    const {flags} = await this.parse(EventsList)
    const loaded = await this.context.loadProfile(flags.profile)
    const {timeZone} = loaded.profile.ledger
    const inbox = await this.context.inbox(loaded)

    const which = {orderNo: flags['order-no'], pending: flags.pending ? 'waiting' : undefined} as const
    const stored = inbox.list({...which, rowsMax: flags.limit})
    const events = stored.map((event) => viewStored(event, timeZone))

    await this.show(listText(flags.format, storedColumns, events, this.style, process.stdout.columns))
    const total = inbox.count(which)
    if (total > events.length)
      this.tell(`The newest ${events.length} of ${total}. For all: --limit ${total}.`)
    return {events, total}
  }
}
