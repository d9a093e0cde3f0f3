import {Hono} from 'hono'

import {JsonNumber, type JsonObject} from '../../core/json.ts'
import {refuseField} from '../answers.ts'
import {readAmount, readChannel, readMerchant, readOrderNo, readWallet} from '../field-rules.ts'
import {readJsonObject} from '../request-reading.ts'
import {smsStates} from '../store/sms.ts'
import type {PlayedPayment, SmsControl} from './control.ts'
import type {IncomingSms} from './inbox.ts'

const textLengthMax = 1000

export function smsRoutes(control: SmsControl): Hono {
  const routes = new Hono()
  const ok = (data: unknown) => ({code: 0, data})

  routes.post('/deposits/choose', async (c) => {
    const fields = await readJsonObject(c)
    const {merchantId} = readMerchant(fields)
    const orderNo = readOrderNo(fields, 'orderNo')
    control.chooseAmount(orderNo, readAmount(fields), readChannel(fields, 'channel'), merchantId)
    return c.json(ok({orderNo}))
  })

  routes.get('/sms', (c) => {
    const asked = c.req.query('state')
    const state = smsStates.find((known) => known === asked)
    if (asked !== undefined && !state) throw refuseField('state', `one of ${smsStates.join(', ')}`)
    return c.json(ok({sms: control.listSms(state)}))
  })

  routes.post('/sms', async (c) => c.json(ok(await control.receiveSms(readSms(await readJsonObject(c))))))

  routes.post('/sms/release', async (c) => {
    const fields = await readJsonObject(c)
    const {merchantId} = readMerchant(fields)
    return c.json(ok(await control.releaseSms(readId(fields), readOrderNo(fields, 'orderNo'), merchantId)))
  })

  routes.post('/sms/discard', async (c) =>
    c.json(ok(await control.discardSms(readId(await readJsonObject(c))))),
  )

  return routes
}

export function readSms(fields: JsonObject): IncomingSms | PlayedPayment {
  const {from, text, trxId} = fields
  if (text !== undefined) {
    return {from: readShortText(from, 'from', 40), text: readShortText(text, 'text', textLengthMax)}
  }
  return {
    channel: readChannel(fields, 'channel'),
    sender: readWallet(fields, 'sender'),
    amount: readAmount(fields),
    ...(trxId === undefined ? {} : {trxId: readTrxId(trxId)}),
  }
}

function readShortText(value: unknown, name: string, lengthMax: number): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= lengthMax) return value
  throw refuseField(name, `a string of 1 to ${lengthMax} characters`)
}

function readTrxId(value: unknown): string {
  if (typeof value === 'string' && /^[A-Z0-9]{6,16}$/.test(value)) return value
  throw refuseField('trxId', '6 to 16 capital letters and digits')
}

function readId({id}: JsonObject): number {
  const seq = id instanceof JsonNumber ? Number(id.source) : Number.NaN
  if (Number.isSafeInteger(seq) && seq > 0) return seq
  throw refuseField('id', "an SMS's number")
}
