import * as Flags from '@oclif/core/flags'

import {ItemsChange} from '../../cli/items/change.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {askedUntilMs, type OpenItem} from '../../core/reconcile/item.ts'
import type {ItemList} from './list.ts'

export interface ClosedItems extends ItemList {
  readonly closed: number
}

export default class ItemsClose extends ItemsChange {
  static override summary = 'Close open items, with a reason.'

  static override description = unwrap(`
    Give order numbers, or a filter. A filter asks first. Later runs do not name a closed item and do not resend it.
    Each run asks the service about it for 30 days. The item comes back if its cause, a status or an amount changes.
    After that it comes back only if a ledger or a new webhook names the order. The journal records the reason, the name
    and the time.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1003 --reason "refund agreed, ticket 4711"',
    {
      description: 'All items that have waited for a ledger for a week:',
      command: '<%= config.bin %> <%= command.id %> --delivered --older-than 7 --reason "seen in the books"',
    },
  ]

  // Here and not in ItemsChange: oclif reads only a command's own `strict`.
  static override strict = false

  static override flags = {
    reason: Flags.string({summary: 'Why they are closed.', required: true, helpValue: 'TEXT'}),
    ...ItemsChange.flags,
  }

  async run(): Promise<ClosedItems> {
    const {argv, flags} = await this.parse(ItemsClose)
    const items = await this.change(argv as string[], flags, {
      ...{name: 'reason', text: flags.reason, question: 'Close', done: 'closed'},
      more: howLongAsked,
      record: async (journal, chosen, {text: reason, by, atMs}) => {
        await journal.closeItems(chosen, {reason, by, atMs})
      },
    })
    return {closed: items.length, items}
  }
}

/** How long runs look after closed items. */
function howLongAsked(closed: readonly OpenItem[]): string[] {
  const asked = closed.filter((item) => askedUntilMs(item) !== null).length
  const of = (count: number) =>
    closed.length === 1 ? 'it' : count === closed.length ? 'them' : `${count} of them`
  const byOthers = 'only a ledger or a new webhook brings it back.'
  return [
    ...(asked === 0
      ? []
      : [
          `Each run asks the service about ${of(asked)} for 30 days, and lists an order again that has changed.`,
          `After that, ${byOthers}`,
        ]),
    ...(asked === closed.length
      ? []
      : [`No run asks the service about ${of(closed.length - asked)} again: ${byOthers}`]),
  ]
}
