import type {ResendAnswer, ServiceClient} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {asFailure, Failure} from '../../core/failure.ts'
import type {ResendOutcome} from '../../core/reconcile/finding.ts'
import {isClosing} from '../../core/reconcile/ignore.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/interface.ts'
import type {OverrideWord, ResendClaim} from '../../journal/rows.ts'
import {counted} from '../../report/figures.ts'
import {whyNotAsSent} from '../orders/as-sent.ts'
import {paidAnewBy} from '../orders/paid-anew.ts'
import {CircuitBreaker} from './circuit-breaker.ts'
import {holdBack, LastLookUps, type SentHere, skippedOutcome, type Unasked} from './hold.ts'
import type {ResendJob} from './job.ts'
import {noteOn} from './notes.ts'
import type {WhyReceived} from './received.ts'
import {ledgersBy, override, reconciledBy} from './seen.ts'
import {SendingJournal} from './sending-journal.ts'
import {awaitDelivery, lookOnce, type WatchedResend, type WatchPorts} from './watch.ts'

export interface ResendPorts extends Omit<WatchPorts, 'client' | 'sending' | 'onProgress'> {
  readonly journal: Journal
  readonly received?: WhyReceived
  readonly client: Pick<
    ServiceClient,
    'getDelivery' | 'listDeliveries' | 'resendDelivery' | 'queryOrder' | 'clockSkewMs'
  >
  readonly runId: string
  /** The machine's own clock: for what is written down or compared with the service's. */
  readonly now: () => number
  /** Resends a second, at most. */
  readonly ratePerSecond: number
  /** Whether one is sent first and watched, and the others only once its record shows success. */
  readonly canary?: boolean
  /** Set where the orders were not queried: each is queried just before its send, and its webhook compared. */
  readonly dialect?: Dialect
  readonly timeZone?: string
  /** The overrides a person gave, recorded with each intent (P4, P5). */
  readonly overrides: readonly OverrideWord[]
  /** As in `NewResend`. */
  readonly wordsKnown?: number | undefined
  readonly onNote?: ((note: string) => void) | undefined
  readonly onProgress: (stage: 'resend' | 'results', done: number, total: number) => void
}

export interface ResendResult {
  /** By delivery id. */
  readonly outcomes: ReadonlyMap<string, ResendOutcome>
  /** Why the journal took no more, after something was sent. */
  readonly failure: Failure | null
}

/**
 * Sends deliveries again, one at a time: read the record, stop if it moved; write and sync the intent; send
 * once; then watch the record. A 2xx proves nothing and a lost answer is its own state (P3, P4, P6).
 *
 * `watched` are resends of this run that an earlier process made and did not see end.
 */
export async function runResends(
  jobs: readonly ResendJob[],
  given: ResendPorts,
  watched: readonly WatchedResend[] = [],
): Promise<ResendResult> {
  const outcomes = new Map<string, ResendOutcome>()
  const sending = new SendingJournal(given.journal)
  const ports = {...given, sending}
  const left = [...watched]
  const breaker = new CircuitBreaker()
  const lookUps = new LastLookUps(given.client, given.onNote)
  let open: readonly WatchedResend[] = watched
  let awaitsCanary = ports.canary ?? false
  const {dialect, journal, overrides} = given
  const isOverridden = overrides.includes('include-delivered')
  const unasked: Unasked | undefined = dialect && {
    dialect,
    ledgers: ledgersBy(journal, given.client, isOverridden),
  }
  const unlessOverridden = async (why: Promise<string | null>, next: string) => {
    const clause = isOverridden ? null : await why
    return clause && `${clause}. ${next} ${override}`
  }
  const whyPaidAnew = paidAnewBy(journal, given.client)
  // Ledgers that other runs read are looked at once: after the answer, before the first send.
  let reconciled: ReturnType<typeof reconciledAt> | undefined
  const reconciledAt = async (all: readonly ResendJob[]) =>
    dialect === undefined
      ? null
      : await reconciledBy(
          journal,
          {dialect, nowMs: given.now(), timeZone: given.timeZone ?? 'UTC'},
          all.map(({delivery}) => delivery),
        )
  const sentHere: SentHere = {
    whyNotAsSent: (kind, answer, payload) =>
      unlessOverridden(
        whyNotAsSent(kind, answer, payload, journal, dialect),
        'Ask the service which is right.',
      ),
    whyPaidAnew: (order, madeAtMs) =>
      unlessOverridden(whyPaidAnew(order, madeAtMs), 'Its money may not be given back as well.'),
    whyHeld: async ({delivery, order, isUsual}, kind) => {
      const {orderId, merchantOrderId} = delivery
      const orderNo = order?.orderNo ?? merchantOrderId
      const here = given.received?.(
        {kind, orderNo, platformOrderNo: order?.platformOrderNo ?? orderId},
        {...delivery, isUsual},
      )
      if (here && !isOverridden) return `${here.why}. ${override}`
      if (order !== null) return await noteOn(journal, [order.kind], orderNo)
      if (isOverridden) return null
      reconciled ??= reconciledAt(jobs)
      return (await (await reconciled)?.(delivery))?.why ?? null
    },
  }
  for (const [index, job] of jobs.entries()) {
    open = await lookAtOldest(open, ports, outcomes, breaker)
    const refused = sending.failure && `Not sent: ${sending.failure.message}`
    const stop = ports.signal.aborted ? interruptedBefore : (refused ?? breaker.heldBecause)
    if (stop) {
      outcomes.set(job.delivery.id, skippedOutcome(stop))
      continue
    }
    const startedMs = ports.monotonic()
    const sent = await sendOnce(job, ports, sentHere, lookUps, unasked)
    if ('outcome' in sent) {
      outcomes.set(job.delivery.id, sent.outcome)
      if (!sent.isOurs) breaker.record(sent.outcome)
    } else {
      left.push(sent)
      const seen = awaitsCanary
        ? (await awaitDelivery([sent], ports)).get(job.delivery.id)
        : await lookOnce(sent, ports)
      const outcome = typeof seen === 'object' ? seen : null
      if (outcome) outcomes.set(job.delivery.id, outcome)
      else open = [...open, sent]
      if (outcome || isFailing(sent)) breaker.record(outcome ?? {state: 'unknown'})
    }
    const first = outcomes.get(job.delivery.id)
    if (awaitsCanary && first && !('outcome' in sent && sent.isOurs)) {
      breaker.recordCanary(job.orderNo ?? job.delivery.id, first)
      awaitsCanary = false
    }
    ports.onProgress('resend', index + 1, jobs.length)
    const pauseMs = startedMs + 1000 / ports.ratePerSecond - ports.monotonic()
    if (index < jobs.length - 1) await ports.sleep(pauseMs)
  }
  for (const [id, outcome] of await awaitDelivery(open, ports)) outcomes.set(id, outcome)
  const {failure} = sending
  if (failure && left.length === 0) throw failure
  const unrecorded = await sending.writePending()
  for (const {deliveryId: id, journalId} of left) {
    const outcome = outcomes.get(id)
    if (outcome && unrecorded.has(journalId))
      outcomes.set(id, {...outcome, why: `${outcome.why ?? ''} ${unrecordedText}`.trim()})
  }
  return {outcomes, failure}
}

const unrecordedText =
  'The journal does not have this result: it stays in doubt there until its record is read again.'

/** What sends, and what watches, write through the same journal. */
type SendPorts = Omit<ResendPorts, 'journal'> & {readonly sending: SendingJournal}

/** Of those without an end the oldest: where ends come late, this is how the breaker hears of them in time. */
async function lookAtOldest(
  open: readonly WatchedResend[],
  ports: SendPorts,
  outcomes: Map<string, ResendOutcome>,
  breaker: CircuitBreaker,
): Promise<readonly WatchedResend[]> {
  const [oldest, ...rest] = open
  if (!oldest || ports.signal.aborted) return open
  const outcome = await lookOnce(oldest, ports)
  if (typeof outcome !== 'object') return [...rest, oldest]
  outcomes.set(oldest.deliveryId, outcome)
  if (!isFailing(oldest) || outcome.state === 'delivered') breaker.record(outcome)
  return rest
}

/** Whether its answer spoke against it, which was counted when it came. */
function isFailing({answer: {is, but}}: WatchedResend): boolean {
  return is !== 'accepted' || but !== null
}

/** A resend that did not take place: `isOurs` where hisab held it back, else the service could not be reached. */
interface NotSent {
  readonly outcome: ResendOutcome
  readonly isOurs: boolean
}

async function sendOnce(
  job: ResendJob,
  ports: SendPorts,
  sentHere: SentHere,
  lookUps: LastLookUps,
  unasked: Unasked | undefined,
): Promise<WatchedResend | NotSent> {
  const {client, sending, now} = ports
  const {id, orderId, event} = job.delivery
  const held = await clearedNow(job, ports, sentHere, lookUps, unasked)
  if (held.state !== 'cleared') return {outcome: held, isOurs: true}
  const said = (await sentHere.whyHeld?.(job, held.kind)) ?? null
  if (said !== null)
    return {outcome: {...skippedOutcome(`Not sent: ${said}`), needsPerson: true}, isOurs: true}
  if (ports.signal.aborted) return {outcome: skippedOutcome(interruptedBefore), isOurs: true}

  const {attempts, sentAt, nextRetryAt, status, responseCode} = job.delivery
  const intentAtMs = now()
  const checkInTime = checkClaimed(ports)
  const claim = await sending.claimResend(
    {
      runId: ports.runId,
      deliveryId: id,
      orderId,
      event,
      kind: held.kind,
      orderNo: job.orderNo,
      intentAtMs,
      baselineAttempts: attempts,
      baselineSentAt: sentAt,
      baselineStatus: status,
      baselineNextRetryAt: nextRetryAt,
      baselineResponseCode: responseCode,
      overrides: [...ports.overrides],
      cause: job.cause,
      ...(ports.wordsKnown === undefined ? {} : {wordsKnown: ports.wordsKnown}),
    },
    {nowMs: intentAtMs, skewMs: client.clockSkewMs},
  )
  if (!claim) return {outcome: skippedOutcome(`Not sent: ${sending.failure?.message}`), isOurs: true}
  if (!claim.claimed) {
    const outcome = skippedOutcome(whyNotClaimed(claim))
    const isPersons = claim.because === 'left_alone' || claim.because === 'to_book'
    return {outcome: isPersons ? {...outcome, needsPerson: true} : outcome, isOurs: true}
  }
  const baseline = {attempts, sentAt, nextRetryAt, status}
  let answer: ResendAnswer
  try {
    answer = await client.resendDelivery(id, checkInTime)
  } catch (thrown) {
    const why = `Not sent: ${asFailure(thrown).message}`
    await sending.recordResendOutcome(claim.id, 'not_sent', {detail: why})
    return {outcome: skippedOutcome(why), isOurs: false}
  }
  // A no may have been said after it was delivered: what it was is for the record to tell (A7).
  const sentAtMs = now()
  await sending.recordResendOutcome(claim.id, answer.is === 'accepted' ? 'accepted' : 'unknown', {
    sentAtMs,
    detail: answer.but,
  })
  return {deliveryId: id, orderId, event, journalId: claim.id, baseline, sentAtMs, answer}
}

/** An answer about the order that is older than this when its records were read is asked for again. */
const freshMs = 1_000
const roundsMax = 3

/** A service that asks to wait between the order and its records would have the order sent as it was before the wait. */
async function clearedNow(
  job: ResendJob,
  {client, monotonic, signal}: SendPorts,
  sentHere: SentHere,
  lookUps: LastLookUps,
  unasked: Unasked | undefined,
): ReturnType<typeof holdBack> {
  for (let round = 1; ; round += 1) {
    const held = await holdBack(job, client, sentHere, unasked)
    if (held.state !== 'cleared') return held
    const askedMs = monotonic()
    const moved = await lookUps.whyMoved(job)
    if (moved !== null) return skippedOutcome(moved)
    // A service that is always that slow is not asked without end.
    if (monotonic() - askedMs <= freshMs || round === roundsMax || signal.aborted) return held
  }
}

/** A claim is sent within a minute, as the lease of a shared journal lasts: a machine that slept meanwhile sends nothing. */
const sendWithinMs = 60_000

function checkClaimed({now, monotonic}: Pick<ResendPorts, 'now' | 'monotonic'>): () => void {
  const [wallMs, steadyMs] = [now(), monotonic()]
  return () => {
    // The one clock may stand still while the machine sleeps, the other may be set.
    if (Math.max(Math.abs(now() - wallMs), monotonic() - steadyMs) <= sendWithinMs) return
    throw new Failure(
      'incomplete',
      'more than a minute passed between its claim and its send, as when the machine sleeps.',
      'Run it again, or resume it.',
    )
  }
}

function whyNotClaimed(claim: Extract<ResendClaim, {claimed: false}>): string {
  const {because, by} = claim
  const who = by === null ? 'hisab' : escapeInvisible(by, 120)
  switch (because) {
    case 'left_alone':
      return `Not sent: ${who} ${isClosing(claim) ? 'closed' : 'ignored'} it before its turn: ${escapeInvisible(claim.reason, 500)}`
    case 'to_book':
      return 'Not sent: a booking.csv has it, so it may be booked by hand. Look in your books first. To send it anyway, add --include-delivered.'
    case 'recently_resent':
      return `Not sent: ${who} resent this event of its order number less than 8 hours ago.`
    case 'resend_in_doubt':
      return `Not sent: ${who} resent it, and nobody knows how that ended.`
    case 'journal_restored':
      return 'Not sent: the shared journal was restored, and the record shows a delivery less than 8 hours ago. To send it now, add --ignore-cooldown.'
  }
}

const interruptedBefore = 'Not sent: the run was interrupted before its turn.'

/** In sentences, what of a run's resends is neither done nor given up; empty where nothing is. */
export function whyUnfinished(outcomes: Iterable<ResendOutcome>): string[] {
  let open = 0
  let notSent = 0
  let refused = 0
  for (const {state, needsPerson} of outcomes) {
    if (state === 'sent') open += 1
    if (state === 'refused') refused += 1
    if (state === 'skipped' && !needsPerson) notSent += 1
  }
  const reasons: string[] = []
  if (open > 0) reasons.push(`${open} accepted resends show no end yet`)
  if (refused > 0) reasons.push(`${counted(refused, 'resend was', 'resends were')} refused`)
  if (notSent > 0) reasons.push(`${counted(notSent, 'planned resend was', 'planned resends were')} not sent`)
  return reasons
}
