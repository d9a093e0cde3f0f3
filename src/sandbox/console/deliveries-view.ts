import {html} from 'hono/html'

import {type DeliveryStatus, deliveryStatuses, retryDelaysMs} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {ListedDelivery} from '../store/console-deliveries.ts'
import type {StoredDelivery} from '../store/deliveries.ts'
import type {Cursor} from '../store/order-lists.ts'
import type {Html} from '../web/html-page.ts'
import {type ConsoleParts, linesPerPage} from './parts.ts'
import {
  badge,
  button,
  fact,
  filters,
  moment,
  nothing,
  outside,
  pager,
  pathWithQuery,
  table,
} from './pieces.ts'

const statusNames: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'Pending',
  success: 'Success',
  failed: 'Failed',
}

const columns = [
  {name: 'Order'},
  {name: 'Event'},
  {name: 'Status'},
  {name: 'Answer'},
  {name: 'Attempts', look: 'number'},
  {name: 'Last sent'},
  {name: 'Next retry'},
  {name: 'Details', look: 'unseen'},
] as const

export function deliveriesView(parts: ConsoleParts, status: DeliveryStatus | null, cursor: Cursor): Html {
  const page = parts.consoleDeliveries.list([...parts.merchants.keys()], status, cursor, linesPerPage)
  const address = (choice: DeliveryStatus | null, more = '') =>
    pathWithQuery('deliveries', choice && `status=${choice}`, more)
  return html`<div class="tools">${filters(
    'Status',
    [[null, 'All'], ...deliveryStatuses.map((choice) => [choice, statusNames[choice]] as const)],
    status,
    address,
  )}</div>
  ${page.lines.length === 0 ? nothing('No deliveries here.') : deliveriesTable(parts, page.lines)}
  ${pager(page, (more) => address(status, more))}`
}

export function deliveriesTable({clock}: ConsoleParts, deliveries: readonly ListedDelivery[]): Html {
  const nowMs = clock.now()
  const rows = deliveries.map(
    (delivery) => html`<tr data-key="${delivery.id}">
      <th scope="row">${outside(delivery.merchantOrderId)}</th>
      <td>${delivery.event}</td>
      <td>${statusBadge(delivery)}</td>
      <td>${answerOf(delivery)}</td>
      <td class="number">${delivery.attempts}</td>
      <td>${moment(delivery.sentAtMs, nowMs)}</td>
      <td>${nextRetry(delivery, nowMs)}</td>
      <td><a href="/console/deliveries/${delivery.id}" aria-label="Details of ${delivery.event} for ${escapeInvisible(delivery.merchantOrderId, 80)}">Details</a></td>
    </tr>`,
  )
  return table('List of deliveries', columns, rows)
}

export function deliveryView({clock}: ConsoleParts, delivery: StoredDelivery): Html {
  const nowMs = clock.now()
  const address = `/console/deliveries/${delivery.id}`
  const {attempts, scheduledAttempts, responseBody, responseCode} = delivery
  return html`<p class="crumb"><a href="/console/deliveries">All deliveries</a></p>
  <dl class="facts">
    ${fact('Status', statusBadge(delivery))}
    ${fact('Event', delivery.event)}
    ${fact('To', outside(delivery.url, 300))}
    ${fact('Answer', answerOf(delivery))}
    ${fact('Attempts', `${attempts}, of them ${scheduledAttempts} by schedule (the first and at most ${retryDelaysMs.length} retries)`)}
    ${fact('Last sent', moment(delivery.sentAtMs, nowMs))}
    ${fact('Next retry', nextRetry(delivery, nowMs))}
    ${fact('Record', html`<code>${delivery.id}</code>`)}
  </dl>
  <div class="actions">${button(`${address}/resend`, 'Resend now', address, {look: 'main'})}</div>
  <h2>Body sent</h2>
  <pre tabindex="0">${shownLines(JSON.stringify(JSON.parse(delivery.payload), null, 2))}</pre>
  <h2>What the receiver answered</h2>
  ${responseBody ? html`<pre tabindex="0">${shownLines(responseBody)}</pre>` : nothing(responseCode === null ? 'No answer.' : 'An empty body.')}`
}

/** Line by line: a line break is what it is, everything else that hides is made visible. */
function shownLines(text: string): Html[] {
  return text.split('\n').map((line) => html`${outside(line, 5000)}\n`)
}

function statusBadge({status}: StoredDelivery): Html {
  return badge(status, status === 'success' ? 'good' : status === 'failed' ? 'bad' : 'open')
}

function answerOf({responseCode, attempts}: StoredDelivery): string {
  if (responseCode !== null) return `HTTP ${responseCode}`
  return attempts === 0 ? '–' : 'none'
}

function nextRetry({status, dueAtMs}: StoredDelivery, nowMs: number): Html | string {
  return status === 'failed' ? moment(dueAtMs, nowMs) : '–'
}
