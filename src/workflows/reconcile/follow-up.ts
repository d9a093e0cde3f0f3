import {completedEvent, type ServiceOrder} from '../../core/order.ts'
import {classifyOrder, type LedgerSide, type ServiceSide} from '../../core/reconcile/classify.ts'
import {type Finding, isUnremarkable} from '../../core/reconcile/finding.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {fits} from '../../core/reconcile/ignore.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {hadBookedRow, lastRow} from '../../core/reconcile/snapshot.ts'
import {type Cause, judgedOf, type Verdict} from '../../core/reconcile/verdict.ts'
import {actionOf} from '../../core/reconcile/verdict-facts.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Staging} from '../../staging/staging.ts'
import {askOrders} from '../orders/ask.ts'
import {type DecisionInput, finish, weigh} from './decide.ts'
import {sameServiceAs} from './final-orders.ts'
import type {MissingOrder} from './query-missing.ts'
import type {ReconcileOptions, ReconcilePorts} from './types.ts'

/** Paid, and its webhook not taken when it was last seen; that it was delivered since, nobody knows. */
const undelivered: readonly (Cause | null)[] = [
  'retry_scheduled',
  'delivery_stuck',
  'delivery_exhausted',
  'recently_resent',
  'resend_in_doubt',
  'delivery_unknown',
]

/** Without an answer when it was last seen, or with one that its webhook contradicts. */
const isAskedAgain: readonly Verdict[] = ['query_failed', 'in_flight']

/** An order that an earlier run left undelivered or got no answer for, and that is not among what this ledger asks for. */
export interface FollowedUp extends MissingOrder {
  readonly remembered: RememberedFinding
  /** Its row of that run's ledger; null where none named it. */
  readonly row: LedgerSide | null
}

/**
 * Asks again for the orders that earlier runs left undelivered, or got no answer for: a wait may end badly, and an order be
 * answered for, after the last window it is seen in (P18). What was delivered, or has no record, is open until a ledger or a person closes it.
 */
export async function followUp(
  {ledger}: Pick<Staging, 'ledger'>,
  asked: readonly MissingOrder[],
  {concurrency: width}: Pick<ReconcileOptions, 'concurrency'>,
  {client, journal, profile, runId, signal, now}: ReconcilePorts,
): Promise<FollowedUp[]> {
  const known = new Set(asked.map(({order}) => orderKey(order)))
  const isSameService = sameServiceAs(profile, journal)
  const open = journal.openFindings(runId)
  // It stands twice in the ledger of a later day, booked: that is open until a person has settled it.
  const bookedTwice = new Map(
    open.flatMap((one) =>
      one.verdict === 'duplicate_in_ledger' && hadBookedRow(one) ? [[orderKey(one), one.lastSeenMs]] : [],
    ),
  )
  const waits = open.flatMap((remembered) => {
    const {kind, orderNo, verdict, cause, lastRunId, lastSeenMs} = remembered
    const order = {kind, orderNo}
    const isMissing = verdict === 'missing_completion' || verdict === 'missing_in_ledger'
    if (!isAskedAgain.includes(verdict) && (!isMissing || !undelivered.includes(cause))) return []
    if (ledger.names(order) || known.has(orderKey(order))) return []
    if (!isSameService(lastRunId) || (bookedTwice.get(orderKey(order)) ?? 0) >= lastSeenMs) return []
    known.add(orderKey(order))
    const resend = isMissing ? journal.earlierResend('', completedEvent, null, order) : null
    return resend?.state === 'delivered' ? [] : {...order, order, remembered, row: lastRow(remembered)}
  })
  const sides: ServiceSide[] = []
  const onAnswer = (_: unknown, side: ServiceSide, index: number) => {
    sides[index] = side
  }
  await askOrders(client, waits, {width, signal, reachedBefore: true, onAnswer})
  const ignores = journal.listIgnores().filter(({expiresAtMs}) => now() < expiresAtMs)
  const isIgnored = ({kind, orderNo, verdict, snapshot, openedMs}: RememberedFinding) =>
    ignores.some(
      (one) =>
        orderKey(one) === orderKey({kind, orderNo}) &&
        one.verdict === verdict &&
        fits(one, {snapshot: snapshot ?? '', openedMs}),
    )
  return waits.flatMap(({order, remembered, row}, index) => {
    const side = sides[index]
    // What a person said of it holds as long as nothing else is heard: it stays open, and is not examined.
    const isSame =
      side?.is === 'no_answer' || (remembered.verdict === 'in_flight' && side && worseNews(side) !== null)
    if (!side || (isSame && isIgnored(remembered))) return []
    return {order, side, remembered, row}
  })
}

const notResent =
  'No row of this ledger has it, and it may have been booked since. Run hisab with a new export of the ledger of its time: it is resent where that does not show it booked.'

/** What the service does with an order it had as completed; null where that is nothing else. */
function worseNews(side: ServiceSide): string | null {
  if (side.is === 'absent') return 'knows no such order'
  if (side.is === 'no_answer' || (side.order.status !== 'open' && side.order.status !== 'failed')) return null
  return `calls it "${escapeInvisible(side.order.rawStatus, 60)}"`
}

/** Stays the finding it was until somebody closes it: money that was there may be gone. */
function worsened(
  remembered: RememberedFinding,
  ledger: LedgerSide | null,
  service: ServiceOrder | null,
  news: string,
): Finding {
  const {kind, orderNo, atRisk, lastRunId} = remembered
  const draft = {
    ...judgedOf(remembered),
    action: 'review' as const,
    ledger,
    service,
    delivery: null,
    detail: null,
    notes: [],
  }
  const explanation = `Followed up from run ${lastRunId}. The service had it as completed with a webhook to come, and now it ${news}. Ask it what became of the payment; it is named by every run until a ledger shows how it ended, or somebody ignores it.`
  return {...finish({kind, orderNo, line: null, file: null}, draft), atRisk, explanation}
}

/**
 * The finding of an order that is followed up; null where nothing is left of it. It is never resent: how its row stands
 * by now, this ledger does not show.
 */
export function decideFollowedUp(
  {order, side, row, remembered}: FollowedUp,
  input: DecisionInput,
  mayBeBooked: (order: ServiceOrder) => string | null,
): Finding | null {
  const classified = classifyOrder(row, side)
  const service = side.is === 'found' ? side.order : null
  const nowhere = {...order, line: null, file: null}
  const wasCompleted = !isAskedAgain.includes(remembered.verdict)
  const worse = remembered.verdict === 'query_failed' ? null : worseNews(side)
  // Its webhook still says something else than the service: that is in a note (`findContradicted`).
  if (worse !== null && !wasCompleted) return null
  if (worse !== null) return worsened(remembered, row, service, worse)
  if (!classified || isUnremarkable({...classified, resend: null})) return null
  const seen = `Followed up from run ${remembered.lastRunId}.`
  const draft = {
    ...{...classified, ledger: row, service, delivery: null, action: actionOf(classified.verdict)},
    ...{detail: side.is === 'no_answer' ? side.because : null, notes: [seen]},
  }
  if (service === null || (draft.verdict !== 'missing_completion' && draft.verdict !== 'missing_in_ledger')) {
    return finish(nowhere, draft)
  }
  const weighed = weigh(service, input)
  const {action, cause} = weighed
  if (wasCompleted && cause === 'no_delivery_record') {
    return worsened(remembered, row, service, 'has no record of its webhook any more')
  }
  if (wasCompleted && cause === 'delivered_not_booked') {
    const notes = [
      ...weighed.notes,
      seen,
      'Your server took the webhook since: a ledger that has the order shows whether it was booked.',
    ]
    return finish(nowhere, {...draft, ...weighed, action: 'none', notes})
  }
  const isHeld = action === 'resend'
  const notes = [...weighed.notes, seen, ...(isHeld ? [mayBeBooked(service) ?? notResent] : [])]
  return finish(nowhere, {...draft, ...weighed, action: isHeld ? 'review' : action, notes})
}
