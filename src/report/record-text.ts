import {codeOf, noCode} from '../core/delivery-filter.ts'
import type {JsonNumber, JsonObject, JsonValue} from '../core/json.ts'
import {onItsWayLabel, resendLabels} from '../core/labels.ts'
import type {Delivery, DeliveryStatus} from '../core/order.ts'
import {readPayload} from '../core/payload.ts'
import type {EarlierResend} from '../core/reconcile/evidence.ts'
import {escapeInvisible} from '../core/text.ts'
import {formatSecond, parseInstant} from '../core/time.ts'
import {styledStatus} from './delivery-list.ts'
import {blockText, fieldsText} from './fields-text.ts'
import type {Style} from './table.ts'
import {commandApart} from './wrap.ts'

/**
 * The service's own record of a webhook (service §4.6), with `payload` and `response_body`. Phone numbers and names
 * are masked unless the user asks for them.
 */
export interface RecordDetail extends JsonObject {
  readonly id: string
  readonly order_id: string
  readonly merchant_order_id: string
  readonly url: string
  readonly event: string
  readonly status: DeliveryStatus
  readonly attempts: JsonNumber
  readonly max_attempts: JsonNumber
  readonly next_retry_at: string | null
  readonly created_at: string
}

export interface RecordStory {
  readonly delivery: Delivery
  /** The service's own fields, masked. */
  readonly raw: Readonly<Record<string, JsonValue>>
  readonly earlier: EarlierResend | null
  /** What to do now, in one sentence. */
  readonly next: string
  readonly timeZone: string
}

const linesMax = 20
const shown = new Set([
  ...['id', 'order_id', 'merchant_order_id', 'url', 'event', 'status', 'response_code', 'attempts'],
  ...['max_attempts', 'next_retry_at', 'sent_at', 'created_at', 'payload', 'response_body'],
])

/** A delivery record for reading: what it is, when it was sent, what came back, what to do (P24). */
export function recordText(story: RecordStory, style: Style): string {
  const {delivery, raw} = story
  const {id, event, merchantOrderId, orderId, url, status} = delivery
  const others = Object.entries(raw).filter(([name]) => !shown.has(name))
  const part = (title: string, text: string) => [style('bold', title), text].join('\n')
  return [
    `${escapeInvisible(event)} of ${escapeInvisible(merchantOrderId)}: ${styledStatus(status, style)}`,
    fieldsText({record: id, order: orderId, url, ...Object.fromEntries(others)}),
    part('Timeline', timelineText(story)),
    part('Payload', bodyText(raw.payload)),
    part('Your server answered', bodyText(raw.response_body)),
    part(
      'Next',
      commandApart(story.next)
        .map((line) => `  ${line}`)
        .join('\n'),
    ),
  ].join('\n\n')
}

function timelineText({delivery, earlier, timeZone}: RecordStory): string {
  const {createdAt, sentAt, attempts, attemptsMax, status, nextRetryAt} = delivery
  const code = codeOf(delivery)
  const answer = code === noCode ? 'no answer' : `HTTP ${code}`
  const moments: [ms: number, text: string][] = [[parseInstant(createdAt) ?? 0, 'created']]
  if (earlier)
    moments.push([
      earlier.atMs,
      `resent by ${escapeInvisible(earlier.by ?? 'hisab', 120)}, ${earlier.isOnItsWay ? onItsWayLabel.en : endOf(earlier)}`,
    ])
  if (sentAt !== null && attempts > 0) {
    moments.push([parseInstant(sentAt) ?? 0, `attempt ${attempts}, the latest: ${answer}`])
  }
  const lines = moments
    .sort(([a], [b]) => a - b)
    .map(([ms, text]) => `  ${formatSecond(ms, timeZone)}  ${text}`)
  const due = nextRetryAt === null ? null : parseInstant(nextRetryAt)
  if (due !== null) {
    lines.push(`  ${formatSecond(due, timeZone)}  next retry by the service`)
  } else if (status !== 'success') {
    lines.push(`  no retry is scheduled (${attempts} of ${attemptsMax} attempts made)`)
  }
  return lines.join('\n')
}

function endOf({state}: EarlierResend): string {
  return resendLabels[state === 'accepted' ? 'sent' : state].en
}

/** Indented JSON, numbers unchanged; a long body is cut. */
function bodyText(body: JsonValue | undefined): string {
  if (body === undefined || body === null || body === '') return '  none'
  const lines = blockText(readPayload(body)).split('\n')
  if (lines.length <= linesMax) return lines.join('\n')
  const more = lines.length - linesMax
  return [...lines.slice(0, linesMax), `  … ${more} more lines; --json has all of it`].join('\n')
}
