import {html} from 'hono/html'

import {type DeliveryStatus, deliveryStatuses} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {attemptReasons} from '../attempt-reasons.ts'
import {showAttempt} from '../attempt-view.ts'
import type {BegunAttempt} from '../deliveries.ts'
import type {SandboxParts} from '../parts.ts'
import {resendsMax} from '../resend-failed.ts'
import type {ListedDelivery} from '../store/console-deliveries.ts'
import type {StoredDelivery} from '../store/deliveries.ts'
import type {Cursor} from '../store/pages.ts'
import type {Html} from '../web/html-page.ts'
import {orderAddress} from './orders-view.ts'
import {
  button,
  deliveryBadge,
  filters,
  foundLine,
  fromList,
  linesPerPage,
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
  parts: SandboxParts,
  status: DeliveryStatus | null,
  text: string,
  cursor: Cursor,
  listQuery: string,
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
    ${searchForm('/console/deliveries', text, 'Search deliveries', 'Part of an order number or id')}</div>
  ${text || status === 'success' || status === 'pending' ? '' : resendOfAll(parts, address(status))}
  ${text === '' && status === 'failed' && page.lines.length > 0 ? causes(parts) : ''}
  ${page.lines.length === 0 ? noDeliveries(status, text) : deliveriesTable(parts, page.lines, listQuery)}
  ${text ? foundLine(page.lines.length, page.hasOlder, all) : pager(page, (more) => address(status, more))}`
}

/** What failed, sent again in one go, and how far that is. */
function resendOfAll(
  {consoleDeliveries, merchants, failedResender, clock}: SandboxParts,
  back: string,
): Html {
  const failed = consoleDeliveries.countFailed([...merchants.keys()])
  const state = failedResender.state()
  const [shown, most] = [failed, resendsMax].map((count) => count.toLocaleString('en-IN'))
  const text =
    failed > resendsMax ? `Resend the oldest ${most} of ${shown} failed` : `Resend all ${shown} failed`
  const isOver = state === null || state.endedAtMs !== null
  const problem = state?.problem ?? null
  return html`${failed > 0 && isOver ? html`<div class="actions">${button('/console/deliveries/resend-failed', text, back)}</div>` : ''}
  ${state === null ? '' : html`<p class="soft" role="status">${isOver ? 'Resent' : 'Resending'}: ${state.done} of ${state.total}; the receiver took ${state.taken}${isOver ? html`. Ended ${moment(state.endedAtMs, clock.now())}.` : '.'}${problem === null ? '' : html` ${sentence(problem)}`}</p>`}`
}

/** What the failures have in common. */
function causes({consoleDeliveries, merchants}: SandboxParts): Html {
  const found = consoleDeliveries.failureCauses([...merchants.keys()], causesOfNewest)
  const words = found.map(({responseCode, reason, total}) => {
    const status = responseCode === null ? 'No answer' : `HTTP ${responseCode}`
    return html`<li>${total.toLocaleString('en-IN')} × ${reason === null ? status : attemptReasons[reason].text}</li>`
  })
  const isAll = found.reduce((sum, {total}) => sum + total, 0) < causesOfNewest
  return html`<ul class="causes" aria-label="${isAll ? 'Last attempts' : `Last attempts of the newest ${causesOfNewest}`}">${words}</ul>`
}

const causesOfNewest = 1000

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

/** `listQuery`: the page of a delivery links back to this list. */
export function deliveriesTable(
  parts: SandboxParts,
  deliveries: readonly ListedDelivery[],
  listQuery = '',
): Html {
  const nowMs = parts.clock.now()
  const rows = deliveries.map((delivery) => ({
    key: delivery.id,
    cells: [
      orderOf(parts, delivery),
      delivery.event,
      deliveryBadge(parts, delivery),
      html`<span class="words">${lastAttempt(parts, delivery)}</span>`,
      delivery.attempts + (begunOf(parts, delivery) ? 1 : 0),
      lastSent(parts, delivery, nowMs),
      nextRetry(parts, delivery, nowMs),
      html`<a href="/console/deliveries/${delivery.id}${fromList(listQuery)}" aria-label="Details of ${delivery.event} for ${escapeInvisible(delivery.merchantOrderId, 80)}">Details</a>`,
    ],
  }))
  return table('List of deliveries', columns, rows)
}

export function underWayText({isUnstored}: {readonly isUnstored: boolean}): string {
  return isUnstored ? 'Sent. What came of it cannot be stored now.' : 'Sent. No answer yet.'
}

function begunOf({engine}: SandboxParts, {id}: StoredDelivery): BegunAttempt | null {
  const progress = engine.progressOf(id)
  return progress === 'queued' ? null : progress
}

/** The attempt under way counts; its record has it only after the end. */
export function lastSent(parts: SandboxParts, delivery: StoredDelivery, nowMs: number): Html | string {
  return moment(begunOf(parts, delivery)?.beganAtMs ?? delivery.sentAtMs, nowMs)
}

export function orderOf(
  {orderLists}: SandboxParts,
  {merchantId, merchantOrderId, orderId}: StoredDelivery,
): Html {
  const order = orderLists
    .findByNumber(merchantId, merchantOrderId)
    .find(({platformOrderNo}) => platformOrderNo === orderId)
  const name = outside(merchantOrderId)
  return order ? html`<a href="${orderAddress(order)}">${name}</a>` : name
}

function lastAttempt(parts: SandboxParts, delivery: StoredDelivery): string {
  const {attempts, merchants, dialect, engine} = parts
  const progress = engine.progressOf(delivery.id)
  if (progress === 'queued') return 'A resend waits: the receiver has all it may have at a time.'
  if (progress) return underWayText(progress)
  const last = attempts.lastOf(delivery.id)
  if (last) return showAttempt(last, delivery, merchants.get(delivery.merchantId), dialect).explanation
  if (delivery.responseCode !== null) return `HTTP ${delivery.responseCode}`
  return delivery.attempts === 0 ? 'Not sent yet.' : 'No answer.'
}

export function nextRetry(parts: SandboxParts, delivery: StoredDelivery, nowMs: number): Html | string {
  const {status, dueAtMs, attempts} = delivery
  if (status !== 'failed' || begunOf(parts, delivery)?.startedBy === 'schedule') return '–'
  return dueAtMs === null && attempts > 0 ? 'none left' : moment(dueAtMs, nowMs)
}
