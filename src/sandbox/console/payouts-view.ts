import {html} from 'hono/html'

import {escapeInvisible} from '../../core/text.ts'
import type {SandboxParts} from '../parts.ts'
import type {ListedOrder} from '../store/order-lists.ts'
import type {Cursor} from '../store/pages.ts'
import type {Html} from '../web/html-page.ts'
import {orderAddress} from './orders-view.ts'
import {button, linesPerPage, moment, money, nothing, outside, pager, pathWithQuery, table} from './pieces.ts'

const back = '/console/payouts'

const columns = [
  {name: 'Payout'},
  {name: 'Amount', look: 'number'},
  {name: 'Channel'},
  {name: 'Account'},
  {name: 'Recipient'},
  {name: 'Made'},
  {name: 'What to do', look: 'unseen'},
] as const

/** The account number is shown in full: somebody types it. */
export function payoutsView(parts: SandboxParts, cursor: Cursor): Html {
  const page = parts.orderLists.list('payout', 'open', cursor, linesPerPage)
  const nowMs = parts.clock.now()
  const rows = page.lines.map((order) => ({
    key: order.seq,
    cells: [
      html`<a href="${orderAddress(order)}">${outside(order.orderNo)}</a>`,
      money(order.amount),
      order.channel ?? '–',
      order.phone,
      outside(order.player, 60),
      moment(order.createdAtMs, nowMs),
      choices(order),
    ],
  }))
  return html`${rows.length === 0 ? nothing('No payout waits.', html`<a href="/console/orders?kind=payout">All payouts</a>, those that are done too`) : table('List of open payouts', columns, rows)}
  ${pager(page, (more) => pathWithQuery('payouts', more))}`
}

function choices({seq, orderNo}: ListedOrder): Html {
  return html`<div class="do">${button(`/console/payouts/${seq}/complete`, 'Complete', back, {look: 'main', label: `Complete ${escapeInvisible(orderNo, 80)}`})}
    ${button(`/console/payouts/${seq}/reject`, 'Reject', back, {look: 'danger', label: `Reject ${escapeInvisible(orderNo, 80)}`})}</div>`
}
