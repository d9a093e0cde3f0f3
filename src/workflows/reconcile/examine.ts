import {whyNoTimeDecides} from '../../core/clocks.ts'
import {completedEvent, orderKinds, type ServiceOrder} from '../../core/order.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {askedAfterClosingMs, isUnpaidDeposit} from '../../core/reconcile/item.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {endedBy, isNeverResent} from '../../core/reconcile/verdict-facts.ts'
import type {MaybeWindow, Window} from '../../core/reconcile/window.ts'
import {uncoveredAt} from '../../ledger/window.ts'
import type {Staging} from '../../staging/staging.ts'
import {bookedBeforeResent} from './booked-before-resent.ts'
import {findContradicted, seenOpen} from './contradictions.ts'
import {CoveredTimes} from './covered-times.ts'
import {refuseOtherDateSystem} from './date-system.ts'
import {decideAgreed} from './decide.ts'
import {decideAll} from './decide-all.ts'
import {Deliveries} from './deliveries.ts'
import {asDelivered, EarlierRuns, mayHaveOtherRow, seenFindings} from './earlier-runs.ts'
import {whyOtherEvents} from './events-seen.ts'
import {FinalOrderRecorder} from './final-orders.ts'
import {type FollowedUp, followUp, readRecordsOf} from './follow-up.ts'
import {findCut, whyIncomplete, windowGiven} from './incomplete.ts'
import {MatchTotals} from './match-totals.ts'
import {RunResends} from './memory.ts'
import {EarlierRows, MissingOrders} from './missing.ts'
import {type OpenLedger, placeWindow} from './place-window.ts'
import {askContradictedFinals, askForOrders, withdrawBareAbsences} from './query-ledger.ts'
import {type MissingOrder, type MissingOrderAnswers, queryMissingOrders} from './query-missing.ts'
import {type CompletionOfOther, whyOddOfNobody, whyOfNoOrder} from './record-facts.ts'
import {refuseOpenDay, whyNotWholeDay} from './rest-of-day.ts'
import {findReversals} from './reversals.ts'
import {holdsCredits, rememberRows} from './seen-rows.ts'
import type {ReconcileOptions, ReconcilePorts, Reconciliation} from './types.ts'
import {askForUnreadAmounts} from './unread-amounts.ts'

export interface ExamineOptions extends ReconcileOptions {
  /** Also list orders that agree. */
  readonly keepsAll: boolean
  /** False for a dry run, which keeps nothing for later runs. */
  readonly remembers: boolean
  readonly startedAtMs: number
  /** The business day that the ledger should cover, `2026-11-21`; null outside `hisab nightly`. */
  readonly businessDay: string | null
}

/**
 * Reads both sides and decides: queries every order once, reads delivery records as far as needed, gives a verdict for
 * each row and each order without a row. Sends nothing (P10). After a stop it queries nothing more and decides on what
 * it has: the rest is `not_asked`.
 */
export async function examine(
  {ledger, staging}: OpenLedger,
  options: ExamineOptions,
  ports: ReconcilePorts,
): Promise<Reconciliation> {
  const {client, journal, runId, profile} = ports
  const placed = await placeWindow({ledger, staging}, options, ports)
  const {window, meetings} = placed
  ports.onWindow?.(meetings)
  const matchTotals = new MatchTotals(staging, options.keepsAll)
  const resends = await RunResends.of(journal, runId)
  const bookedBefore = await bookedBeforeResent(journal, staging.ledger)
  const replaced = new Set(
    (await journal.replacedPayouts())
      .flatMap(({failed, anew}) => [failed, anew])
      .map((orderNo) => orderKey({kind: 'payout', orderNo})),
  )
  // Read once: what a person closes meanwhile is asked about again before its resend.
  const items = await journal.openFindings(runId, ports.now() - askedAfterClosingMs)
  const openItems = items.filter(({closedMs, closedRunId}) => closedMs === null || closedRunId === runId)
  const known = {
    resends,
    ...{bookedBefore, replaced},
    withOtherRows: new Set(openItems.filter(mayHaveOtherRow).map(orderKey)),
  }
  const {players, ...asking} = await askForOrders(staging, matchTotals, {window, ...known}, options, ports)
  const {timeZone} = profile.ledger
  const isOfCredits = holdsCredits(ledger.files, profile.ledger.holds)
  if (options.businessDay !== null) {
    const time = {nowMs: ports.now(), skewMs: client.clockSkewMs}
    refuseOpenDay(options.businessDay, timeZone, time)
  }
  // Before the list is read, so that a kill does not lose what the ledger showed as booked.
  const {startedAtMs: nowMs, untilMs} = options
  await rememberRows({ledger, staging, untilMs, holds: profile.ledger.holds, runId, nowMs}, journal)
  const deliveries = await readDeliveries(staging, window, options, ports)
  refuseOtherDateSystem(staging.records, placed.own, ledger.files, ports.now())
  withdrawBareAbsences(staging, matchTotals, known)
  await askContradictedFinals(staging, matchTotals, {deliveries, ...known}, options, ports)
  const findIn = (completions: Iterable<CompletionOfOther>) =>
    findMissing({ledger, staging}, completions, options, ports)
  // Open items are followed up, whatever other events their orders have, unless these are all they have.
  const causes = new Map(items.map(({orderNo, cause}) => [orderNo, cause]))
  const completions = function* (of: Window) {
    yield* deliveries.completionsOfOthers(of)
    for (const one of deliveries.creditsOfOthers(of, profile.dialect))
      if ((causes.get(one.merchantOrderId) ?? 'no_delivery_record') === 'no_delivery_record') yield one
  }
  const {missing: allMissing, others} = await findIn(window.ok ? completions(window) : [])
  const notWhole =
    window.ok && placed.own.ok && options.businessDay !== null
      ? await whyNotWholeDay(
          // What was before this ledger is searched from the end of the last run's.
          {
            ...placed.own,
            ...(meetings.every(({last}) => last === null) ? {} : {fromMs: Number.MIN_SAFE_INTEGER}),
          },
          {businessDay: options.businessDay, timeZone, isOfCredits},
          (rest) => deliveries.completionsOfOthers(rest),
          async (completions) => (await findIn(completions)).missing,
        )
      : null
  const numbers = window.ok ? deliveries.othersWithEvents(window) : new Set<string>()
  const reversals = await findReversals(staging, {numbers, asked: allMissing, openItems}, options, ports)
  const reversed = new Set(reversals.map(({order}) => orderKey(order)))
  const askedMissing = allMissing.filter(({order}) => !reversed.has(orderKey(order)))
  const open = await followUp(
    {...staging, files: ledger.files},
    {items, asked: askedMissing, isGivenAgain: placed.isGivenAgain},
    options,
    ports,
  )
  for (const one of open.void) staging.balances.putNone(one)
  const earlier = await EarlierRows.read([...askedMissing, ...open.followed], journal, profile, placed.own)
  const isBooked = ({order}: MissingOrder) => earlier.booked.has(orderKey(order))
  // A row that agrees does not end a difference of amounts.
  const isUnequal = ({remembered}: FollowedUp) => remembered.verdict === 'amount_mismatch'
  const unbooked = open.followed.filter(
    (one) => (isUnequal(one) || !isBooked(one)) && !reversed.has(orderKey(one.order)),
  )
  const isFollowed = new Set([...unbooked.map(({order}) => orderKey(order)), ...open.leftAlone])
  const unrecorded = askedMissing.filter((one) => !isBooked(one) && !isFollowed.has(orderKey(one.order)))
  const notHere = [...unrecorded, ...unbooked]
  const found = unrecorded.flatMap(({side}) => (side.is === 'found' ? side.order : []))
  // After a stop not all of them were queried, and the report must not say that it looked.
  const isLookedFor = !ports.signal.aborted
  // Numbers that another order with an unknown platform ID may have: it has no answer, or a row of its own.
  const shared = notHere.filter(
    ({order: {orderNo}, side}) =>
      side.is === 'no_answer' || orderKinds.some((kind) => staging.ledger.names({kind, orderNo})),
  )
  await deliveries.addOrders(
    found.filter(({status}) => status === 'completed'),
    shared.map(({order}) => order.orderNo),
  )
  const missingOrders = unrecorded.filter(
    ({order, side}) =>
      side.is !== 'found' || causes.has(order.orderNo) || deliveries.mayBeOf(side.order, window),
  )
  for (const {side} of missingOrders) if (side.is === 'found') matchTotals.addMissing(side.order)
  const followed = await readRecordsOf(unbooked, deliveries, isOfCredits ? placed.own : null)
  const booked = [...askedMissing, ...open.followed]
    .filter(isBooked)
    .flatMap(({side}) => (side.is === 'found' ? side.order : []))
  const otherwise = reversals.flatMap(({side}) => (side.is === 'found' ? side.order : []))
  for (const order of [...others, ...booked, ...otherwise]) deliveries.know(order)

  const completedMissing = missingOrders.flatMap(({side}) =>
    side.is === 'found' && side.order.status === 'completed' ? side.order : [],
  )
  const earlierRuns = await EarlierRuns.read(journal, openItems, {
    ...{runId, nowMs: ports.now(), skewMs: client.clockSkewMs, timeZone: profile.ledger.timeZone},
    lastRowMs: (file) => staging.ledger.lastRowMs(file),
    ...{
      isGivenAgain: placed.isGivenAgain,
      files: ledger.files,
      beginOf: (file) => staging.ledger.firstRowMs(file),
    },
  })
  const includeMissing = options.overrides.includeMissing === true
  const uncovered = uncoveredAt(ledger.latest, {nowMs, skewMs: client.clockSkewMs})
  const missing = new MissingOrders(staging, completedMissing, {
    ...{earlier, files: ledger.files, holds: profile.ledger.holds},
    times: new CoveredTimes(placed, {
      ...{missing: completedMissing, deliveries, rowTimes: ledger.rowTimes},
      ...{uncovered, isOfCredits},
      areBookingTimes: () => staging.records.areBookingTimes(completedEvent),
      ...{nowMs: ports.now(), timeZone: profile.ledger.timeZone, includeMissing},
      firstBookedMs:
        options.sinceMs === null && completedMissing.length > 0 && isOfCredits
          ? staging.records.firstBookedMs(completedEvent, paidLateMs)
          : null,
    }),
    paid: await askForUnreadAmounts(staging, completedMissing, options, ports),
    includeMissing,
  })
  const contradictions = await decideAll(
    staging,
    matchTotals,
    {
      ledger,
      ...{window, ownWindow: placed.own},
      missingOrders,
      followUps: {...open, followed},
      reversals,
      deliveries,
      missing,
      players,
      earlierRuns,
      ...known,
    },
    options,
    ports,
  )
  const contradicted = await findContradicted(
    staging,
    deliveries,
    {missing: missingOrders, followed: followed.filter(({remembered}) => remembered.closedMs === null)},
    options,
    ports,
    new FinalOrderRecorder(journal, runId, ports.recorded?.stamp ?? ports.now, !options.remembers),
  )
  const tally = matchTotals.groups()
  const clock = whyNoTimeDecides(client.clockSkewMs)
  const isUnlisted = clock !== null && tally.some(({cause}) => cause !== null && isNeverResent(cause))
  const notes = [
    ...missing.notes,
    ...(contradicted.note === null ? [] : [contradicted.note]),
    ...(isUnlisted ? [`${clock}, so booking.csv lists no new order: no age is proven`] : []),
  ]
  for (const note of notes) ports.onNote?.(note)
  const cut = isLookedFor
    ? findCut(window, deliveries.reading, staging.records, await journal.listMark())
    : null
  const withdrawn = new Set(open.withdrawn.map(({id}) => id))
  // The service never had the order, so only its ledger ends what it said.
  const gone = new Set(open.void.filter(({verdict}) => verdict === 'missing_at_provider').map(({id}) => id))
  const {findings} = staging
  const tieOut = matchTotals.tieOut()
  const answered = new Set([...notHere.map(({order}) => orderKey(order)), ...open.unpaid.map(orderKey)])
  const isOpenStill = new Set(
    followed.flatMap(({order, side}) =>
      side.is === 'found' && side.order.status === 'open' ? orderKey(order) : [],
    ),
  )
  return {
    balances: staging.balances,
    ...{findings, tally, tieOut, meetings, own: placed.own, ...asking},
    seen: function* (ended = (finding: Finding) => finding) {
      const found = new Set<string>()
      for (const one of seenFindings(findings.asDecided().map((finding) => asDelivered(ended(finding))))) {
        if (contradicted.has(one) && !isUnpaidDeposit(one)) found.add(orderKey(one))
        yield one
      }
      for (const one of contradicted.seen) if (!found.has(orderKey(one))) yield one
      for (const {entry, side} of staging.answers.stillOpen())
        if (!contradicted.has(entry)) yield seenOpen({order: entry, side, row: entry}, 'none')
    },
    notes,
    reading: deliveries.reading,
    receivers: staging.records.byReceiver(),
    window: isLookedFor ? windowGiven(window, deliveries.reading, cut, timeZone) : interruptedWindow,
    resends,
    bookedEarlier: [...earlier.booked.values()],
    planned: resends.planned(findings, profile.dialect, (order) => deliveries.whenPlanned(order)),
    notFoundAgain: earlierRuns.compare(findings.all, (order) => {
      const isWaiting = contradicted.has(order) || isOpenStill.has(orderKey(order))
      if (order.verdict === 'in_flight' && isWaiting)
        return {isAnswered: false, agreed: null, isBooked: false}
      const side = staging.answers.sideOf(order)
      if (!side) {
        const isFound = endedBy(order) === 'answer or row' && earlier.booked.has(orderKey(order))
        const isEnded = isFound || withdrawn.has(order.id)
        const isAnswered = isEnded || answered.has(orderKey(order))
        return {isAnswered, agreed: null, isBooked: isEnded || gone.has(order.id)}
      }
      const [entry, ...others] = staging.ledger.entriesOf(order)
      const agreed = entry && others.length === 0 ? decideAgreed(entry, side) : null
      const isBooked = entry?.status === 'completed'
      return {isAnswered: side.is !== 'no_answer', agreed, isBooked}
    }),
    incompleteBecause: [
      ...whyIncomplete(tally, tieOut, deliveries.reading, {
        ...{window, cut, timeZone},
        oddRecords: whyOddOfNobody(
          staging.records,
          window,
          tally.some(({cause}) => cause === 'delivery_unknown'),
        ),
        otherEvents:
          window.ok && deliveries.reading.coversWindow
            ? whyOtherEvents(staging.records, staging.ledger.kinds)
            : null,
        skips: options.skipDeliveries,
        unreadTimes:
          options.sinceMs === null
            ? (ledger.unreadTimes ?? (uncovered?.fromMs === 0 ? uncovered.because : null))
            : null,
      }),
      ...(notWhole === null ? [] : [notWhole]),
      ...ledger.wrongTotals,
      ...ledger.files.flatMap((file) => file.contradictions ?? []),
      ...contradictions,
      ...contradicted.incompleteBecause,
      ...(window.ok && deliveries.reading.coversWindow ? whyOfNoOrder(staging.records, window, nowMs) : []),
      ...[players.whyBookedForOther(ledger.files)].filter((why) => why !== null),
      ...(profile.ledger.holds === 'credits' ? [] : ledger.unreadStatuses),
    ],
    calls: {...client.calls},
    clockSkewMs: client.clockSkewMs,
  }
}

/** A webhook is made within minutes of the payment, and most are paid at once. */
const paidLateMs = 60 * 60_000

const interruptedWindow: MaybeWindow = {ok: false, because: 'the run was interrupted'}

async function readDeliveries(
  staging: Staging,
  window: MaybeWindow,
  options: ReconcileOptions,
  {client, profile, journal, runId, signal, onProgress}: ReconcilePorts,
): Promise<Deliveries> {
  return Deliveries.read(client, staging, {
    join: profile.dialect.deliveryJoin,
    ...{runId, signal},
    window: window.ok ? window : null,
    mark: options.wholeList ? null : await journal.listMark(),
    skip: options.skipDeliveries,
    width: options.concurrency,
    onProgress,
  })
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
