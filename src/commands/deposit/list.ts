import {CreateList, type CreateListing} from '../../cli/orders/doubts.ts'
import {unwrap} from '../../cli/unwrap.ts'

export default class DepositList extends CreateList {
  static override summary =
    'List deposits created on this machine, or with --in-doubt those of unknown outcome.'

  static override description = unwrap(`
    Reads the journal of this machine, newest first. The service is not asked. --in-doubt lists orders whose outcome
    is unknown, oldest first: the answer was lost or proves nothing, hisab was killed during the send, or the service
    shows other values than were sent. A doubt never expires. Each is listed with the command that may resolve it.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile sandbox',
    '<%= config.bin %> <%= command.id %> --in-doubt --profile sandbox',
  ]

  async run(): Promise<CreateListing> {
    const {flags} = await this.parse(DepositList)
    return await this.list('deposit', ['deposit'], flags)
  }
}
