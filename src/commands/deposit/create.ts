import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {dryRunFlag, returnUrlFlag} from '../../cli/flags.ts'
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
import {fieldsText} from '../../report/fields-text.ts'
import {createDeposit} from '../../workflows/create-order.ts'

export default class DepositCreate extends BaseCommand {
  static override summary = 'Create a payment session and get the address of its payment page.'

  static override description = prose(`
    The same number with the same parameters is the same order: after a lost answer, run the very same command
    again. A number that was used with other parameters is refused before anything is sent. After the create the
    order is queried, and \`confirmed\` says whether it is the one that was asked for.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox --order-no D-1001 --player-phone 01712345678 --player-ref player-7 --return-url http://127.0.0.1:4020/webhook',
    {
      description: 'See the exact request without sending it:',
      command:
        '<%= config.bin %> <%= command.id %> --profile sandbox --order-no D-1001 --player-phone 01712345678 --player-ref player-7 --return-url http://127.0.0.1:4020/webhook --dry-run',
    },
  ]

  static override flags = {
    'order-no': Flags.string({
      summary: 'Your order number, at most 32 characters.',
      required: true,
      helpValue: 'NO',
    }),
    'player-phone': Flags.string({
      summary: 'The number the player will pay from: 01, 3 to 9, eight more digits.',
      required: true,
      helpValue: 'PHONE',
    }),
    'player-ref': Flags.string({
      summary: 'Your id of the player, at most 64 characters; the webhook carries it back.',
      required: true,
      helpValue: 'REF',
    }),
    'return-url': returnUrlFlag,
    test: Flags.boolean({summary: 'A rehearsal without money (isTest); demonstration merchants only.'}),
    'dry-run': dryRunFlag,
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(DepositCreate)
    const loaded = await this.context.loadProfile(flags.profile)
    const client = await this.context.client(loaded, {ordersOnly: true})
    const prepared = client.prepareDeposit({
      orderNo: flags['order-no'],
      playerPhone: flags['player-phone'],
      playerRef: flags['player-ref'],
      returnUrl: requireReturnUrl(flags['return-url'], loaded.profile),
      isTest: flags.test,
    })
    for (const note of ambiguityNotes(prepared)) this.tell(note)
    if (flags['dry-run']) {
      const request = dryRunOf(prepared)
      await this.show(dryRunText(request))
      return request
    }

    const journal = await this.context.journal(loaded)
    const ports = {client, journal, profileName: loaded.profile.name, now: Date.now}
    const order = await createDeposit(prepared, flags.test, ports)
    for (const note of createdNotes(order, flags['order-no'], loaded.profile.ledger.timeZone)) this.tell(note)

    const view = createdView(order)
    await this.show(fieldsText(view))
    this.endWith(createdStatus(order))
    return view
  }
}
