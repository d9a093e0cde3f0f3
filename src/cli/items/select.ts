import * as Flags from '@oclif/core/flags'

import {Failure} from '../../core/failure.ts'
import {type OrderKind, orderKinds} from '../../core/order.ts'
import {ageDays} from '../../core/reconcile/history.ts'
import {type ItemState, itemState, itemStates, type OpenItem} from '../../core/reconcile/item.ts'
import {type Verdict, verdicts} from '../../core/reconcile/verdict.ts'
import {escapeInvisible} from '../../core/text.ts'

export const itemFilterFlags = {
  kind: Flags.option({options: orderKinds})({summary: 'Only deposits, or only payouts.'}),
  verdict: Flags.option({options: verdicts, multiple: true})({
    summary: 'Only items with this result. May be repeated.',
  }),
  state: Flags.option({options: itemStates, multiple: true})({
    summary: 'Only items in this state. May be repeated. Default: open and delivered.',
  }),
  owner: Flags.string({summary: 'Only items of this owner; "" for those without one.', helpValue: 'NAME'}),
  'older-than': Flags.integer({
    summary: 'Only items whose order is at least this many days old.',
    helpValue: 'DAYS',
    min: 0,
  }),
}

export interface ItemFilter {
  readonly kind?: OrderKind | undefined
  readonly verdict?: readonly Verdict[] | undefined
  readonly state?: readonly ItemState[] | undefined
  readonly owner?: string | undefined
  readonly 'older-than'?: number | undefined
}

export function isFiltered({kind, verdict, state, owner, 'older-than': days}: ItemFilter): boolean {
  return [kind, verdict, state, owner, days].some((given) => given !== undefined)
}

const openStates: readonly ItemState[] = ['open', 'delivered']

export function selectItems(items: readonly OpenItem[], filter: ItemFilter, nowMs: number): OpenItem[] {
  const {kind, verdict, state = openStates, owner, 'older-than': days} = filter
  return items.filter(
    (item) =>
      state.includes(itemState(item)) &&
      (kind === undefined || item.kind === kind) &&
      (verdict === undefined || verdict.includes(item.verdict)) &&
      (owner === undefined || (item.owner ?? '') === owner) &&
      (days === undefined || ageDays(item.orderedAtMs ?? item.openedMs, nowMs) >= days),
  )
}

/** The items of these numbers. Throws `not_found` for a number without one. */
export function itemsOf(
  orderNos: readonly string[],
  filter: ItemFilter,
  all: readonly OpenItem[],
  nowMs: number,
): OpenItem[] {
  const items = selectItems(all, filter, nowMs)
  if (orderNos.length === 0) return items
  const known = new Set(items.map(({orderNo}) => orderNo))
  const unknown = orderNos.filter((orderNo) => !known.has(orderNo))
  if (unknown.length > 0) {
    const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : ''
    throw new Failure(
      'not_found',
      `${escapeInvisible(unknown[0] ?? '', 60)}${more} has no such item.`,
      'List the items with `hisab items list`. Closed items need --state closed.',
    )
  }
  return items.filter(({orderNo}) => orderNos.includes(orderNo))
}

const textLengthMax = 500

/** A person's text for the journal. */
export function readSentence(name: string, text: string, hint = `Give the ${name} in a sentence.`): string {
  const sentence = text.trim()
  if (sentence !== '' && sentence.length <= textLengthMax) return sentence
  throw new Failure('usage', `The ${name} is blank or longer than ${textLengthMax} characters.`, hint)
}
