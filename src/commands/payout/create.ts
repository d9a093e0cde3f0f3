import {BaseCommand} from '../../cli/base-command.ts'
import {dryRunFlag, fileRateFlag, returnUrlFlag, yesFlag} from '../../cli/flags.ts'
import {approvePayout, requireConsent} from '../../cli/orders/approve-payout.ts'
import {
  ambiguityNotes,
  type CreatedView,
  createdNotes,
  createdStatus,
  createdView,
  type DryRun,
  dryRunOf,
  dryRunText,
  returnUrlNotes,
} from '../../cli/orders/create.ts'
import type {BatchFlags} from '../../cli/orders/payout-batch.ts'
import {
  allowRepeatFlag,
  maxAmountFlag,
  onePayoutFlags,
  payoutFrom,
  payoutsFromFlag,
} from '../../cli/orders/payout-flags.ts'
import {styleFor} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {LoadedProfile} from '../../config/load-profile.ts'
import {fieldsText} from '../../report/fields-text.ts'
import type {PayoutsReport} from '../../report/payouts-report.ts'
import {createPayout} from '../../workflows/orders/create.ts'
import {
  guardOf,
  heldToCeiling,
  payoutOrder,
  payoutTerms,
  reviewPayout,
  skewOf,
} from '../../workflows/payouts/terms.ts'

export default class PayoutCreate extends BaseCommand {
  static override summary = 'Pay a player out to a mobile wallet.'

  static override description = unwrap(`
    Shows what would be paid to whom and asks; without a terminal it needs --yes. The same number with the same
    parameters is the same payout: after a lost answer, run the very same command again and nothing is paid twice.
    A number that was used with other parameters is refused before anything is sent. After the create the payout
    is queried, and \`confirmed\` says whether it is the one that was asked for.

    A payout of the same amount to the same account under another number, in the last 24 hours and from this
    machine, is part of the question; without a question it needs --allow-repeat besides --yes. At any age the same
    holds for a number that may be this one, changed by a spreadsheet. The profile can limit what one payout and what
    all payouts of a day may come to.

    With --from a whole file is paid: every row is checked before the first is sent, the totals are asked for once,
    and how each row ended stands in \`payouts.result.csv\` beside \`payouts.csv\` (\`payouts.result.partial.csv\` until
    it is over). Whatever stops it, the same command again goes on: no number is sent twice under another body, and
    what is in doubt is asked for first.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox --order-no P-2001 --amount 1250.50 --bank-type BKASH --user-name "Rahim Uddin" --account 01812345678 --return-url http://127.0.0.1:4020/webhook --yes',
    {
      description: 'See the exact request without sending it:',
      command:
        '<%= config.bin %> <%= command.id %> --profile sandbox --order-no P-2001 --amount 1250.50 --bank-type BKASH --user-name "Rahim Uddin" --account 01812345678 --return-url http://127.0.0.1:4020/webhook --dry-run',
    },
    {
      description: 'Pay a file with the columns out_order_no, amount, bank_type, user_name, account:',
      command:
        '<%= config.bin %> <%= command.id %> --profile sandbox --from payouts.csv --return-url http://127.0.0.1:4020/webhook',
    },
  ]

  static override flags = {
    ...onePayoutFlags,
    from: payoutsFromFlag,
    rate: fileRateFlag,
    'return-url': returnUrlFlag,
    'max-amount': maxAmountFlag,
    yes: yesFlag,
    'allow-repeat': allowRepeatFlag,
    'dry-run': dryRunFlag,
  }

  async run(): Promise<CreatedView | DryRun | PayoutsReport> {
    const {flags} = await this.parse(PayoutCreate)
    const loaded = await this.context.loadProfile(flags.profile)
    if (flags.from !== undefined) return await this.payFile(flags.from, flags, loaded)
    const client = await this.context.client(loaded, {ordersOnly: true})
    const request = payoutFrom(flags, loaded.profile)
    const prepared = client.preparePayout(request)
    for (const note of ambiguityNotes(prepared)) this.tell(note)
    if (flags['dry-run']) {
      const shown = dryRunOf(prepared)
      await this.show(dryRunText(shown))
      return shown
    }

    requireConsent(flags, 'A payout')
    const journal = await this.context.journal(loaded)
    const held = heldToCeiling(loaded.profile, journal, Date.now())
    const termsNow = () => payoutTerms(held, flags['max-amount'] ?? null, Date.now(), skewOf(client, journal))
    const payout = reviewPayout(
      payoutOrder(request, client.preparePayout.bind(client), journal),
      termsNow(),
      journal,
    )
    for (const note of returnUrlNotes(payout.prepared, request)) this.tell(note)
    await approvePayout(payout, loaded.profile, flags)
    const allowed = new Set(payout.duplicates.map(({orderNo}) => orderNo))
    const guard = () => guardOf(termsNow(), allowed)
    const ports = {client, journal, profileName: loaded.profile.name, now: Date.now}
    const order = await createPayout(payout.prepared, payout.claim, guard, ports)
    for (const note of createdNotes(order, request.outOrderNo, loaded.profile.ledger.timeZone))
      this.tell(note)

    const view = createdView(order)
    await this.show(fieldsText(view))
    this.endWith(createdStatus(order))
    return view
  }

  private async payFile(from: string, flags: BatchFlags, loaded: LoadedProfile): Promise<PayoutsReport> {
    const {payBatch} = await import('../../cli/orders/payout-batch.ts')
    const {report, status} = await payBatch(from, flags, loaded, this.context)
    const {payoutsText} = await import('../../report/payouts-text.ts')
    await this.show(
      payoutsText(report, loaded.profile.name, styleFor(process.stdout), process.stdout.columns),
    )
    this.endWith(status)
    return report
  }
}
