import {isUnprovenAbsence} from '../../api/call-error.ts'
import type {
  CreatedDeposit,
  CreatedPayout,
  OrderAnswer,
  PreparedRequest,
  ServiceClient,
} from '../../api/client.ts'
import {asFailure, Failure} from '../../core/failure.ts'
import {formatTaka, type Paisa} from '../../core/money.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {isClockOff} from '../../core/payout-limits.ts'
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
import {lostHint, queryCommand, resolveCommand} from './doubt-commands.ts'
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
  /** For the command lines a hint names. */
  readonly profileName: string
  readonly now: () => number
}

/** What the journal keeps of a payout besides its number (P2); a deposit has none of it. */
export interface PayoutClaim {
  readonly amount: Paisa
  readonly channel: string
  readonly maskedAccount: string
  readonly payeeFingerprint: string
  /** As in `Payee`. */
  readonly fingerprintWith?: (amount: Paisa) => string
}

/** A deposit session; without its page where only a query showed it, because the create was refused. */
export type MadeDeposit = Omit<CreatedDeposit, 'payUrl'> & {readonly payUrl: string | null}

/** A payout; without its status where no answer showed it and an earlier try was accepted. */
export type MadePayout = Omit<CreatedPayout, 'rawStatus'> & {readonly rawStatus: string | null}

/** An order the service accepted, and whether it is the one that was asked for. */
export interface CreatedOrder<Created> {
  readonly created: Created
  readonly confirmation: Confirmation
  /**
   * As the query after the create showed it; null where it showed none. The answer to a create that is repeated is the
   * first one's, whatever became of the order since.
   */
  readonly shown: Pick<ServiceOrder, 'status' | 'rawStatus'> | null
  /** The same request had been sent before: this is, or where that one's end is not known may be, its order. Of no claim: it was found there. */
  readonly sentBefore: Pick<RequestRow, 'state' | 'intentAtMs' | 'claims'> | null
  /** The refusal of a create whose order a query or the journal has anyway. */
  readonly foundAfter: Failure | null
  /** Why the journal could not record the outcome; the order is accepted anyway. */
  readonly unrecorded: string | null
  /** Compares a later answer and keeps the result; for `--wait`. */
  readonly lookAgain: (answer: OrderAnswer | Failure, mayHaveEnded: boolean) => Promise<Confirmation>
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

/** What the answer to a create and the answer to a query have in common. */
type Echo = Pick<CreatedPayout, 'merchantId' | 'orderNo' | 'platformOrderNo' | 'raw'>

interface Making<Created> {
  readonly claim: CreateDetails
  readonly mayEndAtOnce: boolean
  /** Asked for once the service has shown what time it is. */
  readonly guard: (() => Promise<PayoutGuard>) | undefined
  readonly send: () => Promise<Created>
  /** The order from a query, where the answer to the create did not have it. */
  readonly fromQuery: (echo: Echo, rawStatus: string | null) => Created
}

/**
 * One create: ask for a number that never left this machine, claim it on the disk, send, write down how it ended, then
 * ask the service for the order and compare. The service answers a number that was used before with the old order,
 * as success (P2, P3). A "no" that proves nothing is a doubt: an order that a query then finds was accepted (P6). A
 * payout that was accepted, and what a person said was made, is looked at and not sent.
 *
 * Throws `number_reused` where the journal has the number with other parameters, before any network use, and where
 * the service knows the number and the journal does not; `outcome_unknown` where this or an earlier try may have taken effect.
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
  const claimedAtMs = intentAtMs + Math.max(0, isClockOff(skewMs) ? skewMs : 0)
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
    // A refusal that an order contradicts was none.
    const isDoubt = leavesDoubt(error, answer) || (answer !== error && isFound(answer))
    // Whatever the disk says now, report the failure of the send; an open intent counts as unknown.
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
    // It was sent: what the journal cannot tell or take any more makes that no less true.
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

/** A payout that was accepted and not found since is sent again only where a query still does not find it. */
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

/** An order that was accepted stays so, however badly the same again is answered. */
function idOf(earlier: RequestRow | null): string | null {
  return earlier?.state === 'accepted' ? earlier.platformOrderNo : null
}

/** A create held back on this machine is recorded as refused, without an answer of the service. */
function mayHaveLeft(row: RequestRow | null): boolean {
  return row !== null && (row.state !== 'refused' || row.serviceCode !== null)
}

/** Runs `write`, and returns why the disk refused it. */
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

/** What the journal keeps of a create besides its number. */
type CreateDetails = Pick<NumberClaim, 'amount' | 'channel' | 'maskedAccount' | 'payeeFingerprint'>

/**
 * Asks for a number this journal has never sent (P2): one that the service knows belongs to an older order, however
 * equal it looks. False where the service does not say (A5): the number may be sent, and what comes of it is confirmed
 * only by what tells it from an older order.
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
    `See it with \`${query}\`. Do not pay it under another number until the service confirms that it is an older payout. Then resolve the doubt: \`${resolveCommand(kind, orderNo, profileName)}\`.`,
  )
}

/**
 * Keeps a payout that was made elsewhere, for example with a lost journal: the guard and the ceiling count it like
 * one in doubt, until a person resolves it.
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
