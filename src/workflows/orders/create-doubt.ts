import type {OrderAnswer, PreparedRequest} from '../../api/client.ts'
import {exitStatusOf, Failure, isStop} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatInstant} from '../../core/time.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {endDoubtHint, queryCommand} from './doubt-commands.ts'

/** A create with unknown outcome, whatever its failure code: even rejected credentials may have come too late. */
class CreateInDoubt extends Failure {}

/** Whether a create that failed this way may have been carried out (P6). */
export function isLeftInDoubt(failure: Failure): boolean {
  return failure instanceof CreateInDoubt
}

/** Whether a query can tell more than this failure does. */
export function isAskedAfter(failure: Failure, absentBefore: boolean): boolean {
  if (failure.code === 'credentials_rejected') return true
  // A number that was unknown before the send can only belong to this order.
  return failure.code === 'service_refused' ? absentBefore : !isUnreachable(failure)
}

/** Whether it may have been carried out (A5b, P6). If a query accepts the credentials, they were not what was refused. */
export function leavesDoubt({code}: Failure, after: OrderAnswer | Failure): boolean {
  if (code !== 'credentials_rejected') return code === 'outcome_unknown'
  return !(after instanceof Failure) || after.code !== 'credentials_rejected'
}

export function isFound(answer: OrderAnswer | Failure): answer is OrderAnswer & {readonly found: true} {
  return !(answer instanceof Failure) && answer.found
}

/** Whether every other call would fail now, too. */
export function isUnreachable(failure: Failure): boolean {
  const {code} = failure
  return (
    isStop(failure) ||
    code === 'service_unreachable' ||
    code === 'credentials_rejected' ||
    code === 'credentials_missing'
  )
}

/** Such a failure takes nothing back of an earlier try that may have taken effect (P6). */
export function isOutranked({code}: Failure): boolean {
  return ([4, 5, 8] as number[]).includes(exitStatusOf[code])
}

/** `failure` ended the create; null if none was sent. */
export function outcomeUnknown(
  failure: Failure | null,
  earlier: RequestRow | null,
  answer: OrderAnswer | Failure,
  {kind, orderNo}: PreparedRequest,
  profileName: string,
): Failure {
  const before = earlier
    ? ` The same request was sent before, at ${formatInstant(earlier.intentAtMs)}, and may have been carried out.`
    : ''
  const asked =
    answer === failure
      ? ''
      : answer instanceof Failure
        ? ` A query${failure === null ? '' : ' after it'} got no answer: ${answer.clause}.`
        : ` A query${failure === null ? '' : ' after it'} does not find the ${kind} yet, which proves nothing.`
  if (failure === null || earlier?.state === 'accepted') {
    const reason = failure === null ? '' : `${failure.message} `
    const sent = failure === null ? ', and nothing was sent' : ''
    const what = `${reason}The ${kind} ${escapeInvisible(orderNo, 80)} is accepted in this journal, by an earlier answer or a person's word${sent}.${asked}`
    const hint = `See it with \`${queryCommand(kind, orderNo, profileName)}\`.`
    return new Failure('incomplete', what, hint, failure?.serviceCode)
  }
  const {message, serviceCode} = failure
  const code = failure.code === 'credentials_rejected' ? failure.code : 'outcome_unknown'
  const hint = endDoubtHint(kind, orderNo, profileName)
  return new CreateInDoubt(code, `${message}${before}${asked}`, hint, serviceCode)
}
