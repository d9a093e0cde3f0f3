import {Hono} from 'hono'

import {JsonNumber, type JsonObject} from '../core/json.ts'
import {formatPaisa} from '../core/money.ts'
import {parseInstant, parseSpan} from '../core/time.ts'
import {refuseField} from './answers.ts'
import type {SandboxControl} from './control.ts'
import {readAmount, readChannel, readMerchant, readOrderNo} from './field-rules.ts'
import {requireOwnOrigin} from './loopback.ts'
import type {NamedRequest, RequestLog} from './request-log.ts'
import {readJsonObject} from './request-reading.ts'
import {smsRoutes} from './sms/routes.ts'

/**
 * `SandboxControl` over HTTP, below `/sandbox`. Not part of the service: no signature, this machine only. Order
 * numbers are in the body because they may hold any character. Every answer is `{code: 0, data}`.
 */
export function controlRoutes(control: SandboxControl, requestLog: RequestLog): Hono {
  const routes = new Hono()
  routes.use(requireOwnOrigin)
  routes.route('/', smsRoutes(control))
  const ok = (data: unknown) => ({code: 0, data})

  routes.post('/deposits/pay', async (c) => {
    const fields = await readJsonObject(c)
    const payment = {
      ...readMerchant(fields),
      ...(fields.channel === undefined ? {} : {channel: readChannel(fields, 'channel')}),
    }
    return c.json(ok(await control.payDeposit(readOrderNo(fields, 'orderNo'), readAmount(fields), payment)))
  })

  const endings = [
    ['/deposits/expire', 'orderNo', control.expireDeposit],
    ['/payouts/complete', 'outOrderNo', control.completePayout],
    ['/payouts/reject', 'outOrderNo', control.rejectPayout],
  ] as const
  for (const [path, number, end] of endings)
    routes.post(path, async (c) => {
      const fields = await readJsonObject(c)
      const {merchantId} = readMerchant(fields)
      return c.json(ok(await end(readOrderNo(fields, number), merchantId)))
    })

  const clock = () => ({now: new Date(control.now()).toISOString(), timeScale: control.timeScale()})
  routes.get('/clock', (c) => c.json(ok(clock())))

  routes.post('/clock', async (c) => {
    const {timeScale} = await readJsonObject(c)
    control.setTimeScale(timeScale instanceof JsonNumber ? Number(timeScale.source) : Number.NaN)
    return c.json(ok(clock()))
  })

  /**
   * `{"by": "7h21m"}`, `{"byMs": 60000}` or `{"to": "2026-11-20T12:00:00Z"}`. Answers after everything due has run.
   */
  routes.post('/clock/advance', async (c) => {
    const attempts = await advance(control, await readJsonObject(c))
    return c.json(ok({...clock(), attempts}))
  })

  routes.get('/balance', (c) =>
    c.json(ok({balance: formatPaisa(control.balance(c.req.query('merchantId')))})),
  )

  routes.get('/deliveries/attempts', (c) => c.json(ok({attempts: control.attempts(c.req.query('id') ?? '')})))

  /** `?refused=true`, `?orderNo=` (a part of it), `?before=` an id, `?limit=`. Newest first. */
  routes.get('/requests', (c) => {
    const {refused, orderNo, before, limit} = c.req.query()
    const filter = {
      ...(refused === undefined ? {} : {isRefused: refused === 'true'}),
      ...(orderNo === undefined ? {} : {orderNo}),
    }
    const beforeId = before === undefined ? undefined : Number(before)
    const requests = requestLog.list(filter, Math.min(Number(limit) || 100, requestsMax), beforeId)
    return c.json(ok({requests: requests.map(showRequest)}))
  })

  /** `?id=`: why the signature was refused, or null. */
  routes.get('/requests/diagnosis', (c) =>
    c.json(ok({diagnosis: requestLog.diagnose(Number(c.req.query('id')))})),
  )

  return routes
}

const requestsMax = 1000

function showRequest({atMs, requestBody, ...request}: NamedRequest) {
  return {...request, at: new Date(atMs).toISOString(), requestBody: new TextDecoder().decode(requestBody)}
}

async function advance(control: SandboxControl, {by, byMs, to}: JsonObject): Promise<number> {
  const given = [by, byMs, to].filter((value) => value !== undefined)
  const spanMs =
    byMs instanceof JsonNumber ? Number(byMs.source) : typeof by === 'string' ? parseSpan(by) : null
  const atMs = typeof to === 'string' ? parseInstant(to) : null
  if (given.length === 1 && spanMs !== null) return await control.advanceBy(spanMs)
  if (given.length === 1 && atMs !== null) return await control.advanceTo(atMs)
  throw refuseField(
    'by',
    'a length of time such as "7h21m", or `byMs` milliseconds, or `to` an ISO 8601 time with an offset',
  )
}
