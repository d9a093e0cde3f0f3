import {inBatches} from '../../core/batches.ts'
import {orderKinds} from '../../core/order.ts'
import {classifyOrder, type LedgerSide, type ServiceSide} from '../../core/reconcile/classify.ts'
import {type Finding, isUnremarkable} from '../../core/reconcile/finding.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {actionOf} from '../../core/reconcile/verdict-facts.ts'
import type {Staging} from '../../staging/staging.ts'
import {askOrders} from '../orders/ask.ts'
import {finish} from './decide.ts'
import {askedAtOnce, sameServiceAs} from './final-orders.ts'
import type {MissingOrder} from './query-missing.ts'
import type {ReconcileOptions, ReconcilePorts} from './types.ts'

/** An order that an earlier run matched as completed, and that is different at the service now. */
export interface Reversal extends MissingOrder {
  readonly row: LedgerSide
  readonly matchedBy: string
}

/**
 * Orders without a row that an earlier run found completed on both sides, with a new record in the window. `numbers`,
 * from records of other events, are queried here; `asked` were queried before.
 */
export async function findReversals(
  {ledger}: Pick<Staging, 'ledger'>,
  {
    numbers,
    asked,
    openItems,
  }: {
    readonly numbers: ReadonlySet<string>
    readonly asked: readonly MissingOrder[]
    readonly openItems: readonly RememberedFinding[]
  },
  {concurrency: width}: Pick<ReconcileOptions, 'concurrency'>,
  {client, journal, profile, signal}: ReconcilePorts,
): Promise<readonly Reversal[]> {
  const sides = new Map(asked.map(({order, side}) => [orderKey(order), side]))
  const wasAsked = new Set(sides.keys())
  const isSameService = sameServiceAs(profile, journal)
  // Open items are followed up elsewhere.
  const open = new Set(openItems.map(orderKey))
  const matched: (Pick<Reversal, 'order' | 'row' | 'matchedBy'> & Reversal['order'])[] = []
  for (const some of inBatches(
    new Set([...numbers, ...asked.map(({order}) => order.orderNo)]),
    askedAtOnce,
  )) {
    for (const kind of orderKinds) {
      for (const final of await journal.findFinalOrders(kind, some)) {
        const {orderNo, status, ledgerAmount, serviceAmount, platformOrderNo, isTakenBack} = final
        const order = {kind, orderNo}
        if (status !== 'completed' || isTakenBack) continue
        if (open.has(orderKey(order)) || ledger.names(order) || !(await isSameService(final.runId))) continue
        const row = {status, amount: ledgerAmount ?? serviceAmount, platformOrderNo}
        matched.push({...order, order, row, matchedBy: final.runId})
      }
    }
  }
  const onAnswer = ({order}: {order: Reversal['order']}, side: ServiceSide) =>
    void sides.set(orderKey(order), side)
  const unasked = matched.filter(({order}) => !sides.has(orderKey(order)))
  await askOrders(client, unasked, {width, signal, reachedBefore: true, onAnswer})
  return matched.flatMap(({order, row, matchedBy}): Reversal[] => {
    const side = sides.get(orderKey(order))
    if (!side || (wasAsked.has(orderKey(order)) && !isSameOrder(row, side))) return []
    if (isUnremarkable({...classifyOrder(row, side), resend: null})) return []
    return [{order, side, row, matchedBy}]
  })
}

/** Whether the answer is about the matched order: another order of its number is missing in this ledger. */
function isSameOrder({platformOrderNo}: LedgerSide, side: ServiceSide): boolean {
  return side.is === 'absent' || (side.is === 'found' && side.order.platformOrderNo === platformOrderNo)
}

/** Open until a ledger shows the same, the service corrects it or a person closes it. Nothing is sent. */
export function decideReversal({order, side, row, matchedBy}: Reversal): Finding {
  const classified = classifyOrder(row, side)
  const service = side.is === 'found' ? side.order : null
  const detail = side.is === 'no_answer' ? side.because : null
  const notes = [
    `Run ${matchedBy} found it completed on both sides, and it is not in this ledger. Ask the service what happened to the payment since.`,
  ]
  const action = actionOf(classified.verdict)
  return finish(
    {...order, line: null, file: null},
    {...classified, action, ledger: row, service, delivery: null, detail, notes},
  )
}
