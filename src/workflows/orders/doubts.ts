import type {OrderAnswer, ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import {formatTaka} from '../../core/money.ts'
import type {Delivery, OrderKind, ServiceOrder} from '../../core/order.ts'
import {outcomeInDoubt} from '../../core/reconcile/evidence.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import {baselineOf} from '../../journal/resends.ts'
import {isDropped, isInDoubt, isLost, type RequestRow, type ResendRow} from '../../journal/rows.ts'
import {otherThanSent} from './as-sent.ts'
import {askQuietly, type Confirmation, compareOrder, lookOf} from './confirm.ts'
import {queryCommand, recordCommand, resolveCommand, resolveStep} from './doubt-commands.ts'
import {echoOfRow} from './echo.ts'

export type DoubtJournal = Pick<
  Journal,
  'findRequest' | 'recordRequestOutcome' | 'recordLook' | 'fingerprint' | 'numberWithPlatformOrder'
>

/** A create or resend with unknown outcome, and the command that may resolve it. */
export interface OpenDoubt
  extends Pick<
    RequestRow,
    'orderNo' | 'state' | 'amount' | 'channel' | 'maskedAccount' | 'intentAtMs' | 'sentBy' | 'isOnItsWay'
  > {
  readonly kind: OrderKind | 'resend'
  /** The delivery record of a resend; null for a create. The same for the run that sent it. */
  readonly recordId: string | null
  readonly runId: string | null
  readonly why: string
  readonly next: string
}

/**
 * Everything in doubt, oldest first: intents of killed processes, answers that prove nothing, and orders that look like
 * older ones. Also, marked, what another machine is sending now.
 */
export async function openDoubts(
  journal: Pick<Journal, 'requestsInDoubt' | 'resendsInDoubt'>,
  profileName: string,
): Promise<OpenDoubt[]> {
  const creates = (await journal.requestsInDoubt()).map((row): OpenDoubt => {
    const {kind, orderNo, state, amount, channel, maskedAccount, intentAtMs, sentBy, isOnItsWay} = row
    const next = doubtCommand(row, profileName)
    const why = isDropped(row)
      ? `${whyOf(row)}; a merge of journals kept another ${kind} of this number`
      : whyOf(row)
    const create = {kind, orderNo, recordId: null, runId: null}
    return {...create, state, amount, channel, maskedAccount, intentAtMs, sentBy, isOnItsWay, why, next}
  })
  const resends = (await journal.resendsInDoubt()).map((row) => doubtOf(row, profileName))
  return [...creates, ...resends].sort((a, b) => a.intentAtMs - b.intentAtMs)
}

/** What may end the doubt about a create. A query that showed another order ends nothing: a person decides. */
export function doubtCommand(row: RequestRow, profileName: string): string {
  const {kind, orderNo, state} = row
  return state === 'accepted' ? resolveRow(row, profileName) : queryCommand(kind, orderNo, profileName)
}

function resolveRow(row: RequestRow, profileName: string): string {
  return resolveCommand(row.kind, row.orderNo, profileName, droppedOf(row))
}

/** Its index among the rows of its number that a merge did not keep; 0 for the row that was kept. */
function droppedOf({id}: RequestRow): number {
  return Math.max(0, -id)
}

/** The rows of a number that a merge did not keep and that are in doubt. The journal is read once. */
export function droppedDoubts(
  journal: Pick<Journal, 'requestsInDoubt'>,
): (kind: OrderKind, orderNo: string) => Promise<RequestRow[]> {
  let reading: Promise<RequestRow[]> | undefined
  return async (kind, orderNo) => {
    reading ??= journal.requestsInDoubt().then((rows) => rows.filter(isDropped))
    return (await reading).filter((row) => row.kind === kind && row.orderNo === orderNo)
  }
}

/** A sentence to show beside the number's other row. */
export function droppedNote(row: RequestRow, profileName: string): string {
  const {kind, orderNo, amount, maskedAccount} = row
  const money = amount === null ? '' : `, BDT ${formatTaka(amount)} to ${maskedAccount ?? '?'},`
  return `The ${kind} ${escapeInvisible(orderNo, 80)}${money} that a merge of journals did not keep is in doubt. Ask the service, then record the outcome: ${resolveStep(kind, orderNo, profileName, droppedOf(row))}.`
}

function doubtOf(row: ResendRow, profileName: string): OpenDoubt {
  const {deliveryId, runId, orderNo, orderId, state, intentAtMs, by, isOnItsWay} = row
  return {
    kind: 'resend',
    orderNo: orderNo ?? orderId,
    ...{recordId: deliveryId, runId},
    state: state === 'intent' ? 'intent' : 'unknown',
    ...{amount: null, channel: null, maskedAccount: null, intentAtMs, sentBy: by, isOnItsWay},
    why: isOnItsWay
      ? beingSent(by)
      : state === 'intent'
        ? 'hisab stopped during the resend, so the outcome was not recorded'
        : 'it was resent, but it is unknown whether your server took it',
    next: recordCommand(deliveryId, profileName),
  }
}

/** How a record showed that its resend ended. */
export interface ResendEnd {
  readonly orderNo: string
  readonly state: 'delivered' | 'still_failing'
}

/**
 * Records the end of a resend in doubt, whichever command reads its record. `isAlone`: no other process is active for
 * the merchant.
 */
export function endingResends(
  journal: Pick<Journal, 'resendsWithoutEnd' | 'endResend'>,
  isAlone: () => boolean | Promise<boolean>,
  onEnd: (end: ResendEnd) => void,
): (record: Delivery) => Promise<void> {
  let reading: Promise<Map<string, ResendRow[]>> | undefined
  return async (record) => {
    reading ??= journal
      .resendsWithoutEnd()
      .then((rows) => Map.groupBy(rows, ({deliveryId}) => deliveryId.toLowerCase()))
    const open = await reading
    for (const row of open.get(record.id.toLowerCase()) ?? []) {
      const state = outcomeInDoubt(baselineOf(row), record)
      if (state === null || !(await journal.endResend(row.id, state, record.responseCode, await isAlone())))
        continue
      onEnd({orderNo: row.orderNo ?? row.orderId, state})
    }
  }
}

function beingSent(by: string | null): string {
  return `${escapeInvisible(by ?? 'hisab', 120)} is sending it now, and has no answer yet`
}

function whyOf(row: RequestRow): string {
  const {state, confirmation, confirmationWhy, serviceCode, isOnItsWay, sentBy} = row
  if (isOnItsWay) return beingSent(sentBy)
  if (isLost(row)) return notFound
  if (confirmation === 'contradicted')
    return confirmationWhy ?? 'the service shows other values than were sent'
  if (state === 'intent') return 'hisab stopped during the send, so the outcome was not recorded'
  const codeText = serviceCode === null ? '' : `; the service said ${escapeInvisible(serviceCode, 64)}`
  return `it was sent, but it is unknown whether the service carried it out${codeText}`
}

const notFound = 'the service accepted it, but a query does not find it'

/** An accepted order that is absent is in doubt. */
async function recordAbsence({id, state}: RequestRow, journal: Pick<Journal, 'recordLook'>): Promise<void> {
  if (state === 'accepted')
    await journal.recordLook(id, {confirmation: 'unanswered', why: notFound, isFound: false})
}

export interface DoubtEnd {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly confirmation: Confirmation
  /** A person recorded it as made; later answers do not undo that. */
  readonly isDeclaredMade: boolean
  /** Set with its amount if a merge of journals did not keep this row. */
  readonly dropped: Pick<RequestRow, 'amount'> | null
  /** It counted as not made before, by an answer or a person, so another may have been made in its place. */
  readonly countedAsRefused: boolean
}

/** A client whose queries end doubts in the journal: an order that is found, and is the one that was sent, was accepted. */
export function endingDoubts(
  client: Pick<ServiceClient, 'queryOrder'>,
  journal: DoubtJournal & Pick<Journal, 'requestsInDoubt'>,
  now: () => number,
  onEnd: (end: DoubtEnd) => void,
): Pick<ServiceClient, 'queryOrder'> {
  const dropped = droppedDoubts(journal)
  return {
    queryOrder: async (kind, orderNo) => {
      const answer = await client.queryOrder(kind, orderNo)
      const kept = await journal.findRequest(kind, orderNo)
      for (const row of [...(kept ? [kept] : []), ...(await dropped(kind, orderNo))]) {
        const confirmation = await endDoubt(row, answer, journal, now)
        const {isDeclaredMade} = row
        const facts = {kind, orderNo, isDeclaredMade, dropped: isDropped(row) ? row : null}
        if (confirmation) onEnd({...facts, confirmation, countedAsRefused: row.state === 'refused'})
      }
      return answer
    },
  }
}

/**
 * A client that compares answers with what the journal sent. An order for somebody else, and a payout in doubt that is
 * not found, throw `answer_untrusted`; an accepted payout that is not found is absent. If another amount was sent, it
 * is added to the answer. What a person recorded as made counts as known.
 */
export function comparingOrders<Client extends Pick<ServiceClient, 'queryOrder'>>(
  client: Client,
  journal: Pick<Journal, 'findRequest' | 'listRequests' | 'fingerprint' | 'recordLook'>,
  profileName: string,
): Client {
  // Most merchants create their orders elsewhere, so one query shows whether any look-up is needed.
  const newest: Partial<Record<OrderKind, Promise<RequestRow[]>>> = {}
  const find = async (kind: OrderKind, orderNo: string) => {
    newest[kind] ??= journal.listRequests(kind, 1)
    return (await newest[kind]).length > 0 ? await journal.findRequest(kind, orderNo) : null
  }
  const queryOrder: ServiceClient['queryOrder'] = async (kind, orderNo) => {
    const answer = await client.queryOrder(kind, orderNo)
    const row = await find(kind, orderNo)
    if (row && !answer.found) await recordAbsence(row, journal)
    if (!row || row.state === 'refused' || (!answer.found && (row.isDeclaredMade || kind === 'deposit')))
      return answer
    const untrusted = (what: string) => {
      const message = `${escapeInvisible(orderNo, 80)}: ${what}.`
      return new Failure(
        'answer_untrusted',
        message,
        `See it: \`${queryCommand(kind, orderNo, profileName)}\`.`,
      )
    }
    if (answer.found) {
      const {differs, sentAmount} = otherThanSent(row, answer, journal)
      if (differs !== null) throw untrusted(differs)
      return sentAmount === null ? answer : {...answer, order: {...answer.order, sentAmount}}
    }
    if (isInDoubt(row) && !isLost(row))
      throw untrusted('it is in doubt, and the service does not find it, which proves nothing')
    return answer
  }
  return new Proxy(client, {
    get(target, name) {
      if (name === 'queryOrder') return queryOrder
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/**
 * Records what an answer shows about a create that was not accepted or not confirmed; an order undoes a refusal.
 * Returns null if nothing is new.
 */
export async function endDoubt(
  row: RequestRow,
  answer: OrderAnswer,
  journal: DoubtJournal,
  now: () => number,
): Promise<Confirmation | null> {
  const {id, kind, orderNo, amount, state, confirmation: before} = row
  if (!answer.found) {
    await recordAbsence(row, journal)
    return null
  }
  // It may be the number's other order, unless the amounts differ.
  const isOneOfTwo = isDropped(row) && (await journal.findRequest(kind, orderNo))?.amount === amount
  const absentBefore = row.absentBefore && !isOneOfTwo
  const {platformOrderNo} = answer.order
  const readEcho = echoOfRow(row, journal.fingerprint)
  const asked = {kind, orderNo, platformOrderNo: row.platformOrderNo, amount, absentBefore, readEcho, journal}
  // A person decided on what was shown then (P19b), so the answer is compared anew.
  const earlier = row.isDeclaredMade ? {...row, confirmation: null} : row
  const confirmation = await compareOrder(answer, asked, earlier, isDropped(row))
  const isContradicted = !confirmation.confirmed && confirmation.because === 'contradicted'
  if (state === 'accepted') {
    // Of an order that was compared before, only a contradiction is new.
    const isLookedAt = before !== null && before !== 'unanswered'
    if (isContradicted && row.isDeclaredMade)
      return confirmation.why === row.confirmationWhy ? null : confirmation
    if (!isContradicted && isLookedAt) return null
  }
  // A refused create stays refused if an older order has its number.
  if (state === 'refused' && !confirmation.confirmed && !absentBefore) return null
  if (state !== 'accepted')
    await journal.recordRequestOutcome(id, 'accepted', {outcomeAtMs: now(), platformOrderNo})
  await journal.recordLook(id, lookOf(confirmation, answer))
  return confirmation
}

/**
 * The status of an accepted payout that the service shows with the values that were sent (P6); null if it does not, or if
 * a person recorded it as made. One that failed paid nobody, and one that is not found is in doubt from now on.
 */
export async function statusShown(
  row: RequestRow,
  client: Pick<ServiceClient, 'queryOrder'>,
  journal: Pick<Journal, 'fingerprint' | 'numberWithPlatformOrder' | 'recordLook'>,
): Promise<ServiceOrder['status'] | null> {
  const {kind, orderNo, platformOrderNo, amount, absentBefore} = row
  if (row.state !== 'accepted' || row.isDeclaredMade || isDropped(row)) return null
  const answer = await askQuietly(client, kind, orderNo)
  if (answer instanceof Failure) return null
  if (!answer.found) {
    await recordAbsence(row, journal)
    return null
  }
  const readEcho = echoOfRow(row, journal.fingerprint)
  const asked = {kind, orderNo, platformOrderNo, amount, absentBefore, readEcho, journal}
  const confirmation = await compareOrder(answer, asked, row, true)
  return confirmation.confirmed || confirmation.because === 'not_shown' ? answer.order.status : null
}
