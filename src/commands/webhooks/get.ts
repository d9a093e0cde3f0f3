import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {styleFor} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {nextStep} from '../../cli/webhooks/next-step.ts'
import {Failure} from '../../core/failure.ts'
import type {JsonObject} from '../../core/json.ts'
import {maskPersonal} from '../../core/personal.ts'
import {type RecordDetail, recordText} from '../../report/record-text.ts'

export default class WebhooksGet extends BaseCommand {
  static override summary = 'One delivery record: what was sent, what your server answered, and what to do.'

  static override description = unwrap(`
    Says what happened when, hisab's own resends among it, shows the body that was sent and the answer it got, and
    ends with the next step. Phone numbers and names are masked unless --unmask. With --json, the record under the
    service's own names. Where the service has no such record the exit status is 7.
  `)

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

  static override flags = {
    unmask: Flags.boolean({default: false, summary: 'Show phone numbers and names whole.'}),
  }

  async run(): Promise<RecordDetail> {
    const {args, flags} = await this.parse(WebhooksGet)
    const loaded = await this.context.loadProfile(flags.profile)
    const client = await this.context.client(loaded)
    const detail = await client.getDelivery(args.id)
    if (detail === null) throw noSuchRecord(args.id)

    const {delivery} = detail
    const raw = flags.unmask ? detail.raw : (maskPersonal(detail.raw) as JsonObject)
    const journal = await this.context.journalIfAny(loaded)
    const earlier = journal?.earlierResend(delivery.orderId, delivery.event, null) ?? null
    const {timeZone} = loaded.profile.ledger
    const next = nextStep(delivery, earlier, {
      timeZone,
      profileFlag: flags.profile,
      time: {nowMs: Date.now(), skewMs: client.clockSkewMs},
    })
    await this.show(recordText({delivery, raw, earlier, next, timeZone}, styleFor(process.stdout)))
    // The client has read these fields; masking leaves them alone.
    return raw as RecordDetail
  }
}

function noSuchRecord(id: string): Failure {
  return new Failure(
    'not_found',
    `The service has no delivery record ${id}.`,
    'Take the id from `hisab webhooks list`.',
  )
}
