import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {ResolveDoubt, type ResolvedDoubt, resolveFlags} from '../../cli/orders/doubts.ts'
import {unwrap} from '../../cli/unwrap.ts'

export default class PayoutResolve extends ResolveDoubt {
  static override summary = 'Say what became of a payout in doubt.'

  static override description = unwrap(`
    For a payout that a query does not settle: find out at the service, then say it here. The journal keeps who said
    so, when and why. With --not-paid the service is asked once more first; a payout that it shows was made,
    and the exit status is 7.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> P-2003 --not-paid --reason "the service desk looked it up" --profile sandbox',
  ]

  static override args = {
    orderNo: Args.string({description: 'Your payout number.', required: true, ignoreStdin: true}),
  }

  static override flags = {
    paid: Flags.boolean({summary: 'It was paid out.', exactlyOne: ['paid', 'not-paid']}),
    'not-paid': Flags.boolean({summary: 'It was not, and never will be.'}),
    ...resolveFlags,
  }

  async run(): Promise<ResolvedDoubt> {
    const {args, flags} = await this.parse(PayoutResolve)
    return await this.resolve('payout', args.orderNo, flags.paid === true, flags)
  }
}
