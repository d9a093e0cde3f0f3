import type {ServiceOrder} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {madeCommand, resolveWords} from './doubt-commands.ts'

/**
 * That the service has an order which a person recorded as not made, as sentences; null if it does not, or has it with another
 * amount, as an older one.
 */
export function madeAfterAll(
  row: RequestRow | null | undefined,
  {status, amount, rawStatus}: Pick<ServiceOrder, 'status' | 'amount' | 'rawStatus'>,
  profileName: string,
): string | null {
  if (!row?.isDeclaredNotMade || status === 'failed') return null
  if (row.amount !== null && amount !== null && row.amount !== amount) return null
  const {kind, orderNo} = row
  const isPayout = kind === 'payout'
  const word = status === 'unknown_status' ? `"${escapeInvisible(rawStatus, 60)}"` : status
  const has =
    isPayout && status === 'completed'
      ? 'the service paid it'
      : `the service has it as ${word}${isPayout ? ', so it may be paid' : ''}`
  const {no, yes} = resolveWords[kind]
  const again = isPayout ? ' Do not pay it again.' : ''
  return `The ${kind} ${escapeInvisible(orderNo, 80)} is recorded as ${no.replace('-', ' ')}, but ${has}.${again} If it is this one, record it as ${yes}: ${madeCommand(kind, orderNo, profileName)}`
}
