import {isUnprovenAbsence} from '../../api/call-error.ts'
import type {
  CreatedDeposit,
  CreatedPayout,
  OrderAnswer,
  PreparedRequest,
  ServiceClient,
} from '../../api/client.ts'
import {latestNow} from '../../core/clocks.ts'
import {asFailure, Failure} from '../../core/failure.ts'
import {formatTaka, type Paisa} from '../../core/money.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import {
  isLost,
  isLostAfterShown,
  type NumberClaim,
  type PayoutGuard,
  type RequestRow,
} from '../../journal/rows.ts'
import {askQuietly, type Confirmation, compareOrder, lookOf} from './confirm.ts'
import {
  isAskedAfter,
  isFound,
  isOutranked,
  isUnreachable,
  leavesDoubt,
  outcomeUnknown,
} from './create-doubt.ts'
import {lostHint, queryCommand, resolveStep} from './doubt-commands.ts'
import {echoOfRequest, fieldsToKeep} from './echo.ts'
import {numberOf} from './first-sent.ts'

export interface CreatePorts {
  readonly client: Pick<ServiceClient, 'createDeposit' | 'createPayout' | 'queryOrder' | 'clockSkewMs'>
  readonly journal: Pick<
    Journal,
    | 'checkNumber'
    | 'claimNumber'
    | 'recordRequestOutcome'
    | 'recordLook'
    | 'recordSkew'
    | 'fingerprint'
    | 'numberWithPlatformOrder'
  >
  /** For command lines in hints. */
  readonly profileName: string
  readonly now: () => number
}

/** What the journal stores of a payout besides its number (P2); nothing of it for a deposit. */
export interface PayoutClaim {
  readonly amount: Paisa
  readonly channel: string
  readonly maskedAccount: string
  readonly payeeFingerprint: string
  /** As in `Payee`. */
  readonly fingerprintWith?: (amount: Paisa) => string
}

/** A deposit session. Without a page if the create was refused and only a query showed the order. */
export type MadeDeposit = Omit<CreatedDeposit, 'payUrl'> & {readonly payUrl: string | null}

/** A payout. Without a status if no answer showed it and an earlier try was accepted. */
export type MadePayout = Omit<CreatedPayout, 'rawStatus'> & {readonly rawStatus: string | null}

/** An order the service accepted, and whether it is the one that was asked for. */
export interface CreatedOrder<Created> {
  readonly created: Created
  readonly confirmation: Confirmation
  /**
   * As the query after the create showed it; null if it showed none. A repeated create is answered like the first,
   * whatever became of the order since.
   */
  readonly shown: Pick<ServiceOrder, 'status' | 'rawStatus'> | null
  /** The same request was sent before: this is its order, or may be if that outcome is unknown. `claims` 0: only found. */
  readonly sentBefore: Pick<RequestRow, 'state' | 'intentAtMs' | 'claims'> | null
  /** The refusal of a create whose order a query or the journal shows nevertheless. */
  readonly foundAfter: Failure | null
  /** Why the journal could not record the outcome; the order is accepted anyway. */
  readonly unrecorded: string | null
  /** For `--wait`: compares a later answer and stores the result. */
  readonly lookAgain: (answer: OrderAnswer | Failure, mayHaveEnded: boolean) => Promise<Confirmation>
}

/**
 * The service's word for its status: that of the query, or if it showed none, of the answer to the create. Null for a
 * deposit that no query showed.
 */
export function statusWordOf({
  created,
  shown,
}: Pick<CreatedOrder<object & {readonly rawStatus?: string | null}>, 'created' | 'shown'>): string | null {
  return shown?.rawStatus ?? created.rawStatus ?? null
}

/** Creates a deposit (service §4.1). An `isTest` deposit may complete at once. Fails as `createOrder` does. */
export async function createDeposit(
  prepared: PreparedRequest<'deposit'>,
  isTest: boolean,
  ports: CreatePorts,
): Promise<CreatedOrder<MadeDeposit>> {
  return await createOrder<MadeDeposit>(
    prepared,
    {
      claim: {amount: null, channel: null, maskedAccount: null, payeeFingerprint: null},
      ...{mayEndAtOnce: isTest, guard: undefined},
      send: () => ports.client.createDeposit(prepared),
      fromQuery: (echo) => ({...echo, payCode: null, payUrl: null}),
    },
    ports,
  )
}

/** Creates a payout (service §4.3). Fails as `createOrder` and the guard do. */
export async function createPayout(
  prepared: PreparedRequest<'payout'>,
  claim: PayoutClaim,
  guard: () => Promise<PayoutGuard>,
  ports: CreatePorts,
): Promise<CreatedOrder<MadePayout>> {
  return await createOrder<MadePayout>(
    prepared,
    {
      ...{claim, mayEndAtOnce: false, guard},
      send: () => ports.client.createPayout(prepared),
      fromQuery: (echo, rawStatus) => ({
        ...echo,
        rawStatus,
        raw: rawStatus === null ? echo.raw : {...echo.raw, status: rawStatus},
      }),
    },
    ports,
  )
}

/** Fields that both answers have, to a create and to a query. */
type Echo = Pick<CreatedPayout, 'merchantId' | 'orderNo' | 'platformOrderNo' | 'raw'>

interface Making<Created> {
  readonly claim: CreateDetails
  readonly mayEndAtOnce: boolean
  /** Called after an answer showed the service's time. */
  readonly guard: (() => Promise<PayoutGuard>) | undefined
  readonly send: () => Promise<Created>
  /** Builds the order from a query if the answer to the create lacks it. */
  readonly fromQuery: (echo: Echo, rawStatus: string | null) => Created
}

/**
 * One create: query a number this machine never sent, claim it on the disk, send, record the outcome, then query the
 * order and compare. The service answers a number used before with the old order, as success (P2, P3). A refusal that
 * proves nothing is a doubt: if a query then finds the order, it was accepted (P6). An accepted payout, and an order
 * that a person recorded as made, is queried and not sent.
 *
 * Throws `number_reused` if the journal has the number with other parameters, before any call, or the service knows the
 * number and the journal does not; `outcome_unknown` if this or an earlier try may have taken effect.
 */
async function createOrder<Created extends {readonly platformOrderNo: string}>(
  prepared: PreparedRequest,
  {claim: details, mayEndAtOnce, guard, send, fromQuery}: Making<Created>,
  ports: CreatePorts,
): Promise<CreatedOrder<Created>> {
  const {kind, orderNo} = prepared
  const {client, journal, now} = ports
  const number = numberOf(prepared)
  const known = await journal.checkNumber(number)
  if (known && kind === 'payout' && isLost(known)) await lookForLost(known, prepared, ports)
  const hasLeft = mayHaveLeft(known)
  const absentBefore = !hasLeft && (await isAbsent(prepared, details, ports))
  const skewMs = client.clockSkewMs
  if (skewMs !== null) await journal.recordSkew(skewMs)
  const intentAtMs = now()
  const sentFields = fieldsToKeep(prepared, journal.fingerprint)
  const claimedAtMs = latestNow({nowMs: intentAtMs, skewMs})
  const claim = await journal.claimNumber(
    {...number, ...details, sentFields, absentBefore, intentAtMs, claimedAtMs},
    await guard?.(),
  )
  const earlier = claim.fresh || claim.row.state === 'refused' ? null : claim.row
  const id = claim.fresh ? claim.id : claim.row.id
  const isNew = absentBefore || (!claim.fresh && claim.row.absentBefore)
  const isSent = earlier?.state !== 'accepted' || (kind === 'deposit' && !earlier.isDeclaredMade)

  let created: Created | null = null
  let foundAfter: Failure | null = null
  let answer: OrderAnswer | Failure | null = null
  try {
    if (isSent) created = await send()
  } catch (thrown) {
    const error = asFailure(thrown)
    answer = isAskedAfter(error, isNew) ? await askQuietly(client, kind, orderNo) : error
    // If the order exists, it was not refused.
    const isDoubt = leavesDoubt(error, answer) || (answer !== error && isFound(answer))
    // Report the failure of the send even if the disk fails now; an open intent counts as unknown.
    if (!earlier)
      await record(() =>
        journal.recordRequestOutcome(id, isDoubt ? 'unknown' : 'refused', {
          outcomeAtMs: now(),
          serviceCode: error.serviceCode ?? null,
        }),
      )
    if (!isDoubt && !(earlier && isOutranked(error))) throw error
    foundAfter = error
  }
  answer ??= await askQuietly(client, kind, orderNo)
  const found = isFound(answer) ? answer.order : null
  const isAnswered = created !== null
  if (created === null) {
    const platformOrderNo = idOf(earlier) ?? found?.platformOrderNo ?? null
    if (platformOrderNo === null)
      throw outcomeUnknown(foundAfter, earlier, answer, prepared, ports.profileName)
    const raw = {merchantId: prepared.merchantId, orderNo, platformOrderNo}
    created = fromQuery({...raw, raw}, found?.rawStatus ?? null)
  }
  const {platformOrderNo} = created
  const asked = {
    ...{kind, orderNo, amount: details.amount, absentBefore: isNew, readEcho: echoOfRequest(prepared)},
    journal,
    platformOrderNo: isAnswered ? platformOrderNo : null,
  }
  let unrecorded = await record(() =>
    journal.recordRequestOutcome(id, 'accepted', {outcomeAtMs: now(), platformOrderNo}),
  )
  const lookAgain = async (later: OrderAnswer | Failure, mayHaveEnded: boolean) => {
    let confirmation = {confirmed: false, because: 'unanswered', why: ''} as Confirmation
    // It was sent, even if the journal can no longer be read or written.
    const unread = await record(async () => {
      confirmation = await compareOrder(later, asked, earlier, mayEndAtOnce || mayHaveEnded)
    })
    unrecorded ??= unread ?? (await record(() => journal.recordLook(id, lookOf(confirmation, later))))
    return unread === null
      ? confirmation
      : {...confirmation, why: `it could not be compared with other orders: ${unread}`}
  }
  const confirmation = await lookAgain(answer, false)
  return {created, confirmation, shown: found, sentBefore: earlier, foundAfter, unrecorded, lookAgain}
}

/** An accepted payout that a query did not find is sent again only if another query does not find it either. */
async function lookForLost(
  row: RequestRow,
  prepared: PreparedRequest,
  {client, journal, profileName, now}: CreatePorts,
): Promise<void> {
  const answer = await askQuietly(client, row.kind, row.orderNo)
  if (isFound(answer)) await journal.recordRequestOutcome(row.id, 'accepted', {outcomeAtMs: now()})
  else if (answer instanceof Failure && !isUnprovenAbsence(answer))
    throw isOutranked(answer) ? outcomeUnknown(answer, row, answer, prepared, profileName) : answer
  else if (isLostAfterShown(row))
    throw new Failure(
      'incomplete',
      `The service showed the payout ${escapeInvisible(row.orderNo, 80)} before, but does not find it now. Nothing was sent.`,
      lostHint(row.kind, row.orderNo, profileName),
    )
}

/** An accepted order stays accepted, whatever a repeated create is answered. */
function idOf(earlier: RequestRow | null): string | null {
  return earlier?.state === 'accepted' ? earlier.platformOrderNo : null
}

/** A create that was never sent is recorded as refused, without an answer of the service. */
function mayHaveLeft(row: RequestRow | null): boolean {
  return row !== null && (row.state !== 'refused' || row.serviceCode !== null)
}

/** Returns the reason if the disk refuses `write`. */
async function record(write: () => Promise<void>): Promise<string | null> {
  try {
    await write()
    return null
  } catch (error) {
    if (error instanceof Failure && error.code !== 'bug') return error.message
    throw error
  }
}

interface AskPorts {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<Journal, 'claimNumber' | 'fingerprint'>
  readonly profileName: string
  readonly now: () => number
}

type CreateDetails = Pick<NumberClaim, 'amount' | 'channel' | 'maskedAccount' | 'payeeFingerprint'>

/**
 * Queries a number that this journal never sent (P2): if the service knows it, it belongs to an older order, however
 * equal. False if the service does not say (A5): the number may be sent, but only a distinguishing mark confirms the
 * order.
 */
async function isAbsent(prepared: PreparedRequest, asked: CreateDetails, ports: AskPorts): Promise<boolean> {
  const {kind, orderNo} = prepared
  const {client, profileName} = ports
  const answer = await askQuietly(client, kind, orderNo)
  if (answer instanceof Failure) {
    if (isUnreachable(answer)) throw answer
    return false
  }
  if (!answer.found) return true
  const {rawStatus, amount} = answer.order
  const shown = `${escapeInvisible(rawStatus, 40)}${amount === null ? '' : `, BDT ${formatTaka(amount)}`}`
  const query = queryCommand(kind, orderNo, profileName)
  const known = `The service already knows the ${kind} number ${escapeInvisible(orderNo, 80)} (${shown}), and nothing says that this journal made it.`
  if (kind === 'deposit' || echoOfRequest(prepared)(answer.raw).isAnothers) {
    const hint = `See the old one with \`${query}\`. If it is another ${kind}, give this one a new number.`
    throw new Failure('number_reused', `${known} Nothing was sent.`, hint)
  }
  await keepFound(answer, prepared, asked, ports)
  throw new Failure(
    'number_reused',
    `${known} It may be this payout. Nothing was sent. From now on it counts as in doubt.`,
    `See it with \`${query}\`. Do not pay it under another number until the service confirms that it is an older payout. Then resolve the doubt: ${resolveStep(kind, orderNo, profileName)}.`,
  )
}

/**
 * Stores a payout that was made elsewhere, for example with a lost journal: guard and ceiling count it as in doubt,
 * until a person resolves it.
 */
async function keepFound(
  {order: {platformOrderNo}}: OrderAnswer & {readonly found: true},
  prepared: PreparedRequest,
  asked: CreateDetails,
  {journal, now}: AskPorts,
): Promise<void> {
  const why = `the service had it before this journal sent it: either the same ${prepared.kind} made elsewhere, or an older one`
  await journal.claimNumber({
    ...{...numberOf(prepared), ...asked, sentFields: fieldsToKeep(prepared, journal.fingerprint)},
    ...{absentBefore: false, intentAtMs: now(), madeElsewhere: {platformOrderNo, why}},
  })
}
