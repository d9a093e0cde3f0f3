import * as Flags from '@oclif/core/flags'

import {amountFlag} from '../../cli/amount-flag.ts'
import {approvePayout} from '../../cli/approve-payout.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {dryRunFlag, returnUrlFlag, yesFlag} from '../../cli/flags.ts'
import {
  ambiguityNotes,
  createdNotes,
  createdStatus,
  createdView,
  dryRunOf,
  dryRunText,
  requireReturnUrl,
} from '../../cli/order-create.ts'
import {prose} from '../../cli/prose.ts'
import {payoutChannels} from '../../core/order.ts'
import {maskPhone} from '../../core/text.ts'
import {fieldsText} from '../../report/fields-text.ts'
import {createPayout} from '../../workflows/create-order.ts'

export default class PayoutCreate extends BaseCommand {
  static override summary = 'Pay a player out to a mobile wallet.'

  static override description = prose(`
    Shows what would be paid to whom and asks; without a terminal it needs --yes. The same number with the same
    parameters is the same payout: after a lost answer, run the very same command again and nothing is paid twice.
    A number that was used with other parameters is refused before anything is sent. After the create the payout
    is queried, and \`confirmed\` says whether it is the one that was asked for.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox --out-order-no P-2001 --amount 1250.50 --bank-type BKASH --user-name "Rahim Uddin" --account 01812345678 --return-url http://127.0.0.1:4020/webhook --yes',
    {
      description: 'See the exact request without sending it:',
      command:
        '<%= config.bin %> <%= command.id %> --profile sandbox --out-order-no P-2001 --amount 1250.50 --bank-type BKASH --user-name "Rahim Uddin" --account 01812345678 --return-url http://127.0.0.1:4020/webhook --dry-run',
    },
  ]

  static override flags = {
    'out-order-no': Flags.string({
      summary: 'Your payout number, at most 32 characters.',
      required: true,
      helpValue: 'NO',
    }),
    amount: amountFlag({summary: 'Amount in BDT, at most two decimals.', required: true}),
    'bank-type': Flags.option({options: payoutChannels})({summary: 'Channel.', required: true}),
    'user-name': Flags.string({summary: 'Name of the recipient.', required: true, helpValue: 'NAME'}),
    account: Flags.string({
      summary: 'Wallet number of the recipient: 01, 3 to 9, eight more digits.',
      required: true,
      helpValue: 'PHONE',
    }),
    'return-url': returnUrlFlag,
    yes: yesFlag,
    'dry-run': dryRunFlag,
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(PayoutCreate)
    const loaded = await this.context.loadProfile(flags.profile)
    const client = await this.context.client(loaded, {ordersOnly: true})
    const request = {
      outOrderNo: flags['out-order-no'],
      amount: flags.amount,
      bankType: flags['bank-type'],
      userName: flags['user-name'],
      account: flags.account,
      returnUrl: requireReturnUrl(flags['return-url'], loaded.profile),
    }
    const prepared = client.preparePayout(request)
    for (const note of ambiguityNotes(prepared)) this.tell(note)
    if (flags['dry-run']) {
      const shown = dryRunOf(prepared)
      await this.show(dryRunText(shown))
      return shown
    }

    await approvePayout(request, loaded.profile, flags.yes)
    const journal = await this.context.journal(loaded)
    const claim = {
      amount: request.amount,
      channel: request.bankType,
      maskedAccount: maskPhone(request.account),
    }
    const ports = {client, journal, profileName: loaded.profile.name, now: Date.now}
    const order = await createPayout(prepared, claim, ports)
    for (const note of createdNotes(order)) this.tell(note)

    const view = createdView(order)
    await this.show(fieldsText(view))
    this.endWith(createdStatus(order))
    return view
  }
}
