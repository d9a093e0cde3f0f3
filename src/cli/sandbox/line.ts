import {formatTaka} from '../../core/money.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {SandboxEvent} from '../../sandbox/events.ts'

export function sandboxLine(event: SandboxEvent): string {
  switch (event.type) {
    case 'order_created':
      return `${event.kind} ${escapeInvisible(event.orderNo)} created`
    case 'order_finished': {
      const amount = event.amount === null ? '' : `, BDT ${formatTaka(event.amount)}`
      return `${event.kind} ${escapeInvisible(event.orderNo)} ${event.state}${amount}`
    }
    case 'deposit_chosen':
      return `deposit ${escapeInvisible(event.orderNo)}: the player chose BDT ${formatTaka(event.amount)} by ${event.channel}`
    case 'sms_handled': {
      const payment = event.amount === null ? '' : ` of BDT ${formatTaka(event.amount)} by ${event.channel}`
      const order = event.orderNo === null ? '' : ` deposit ${escapeInvisible(event.orderNo)}`
      const reason = event.state === 'waiting' ? ` at the desk: ${event.reason}` : ''
      return `SMS ${event.smsId}${payment} ${event.state}${order}${reason}`
    }
    case 'delivery_attempted': {
      const answer =
        event.responseCode === null ? (event.problem ?? 'no answer') : `HTTP ${event.responseCode}`
      const next =
        event.nextRetryAtMs === null ? '' : `, again at ${new Date(event.nextRetryAtMs).toISOString()}`
      const what = event.trigger === 'resend' ? 'resent' : `attempt ${event.attempts}`
      return `${event.event} of ${escapeInvisible(event.orderNo)} ${what}: ${escapeInvisible(answer)}${next}`
    }
    case 'request_refused':
      return `${event.method} ${escapeInvisible(event.path)} refused: HTTP ${event.httpStatus} ${event.code}, ${escapeInvisible(event.message)}`
    case 'fault_played':
      return `fault ${event.fault} on ${escapeInvisible(event.where)}, number ${event.n}`
    case 'forgery_answered': {
      const answer = event.responseCode === null ? 'not at all' : `HTTP ${event.responseCode}`
      const meaning = event.isTaken ? ': YOUR RECEIVER TOOK A FORGERY' : ''
      return `forged webhook of ${escapeInvisible(event.orderNo)} answered ${answer}${meaning}`
    }
    case 'storage':
      return escapeInvisible(event.problem ?? 'The sandbox can store again, and sends what is due.')
    case 'defect':
      return `a defect in the sandbox: ${escapeInvisible(event.message)}`
  }
}
