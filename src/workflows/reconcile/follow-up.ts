import {type OrderKind, orderKinds, type ServiceOrder} from '../../core/order.ts'
import {classifyOrder, type LedgerSide, type ServiceSide} from '../../core/reconcile/classify.ts'
import {type Finding, isUnremarkable} from '../../core/reconcile/finding.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {fits} from '../../core/reconcile/ignore.ts'
import {askedUntilMs, isOverdue, isUnpaidDeposit} from '../../core/reconcile/item.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {hadBookedRow, lastRow, lastServiceAmount, saysTheSame} from '../../core/reconcile/snapshot.ts'
import {judgedOf} from '../../core/reconcile/verdict.ts'
import {
  actionOf,
  endedBy,
  isAtRest,
  isCompletion,
  isOfRows,
  isUndelivered,
} from '../../core/reconcile/verdict-facts.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant} from '../../core/time.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import type {Staging} from '../../staging/staging.ts'
import {askOrders} from '../orders/ask.ts'
import {lacksFiles} from '../stored-run.ts'
import {type DecisionInput, finish, isTakenNow, weigh} from './decide.ts'
import type {Deliveries} from './deliveries.ts'
import {ignoresAt} from './earlier-runs.ts'
import {sameServiceAs} from './final-orders.ts'
import type {MissingOrder} from './query-missing.ts'
import type {ReconcileOptions, ReconcilePorts} from './types.ts'

const dayMs = 24 * 60 * 60_000

/** An order that an earlier run left open, without a row in this ledger. */
export interface FollowedUp extends MissingOrder {
  readonly remembered: RememberedFinding
  /** Its row in that run's ledger; null if it had none, or a new export of that ledger no longer has it. */
  readonly row: LedgerSide | null
  /** hisab resent it, the merchant's server accepted it, and no ledger since could show it booked. */
  readonly isDelivered: boolean
  /** When the merchant's server took hisab's last resend. */
  readonly deliveredMs?: number | undefined
  /** Its delivery record is the same as in an earlier run, so it is not looked up again. */
  readonly isRecordKept?: boolean
}

export interface FollowUps {
  readonly followed: readonly FollowedUp[]
  /** Keys of paid orders that a person closed, and that are unchanged. */
  readonly leftAlone: ReadonlySet<string>
  /** Findings that only rows can end, if no ledger of their time was given since. */
  readonly ofRows: readonly RememberedFinding[]
  /** Findings whose rows a new export of their ledger no longer has. */
  readonly withdrawn: readonly RememberedFinding[]
  /** Deposits that failed and were never paid or booked: nothing is left of them once their ledger is over. */
  readonly unpaid: readonly RememberedFinding[]
  /** Withdrawn findings, of rows or orders, without an amount at the service: no statement counts them any more. */
  readonly void: readonly RememberedFinding[]
}

/**
 * Queries every order that earlier runs left open, once each: an open item stays open until a ledger, the service or a
 * person closes it (P18). A delivered one stays until a ledger confirms it. What a person closed is asked for a while
 * longer, because it holds only for what it was said of (P19b).
 */
export async function followUp(
  {ledger, files}: Pick<Staging, 'ledger'> & Pick<Ledger, 'files'>,
  {
    items,
    asked,
    isGivenAgain,
  }: {
    /** The open items, and what a person closed lately. */
    readonly items: readonly RememberedFinding[]
    readonly asked: readonly MissingOrder[]
    readonly isGivenAgain: (kind: OrderKind, runId: string) => boolean
  },
  {concurrency: width}: Pick<ReconcileOptions, 'concurrency'>,
  {client, journal, profile, signal, now}: ReconcilePorts,
): Promise<FollowUps> {
  const answered = new Map(asked.map(({order, side}) => [orderKey(order), side]))
  const isSameService = sameServiceAs(profile, journal)
  const open: RememberedFinding[] = []
  const nowMs = now()
  const isAsked = (one: RememberedFinding) => !isClosed(one) || nowMs < (askedUntilMs(one) ?? 0)
  for (const one of items)
    if (isAsked(one) && !ledger.names(one) && (await isSameService(one.lastRunId))) open.push(one)
  const isLacking = await lacksFiles(open, {files, beginOf: (file) => ledger.firstRowMs(file)}, journal)
  // A row in this ledger corrects its kind.
  const isWithdrawn = (one: RememberedFinding) =>
    endedBy(one) !== 'person' &&
    !isLacking(one) &&
    isGivenAgain(one.kind, one.openedRunId) &&
    (ledger.kinds.has(one.kind) || orderKinds.some((kind) => ledger.names({kind, orderNo: one.orderNo})))
  const {rows = [], orders = []} = Object.groupBy(open, (one) => (isOfRows(one) ? 'rows' : 'orders'))
  const ofRows = rows.filter((one) => !isWithdrawn(one))
  // Booked twice in a later ledger: open until a person closes it.
  const bookedTwice = new Map(
    ofRows.flatMap((one) => (hadBookedRow(one) ? [[orderKey(one), one.lastSeenMs]] : [])),
  )
  const known = new Set<string>()
  const delivered = (await journal.resendHistory()).delivered()
  // If an order has several findings, the last one seen counts, a closed one only without an open one.
  const newestFirst = orders.toSorted(
    (a, b) => Number(isClosed(a)) - Number(isClosed(b)) || b.lastSeenMs - a.lastSeenMs,
  )
  const wasPaid = new Set(
    (await journal.findingsOf(orders.filter(isUnpaidDeposit)))
      .filter(({verdict}) => isCompletion(verdict))
      .map(orderKey),
  )
  const unpaid = orders.filter((one) => isUnpaidDeposit(one) && !wasPaid.has(orderKey(one)))
  const neverAsked = new Set(unpaid)
  const waits = newestFirst.flatMap((remembered) => {
    const {kind, orderNo, verdict, cause, lastSeenMs, openedRunId} = remembered
    const order = {kind, orderNo}
    const key = orderKey(order)
    const row = isWithdrawn(remembered) ? null : lastRow(remembered)
    if (known.has(key) || neverAsked.has(remembered)) return []
    if ((bookedTwice.get(key) ?? 0) >= lastSeenMs) return []
    const deliveredMs = delivered.get(key)
    const isLate =
      cause === 'delivered' ||
      (deliveredMs !== undefined && (isUndelivered(cause) || deliveredMs > lastSeenMs))
    const isDelivered = isCompletion(verdict) && isLate && !isGivenAgain(kind, openedRunId)
    // Orders in this ledger's window are decided there, except those with a row in an earlier ledger.
    if (answered.has(key) && row === null && !isDelivered) return []
    if (isOverdue(remembered, nowMs)) return []
    known.add(key)
    return {...order, order, remembered, row, isDelivered, deliveredMs}
  })
  const sides = new Map(answered)
  const onAnswer = (order: Pick<ServiceOrder, 'kind' | 'orderNo'>, side: ServiceSide) => {
    sides.set(orderKey(order), side)
  }
  const unasked = waits.filter(({order}) => !answered.has(orderKey(order)))
  await askOrders(client, unasked, {width, signal, reachedBefore: true, onAnswer})
  const ignores = Map.groupBy(await ignoresAt(journal, {nowMs, skewMs: client.clockSkewMs}), orderKey)
  const isIgnored = (one: RememberedFinding) =>
    (ignores.get(orderKey(one)) ?? []).some(
      (ignore) =>
        ignore.verdict === one.verdict &&
        fits(ignore, {snapshot: one.snapshot ?? '', openedMs: one.openedMs}),
    )
  const ignored = new Set(orders.filter((one) => !isClosed(one) && isIgnored(one)).map(orderKey))
  const leftAlone = new Set<string>()
  const followed = waits.flatMap(({order, remembered, row, isDelivered, deliveredMs}) => {
    const side = sides.get(orderKey(order))
    // A person's word holds as long as there is no other news: the order is not examined.
    const isSame =
      side?.is === 'no_answer' || (remembered.verdict === 'in_flight' && side && whyWorse(side) !== null)
    if (!side || (isSame && (isClosed(remembered) || ignored.has(orderKey(order))))) return []
    if (isClosed(remembered) && isPaidAsBefore(remembered, side)) {
      leftAlone.add(orderKey(order))
      return []
    }
    return {
      order,
      side,
      remembered,
      row,
      deliveredMs,
      isDelivered: isDelivered && isUnchanged(remembered, side),
    }
  })
  const isVoid = (one: RememberedFinding) => isWithdrawn(one) && lastServiceAmount(one) === null
  return {followed, leftAlone, ofRows, withdrawn: rows.filter(isWithdrawn), unpaid, void: open.filter(isVoid)}
}

/** The most records looked up for open items. With more, only those are that the service may change by itself. */
const lookedUpMax = 500

/**
 * Reads the records that decide open items, and finds those whose earlier state still holds. If there are too many,
 * items that cannot change by themselves are not looked up again. A delivered one is looked up if it may be of the time of
 * `credits`, a ledger of credits.
 */
export async function readRecordsOf(
  followed: readonly FollowedUp[],
  deliveries: Pick<Deliveries, 'addOrders' | 'hasRead' | 'know'>,
  credits: MaybeWindow | null,
): Promise<FollowedUp[]> {
  const unread = new Map<FollowedUp, ServiceOrder>()
  for (const one of followed) {
    if (one.side.is !== 'found' || one.side.order.status !== 'completed') continue
    deliveries.know(one.side.order)
    if (!deliveries.hasRead(one.side.order)) unread.set(one, one.side.order)
  }
  const undelivered = [...unread.keys()].filter(({isDelivered}) => !isDelivered).length
  const mayBeHere = (ms: number | undefined) =>
    credits?.ok === true && (ms === undefined || (credits.fromMs - dayMs <= ms && ms <= credits.toMs))
  const isKept = ({isDelivered, deliveredMs, remembered: {verdict, cause}}: FollowedUp) =>
    (isDelivered && !mayBeHere(deliveredMs)) ||
    (!isDelivered && undelivered > lookedUpMax && isCompletion(verdict) && isAtRest(cause))
  const kept = new Set([...unread.keys()].filter(isKept))
  await deliveries.addOrders(
    [...unread].flatMap(([one, order]) => (kept.has(one) ? [] : order)),
    [],
  )
  return followed.map((one) => (kept.has(one) ? {...one, isRecordKept: true} : one))
}

function isClosed({closedBy}: RememberedFinding): boolean {
  return closedBy === 'person'
}

/** Whether it is still paid with that amount, where its webhook was at its end: a person knows whether it is booked. */
function isPaidAsBefore(remembered: RememberedFinding, side: ServiceSide): boolean {
  const isPaid = side.is === 'found' && side.order.status === 'completed'
  const {verdict, cause} = remembered
  return isPaid && isCompletion(verdict) && isAtRest(cause) && isUnchanged(remembered, side)
}

/** Whether a person closed it as it is now. Such an order is in no list. A follow-up holds back what was to be resent. */
export function isClosedAsIs({remembered}: FollowedUp, finding: Finding): boolean {
  if (!isClosed(remembered) || finding.verdict !== remembered.verdict) return false
  const actions = [finding.action, 'resend'] as const
  return actions.some((action) => saysTheSame(remembered.snapshot, {...finding, action}))
}

/** Whether the service still has the same amount; if not, the delivered webhook is read again. */
function isUnchanged({snapshot}: RememberedFinding, side: ServiceSide): boolean {
  return side.is !== 'found' || lastServiceAmount({snapshot}) === side.order.amount
}

const notResent =
  'It is not in this ledger and may have been booked since. Run hisab with a new export of the ledger of its time; of an order around midnight, with those of both days in one command. If it is not booked there, that run resends it.'

/** What is worse about an order that the service had as completed; null if nothing. */
function whyWorse(side: ServiceSide): string | null {
  if (side.is === 'absent') return 'knows no such order'
  if (side.is === 'no_answer' || (side.order.status !== 'open' && side.order.status !== 'failed')) return null
  return `has the status "${escapeInvisible(side.order.rawStatus, 60)}"`
}

/** Keeps the remembered finding. */
function asRemembered(
  remembered: RememberedFinding,
  sides: Pick<Finding, 'ledger' | 'service'>,
  explanation: string,
): Finding {
  const {kind, orderNo, atRisk} = remembered
  const draft = {
    ...judgedOf(remembered),
    action: 'review' as const,
    ...sides,
    delivery: null,
    detail: null,
    notes: [],
  }
  const nowhere = {kind, orderNo, line: null, file: null, createdMs: remembered.orderedAtMs}
  return {...finish(nowhere, draft), atRisk, explanation}
}

/** Open until somebody closes it, because money that was there may be gone. */
function worsened(
  {remembered, row: ledger}: FollowedUp,
  service: ServiceOrder | null,
  news: string,
): Finding {
  const explanation = `Followed up from run ${remembered.lastRunId}. The service had it as completed with a webhook to come. Now the service ${news}. Ask the service what happened to the payment. Every run lists it until a ledger shows the outcome or a person ignores it.`
  return asRemembered(remembered, {ledger, service}, explanation)
}

/** The finding of rows that no later ledger has ended. */
export function decideOfRows(remembered: RememberedFinding): Finding {
  const next =
    endedBy(remembered) === 'person'
      ? `: ${remembered.cause === 'paid_after_all' ? 'it failed, was paid anew, and may be paid after all. The player may have the money twice.' : 'booked before hisab resent its webhook. It may be booked twice.'} Look in your books, then close the item.`
      : ', and no ledger of that time was given again. Run hisab with a new export of it, or ignore it once that is cleared up.'
  const explanation = `Open since run ${remembered.openedRunId}${next}`
  const {snapshot} = remembered
  return {...asRemembered(remembered, {ledger: lastRow(remembered), service: null}, explanation), snapshot}
}

/** The finding of a followed-up order; null if nothing is left. Never resent, because this ledger does not show its row. */
export async function decideFollowedUp(
  one: FollowedUp,
  input: DecisionInput,
  {
    mayBeBooked,
    wouldShow,
  }: {
    readonly mayBeBooked: (order: ServiceOrder) => Promise<string | null>
    readonly wouldShow: (takenMs: number) => boolean
  },
): Promise<Finding | null> {
  const {order, side, row, remembered} = one
  const classified = classifyOrder(row, side)
  const service = side.is === 'found' ? side.order : null
  const nowhere = {...order, line: null, file: null, createdMs: remembered.orderedAtMs}
  const wasCompleted = isCompletion(remembered.verdict)
  const worse = whyWorse(side)
  // A deposit was not paid; or webhook and service differ, which a note reports (`findContradicted`).
  const isQuiet = service !== null && (service.status === 'open' || order.kind === 'deposit')
  if (worse !== null && remembered.verdict === 'in_flight' && (isQuiet || remembered.severity !== 'none'))
    return null
  if (worse !== null && wasCompleted) return worsened(one, service, worse)
  if (!classified || isUnremarkable({...classified, resend: null})) return null
  const seen = `Followed up from run ${remembered.lastRunId}.`
  const draft = {
    ...{...classified, ledger: row, service, delivery: null, action: actionOf(classified.verdict)},
    ...{detail: side.is === 'no_answer' ? side.because : null, notes: [seen]},
  }
  if (service === null || (draft.verdict !== 'missing_completion' && draft.verdict !== 'missing_in_ledger')) {
    return finish(nowhere, draft)
  }
  const waitsForLedger = () => asBefore(one, finish(nowhere, {...draft, cause: 'delivered', action: 'none'}))
  if (one.isRecordKept && one.isDelivered) return waitsForLedger()
  if (one.isRecordKept) {
    const explanation = `${seen} Its delivery record was not read again. Run hisab with a new export of the ledger of its time.`
    return asBefore(one, asRemembered(remembered, {ledger: row, service}, explanation))
  }
  const weighed = weigh(service, input)
  const {action, cause} = weighed
  // A service may keep only its newest records.
  if (one.isDelivered && (cause === 'no_delivery_record' || cause === 'resend_unavailable'))
    return waitsForLedger()
  if (wasCompleted && cause === 'no_delivery_record' && remembered.cause !== cause) {
    return worsened(one, service, 'has no record of its webhook any more')
  }
  const takenMs = parseInstant(weighed.delivery?.sentAt ?? '') ?? 0
  // A ledger after the delivery showed that it was not booked, which the same delivery does not change.
  const unbookedSinceMs =
    remembered.cause === 'delivered_not_booked' ? remembered.lastSeenMs : remembered.openedMs
  const isTakenSince = one.isDelivered || isUndelivered(remembered.cause) || takenMs > unbookedSinceMs
  const lastMs = Math.max(takenMs, one.deliveredMs ?? takenMs)
  if (isTakenNow(weighed) && isTakenSince && !wouldShow(lastMs)) {
    const notes = [...weighed.notes, seen]
    return asBefore(one, finish(nowhere, {...draft, ...weighed, cause: 'delivered', action: 'none', notes}))
  }
  const isHeld = action === 'resend'
  const notes = [...weighed.notes, seen, ...(isHeld ? [(await mayBeBooked(service)) ?? notResent] : [])]
  return asBefore(one, finish(nowhere, {...draft, ...weighed, action: isHeld ? 'review' : action, notes}))
}

/** Keeps the payload that an earlier run read if nothing else is new, so that it is not read every night. */
function asBefore({remembered: {snapshot}}: FollowedUp, finding: Finding): Finding {
  return saysTheSame(snapshot, finding) ? {...finding, snapshot} : finding
}
