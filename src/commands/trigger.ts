import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../cli/base-command.ts'
import {amountFlag} from '../cli/orders/amount-flag.ts'
import {confirm} from '../cli/prompt.ts'
import {playOrder} from '../cli/sandbox/play.ts'
import {readSandboxProfile} from '../cli/sandbox/profile.ts'
import {durationFlag} from '../cli/time-flag.ts'
import {unwrap} from '../cli/unwrap.ts'
import {rulesOf} from '../cli/webhooks/listen-flags.ts'
import {readReturnUrl} from '../config/urls.ts'
import {Failure} from '../core/failure.ts'
import {isLoopback} from '../core/loopback.ts'
import {orderNoLengthMax} from '../core/order.ts'
import {sandboxMerchantId} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'
import {findingsOf, type RehearsedView, rehearsalEnd, rehearsedText} from '../report/trigger-text.ts'
import {rehearse, rehearsedEvents, rehearsedWays} from '../sandbox/rehearsal.ts'

export interface TriggeredEvents {
  readonly to: string
  readonly event: string
  readonly orders: readonly RehearsedView[]
  readonly findings: number
}

const serverTimeoutMs = 10_000

export default class Trigger extends BaseCommand {
  static override summary = 'Send an event of the service to your own server, and judge its answers.'

  static override description = unwrap(`
    Makes the event as the embedded service does, signs it with the secret of the profile (default \`sandbox\`), and
    posts it. Nothing else needs to run. Exit status 7 if your server did something wrong, 5 if no server is there.

    genuine: once. duplicated: four times, two of them at once. late: after --delay. forged: another amount, no signature,
    another secret, and then the genuine event. reordered: the event, and after it the older, opposite one of its order.

    An answer does not show what was booked. --credits gives a command that asks your books: it gets ORDER_NO and
    PLATFORM_ORDER_NO in its environment and prints how often the player was credited.

    It posts to this machine only; [profiles.NAME.sandbox] deliver_to allows other addresses of yours.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> deposit.completed --to http://127.0.0.1:3000/webhook',
    '<%= config.bin %> <%= command.id %> payout.failed --as duplicated --as forged --to http://127.0.0.1:3000/webhook',
    {
      description: 'Everything, judged by your books:',
      command:
        '<%= config.bin %> <%= command.id %> deposit.completed --as all --to http://127.0.0.1:3000/webhook --credits "./count-credits.sh"',
    },
  ]

  static override args = {
    event: Args.string({
      description: 'The event.',
      options: [...rehearsedEvents],
      required: true,
      ignoreStdin: true,
    }),
  }

  static override flags = {
    to: Flags.string({summary: 'Address of your server.', helpValue: 'URL', required: true}),
    as: Flags.option({options: [...rehearsedWays, 'all'] as const, multiple: true as const})({
      summary: 'How it comes. May be repeated.',
      default: ['genuine'],
    }),
    'order-no': Flags.string({summary: 'Order number. Default: a new one each time.', helpValue: 'NO'}),
    amount: amountFlag({
      summary: 'Amount of the order.',
      default: 500_00n,
      defaultHelp: async () => '500.00',
    }),
    'player-ref': Flags.string({summary: 'Player of a deposit.', default: 'player-7'}),
    delay: durationFlag({
      summary: 'How late a late event is.',
      default: 2_000,
      defaultHelp: async () => '2s',
    }),
    credits: Flags.string({
      summary: 'Shell command that prints how often your books credited the order.',
      helpValue: 'COMMAND',
    }),
    yes: Flags.boolean({char: 'y', summary: 'Sign with a live secret without asking.', default: false}),
  }

  async run(): Promise<TriggeredEvents> {
    const {args, flags} = await this.parse(Trigger)
    const event = rehearsedEvents.find((one) => one === args.event) ?? rehearsedEvents[0]
    const ways = flags.as.includes('all')
      ? rehearsedWays
      : rehearsedWays.filter((way) => flags.as.includes(way))
    const numbers = orderNumbers(flags['order-no'], ways.length)
    const url = readReturnUrl(flags.to, '--to', ownServer)
    const {profile: name = 'sandbox', yes} = flags
    const {isLive, dialect, deliverTo} = await readSandboxProfile(this.context, name)
    refuseElsewhere(url, deliverTo, name)
    const loaded = await this.context.loadProfile(name, 'signing')
    if (isLive && !yes) await askForLive(name, url)
    const {merchantId, keys} = await rulesOf(loaded, (note) => this.tell(note))
    const merchant = {merchantId: merchantId === '' ? sandboxMerchantId : merchantId, credentials: keys}
    const {openSender} = await import('../sandbox/delivery-sender.ts')
    const sender = openSender({timeoutMs: () => serverTimeoutMs, deliverTo})
    const {amount, 'player-ref': playerRef, delay: delayMs, credits = null} = flags
    const {signal} = this.context
    const orders: RehearsedView[] = []
    try {
      for (const [at, way] of ways.entries()) {
        const now = () => Math.floor(Date.now() / 1000)
        const options = {url, merchant, dialect, orderNo: numbers[at] ?? '', amount, playerRef, now}
        const played = await playOrder(rehearse(event, way, options), {url, sender, signal, delayMs, credits})
        orders.push(played)
        await this.show(`${rehearsedText(event, played, this.style)}\n`)
      }
    } finally {
      await sender.close()
    }
    const findings = orders.reduce((sum, order) => sum + findingsOf(order), 0)
    await this.show(rehearsalEnd(orders, process.stdout.columns))
    this.endWith(findings === 0 ? 0 : 7)
    return {to: url, event, orders, findings}
  }
}

function orderNumbers(given: string | undefined, count: number): string[] {
  if (given === undefined) {
    const start = Date.now().toString(36).toUpperCase()
    return Array.from({length: count}, (_, at) => `TRIGGER-${start}-${at + 1}`)
  }
  if (count > 1) {
    throw new Failure(
      'usage',
      'Each --as needs its own order, so --order-no works with only one --as.',
      'Leave --order-no out, or give one --as.',
    )
  }
  if (given !== '' && given.length <= orderNoLengthMax) return [given]
  throw new Failure(
    'usage',
    `--order-no has ${given.length} characters.`,
    `Give 1 to ${orderNoLengthMax} characters.`,
  )
}

const ownServer =
  'Use an address on this machine, or https:// to another one; another one also needs deliver_to in the profile.'

function refuseElsewhere(url: string, deliverTo: readonly string[], name: string): void {
  if (isLoopback(url) || deliverTo.includes(new URL(url).origin)) return
  throw new Failure(
    'config_invalid',
    `${escapeInvisible(url)} is not on this machine, and the profile "${escapeInvisible(name)}" does not allow it. Nothing was sent.`,
    `Test a server on 127.0.0.1, or allow yours in a profile without live addresses: [profiles.NAME.sandbox] deliver_to = ["${escapeInvisible(new URL(url).origin)}"].`,
  )
}

/** A server connected to real books would book what a live secret signed. */
async function askForLive(name: string, url: string): Promise<void> {
  const profile = escapeInvisible(name)
  const answer = await confirm(
    `The profile "${profile}" is live: a server with real books may book this. Send it to ${escapeInvisible(url)}?`,
  )
  if (answer === true) return
  throw new Failure(
    answer === null ? 'confirmation_needed' : 'declined',
    `The profile "${profile}" is live. Your server may book an event signed with its secret as real. Nothing was sent.`,
    'If that server has test books, add --yes. Otherwise use --profile sandbox, and give your server the secret from `hisab sandbox env`.',
  )
}
