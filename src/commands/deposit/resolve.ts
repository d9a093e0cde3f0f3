import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {ResolveDoubt, type ResolvedDoubt, resolveFlags} from '../../cli/orders/doubts.ts'
import {unwrap} from '../../cli/unwrap.ts'

export default class DepositResolve extends ResolveDoubt {
  static override summary = 'Say what became of a deposit in doubt.'

  static override description = unwrap(`
    For a deposit that a query does not settle: find out at the service, then say it here. The journal keeps who said
    so, when and why. With --not-made the service is asked once more first; a deposit that it shows was made,
    and the exit status is 7.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-2001 --not-made --reason "the service desk looked it up" --profile sandbox',
  ]

  static override args = {
    orderNo: Args.string({description: 'Your deposit number.', required: true, ignoreStdin: true}),
  }

  static override flags = {
    made: Flags.boolean({summary: 'It was made.', exactlyOne: ['made', 'not-made']}),
    'not-made': Flags.boolean({summary: 'It was not, and never will be.'}),
    ...resolveFlags,
  }

  async run(): Promise<ResolvedDoubt> {
    const {args, flags} = await this.parse(DepositResolve)
    return await this.resolve('deposit', args.orderNo, flags.made === true, flags)
  }
}
