import {CreateList, type CreateListing} from '../../cli/orders/doubts.ts'
import {unwrap} from '../../cli/unwrap.ts'

export default class PayoutList extends CreateList {
  static override summary = 'List payouts created on this machine, or with --in-doubt all of unknown outcome.'

  static override description = unwrap(`
    Reads the journal of this machine, newest first. The service is not asked. --in-doubt lists orders whose outcome
    is unknown, oldest first, deposits and resends included. For an order the answer was lost or proves nothing, hisab
    was killed during the send, or the service shows other values than were sent. For a resend neither the answer nor
    the record shows the outcome. A doubt never expires. Each is listed with the command that may resolve it.
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
