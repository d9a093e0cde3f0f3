import {type Context, Hono} from 'hono'
import {html} from 'hono/html'
import {deliveryStatuses, isUuid, orderKinds, orderStates} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {Refusal} from '../answers.ts'
import {requireOrigin, requireOwnOrigin} from '../loopback.ts'
import {demonstrationMerchant, ordinaryMerchant, type SandboxMerchant} from '../merchants.ts'
import {type Cursor, type ListedOrder, topCursor} from '../store/order-lists.ts'
import {smsStates} from '../store/sms.ts'
import type {Html} from '../web/html-page.ts'
import {streamLive} from '../web/live-feed.ts'
import {pageHeaders} from '../web/page-headers.ts'
import {actionRoutes} from './action-routes.ts'
import {deliveriesView, deliveryView} from './deliveries-view.ts'
import {consoleLayout, type LayoutParts} from './layout.ts'
import {orderView} from './order-view.ts'
import {orderAddress, ordersView} from './orders-view.ts'
import {type ConsoleNotice, type ConsoleParts, linesPerPage, notices} from './parts.ts'
import {
  badge,
  button,
  fact,
  moment,
  money,
  nothing,
  outside,
  pager,
  pathWithQuery,
  showNow,
  table,
} from './pieces.ts'
import {smsView} from './sms-desk-view.ts'
import {smsListView} from './sms-view.ts'

/** How often the console's clock is told. */
const tickMs = 1000
/** A busy sandbox is shown this often. */
const gatherMs = 400

/**
 * The console: everything in the sandbox, for a person. Pages are rendered here and work without a script;
 * `assets/console.js` puts the new one in place of the old whenever something has happened.
 */
export function consoleRoutes(parts: ConsoleParts): Hono {
  const {orderLists, deliveries, sms, clock, feed} = parts
  const routes = new Hono()
  routes.use(pageHeaders('nobody'), requireOwnOrigin, requireOrigin)
  routes.onError((error, c) => {
    if (!(error instanceof Refusal)) throw error
    const problem = `${error.message} ${error.hint}`
    const main = nothing('Nothing was changed.')
    return c.html(
      consoleLayout(parts, {section: sectionOf(c), title: 'Not done', main, problem}),
      error.httpStatus,
    )
  })
  const show = (c: Context, page: LayoutParts) => c.html(consoleLayout(parts, {...page, notice: noticeOf(c)}))

  routes.get('/', (c) => c.redirect('/console/orders', 302))
  routes.get('/events', (c) =>
    streamLive(c, feed, {
      isWanted: () => true,
      message: () => ({
        event: 'news',
        data: JSON.stringify({revision: feed.revision, now: showNow(clock.now())}),
      }),
      ...{idleMs: tickMs, gatherMs},
    }),
  )

  routes.get('/orders', (c) => {
    const kind = pick(orderKinds, c.req.query('kind')) ?? 'deposit'
    const state = pick(orderStates, c.req.query('state'))
    const text = (c.req.query('q') ?? '').trim()
    const main = ordersView(parts, {kind, state, text, cursor: cursorOf(c)})
    return show(c, {section: 'orders', title: 'Orders', main})
  })
  routes.get('/orders/:kind/:seq', (c) => {
    const kind = pick(orderKinds, c.req.param('kind'))
    const order = kind && orderLists.find(kind, seqOf(c))
    if (!order) throw notThere('order')
    const title = `${order.kind === 'deposit' ? 'Deposit' : 'Payout'} ${escapeInvisible(order.orderNo, 80)}`
    return show(c, {section: 'orders', title, main: orderView(parts, order)})
  })

  routes.get('/sms', (c) => {
    const asked = c.req.query('state') ?? 'waiting'
    const main = smsListView(parts, pick([...smsStates, 'all'] as const, asked) ?? 'waiting', cursorOf(c))
    return show(c, {section: 'sms', title: 'Payment SMS', main})
  })
  routes.get('/sms/:seq', (c) => {
    const found = sms.find(seqOf(c))
    if (!found) throw notThere('SMS')
    return show(c, {section: 'sms', title: `SMS ${found.seq}`, main: smsView(parts, found)})
  })

  routes.get('/payouts', (c) =>
    show(c, {section: 'payouts', title: 'Payout desk', main: payoutsView(parts, cursorOf(c))}),
  )

  routes.get('/deliveries', (c) => {
    const main = deliveriesView(parts, pick(deliveryStatuses, c.req.query('status')), cursorOf(c))
    return show(c, {section: 'deliveries', title: 'Deliveries', main})
  })
  routes.get('/deliveries/:id', (c) => {
    const id = c.req.param('id')
    const delivery = isUuid(id) ? deliveries.find(id) : null
    if (!delivery) throw notThere('delivery')
    const title = `Delivery for ${escapeInvisible(delivery.merchantOrderId, 80)}`
    return show(c, {section: 'deliveries', title, main: deliveryView(parts, delivery)})
  })

  routes.get('/merchants', (c) =>
    show(c, {section: 'merchants', title: 'Merchants', main: merchantsView(parts)}),
  )
  routes.get('/clock', (c) => show(c, {section: 'clock', title: 'Clock', main: clockView(parts)}))

  routes.route('/', actionRoutes(parts))
  return routes
}

function pick<Choice extends string>(choices: readonly Choice[], text: string | undefined): Choice | null {
  return choices.find((choice) => choice === text) ?? null
}

function seqOf(c: Context): number {
  return /^[1-9][0-9]{0,14}$/.test(c.req.param('seq') ?? '') ? Number(c.req.param('seq')) : 0
}

function cursorOf(c: Context): Cursor {
  const read = (name: string) => {
    const text = c.req.query(name) ?? ''
    return /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null
  }
  const [before, after] = [read('before'), read('after')]
  if (after !== null) return {afterSeq: after}
  return before === null ? topCursor : {beforeSeq: before}
}

function noticeOf(c: Context): ConsoleNotice | undefined {
  return pick(Object.keys(notices) as ConsoleNotice[], c.req.query('notice')) ?? undefined
}

function sectionOf(c: Context): LayoutParts['section'] {
  const name = c.req.path.split('/')[2]
  return pick(['sms', 'payouts', 'deliveries', 'merchants', 'clock'] as const, name) ?? 'orders'
}

function notThere(what: string): Refusal {
  return new Refusal(404, 'NOT_FOUND', `The sandbox has no such ${what}.`, 'Choose it from the list.')
}

/** The gaps between the service's retries, and what they add up to. */
const steps: readonly (readonly [by: string, name: string])[] = [
  ['1m', '1 minute'],
  ['5m', '5 minutes'],
  ['15m', '15 minutes'],
  ['1h', '1 hour'],
  ['6h', '6 hours'],
  ['7h21m', 'All five retries: 7 h 21 min'],
]

const paces: readonly (readonly [timeScale: number, name: string])[] = [
  [0, 'Stand still'],
  [1, 'Real time'],
  [60, '60 times as fast'],
  [600, '600 times as fast'],
]

function clockView({clock}: ConsoleParts): Html {
  return html`<p class="big"><time data-now>${showNow(clock.now())}</time></p>
  <p class="soft">${paceText(clock.timeScale)}</p>
  <h2>Move it on</h2>
  <p class="soft">Everything due until then runs, in order: retries of webhooks, and deposits that expire.</p>
  <div class="actions">${steps.map(([by, name]) => form('advance', 'by', by, name, false))}</div>
  <h2>Its pace</h2>
  <div class="actions">${paces.map(([pace, name]) => form('pace', 'timeScale', String(pace), name, pace === clock.timeScale))}</div>`
}

function paceText(timeScale: number): string {
  if (timeScale === 0) return 'It stands still until it is moved.'
  return timeScale === 1 ? 'It runs in real time.' : `It runs ${timeScale} times as fast as real time.`
}

function form(action: string, field: string, value: string, name: string, isChosen: boolean): Html {
  return html`<form method="post" action="/console/clock/${action}"><input type="hidden" name="back" value="/console/clock"><button name="${field}" value="${value}" ${isChosen ? html`aria-pressed="true"` : ''}>${name}</button></form>`
}

/** The accounts of the service. Only the two everybody knows show their credentials: others may be real. */
function merchantsView({merchants, orderService}: ConsoleParts): Html {
  return html`${[...merchants.values()].map(
    (
      merchant,
    ) => html`<section class="sheet" data-key="${merchant.merchantId}" aria-labelledby="m-${merchant.merchantId}">
    <h2 id="m-${merchant.merchantId}">${nameOf(merchant)} ${badge(merchant.isDemo ? 'isTest allowed' : 'no isTest', 'plain')}</h2>
    <dl class="facts">
      ${fact('merchantId', html`<code>${merchant.merchantId}</code>`)}
      ${fact('Balance for payouts', money(orderService.readBalance(merchant.merchantId)))}
    </dl>
    ${credentialsOf(merchant)}
  </section>`,
  )}`
}

function nameOf(merchant: SandboxMerchant): string {
  if (merchant === demonstrationMerchant) return 'Demonstration merchant'
  return merchant === ordinaryMerchant ? 'Ordinary merchant' : 'Merchant'
}

function credentialsOf(merchant: SandboxMerchant): Html {
  if (merchant !== demonstrationMerchant && merchant !== ordinaryMerchant) {
    return html`<p class="soft">Its credentials are with whoever started this sandbox.</p>`
  }
  const {apiSecret, apiKey} = merchant.credentials
  return html`<details class="more"><summary>Show the credentials</summary>
    <dl class="facts">${fact('API secret', html`<code>${apiSecret}</code>`)}${fact('API key', html`<code>${apiKey}</code>`)}</dl>
    <p class="soft">Everybody knows them: they open nothing but a sandbox.</p>
  </details>`
}

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

/** The payouts a person has to make, or to refuse. The number is whole here: somebody types it. */
function payoutsView(parts: ConsoleParts, cursor: Cursor): Html {
  const page = parts.orderLists.list('payout', 'open', cursor, linesPerPage)
  const nowMs = parts.clock.now()
  const rows = page.lines.map(
    (order) => html`<tr data-key="${order.seq}">
      <th scope="row"><a href="${orderAddress(order)}">${outside(order.orderNo)}</a></th>
      <td class="number">${money(order.amount)}</td>
      <td>${order.channel}</td>
      <td>${order.phone}</td>
      <td>${outside(order.player, 60)}</td>
      <td>${moment(order.createdAtMs, nowMs)}</td>
      <td>${choices(order)}</td>
    </tr>`,
  )
  return html`${rows.length === 0 ? nothing('No payout waits.') : table('List of open payouts', columns, rows)}
  ${pager(page, (more) => pathWithQuery('payouts', more))}`
}

function choices({seq, orderNo}: ListedOrder): Html {
  return html`<div class="do">${button(`/console/payouts/${seq}/complete`, 'Complete', back, {look: 'main', label: `Complete ${escapeInvisible(orderNo, 80)}`})}
    ${button(`/console/payouts/${seq}/reject`, 'Reject', back, {look: 'danger', label: `Reject ${escapeInvisible(orderNo, 80)}`})}</div>`
}
