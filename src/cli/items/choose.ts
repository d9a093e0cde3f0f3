import * as Flags from '@oclif/core/flags'

import {Failure} from '../../core/failure.ts'
import type {OpenItem} from '../../core/reconcile/item.ts'
import type {Journal} from '../../journal/journal.ts'
import {counted} from '../../report/figures.ts'
import {type ItemView, itemTotals} from '../../report/items-list.ts'
import {confirm} from '../prompt.ts'
import {type ItemFilter, isFiltered, itemFilterFlags, itemsOf} from './select.ts'

const {state: _, ...filterFlags} = itemFilterFlags

/** Of the commands that change items: of order numbers, or of all that a filter selects. */
export const chooseFlags = {
  ...filterFlags,
  delivered: Flags.boolean({default: false, summary: 'Only those whose webhook was delivered since.'}),
  yes: Flags.boolean({default: false, char: 'y', summary: 'Take what a filter selects without asking.'}),
}

interface ChooseFlags extends Omit<ItemFilter, 'state'> {
  readonly delivered: boolean
  readonly yes: boolean
}

interface ChoosePorts {
  readonly journal: Pick<Journal, 'listItems'>
  readonly atMs: number
  readonly view: (item: OpenItem) => ItemView
  readonly tell: (text: string) => void
  /** `Close`: with a count behind it, what is asked. */
  readonly question: string
}

/** The items meant, after a question where a filter names them; null where the answer is no. */
export async function chooseItems(
  orderNos: readonly string[],
  {delivered, yes, ...given}: ChooseFlags,
  {journal, atMs, view, tell, question}: ChoosePorts,
): Promise<OpenItem[] | null> {
  const filter = delivered ? {...given, state: ['delivered' as const]} : given
  if (orderNos.length === 0 && !isFiltered(filter)) {
    throw new Failure(
      'usage',
      'Nothing says which items are meant.',
      'Give order numbers, or a filter such as --older-than 30.',
    )
  }
  const items = await itemsOf(orderNos, filter, journal, atMs)
  if (orderNos.length > 0 || items.length === 0 || yes) return items
  tell(itemTotals(items.map(view)))
  const answer = await confirm(`${question} ${counted(items.length, 'item', 'items')}?`)
  if (answer !== null) return answer ? items : null
  throw new Failure(
    'confirmation_needed',
    'A filter needs your consent, and there is no terminal to ask in. Nothing was changed.',
    'Add --yes to go on without being asked.',
  )
}

/** The same items as the journal has them now. */
export async function readAgain(
  items: readonly OpenItem[],
  journal: Pick<Journal, 'listItems'>,
): Promise<OpenItem[]> {
  const ids = new Set(items.map(({id}) => id))
  return (await journal.listItems()).filter(({id}) => ids.has(id))
}
