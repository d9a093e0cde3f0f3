import {html} from 'hono/html'

import {type OrderKind, type OrderState, orderKinds, orderStates} from '../../core/order.ts'
import {maskPhone} from '../../core/text.ts'
import type {Cursor, ListedOrder} from '../store/order-lists.ts'
import type {Html} from '../web/html-page.ts'
import {type ConsoleParts, linesPerPage} from './parts.ts'
import {filters, moment, money, nothing, outside, pager, pathWithQuery, stateBadge, table} from './pieces.ts'

export interface OrdersQuery {
  readonly kind: OrderKind
  readonly state: OrderState | null
  /** What was searched for; then there are no pages. */
  readonly text: string
  readonly cursor: Cursor
}

const stateNames: Readonly<Record<OrderState, string>> = {
  open: 'Open',
  completed: 'Completed',
  failed: 'Failed',
}

export function ordersView(parts: ConsoleParts, {kind, state, text, cursor}: OrdersQuery): Html {
  const {orderLists, merchants} = parts
  const isSearch = text !== ''
  const page = isSearch
    ? {
        lines: orderLists.search(kind, text, [...merchants.keys()], linesPerPage),
        hasOlder: false,
        hasNewer: false,
      }
    : orderLists.list(kind, state, cursor, linesPerPage)
  return html`<div class="tools">
    ${filters(
      'Kind of order',
      orderKinds.map((choice) => [choice, choice === 'deposit' ? 'Deposits' : 'Payouts'] as const),
      kind,
      (choice) => ordersAddress(choice ?? 'deposit', null),
    )}
    ${filters(
      'State',
      [[null, 'All'], ...orderStates.map((choice) => [choice, stateNames[choice]] as const)],
      state,
      (choice) => ordersAddress(kind, choice),
    )}
    <form class="search" role="search" action="/console/orders">
      <input type="hidden" name="kind" value="${kind}">
      <input type="search" name="q" value="${text}" aria-label="Search ${kind}s" placeholder="Order, platform number, phone" maxlength="64">
      <button>Search</button>
    </form>
  </div>
  ${
    page.lines.length === 0
      ? nothing(isSearch ? 'Nothing found.' : `No ${kind}s here.`)
      : ordersTable(parts, kind, page.lines)
  }
  ${pager(page, (more) => ordersAddress(kind, state, more))}
  <p class="soft">${
    isSearch
      ? html`${page.lines.length === linesPerPage ? `The newest ${linesPerPage} that fit.` : ''} <a href="${ordersAddress(kind, null)}">All ${kind}s</a>`
      : `${orderLists.countAll(kind).toLocaleString('en-IN')} ${kind}s in all`
  }</p>`
}

export function ordersAddress(kind: OrderKind, state: OrderState | null, more = ''): string {
  return pathWithQuery('orders', `kind=${kind}`, state && `state=${state}`, more)
}

export function orderAddress({kind, seq}: {readonly kind: OrderKind; readonly seq: number}): string {
  return `/console/orders/${kind}/${seq}`
}

function ordersTable(parts: ConsoleParts, kind: OrderKind, orders: readonly ListedOrder[]): Html {
  const nowMs = parts.clock.now()
  const columns = [
    {name: 'Order'},
    {name: 'State'},
    {name: 'Amount', look: 'number'},
    {name: 'Channel'},
    {name: kind === 'deposit' ? 'Player' : 'Recipient'},
    {name: 'Made'},
    {name: 'Finished'},
  ] as const
  const rows = orders.map(
    (order) => html`<tr data-key="${order.seq}">
      <th scope="row"><a href="${orderAddress(order)}">${outside(order.orderNo)}</a></th>
      <td>${stateBadge(kind, order.state, parts.dialect)}</td>
      <td class="number">${amountOf(order)}</td>
      <td>${order.channel ?? '–'}</td>
      <td>${maskPhone(order.phone)}</td>
      <td>${moment(order.createdAtMs, nowMs)}</td>
      <td>${moment(order.finishedAtMs, nowMs)}</td>
    </tr>`,
  )
  return table(`List of ${kind}s`, columns, rows)
}

/** What a player has chosen and not paid is not money yet, and looks so. */
function amountOf({kind, state, amount}: ListedOrder): Html | string {
  const isChosen = kind === 'deposit' && state !== 'completed' && amount !== null
  return isChosen ? html`<span class="soft" title="Chosen, not paid">${money(amount)}</span>` : money(amount)
}
