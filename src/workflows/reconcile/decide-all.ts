import {inBatches} from '../../core/batches.ts'
import {isCompletedByName} from '../../core/event-state.ts'
import {completedEvent, orderKinds, type ServiceOrder} from '../../core/order.ts'
import {isOneOf} from '../../core/order-no-fold.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import {isTakenSince} from '../../core/reconcile/evidence.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {isDuplicate} from '../../core/reconcile/orders.ts'
import {explain, isNeverResent} from '../../core/reconcile/verdict-facts.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {SeenRow} from '../../journal/memory-rows.ts'
import {bookingReader, stateReader} from '../../ledger/booking-words.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import {findMentions} from '../../ledger/mentions.ts'
import {OtherOrderTexts} from '../../ledger/other-order-texts.ts'
import type {Answered} from '../../staging/answers.ts'
import type {Staging} from '../../staging/staging.ts'
import {statusAt} from '../orders/ask.ts'
import {paidTwiceBy} from '../orders/paid-after-all.ts'
import {paidAnewBy} from '../orders/paid-anew.ts'
import {recordOf, whatIsAgainst, whySending} from '../resend/against.ts'
import {BookedElsewhere} from '../resend/booked-elsewhere.ts'
import {describeNote} from '../resend/notes.ts'
import {Orphans, othersSince} from '../resend/orphans.ts'
import {sentenceOf} from '../resend/received.ts'
import {webhooksSeen} from '../resend/seen.ts'
import {type ResendCandidate, whyHere} from '../resend/unexplained-bookings.ts'
import {markBookable} from './bookable.ts'
import type {RowBeforeResend} from './booked-before-resent.ts'
import {CorruptionHints} from './corruption-hints.ts'
import {type DecisionInput, decideDuplicate, decideMissing, decideOrder, decideUnreadable} from './decide.ts'
import type {Deliveries} from './deliveries.ts'
import type {EarlierRuns} from './earlier-runs.ts'
import {failedPayouts, weighFailed, weighReplaced} from './failed-payouts.ts'
import {decideFollowedUp, decideOfRows, type FollowedUp, type FollowUps, isClosedAsIs} from './follow-up.ts'
import {markedRows, withMarked} from './marked-rows.ts'
import type {MatchTotals, Subject} from './match-totals.ts'
import type {RunResends} from './memory.ts'
import type {MissingOrders} from './missing.ts'
import {weighPayloads} from './payloads.ts'
import type {Players} from './players.ts'
import type {MissingOrder} from './query-missing.ts'
import {decideReversal, type Reversal} from './reversals.ts'
import {ledgerEnd, ownWords, unansweredRows, unexplainedBookings, unpaidMax} from './seen-rows.ts'
import type {ReconcileOptions, ReconcilePorts} from './types.ts'

/** The findings of one order, or of one number on unreadable rows. */
interface Group {
  readonly subject: Subject
  readonly findings: readonly Finding[]
  readonly followed?: FollowedUp
}

export interface DecideAllInput {
  readonly ledger: Ledger
  /** Where orders without a row were looked for. */
  readonly window: MaybeWindow
  /** What this ledger covers. */
  readonly ownWindow: MaybeWindow
  readonly missingOrders: readonly MissingOrder[]
  readonly followUps: FollowUps
  readonly reversals: readonly Reversal[]
  readonly deliveries: Deliveries
  readonly missing: MissingOrders
  readonly players: Players
  readonly earlierRuns: EarlierRuns
  readonly resends: RunResends
  readonly bookedBefore: ReadonlyMap<string, RowBeforeResend>
}

const decidedAtOnce = 500
const always = {fromMs: Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER}

/**
 * Decides the orders that answers alone did not: by delivery records, by the payload if it decides an amount, and by
 * earlier runs. Adds every finding to the totals, those of an order together. Returns, as sentences, why rows that
 * agree may still be wrong.
 */
export async function decideAll(
  staging: Staging,
  matchTotals: MatchTotals,
  {
    ledger,
    window,
    ownWindow,
    missingOrders,
    followUps,
    reversals,
    deliveries,
    missing,
    players,
    earlierRuns,
    resends,
    bookedBefore,
  }: DecideAllInput,
  options: ReconcileOptions & {readonly remembers: boolean; readonly startedAtMs: number},
  {client, profile, journal, runId, signal, now, recorded, ...ports}: ReconcilePorts,
): Promise<readonly string[]> {
  const {timeZone} = profile.ledger
  const {untilMs, startedAtMs} = options
  const history = await journal.resendHistory()
  const seen = await webhooksSeen(journal)
  const input: DecisionInput = {
    deliveries,
    earlierResend: ({orderId, event}, order) => history.earlier(orderId, event, runId, order),
    waitsSince: ({kind, orderNo}) => seen.waitsSince([kind], orderNo),
    takenSeen: ({kind, orderNo}) => seen.takenSeen([kind], orderNo),
    bookedBefore,
    overrides: options.overrides,
    time: {nowMs: now(), skewMs: client.clockSkewMs},
    ledgerEndsMs: ledger.window.ok ? ledger.window.toMs : null,
    fileEndsMs: (file) => staging.ledger.lastRowMs(file),
    timeZone,
  }
  const corruptionHints = new CorruptionHints({
    files: ledger.files,
    numbers: () => staging.ledger.numbers(),
    missingLike: (place) => staging.unexplained.missingLike(place),
  })
  const {ledger: rows} = staging
  const names = (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => rows.names(order)
  const webhooks = function* () {
    yield* resendable(staging, missingOrders, followUps)
    yield* failedPayouts(staging, followUps)
  }
  const isBooked = bookingReader(profile.ledger)
  const [unread, unpaid] = [[...unansweredRows(staging)], [...staging.answers.unpaid().take(unpaidMax)]]
  const otherOrders = new OtherOrderTexts(rows.numbers().map(({orderNo}) => orderNo))
  const {places, elsewhere, contradictions, shared} = await (recorded?.findMentions ?? findMentions)(
    ledger.files,
    [...webhooks(), ...unread],
    {
      unknown: Iterator.from(unexplainedBookings(staging, timeZone)).filter(({isOfAnyKind}) => isOfAnyKind),
      unreadable: staging.ledger.unreadableRows(),
      linesOf: (file) => staging.ledger.linesOf(file),
      unpaid,
      undelivered: staging.records.bookedUndelivered(completedEvent),
      isBooked: (status) => isBooked(status) === true,
      isFailed: (status) => isOneOf(profile.ledger.status.failed, status),
      isOther: (kind) => isOneOf(profile.ledger.kinds.other, kind),
      stateOf: stateReader(profile.ledger),
      ignoredSheets: options.ignoredSheets ?? [],
      ignoredColumns: [...(options.ignoredColumns ?? []), ...profile.ledger.ignoredColumns],
      otherOrders,
    },
  )
  const marked = [...markedRows(staging, unread)]
  const mentions = withMarked(places, marked, webhooks(), ledger.files)
  const shares = Map.groupBy(shared, ({file, line}) => `${file} ${line}`)
  const unexplained = function* () {
    for (const row of unexplainedBookings(staging, timeZone))
      yield {...row, shares: shares.get(`${row.file} ${row.line}`)}
  }
  const end = ledgerEnd({ledger, untilMs, nowMs: startedAtMs})
  const booked = new BookedElsewhere(journal, webhooks, {
    runId,
    statusOf: statusAt(client),
    countsTaken: !options.overrides.includeDelivered,
    own: {
      ...{window: ownWindow, searched: window, names},
      playerOf: (order) => rows.entriesOf(order).find(({playerRef}) => playerRef)?.playerRef,
      endOf: (order) => Math.max(...rows.entriesOf(order).map(({file}) => rows.lastRowMs(file) ?? 0)),
      files: ledger.files,
      isSeveral: ledger.files.length > 1,
      unexplained,
    },
  })
  const whyBooked = bookedReason(booked, runId, ledger.files)
  // Not part of this ledger's totals; and why the run is incomplete.
  const [others, unanswered]: [Group[], string[]] = [[], []]
  for (const followed of followUps.followed) {
    const {orderedAtMs: sinceMs} = followed.remembered
    const finding = await decideFollowedUp(followed, input, {
      mayBeBooked: (order) => whyBooked({...order, sinceMs, inLedger: 'of another time'}),
      wouldShow: (takenMs) => missing.wouldShow(followed.order.kind, takenMs),
    })
    others.push({...ofNone(finding), followed})
  }
  for (const one of followUps.ofRows) others.push(ofNone(decideOfRows(one)))
  for (const one of reversals) others.push(ofNone(decideReversal(one)))
  const isBookedHere = (orderNo: string) =>
    orderKinds.some((kind) => rows.entriesOf({kind, orderNo}).some(({status}) => status === 'completed'))
  // Stored for `webhooks resend`, which reads no ledger, and for runs over other days' ledgers.
  const noted = function* (): Generator<SeenRow> {
    const word = {line: 0, isBeginning: false, isBooked: true} as const
    for (const {kind, orderNo} of webhooks()) {
      if (!places.has(orderNo)) continue
      const isOfRow = rows.names({kind, orderNo}) && !elsewhere.has(orderNo)
      yield {...word, kind, orderNo, note: isOfRow ? 'beside its row' : 'without its row'}
    }
    for (const order of staging.records.takenUnbooked(completedEvent))
      yield {...word, ...order, note: 'webhook taken'}
    for (const order of ownWords(staging, [...unread, ...unpaid], places))
      yield {...word, ...order, note: 'beside its row'}
    for (const {kind, orderNo} of marked) yield {...word, kind, orderNo, note: 'beside its row'}
    for (const {text, note, words} of otherOrders.all()) {
      if (note === 'numbers' && words.every((orderNo) => places.has(orderNo) || isBookedHere(orderNo)))
        continue
      yield {...word, kind: null, orderNo: text, note}
    }
  }
  await journal.recordRowsSeen(runId, end, noted())
  const all = function* (): Generator<Group> {
    yield* groupsOf(staging, missingOrders, missing, input, ledger.files)
    yield* others
  }
  let readOrphans: Orphans | undefined
  const orphans = () => {
    if (readOrphans === undefined) {
      readOrphans = new Orphans(webhooks(), {client, dialect: profile.dialect})
      for (const record of deliveries.ofNobody(always)) readOrphans.see(record)
    }
    return readOrphans
  }
  const areOthersSince = othersSince((fromMs) => deliveries.ofNobody({...always, fromMs}), orphans)
  const whyPaidAnew = recorded?.whyPaidAnew ?? paidAnewBy(journal, client)
  const whyPaidTwice = recorded?.whyPaidTwice ?? paidTwiceBy(journal, client)
  const received = recorded?.received ?? ports.received
  const hold = async (finding: Finding) => {
    const failed = await weighFailed(finding, mentions, whyPaidAnew, names)
    const weighed = await weighReplaced(failed, whyPaidTwice, names, unanswered)
    // The place in a file first: its explanation has the flag that ends it.
    const first = await holdBooked(holdMentioned(weighed, mentions, timeZone), whyBooked, timeZone)
    if (first.action !== 'resend' || !first.service) return first
    const {service: order, delivery: record} = first
    const isOverridden = input.overrides.includeDelivered
    const endMs = isOverridden ? null : (input.fileEndsMs(first.file ?? 0) ?? input.ledgerEndsMs)
    const against = await whatIsAgainst(
      {
        ...{order, names: [completedEvent], record, sinceMs: first.orderedAtMs ?? null},
        ...deliveries.around(order, record),
      },
      {
        ...{dialect: profile.dialect, received, orphans, isUsual: deliveries.isUsual},
        whyOther: (other) =>
          whySending(other, input.time) ??
          (isTakenSince(other, endMs)
            ? `Your server took another record of it after the last row of the ledger: ${other.id}.`
            : other.status === 'success' && isCompletedByName(other.event, profile.dialect)
              ? recordOf(other.event)
              : null),
      },
      isOverridden ? ['received'] : [],
    )
    const why = against?.why ?? players.whyOther(order)
    return why === null ? first : held(first, `Not resent. ${why}`, timeZone)
  }
  // Orders are listed for booking by hand only if the next run will remember them and records were read.
  const listsBookings = options.remembers && !options.skipDeliveries
  const isSent = ({kind, orderNo, platformOrderNo}: ServiceOrder) =>
    history.earlier(platformOrderNo, completedEvent, null, {kind, orderNo}) !== null
  const bookable = async (finding: Finding) => {
    const {service, cause, explanation} = finding
    if (!service) return finding
    const here = isNeverResent(cause) ? received?.(service) : null
    if (here) return {...finding, explanation: `${explanation} ${sentenceOf(here)}`}
    return listsBookings && !isSent(service)
      ? await markBookable(finding, hold, areOthersSince, input)
      : finding
  }
  for (const groups of inBatches(all(), decidedAtOnce)) {
    const restored: Finding[] = []
    for (const finding of groups.flatMap(({findings}) => findings))
      restored.push(resends.restore(await bookable(await hold(finding)), timeZone))
    const weighed = await weighPayloads(restored, client, deliveries, {
      dialect: profile.dialect,
      hasLedgerAmounts: staging.ledger.hasAmounts,
      ...{width: options.concurrency, signal},
    })
    await earlierRuns.readAhead(weighed)
    let at = 0
    for (const {subject, findings, followed} of groups) {
      const own = weighed
        .slice(at, at + findings.length)
        .filter((finding) => !(followed && isClosedAsIs(followed, finding)))
        .map((finding) => corruptionHints.addTo(finding))
      at += findings.length
      matchTotals.add(subject, earlierRuns.recall(own))
    }
  }
  return [...contradictions, ...unanswered]
}

function ofNone(finding: Finding | null): Group {
  return {subject: null, findings: finding ? [finding] : []}
}

function* groupsOf(
  staging: Staging,
  missingOrders: readonly MissingOrder[],
  missing: MissingOrders,
  input: DecisionInput,
  files: Ledger['files'],
): Generator<Group> {
  for (const {order, side} of missingOrders) {
    const finding = decideMissing(order, side, input, missing)
    const service = side.is === 'found' ? side.order : null
    yield {
      subject: {kind: order.kind, entries: [], service},
      findings: finding ? [finding] : [],
    }
  }
  yield* unreadableGroups(staging)
  for (const answered of staging.answers.undecided()) yield decideNamed(answered, input, files)
}

/** Holds an order back if a row shows it as booked: its own row, an older ledger or an earlier run may be outdated. */
async function holdBooked(
  finding: Finding,
  whyBooked: ReturnType<typeof bookedReason>,
  timeZone: string,
): Promise<Finding> {
  const {verdict, action, service, orderedAtMs: sinceMs, file, playerRef} = finding
  if (action !== 'resend' || !service) return finding
  const inLedger = verdict === 'missing_completion' ? 'own row' : 'no row'
  const player = {playerRef: playerRef ?? service.playerRef}
  const why = await whyBooked({...service, ...player, sinceMs: sinceMs ?? null, inLedger, file})
  return why === null ? finding : held(finding, why, timeZone)
}

/** Holds back an order that a file names outside of its rows: it may have been booked by hand. */
function holdMentioned(finding: Finding, mentions: ReadonlyMap<string, string>, timeZone: string): Finding {
  const place = mentions.get(finding.orderNo ?? '')
  if (place === undefined || finding.action !== 'resend') return finding
  const why = `Not resent: ${place}. Look whether it was booked by hand. Do not book it twice.`
  return held(finding, why, timeZone)
}

function held(finding: Finding, why: string, timeZone: string): Finding {
  const review = {...finding, action: 'review' as const}
  return {...review, explanation: `${explain({...review, detail: null}, timeZone)} ${why}`}
}

function* resendable(
  staging: Staging,
  missingOrders: readonly MissingOrder[],
  {followed}: FollowUps,
): Generator<ServiceOrder> {
  yield* staging.answers.candidates()
  for (const {side} of [...missingOrders, ...followed])
    if (side.is === 'found' && side.order.status === 'completed') yield side.order
}

/** Why an order may be booked, as sentences; null if nothing says so. */
function bookedReason(booked: BookedElsewhere, ownRunId: string, files: Ledger['files']) {
  return async (
    order: Omit<ServiceOrder, 'playerRef'> &
      Pick<ResendCandidate, 'sinceMs' | 'inLedger' | 'file' | 'playerRef'>,
  ) => {
    const seen = await booked.find({...order, kinds: [order.kind], isAnswered: true})
    if (seen === null) return null
    if (seen.by !== undefined)
      return `Not resent: ${describeNote(seen, order.orderNo)} Look in your books. Do not book it twice.`
    const {runId, row, rowIs, isNote, here} = seen
    const may = `${row} ${rowIs} and may be this order.`
    const what = seen.isTaken
      ? `run ${runId} saw that your server took its webhook.`
      : isNote
        ? `words in the ledger of run ${runId} may say that it is booked.`
        : here
          ? whyHere(here, files)
          : row === null
            ? `run ${runId} found it booked. This may be the older ledger.`
            : runId === ownRunId
              ? may
              : `in the ledger of run ${runId}, ${may} This may be the older ledger.`
    const send = `If it is not booked, send it: \`hisab webhooks resend --order-no ${escapeInvisible(quoteForShell(order.orderNo))} --include-delivered\`.`
    return `Not resent: ${what} Look in your books. Do not book it twice. ${send}`
  }
}

/** Unreadable rows with the same number are remembered as one problem. */
function* unreadableGroups(staging: Staging): Generator<Group> {
  let group: Finding[] = []
  for (const row of staging.ledger.unreadableRows()) {
    const finding = decideUnreadable(row)
    const [first] = group
    const isSame = first?.orderNo != null && first.orderNo === finding.orderNo && first.kind === finding.kind
    if (first && !isSame) {
      yield {subject: null, findings: group}
      group = []
    }
    group.push(finding)
  }
  if (group.length > 0) yield {subject: null, findings: group}
}

const notAsked: ServiceSide = {is: 'no_answer', code: 'interrupted', because: 'the run was interrupted'}

function decideNamed({order, side: answer}: Answered, input: DecisionInput, files: Ledger['files']): Group {
  const side = answer ?? notAsked
  const {kind, entries} = order
  const subject = {kind, entries, service: side.is === 'found' ? side.order : null}
  const [entry] = entries
  if (isDuplicate(order) || !entry) return {subject, findings: decideDuplicate(order, side, files)}
  return {subject, findings: [decideOrder(entry, side, input)]}
}
