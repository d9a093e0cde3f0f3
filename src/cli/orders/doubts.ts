import * as Flags from '@oclif/core/flags'

import type {OrderKind} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {isInDoubt} from '../../journal/rows.ts'
import {type CreateView, createColumns, viewCreate} from '../../report/creates-list.ts'
import {type DoubtView, doubtColumns, viewDoubt} from '../../report/doubts-list.ts'
import {listText} from '../../report/list-text.ts'
import {resolveWords} from '../../workflows/orders/doubt-commands.ts'
import {type OpenDoubt, openDoubts} from '../../workflows/orders/doubts.ts'
import {openPairNotes} from '../../workflows/orders/paid-after-all.ts'
import {resolveDoubt} from '../../workflows/orders/resolve-doubt.ts'
import {authorOf, byFlag} from '../author.ts'
import {BaseCommand} from '../base-command.ts'
import {type FlagsOf, formatFlag} from '../flags.ts'
import {readSentence} from '../items/select.ts'

export interface CreateListing {
  readonly orders: readonly CreateView[] | readonly DoubtView[]
}

export abstract class CreateList extends BaseCommand {
  static override flags = {
    'in-doubt': Flags.boolean({summary: 'List all of unknown outcome, oldest first.'}),
    limit: Flags.integer({
      summary: 'How many to list. --in-doubt lists all.',
      ...{helpValue: 'N', default: 20, min: 1, max: 1000},
    }),
    format: formatFlag,
  }

  protected async list(
    kind: OrderKind,
    kinds: readonly OpenDoubt['kind'][],
    flags: FlagsOf<typeof CreateList.flags>,
  ): Promise<CreateListing> {
    const loaded = await this.context.loadProfile(flags.profile)
    const {name, ledger} = loaded.profile
    const journal = await this.context.journal(loaded)
    const nowMs = Date.now()
    const {format, limit} = flags
    if (!flags['in-doubt']) {
      const orders = (await journal.listRequests(kind, limit)).map((row) =>
        viewCreate({...row, inDoubt: isInDoubt(row)}, nowMs, ledger.timeZone),
      )
      const columns = createColumns(ledger.timeZone)
      await this.show(listText(format, columns, orders, this.style, process.stdout.columns))
      return {orders}
    }
    const orders = (await openDoubts(journal, name))
      .filter(({kind}) => kinds.includes(kind))
      .map((doubt) => viewDoubt(doubt, nowMs, ledger.timeZone))
    for (const note of kinds.includes('payout') ? await openPairNotes(journal) : []) this.tell(note)
    const columns = doubtColumns(ledger.timeZone)
    await this.show(listText(format, columns, orders, this.style, process.stdout.columns))
    return {orders}
  }
}

export const resolveFlags = {
  reason: Flags.string({summary: 'How you know. The journal keeps it.', required: true, helpValue: 'TEXT'}),
  by: byFlag,
  dropped: Flags.integer({
    summary: 'Which of the number, if a merge of journals did not keep it. `list --in-doubt` gives N.',
    ...{helpValue: 'N', min: 1},
  }),
}

export interface ResolvedDoubt {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly resolved: string
  readonly by: string
  readonly reason: string
}

export abstract class ResolveDoubt extends BaseCommand {
  protected async resolve(
    kind: OrderKind,
    orderNo: string,
    happened: boolean,
    flags: FlagsOf<typeof resolveFlags>,
  ): Promise<ResolvedDoubt> {
    const reason = readSentence('reason', flags.reason, 'Write one sentence: how you know it.')
    const loaded = await this.context.loadProfile(flags.profile)
    await this.context.refuseDuringRun(loaded)
    const client = await this.context.client(loaded, {ordersOnly: kind})
    const journal = await this.context.journal(loaded)
    const by = authorOf(flags.by)
    const ports = {client, journal, profileName: loaded.profile.name, now: Date.now}
    const {dropped = null} = flags
    const {remark, isUnanswered} = await resolveDoubt(kind, orderNo, {happened, by, reason, dropped}, ports)
    if (remark !== null) this.tell(`warning: ${remark}`)
    const word = resolveWords[kind][happened ? 'yes' : 'no'].replace('-', ' ')
    await this.show(
      `The ${kind} ${escapeInvisible(orderNo, 80)} is resolved: ${word}, by ${escapeInvisible(by, 80)}.`,
    )
    if (isUnanswered) this.endWith(8)
    return {kind, orderNo, resolved: word.replace(' ', '_'), by, reason}
  }
}
