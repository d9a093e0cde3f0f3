import * as Flags from '@oclif/core/flags'

import {ItemsChange} from '../../cli/items/change.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {isCompletion} from '../../core/reconcile/verdict-facts.ts'
import {holdsResend} from '../../workflows/resend/notes.ts'
import type {ItemList} from './list.ts'

export default class ItemsNote extends ItemsChange {
  static override summary = 'Add a note to open items.'

  static override description = unwrap(`
    Give order numbers, or a filter. A filter asks first. items list shows the last note; items show has all of them,
    with who wrote them and when. A note holds the resend of its order, until a later one says that it is not booked
    ("not booked").
  `)

  static override examples = [
    '<%= config.bin %> <%= command.id %> D-1003 --text "asked the service, ticket 4711"',
    '<%= config.bin %> <%= command.id %> D-1003 --text "credited by hand"',
  ]

  // Here and not in ItemsChange: oclif reads only a command's own `strict`.
  static override strict = false

  static override flags = {
    text: Flags.string({summary: 'The note.', required: true, helpValue: 'TEXT'}),
    ...ItemsChange.flags,
  }

  async run(): Promise<ItemList> {
    const {argv, flags} = await this.parse(ItemsNote)
    const items = await this.change(argv as string[], flags, {
      ...{name: 'note', text: flags.text, question: 'Add the note to', done: 'noted'},
      record: (journal, chosen, said) => journal.recordItemEvents(chosen, {what: 'noted', ...said}),
    })
    const mayResend = items.filter(({state, verdict}) => state === 'open' && isCompletion(verdict))
    if (mayResend.length > 0)
      this.tell(
        holdsResend(flags.text)
          ? 'Their webhooks are not resent, until a note says "not booked".'
          : 'This note holds no resend. Any other does, and so does hisab items close.',
      )
    return {items}
  }
}
