import {html} from 'hono/html'

import {type OrderKind, type OrderState, orderKinds, orderStates} from '../../core/order.ts'
import {escapeInvisible, maskPhone} from '../../core/text.ts'
import type {SandboxParts} from '../parts.ts'
import type {ListedOrder} from '../store/order-lists.ts'
import type {Cursor} from '../store/pages.ts'
import type {Html} from '../web/html-page.ts'
import {
  command,
  deliveryBadge,
  filters,
  foundLine,
  fromList,
  linesPerPage,
  moment,
  money,
  nothing,
  outside,
  pager,
  pathWithQuery,
  searchForm,
  stateBadge,
  table,
} from './pieces.ts'

export interface OrdersQuery {
  readonly kind: OrderKind
  readonly state: OrderState | null
  /** The search text; a search has no pages. */
  readonly text: string
  readonly cursor: Cursor
  /** The page of an order links back to this list. */
  readonly listQuery: string
}

const stateNames: Readonly<Record<OrderState, string>> = {
  open: 'Open',
  completed: 'Completed',
  failed: 'Failed',
}

export function ordersView(parts: SandboxParts, {kind, state, text, cursor, listQuery}: OrdersQuery): Html {
  const {orderLists} = parts
  const search = searchForm('/console/orders', text, 'Search all orders', 'Any part of any number')
  if (text !== '') {
    const {orders, hasMore} = orderLists.search(text, linesPerPage)
    const all = html`<a href="${ordersAddress(kind, null)}">All ${kind}s</a>`
    return html`<div class="tools">${search}</div>
  ${
    orders.length === 0
      ? nothing(
          'No order has this in it.',
          'Try a part of an order number, a telephone, a player’s reference or name or a transaction, six letters of a platform number, or the id of a delivery.',
        )
      : ordersTable(parts, orders, listQuery)
  }
  ${foundLine(orders.length, hasMore, all)}`
  }
  const page = orderLists.list(kind, state, cursor, linesPerPage)
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
    ${search}
  </div>
  ${page.lines.length === 0 ? noOrders(parts, kind, state) : ordersTable(parts, page.lines, listQuery, kind)}
  ${pager(page, (more) => ordersAddress(kind, state, more))}
  <p class="soft">${orderLists.countAll(kind).toLocaleString('en-IN')} ${kind}s in all</p>`
}

function noOrders(parts: SandboxParts, kind: OrderKind, state: OrderState | null): Html {
  if (state !== null) {
    return nothing(
      `No ${kind} is ${state}.`,
      html`<a href="${ordersAddress(kind, null)}">Show all ${kind}s</a>`,
    )
  }
  return kind === 'deposit'
    ? nothing(
        'No deposits here yet.',
        html`Make one: ${command(parts, 'hisab deposit create --profile sandbox --order-no T-1 --player-phone 01712345678 --player-ref player-7')}`,
      )
    : nothing(
        'No payouts here yet.',
        html`Make one: ${command(parts, "hisab payout create --profile sandbox --order-no P-1 --amount 250 --bank-type BKASH --user-name 'Rahim Uddin' --account 01812345678")}`,
      )
}

export function ordersAddress(kind: OrderKind, state: OrderState | null, more = ''): string {
  return pathWithQuery('orders', `kind=${kind}`, state && `state=${state}`, more)
}

export function orderAddress({kind, seq}: {readonly kind: OrderKind; readonly seq: number}): string {
  return `/console/orders/${kind}/${seq}`
}

function ordersTable(
  parts: SandboxParts,
  orders: readonly ListedOrder[],
  listQuery: string,
  kind?: OrderKind,
): Html {
  const nowMs = parts.clock.now()
  const columns = [
    {name: 'Order'},
    ...(kind ? [] : [{name: 'Kind'}]),
    {name: 'State'},
    {name: 'Webhook'},
    {name: 'Amount', look: 'number'},
    {name: 'Channel'},
    {name: kind === undefined ? 'Person' : kind === 'deposit' ? 'Player' : 'Recipient'},
    {name: 'Made'},
    {name: 'Finished'},
  ] as const
  const rows = orders.map((order) => ({
    key: `${order.kind}-${order.seq}`,
    cells: [
      html`<a href="${orderAddress(order)}${fromList(listQuery)}">${outside(order.orderNo)}</a>`,
      ...(kind ? [] : [order.kind]),
      stateBadge(order.kind, order.state, parts.dialect),
      webhookOf(parts, order),
      amountOf(order),
      order.channel ?? '–',
      maskPhone(order.phone),
      moment(order.createdAtMs, nowMs),
      moment(order.finishedAtMs, nowMs),
    ],
  }))
  return table(kind ? `List of ${kind}s` : 'Orders found', columns, rows)
}

/** Whether the merchant's receiver took it. */
function webhookOf(parts: SandboxParts, {platformOrderNo, orderNo}: ListedOrder): Html | string {
  const [delivery] = parts.consoleDeliveries.ofOrder(platformOrderNo, 1)
  if (!delivery) return '–'
  return html`<a href="/console/deliveries/${delivery.id}" aria-label="Webhook of ${escapeInvisible(orderNo, 80)}: ${delivery.status}">${deliveryBadge(parts, delivery)}</a>`
}

/** A chosen amount is not paid yet, and looks different. */
function amountOf({kind, state, amount}: ListedOrder): Html | string {
  const isChosen = kind === 'deposit' && state !== 'completed' && amount !== null
  return isChosen ? html`<span class="soft" title="Chosen, not paid">${money(amount)}</span>` : money(amount)
}
