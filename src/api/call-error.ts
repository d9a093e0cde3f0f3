import {balanceCode} from '../core/dialect.ts'
import {Failure, type FailureCode} from '../core/failure.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import type {CallError} from './classify-response.ts'
import {describeSkew} from './clock-skew.ts'
import type {OperationName} from './operations.ts'

export interface FailedCall {
  readonly operation: OperationName
  readonly effect: 'read' | 'create' | 'resend'
  /** The order number or the delivery id; empty for the list. */
  readonly subject: string
  readonly attempts: number
  readonly clockSkewMs: number | null
  /** The first attempt of this write that may have taken effect. */
  readonly doubt: CallError | undefined
}

/** A 404 means "no such order" only if its address is known to reach the service (A5). */
class UnprovenAbsence extends Failure {}

export function isUnprovenAbsence(failure: Failure): boolean {
  return failure instanceof UnprovenAbsence
}

/** The failure of a call. A write in doubt stays in doubt, whatever a later attempt returned (P6). */
export function failureOf(call: FailedCall, callError: CallError, remark = ''): Failure {
  const {doubt, clockSkewMs} = call
  const tries = call.attempts > 1 ? ` (${call.attempts} tries)` : ''
  if (doubt) {
    const later = doubt === callError ? '' : `; a later try: ${callError.what}`
    const message = `${nameOf(call)}: outcome unknown: ${doubt.what}${later}${tries}.${remark}`
    return new Failure('outcome_unknown', message, hintOfDoubt(call), callError.serviceCode)
  }
  const skew = callError.code === 'credentials_rejected' ? describeSkew(clockSkewMs) : ''
  const message = `${nameOf(call)}: ${callError.what}${tries}.${skew}${remark}`
  if (callError.isUnproven) return new UnprovenAbsence(callError.code, message, unprovenHint)
  return new Failure(callError.code, message, hintOf(call, callError), callError.serviceCode)
}

function nameOf({operation, subject}: FailedCall): string {
  return subject === '' ? operation : `${operation} ${escapeInvisible(subject, 80)}`
}

function hintOfDoubt({operation, effect, subject}: FailedCall): string {
  const shown = quoteForShell(escapeInvisible(subject, 80))
  if (effect === 'resend') {
    return `It may have been delivered again: read the record first, hisab webhooks get ${shown}.`
  }
  const query = operation === 'payout create' ? 'hisab payout query' : 'hisab deposit query'
  return `It may have happened: ${query} ${shown}. Trying again with the same number is safe, with a new one it is not.`
}

const unprovenHint =
  'Check base_url and apply_url of the profile with `hisab doctor`, or query an order that exists; then ask again.'

const closedHereHint =
  'Nothing was sent. If it is the sandbox, start it: `hisab sandbox start`. Else check the address in the profile.'

const hints: Partial<Record<FailureCode, string>> = {
  service_unreachable:
    'Nothing was sent. Check the address in the profile, its proxy if it has one, and the network, then try again.',
  legacy_unavailable:
    'The legacy API is deprecated and may be absent in this deployment; check legacy_url of the profile.',
  answer_untrusted: 'Nothing was concluded from it. Check the address in the profile, then ask again.',
}

const sources = '`hisab config show` shows where each comes from.'

/** Deposits and payouts need only the secret; the webhook log also needs the key and the time. */
function hintOfCredentials({operation, clockSkewMs}: FailedCall, serviceCode = ''): string {
  if (/^(deposit|payout)/.test(operation)) {
    const isSignature = /signature|(?:^|_)sign(?:_|$)/i.test(serviceCode)
    return isSignature
      ? `The service does not accept the signature. Check that api_secret is the secret of this merchant_id. ${sources}`
      : `Check merchant_id and api_secret of the profile. ${sources}`
  }
  if (describeSkew(clockSkewMs) !== '')
    return 'Set this machine’s clock (timedatectl set-ntp true), then run it again.'
  return `Check api_key, api_secret and merchant_id of the profile, and legacy_signature. ${sources}`
}

function hintOf(call: FailedCall, {code, serviceCode, isClosedHere}: CallError): string {
  const {effect} = call
  if (code === 'credentials_rejected') return hintOfCredentials(call, serviceCode)
  if (isClosedHere) return closedHereHint
  if (code === 'service_busy') {
    return effect === 'create'
      ? 'Nothing was sent. Try again later, with the same number.'
      : 'Wait, then run it again. --rate and --concurrency make hisab ask less.'
  }
  if (code === 'service_refused') {
    if (serviceCode === balanceCode) return 'Top up the merchant’s balance, then repeat with the same number.'
    return effect === 'create'
      ? 'Nothing was done. Correct the request, then send it again.'
      : 'Look at what the service says; run it again with --debug to see each call.'
  }
  return hints[code] ?? 'Run it again with --debug to see each call.'
}
