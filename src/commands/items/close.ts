import * as Flags from '@oclif/core/flags'

import {ItemsChange} from '../../cli/items/change.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {ItemList} from './list.ts'

export interface ClosedItems extends ItemList {
  readonly closed: number
}

export default class ItemsClose extends ItemsChange {
  static override summary = 'Close open items, with a reason.'

  static override description = unwrap(`
    Give order numbers, or a filter. A filter asks first. Later runs do not name a closed item and do not resend it. The
    item comes back if its cause, a status or an amount changes. The journal records the reason, the name and the time.
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
    let closed = 0
    const items = await this.change(argv as string[], flags, {
      ...{name: 'reason', text: flags.reason, question: 'Close', done: 'closed'},
      record: async (journal, chosen, {text: reason, by, atMs}) => {
        closed = await journal.closeItems(chosen, {reason, by, atMs})
      },
    })
    return {closed, items}
  }
}
