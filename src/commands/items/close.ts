import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {authorOf, byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {chooseFlags, chooseItems, readAgain} from '../../cli/items/choose.ts'
import {readSentence} from '../../cli/items/select.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {OpenItem} from '../../core/reconcile/item.ts'
import {counted} from '../../report/figures.ts'
import {type ItemView, viewItem} from '../../report/items-list.ts'

/** The items that were closed; none where the answer was no. */
export interface ClosedItems {
  readonly closed: number
  readonly items: readonly ItemView[]
}

export default class ItemsClose extends BaseCommand {
  static override summary = 'Close open items, with a reason.'

  static override description = unwrap(`
    Of one order or several, or all that a filter selects; a filter asks first. Later runs do not name a closed item and do
    not resend it, until its cause, a status or an amount is another: then it is back. The journal records the reason, the name and
    the time.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1003 --reason "refund agreed, ticket 4711"',
    {
      description: 'All that wait for a ledger since a week:',
      command: '<%= config.bin %> <%= command.id %> --delivered --older-than 7 --reason "seen in the books"',
    },
  ]

  static override strict = false

  static override args = {
    orderNo: Args.string({description: 'Numbers of the orders.', ignoreStdin: true}),
  }

  static override flags = {
    reason: Flags.string({summary: 'Why they are closed.', required: true, helpValue: 'TEXT'}),
    ...chooseFlags,
    by: byFlag,
  }

  async run(): Promise<ClosedItems> {
    const {argv, flags} = await this.parse(ItemsClose)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const [orderNos, atMs] = [argv as string[], Date.now()]
    const reason = readSentence('reason', flags.reason)
    const view = (item: OpenItem) => viewItem(item, atMs, loaded.profile.ledger.timeZone)
    const tell = (text: string) => this.tell(text)

    const items = await chooseItems(orderNos, flags, {journal, atMs, view, tell, question: 'Close'})
    if (!items) {
      await this.show('Nothing was closed.')
      return {closed: 0, items: []}
    }
    const closed = await journal.closeItems(items, {reason, by: authorOf(flags.by), atMs})

    await this.show(`Closed: ${counted(closed, 'item', 'items')}.`)
    return {closed, items: (await readAgain(items, journal)).map(view)}
  }
}
