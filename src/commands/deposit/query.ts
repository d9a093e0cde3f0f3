import * as Args from '@oclif/core/args'

import {type OrderAnswers, OrderQuery} from '../../cli/orders/query.ts'
import {unwrap} from '../../cli/unwrap.ts'

export default class DepositQuery extends OrderQuery {
  static override summary = 'What the service says of deposits: status and amount, as of now.'

  static override description = unwrap(`
    Exit status 7 where an order does not exist, 8 where one got no answer that can be trusted; that one is listed
    with \`found\` null and the reason, and says nothing about whether the order exists.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1001 --profile sandbox',
    {
      description: 'Many at once, for a spreadsheet:',
      command: '<%= config.bin %> <%= command.id %> --from numbers.txt --profile sandbox --format csv',
    },
  ]

  // Here and not in OrderQuery: oclif reads only a command's own `strict`.
  static override strict = false

  static override args = {
    orderNo: Args.string({description: 'Your deposit number, one or more.', ignoreStdin: true}),
  }

  async run(): Promise<OrderAnswers | undefined> {
    const {argv, flags} = await this.parse(DepositQuery)
    return await this.query('deposit', argv as string[], flags)
  }
}
