import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {ResolveDoubt, type ResolvedDoubt, resolveFlags} from '../../cli/orders/doubts.ts'
import {unwrap} from '../../cli/unwrap.ts'

export default class DepositResolve extends ResolveDoubt {
  static override summary = 'Record the outcome of a deposit in doubt.'

  static override description = unwrap(`
    Use it where a query does not resolve the doubt. Find out at the service first. The journal keeps the outcome, who
    gave it, when and why. With --not-made hisab queries the service once more. If the service shows the deposit,
    nothing is recorded as not made and the exit status is 7.
    The contrary outcome takes a mistaken one back; nothing is sent.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-2001 --not-made --reason "the service desk looked it up" --profile sandbox',
  ]

  static override args = {
    orderNo: Args.string({description: 'Your deposit number.', required: true, ignoreStdin: true}),
  }

  static override flags = {
    made: Flags.boolean({summary: 'The deposit exists.', exactlyOne: ['made', 'not-made']}),
    'not-made': Flags.boolean({summary: 'The deposit does not exist and never will.'}),
    ...resolveFlags,
  }

  async run(): Promise<ResolvedDoubt> {
    const {args, flags} = await this.parse(DepositResolve)
    return await this.resolve('deposit', args.orderNo, flags.made === true, flags)
  }
}
