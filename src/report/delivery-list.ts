import type {Delivery, DeliveryStatus} from '../core/order.ts'
import {formatMinute, parseInstant} from '../core/time.ts'
import type {ListColumn} from './list-text.ts'
import type {Style} from './table.ts'

export interface RecordView {
  readonly id: string
  readonly order_id: string
  readonly merchant_order_id: string
  readonly url: string
  readonly event: string
  readonly status: DeliveryStatus
  readonly response_code: number | null
  readonly attempts: number
  readonly max_attempts: number
  /** Null if the service will not try again. */
  readonly next_retry_at: string | null
  readonly sent_at: string | null
  readonly created_at: string
}

export function viewRecord(delivery: Delivery): RecordView {
  return {
    id: delivery.id,
    order_id: delivery.orderId,
    merchant_order_id: delivery.merchantOrderId,
    url: delivery.url,
    event: delivery.event,
    status: delivery.status,
    response_code: delivery.responseCode,
    attempts: delivery.attempts,
    max_attempts: delivery.attemptsMax,
    next_retry_at: delivery.nextRetryAt,
    sent_at: delivery.sentAt,
    created_at: delivery.createdAt,
  }
}

export function styledStatus(status: DeliveryStatus, style: Style): string {
  return style(status === 'success' ? 'green' : status === 'failed' ? 'red' : 'yellow', status)
}

/** On a screen, times are in `timeZone`, to the minute and without the year; in CSV as the service wrote them. */
export function recordColumns(timeZone: string): ListColumn<RecordView>[] {
  const text = (name: keyof RecordView, title?: string): ListColumn<RecordView> => ({
    name,
    kind: 'text',
    value: (row) => row[name],
    ...(title === undefined ? {} : {title}),
  })
  const time = (name: 'created_at' | 'next_retry_at' | 'sent_at', title: string): ListColumn<RecordView> => ({
    ...text(name, title),
    shown: (row) => shownTime(row[name], timeZone),
  })
  return [
    text('id', 'ID'),
    text('order_id'),
    {...text('merchant_order_id', 'ORDER'), isLast: true},
    text('url'),
    {...text('event', 'EVENT'), dropRank: 3},
    text('status', 'STATUS'),
    {name: 'response_code', title: 'HTTP', kind: 'number', value: (row) => row.response_code},
    {name: 'attempts', title: 'TRIES', kind: 'number', value: (row) => row.attempts},
    {name: 'max_attempts', kind: 'number', value: (row) => row.max_attempts},
    {...time('next_retry_at', 'NEXT RETRY'), dropRank: 1},
    {...time('sent_at', 'LAST SENT'), dropRank: 4},
    {...time('created_at', 'CREATED'), dropRank: 2},
  ]
}

/** `11-20 01:10`; empty for an invalid time. */
export function shownTime(text: string | null, timeZone: string): string {
  const ms = text === null ? null : parseInstant(text)
  return ms === null ? '' : formatMinute(ms, timeZone).slice(-'11-20 02:14'.length)
}
