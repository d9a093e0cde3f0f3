import {Failure, isStop} from '../../core/failure.ts'
import {isLeftInDoubt} from '../orders/create-doubt.ts'

export type PayoutLineState = 'accepted' | 'contradicted' | 'refused' | 'unknown' | 'not_sent'

/** What became of a payout whose create failed. */
export function stateAfter(failure: Failure): PayoutLineState {
  const {code} = failure
  if (isLeftInDoubt(failure)) return 'unknown'
  if (code === 'service_refused') return 'refused'
  // From the query before the create: the service has an older payout.
  return code === 'number_reused' ? 'contradicted' : 'not_sent'
}

/** Whether the next payout would fare no better, whatever it is. */
export function isPointless(failure: Failure): boolean {
  if (failure.serviceCode === 'INSUFFICIENT_BALANCE' || isStop(failure)) return true
  switch (failure.code) {
    case 'outcome_unknown':
    case 'service_refused':
    case 'number_reused':
    case 'service_unreachable':
    case 'service_busy':
    case 'answer_untrusted':
    case 'incomplete':
      return false
    default:
      return true
  }
}

/** Payouts stop after this many in a row that were not accepted: the fault is then not the payout's. */
export const notAcceptedInARowMax = 5

export function tooManyInARow(last: Failure): Failure {
  return new Failure(
    last.code === 'service_unreachable' ? 'service_unreachable' : 'incomplete',
    `${notAcceptedInARowMax} payouts in a row were not accepted; the last one: ${last.message}`,
    'Find out what they have in common, then run the same command again: it goes on where this one stopped.',
  )
}

/** What stopped the run from outside. */
export function reasonOf({reason}: AbortSignal): Failure {
  return reason instanceof Failure ? reason : new Failure('interrupted', 'Interrupted.', 'Run it again.')
}
