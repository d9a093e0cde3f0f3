import * as Args from '@oclif/core/args'

import {BaseCommand} from '../../cli/base-command.ts'
import {viewContent, viewStored} from '../../cli/webhooks/received-view.ts'
import {Failure} from '../../core/failure.ts'
import type {JsonValue} from '../../core/json.ts'
import {escapeInvisible} from '../../core/text.ts'
import {type StoredView, storedText} from '../../report/received-text.ts'

const rowsMax = 100

export interface EventDetails {
  readonly events: readonly (StoredView & {readonly content: JsonValue})[]
}

export default class EventsShow extends BaseCommand {
  static override summary = 'Show the events received for one order, with their content.'

  static override description =
    'Shows every event of the order, newest first, contradicting versions side by side. Signatures are not kept. Wallet numbers and names are masked. Exit status 7 if nothing was received.'

  static override examples = ['<%= config.bin %> <%= command.id %> D-1001 --profile sandbox']

  static override args = {
    orderNo: Args.string({description: 'Your order number.', required: true, ignoreStdin: true}),
  }

  async run(): Promise<EventDetails> {
    const {args, flags} = await this.parse(EventsShow)
    const loaded = await this.context.loadProfile(flags.profile)
    const {timeZone} = loaded.profile.ledger
    const inbox = await this.context.inbox(loaded)

    const stored = inbox.list({orderNo: args.orderNo, rowsMax})
    if (stored.length === 0) throw nothingReceived(args.orderNo)
    const events = stored.map((event) => ({
      ...viewStored(event, timeZone),
      content: viewContent(event.content),
    }))

    await this.show(events.map(storedText).join('\n\n'))
    return {events}
  }
}

function nothingReceived(orderNo: string): Failure {
  return new Failure(
    'not_found',
    `No event of ${escapeInvisible(orderNo)} was received here.`,
    'The service may not have sent one. To check, run `hisab webhooks list --order-no NUMBER`.',
  )
}
