import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {Failure} from '../../core/failure.ts'
import {lastSeenItems, type OpenItem} from '../../core/reconcile/item.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import type {Journal} from '../../journal/journal.ts'
import {counted} from '../../report/figures.ts'
import {type ItemView, itemTotals, viewItem} from '../../report/items-list.ts'
import {lastCheck} from '../../workflows/runs/last-check.ts'
import {authorOf, byFlag} from '../author.ts'
import {BaseCommand} from '../base-command.ts'
import type {FlagsOf} from '../flags.ts'
import {confirm} from '../prompt.ts'
import {justSent} from './just-sent.ts'
import {isFiltered, itemFilterFlags, itemsOf, readSentence} from './select.ts'

const {state: _, ...filterFlags} = itemFilterFlags

interface ItemChange {
  readonly name: string
  readonly text: string
  /** `Close`: the question is this verb and a count. */
  readonly question: string
  readonly done: string
  /** Said below the result, if anything. */
  readonly more?: (changed: readonly OpenItem[]) => readonly string[]
  readonly record: (
    journal: Journal,
    items: readonly OpenItem[],
    of: {readonly text: string; readonly by: string; readonly atMs: number},
  ) => Promise<void>
}

/** The base of commands that change items: by order numbers, or all that a filter selects. */
export abstract class ItemsChange extends BaseCommand {
  static override args = {
    orderNo: Args.string({description: 'Numbers of the orders.', ignoreStdin: true}),
  }

  static override flags = {
    ...filterFlags,
    delivered: Flags.boolean({default: false, summary: 'Only items whose webhook was delivered since.'}),
    yes: Flags.boolean({
      default: false,
      char: 'y',
      summary: 'Do not ask before changing what a filter selects.',
    }),
    by: byFlag,
  }

  /** The items after the change; none if the answer was no. */
  protected async change(
    argv: readonly string[],
    flags: FlagsOf<typeof ItemsChange.flags>,
    {name, text: given, question, done, more, record}: ItemChange,
  ): Promise<ItemView[]> {
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const atMs = Date.now()
    const text = readSentence(name, given)
    const at = {nowMs: atMs, timeZone: loaded.profile.ledger.timeZone, checkedBy: await lastCheck(journal)}
    const view = (item: OpenItem) => viewItem(item, at)

    const filter = flags.delivered ? {...flags, state: ['delivered' as const]} : flags
    if (argv.length === 0 && !isFiltered(filter)) {
      throw new Failure(
        'usage',
        'No items were chosen.',
        'Give order numbers, or a filter such as --older-than 30.',
      )
    }
    const all = await journal.listItems()
    const listed = lastSeenItems(all)
    const items = itemsOf(argv, filter, listed, atMs)
    if (argv.length === 0 && items.length > 0 && !flags.yes) {
      this.tell(itemTotals(items.map(view)))
      if (!(await this.isConfirmed(`${question} ${counted(items.length, 'item', 'items')}?`))) {
        await this.show(`Nothing was ${done}.`)
        return []
      }
    }
    // What waits behind a chosen item goes with it.
    const orders = new Set(items.map(orderKey))
    const behind = all.filter((one) => orders.has(orderKey(one)) && !listed.includes(one))
    await record(journal, [...items, ...behind], {text, by: authorOf(flags.by), atMs})
    for (const sent of await justSent(journal, items, loaded.profile.ledger.timeZone)) this.tell(sent)
    const ids = new Set(items.map(({id}) => id))
    const changed = (await journal.listItems()).filter(({id}) => ids.has(id))
    const title = `${done[0]?.toUpperCase()}${done.slice(1)}`
    const result = `${title}: ${counted(changed.length, 'item', 'items')}.`
    await this.show([result, ...(more?.(changed) ?? [])].join('\n'))
    return changed.map(view)
  }

  private async isConfirmed(question: string): Promise<boolean> {
    const answer = await confirm(question)
    if (answer !== null) return answer
    throw new Failure(
      'confirmation_needed',
      'A change by filter needs your consent, and there is no terminal to ask in. Nothing was changed.',
      'Add --yes to change them without being asked.',
    )
  }
}
