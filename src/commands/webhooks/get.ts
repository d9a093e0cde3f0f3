import * as Args from '@oclif/core/args'

import {BaseCommand} from '../../cli/base-command.ts'
import {Failure} from '../../core/failure.ts'
import {recordText} from '../../report/record-text.ts'

export default class WebhooksGet extends BaseCommand {
  static override summary = 'One delivery record, with what was sent and what your server answered.'

  static override examples = [
    '<%= config.bin %> <%= command.id %> 8b0f2c7e-5f0d-4f7c-9d59-0c6f3d1c7a10 --profile sandbox',
    '<%= config.bin %> <%= command.id %> 8b0f2c7e-5f0d-4f7c-9d59-0c6f3d1c7a10 --profile sandbox --json',
  ]

  static override args = {
    id: Args.string({
      description: 'Id of the record, as `webhooks list` shows it.',
      required: true,
      ignoreStdin: true,
    }),
  }

  async run(): Promise<object> {
    const {args, flags} = await this.parse(WebhooksGet)
    const loaded = await this.context.loadProfile(flags.profile)
    const client = await this.context.client(loaded)
    const detail = await client.getDelivery(args.id)
    if (detail === null) throw noSuchRecord(args.id)

    await this.show(recordText(detail.raw))
    return detail.raw
  }
}

function noSuchRecord(id: string): Failure {
  return new Failure(
    'not_found',
    `The service has no delivery record ${id}.`,
    'Take the id from `hisab webhooks list`.',
  )
}
