import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {authorOf, byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {isFiltered, itemFilterFlags, itemsOf, readSentence} from '../../cli/items/select.ts'
import {confirm} from '../../cli/prompt.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {Failure} from '../../core/failure.ts'
import type {OpenItem} from '../../core/reconcile/item.ts'
import {counted} from '../../report/figures.ts'
import {type ItemView, itemTotals, viewItem} from '../../report/items-list.ts'

/** The items that were closed; none where the answer was no. */
export interface ClosedItems {
  readonly closed: number
  readonly items: readonly ItemView[]
}

const {state: _, ...filterFlags} = itemFilterFlags

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
    ...filterFlags,
    delivered: Flags.boolean({default: false, summary: 'Only those whose webhook was delivered since.'}),
    yes: Flags.boolean({default: false, char: 'y', summary: 'Close what a filter selects without asking.'}),
    by: byFlag,
  }

  async run(): Promise<ClosedItems> {
    const {argv, flags} = await this.parse(ItemsClose)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const [orderNos, atMs] = [argv as string[], Date.now()]
    const {delivered, ...given} = flags
    const filter = delivered ? {...given, state: ['delivered' as const]} : given
    const reason = readSentence('reason', flags.reason)
    if (orderNos.length === 0 && !isFiltered(filter)) {
      throw new Failure(
        'usage',
        'Nothing says which items to close.',
        'Give order numbers, or a filter such as --older-than 30.',
      )
    }

    const items = itemsOf(orderNos, filter, journal, atMs)
    const view = (item: OpenItem) => viewItem(item, atMs, loaded.profile.ledger.timeZone)
    if (orderNos.length === 0 && items.length > 0 && !flags.yes) {
      this.tell(itemTotals(items.map(view)))
      if (!(await this.isAgreed(items.length))) {
        await this.show('Nothing was closed.')
        return {closed: 0, items: []}
      }
    }
    const closed = journal.closeItems(items, {reason, by: authorOf(flags.by), atMs})

    const ids = new Set(items.map(({id}) => id))
    await this.show(`Closed: ${counted(closed, 'item', 'items')}.`)
    return {
      closed,
      items: journal
        .listItems()
        .filter(({id}) => ids.has(id))
        .map(view),
    }
  }

  private async isAgreed(count: number): Promise<boolean> {
    const answer = await confirm(`Close ${counted(count, 'item', 'items')}?`)
    if (answer !== null) return answer
    throw new Failure(
      'confirmation_needed',
      'To close by a filter needs your consent, and there is no terminal to ask in. Nothing was closed.',
      'Add --yes to close without being asked.',
    )
  }
}
