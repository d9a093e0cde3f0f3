import type {OrderAnswer, ServiceClient} from '../../api/client.ts'
import {type MeasuredTime, whyNoTimeDecides} from '../../core/clocks.ts'
import type {Dialect} from '../../core/dialect.ts'
import {mayBeSameEvent, mayCredit, stateOfEvent} from '../../core/event-state.ts'
import {Failure} from '../../core/failure.ts'
import {formatTaka, parsePaisa} from '../../core/money.ts'
import {
  completedEvent,
  type Delivery,
  isSameId,
  isUuid,
  type OrderKind,
  retryDelaysMs,
  type ServiceOrder,
} from '../../core/order.ts'
import type {Profile} from '../../core/profile.ts'
import {isDueAgain, stateBy} from '../../core/reconcile/evidence.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute, parseInstant} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import {answersFor, contradicts, stateOf} from '../../receiver/same-event.ts'
import type {StoredEvent} from '../../receiver/stored-events.ts'
import {eventKeyOf, kindOf} from '../../receiver/webhook.ts'
import {askQuietly} from '../../workflows/orders/confirm.ts'
import {creditedBy} from '../../workflows/orders/credited.ts'
import {madeSince, paidAnewBy} from '../../workflows/orders/paid-anew.ts'
import {whatIsAgainst} from '../../workflows/resend/against.ts'
import {receivedBy} from '../../workflows/resend/received.ts'
import type {EventToCheck, RecordsRead} from '../../workflows/resend/records-against.ts'
import {ledgersBy, override, reconciledBy} from '../../workflows/resend/seen.ts'

/**
 * Why the player may have the money of an event already, as a clause; null if nothing known here says so, and for an event that
 * gives nobody anything. What holds a resend holds them as well. `listPending`: all that may be asked about; more may arrive.
 */
export function whyNotForwarded(
  journal: Journal | null,
  client: Pick<ServiceClient, 'queryOrder'>,
  readRecords: ReadRecords,
  {dialect, ledger: {timeZone}}: Pick<Profile, 'dialect' | 'ledger'>,
  inbox: {
    /** The server that it is handed on to. */
    readonly url: string
    readonly listPending: () => readonly StoredEvent[]
    readonly listOf: (about: string) => readonly StoredEvent[]
  },
): (event: StoredEvent) => Promise<string | null> {
  const whyPaidAnew = journal && paidAnewBy(journal, client)
  const whyCredited = journal && creditedBy(journal)
  const ledgers = journal && ledgersBy(journal, client, false)
  const named = async (event: StoredEvent): Promise<EventToCheck> => ({
    orderId: isUuid(event.orderId) ? event.orderId : '',
    merchantOrderId: (await numberOf(event, journal)) ?? '',
    event: endOf(event, dialect) === 'completed' ? completedEvent : 'order.failed',
    name: event.event,
    createdAt: new Date(event.receivedAtMs - retriesMs).toISOString(),
  })
  const readAll = async () => {
    const [pending, readAtMs] = [inbox.listPending(), performance.now()]
    const records = await readRecords(await Promise.all(pending.map(named)))
    return {records, ids: new Set(pending.map(({id}) => id)), readAtMs}
  }
  let last: Awaited<ReturnType<typeof readAll>> | undefined
  return async (event) => {
    const end = endOf(event, dialect)
    if (end === null) return null
    if (event.forward === 'unknown') return 'an earlier forward was cut off, and your server may have it'
    if (!last?.ids.has(event.id) || performance.now() - last.readAtMs > recordsKeptMs) last = await readAll()
    const {records} = last
    const asNamed = await named(event)
    const orderNo = asNamed.merchantOrderId || records.numberOf(asNamed.orderId)
    if (orderNo === '') {
      // Nothing can be asked about it but its records, and what could not be read shows nothing.
      const read = await records.of(asNamed)
      return typeof read === 'string' ? read : null
    }
    const own = {...asNamed, merchantOrderId: orderNo}
    const kind = end === 'completed' ? 'deposit' : 'payout'
    // A payout that completed, and a deposit that failed, give nobody anything.
    if (kind !== kindOf(event) && (await isPayout(own, client)) === (kind === 'deposit')) return null
    const order = {kind, orderNo, amount: parsePaisa(event.amount ?? '')} as const
    // The service first, which may take long: what happens here meanwhile is seen after it.
    const asked = await askQuietly(client, kind, orderNo)
    const moved = whyMoved(order, asked)
    const answered = asked instanceof Failure || !asked.found ? null : asked.order
    // As the event has it where the service does not say: a ledger of another run may have it booked by hand.
    const told: ServiceOrder = {
      ...(answered ?? {...order, platformOrderNo: own.orderId, status: 'completed', rawStatus: ''}),
      ...(event.playerRef && {playerRef: event.playerRef}),
    }
    const listed = [orderNo, own.orderId].flatMap((about) => (about === '' ? [] : inbox.listOf(about)))
    const stored = [...new Map(listed.map((one) => [one.id, one])).values()]
    const isDisproved = ({amount}: StoredEvent) =>
      answered?.amount != null && parsePaisa(amount ?? '') !== answered.amount
    const isRival = (one: StoredEvent) =>
      (one.forward === 'pending' || one.forward === 'unknown') &&
      endOf(one, dialect) === end &&
      answersFor(event, one, dialect.status) &&
      contradicts(one, event, dialect.status)
    if (stored.some((one) => isRival(one) && !isDisproved(one)))
      return 'another version that your server has not acknowledged contradicts it: `hisab events show` has both'
    const isAnother = (one: StoredEvent) => eventKeyOf(one) !== eventKeyOf(event)
    const read = await records.of(own)
    const {records: all, newest} = typeof read === 'string' ? {records: [], newest: null} : read
    const time = {nowMs: Date.now(), skewMs: records.skewMs}
    const own200s = answeredHere(all, stored, time, {url: inbox.url, dialect})
    const isOwn = (name: string) =>
      stored.some((one) => one.isAnsweredAlone && isNamed(one, name, dialect)) &&
      all.every(
        (one) => one.status !== 'success' || !mayBeSameEvent(one.event, name, dialect) || own200s.has(one),
      )
    const record = {event: own.event, createdAt: newest?.createdAt ?? own.createdAt}
    const sinceMs = parseInstant(record.createdAt) ?? event.receivedAtMs
    const against = await whatIsAgainst(
      {
        ...{names: [own.event, own.name], record, records: all, sharing: [], sinceMs},
        order: {kind: order.kind, orderNo, platformOrderNo: own.orderId},
      },
      {
        ...{dialect, orphans: records.orphans, isUsual: isOwn},
        received: receivedBy(() => (event.isConflict ? [] : stored.filter(isAnother)), dialect),
        whyOther: (one) => whyTakenOrRetried(one, own200s.has(one), time, timeZone),
      },
    )
    const unread = typeof read === 'string' ? read : null
    const taken = unread ?? asClause(against?.why ?? null)
    const why =
      (await whyPaidAnew?.(order, madeSince(event.receivedAtMs))) ??
      (await whyCredited?.(orderNo, order.kind))?.why ??
      (journal && (await whyResent(journal, own, order, newest, timeZone)))
    if (why != null) return why
    // A first attempt that hisab answered itself is all that a run can have seen as taken.
    const isOnlyOwn =
      isOwn(event.event || own.event) && all.every((one) => !own200s.has(one) || one.attempts === 1)
    const rules = {dialect, timeZone, nowMs: Date.now(), countsTaken: !isOnlyOwn}
    // Anew for each: somebody may close or ignore it while the others are handed on.
    const seen =
      journal && (await (await reconciledBy(journal, rules, [own]))({...own, createdAt: record.createdAt}))
    const bare = (text?: string | null) => text?.replace(` ${override}`, '').replace(/\.$/, '')
    const known = bare(seen?.why) ?? taken ?? moved
    if (known != null || kind === 'payout') return known ?? null
    return bare(await ledgers?.whyBooked(told, record.createdAt)) ?? null
  }
}

/**
 * What an event may say of its order by which the player gets money: that a deposit completed, or that a payout failed. Null if it
 * plainly says neither. What it is of shows only the service: either may come with or without a player.
 */
function endOf(event: StoredEvent, dialect: Dialect): 'completed' | 'failed' | null {
  const states = [stateOf(event, dialect.status), stateOfEvent(event.event, dialect)]
  if (states.includes('completed')) return 'completed'
  if (states.includes('failed')) return 'failed'
  if (states.includes('open')) return null
  const words = [event.event, event.status ?? '']
  return kindOf(event) === 'deposit' && words.every((word) => mayCredit(word, dialect))
    ? 'completed'
    : 'failed'
}

/**
 * Why the record of an event that is to be handed on speaks against it: your server took it from the service, or may get it from
 * there any moment.
 */
function whyTakenOrRetried(
  record: Delivery,
  isOwn200: boolean,
  time: MeasuredTime,
  timeZone: string,
): string | null {
  const {id, event, status, nextRetryAt} = record
  if (status === 'success')
    return isOwn200 ? null : `Your server took its ${escapeInvisible(event, 60)} (record ${id}).`
  if (!isDueAgain(record, time)) return null
  const retryMs = parseInstant(nextRetryAt ?? '')
  if (retryMs === null) return `The service is still sending its record ${id}. Wait.`
  const at = formatMinute(retryMs, timeZone)
  return retryMs > time.nowMs ? `The service retries it at ${at}. Wait.` : `Its retry was due at ${at}. Wait.`
}

/** Why a resend of hisab may bring the event to the server, or has; null where its record shows that it failed. */
async function whyResent(
  journal: Pick<Journal, 'resendHistory'>,
  {orderId, event}: EventToCheck,
  order: {readonly kind: OrderKind; readonly orderNo: string},
  newest: Delivery | null,
  timeZone: string,
): Promise<string | null> {
  const earlier = (await journal.resendHistory(order.orderNo)).earlier(orderId, event, '', order)
  if (!earlier || (newest ? stateBy(earlier, newest) : earlier.state) === 'still_failing') return null
  const at = formatMinute(earlier.atMs, timeZone)
  return `hisab resent it at ${at}, and its record does not show that your server refused it: look in your server's log`
}

/** A service may note when an attempt began or when it ended, and its `Date` is whole seconds. */
const attemptMsMax = 15_000

/**
 * The records of success that are hisab's own answers, by a listener without a server behind it. An answer explains one
 * record, of its event, whose latest delivery was at the time of the answer: the service may have delivered the event to the
 * merchant's server after that.
 */
function answeredHere(
  records: readonly Delivery[],
  stored: readonly StoredEvent[],
  {skewMs}: MeasuredTime,
  {url, dialect}: {readonly url: string; readonly dialect: Dialect},
): ReadonlySet<Delivery> {
  const found = new Set<Delivery>()
  if (whyNoTimeDecides(skewMs) !== null) return found
  for (const event of stored) {
    const {isAnsweredAlone, receivedAtMs} = event
    if (!isAnsweredAlone) continue
    const own = records.find((one) => {
      const sentMs = parseInstant(one.sentAt ?? '')
      return (
        one.status === 'success' &&
        !found.has(one) &&
        // What the service sent to that very server, it answered itself.
        !isSameUrl(one.url, url) &&
        isNamed(event, one.event, dialect) &&
        sentMs !== null &&
        Math.abs(sentMs - (skewMs ?? 0) - receivedAtMs) <= attemptMsMax
      )
    })
    if (own) found.add(own)
  }
  return found
}

/** Whether a content is of the event of this name; one without a name, by its status. */
function isNamed(content: StoredEvent, name: string, dialect: Dialect): boolean {
  if (content.event !== '') return content.event.toLowerCase() === name.toLowerCase()
  return stateOf(content, dialect.status) === stateOfEvent(name, dialect)
}

/** Whether the service knows the number as a payout's; null without an answer. */
async function isPayout(
  {merchantOrderId, orderId}: EventToCheck,
  client: Pick<ServiceClient, 'queryOrder'>,
): Promise<boolean | null> {
  const asked = await askQuietly(client, 'payout', merchantOrderId)
  if (asked instanceof Failure) return null
  return asked.found && (orderId === '' || isSameId(asked.order.platformOrderNo, orderId))
}

function isSameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href
}

/** Sentences as a clause, which begins in lower case. */
function asClause(why: string | null): string | null {
  return why && `${why.charAt(0).toLowerCase()}${why.slice(1)}`.replace(/\.$/, '')
}

/** What was received may be the last retry of a webhook. */
const retriesMs = retryDelaysMs.reduce((sum, delayMs) => sum + delayMs)

/** A new record of an order is seen after this, at the latest. */
const recordsKeptMs = 60_000

/** The delivery records of some events' orders. */
type ReadRecords = (events: readonly EventToCheck[]) => Promise<RecordsRead>

async function numberOf(event: StoredEvent, journal: Journal | null): Promise<string | null> {
  return event.orderNo ?? (await journal?.numberWithPlatformOrder(kindOf(event), '', event.orderId)) ?? null
}

/** Why the order is not as its event says; null without an answer, because the event is genuine. */
function whyMoved(
  {kind, amount}: Pick<ServiceOrder, 'kind' | 'amount'>,
  now: OrderAnswer | Failure,
): string | null {
  if (now instanceof Failure || (!now.found && now.isBare)) return null
  if (!now.found) return 'the service does not have the order now'
  const {status, rawStatus, amount: shown} = now.order
  const isMoved = kind === 'deposit' ? status !== 'completed' : status === 'completed' || status === 'open'
  if (isMoved) return `the service now has "${escapeInvisible(rawStatus, 60)}"`
  if (kind === 'payout' || amount === null || shown === null || amount === shown) return null
  return `the service now has BDT ${formatTaka(shown)}, not BDT ${formatTaka(amount)}`
}
