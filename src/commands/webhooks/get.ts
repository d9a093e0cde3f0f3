import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import type {ServiceClient} from '../../api/client.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {nextStep} from '../../cli/webhooks/next-step.ts'
import {Failure} from '../../core/failure.ts'
import type {JsonObject} from '../../core/json.ts'
import {orderKinds} from '../../core/order.ts'
import {maskPersonal} from '../../core/personal.ts'
import {newestOf} from '../../core/reconcile/evidence.ts'
import {escapeInvisible} from '../../core/text.ts'
import {type RecordDetail, recordText} from '../../report/record-text.ts'
import {readRecordsOf} from '../../workflows/resend/order-records.ts'
import {reconciledBy, takenSeenIn} from '../../workflows/resend/seen.ts'

export default class WebhooksGet extends BaseCommand {
  static override summary = 'Show one delivery record: what was sent, what your server answered, what to do.'

  static override description = unwrap(`
    Shows what happened and when, including hisab's own resends, then the body sent, the answer of your server and the
    next step. Phone numbers and names are masked unless you give --unmask. With --json the fields have the service's
    own names. Exit status 7 if the service has no such record.

    --order-no shows the newest record of an order; stderr lists the others. Exit status 7 if the order has no record,
    8 if the list could not be read whole.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> 8b0f2c7e-5f0d-4f7c-9d59-0c6f3d1c7a10 --profile sandbox',
    '<%= config.bin %> <%= command.id %> 8b0f2c7e-5f0d-4f7c-9d59-0c6f3d1c7a10 --profile sandbox --json',
    '<%= config.bin %> <%= command.id %> --order-no D-1012 --profile sandbox',
  ]

  static override args = {
    id: Args.string({
      description: 'Id of the record, as `webhooks list` shows it.',
      ignoreStdin: true,
    }),
  }

  static override flags = {
    'order-no': Flags.string({
      aliases: ['merchant-order-id'],
      summary: 'Show the newest record of this order number.',
      helpValue: 'NO',
    }),
    unmask: Flags.boolean({default: false, summary: 'Show phone numbers and names in full.'}),
  }

  async run(): Promise<RecordDetail> {
    const {args, flags} = await this.parse(WebhooksGet)
    const orderNo = flags['order-no']
    if ((args.id === undefined) === (orderNo === undefined)) {
      const what =
        args.id === undefined ? 'Which record? No id was given.' : 'Both an id and --order-no were given.'
      throw new Failure('usage', what, 'Give the id of a record, or --order-no.')
    }
    const loaded = await this.context.loadProfile(flags.profile)
    const client = await this.context.client(loaded)
    const id = args.id ?? (await this.newestOf(orderNo ?? '', client))
    const detail = await client.getDelivery(id)
    if (detail === null) throw noSuchRecord(id)

    const {delivery} = detail
    const raw = flags.unmask ? detail.raw : (maskPersonal(detail.raw) as JsonObject)
    const journal = await this.context.journalIfAny(loaded)
    const history = await journal?.resendHistory()
    const earlier = history?.earlier(delivery.orderId, delivery.event, null) ?? null
    const numbered = orderKinds.map((kind) => ({kind, orderNo: delivery.merchantOrderId}))
    const takenSeenMs = takenSeenIn((await journal?.findingsOf(numbered)) ?? [])
    const {timeZone} = loaded.profile.ledger
    const rules = {dialect: loaded.profile.dialect, nowMs: Date.now(), timeZone}
    const reconciled = journal && (await (await reconciledBy(journal, rules, [delivery]))(delivery))
    const next = nextStep(delivery, earlier, {
      timeZone,
      profileFlag: flags.profile,
      ...{takenSeenMs, reconciled},
      time: {nowMs: Date.now(), skewMs: client.clockSkewMs},
    })
    await this.show(recordText({delivery, raw, earlier, next, timeZone}, this.style))
    // The client has read these fields, and masking does not change them.
    return raw as RecordDetail
  }

  private async newestOf(orderNo: string, client: ServiceClient): Promise<string> {
    const records = await readRecordsOf(orderNo, {client, width: 8, onProgress: () => {}})
    const shown = escapeInvisible(orderNo, 80)
    if (typeof records === 'string') {
      throw new Failure(
        'incomplete',
        `hisab could not read all records of ${shown}: ${records}.`,
        'Run it again, or give the id of a record that `hisab webhooks list --order-no` shows.',
      )
    }
    const newest = newestOf(records)
    if (newest === null) {
      throw new Failure(
        'not_found',
        `The service has no delivery record of ${shown}.`,
        'Check the number. Without a record hisab cannot resend anything.',
      )
    }
    for (const {id, event, status, createdAt} of records) {
      if (id === newest.id) continue
      const words = [event, status, createdAt].map((word) => escapeInvisible(word, 60)).join(', ')
      this.tell(`note: another record of ${shown}: ${escapeInvisible(id, 60)} (${words})`)
    }
    return newest.id
  }
}

function noSuchRecord(id: string): Failure {
  return new Failure(
    'not_found',
    `The service has no delivery record ${id}.`,
    'Take the id from `hisab webhooks list`.',
  )
}
