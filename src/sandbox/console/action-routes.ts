import {setTimeout as sleep} from 'node:timers/promises'

import {type Context, Hono} from 'hono'

import type {OrderKind} from '../../core/order.ts'
import {parseSpan} from '../../core/time.ts'
import {Refusal, refuseField} from '../answers.ts'
import {refuseUsage} from '../faults/fault-routes.ts'
import {readAmount, readChannel, readMerchant, readOrderNo} from '../field-rules.ts'
import type {SandboxParts} from '../parts.ts'
import type {SmsRecord} from '../sms/control.ts'
import {readSms} from '../sms/routes.ts'
import {readForm} from '../web/form.ts'
import type {ConsoleNotice} from './notices.ts'

/** After this long the page says that the resend continues. */
const noticeableMs = 1000

type OrderAction = (orderNo: string, merchantId: string) => Promise<unknown>

export function actionRoutes(parts: SandboxParts): Hono {
  const {control, faults, orderLists, engine, failedResender, deliveries} = parts
  const routes = new Hono()
  const findOrder = (c: Context, kind: OrderKind) => {
    const order = orderLists.find(kind, Number(c.req.param('seq')))
    if (order) return order
    throw new Refusal(404, 'NOT_FOUND', `There is no such ${kind}.`, 'Choose it from the list.')
  }

  routes.post('/sms/compose', async (c) => {
    const form = await readFields(c)
    // An empty field of a form is a field that was left out.
    const filled = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''))
    const sms = await control.receiveSms(readSms(filled))
    return goOn(c, form, noticeOf(sms))
  })
  routes.post('/sms/raw', async (c) => {
    const form = await readFields(c)
    return goOn(c, form, noticeOf(await control.receiveSms(readSms(form))))
  })
  routes.post('/sms/:seq/release', async (c) => {
    const form = await readFields(c)
    // A suggestion names its deposit by sequence number: not every order number survives a form.
    const deposit = form.deposit === undefined ? null : orderLists.find('deposit', Number(form.deposit))
    const {orderNo, merchantId} = deposit ?? {orderNo: readOrderNo(form, 'orderNo'), ...readMerchant(form)}
    await control.releaseSms(Number(c.req.param('seq')), orderNo, merchantId)
    return goOn(c, form, 'released')
  })
  routes.post('/sms/:seq/discard', async (c) => {
    const form = await readFields(c)
    await control.discardSms(Number(c.req.param('seq')))
    return goOn(c, form, 'discarded')
  })

  routes.post('/deposits/:seq/pay', async (c) => {
    const form = await readFields(c)
    const {orderNo, merchantId, phone} = findOrder(c, 'deposit')
    const [amount, channel] = [readAmount(form), readChannel(form, 'channel')]
    control.chooseAmount(orderNo, amount, channel, merchantId)
    return goOn(c, form, noticeOf(await control.receiveSms({amount, channel, sender: phone})))
  })

  const orderAction = (kind: OrderKind, verb: string, act: OrderAction, notice: ConsoleNotice) =>
    routes.post(`/${kind}s/:seq/${verb}`, async (c) => {
      const form = await readFields(c)
      const {orderNo, merchantId} = findOrder(c, kind)
      await act(orderNo, merchantId)
      return goOn(c, form, notice)
    })
  orderAction('deposit', 'expire', (...order) => control.expireDeposit(...order), 'expired')
  orderAction('payout', 'complete', (...order) => control.completePayout(...order), 'paid_out')
  orderAction('payout', 'reject', (...order) => control.rejectPayout(...order), 'rejected')

  routes.post('/deliveries/:id/resend', async (c) => {
    const form = await readFields(c)
    const id = c.req.param('id')
    if (!deliveries.find(id))
      throw new Refusal(404, 'NOT_FOUND', 'There is no such delivery.', 'Choose it from the list.')
    if (engine.progressOf(id) !== null) {
      throw new Refusal(409, 'UNDER_WAY', 'An attempt at it is under way.', 'Wait for what comes of it.')
    }
    const resend = engine
      .resend(id)
      .then((): ConsoleNotice => (deliveries.find(id)?.status === 'success' ? 'delivered' : 'undelivered'))
    // The page shows the result later, and its banner a failure of the sandbox.
    resend.catch(() => {})
    const late = sleep<ConsoleNotice>(noticeableMs, 'resending', {ref: false})
    return goOn(c, form, await Promise.race([resend, late]))
  })
  routes.post('/deliveries/resend-failed', async (c) => {
    const form = await readFields(c)
    if (failedResender.start() === null) {
      throw new Refusal(409, 'UNDER_WAY', 'They are being sent again already.', 'Wait for what comes of it.')
    }
    return goOn(c, form, 'resending_all')
  })

  routes.post('/clock/advance', async (c) => {
    const form = await readFields(c)
    const byMs = parseSpan(form.by ?? '')
    if (byMs === null) throw refuseField('by', 'a length of time such as 7h21m')
    await control.advanceBy(byMs)
    return goOn(c, form, 'moved')
  })
  routes.post('/clock/pace', async (c) => {
    const form = await readFields(c)
    control.setTimeScale(/^[0-9]{1,5}$/.test(form.timeScale ?? '') ? Number(form.timeScale) : Number.NaN)
    return goOn(c, form, 'paced')
  })

  const faultAction = (verb: string, act: (rule: string) => void, notice: ConsoleNotice) =>
    routes.post(`/faults/${verb}`, async (c) => {
      const form = await readFields(c)
      refuseUsage(() => act(form.rule ?? ''))
      return goOn(c, form, notice)
    })
  faultAction('begin', faults.add, 'fault_added')
  faultAction('end', faults.remove, 'fault_ended')

  return routes
}

type Fields = Readonly<Record<string, string>>

async function readFields(c: Context): Promise<Fields> {
  return Object.fromEntries(await readForm(c))
}

/** Redirects only to pages of the console, whatever the form says. */
function goOn(c: Context, {back = ''}: Fields, notice: ConsoleNotice): Response {
  const url = URL.parse(back, 'http://console')
  const isOurs = url?.host === 'console' && url.pathname.startsWith('/console/')
  const target = isOurs ? url : new URL('http://console/console/orders')
  target.searchParams.set('notice', notice)
  return c.redirect(`${target.pathname}${target.search}`, 303)
}

function noticeOf({state}: SmsRecord): ConsoleNotice {
  return state === 'released' ? 'matched' : state === 'duplicate' ? 'duplicate' : 'waiting'
}
