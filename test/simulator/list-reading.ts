import type {ListMark} from '../../src/core/reconcile/list-order.ts'
import type {Try} from './network.ts'
import {isBelievable, saidRecords} from './said.ts'
import type {Span} from './window.ts'

/**
 * Whether a night that had an earlier one's mark read the list to its end all the same, where look-ups would have taken
 * more calls: told by the calls alone. It is what the sample must have met, nothing is judged by it.
 */
export function readsRestOfList(tries: readonly Try[], mark: ListMark | null, window: Span | null): boolean {
  const listed = tries.filter(({request}) => request.name === 'list' && request.subject === '')
  if (mark === null || window === null || !listed.every(isBelievable)) return false
  const pages = new Map(listed.map((made) => [made.request.page, saidRecords(made)]))
  const [beforeLast, last] = listed.slice(-2).map(({request}) => request.page)
  const newEnd = mark.direction === 'newest_first' ? 1 : pages.size
  // The new end is read again once everything was read, which a plain reading of the list does not do.
  const isByMark = listed.length === pages.size + 1 && last === newEnd && beforeLast !== newEnd - 1
  if (!isByMark || pages.size !== Math.max(...pages.keys())) return false
  const fromNewest = [...pages.keys()].sort((a, b) => (newEnd === 1 ? a - b : b - a))
  const oldestMs = (page: number) => Math.min(...(pages.get(page) ?? []).map(({createdMs}) => createdMs))
  const reached = fromNewest.findIndex((page) => oldestMs(page) < window.fromMs)
  // Pages asked for ahead may lie a little beyond the window, these lie far beyond.
  return reached >= 0 && reached <= 3 && fromNewest.length - 1 - reached >= 2
}
