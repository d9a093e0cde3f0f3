import {Hono} from 'hono'
import {html} from 'hono/html'

import type {Dialect} from '../core/dialect.ts'
import type {OrderDesk} from './order-desk.ts'
import {wordOf} from './words.ts'

/** The page behind `payUrl`: which order it is, how it stands, and how a rehearsal pays it. */
export function payPage(desk: OrderDesk, dialect: Dialect): Hono {
  return new Hono().get('/pay/:payCode', async (c) => {
    const order = desk.findDepositByPayCode(c.req.param('payCode'))
    if (!order) return c.text('No such payment.', 404)
    return c.html(
      html`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Sandbox payment</title></head>
  <body>
    <h1>Order ${order.orderNo}</h1>
    <p>State: ${wordOf(dialect, order.state)}</p>
    <p>This is a rehearsal: no money moves. It is paid with POST /sandbox/deposits/pay.</p>
  </body>
</html>`,
    )
  })
}
