import {CreateList, type CreateListing} from '../../cli/orders/doubts.ts'
import {unwrap} from '../../cli/unwrap.ts'

export default class PayoutList extends CreateList {
  static override summary = 'Payouts sent from this machine; with --in-doubt all whose outcome nobody knows.'

  static override description = unwrap(`
    From the journal on this machine, newest first; nothing is asked of the service. With --in-doubt it lists
    what is in doubt, oldest first, deposits and resends included. An order is in doubt while nobody knows
    whether it was made: its answer was lost or proves nothing, hisab was killed while it was sent, or the service
    shows it otherwise than it was sent. A resend is in doubt while neither its answer nor its record shows how it ended.
    A doubt never expires. Each has the command that may end it.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox',
    '<%= config.bin %> <%= command.id %> --in-doubt --profile sandbox',
  ]

  async run(): Promise<CreateListing> {
    const {flags} = await this.parse(PayoutList)
    return await this.list('payout', ['deposit', 'payout', 'resend'], flags)
  }
}
