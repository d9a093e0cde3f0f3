import * as Flags from '@oclif/core/flags'

import type {OrderAnswer, ServiceClient} from '../../api/client.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {dryRunFlag, returnUrlFlag} from '../../cli/flags.ts'
import {
  ambiguityNotes,
  type CreatedView,
  createdNotes,
  createdStatus,
  createdView,
  type DryRun,
  dryRunOf,
  dryRunText,
  isContradicted,
  requireReturnUrl,
  returnUrlNotes,
} from '../../cli/orders/create.ts'
import {
  showInBrowser,
  showQr,
  type WaitedView,
  waitedNote,
  waitedStatus,
  waitedView,
  waitForPlayer,
} from '../../cli/orders/show-deposit.ts'
import {durationFlag} from '../../cli/time-flag.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {worstStatus} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {fieldsText} from '../../report/fields-text.ts'
import type {Confirmation} from '../../workflows/orders/confirm.ts'
import {type CreatedOrder, createDeposit, type MadeDeposit} from '../../workflows/orders/create.ts'
import {prepareAsFirstSent} from '../../workflows/orders/first-sent.ts'

const waitDefaultMs = 15 * 60_000

export default class DepositCreate extends BaseCommand {
  static override summary = 'Create a payment session and get the address of its payment page.'

  static override description = unwrap(`
    The same number with the same parameters is the same order: after a lost answer, run the same command again. A
    number that was used with other parameters is refused, and nothing is sent. After the create hisab queries the
    order; \`confirmed\` shows whether it is the order you asked for.

    --wait queries the order until the player has paid. Exit status: 0 completed, 7 failed, 8 still open when the time
    is up.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox --order-no D-1001 --player-phone 01712345678 --player-ref player-7 --return-url http://127.0.0.1:4020/webhook',
    {
      description: 'See the exact request without sending it:',
      command:
        '<%= config.bin %> <%= command.id %> --profile sandbox --order-no D-1001 --player-phone 01712345678 --player-ref player-7 --return-url http://127.0.0.1:4020/webhook --dry-run',
    },
    {
      description: 'Show the payment page, and wait for the payment:',
      command:
        '<%= config.bin %> <%= command.id %> --profile sandbox --order-no D-1001 --player-phone 01712345678 --player-ref player-7 --return-url http://127.0.0.1:4020/webhook --qr --open --wait --wait-for 15m',
    },
  ]

  static override flags = {
    'order-no': Flags.string({
      summary: 'Your order number, at most 32 characters.',
      required: true,
      helpValue: 'NO',
    }),
    'player-phone': Flags.string({
      summary: 'Number the player will pay from: 01, a digit from 3 to 9, eight more digits.',
      required: true,
      helpValue: 'PHONE',
    }),
    'player-ref': Flags.string({
      summary: 'Your id of the player, at most 64 characters. The webhook returns it.',
      required: true,
      helpValue: 'REF',
    }),
    'return-url': returnUrlFlag,
    test: Flags.boolean({
      summary: 'Create a test order without money (isTest). Demonstration merchants only.',
    }),
    open: Flags.boolean({summary: 'Open the payment page in the browser. Needs a terminal.'}),
    qr: Flags.boolean({summary: 'Show the payment page as a QR code, on stderr.'}),
    wait: Flags.boolean({summary: 'Wait until the deposit is completed or failed.'}),
    'wait-for': durationFlag({summary: 'Wait at most this long. --wait alone waits 15m.'}),
    'dry-run': dryRunFlag,
  }

  async run(): Promise<CreatedView | WaitedView | DryRun> {
    const {flags} = await this.parse(DepositCreate)
    const loaded = await this.context.loadProfile(flags.profile)
    const client = await this.context.client(loaded, {ordersOnly: 'deposit'})
    const request = {
      orderNo: flags['order-no'],
      playerPhone: flags['player-phone'],
      playerRef: flags['player-ref'],
      returnUrl: requireReturnUrl(flags['return-url'], loaded.profile),
      isTest: flags.test,
    }
    const prepared = client.prepareDeposit(request)
    for (const note of ambiguityNotes(prepared)) this.tell(note)
    if (flags['dry-run']) {
      const journal = await this.context.journalIfAny(loaded, 'the number was not looked up')
      const shown = await dryRunOf(request, client.prepareDeposit.bind(client), journal)
      await this.show(dryRunText(shown))
      return shown
    }

    const journal = await this.context.journal(loaded)
    const ports = {client, journal, profileName: loaded.profile.name, now: Date.now}
    const first = await prepareAsFirstSent(request, client.prepareDeposit.bind(client), journal)
    for (const note of returnUrlNotes(first, request)) this.tell(note)
    const order = await createDeposit(first, flags.test, ports)
    for (const note of createdNotes(order, flags['order-no'], loaded.profile.ledger.timeZone)) this.tell(note)

    const {payUrl} = order.created
    // The page of an older order takes another player's money.
    if (payUrl !== null && !isContradicted(order)) {
      if (flags.qr) await showQr(payUrl)
      if (flags.open) await showInBrowser(payUrl)
    }
    const waitMs = flags['wait-for'] ?? (flags.wait ? waitDefaultMs : null)
    if (waitMs !== null && !isContradicted(order)) {
      return await this.waitFor(order, waitMs, client, loaded.profile.name)
    }
    const view = createdView(order)
    await this.show(fieldsText(view))
    this.endWith(createdStatus(order))
    return view
  }

  private async waitFor(
    order: CreatedOrder<MadeDeposit>,
    waitMs: number,
    client: ServiceClient,
    profileName: string,
  ): Promise<WaitedView> {
    const {orderNo, payUrl} = order.created
    const {signal} = this.context
    this.tell(
      payUrl === null ? 'Waiting for the player' : `Waiting for the player at ${escapeInvisible(payUrl)}`,
    )
    let last: OrderAnswer | null = null
    const queryOrder: ServiceClient['queryOrder'] = async (...asked) => {
      last = await client.queryOrder(...asked)
      return last
    }
    const {seen, wasOpen} = await waitForPlayer(order.created, waitMs, {queryOrder}, signal)
    const confirmation = last === null ? order.confirmation : await lookAtEnd(order, last, wasOpen)
    const waited = {...order, confirmation}
    this.tell(waitedNote(waited, seen, profileName))
    const created = createdView(waited)
    const view = waitedView(orderNo, seen)
    await this.show(fieldsText({...created, status: view.status, amount: view.amount}))
    this.endWith(worstStatus(waitedStatus(waited, seen, signal)))
    return {...created, order: view}
  }
}

/** The confirmation after the last answer. A contradiction replaces an earlier one; a weaker answer does not. */
async function lookAtEnd(
  order: CreatedOrder<MadeDeposit>,
  last: OrderAnswer,
  wasOpen: boolean,
): Promise<Confirmation> {
  const before = order.confirmation
  const later = await order.lookAgain(last, wasOpen || before.confirmed)
  if (later.confirmed || !before.confirmed) return later
  return later.because === 'contradicted' ? later : before
}
