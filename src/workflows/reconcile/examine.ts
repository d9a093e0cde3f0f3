import {whyNoTimeDecides} from '../../core/clocks.ts'
import {completedEvent} from '../../core/order.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {isUnpaidDeposit} from '../../core/reconcile/item.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {endedBy, isNeverResent} from '../../core/reconcile/verdict-facts.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import {parseInstant} from '../../core/time.ts'
import type {SeenFinding} from '../../journal/memory-rows.ts'
import {uncoveredAt} from '../../ledger/window.ts'
import {findContradicted, seenOpen} from './contradictions.ts'
import {CoveredTimes} from './covered-times.ts'
import {decideAgreed} from './decide.ts'
import {decideAll} from './decide-all.ts'
import {asDelivered, EarlierRuns, seenFindings} from './earlier-runs.ts'
import {whyOtherEvents} from './events-seen.ts'
import {FinalOrderRecorder, sameServiceAs} from './final-orders.ts'
import {findCut, noteOfEmptyList, whyIncomplete, windowGiven} from './incomplete.ts'
import {MissingOrders} from './missing.ts'
import type {OpenLedger, PlacedWindow} from './place-window.ts'
import {readSides, type Sides} from './read-sides.ts'
import {whyOddOfNobody, whyOfNoOrder} from './record-facts.ts'
import type {ExamineOptions, ReconcilePorts, Reconciliation} from './types.ts'
import {askForUnreadAmounts} from './unread-amounts.ts'
import {findWithoutRow, type WithoutRow, whyDayNotWhole} from './without-row.ts'

/**
 * Reads both sides and decides: queries every order once, reads delivery records as far as needed, gives a verdict for
 * each row and each order without a row. Sends nothing (P10). After a stop it queries nothing more and decides on what
 * it has: the rest is `not_asked`.
 */
export async function examine(
  open: OpenLedger,
  options: ExamineOptions,
  ports: ReconcilePorts,
): Promise<Reconciliation> {
  const {ledger, staging} = open
  const {client, journal, profile} = ports
  const read = await readSides(open, options, ports)
  const notWhole = await whyDayNotWhole(open, read, options, ports)
  const sides = {
    ...read,
    placed: notWhole.before === null ? read.placed : fromDayOn(read.placed, options, ports),
  }
  const {placed, matchTotals, known, deliveries, asking} = sides
  const withoutRow = await findWithoutRow(open, sides, options, ports)
  // After a stop not all orders without a row were queried, and the report must not say that it looked.
  const isLookedFor = !ports.signal.aborted
  const decided = await decide(open, sides, withoutRow, options, ports)
  const {missing, earlierRuns, contradicted} = decided
  const [tally, tieOut] = [matchTotals.groups(), matchTotals.tieOut()]
  const clock = whyNoTimeDecides(client.clockSkewMs)
  const isUnlisted = clock !== null && tally.some(({cause}) => cause !== null && isNeverResent(cause))
  const cut = isLookedFor
    ? findCut(placed.window, deliveries.reading, staging.records, await journal.listMark())
    : null
  const isEmpty = isLookedFor && cut === null ? noteOfEmptyList(deliveries.reading, staging.records) : null
  const notes = [
    ...missing.notes,
    ...(contradicted.note === null ? [] : [contradicted.note]),
    ...(isUnlisted ? [`${clock}, so booking.csv lists no new order: no age is proven`] : []),
    ...(isEmpty === null ? [] : [isEmpty]),
  ]
  for (const note of notes) ports.onNote?.(note)
  const {findings} = staging
  const {timeZone} = profile.ledger
  return {
    balances: staging.balances,
    ...{
      findings,
      tally,
      tieOut,
      meetings: placed.meetings,
      own: placed.own,
      isEndDoubted: notWhole.after !== null,
      ...asking,
    },
    seen: (ended = (finding) => finding) => seenBy(open, contradicted, ended),
    notes,
    reading: deliveries.reading,
    receivers: staging.records.byReceiver(),
    window: isLookedFor ? windowGiven(placed.window, deliveries.reading, cut, timeZone) : interruptedWindow,
    resends: known.resends,
    bookedEarlier: [...withoutRow.earlier.booked.values()],
    planned: known.resends.planned(findings, profile.dialect, (order) => deliveries.whenPlanned(order)),
    notFoundAgain: earlierRuns.compare(findings.all, lookedAt(open, withoutRow, contradicted)),
    incompleteBecause: [
      ...whyIncomplete(tally, tieOut, deliveries.reading, {
        ...{window: placed.window, cut, timeZone},
        ...uncertainRecords(open, sides, tally),
        skips: options.skipDeliveries,
        unreadTimes: options.sinceMs === null ? (ledger.unreadTimes ?? decided.whyUncovered) : null,
      }),
      ...[notWhole.after, notWhole.before].filter((why) => why !== null),
      ...ledger.wrongTotals,
      ...ledger.files.flatMap((file) => file.contradictions ?? []),
      ...decided.contradictions,
      ...contradicted.incompleteBecause,
      ...(placed.window.ok && deliveries.reading.coversWindow
        ? whyOfNoOrder(staging.records, placed.window, options.startedAtMs)
        : []),
      ...[sides.players.whyBookedForOther(ledger.files)].filter((why) => why !== null),
      ...(profile.ledger.holds === 'credits' ? [] : ledger.unreadStatuses),
    ],
    calls: {...client.calls},
    clockSkewMs: client.clockSkewMs,
  }
}

/** No run searches what is before a first ledger: each order of its day is named. */
function fromDayOn(
  placed: PlacedWindow,
  {businessDay}: ExamineOptions,
  {profile}: ReconcilePorts,
): PlacedWindow {
  const startMs = parseInstant(businessDay ?? '', profile.ledger.timeZone)
  if (startMs === null || !placed.window.ok) return placed
  return {...placed, window: {...placed.window, fromMs: Math.min(placed.window.fromMs, startMs)}}
}

/** Gives every order its verdict, and compares with what earlier runs left open. */
async function decide(
  open: OpenLedger,
  sides: Sides,
  withoutRow: WithoutRow,
  options: ExamineOptions,
  ports: ReconcilePorts,
) {
  const {ledger, staging} = open
  const {placed, matchTotals, known, openItems, players, deliveries, isOfCredits} = sides
  const {missingOrders, completed, followUps, reversals, earlier} = withoutRow
  const {client, journal, runId, profile} = ports
  const {timeZone, holds} = profile.ledger
  const earlierRuns = await EarlierRuns.read(journal, openItems, {
    ...{runId, nowMs: ports.now(), skewMs: client.clockSkewMs, timeZone},
    lastRowMs: (file) => staging.ledger.lastRowMs(file),
    ...{
      isGivenAgain: placed.isGivenAgain,
      isSameService: sameServiceAs(profile, journal),
      files: ledger.files,
      beginOf: (file) => staging.ledger.firstRowMs(file),
    },
  })
  const includeMissing = options.overrides.includeMissing === true
  const uncovered = uncoveredAt(ledger.latest, {nowMs: options.startedAtMs, skewMs: client.clockSkewMs})
  const missing = new MissingOrders(staging, completed, {
    ...{earlier, files: ledger.files, holds},
    times: new CoveredTimes(placed, {
      ...{missing: completed, deliveries, rowTimes: ledger.rowTimes},
      ...{uncovered, isOfCredits},
      areBookingTimes: () => staging.records.areBookingTimes(completedEvent),
      ...{nowMs: ports.now(), timeZone, includeMissing},
      firstBookedMs:
        options.sinceMs === null && completed.length > 0 && isOfCredits
          ? staging.records.firstBookedMs(completedEvent, paidLateMs)
          : null,
    }),
    paid: await askForUnreadAmounts(staging, completed, options, ports),
    includeMissing,
  })
  const contradictions = await decideAll(
    staging,
    matchTotals,
    {
      ...{ledger, window: placed.window, ownWindow: placed.own, missingOrders, followUps, reversals},
      ...{deliveries, missing, players, earlierRuns, ...known},
    },
    options,
    ports,
  )
  const contradicted = await findContradicted(
    staging,
    deliveries,
    {
      missing: missingOrders,
      followed: followUps.followed.filter(({remembered}) => remembered.closedMs === null),
    },
    options,
    ports,
    new FinalOrderRecorder(journal, runId, ports.recorded?.stamp ?? ports.now, !options.remembers),
  )
  const whyUncovered = uncovered?.fromMs === 0 ? uncovered.because : null
  return {missing, earlierRuns, contradictions, contradicted, whyUncovered}
}

type Contradicted = Awaited<ReturnType<typeof findContradicted>>

/** What later runs ask about: the findings, what the records contradict, and what is open on both sides. */
function* seenBy(
  {staging}: OpenLedger,
  contradicted: Contradicted,
  ended: (finding: Finding) => Finding,
): Generator<SeenFinding> {
  const found = new Set<string>()
  const findings = staging.findings.asDecided().map((finding) => asDelivered(ended(finding)))
  for (const one of seenFindings(findings)) {
    if (contradicted.has(one) && !isUnpaidDeposit(one)) found.add(orderKey(one))
    yield one
  }
  for (const one of contradicted.seen) if (!found.has(orderKey(one))) yield one
  for (const {entry, side} of staging.answers.stillOpen())
    if (!contradicted.has(entry)) yield seenOpen({order: entry, side, row: entry}, 'none')
}

/** What this run knows of an open item that it did not find again. */
function lookedAt(
  {staging}: OpenLedger,
  {notHere, followUps, earlier}: WithoutRow,
  contradicted: Contradicted,
) {
  const withdrawn = new Set(followUps.withdrawn.map(({id}) => id))
  // The service never had the order, so only its ledger ends what it said.
  const gone = new Set(
    followUps.void.filter(({verdict}) => verdict === 'missing_at_provider').map(({id}) => id),
  )
  const answered = new Set([...notHere.map(({order}) => orderKey(order)), ...followUps.unpaid.map(orderKey)])
  const isOpenStill = new Set(
    followUps.followed.flatMap(({order, side}) =>
      side.is === 'found' && side.order.status === 'open' ? orderKey(order) : [],
    ),
  )
  return (order: RememberedFinding) => {
    const isWaiting = contradicted.has(order) || isOpenStill.has(orderKey(order))
    if (order.verdict === 'in_flight' && isWaiting) return {isAnswered: false, agreed: null, isBooked: false}
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
  }
}

/** Records that may hide a completed order, each as a clause or null. */
function uncertainRecords(
  {staging}: OpenLedger,
  {placed, deliveries}: Sides,
  tally: Reconciliation['tally'],
) {
  const {window} = placed
  const isUnknown = tally.some(({cause}) => cause === 'delivery_unknown')
  return {
    oddRecords: whyOddOfNobody(staging.records, window, isUnknown),
    otherEvents:
      window.ok && deliveries.reading.coversWindow
        ? whyOtherEvents(staging.records, staging.ledger.kinds)
        : null,
  }
}

/** A webhook is made within minutes of the payment, and most are paid at once. */
const paidLateMs = 60 * 60_000

const interruptedWindow: MaybeWindow = {ok: false, because: 'the run was interrupted'}
