import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {authorOf, byFlag} from '../../cli/author.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {itemsOf, readSentence} from '../../cli/items/select.ts'
import {counted} from '../../report/figures.ts'
import {type ItemView, viewItem} from '../../report/items-list.ts'

/** The items, with their new note. */
export interface NotedItems {
  readonly items: readonly ItemView[]
}

export default class ItemsNote extends BaseCommand {
  static override summary = 'Add a note to the open items of orders.'

  static override description =
    'The last note stands in items list; items show has all of them, with who wrote them and when.'

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1003 --text "asked the service, ticket 4711"',
  ]

  static override strict = false

  static override args = {
    orderNo: Args.string({description: 'Numbers of the orders.', required: true, ignoreStdin: true}),
  }

  static override flags = {
    text: Flags.string({summary: 'The note.', required: true, helpValue: 'TEXT'}),
    by: byFlag,
  }

  async run(): Promise<NotedItems> {
    const {argv, flags} = await this.parse(ItemsNote)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const [orderNos, atMs] = [argv as string[], Date.now()]
    const text = readSentence('note', flags.text)
    const found = itemsOf(orderNos, {}, journal, atMs)

    journal.recordItemEvents(found, {what: 'noted', text, by: authorOf(flags.by), atMs})

    const items = itemsOf(orderNos, {}, journal, atMs).map((item) =>
      viewItem(item, atMs, loaded.profile.ledger.timeZone),
    )
    await this.show(`Noted: ${counted(items.length, 'item', 'items')}.`)
    return {items}
  }
}
