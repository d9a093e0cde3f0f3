import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {ResolveDoubt, type ResolvedDoubt, resolveFlags} from '../../cli/orders/doubts.ts'
import {unwrap} from '../../cli/unwrap.ts'

export default class PayoutResolve extends ResolveDoubt {
  static override summary = 'Record the outcome of a payout in doubt.'

  static override description = unwrap(`
    Use it where a query does not resolve the doubt. Find out at the service first. The journal keeps the outcome, who
    gave it, when and why. With --not-paid hisab queries the service once more. If the service shows the payout,
    nothing is recorded as not paid and the exit status is 7.
    The contrary outcome takes a mistaken one back; nothing is sent.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> P-2003 --not-paid --reason "the service desk looked it up" --profile sandbox',
  ]

  static override args = {
    orderNo: Args.string({description: 'Your payout number.', required: true, ignoreStdin: true}),
  }

  static override flags = {
    paid: Flags.boolean({summary: 'The payout was paid.', exactlyOne: ['paid', 'not-paid']}),
    'not-paid': Flags.boolean({summary: 'The payout was not paid and never will be.'}),
    ...resolveFlags,
  }

  async run(): Promise<ResolvedDoubt> {
    const {args, flags} = await this.parse(PayoutResolve)
    return await this.resolve('payout', args.orderNo, flags.paid === true, flags)
  }
}
