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

/** The items, with their new owner. */
export interface AssignedItems {
  readonly items: readonly ItemView[]
}

export default class ItemsAssign extends BaseCommand {
  static override summary = 'Assign open items to a person.'

  static override description = unwrap(`
    Of one order or several, or all that a filter selects; a filter asks first. The owner
    stands in items list and items export until another is given. The journal records who assigned it and when.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1003 --to rahima',
    {
      description: 'All without an owner whose order is a week old:',
      command: '<%= config.bin %> <%= command.id %> --owner "" --older-than 7 --to rahima',
    },
  ]

  static override strict = false

  static override args = {
    orderNo: Args.string({description: 'Numbers of the orders.', ignoreStdin: true}),
  }

  static override flags = {
    to: Flags.string({summary: 'Who takes care of them.', required: true, helpValue: 'NAME'}),
    ...chooseFlags,
    by: byFlag,
  }

  async run(): Promise<AssignedItems> {
    const {argv, flags} = await this.parse(ItemsAssign)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const [orderNos, atMs] = [argv as string[], Date.now()]
    const text = readSentence('owner', flags.to)
    const view = (item: OpenItem) => viewItem(item, atMs, loaded.profile.ledger.timeZone)
    const tell = (said: string) => this.tell(said)

    const chosen = await chooseItems(orderNos, flags, {journal, atMs, view, tell, question: 'Assign'})
    if (!chosen) {
      await this.show('Nothing was assigned.')
      return {items: []}
    }
    await journal.recordItemEvents(chosen, {what: 'assigned', text, by: authorOf(flags.by), atMs})

    const items = (await readAgain(chosen, journal)).map(view)
    await this.show(`Assigned: ${counted(items.length, 'item', 'items')}.`)
    return {items}
  }
}
