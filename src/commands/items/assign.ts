import * as Flags from '@oclif/core/flags'

import {ItemsChange} from '../../cli/items/change.ts'
import {unwrap} from '../../cli/unwrap.ts'
import type {ItemList} from './list.ts'

export default class ItemsAssign extends ItemsChange {
  static override summary = 'Assign open items to a person.'

  static override description = unwrap(`
    Give order numbers, or a filter. A filter asks first. The items keep this owner until you assign them to another.
    The journal records who assigned them and when.
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1003 --to rahima',
    {
      description: 'All items without an owner whose order is a week old:',
      command: '<%= config.bin %> <%= command.id %> --owner "" --older-than 7 --to rahima',
    },
  ]

  // Here and not in ItemsChange: oclif reads only a command's own `strict`.
  static override strict = false

  static override flags = {
    to: Flags.string({summary: 'The new owner.', required: true, helpValue: 'NAME'}),
    ...ItemsChange.flags,
  }

  async run(): Promise<ItemList> {
    const {argv, flags} = await this.parse(ItemsAssign)
    const items = await this.change(argv as string[], flags, {
      ...{name: 'owner', text: flags.to, question: 'Assign', done: 'assigned'},
      record: (journal, chosen, said) => journal.recordItemEvents(chosen, {what: 'assigned', ...said}),
    })
    return {items}
  }
}
