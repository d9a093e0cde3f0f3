import {orderKinds, type ServiceOrder} from '../../core/order.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import type {Window} from '../../core/reconcile/window.ts'
import {type FollowedUp, followUp, readRecordsOf} from './follow-up.ts'
import {EarlierRows} from './missing.ts'
import type {OpenLedger} from './place-window.ts'
import {type MissingOrder, type MissingOrderAnswers, queryMissingOrders} from './query-missing.ts'
import type {Sides} from './read-sides.ts'
import type {CompletionOfOther} from './record-facts.ts'
import {type NotWhole, whyNotWholeDay} from './rest-of-day.ts'
import {findReversals} from './reversals.ts'
import type {ExamineOptions, ReconcileOptions, ReconcilePorts} from './types.ts'

export type WithoutRow = Awaited<ReturnType<typeof findWithoutRow>>

/**
 * Finds and queries the orders that concern this run and have no row in its ledger: those with an event in the window,
 * and those that earlier runs left open.
 */
export async function findWithoutRow(
  open: OpenLedger,
  sides: Sides,
  options: ExamineOptions,
  ports: ReconcilePorts,
) {
  const {ledger, staging} = open
  const {placed, matchTotals, items, openItems, deliveries, isOfCredits} = sides
  const {window} = placed
  const {journal, profile} = ports
  const causes = new Map(items.map(({orderNo, cause}) => [orderNo, cause]))
  // Open items are followed up, whatever other events their orders have, unless these are all they have.
  const completions = function* (of: Window) {
    yield* deliveries.completionsOfOthers(of)
    for (const one of deliveries.creditsOfOthers(of, profile.dialect))
      if ((causes.get(one.merchantOrderId) ?? 'no_delivery_record') === 'no_delivery_record') yield one
  }
  const {missing, others} = await findMissing(open, window.ok ? completions(window) : [], options, ports)
  const numbers = window.ok ? deliveries.othersWithEvents(window) : new Set<string>()
  const reversals = await findReversals(staging, {numbers, asked: missing, openItems}, options, ports)
  const reversed = new Set(reversals.map(({order}) => orderKey(order)))
  const asked = missing.filter(({order}) => !reversed.has(orderKey(order)))
  const followUps = await followUp(
    {...staging, files: ledger.files},
    {items, asked, isGivenAgain: placed.isGivenAgain},
    options,
    ports,
  )
  for (const one of followUps.void) staging.balances.putNone(one)
  const earlier = await EarlierRows.read([...asked, ...followUps.followed], journal, profile, placed.own)
  const isBooked = ({order}: MissingOrder) => earlier.booked.has(orderKey(order))
  // A row that agrees does not end a difference of amounts.
  const isUnequal = ({remembered}: FollowedUp) => remembered.verdict === 'amount_mismatch'
  const unbooked = followUps.followed.filter(
    (one) => (isUnequal(one) || !isBooked(one)) && !reversed.has(orderKey(one.order)),
  )
  const isFollowed = new Set([...unbooked.map(({order}) => orderKey(order)), ...followUps.leftAlone])
  const unrecorded = asked.filter((one) => !isBooked(one) && !isFollowed.has(orderKey(one.order)))
  const notHere = [...unrecorded, ...unbooked]
  // Numbers that another order with an unknown platform ID may have: it has no answer, or a row of its own.
  const shared = notHere.filter(
    ({order: {orderNo}, side}) =>
      side.is === 'no_answer' || orderKinds.some((kind) => staging.ledger.names({kind, orderNo})),
  )
  await deliveries.addOrders(
    foundOf(unrecorded).filter(({status}) => status === 'completed'),
    shared.map(({order}) => order.orderNo),
  )
  const missingOrders = unrecorded.filter(
    ({order, side}) =>
      side.is !== 'found' || causes.has(order.orderNo) || deliveries.mayBeOf(side.order, window),
  )
  for (const order of foundOf(missingOrders)) matchTotals.addMissing(order)
  const followed = await readRecordsOf(unbooked, deliveries, isOfCredits ? placed.own : null)
  const booked = [...asked, ...followUps.followed].filter(isBooked)
  for (const order of [...others, ...foundOf(booked), ...foundOf(reversals)]) deliveries.know(order)
  const completed = foundOf(missingOrders).filter(({status}) => status === 'completed')
  return {
    ...{missingOrders, completed, reversals, earlier, notHere},
    followUps: {...followUps, followed},
  }
}

/** Their orders as the service has them; the others gave no answer or are not there. */
function foundOf(missing: readonly Pick<MissingOrder, 'side'>[]): ServiceOrder[] {
  return missing.flatMap(({side}) => (side.is === 'found' ? side.order : []))
}

const isWhole: NotWhole = {before: null, after: null}

/** Why the ledger may not hold its whole business day; only `hisab nightly` knows that day. */
export async function whyDayNotWhole(
  open: OpenLedger,
  {placed, deliveries, isOfCredits}: Sides,
  options: ExamineOptions,
  ports: ReconcilePorts,
): Promise<NotWhole> {
  const {window, meetings, own} = placed
  const {businessDay} = options
  if (!window.ok || !own.ok || businessDay === null) return isWhole
  // What was before this ledger is searched from the end of the last run's.
  const isFirst = meetings.every(({last}) => last === null)
  return await whyNotWholeDay(
    isFirst ? own : {...own, fromMs: Number.MIN_SAFE_INTEGER},
    {businessDay, timeZone: ports.profile.ledger.timeZone, isOfCredits},
    (rest) => deliveries.completionsOfOthers(rest),
    async (completions) => (await findMissing(open, completions, options, ports)).missing,
  )
}

async function findMissing(
  {ledger: {files}, staging: {ledger, answers}}: OpenLedger,
  completions: Iterable<CompletionOfOther>,
  {kind, concurrency: width}: ReconcileOptions,
  {client, signal}: ReconcilePorts,
): Promise<MissingOrderAnswers> {
  const kinds = new Set([...ledger.kinds, ...(kind ? [kind] : [])])
  const named = {
    // If no row can be read, the ledger's kind is unknown.
    kinds: kinds.size > 0 ? kinds : new Set(orderKinds),
    statesKinds: kind === null && files.some(({columns}) => columns.kind !== undefined),
    names: (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => ledger.names(order),
    hasPaid: (order: ServiceOrder) => answers.hasPaid(order),
  }
  return await queryMissingOrders(completions, named, client, {width, signal})
}
