import * as Args from '@oclif/core/args'

import {BaseCommand} from '../../cli/base-command.ts'
import {itemsOf} from '../../cli/items/select.ts'
import {type ItemEvent, itemStates} from '../../core/reconcile/item.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatInstant} from '../../core/time.ts'
import {fieldsText} from '../../report/fields-text.ts'
import {minuteOf} from '../../report/figures.ts'
import {type ItemView, viewItem} from '../../report/items-list.ts'
import {lastCheck} from '../../workflows/runs/last-check.ts'

/** All items of an order, open and closed, and what people did with them. */
export interface ItemDetails {
  readonly items: readonly ItemView[]
  readonly events: readonly ItemEventView[]
}

interface ItemEventView {
  readonly what: 'assigned' | 'noted' | 'closed'
  readonly text: string
  readonly by: string
  readonly at: string
}

export default class ItemsShow extends BaseCommand {
  static override summary = 'Show the items of one order: what was found, and who did what.'

  static override description = 'Reads the journal of this machine. The service is not asked.'

  static override examples = ['<%= config.bin %> <%= command.id %> D-1003']

  static override args = {
    orderNo: Args.string({description: 'Number of the order.', required: true, ignoreStdin: true}),
  }

  async run(): Promise<ItemDetails> {
    const {args, flags} = await this.parse(ItemsShow)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const nowMs = Date.now()
    const {timeZone} = loaded.profile.ledger

    const found = itemsOf([args.orderNo], {state: itemStates}, await journal.listItems(), nowMs)

    const at = {nowMs, timeZone, checkedBy: await lastCheck(journal)}
    const items = found.map((item) => viewItem(item, at))
    const kinds = [...new Set(found.map(({kind}) => kind))]
    const said: ItemEvent[] = []
    for (const kind of kinds) said.push(...(await journal.itemEvents(kind, args.orderNo)))
    const events = said.map(({what, text, by, atMs}) => ({what, text, by, at: formatInstant(atMs, timeZone)}))
    const lines = events.map(({what, text, by, at}) => `  ${minuteOf(at)}  ${what} by ${by}: ${text}`)
    await this.show(
      [...items.map((item) => fieldsText(item)), ...lines.map((line) => escapeInvisible(line))].join('\n'),
    )
    return {items, events}
  }
}
