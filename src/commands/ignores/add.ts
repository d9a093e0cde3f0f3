import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {justSent} from '../../cli/items/just-sent.ts'
import {readIgnore} from '../../cli/reconcile/ignores.ts'
import {instantFlag} from '../../cli/time-flag.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {Failure} from '../../core/failure.ts'
import {verdictLabel} from '../../core/labels.ts'
import {orderKinds} from '../../core/order.ts'
import {verdicts} from '../../core/reconcile/verdict.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {IgnoreView} from '../../report/ignores-text.ts'

export default class IgnoresAdd extends BaseCommand {
  static override summary = 'Ignore one open finding until a date, with a reason.'

  static override description = unwrap(`
    The next runs of reconcile list the finding as ignored and do not resend it. It stays in every figure and in the
    reconciliation statement. The ignore ends at the given time. Then the finding is open again (7), and hisab sends its
    webhook only if you ask for it. It ends earlier if the cause, a status or an amount changes, or if the finding was
    closed and comes back. The service is not asked.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1003 --reason "refund agreed, ticket 4711" --until 2026-12-31',
  ]

  static override args = {
    orderNo: Args.string({description: 'Number of the order.', required: true, ignoreStdin: true}),
  }

  static override flags = {
    reason: Flags.string({summary: 'Why it is ignored.', required: true, helpValue: 'TEXT'}),
    until: instantFlag({summary: 'When the ignore ends: `2026-12-31`.', required: true}),
    kind: Flags.option({options: orderKinds})({
      summary: 'deposit or payout, if both have this number.',
    }),
    verdict: Flags.option({options: verdicts})({summary: 'Which finding, if the order has several.'}),
    by: byFlag,
  }

  async run(): Promise<IgnoreView> {
    const {args, flags} = await this.parse(IgnoresAdd)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const {timeZone} = loaded.profile.ledger

    const ignore = await readIgnore(args.orderNo, flags, journal, timeZone, Date.now())

    const {viewIgnore} = await import('../../report/ignores-text.ts')
    const id = await journal.addIgnore(ignore)
    const added = (await journal.listIgnores()).find((one) => one.id === id)
    if (!added) throw notAdded(args.orderNo)
    const view = viewIgnore(added, ignore.atMs, timeZone)
    const ignored = (await journal.findingsOf([added])).filter(
      ({id: finding}) => finding === ignore.findingId,
    )
    for (const sent of await justSent(journal, ignored, timeZone)) this.tell(sent)
    await this.show(
      this.named(
        `Ignored: ${added.kind} ${escapeInvisible(args.orderNo)}, ${verdictLabel(added.verdict, added.kind).en}, until ${flags.until.text}. After that it is open again, and hisab sends its webhook only if you ask for it. To undo: hisab ignores remove ${id}`,
      ),
    )
    return view
  }
}

function notAdded(orderNo: string): Failure {
  return new Failure(
    'bug',
    `The ignore of ${escapeInvisible(orderNo, 60)} was recorded, but the journal does not have it.`,
    'Please report this.',
  )
}
