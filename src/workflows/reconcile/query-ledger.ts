import {completedEvent, type ServiceOrder} from '../../core/order.ts'
import type {ServiceSide, TakenAnswers} from '../../core/reconcile/classify.ts'
import {isDecidedByPayload} from '../../core/reconcile/delivered.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {isDuplicate, orderKey} from '../../core/reconcile/orders.ts'
import {wasFound} from '../../core/reconcile/snapshot.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import type {StagedOrder} from '../../staging/ledger-rows.ts'
import type {Staging} from '../../staging/staging.ts'
import {askOrders, bareOnce, isBare} from '../orders/ask.ts'
import type {RowBeforeResend} from './booked-before-resent.ts'
import {decideAgreed} from './decide.ts'
import type {Deliveries} from './deliveries.ts'
import {FinalOrderRecorder, takeFinalOrders} from './final-orders.ts'
import type {MatchTotals} from './match-totals.ts'
import type {RunResends} from './memory.ts'
import {planOf} from './plan.ts'
import {Players} from './players.ts'
import type {ReconcileOptions, ReconcilePorts} from './types.ts'

interface KnownResends {
  readonly resends: RunResends
  /** Orders that were booked before an earlier run resent them. */
  readonly bookedBefore: ReadonlyMap<string, RowBeforeResend>
  /** Payouts that failed once, and those that may have been sent in their place. */
  readonly replaced: ReadonlySet<string>
  /** Orders with an open difference of amounts, which a row that agrees may not end. */
  readonly withOtherRows: ReadonlySet<string>
}

/** Orders without a trustworthy answer are queried again at the end, up to this number and this part of all. */
const askedAgainMax = 1_000
const askedAgainShare = 0.1

/**
 * Gets an answer for every order of the ledger, from the service or an earlier run that found it final. Orders that
 * agree are added to the totals at once and not kept.
 */
export async function askForOrders(
  staging: Staging,
  matchTotals: MatchTotals,
  {
    window,
    items,
    ...known
  }: {
    readonly window: MaybeWindow
    /** The open ones, and what a person closed lately. */
    readonly items: readonly RememberedFinding[]
  } & KnownResends,
  options: ReconcileOptions & {readonly remembers: boolean},
  {
    client,
    profile,
    journal,
    runId,
    signal,
    now,
    monotonic,
    recorded,
    resumes,
    onPlan,
    onProgress,
  }: ReconcilePorts,
) {
  const {skipFinal = false, concurrency: width} = options
  const {hasAmounts} = staging.ledger
  let finalCount = 0
  let breaks = 0
  const players = new Players()
  const take = (order: StagedOrder, side: ServiceSide) => {
    if (!putAnswer(order, side, staging, matchTotals, known)) breaks += 1
    const [entry] = order.entries
    if (entry && side.is === 'found') players.see(entry, side.order)
  }
  const takenFrom =
    skipFinal || resumes
      ? await takeFinalOrders(
          staging.ledger.all(),
          journal,
          profile,
          {runId, skipFinal, hasLedgerAmounts: hasAmounts, nowMs: now()},
          (order, side) => {
            finalCount += 1
            take(order, side)
          },
        )
      : new Map<string, TakenAnswers>()
  const plan = await planOf({staging, items, nowMs: now()}, finalCount, window, options, journal, runId)
  onPlan(plan)
  const recorder = new FinalOrderRecorder(journal, runId, recorded?.stamp ?? now, !options.remembers)
  const startedMs = monotonic()
  let answered = 0
  const takeAnswer = async (order: StagedOrder, answer: ServiceSide) => {
    const side = isBare(answer) && (await wasKnown(order, journal)) ? bareOnce : answer
    take(order, side)
    onProgress('query', ++answered, plan.orders - plan.final, breaks)
    await recorder.take(order, side)
  }
  const unanswered = new Map<StagedOrder, ServiceSide>()
  const service = recorded?.asked ?? client
  const found = new Map()
  const asked = await askOrders(service, staging.answers.unasked(), {
    ...{width, signal, found},
    onAnswer: (order, side) => {
      if (side.is === 'no_answer' && unanswered.size < askedAgainMax) unanswered.set(order, side)
      else return takeAnswer(order, side)
      return undefined
    },
  })
  // A service that gave few answers is in trouble, and is not queried more.
  if (unanswered.size <= Math.ceil(asked * askedAgainShare) && unanswered.size < asked) {
    const onAnswer = (order: StagedOrder, side: ServiceSide) => void unanswered.set(order, side)
    await askOrders(service, [...unanswered.keys()], {width, signal, found, reachedBefore: true, onAnswer})
  }
  for (const [order, side] of unanswered) await takeAnswer(order, side)
  await recorder.flush()
  for (const {order, side} of staging.answers.joinSameOrders()) takeBack(order, side, matchTotals)
  const seconds = (monotonic() - startedMs) / 1_000
  return {players, takenFrom, queriesPerSecond: seconds >= 1 && answered > 0 ? answered / seconds : null}
}

/** Whether an earlier run had the order from the service. */
async function wasKnown(
  {kind, orderNo}: StagedOrder,
  journal: Pick<ReconcilePorts['journal'], 'findFinalOrders' | 'findingsOf'>,
): Promise<boolean> {
  const finals = await journal.findFinalOrders(kind, [orderNo])
  return finals.length > 0 || (await journal.findingsOf([{kind, orderNo}])).some(wasFound)
}

/** A bare 404 gives way to a delivery record that may be of the order. */
export function withdrawBareAbsences(staging: Staging, matchTotals: MatchTotals, known: KnownResends): void {
  for (const order of [...staging.records.ofBareAbsences()]) {
    const side: ServiceSide = {is: 'absent', isBare: true}
    if (countedAs(order, side, staging, known)) takeBack(order, side, matchTotals)
    staging.answers.forget(order)
    putAnswer(order, bareOnce, staging, matchTotals, known)
  }
}

/** Returns whether the sides agree by this answer alone, so that nothing of it must be kept. */
function putAnswer(
  order: StagedOrder,
  side: ServiceSide,
  staging: Staging,
  matchTotals: MatchTotals,
  known: KnownResends,
): boolean {
  const agreed = countedAs(order, side, staging, known)
  if (!agreed) {
    const isForRecords = !agreedOn(order, side) && needsRecords(order, side)
    staging.answers.put(order, side, isForRecords ? 'records' : 'decision')
    return false
  }
  staging.answers.put(order, side, 'nothing')
  matchTotals.add(subjectOf(order, side), [agreed])
  return true
}

/** The finding of an order that is in the totals by its answer alone; else null. */
function countedAs(
  order: StagedOrder,
  side: ServiceSide,
  staging: Staging,
  {resends, bookedBefore, replaced, withOtherRows}: KnownResends,
): Finding | null {
  const agreed = agreedOn(order, side)
  // A payload could decide otherwise, and an order that hisab resent needs more than figures.
  const key = orderKey(order)
  const isKnown =
    agreed &&
    (resends.rowOf(agreed) || [bookedBefore, replaced, withOtherRows].some((orders) => orders.has(key)))
  return agreed && !isDecidedByPayload(agreed, staging.ledger.hasAmounts) && !isKnown ? agreed : null
}

function takeBack(order: StagedOrder, side: ServiceSide | null, matchTotals: MatchTotals): void {
  const agreed = side && agreedOn(order, side)
  if (agreed) matchTotals.takeBack(subjectOf(order, side), agreed)
}

function subjectOf({kind, entries}: StagedOrder, side: ServiceSide) {
  return {kind, entries, service: side.is === 'found' ? side.order : null}
}

/**
 * Queries orders taken from an earlier run (`--skip-final`) if a record says completed: they had failed on both sides,
 * and may have been paid since.
 */
export async function askContradictedFinals(
  staging: Staging,
  matchTotals: MatchTotals,
  {deliveries, ...known}: {readonly deliveries: Deliveries} & KnownResends,
  {concurrency: width, remembers}: ReconcileOptions & {readonly remembers: boolean},
  {client, journal, runId, signal, now, recorded}: ReconcilePorts,
): Promise<void> {
  const recorder = new FinalOrderRecorder(journal, runId, recorded?.stamp ?? now, !remembers)
  const orders = staging.records.ofNotCompleted(completedEvent).flatMap((order): StagedOrder[] => {
    const [row, side] = [staging.ledger.rowOf(order), staging.answers.sideOf(order)]
    const isTaken = side?.is === 'found' && side.takenFrom !== undefined && side.takenFrom.runId !== runId
    return isTaken && row !== null
      ? [{...order, row, entries: staging.ledger.entriesOf(order), unreadable: []}]
      : []
  })
  // A contradicted order has no answer until it gets a new one.
  for (const order of orders) {
    takeBack(order, staging.answers.sideOf(order), matchTotals)
    staging.answers.forget(order)
  }
  const paid: ServiceOrder[] = []
  await askOrders(client, orders, {
    ...{width, signal, reachedBefore: true},
    onAnswer: async (order, side) => {
      putAnswer(order, side, staging, matchTotals, known)
      await recorder.take(order, side)
      if (side.is === 'found' && side.order.status === 'completed') paid.push(side.order)
    },
  })
  await recorder.flush()
  await deliveries.addOrders(paid, [])
}

/** The finding of an order with one row if the sides agree by the answer alone; else null. */
function agreedOn(order: StagedOrder, side: ServiceSide): Finding | null {
  const [entry] = order.entries
  return entry && !isDuplicate(order) ? decideAgreed(entry, side) : null
}

/** Whether delivery records decide an order that does not agree: it is completed at the service and has one row. */
function needsRecords(order: StagedOrder, side: ServiceSide): boolean {
  return side.is === 'found' && side.order.status === 'completed' && !isDuplicate(order)
}
