import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {authorOf, byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {itemsOf, readSentence} from '../../cli/items/select.ts'
import {counted} from '../../report/figures.ts'
import {type ItemView, viewItem} from '../../report/items-list.ts'

/** The items, with their new owner. */
export interface AssignedItems {
  readonly items: readonly ItemView[]
}

export default class ItemsAssign extends BaseCommand {
  static override summary = 'Assign the open items of orders to a person.'

  static override description =
    'The owner stands in items list and items export until another is given. The journal records who assigned it and when.'

  static override examples = ['<%= config.bin %> <%= command.id %> D-1003 --to rahima']

  static override strict = false

  static override args = {
    orderNo: Args.string({description: 'Numbers of the orders.', required: true, ignoreStdin: true}),
  }

  static override flags = {
    to: Flags.string({summary: 'Who takes care of them.', required: true, helpValue: 'NAME'}),
    by: byFlag,
  }

  async run(): Promise<AssignedItems> {
    const {argv, flags} = await this.parse(ItemsAssign)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const [orderNos, atMs] = [argv as string[], Date.now()]
    const text = readSentence('owner', flags.to)
    const found = itemsOf(orderNos, {}, journal, atMs)

    journal.recordItemEvents(found, {what: 'assigned', text, by: authorOf(flags.by), atMs})

    const items = itemsOf(orderNos, {}, journal, atMs).map((item) =>
      viewItem(item, atMs, loaded.profile.ledger.timeZone),
    )
    await this.show(`Assigned: ${counted(items.length, 'item', 'items')}.`)
    return {items}
  }
}
