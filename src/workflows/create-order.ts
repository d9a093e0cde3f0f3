import type {CreatedDeposit, CreatedPayout, PreparedRequest, ServiceClient} from '../api/client.ts'
import {quoted} from '../config/shell-quote.ts'
import {exitStatusOf, Failure} from '../core/failure.ts'
import type {Paisa} from '../core/money.ts'
import type {OrderKind, ServiceOrder} from '../core/order.ts'
import {formatInstant} from '../core/time.ts'
import type {Journal} from '../journal/journal.ts'
import type {NumberClaim, PayoutGuard, RequestOutcome, RequestRow, RequestState} from '../journal/rows.ts'
import {askQuietly, type Confirmation, compareOrder} from './confirm-order.ts'
import {numberOf} from './first-sent.ts'

export interface CreatePorts {
  readonly client: Pick<ServiceClient, 'createDeposit' | 'createPayout' | 'queryOrder'>
  readonly journal: Pick<Journal, 'claimNumber' | 'settleRequest'>
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
}

/** An order the service accepted, and whether it is the one that was asked for. */
export interface CreatedOrder<Created> {
  readonly created: Created
  readonly confirmation: Confirmation
  /**
   * As the query after the create showed it; null where it showed none. The answer to a create that is repeated is the
   * first one's, whatever became of the order since.
   */
  readonly shown: Pick<ServiceOrder, 'status' | 'rawStatus'> | null
  /** The same request had been sent before: this is, or where that one's end is not known may be, its order. */
  readonly sentBefore: Pick<RequestRow, 'state' | 'intentAtMs'> | null
  /** Why the journal could not take the end down; the order is accepted all the same. */
  readonly unrecorded: string | null
}

/** Document §4.1: a hosted payment session. `isTest` orders may complete at once. Failures as `createOrder`. */
export async function createDeposit(
  prepared: PreparedRequest<'deposit'>,
  isTest: boolean,
  ports: CreatePorts,
): Promise<CreatedOrder<CreatedDeposit>> {
  const claim = {amount: null, channel: null, maskedAccount: null, payeeFingerprint: null}
  const take = {...claim, mayEndAtOnce: isTest, guard: undefined}
  return await createOrder(prepared, take, () => ports.client.createDeposit(prepared), ports)
}

/** Document §4.3: a payout. Failures as `createOrder`, and those of the guard. */
export async function createPayout(
  prepared: PreparedRequest<'payout'>,
  claim: PayoutClaim,
  guard: PayoutGuard,
  ports: CreatePorts,
): Promise<CreatedOrder<CreatedPayout>> {
  const take = {...claim, mayEndAtOnce: false, guard}
  return await createOrder(prepared, take, () => ports.client.createPayout(prepared), ports)
}

interface Take extends Pick<NumberClaim, 'amount' | 'channel' | 'maskedAccount' | 'payeeFingerprint'> {
  readonly mayEndAtOnce: boolean
  readonly guard: PayoutGuard | undefined
}

/**
 * One create: claim the number on the disk, send, write down how it ended, then ask the service for the order
 * and compare. The service answers a number that was used before with the old order, as success (P2, P3).
 *
 * Throws `number_reused` before any network use where the journal has the number with other parameters;
 * `outcome_unknown` where this or an earlier try may have taken effect.
 */
async function createOrder<Created extends {readonly platformOrderNo: string}>(
  prepared: PreparedRequest,
  {mayEndAtOnce, guard, ...details}: Take,
  send: () => Promise<Created>,
  ports: CreatePorts,
): Promise<CreatedOrder<Created>> {
  const {kind, orderNo} = prepared
  const {client, journal, now} = ports
  const claim = journal.claimNumber({...numberOf(prepared), ...details, intentAtMs: now()}, guard)
  const earlier = claim.fresh || claim.row.state === 'refused' ? null : claim.row
  const id = claim.fresh ? claim.id : claim.row.id

  let created: Created
  try {
    created = await send()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const state = error.code === 'outcome_unknown' ? 'unknown' : 'refused'
    const {serviceCode = null} = error
    // Whatever the disk says now, the failure of the send is the one to tell; an intent left open counts as unknown.
    if (!earlier) settle(journal, id, state, {settledAtMs: now(), serviceCode})
    throw inDoubt(error, earlier, kind, orderNo, ports.profileName)
  }
  const {platformOrderNo} = created
  const unrecorded = settle(journal, id, 'accepted', {settledAtMs: now(), platformOrderNo})
  const asked = {kind, orderNo, platformOrderNo, amount: details.amount}
  const answer = await askQuietly(client, kind, orderNo)
  const confirmation = compareOrder(answer, asked, {
    earlierPlatformOrderNo: earlier?.platformOrderNo ?? null,
    mayHaveEnded: earlier !== null || mayEndAtOnce,
  })
  const shown = !(answer instanceof Failure) && answer.found ? answer.order : null
  return {created, confirmation, shown, sentBefore: earlier, unrecorded}
}

function settle(
  journal: CreatePorts['journal'],
  id: number,
  state: RequestState,
  outcome: RequestOutcome,
): string | null {
  try {
    journal.settleRequest(id, state, outcome)
    return null
  } catch (error) {
    if (error instanceof Failure && error.code !== 'bug') return error.message
    throw error
  }
}

/** Once an earlier try may have taken effect, no later refusal takes that back (P6). */
function inDoubt(
  failure: Failure,
  earlier: RequestRow | null,
  kind: OrderKind,
  orderNo: string,
  profileName: string,
): Failure {
  const {code, message, serviceCode} = failure
  const isOutranked = ([4, 5, 8] as number[]).includes(exitStatusOf[code])
  if (code !== 'outcome_unknown' && !(earlier && isOutranked)) return failure
  const query = `hisab ${kind} query ${quoted(orderNo)} --profile ${quoted(profileName)}`
  const before = earlier
    ? ` The same request was sent before, at ${formatInstant(earlier.intentAtMs)}, and may have been carried out.`
    : ''
  return new Failure(
    'outcome_unknown',
    `${message}${before}`,
    `It may have happened. Ask first: \`${query}\`. Sending it again with the same number is safe, with a new one it is not.`,
    serviceCode,
  )
}
