import {type JsonValue, parseJson} from '../../core/json.ts'
import {formatPaisa, parsePaisa} from '../../core/money.ts'
import {maskPersonal, maskPhones} from '../../core/personal.ts'
import {formatInstant} from '../../core/time.ts'
import type {Notice} from '../../receiver/notice.ts'
import type {StoredEvent} from '../../receiver/stored-events.ts'
import type {Webhook} from '../../receiver/webhook.ts'
import type {ForwardedView, ReceivedView, StoredView} from '../../report/received-text.ts'
import type {HandedOn} from './forward-pending.ts'

/** Named fields only, so that nothing else of a body reaches a terminal (P20). */
export function viewReceived(notice: Notice & {readonly type: 'received'}, timeZone: string): ReceivedView {
  const {atMs, webhook, undocumented, taken, httpStatus, forward} = notice
  const isAnswered = forward?.kind === 'answered'
  return {
    receivedAt: formatInstant(atMs, timeZone),
    outcome: taken.novelty,
    httpStatus,
    ...viewFields(webhook),
    undocumented,
    firstReceivedAt: taken.novelty === 'new' ? null : formatInstant(taken.firstAtMs, timeZone),
    forward: forward && {
      httpStatus: isAnswered ? forward.httpStatus : null,
      acknowledged: isAnswered && forward.httpStatus >= 200 && forward.httpStatus < 300,
      problem: isAnswered ? null : forward.problem,
    },
  }
}

export function viewForwarded(
  {event, whyHeld, forward, isAcknowledged}: HandedOn,
  timeZone: string,
): ForwardedView {
  return {
    receivedAt: formatInstant(event.receivedAtMs, timeZone),
    ...viewFields(event),
    held: whyHeld !== null,
    acknowledged: isAcknowledged,
    httpStatus: forward?.kind === 'answered' ? forward.httpStatus : null,
    problem: whyHeld ?? (forward?.kind === 'unanswered' ? forward.problem : null),
  }
}

export function viewStored(stored: StoredEvent, timeZone: string): StoredView {
  const {
    isConflict,
    receivedAtMs,
    forward,
    forwards,
    forwardStatus,
    acknowledgedAtMs,
    closedBy,
    closeReason,
  } = stored
  return {
    receivedAt: formatInstant(receivedAtMs, timeZone),
    ...viewFields(stored),
    conflict: isConflict,
    forward,
    forwards,
    forwardStatus,
    // A person's closing is no acknowledgement by a server.
    acknowledgedAt:
      acknowledgedAtMs === null || closedBy !== null ? null : formatInstant(acknowledgedAtMs, timeZone),
    closedBy,
    closeReason,
  }
}

/** A stored content with wallet numbers and names masked. */
export function viewContent(content: string): JsonValue {
  return maskPersonal(parseJson(content))
}

function viewFields({event, orderNo, orderId, status, amount, playerRef}: Omit<Webhook, 'digest'>) {
  const paisa = amount === null ? null : parsePaisa(amount)
  return {
    event: event === '' ? null : event,
    orderNo,
    // Without an id in the body, the event is stored under the order number and its name.
    platformOrderNo: orderNo !== null && orderId.endsWith(`=${orderNo}`) ? null : orderId,
    status,
    amount: paisa === null ? amount : formatPaisa(paisa),
    playerRef: playerRef === null ? null : maskPhones(playerRef),
  }
}
