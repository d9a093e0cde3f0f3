import {BaseCommand} from '../../cli/base-command.ts'
import {formatFlag} from '../../cli/flags.ts'
import {itemFilterFlags, selectItems} from '../../cli/items/select.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {lastSeenItems} from '../../core/reconcile/item.ts'
import {type ItemView, itemColumns, itemTotals, viewItem} from '../../report/items-list.ts'
import {listText} from '../../report/list-text.ts'
import {lastCheck} from '../../workflows/runs/last-check.ts'

export interface ItemList {
  readonly items: readonly ItemView[]
}

export default class ItemsList extends BaseCommand {
  static override summary = 'List open items: breaks of all runs that are not closed.'

  static override description = unwrap(`
    Reads the journal of this machine. The service is not asked. Every run of reconcile queries each open item again, until
    a ledger, the service or a person closes it. A delivered item waits for a ledger that shows it booked, which confirms it. The age counts
    from the date of the order.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --older-than 7 --format csv',
  ]

  static override flags = {...itemFilterFlags, format: formatFlag}

  async run(): Promise<ItemList> {
    const {flags} = await this.parse(ItemsList)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const nowMs = Date.now()
    const {timeZone} = loaded.profile.ledger

    const at = {nowMs, timeZone, checkedBy: await lastCheck(journal)}
    const items = selectItems(lastSeenItems(await journal.listItems()), flags, nowMs).map((item) =>
      viewItem(item, at),
    )

    const list = listText(flags.format, itemColumns, items, this.style, process.stdout.columns)
    const totals = flags.format === 'table' ? itemTotals(items) : ''
    await this.show(totals === '' ? list : `${list}\n\n${totals}`)
    return {items}
  }
}
