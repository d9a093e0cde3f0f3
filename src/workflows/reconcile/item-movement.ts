import {formatPaisa} from '../../core/money.ts'
import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {isClosing} from '../../core/reconcile/ignore.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import type {Journal} from '../../journal/journal.ts'
import type {SeenFinding} from '../../journal/memory-rows.ts'
import type {RecountedOrders} from '../../report/run-totals.ts'
import type {ItemMovement} from '../../report/statement-view.ts'

type Item = Pick<RememberedFinding, 'kind' | 'orderNo' | 'verdict' | 'cause' | 'atRisk'>

/** The open items before a run, and after it. An order that is open on both sides is none. */
export function itemMovement(
  runId: string,
  seen: Iterable<SeenFinding>,
  notExamined: readonly RememberedFinding[],
  journal: Pick<Journal, 'openFindings' | 'listIgnores'>,
): ItemMovement {
  const closed = new Set(
    journal
      .listIgnores()
      .filter(isClosing)
      .map((one) => `${keyOf(one)}\0${one.snapshot}`),
  )
  const before = journal.openFindings(runId).filter((one) => isItem(one) && one.openedRunId !== runId)
  const after = [...seen].filter((one) => isItem(one) && !closed.has(`${keyOf(one)}\0${one.snapshot}`))
  return {before: before.map(counted), after: [...after, ...notExamined.filter(isItem)].map(counted)}
}

/** What was delivered is an open item, and not at risk any more. */
function counted(one: Item) {
  return {kind: one.kind, key: keyOf(one), atRisk: one.cause === 'delivered' ? 0n : one.atRisk}
}

function isItem({severity}: Pick<RememberedFinding, 'severity'>): boolean {
  return severity !== 'none'
}

function keyOf({kind, orderNo, verdict}: Pick<Item, 'kind' | 'orderNo' | 'verdict'>): string {
  return `${kind}\0${orderNo}\0${verdict}`
}

/**
 * What this run counts at the service and the run that found it missing counted before: once too often over both. Of each
 * such run and kind.
 */
export function recountedOrders(
  found: readonly RememberedFinding[],
  counted: (order: {readonly kind: OrderKind; readonly orderNo: string}) => ServiceOrder | null,
): RecountedOrders[] {
  const sums = new Map<string, {runId: string; kind: OrderKind; orders: number; paisa: bigint}>()
  const known = new Set<string>()
  for (const {kind, orderNo, verdict, openedRunId} of found) {
    if (verdict !== 'missing_completion' && verdict !== 'missing_in_ledger') continue
    const order = counted({kind, orderNo})
    const key = orderKey({kind, orderNo})
    if (order?.status !== 'completed' || order.amount === null || known.has(key)) continue
    known.add(key)
    const sum = sums.get(`${openedRunId} ${kind}`) ?? {runId: openedRunId, kind, orders: 0, paisa: 0n}
    sum.orders += 1
    sum.paisa += order.amount
    sums.set(`${openedRunId} ${kind}`, sum)
  }
  return [...sums.values()].map(({paisa, ...sum}) => ({...sum, amount: formatPaisa(paisa)}))
}
