import type {FindingView} from '../../src/report/reconcile-report.ts'
import type {NightFacts} from './report-figures.ts'
import type {Send} from './send-oracle.ts'
import {type Kind, keyOf} from './world.ts'

/** The resends of this run that a finding is about. */
export function sendsOf(
  {provider, delivery, kind, orderNo}: FindingView,
  {world, sends, options}: NightFacts,
): readonly Send[] {
  const truly = world.orderOf(kind as Kind, orderNo ?? '')?.platformNo
  const orderId = delivery?.orderId ?? provider?.platformOrderNo ?? truly ?? ''
  const all = sends.sends.get(keyOf('deposit', `${orderId} order.completed`)) ?? []
  return all.filter(({runId}) => runId === options.runId)
}

/** What is wrong with how a resend is said to have ended, by its tries and the record as it is; null where nothing is. */
export function judgeResend(finding: FindingView, facts: NightFacts): string | null {
  const sent = sendsOf(finding, facts)
  const last = sent.at(-1)
  const hears = last?.made.hears
  const record = facts.world.record(last?.recordId ?? finding.delivery?.id ?? '')
  const hasMoved = record !== undefined && last !== undefined && record.attempts > last.before.attempts
  const isLive = sent.some(
    ({made}) => made.hears !== 'throttled' && made.hears !== 'not_sent' && made.hears !== 'no',
  )
  switch (finding.resend?.state) {
    case 'planned':
    case 'skipped':
      return isLive ? 'it was sent' : null
    case 'refused':
      return hears === 'no' ? null : 'nobody refused it (P6)'
    case 'sent':
      return hears === 'yes' ? null : 'nobody accepted it (P6)'
    case 'delivered':
      return hasMoved && record.status === 'success' ? null : 'its record does not show it (A7)'
    case 'still_failing':
      return hasMoved ? null : 'its record shows no later attempt'
    case 'unknown': {
      const isClear = hears === 'yes' || hears === 'no'
      return sent.length > 0 && isClear && facts.ofRun.length === 1 ? 'its answer was clear' : null
    }
    default:
      return 'no such state'
  }
}
