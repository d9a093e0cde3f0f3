import type {PreparedRequest} from '../api/client.ts'
import {type ExitStatus, Failure} from '../core/failure.ts'
import type {Profile} from '../core/profile.ts'
import type {CreatedOrder} from '../workflows/create-order.ts'

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

/** The service's own `data`, and what became of checking it: the JSON result of a create. */
export function createdView({created, confirmation, mayExist}: CreatedOrder<{readonly raw: object}>) {
  const why = confirmation.confirmed ? {} : {why: confirmation.why}
  return {...created.raw, confirmed: confirmation.confirmed, ...why, ...(mayExist ? {existing: true} : {})}
}

/**
 * Accepted is done, even where the service shows too little to compare. Not so where the check itself failed,
 * where the end could not be written down (8), or where what is shown contradicts (7).
 */
export function createdStatus({confirmation, unrecorded}: CreatedOrder<unknown>): ExitStatus {
  if (unrecorded !== null) return 8
  if (confirmation.confirmed || confirmation.because === 'not_shown') return 0
  return confirmation.because === 'unanswered' ? 8 : 7
}

/** What a person must know of an accepted order besides its data. */
export function createdNotes({confirmation, mayExist, unrecorded}: CreatedOrder<unknown>): string[] {
  return [
    ...(mayExist ? ['note: this request was sent before; this is the order that exists already'] : []),
    ...(confirmation.confirmed ? [] : [`warning: accepted, unconfirmed: ${confirmation.why}`]),
    ...(unrecorded === null
      ? []
      : [`warning: accepted, but the journal could not take it down: ${unrecorded}`]),
  ]
}

/** A value whose signature proves less than it seems (P22). */
export function ambiguityNotes({ambiguous}: PreparedRequest): string[] {
  return ambiguous.map(
    (name) => `warning: ${name} holds "&" and "=": the signed text can be read as other fields, too`,
  )
}
