import {type Context, Hono} from 'hono'
import {deliveryStatuses, isUuid, orderKinds, orderStates} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {Refusal} from '../answers.ts'
import {requireOrigin, requireOwnOrigin} from '../loopback.ts'
import type {SandboxParts} from '../parts.ts'
import {type Cursor, topCursor} from '../store/pages.ts'
import {smsStates} from '../store/sms.ts'
import {streamLive} from '../web/live-feed.ts'
import {pageHeaders} from '../web/page-headers.ts'
import {actionRoutes} from './action-routes.ts'
import {clockView} from './clock-view.ts'
import {deliveriesView} from './deliveries-view.ts'
import {deliveryView} from './delivery-view.ts'
import {faultsView} from './faults-view.ts'
import {consoleLayout, type LayoutParts, revisionOf, sections} from './layout.ts'
import {merchantsView} from './merchants-view.ts'
import {type ConsoleNotice, notices} from './notices.ts'
import {orderView} from './order-view.ts'
import {ordersView} from './orders-view.ts'
import {payoutsView} from './payouts-view.ts'
import {nothing, showNow} from './pieces.ts'
import {requestChoices, requestsView, requestView} from './requests-view.ts'
import {smsView} from './sms-desk-view.ts'
import {smsListView} from './sms-view.ts'

const tickMs = 1000
const gatherMs = 400

/**
 * The console for people. Pages are rendered here and work without a script; `assets/console.js` replaces the page by
 * the new one whenever something has happened.
 */
export function consoleRoutes(parts: SandboxParts): Hono {
  const {orderLists, deliveries, sms, clock, feed, requestLog} = parts
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
        data: JSON.stringify({revision: revisionOf(parts), now: showNow(clock.now())}),
      }),
      ...{idleMs: tickMs, gatherMs},
    }),
  )

  routes.get('/orders', (c) => {
    const kind = pick(orderKinds, c.req.query('kind')) ?? 'deposit'
    const state = pick(orderStates, c.req.query('state'))
    const main = ordersView(parts, {kind, state, text: textOf(c), cursor: cursorOf(c), listQuery: queryOf(c)})
    return show(c, {section: 'orders', title: 'Orders', main})
  })
  routes.get('/orders/:kind/:seq', (c) => {
    const kind = pick(orderKinds, c.req.param('kind'))
    const order = kind && orderLists.find(kind, seqOf(c))
    if (!order) throw notThere('order')
    const title = `${order.kind === 'deposit' ? 'Deposit' : 'Payout'} ${escapeInvisible(order.orderNo, 80)}`
    return show(c, {section: 'orders', title, main: orderView(parts, order, fromOf(c))})
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
    const status = pick(deliveryStatuses, c.req.query('status'))
    const main = deliveriesView(parts, status, textOf(c), cursorOf(c), queryOf(c))
    return show(c, {section: 'deliveries', title: 'Deliveries', main})
  })
  routes.get('/deliveries/:id', (c) => {
    const id = c.req.param('id')
    const delivery = isUuid(id) ? deliveries.find(id) : null
    if (!delivery) throw notThere('delivery')
    const title = `Delivery for ${escapeInvisible(delivery.merchantOrderId, 80)}`
    return show(c, {section: 'deliveries', title, main: deliveryView(parts, delivery, fromOf(c))})
  })

  routes.get('/requests', (c) => {
    const choice = pick(requestChoices, c.req.query('show'))
    const cursor = cursorOf(c)
    const beforeId = 'beforeSeq' in cursor && cursor !== topCursor ? cursor.beforeSeq : undefined
    const main = requestsView(parts, {choice, text: textOf(c), beforeId, listQuery: queryOf(c)})
    return show(c, {section: 'requests', title: 'Requests', main})
  })
  routes.get('/requests/:seq', (c) => {
    const request = requestLog.find(seqOf(c))
    if (!request) throw notThere('request')
    const title = `Request ${request.id}: ${request.method} ${escapeInvisible(request.path, 80)}`
    const main = requestView(parts, request, c.req.query('diagnose') !== undefined, fromOf(c))
    return show(c, {section: 'requests', title, main})
  })

  routes.get('/faults', (c) => show(c, {section: 'faults', title: 'Faults', main: faultsView(parts)}))

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

function textOf(c: Context): string {
  return (c.req.query('q') ?? '').trim()
}

/** The query that made this list. */
function queryOf(c: Context): string {
  const {notice, ...query} = c.req.query()
  return new URLSearchParams(query).toString()
}

/** The query of the list that led to this page. */
function fromOf(c: Context): string {
  return new URLSearchParams(c.req.query('from') ?? '').toString()
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
  return pick(sections, name) ?? 'orders'
}

function notThere(what: string): Refusal {
  return new Refusal(404, 'NOT_FOUND', `The sandbox has no such ${what}.`, 'Choose it from the list.')
}
