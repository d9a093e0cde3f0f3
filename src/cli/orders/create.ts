import type {PreparedRequest} from '../../api/client.ts'
import {type ExitStatus, Failure} from '../../core/failure.ts'
import type {OrderKind} from '../../core/order.ts'
import type {Profile} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatSecond} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import {type CreatedOrder, statusWordOf} from '../../workflows/orders/create.ts'
import {prepareAsFirstSent} from '../../workflows/orders/first-sent.ts'
import {styleFor} from '../style.ts'

export interface CreatedView {
  readonly [name: string]: unknown
  readonly status?: string
  /** A query showed the order as it was sent. */
  readonly confirmed: boolean
  readonly why?: string
  /** It was sent before with the same parameters: nothing new was made. */
  readonly existing?: true
  /** Payouts in doubt to the same account, if `--allow-repeat` or a yes paid this one anyway. */
  readonly besideInDoubt?: readonly string[]
}

/** The request as it would be sent, without its signature (P20). */
export interface DryRun {
  readonly dryRun: true
  readonly method: 'POST'
  readonly url: string
  /** The exact body except for the signature. */
  readonly body: string
}

/**
 * What a create would send: the first send's bytes where the number was sent before. Throws `number_reused`.
 *
 * @param journal - null where there is none
 */
export async function dryRunOf<Kind extends OrderKind, Request extends {readonly returnUrl: string}>(
  request: Request,
  prepare: (request: Request) => PreparedRequest<Kind>,
  journal: Pick<Journal, 'checkNumber'> | null,
): Promise<DryRun> {
  const {url, bodyText} = journal ? await prepareAsFirstSent(request, prepare, journal) : prepare(request)
  const body = bodyText.replace(/"signature":"[0-9a-f]*"\}$/, '"signature":"***"}')
  return {dryRun: true, method: 'POST', url, body}
}

export function dryRunText({method, url, body}: DryRun): string {
  return `${method} ${url}\n\n${body}`
}

export function requireReturnUrl(flag: string | undefined, profile: Profile): string {
  const url = flag ?? profile.returnUrl
  if (url !== null) return url
  throw new Failure(
    'usage',
    `There is no address for the webhook: no --return-url, and no return_url in the profile ${profile.name}.`,
    'Add --return-url, or set return_url in the profile or HISAB_RETURN_URL.',
  )
}

/**
 * The JSON result of a create: the service's own `data` with the status that the query showed, and the result of the
 * check. A deposit has a status only if it failed, or its `data` has one. Without proof that the order is ours, its
 * payment page is left out.
 */
export function createdView(
  order: CreatedOrder<{readonly raw: object; readonly rawStatus?: string | null}>,
): CreatedView {
  const {created, confirmation, shown, sentBefore} = order
  const word = statusWordOf(order)
  const isStatusShown = 'rawStatus' in created || 'status' in created.raw || shown?.status === 'failed'
  const status = isStatusShown && word !== null ? {status: word} : {}
  const why = confirmation.confirmed ? {} : {why: confirmation.why}
  const existing = sentBefore ? {existing: true as const} : {}
  const data: Record<string, unknown> = {...created.raw}
  if (isContradicted(order)) for (const name of ['payUrl', 'payCode']) delete data[name]
  return {...data, ...status, confirmed: confirmation.confirmed, ...why, ...existing}
}

/**
 * 0: accepted, even if the service shows no amount (A2). 8: no query shows whether it is this order, or the outcome
 * could not be recorded. 7: the order contradicts the request, or has failed since.
 */
export function createdStatus({confirmation, shown, unrecorded}: CreatedOrder<unknown>): ExitStatus {
  if (unrecorded !== null) return 8
  if (shown?.status === 'failed') return 7
  if (confirmation.confirmed || confirmation.because === 'not_shown') return 0
  return confirmation.because === 'unanswered' ? 8 : 7
}

/** The number seems to belong to an older order. */
export function isContradicted({confirmation}: CreatedOrder<unknown>): boolean {
  return !confirmation.confirmed && confirmation.because === 'contradicted'
}

/** A repeated create keeps the webhook address of the first. */
export function returnUrlNotes(
  {orderNo, returnUrl}: PreparedRequest,
  request: {readonly returnUrl: string},
): string[] {
  if (returnUrl === request.returnUrl) return []
  return [
    `note: ${escapeInvisible(orderNo)} was sent before with the return_url ${escapeInvisible(returnUrl)}. It is sent again with that one.`,
  ]
}

/** Warnings about an accepted order; times in `timeZone`. */
export function createdNotes(
  {confirmation, shown, sentBefore, foundAfter, unrecorded}: CreatedOrder<unknown>,
  orderNo: string,
  timeZone: string,
): string[] {
  return [
    ...(sentBefore ? [oldOrderNote(sentBefore, orderNo, timeZone)] : []),
    ...(foundAfter
      ? [
          `warning: the service did not accept it (${foundAfter.clause}), but ${shown ? 'a query shows it' : 'it had accepted it before'}`,
        ]
      : []),
    ...(confirmation.confirmed ? [] : [`warning: accepted, unconfirmed: ${confirmation.why}`]),
    ...(shown?.status === 'failed'
      ? [`warning: it has failed: its status at the service is now "${escapeInvisible(shown.rawStatus, 60)}"`]
      : []),
    ...(unrecorded === null ? [] : [`warning: accepted, but not written to the journal: ${unrecorded}`]),
  ]
}

/** The service answers a repeated number as if it were new, so this note must be hard to miss (P2). */
function oldOrderNote(
  {state, intentAtMs, claims}: NonNullable<CreatedOrder<unknown>['sentBefore']>,
  orderNo: string,
  timeZone: string,
): string {
  const at = formatSecond(intentAtMs, timeZone)
  const label = styleFor(process.stderr)('yellow', 'OLD ORDER:')
  const number = escapeInvisible(orderNo, 80)
  if (claims === 0)
    return `${label} ${number} was found at the service, at ${at}, and nothing says that this journal made it. Nothing was sent.`
  const sent = `${label} ${number} was sent before, at ${at}, with the same parameters`
  return state === 'accepted'
    ? `${sent}. This is that order. Nothing new was created.`
    : `${sent}, and the outcome was unknown. This may be that order.`
}

export function ambiguityNotes({ambiguous}: PreparedRequest): string[] {
  return ambiguous.map(
    (name) => `warning: ${name} contains "&" and "=", so the signed text can also be read as other fields`,
  )
}
