import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {isClosing} from '../../core/reconcile/ignore.ts'
import {lastSeenItems} from '../../core/reconcile/item.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import type {Journal} from '../../journal/journal.ts'
import type {SeenFinding} from '../../journal/memory-rows.ts'
import type {ItemMovement} from '../../report/statement-view.ts'

type Item = Pick<RememberedFinding, 'kind' | 'orderNo' | 'verdict' | 'cause' | 'atRisk'>

/**
 * Counts open items before and after a run, without orders that are open on both sides. An order whose trouble has
 * changed counts as this run found it.
 */
export async function itemMovement(
  runId: string,
  seen: Iterable<SeenFinding>,
  notExamined: readonly RememberedFinding[],
  journal: Pick<Journal, 'openFindings' | 'listIgnores'>,
): Promise<ItemMovement> {
  const closed = new Set(
    (await journal.listIgnores()).filter(isClosing).map((one) => `${keyOf(one)}\0${one.snapshot}`),
  )
  const before = (await journal.openFindings(runId)).filter((one) => isItem(one) && one.openedRunId !== runId)
  const after = [...seen].filter((one) => isItem(one) && !closed.has(`${keyOf(one)}\0${one.snapshot}`))
  const found = new Set(after.map(orderKey))
  const opening = lastSeenItems(before)
  const earlier = new Map(opening.map((one) => [orderKey(one), keyOf(one)]))
  // No answer ends no item and makes no new one.
  const closing = after.map((one) => {
    const key = one.verdict === 'query_failed' ? earlier.get(orderKey(one)) : undefined
    return key === undefined ? counted(one) : {...counted(one), key}
  })
  const waiting = lastSeenItems(notExamined.filter((one) => isItem(one) && !found.has(orderKey(one))))
  return {before: opening.map(counted), after: [...closing, ...waiting.map(counted)]}
}

/** A delivered order is still an open item, but no longer at risk. */
function counted(one: Item) {
  return {kind: one.kind, key: keyOf(one), atRisk: one.cause === 'delivered' ? 0n : one.atRisk}
}

function isItem({severity}: Pick<RememberedFinding, 'severity'>): boolean {
  return severity !== 'none'
}

function keyOf({kind, orderNo, verdict}: Pick<Item, 'kind' | 'orderNo' | 'verdict'>): string {
  return `${kind}\0${orderNo}\0${verdict}`
}
