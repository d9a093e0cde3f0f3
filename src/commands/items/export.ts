import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {itemFilterFlags, selectItems} from '../../cli/items/select.ts'
import {itemStates, lastSeenItems} from '../../core/reconcile/item.ts'
import {itemColumns, viewItem} from '../../report/items-list.ts'
import {listText} from '../../report/list-text.ts'
import {lastCheck} from '../../workflows/runs/last-check.ts'
import type {ItemList} from './list.ts'

export default class ItemsExport extends BaseCommand {
  static override summary = 'Export the items for a spreadsheet or a program: open and closed, all columns.'

  static override description =
    'Writes CSV or NDJSON to stdout, one item a line. Without --state closed items are included. The service is not asked.'

  static override examples = ['<%= config.bin %> <%= command.id %> > items.csv']

  static override flags = {
    ...itemFilterFlags,
    state: Flags.option({options: itemStates, multiple: true})({
      summary: 'Only items in this state. May be repeated. Default: every state, closed ones included.',
    }),
    format: Flags.option({options: ['csv', 'ndjson'] as const, default: 'csv'})({
      summary: 'Format of the export.',
    }),
  }

  async run(): Promise<ItemList> {
    const {flags} = await this.parse(ItemsExport)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const nowMs = Date.now()

    const {timeZone} = loaded.profile.ledger
    const at = {nowMs, timeZone, checkedBy: await lastCheck(journal)}
    const items = selectItems(
      lastSeenItems(await journal.listItems()),
      {...flags, state: flags.state ?? itemStates},
      nowMs,
    ).map((item) => viewItem(item, at))

    await this.show(listText(flags.format, itemColumns, items, this.style))
    return {items}
  }
}
