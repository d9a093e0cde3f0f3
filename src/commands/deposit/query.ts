import * as Args from '@oclif/core/args'

import {type OrderAnswers, OrderQuery} from '../../cli/orders/query.ts'
import {unwrap} from '../../cli/unwrap.ts'

export default class DepositQuery extends OrderQuery {
  static override summary = 'Show the current status and amount of deposits at the service.'

  static override description = unwrap(`
    Exit status 7 if an order does not exist, 8 if an order got no reliable answer. Such an order is listed with
    \`found\` null and the reason; it may or may not exist.
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
