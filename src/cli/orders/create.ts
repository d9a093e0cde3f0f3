import type {PreparedRequest} from '../../api/client.ts'
import {type ExitStatus, Failure} from '../../core/failure.ts'
import type {Profile} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatSecond} from '../../core/time.ts'
import type {CreatedOrder} from '../../workflows/orders/create.ts'
import {styleFor} from '../style.ts'

/** The service's own `data`, whatever is in it, and what hisab knows of the order besides. */
export interface CreatedView {
  readonly [name: string]: unknown
  /** The service's own word. */
  readonly status?: string
  /** A query showed the order as it was sent. */
  readonly confirmed: boolean
  readonly why?: string
  /** It was sent before with the same parameters: nothing new was made. */
  readonly existing?: true
}

/** The request as it would be sent, its signature left out (P20). */
export interface DryRun {
  readonly dryRun: true
  readonly method: 'POST'
  readonly url: string
  /** The exact text of the body but for the signature. */
  readonly body: string
}

export function dryRunOf({url, bodyText}: PreparedRequest): DryRun {
  const body = bodyText.replace(/"signature":"[0-9a-f]*"\}$/, '"signature":"***"}')
  return {dryRun: true, method: 'POST', url, body}
}

export function dryRunText({method, url, body}: DryRun): string {
  return `${method} ${url}\n\n${body}`
}

/** The flag's address or the profile's; a create without one is a mistake to be named before anything is sent. */
export function requireReturnUrl(flag: string | undefined, profile: Profile): string {
  const url = flag ?? profile.returnUrl
  if (url !== null) return url
  throw new Failure(
    'usage',
    `Nobody said where the webhook goes: no --return-url, and no return_url in the profile ${profile.name}.`,
    'Give --return-url, or set return_url in the profile or HISAB_RETURN_URL.',
  )
}

/**
 * The service's own `data`, and what became of checking it: the JSON result of a create. The status of an order that
 * has failed since is the one of now. The payment page of an order that may be somebody else's is not shown.
 */
export function createdView(order: CreatedOrder<{readonly raw: object}>): CreatedView {
  const {created, confirmation, shown, sentBefore} = order
  const failed = shown?.status === 'failed' ? {status: shown.rawStatus} : {}
  const why = confirmation.confirmed ? {} : {why: confirmation.why}
  const existing = sentBefore ? {existing: true as const} : {}
  const data: Record<string, unknown> = {...created.raw}
  if (isContradicted(order)) for (const name of ['payUrl', 'payCode']) delete data[name]
  return {...data, ...failed, confirmed: confirmation.confirmed, ...why, ...existing}
}

/**
 * Accepted is done, even where the service does not show the amount (A2). Not so where no query tells whether it is this
 * order, where the end could not be written down (8), or where what is shown contradicts or has failed since (7).
 */
export function createdStatus({confirmation, shown, unrecorded}: CreatedOrder<unknown>): ExitStatus {
  if (unrecorded !== null) return 8
  if (shown?.status === 'failed') return 7
  if (confirmation.confirmed || confirmation.because === 'not_shown') return 0
  return confirmation.because === 'unanswered' ? 8 : 7
}

/** The number seems to belong to an older order: what becomes of that one is not what was asked for. */
export function isContradicted({confirmation}: CreatedOrder<unknown>): boolean {
  return !confirmation.confirmed && confirmation.because === 'contradicted'
}

/** Where the webhook goes of what was sent before. */
export function returnUrlNotes(
  {orderNo, returnUrl}: PreparedRequest,
  request: {readonly returnUrl: string},
): string[] {
  if (returnUrl === request.returnUrl) return []
  return [
    `note: ${escapeInvisible(orderNo)} was sent before with the return_url ${escapeInvisible(returnUrl)}, and is sent again with it`,
  ]
}

/** What a person must know of an accepted order besides its data; times in `timeZone`. */
export function createdNotes(
  {confirmation, shown, sentBefore, foundAfter, unrecorded}: CreatedOrder<unknown>,
  orderNo: string,
  timeZone: string,
): string[] {
  return [
    ...(sentBefore ? [oldOrderNote(sentBefore, orderNo, timeZone)] : []),
    ...(foundAfter
      ? [
          `warning: the service did not accept it (${foundAfter.clause}), and yet ${shown ? 'a query shows it' : 'it accepted it before'}`,
        ]
      : []),
    ...(confirmation.confirmed ? [] : [`warning: accepted, unconfirmed: ${confirmation.why}`]),
    ...(shown?.status === 'failed'
      ? [`warning: it failed: the service calls it "${escapeInvisible(shown.rawStatus, 60)}" now`]
      : []),
    ...(unrecorded === null
      ? []
      : [`warning: accepted, but the journal could not take it down: ${unrecorded}`]),
  ]
}

/** The service answers a repeated number as if it were new, so this is said where nobody can miss it (P2). */
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
    ? `${sent}. This is the order that exists already; nothing new was made.`
    : `${sent}, and how that ended was not known. This may be the order that exists already.`
}

/** A value whose signature proves less than it seems (P22). */
export function ambiguityNotes({ambiguous}: PreparedRequest): string[] {
  return ambiguous.map(
    (name) => `warning: ${name} holds "&" and "=": the signed text can be read as other fields, too`,
  )
}
