import * as Args from '@oclif/core/args'

import {BaseCommand} from '../cli/base-command.ts'
import {viewFound} from '../cli/found.ts'
import {Progress} from '../cli/progress.ts'
import {unwrap} from '../cli/unwrap.ts'
import {Failure} from '../core/failure.ts'
import {isUuid} from '../core/order.ts'
import {type FoundView, foundText} from '../report/found-text.ts'
import {findNumber} from '../workflows/find-number.ts'
import {receivedBy} from '../workflows/resend/received.ts'
import {type Reconciled, reconciledBy} from '../workflows/resend/seen.ts'

/** Most received events that are shown for one number. */
const eventsMax = 50

export default class Find extends BaseCommand {
  static override summary = 'Show everything known of one number: the order, its webhooks, and what to do.'

  static override description = unwrap(`
    NUMBER is an order number, a platform number, the id of a delivery record, or a phone number. hisab asks the
    service for the order and reads its delivery records. It adds what this machine knows: what was received, sent and
    resent, who resent it, the ledgers that had it, and open items. The service cannot search by phone number: hisab
    finds payouts created here and webhooks received here. Nothing is sent.

    Exit status 7 if nothing is known of the number, 8 if something could not be read.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1012 --profile sandbox',
    '<%= config.bin %> <%= command.id %> 8b0f2c7e-5f0d-4f7c-9d59-0c6f3d1c7a10 --json --profile sandbox',
  ]

  static override args = {
    number: Args.string({
      description: 'Order number, platform number, id of a delivery record, or phone number.',
      required: true,
      ignoreStdin: true,
    }),
  }

  async run(): Promise<FoundView> {
    const {args, flags} = await this.parse(Find)
    const typed = args.number.trim()
    const number = isUuid(typed) ? typed.toLowerCase() : typed
    if (number === '') throw new Failure('usage', 'The number is blank.', 'Give an order number.')
    const loaded = await this.context.loadProfile(flags.profile)
    const {timeZone} = loaded.profile.ledger
    const client = await this.context.client(loaded)
    const journal = await this.context.journalIfAny(loaded)
    const isBlind = journal === null && loaded.sharedJournal !== null
    const inbox = await this.context.inboxIfAny(loaded)
    const progress = new Progress()
    const {
      orders,
      incompleteBecause: unread,
      isUnanswered,
    } = await findNumber(number, {
      ...{client, journal, width: 8, profileName: loaded.profile.name},
      received: (about) => inbox?.list({about, rowsMax: eventsMax}) ?? [],
      onProgress: (stage, done, total) => progress.update(stage, done, total),
    })
    progress.end()
    const incompleteBecause = isBlind ? ['the shared journal could not be read', ...unread] : unread
    const history = await journal?.resendHistory()
    const records = orders.flatMap((order) => (typeof order.records === 'string' ? [] : order.records))
    const rules = {dialect: loaded.profile.dialect, nowMs: Date.now(), timeZone}
    const reconciledOf = journal && (await reconciledBy(journal, rules, records))
    const reconciled = new Map<string, Reconciled | null>()
    for (const record of records) reconciled.set(record.id, (await reconciledOf?.(record)) ?? null)
    const ports = {
      reconciled,
      earlierResend: history?.earlier ?? (() => null),
      whyReceived: receivedBy((about) => inbox?.list({about, rowsMax: -1}) ?? [], loaded.profile.dialect),
      timeZone,
      profileFlag: flags.profile,
      nowMs: Date.now(),
      skewMs: client.clockSkewMs,
    }
    const found: FoundView = {
      number,
      orders: orders.map((order) => viewFound(order, ports)),
      complete: incompleteBecause.length === 0,
      incompleteBecause,
    }
    for (const because of incompleteBecause) this.tell(`warning: incomplete: ${because}`)
    const silent = isUnanswered ? (URL.parse(loaded.profile.baseUrl)?.host ?? null) : null
    await this.show(foundText(found, timeZone, this.style, silent))
    this.endWith(found.complete ? (orders.length > 0 ? 0 : 7) : 8)
    return found
  }
}
