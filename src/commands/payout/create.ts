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
import {
  openPayoutNotes,
  otherKeyNotes,
  otherOpenPayouts,
  replacedNotes,
  takenEvents,
} from '../../cli/orders/open-payouts.ts'
import type {BatchFlags} from '../../cli/orders/payout-batch.ts'
import {
  allowRepeatFlag,
  ignoreColumnFlag,
  ignoreMarkFlag,
  intendedFlag,
  maxAmountFlag,
  onePayoutFlags,
  payoutFrom,
  payoutsFromFlag,
} from '../../cli/orders/payout-flags.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {LoadedProfile} from '../../config/load-profile.ts'
import {worstStatus} from '../../core/failure.ts'
import {besideDoubtOf} from '../../core/payout-limits.ts'
import {fieldsText} from '../../report/fields-text.ts'
import type {PayoutsReport} from '../../report/payouts-report.ts'
import {createPayout} from '../../workflows/orders/create.ts'
import {creditedBy} from '../../workflows/orders/credited.ts'
import {paidTwiceBy, paidTwiceNote} from '../../workflows/orders/paid-after-all.ts'
import {sentIn} from '../../workflows/orders/paid-anew.ts'
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
    hisab shows the amount and the recipient, and asks. Without a terminal it needs --yes. The same number with the
    same parameters is the same payout: after a lost answer, run the same command again; nothing is paid twice. A
    number that was used with other parameters is refused, and nothing is sent. After the create hisab queries the
    payout; \`confirmed\` shows whether it is the payout you asked for.

    The question warns if this machine paid the same amount to the same account in the last 24 hours under another
    number. With --yes such a payout also needs --allow-repeat. So does a payout of any age whose number a spreadsheet may have changed into this one. The profile can limit one payout and all payouts of a day.

    --from pays a whole file. hisab checks every row before it sends the first, and asks once, with the totals. It
    refuses a file with other columns that may say which rows are to be paid, and rows whose number or name somebody may
    have marked; --ignore-column and --ignore-mark let them pass.
    \`payouts.result.csv\` beside \`payouts.csv\` shows the result of each row (\`payouts.result.partial.csv\` until the
    end). To continue after a stop, run the same command again: hisab queries rows in doubt first and pays none twice.
  `)

  static override usage = [
    'payout create --order-no NO --amount BDT --bank-type BKASH|NAGAD|ROCKET --user-name NAME --account PHONE [FLAGS]',
    'payout create --from FILE [FLAGS]',
  ]

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
    'ignore-column': ignoreColumnFlag,
    'ignore-mark': ignoreMarkFlag,
    rate: fileRateFlag,
    'return-url': returnUrlFlag,
    'max-amount': maxAmountFlag,
    yes: yesFlag,
    'allow-repeat': allowRepeatFlag,
    intended: intendedFlag,
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
      const journal = await this.context.journalIfAny(loaded, 'the number was not looked up')
      const shown = await dryRunOf(request, client.preparePayout.bind(client), journal)
      await this.show(dryRunText(shown))
      return shown
    }

    requireConsent(flags, 'A payout')
    const journal = await this.context.journal(loaded)
    const held = await heldToCeiling(loaded.profile, journal, Date.now())
    const termsNow = async () =>
      payoutTerms(held, flags['max-amount'] ?? null, Date.now(), await skewOf(client, journal))
    const whyCredited = creditedBy(journal, await takenEvents(this.context, loaded))
    const sentAs = sentIn(journal)
    const asked = new Set<string>()
    const profileName = loaded.profile.name
    const ports = {client, journal, whyCredited, sentAs, asked, profileName, now: Date.now}
    const terms = await termsNow()
    const prepare = client.preparePayout.bind(client)
    const payout = await reviewPayout(await payoutOrder(request, prepare, journal, terms.nowMs), terms, ports)
    for (const note of returnUrlNotes(payout.prepared, request)) this.tell(note)
    const open = await otherOpenPayouts(journal, [payout.prepared.orderNo])
    const besideInDoubt = besideDoubtOf([payout])
    for (const note of await otherKeyNotes(journal)) this.tell(note)
    for (const note of openPayoutNotes(open, besideInDoubt, loaded.profile)) this.tell(note)
    for (const note of replacedNotes([payout])) this.tell(note)
    await approvePayout(payout, loaded.profile, flags, journal)
    const allowed = new Set(payout.duplicates.map(({orderNo}) => orderNo))
    const guard = async () => guardOf(payout, await termsNow(), allowed, ports)
    const order = await createPayout(payout.prepared, payout.claim, guard, ports)
    for (const note of createdNotes(order, request.outOrderNo, loaded.profile.ledger.timeZone))
      this.tell(note)

    const {sentBefore, shown} = order
    const {orderNo} = payout.prepared
    const twice =
      sentBefore &&
      shown &&
      (await paidTwiceBy(journal, client)({kind: 'payout', orderNo, ...shown, amount: request.amount}))
    if (twice) this.tell(paidTwiceNote(twice))
    const view = {...createdView(order), ...(besideInDoubt.length > 0 ? {besideInDoubt} : {})}
    await this.show(fieldsText(view))
    this.endWith(worstStatus([createdStatus(order), twice ? (twice.isKnown ? 7 : 8) : 0]))
    return view
  }

  private async payFile(from: string, flags: BatchFlags, loaded: LoadedProfile): Promise<PayoutsReport> {
    const {payBatch} = await import('../../cli/orders/payout-batch.ts')
    const {report, status} = await payBatch(from, flags, loaded, this.context)
    const {payoutsText} = await import('../../report/payouts-text.ts')
    await this.show(payoutsText(report, loaded.profile.name, this.style, process.stdout.columns))
    this.endWith(status)
    return report
  }
}
