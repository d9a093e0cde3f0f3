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

/** The items, with their new note. */
export interface NotedItems {
  readonly items: readonly ItemView[]
}

export default class ItemsNote extends BaseCommand {
  static override summary = 'Add a note to open items.'

  static override description = unwrap(`
    Of one order or several, or all that a filter selects; a filter asks first. The last
    note stands in items list; items show has all of them, with who wrote them and when.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1003 --text "asked the service, ticket 4711"',
  ]

  static override strict = false

  static override args = {
    orderNo: Args.string({description: 'Numbers of the orders.', ignoreStdin: true}),
  }

  static override flags = {
    text: Flags.string({summary: 'The note.', required: true, helpValue: 'TEXT'}),
    ...chooseFlags,
    by: byFlag,
  }

  async run(): Promise<NotedItems> {
    const {argv, flags} = await this.parse(ItemsNote)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const [orderNos, atMs] = [argv as string[], Date.now()]
    const text = readSentence('note', flags.text)
    const view = (item: OpenItem) => viewItem(item, atMs, loaded.profile.ledger.timeZone)
    const tell = (said: string) => this.tell(said)

    const chosen = await chooseItems(orderNos, flags, {
      journal,
      atMs,
      view,
      tell,
      question: 'Add the note to',
    })
    if (!chosen) {
      await this.show('Nothing was noted.')
      return {items: []}
    }
    await journal.recordItemEvents(chosen, {what: 'noted', text, by: authorOf(flags.by), atMs})

    const items = (await readAgain(chosen, journal)).map(view)
    await this.show(`Noted: ${counted(items.length, 'item', 'items')}.`)
    return {items}
  }
}
