import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {statusIfStopped} from '../../cli/interrupt.ts'
import {styleFor} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {forwardPending, mayCredit} from '../../cli/webhooks/forward-pending.ts'
import {readForwardUrl, rulesOf} from '../../cli/webhooks/listen-flags.ts'
import {viewForwarded} from '../../cli/webhooks/received-view.ts'
import {receiverLine} from '../../cli/webhooks/receiver-line.ts'
import type {LoadedProfile} from '../../config/load-profile.ts'
import {Failure} from '../../core/failure.ts'
import {parsePaisa} from '../../core/money.ts'
import {receiverPath} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Notice} from '../../receiver/notice.ts'
import type {StoredEvent} from '../../receiver/stored-events.ts'
import {kindOf} from '../../receiver/webhook.ts'
import {type ForwardedView, forwardedEnd, forwardedLine} from '../../report/received-text.ts'
import {askQuietly} from '../../workflows/orders/confirm.ts'
import {creditedBy} from '../../workflows/orders/credited.ts'
import {madeSince, paidAnewBy} from '../../workflows/orders/paid-anew.ts'

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
    has handled. The command waits for events that \`webhooks listen\` is forwarding. Exit status 8 if your server did
    not acknowledge all of them.

    A version that contradicts an acknowledged one (another amount or player, failed after completed) is not forwarded.
    Look at it with \`events show\` and ask the service which version is true. Then forward it with --conflicts.

    Your server credits the player for a completed deposit, and gives back the money of a payout that failed. So such an
    event is not forwarded (7) without --include-delivered if your server took a webhook of it that hisab resent, or a
    ledger has it so. Nor is one of a failed payout that may have been paid anew, that a person recorded as paid, or that
    was made here and is now completed or open at the service.
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
        'Run: hisab events forward ORDER_NO --conflicts --to URL. `hisab events list --pending` lists the orders.',
      )
    }
    const url = readForwardUrl(flags.to, '--to', 0)
    const {signal} = this.context
    const loaded = await this.context.loadProfile(flags.profile)
    const {timeZone} = loaded.profile.ledger
    const rules = await rulesOf(loaded, (note) => this.tell(note))
    const inbox = await this.context.inbox(loaded)
    const forwarder = await this.context.forwarder(url)
    const style = {stdout: this.style, stderr: styleFor(process.stderr)}
    const tell = (notice: Notice) => {
      if (notice.type !== 'received') this.tell(receiverLine(notice, timeZone, style.stderr))
    }

    const whyNot = flags['include-delivered'] ? null : await this.whyNotCredited(loaded)
    const whyHeld = async (event: StoredEvent) => {
      const why = whyNot && mayCredit(event, rules) ? await whyNot(event) : null
      return why && `${why}. To hand it on anyway, add --include-delivered`
    }
    const parts = {inbox, forwarder, rules, path: receiverPath, now: Date.now, onNotice: tell, whyHeld}
    const events: ForwardedView[] = []
    for await (const handed of forwardPending(parts, {
      orderNo: args.orderNo,
      pending: flags.conflicts ? 'conflicts' : flags.all ? 'any' : 'handed',
    })) {
      const view = viewForwarded(handed, timeZone)
      events.push(view)
      await this.show(`${forwardedLine(view, style.stdout)}\n`)
      if (signal.aborted) break
    }
    const handed = events.filter(({held}) => !held)
    const acknowledged = handed.filter((event) => event.acknowledged).length
    const pending = inbox.countPending()
    const conflicts = inbox.list({orderNo: args.orderNo, pending: 'conflicts', rowsMax: -1}).length
    this.tell(forwardedEnd({handedOn: handed.length, acknowledged, pending, conflicts}))
    this.endWith(
      statusIfStopped(signal) ?? (acknowledged < handed.length ? 8 : handed.length < events.length ? 7 : 0),
    )
    return {events, handedOn: handed.length, acknowledged, pending, conflicts}
  }

  /** Why the player may have the money of an event already, as a clause. */
  private async whyNotCredited(
    loaded: LoadedProfile,
  ): Promise<((event: StoredEvent) => Promise<string | null>) | null> {
    const journal = await this.context.journalIfAny(loaded)
    if (journal === null) return null
    const client = await this.context.client(loaded, {ordersOnly: true})
    const [whyPaidAnew, whyCredited] = [paidAnewBy(journal, client), creditedBy(journal)]
    return async (event) => {
      const {orderId, orderNo: stated, amount, receivedAtMs} = event
      const kind = kindOf(event)
      const orderNo = stated ?? (await journal.numberWithPlatformOrder(kind, '', orderId))
      if (orderNo === null) return null
      const order = {kind, orderNo, amount: parsePaisa(amount ?? '')}
      const credited = await whyCredited(orderNo, kind)
      const why = (await whyPaidAnew(order, madeSince(receivedAtMs))) ?? credited?.why ?? null
      const isOurs = kind === 'payout' && (await journal.findRequest(kind, orderNo)) !== null
      if (why !== null || !isOurs) return why
      const now = await askQuietly(client, kind, orderNo)
      const isUndone =
        !(now instanceof Failure) &&
        now.found &&
        (now.order.status === 'completed' || now.order.status === 'open')
      return isUndone ? `the service now has "${escapeInvisible(now.order.rawStatus, 60)}"` : null
    }
  }
}
