import {html} from 'hono/html'
import type {SandboxParts} from '../parts.ts'
import type {ListedOrder} from '../store/order-lists.ts'
import type {PaySession} from '../store/pay-sessions.ts'
import type {Html} from '../web/html-page.ts'
import {deliveriesTable} from './deliveries-view.ts'
import {orderAddress} from './orders-view.ts'
import {
  button,
  crumb,
  fact,
  fromList,
  longFact,
  moment,
  money,
  nothing,
  outside,
  stateBadge,
} from './pieces.ts'
import {composeForm, payForm} from './sms-form.ts'

const deliveriesMax = 20

export function orderView(parts: SandboxParts, order: ListedOrder, listQuery: string): Html {
  const {kind, state, platformOrderNo} = order
  const nowMs = parts.clock.now()
  const session = kind === 'deposit' ? parts.payService.find(order.seq) : null
  const deliveries = parts.consoleDeliveries.ofOrder(platformOrderNo, deliveriesMax)
  const isPaid = kind === 'payout' || state === 'completed'
  return html`${crumb('orders', listQuery, `All ${kind}s`, `kind=${kind}`)}
  <dl class="facts">
    ${fact('State', stateBadge(kind, state, parts.dialect))}
    ${fact(isPaid ? 'Amount' : 'Chosen amount', money(order.amount))}
    ${fact('Channel', order.channel ?? '–')}
    ${fact(kind === 'deposit' ? 'Player’s phone' : 'Account', order.phone)}
    ${fact(kind === 'deposit' ? 'Player reference' : 'Recipient', outside(order.player))}
    ${longFact('Platform number', html`<code>${platformOrderNo}</code>`)}
    ${longFact('Merchant', html`<code>${order.merchantId}</code>`)}
    ${longFact('Webhook to', outside(order.returnUrl, 300))}
    ${fact('Made', moment(order.createdAtMs, nowMs))}
    ${fact('Finished', moment(order.finishedAtMs, nowMs))}
    ${session ? sessionFacts(parts, session, nowMs) : ''}
  </dl>
  ${state === 'open' ? actions(order, session, `${orderAddress(order)}${fromList(listQuery)}`) : ''}
  <p><a href="/console/requests?q=${encodeURIComponent(order.orderNo)}">Requests that name this order</a></p>
  <h2>Deliveries of its webhook</h2>
  ${deliveries.length === 0 ? nothing('No webhook yet: the order has not ended.', kind === 'deposit' ? 'Let the player pay, above.' : 'Complete or reject it, above.') : deliveriesTable(parts, deliveries)}`
}

function sessionFacts(parts: SandboxParts, session: PaySession, nowMs: number): Html {
  const {state, expiresAtMs, payCode, isTest} = session
  const payment = parts.payService.findPayment(session)
  return html`${state === 'open' ? fact('Expires', expiresAtMs === null ? 'never' : moment(expiresAtMs, nowMs)) : ''}
    ${fact('Payment page', html`<a href="/pay/${payCode}" target="_blank" rel="noopener">Open the player’s page</a>`)}
    ${payment ? longFact('Paid by', html`<a href="/console/sms/${payment.seq}">SMS ${payment.seq}</a>, transaction <code>${payment.trxId}</code>`) : ''}
    ${isTest ? fact('Test', 'isTest: the sandbox made the SMS') : ''}`
}

function actions(order: ListedOrder, session: PaySession | null, back: string): Html {
  if (!session) {
    return html`<div class="actions">
      ${button(`/console/payouts/${order.seq}/complete`, 'Complete', back, {look: 'main'})}
      ${button(`/console/payouts/${order.seq}/reject`, 'Reject', back, {look: 'danger'})}
    </div>`
  }
  return html`<h2>The player pays</h2>
  <p class="soft">${session.choice ? 'Another amount or channel is chosen first.' : 'The player has not chosen yet: this chooses, too.'}</p>
  ${payForm(order.seq, session.choice, back)}
  <details class="more"><summary>Let another SMS come in: another number, amount or transaction</summary>
    ${composeForm({sender: order.phone, choice: session.choice, back})}
  </details>
  <div class="actions">${button(`/console/deposits/${order.seq}/expire`, 'Let it fail', back, {look: 'danger'})}</div>`
}
