import {causeLabel, resendLabels, severityLabels, verdictLabel} from '../core/labels.ts'
import type {OrderKind} from '../core/order.ts'
import type {ResendState} from '../core/reconcile/finding.ts'
import type {Cause, Severity, Verdict} from '../core/reconcile/verdict.ts'
import {escapeInvisible} from '../core/text.ts'
import {type CreateView, standingOf} from './creates-list.ts'
import {type RecordView, shownTime, styledStatus} from './delivery-list.ts'
import {counted, grouped} from './figures.ts'
import type {OrderView} from './orders-list.ts'
import type {StoredView} from './received-text.ts'
import type {Style} from './table.ts'
import {commandApart, wrapText} from './wrap.ts'

export interface FoundView {
  readonly number: string
  readonly orders: readonly FoundOrderView[]
  /** False if something may be missing. */
  readonly complete: boolean
  readonly incompleteBecause: readonly string[]
}

/** Times are ISO 8601 in the profile's time zone. */
export interface FoundOrderView {
  readonly orderNo: string
  /** The service's answers for it as a deposit and as a payout. */
  readonly service: readonly (OrderView & {readonly kind: OrderKind})[]
  /** Null if the delivery records could not be read. */
  readonly webhooks: readonly RecordView[] | null
  /** Stored by `webhooks listen`. */
  readonly received: readonly StoredView[]
  readonly resends: readonly FoundResendView[]
  readonly created: readonly CreateView[]
  readonly ledger: readonly FoundRowView[]
  readonly openItems: readonly FoundItemView[]
  readonly next: readonly string[]
}

export interface FoundResendView {
  readonly at: string
  /** Null in runs of an older hisab. */
  readonly by: string | null
  readonly runId: string
  readonly deliveryId: string
  readonly event: string
  readonly state: ResendState
}

export interface FoundRowView {
  readonly runId: string
  readonly kind: OrderKind | null
  /** Null if only the line is known. */
  readonly status: string | null
  readonly amount: string | null
  readonly line: number | null
  /** False if the run stopped before it came to a result. */
  readonly compared: boolean
  /** Ledger and service agreed in this run. */
  readonly agreed: boolean
}

export interface FoundItemView {
  readonly kind: OrderKind
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly severity: Severity
  readonly amountAtRisk: string | null
  readonly openedAt: string
  readonly lastRunId: string
  /** The last person it was assigned to, and the last note. */
  readonly owner: string | null
  readonly note: string | null
}

const noteWidth = 78

/** Everything known of a number, for 80 columns (P24). `silent`: the service that gave no answer. */
export function foundText(
  {number, orders, complete}: FoundView,
  timeZone: string,
  style: Style,
  silent: string | null = null,
): string {
  if (orders.length === 0) {
    const shown = escapeInvisible(number, 80)
    if (complete) return `Nothing is known of ${shown}.`
    const why = silent === null ? 'not everything could be read' : `no answer from ${silent}`
    return `${shown} could not be looked up: ${why}.`
  }
  return orders.map((order) => orderText(order, timeZone, style)).join('\n\n')
}

function orderText(order: FoundOrderView, timeZone: string, style: Style): string {
  const {service, webhooks, received, resends, created, ledger, openItems, next} = order
  const time = (text: string) => shownTime(text, timeZone)
  const parts: [title: string, lines: readonly string[], none: string | null][] = [
    ['At the service', shown(service.flatMap(serviceLines)), 'no such order'],
    [
      'Webhooks',
      (webhooks ?? []).flatMap((record) => recordLines(record, time, style)),
      webhooks === null ? 'not read' : 'none on record',
    ],
    ['Resent by hisab', shown(resends.map((resend) => resendLine(resend, time))), null],
    ['Received here', shown(received.map((event) => receivedLine(event, time))), null],
    ['Created here', shown(created.map((create) => createLine(create, time))), null],
    ['In the ledgers', shown(ledger.map(ledgerLine)), null],
    ['Open items', shown(openItems.flatMap((item) => itemLines(item, time))), null],
    ['Next', shown(next.flatMap(commandApart)), null],
  ]
  const texts = parts.flatMap(([title, lines, none]) => {
    const body = lines.length > 0 ? lines : none === null ? [] : [none]
    return body.length === 0 ? [] : [[style('bold', title), ...body.map((line) => `  ${line}`)].join('\n')]
  })
  return [style('bold', `Order ${escapeInvisible(order.orderNo, 80)}`), ...texts].join('\n')
}

function shown(lines: readonly string[]): string[] {
  return lines.map((line) => escapeInvisible(line))
}

function serviceLines({kind, found, status, rawStatus, amount, platformOrderNo, why}: ServiceView): string[] {
  if (found === null) return [`${kind}: no answer (${why})`]
  if (!found) return []
  const word = status === 'unknown_status' ? `"${rawStatus}", a status the profile does not know` : status
  return [`${kind}, ${word}${money(amount)}`, `platform number ${platformOrderNo}`]
}
type ServiceView = FoundOrderView['service'][number]

function money(amount: string | null): string {
  return amount === null ? '' : `, BDT ${grouped(amount)}`
}

function recordLines(record: RecordView, time: (text: string) => string, style: Style): string[] {
  const {id, event, status, response_code: code, attempts, created_at: createdAt} = record
  const answer = code === null || code === 0 ? 'no answer' : `HTTP ${code}`
  const retry = record.next_retry_at === null ? '' : `, next retry ${time(record.next_retry_at)}`
  const tries = counted(attempts, 'try', 'tries')
  return [
    `${time(createdAt)}  ${escapeInvisible(event, 60)}  ${styledStatus(status, style)}, ${answer}, ${tries}${retry}`,
    `             ${escapeInvisible(id, 60)}`,
  ]
}

function resendLine({at, by, runId, event, state}: FoundResendView, time: (text: string) => string): string {
  return `${time(at)}  ${event}  ${resendLabels[state].en}${by === null ? '' : `, by ${by}`}, run ${runId}`
}

function receivedLine(view: StoredView, time: (text: string) => string): string {
  const {receivedAt, event, status, amount, conflict, forward} = view
  const forwarded = {
    acknowledged: ', your server acknowledged it',
    superseded: ', your server acknowledged another of it',
    pending: ', your server has not acknowledged it',
    unknown: ', its forward has no known end',
    closed: ', a person closed it',
  }
  const how =
    conflict && forward !== 'closed'
      ? ', CONFLICT with what was acknowledged'
      : forward === null
        ? ''
        : forwarded[forward]
  return `${time(receivedAt)}  ${event ?? status ?? 'webhook'}${money(amount)}${how}`
}

function createLine(view: CreateView, time: (text: string) => string): string {
  const {kind, sentAt, sentBy, amount, account} = view
  const to = account === null ? '' : ` to ${account}`
  return `${time(sentAt)}  ${kind}${money(amount)}${to}, ${standingOf(view)}${sentBy === null ? '' : `, by ${sentBy}`}`
}

function ledgerLine({runId, status, amount, line, agreed, compared}: FoundRowView): string {
  const row = line === null ? '' : `line ${line}, `
  const unknown = compared ? 'did not agree, or got no answer' : 'not compared'
  const said = status === null ? unknown : `${status}${money(amount)}`
  return `run ${runId}: ${row}${said}${agreed ? ', agreed with the service' : ''}`
}

function itemLines(item: FoundItemView, time: (text: string) => string): string[] {
  const {kind, verdict, cause, severity, amountAtRisk, openedAt, owner, note} = item
  const why = cause === null ? '' : ` (${causeLabel(cause, kind).en})`
  const risk = amountAtRisk === null ? '' : `, BDT ${grouped(amountAtRisk)} at risk`
  return [
    `${verdictLabel(verdict, kind).en}${why}, open since ${time(openedAt)}${risk}, ${severityLabels[severity].en}`,
    ...(owner === null ? [] : [`Owner: ${owner}`]),
    ...(note === null ? [] : wrapText(`Note: ${note}`, noteWidth, '').split('\n')),
  ]
}
