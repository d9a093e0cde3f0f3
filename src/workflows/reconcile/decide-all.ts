import {inBatches} from '../../core/batches.ts'
import {completedEvent, orderKinds, type ServiceOrder} from '../../core/order.ts'
import {isOneOf} from '../../core/order-no-fold.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {isDuplicate} from '../../core/reconcile/orders.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import type {SeenRow} from '../../journal/memory-rows.ts'
import {bookingReader, stateReader} from '../../ledger/booking-words.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import {findMentions} from '../../ledger/mentions.ts'
import {OtherOrderTexts} from '../../ledger/other-order-texts.ts'
import type {AskPlayers} from '../../ledger/payer-lines.ts'
import {saidByPerson} from '../../ledger/unread-footers.ts'
import type {Answered} from '../../staging/answers.ts'
import type {Staging} from '../../staging/staging.ts'
import {statusAt} from '../orders/ask.ts'
import {BookedElsewhere, type OwnLedger} from '../resend/booked-elsewhere.ts'
import {webhooksSeen} from '../resend/seen.ts'
import {toldPlayer} from '../resend/told-players.ts'
import type {RowBeforeResend} from './booked-before-resent.ts'
import {CorruptionHints} from './corruption-hints.ts'
import {type DecisionInput, decideDuplicate, decideMissing, decideOrder, decideUnreadable} from './decide.ts'
import type {Deliveries} from './deliveries.ts'
import type {EarlierRuns} from './earlier-runs.ts'
import {failedPayouts} from './failed-payouts.ts'
import {decideFollowedUp, decideOfRows, type FollowedUp, type FollowUps, isClosedAsIs} from './follow-up.ts'
import {ResendHold} from './hold.ts'
import {markedRows, withMarked} from './marked-rows.ts'
import type {MatchTotals, Subject} from './match-totals.ts'
import type {RunResends} from './memory.ts'
import type {MissingOrders} from './missing.ts'
import {weighPayloads} from './payloads.ts'
import type {Players} from './players.ts'
import type {MissingOrder} from './query-missing.ts'
import {decideReversal, type Reversal} from './reversals.ts'
import {RowsAgain} from './rows-again.ts'
import {ledgerEnd, ownWords, unansweredRows, unexplainedBookings, unpaidMax} from './seen-rows.ts'
import type {ReconcileOptions, ReconcilePorts} from './types.ts'
import {askedPlayers, playersOfWebhooks} from './webhook-players.ts'

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

type DecideAllOptions = ReconcileOptions & {readonly remembers: boolean; readonly startedAtMs: number}

const decidedAtOnce = 500
/** Enough players to show what others look like. */
const playersLearnt = 2_000

/**
 * Decides the orders that answers alone did not: by delivery records, by the payload if it decides an amount, and by
 * earlier runs. Adds every finding to the totals, those of an order together. Returns, as sentences, why rows that
 * agree may still be wrong.
 */
export async function decideAll(
  staging: Staging,
  matchTotals: MatchTotals,
  given: DecideAllInput,
  options: DecideAllOptions,
  ports: ReconcilePorts,
): Promise<readonly string[]> {
  const {ledger, missingOrders, followUps, deliveries, missing, players, earlierRuns, resends} = given
  const {client, profile, journal, runId, signal} = ports
  const {timeZone} = profile.ledger
  const history = await journal.resendHistory()
  const input = await decisionInput(staging, given, history, options, ports)
  const webhooks = function* () {
    yield* resendable(staging, missingOrders, followUps)
    yield* failedPayouts(staging, followUps)
  }
  const readPlayer = playersOfWebhooks(client)
  const playersOf = askedPlayers(readPlayer, webhooks, deliveries, options.concurrency)
  const {mentions, contradictions, shared, seen} = await readMentions(
    {staging, ledger, webhooks, playersOf, isListRead: deliveries.reading.coversWindow},
    options,
    ports,
  )
  const booked = new BookedElsewhere(journal, webhooks, {
    runId,
    statusOf: statusAt(client),
    countsTaken: !options.overrides.includeDelivered,
    own: {
      ...ownLedger(staging, given, {shared, timeZone, digest: journal.fingerprint}),
      isIgnored: saidByPerson(ignoredTextsOf(options, profile)),
    },
  })
  const files = ledger.files
  const holds = new ResendHold(
    {staging, deliveries, players, readPlayer, mentions, booked, files, webhooks, input},
    ports,
  )
  const others = await groupsOfOtherLedgers(given, input, holds)
  // Stored for `webhooks resend`, which reads no ledger, and for runs over other days' ledgers.
  const end = ledgerEnd({ledger, untilMs: options.untilMs, nowMs: options.startedAtMs})
  await journal.recordRowsSeen(runId, end, seen())
  // Orders are listed for booking by hand only if the next run will remember them and records were read.
  const listsBookings = options.remembers && !options.skipDeliveries
  const mayBeListed = ({kind, orderNo, platformOrderNo}: ServiceOrder) =>
    listsBookings && history.earlier(platformOrderNo, completedEvent, null, {kind, orderNo}) === null
  const corruptionHints = new CorruptionHints({
    files,
    numbers: () => staging.ledger.numbers(),
    missingLike: (place) => staging.unexplained.missingLike(place),
  })
  const all = function* (): Generator<Group> {
    yield* groupsOf(staging, missingOrders, missing, input, files)
    yield* others
  }
  for (const groups of inBatches(all(), decidedAtOnce)) {
    const restored: Finding[] = []
    for (const finding of groups.flatMap(({findings}) => findings))
      restored.push(resends.restore(await holds.bookable(await holds.hold(finding), mayBeListed), timeZone))
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
  return [...contradictions, ...holds.unanswered]
}

async function decisionInput(
  staging: Staging,
  {ledger, deliveries, bookedBefore}: DecideAllInput,
  history: Awaited<ReturnType<ReconcilePorts['journal']['resendHistory']>>,
  {overrides}: DecideAllOptions,
  {client, journal, profile, runId, now}: ReconcilePorts,
): Promise<DecisionInput> {
  const seen = await webhooksSeen(journal)
  return {
    deliveries,
    earlierResend: ({orderId, event}, order) => history.earlier(orderId, event, runId, order),
    waitsSince: ({kind, orderNo}) => seen.waitsSince([kind], orderNo),
    takenSeen: ({kind, orderNo}) => seen.takenSeen([kind], orderNo),
    bookedBefore,
    overrides,
    time: {nowMs: now(), skewMs: client.clockSkewMs},
    ledgerEndsMs: ledger.window.ok ? ledger.window.toMs : null,
    fileEndsMs: (file) => staging.ledger.lastRowMs(file),
    timeZone: profile.ledger.timeZone,
  }
}

/** What the files say of orders outside of their rows, and in cells that no column has. */
async function readMentions(
  {
    staging,
    ledger,
    webhooks,
    playersOf,
    isListRead,
  }: {
    readonly staging: Staging
    readonly ledger: Ledger
    readonly webhooks: () => Iterable<ServiceOrder>
    readonly playersOf: AskPlayers
    readonly isListRead: boolean
  },
  options: DecideAllOptions,
  {profile, journal, recorded}: ReconcilePorts,
) {
  const {ignoredSheets = [], ignoredColumns = []} = options
  const {ledger: mapping} = profile
  const {ledger: rows, answers, records} = staging
  const isBooked = bookingReader(mapping)
  const [unread, unpaid] = [[...unansweredRows(staging)], [...answers.unpaid().take(unpaidMax)]]
  const numbers = () => rows.numbers().map(({orderNo}) => orderNo)
  const isNamedHere = (orderNo: string) => orderKinds.some((kind) => rows.names({kind, orderNo}))
  const otherOrders = new OtherOrderTexts(numbers(), rows.players(playersLearnt))
  const {places, lasting, ofAny, contradictions, shared} = await (recorded?.findMentions ?? findMentions)(
    ledger.files,
    [...webhooks(), ...unread],
    {
      unknown: Iterator.from(unexplainedBookings(staging, mapping.timeZone)).filter(
        ({isOfAnyKind}) => isOfAnyKind,
      ),
      unreadable: rows.unreadableRows(),
      linesOf: (file) => rows.linesOf(file),
      unpaid,
      undelivered: records.bookedUndelivered(completedEvent),
      isBooked: (status) => isBooked(status) === true,
      isFailed: (status) => isOneOf(mapping.status.failed, status),
      isOther: (kind) => isOneOf(mapping.kinds.other, kind),
      stateOf: stateReader(mapping),
      ignoredSheets,
      ignoredColumns: [...ignoredColumns, ...mapping.ignoredColumns],
      ignoredTexts: ignoredTextsOf(options, profile),
      otherOrders,
      playersOf,
    },
  )
  const marked = [...markedRows(staging, unread)]
  const isBookedHere = (orderNo: string) =>
    orderKinds.some((kind) => rows.entriesOf({kind, orderNo}).some(({status}) => status === 'completed'))
  const seen = function* (): Generator<SeenRow> {
    const word = {line: 0, isBeginning: false, isBooked: true} as const
    for (const {kind, orderNo} of webhooks()) {
      if (!places.has(orderNo) || ofAny.has(orderNo)) continue
      const isOfRow = rows.names({kind, orderNo}) && !lasting.has(orderNo)
      yield {...word, kind, orderNo, note: isOfRow ? 'beside its row' : 'without its row'}
    }
    for (const order of records.takenUnbooked(completedEvent))
      yield {...word, ...order, note: 'webhook taken'}
    for (const order of ownWords(staging, [...unread, ...unpaid], places))
      yield {...word, ...order, note: 'beside its row'}
    for (const {kind, orderNo} of marked) yield {...word, kind, orderNo, note: 'beside its row'}
    for (const {text, note, words} of otherOrders.all()) {
      if (note === 'numbers' && words.every((orderNo) => places.has(orderNo) || isBookedHere(orderNo)))
        continue
      yield {...word, kind: null, orderNo: text, note}
    }
    for (const orderNo of isListRead ? [] : otherOrders.onSheets(numbers, isNamedHere))
      yield {...word, kind: null, orderNo, note: 'numbers'}
    for (const told of otherOrders.players.all())
      yield {...word, kind: null, orderNo: toldPlayer(told, journal.fingerprint), note: 'player'}
  }
  return {
    mentions: withMarked(places, marked, webhooks(), ledger.files),
    ...{contradictions, shared},
    /** The same for later runs; to be read once the rows of this one are. */
    seen,
  }
}

function ignoredTextsOf(
  {ignoredTexts = []}: DecideAllOptions,
  {ledger}: ReconcilePorts['profile'],
): readonly string[] {
  return [...ignoredTexts, ...ledger.ignoredTexts]
}

/** This ledger as one of the places where an order may be booked. */
function ownLedger(
  staging: Staging,
  {ledger: {files}, window, ownWindow}: DecideAllInput,
  {
    shared,
    timeZone,
    digest,
  }: {
    readonly shared: Awaited<ReturnType<typeof findMentions>>['shared']
    readonly timeZone: string
    readonly digest: (player: string) => string
  },
): OwnLedger {
  const {ledger: rows} = staging
  const shares = Map.groupBy(shared, ({file, line}) => `${file} ${line}`)
  return {
    ...{window: ownWindow, searched: window, files, isSeveral: files.length > 1},
    names: (order) => rows.names(order),
    again: new RowsAgain(staging, () => unexplainedBookings(staging, timeZone), digest),
    playerOf: (order) => rows.entriesOf(order).find(({playerRef}) => playerRef)?.playerRef,
    endOf: (order) => Math.max(...rows.entriesOf(order).map(({file}) => rows.lastRowMs(file) ?? 0)),
    unexplained: function* () {
      for (const row of unexplainedBookings(staging, timeZone))
        yield {...row, shares: shares.get(`${row.file} ${row.line}`)}
    },
  }
}

/** What is not part of this ledger's totals: open items of others, and orders whose state went back. */
async function groupsOfOtherLedgers(
  {followUps, reversals, missing}: DecideAllInput,
  input: DecisionInput,
  holds: ResendHold,
): Promise<Group[]> {
  const groups: Group[] = []
  for (const followed of followUps.followed) {
    const {orderedAtMs: sinceMs} = followed.remembered
    const finding = await decideFollowedUp(followed, input, {
      mayBeBooked: (order) => holds.whyBooked({...order, sinceMs, inLedger: 'of another time'}),
      wouldShow: (takenMs) => missing.wouldShow(followed.order.kind, takenMs),
    })
    groups.push({...ofNone(finding), followed})
  }
  const ofRows = [...followUps.ofRows.map(decideOfRows), ...reversals.map(decideReversal)]
  return [...groups, ...ofRows.map(ofNone)]
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

function* resendable(
  staging: Staging,
  missingOrders: readonly MissingOrder[],
  {followed}: FollowUps,
): Generator<ServiceOrder> {
  yield* staging.answers.candidates()
  for (const {side} of [...missingOrders, ...followed])
    if (side.is === 'found' && side.order.status === 'completed') yield side.order
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
