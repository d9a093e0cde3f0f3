import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {statusIfStopped} from '../../cli/interrupt.ts'
import {styleFor} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {forwardPending} from '../../cli/webhooks/forward-pending.ts'
import {readForwardUrl, rulesOf} from '../../cli/webhooks/listen-flags.ts'
import {viewForwarded} from '../../cli/webhooks/received-view.ts'
import {receiverLine} from '../../cli/webhooks/receiver-line.ts'
import {whyNotForwarded} from '../../cli/webhooks/why-not-forwarded.ts'
import type {LoadedProfile} from '../../config/load-profile.ts'
import {asFailure, Failure} from '../../core/failure.ts'
import {receiverPath} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Notice} from '../../receiver/notice.ts'
import type {StoredEvent} from '../../receiver/stored-events.ts'
import {type ForwardedView, forwardedEnd, forwardedLine} from '../../report/received-text.ts'
import {
  type EventToCheck,
  noRecords,
  type RecordsRead,
  readRecords,
} from '../../workflows/resend/records-against.ts'

export interface ForwardedEvents {
  readonly events: readonly ForwardedView[]
  readonly handedOn: number
  readonly acknowledged: number
  /** Events that no server has acknowledged yet. */
  readonly pending: number
  readonly conflicts: number
}

export default class EventsForward extends BaseCommand {
  static override summary = 'Forward the events again that your server has not acknowledged.'

  static override description = unwrap(`
    Posts the latest version of each event of \`events list --pending\` to your server, oldest event first, signed as
    the service signs it. A forward that was cut off may have arrived, so your server must recognise an event that it
    has handled. The command waits for events that \`webhooks listen\` is forwarding. It does not start while another run of
    the merchant is at work (9), which may resend the same events. Exit status 8 if your server did not acknowledge all of them.

    A version that contradicts an acknowledged one (another amount or player, failed after completed) is not forwarded.
    Look at it with \`events show\` and ask the service which version is true. Then forward it with --conflicts.

    Your server credits the player for a completed deposit, and gives back the money of a payout that failed. So such an
    event is not forwarded (7) without --include-delivered if the player may have the money already: for all that holds
    back a resend (webhooks resend), or if the service now shows the order otherwise, or if its delivery records cannot be
    read. Without api_key they are not looked at, which a note says.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox --to http://127.0.0.1:3000/webhook',
    '<%= config.bin %> <%= command.id %> D-1001 --profile sandbox --to http://127.0.0.1:3000/webhook',
  ]

  static override args = {
    orderNo: Args.string({description: 'Only events of this order number.', ignoreStdin: true}),
  }

  static override flags = {
    to: Flags.string({summary: 'Address of your server.', helpValue: 'URL', required: true}),
    all: Flags.boolean({
      summary: 'Also forward events received without --forward-to, which your server has not seen.',
      default: false,
      exclusive: ['conflicts'],
    }),
    'include-delivered': Flags.boolean({
      summary: 'Also forward events whose money the player may have already.',
      default: false,
    }),
    conflicts: Flags.boolean({
      summary: 'Forward only the contradicting versions of ORDER_NO.',
      default: false,
    }),
  }

  async run(): Promise<ForwardedEvents> {
    const {args, flags} = await this.parse(EventsForward)
    if (flags.conflicts && args.orderNo === undefined) {
      throw new Failure(
        'usage',
        '--conflicts needs an order number.',
        'Run: `hisab events forward ORDER_NO --conflicts --to URL`. `hisab events list --pending` lists the orders.',
      )
    }
    const url = readForwardUrl(flags.to, '--to', 0)
    const {signal} = this.context
    const loaded = await this.context.loadProfile(flags.profile)
    const {timeZone} = loaded.profile.ledger
    const rules = await rulesOf(loaded, (note) => this.tell(note))
    const inbox = await this.context.inbox(loaded)
    if (args.orderNo !== undefined && inbox.list({orderNo: args.orderNo, rowsMax: 1}).length === 0) {
      throw new Failure(
        'not_found',
        `hisab received no event with the order number ${escapeInvisible(args.orderNo, 80)}. Nothing was forwarded.`,
        'Write the number as the event has it; it may have none. Look: `hisab events list --pending`.',
      )
    }
    const forwarder = await this.context.forwarder(url)
    const style = {stdout: this.style, stderr: styleFor(process.stderr)}
    const tell = (notice: Notice) => {
      if (notice.type !== 'received') this.tell(receiverLine(notice, timeZone, style.stderr))
    }

    // A resend beside it would hand the same event on by another way.
    await this.context.lock(loaded)
    const which = flags.conflicts ? 'conflicts' : flags.all ? 'any' : 'handed'
    const chosen = {orderNo: args.orderNo, pending: which} as const
    const whyNot =
      !flags['include-delivered'] &&
      whyNotForwarded(
        await this.context.journalIfAny(loaded),
        await this.context.client(loaded, {ordersOnly: true}),
        await this.recordReader(loaded),
        loaded.profile,
        {
          url,
          listPending: () => inbox.list({...chosen, rowsMax: -1}),
          listOf: (about) => inbox.list({about, rowsMax: -1}),
        },
      )
    const whyHeld = async (event: StoredEvent) => {
      const why = whyNot ? await whyNot(event) : null
      return why && `${why}. To forward it anyway, add --include-delivered`
    }
    const parts = {inbox, forwarder, rules, path: receiverPath, now: Date.now, onNotice: tell, whyHeld}
    const events: ForwardedView[] = []
    for await (const handed of forwardPending(parts, chosen)) {
      const view = viewForwarded(handed, timeZone)
      events.push(view)
      await this.show(`${forwardedLine(view, style.stdout)}\n`)
      if (signal.aborted) break
    }
    const held = events.filter((event) => event.held).length
    // What another version's answer acknowledged was not sent again.
    const isSent = (event: ForwardedView) => !event.held && !(event.acknowledged && event.httpStatus === null)
    const handed = events.filter(isSent)
    const acknowledged = handed.filter((event) => event.acknowledged).length
    const pending = inbox.countPending()
    const conflicts = inbox.list({orderNo: args.orderNo, pending: 'conflicts', rowsMax: -1}).length
    const unanswered = handed.filter((event) => !event.acknowledged && event.httpStatus === null).length
    this.tell(forwardedEnd({handedOn: handed.length, acknowledged, unanswered, held, pending, conflicts}))
    this.endWith(statusIfStopped(signal) ?? (acknowledged < handed.length ? 8 : held > 0 ? 7 : 0))
    return {events, handedOn: handed.length, acknowledged, pending, conflicts}
  }

  /** Without an api_key nothing reads delivery records, which is said. */
  private async recordReader({profile, ...loaded}: LoadedProfile) {
    const client = await this.context.client({profile, ...loaded}).catch((thrown) => {
      const {code, clause} = asFailure(thrown)
      if (code !== 'credentials_missing') throw thrown
      this.tell(
        `note: the delivery records of the service were not looked at: ${clause}. They would show what your server took from the service itself.`,
      )
      return null
    })
    return async (events: readonly EventToCheck[]): Promise<RecordsRead> =>
      client === null ? noRecords : await readRecords(events, client, profile.dialect)
  }
}
