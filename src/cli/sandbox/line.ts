import {formatTaka} from '../../core/money.ts'
import {visible} from '../../core/text.ts'
import type {SandboxEvent} from '../../sandbox/events.ts'

/** One line of the sandbox's log. */
export function sandboxLine(event: SandboxEvent): string {
  switch (event.type) {
    case 'order_created':
      return `${event.kind} ${visible(event.orderNo)} created`
    case 'order_finished': {
      const amount = event.amount === null ? '' : `, BDT ${formatTaka(event.amount)}`
      return `${event.kind} ${visible(event.orderNo)} ${event.state}${amount}`
    }
    case 'deposit_chosen':
      return `deposit ${visible(event.orderNo)}: the player chose BDT ${formatTaka(event.amount)} by ${event.channel}`
    case 'sms_handled': {
      const payment = event.amount === null ? '' : ` of BDT ${formatTaka(event.amount)} by ${event.channel}`
      const order = event.orderNo === null ? '' : ` deposit ${visible(event.orderNo)}`
      const reason = event.state === 'waiting' ? ` at the desk: ${event.reason}` : ''
      return `SMS ${event.smsId}${payment} ${event.state}${order}${reason}`
    }
    case 'delivery_attempted': {
      const answer =
        event.responseCode === null ? (event.problem ?? 'no answer') : `HTTP ${event.responseCode}`
      const next =
        event.nextRetryAtMs === null ? '' : `, again at ${new Date(event.nextRetryAtMs).toISOString()}`
      const what = event.trigger === 'resend' ? 'resent' : `attempt ${event.attempts}`
      return `${event.event} of ${visible(event.orderNo)} ${what}: ${visible(answer)}${next}`
    }
    case 'request_refused':
      return `${event.method} ${visible(event.path)} refused: HTTP ${event.httpStatus} ${event.code}, ${visible(event.message)}`
    case 'fault_played':
      return `fault ${event.fault} on ${visible(event.where)}, number ${event.n}`
    case 'forgery_answered': {
      const answer = event.responseCode === null ? 'not at all' : `HTTP ${event.responseCode}`
      const meaning = event.isTaken ? ': YOUR RECEIVER TOOK A FORGERY' : ''
      return `forged webhook of ${visible(event.orderNo)} answered ${answer}${meaning}`
    }
    case 'defect':
      return `a defect in the sandbox: ${visible(event.message)}`
  }
}
