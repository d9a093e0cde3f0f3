import {html} from 'hono/html'

import {type DeliveryStatus, deliveryStatuses, retryDelaysMs} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {type AttemptView, showAttempt} from '../attempt-view.ts'
import type {ListedDelivery} from '../store/console-deliveries.ts'
import type {StoredDelivery} from '../store/deliveries.ts'
import type {Cursor} from '../store/order-lists.ts'
import type {Html} from '../web/html-page.ts'
import {orderAddress} from './orders-view.ts'
import {type ConsoleParts, linesPerPage} from './parts.ts'
import {
  badge,
  button,
  fact,
  filters,
  foundLine,
  messageView,
  moment,
  nothing,
  outside,
  pager,
  pathWithQuery,
  searchForm,
  sentence,
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
  {name: 'Last attempt'},
  {name: 'Attempts', look: 'number'},
  {name: 'Last sent'},
  {name: 'Next retry'},
  {name: 'Details', look: 'unseen'},
] as const

const all = html`<a href="/console/deliveries">All deliveries</a>`

export function deliveriesView(
  parts: ConsoleParts,
  status: DeliveryStatus | null,
  text: string,
  cursor: Cursor,
): Html {
  const {consoleDeliveries, merchants} = parts
  const page = text
    ? consoleDeliveries.search(text, linesPerPage)
    : consoleDeliveries.list([...merchants.keys()], status, cursor, linesPerPage)
  const address = (choice: DeliveryStatus | null, more = '') =>
    pathWithQuery('deliveries', choice && `status=${choice}`, more)
  const states = [
    [null, 'All'],
    ...deliveryStatuses.map((choice) => [choice, statusNames[choice]] as const),
  ] as const
  return html`<div class="tools">${text ? '' : filters('Status', states, status, address)}
    ${searchForm('/console/deliveries', text, 'Search deliveries', 'Any part of an order number or an id')}</div>
  ${page.lines.length === 0 ? noDeliveries(status, text) : deliveriesTable(parts, page.lines)}
  ${text ? foundLine(page.lines.length, page.hasOlder, all) : pager(page, (more) => address(status, more))}`
}

function noDeliveries(status: DeliveryStatus | null, text: string): Html {
  if (text) {
    return nothing(
      'No delivery has this in it.',
      'Try a part of an order number, or six letters of a platform number or a record’s id.',
    )
  }
  return status === null
    ? nothing(
        'No deliveries here yet.',
        html`A webhook is sent when an order ends: open <a href="/console/orders?state=open">an open deposit</a> and let the player pay, or decide at <a href="/console/payouts">the payout desk</a>.`,
      )
    : nothing(`No delivery is ${status}.`, all)
}

export function deliveriesTable(parts: ConsoleParts, deliveries: readonly ListedDelivery[]): Html {
  const nowMs = parts.clock.now()
  const rows = deliveries.map((delivery) => ({
    key: delivery.id,
    cells: [
      orderOf(parts, delivery),
      delivery.event,
      statusBadge(delivery),
      html`<span class="words">${lastAttempt(parts, delivery)}</span>`,
      delivery.attempts,
      moment(delivery.sentAtMs, nowMs),
      nextRetry(delivery, nowMs),
      html`<a href="/console/deliveries/${delivery.id}" aria-label="Details of ${delivery.event} for ${escapeInvisible(delivery.merchantOrderId, 80)}">Details</a>`,
    ],
  }))
  return table('List of deliveries', columns, rows)
}

export function deliveryView(parts: ConsoleParts, delivery: StoredDelivery): Html {
  const nowMs = parts.clock.now()
  const address = `/console/deliveries/${delivery.id}`
  const {attempts, scheduledAttempts} = delivery
  const made = parts.control.attempts(delivery.id).reverse()
  return html`<p class="crumb">${all}</p>
  <dl class="facts">
    ${fact('Status', statusBadge(delivery))}
    ${fact('Order', orderOf(parts, delivery))}
    ${fact('Event', delivery.event)}
    ${fact('To', outside(delivery.url, 300))}
    ${fact('Attempts', `${attempts}, of them ${scheduledAttempts} by schedule (the first and at most ${retryDelaysMs.length} retries)`)}
    ${fact('Last sent', moment(delivery.sentAtMs, nowMs))}
    ${fact('Next retry', nextRetry(delivery, nowMs))}
    ${fact('Record', html`<code>${delivery.id}</code>`)}
  </dl>
  <div class="actions">${button(`${address}/resend`, 'Resend now', address, {look: 'main'})}</div>
  <h2>Attempts, the newest first</h2>
  ${attempts === 0 ? nothing('Nothing was sent yet.') : ''}
  ${made.map((attempt) => attemptView(attempt, nowMs))}
  ${unrecorded((made.at(-1)?.number ?? attempts + 1) - 1)}
  ${made.length === 0 ? html`<h2>Body to send</h2>${messageView([], delivery.payload)}` : ''}`
}

/** The first attempts of a record that a history was seeded with have no rows. */
function unrecorded(count: number): Html | string {
  if (count === 0) return ''
  const which = count === 1 ? 'The first attempt is' : `The first ${count} attempts are`
  return nothing(
    `${which} of a seeded history.`,
    'Nothing was sent, so there is nothing to show. Resend now to make an attempt.',
  )
}

const roles: Readonly<Record<AttemptView['role'], string>> = {
  webhook: '',
  forged: ' · forged by a fault',
  doubled: ' · sent again by a fault',
}

function attemptView(attempt: AttemptView, nowMs: number): Html {
  const {number, role, startedBy, durationMs, explanation, nextStep, signature, isDelivered} = attempt
  const {requestHeaders, requestBody, responseCode, responseHeaders, responseBody} = attempt
  const isGood = role === 'forged' ? !isDelivered : isDelivered
  const title = `Attempt ${number}${roles[role]}`
  return html`<section class="sheet attempt" data-key="attempt-${number}-${role}" aria-label="${title}">
    <h3>${title} ${badge(responseCode === null ? 'no answer' : `HTTP ${responseCode}`, isGood ? 'good' : 'bad')}</h3>
    <p><strong>${explanation}</strong> ${nextStep === null ? '' : sentence(nextStep)}</p>
    <p class="soft">${moment(Date.parse(attempt.beganAt), nowMs)} · took ${durationMs.toLocaleString('en')} ms · ${startedBy === 'resend' ? 'resent by hand' : 'by schedule'}${signature ? ` · signature ${signature.isValid ? 'right' : 'WRONG'}` : ''}</p>
    <details><summary>What went over the wire</summary>
      <h4>Request</h4>${requestHeaders.length === 0 ? nothing('Nothing left the sandbox.') : messageView(requestHeaders, requestBody)}
      ${signature ? signatureView(signature) : ''}
      <h4>Answer</h4>${responseCode === null ? nothing('No answer.') : messageView(responseHeaders, responseBody ?? '')}
    </details>
  </section>`
}

function signatureView({
  place,
  given,
  expected,
  canonical,
  isValid,
}: NonNullable<AttemptView['signature']>): Html {
  return html`<h4>Signature</h4><dl class="facts">
      ${fact('In', place)}
      ${fact('Sent', html`<code>${given === null ? 'none' : outside(given)}</code>`)}
      ${isValid ? '' : fact('Right would be', html`<code>${expected}</code>`)}
      ${fact('Made of', html`<code>${outside(canonical, 2000)}</code>`)}
    </dl>`
}

function orderOf({orderLists}: ConsoleParts, {merchantId, merchantOrderId, orderId}: StoredDelivery): Html {
  const order = orderLists
    .findByNumber(merchantId, merchantOrderId)
    .find(({platformOrderNo}) => platformOrderNo === orderId)
  const name = outside(merchantOrderId)
  return order ? html`<a href="${orderAddress(order)}">${name}</a>` : name
}

function lastAttempt({attempts, merchants, dialect}: ConsoleParts, delivery: StoredDelivery): string {
  const last = attempts.lastOf(delivery.id)
  if (last) return showAttempt(last, delivery, merchants.get(delivery.merchantId), dialect).explanation
  if (delivery.responseCode !== null) return `HTTP ${delivery.responseCode}`
  return delivery.attempts === 0 ? 'Not sent yet.' : 'No answer.'
}

function statusBadge({status}: StoredDelivery): Html {
  return badge(status, status === 'success' ? 'good' : status === 'failed' ? 'bad' : 'open')
}

function nextRetry({status, dueAtMs, attempts}: StoredDelivery, nowMs: number): Html | string {
  if (status !== 'failed') return '–'
  return dueAtMs === null && attempts > 0 ? 'none left' : moment(dueAtMs, nowMs)
}
