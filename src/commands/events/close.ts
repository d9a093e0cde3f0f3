import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {authorOf, byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {readSentence} from '../../cli/items/select.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {closeWaiting} from '../../cli/webhooks/close-waiting.ts'
import {viewStored} from '../../cli/webhooks/received-view.ts'
import {counted} from '../../report/figures.ts'
import type {StoredView} from '../../report/received-text.ts'

export interface ClosedEvents {
  readonly closed: number
  readonly events: readonly StoredView[]
}

export default class EventsClose extends BaseCommand {
  static override summary = 'Close the waiting events of one order, with a reason.'

  static override description = unwrap(`
    For events of \`events list --pending\` that a person has seen to: the order was booked by hand, or the acknowledged
    version of a contradiction is the true one. Your server does not get them any more, from \`events forward\`, from
    \`webhooks listen\` or by a resend. The store keeps them, with the reason, the name and the time. Exit status 7 if the order has none.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1001 --reason "booked by hand, ticket 4711" --profile sandbox',
  ]

  static override args = {
    orderNo: Args.string({
      description: 'Your order number, or the one of the platform.',
      required: true,
      ignoreStdin: true,
    }),
  }

  static override flags = {
    reason: Flags.string({summary: 'Why they are closed.', required: true, helpValue: 'TEXT'}),
    by: byFlag,
  }

  async run(): Promise<ClosedEvents> {
    const {args, flags} = await this.parse(EventsClose)
    const reason = readSentence('reason', flags.reason)
    const loaded = await this.context.loadProfile(flags.profile)
    const inbox = await this.context.inbox(loaded)
    // Without the lock: a run that sends asks for this just before each event.
    const stored = await closeWaiting(inbox, args.orderNo, {
      by: authorOf(flags.by),
      reason,
      nowMs: Date.now(),
    })
    const events = stored.map((event) => viewStored(event, loaded.profile.ledger.timeZone))
    await this.show(`Closed: ${counted(events.length, 'event', 'events')}.`)
    return {closed: events.length, events}
  }
}
