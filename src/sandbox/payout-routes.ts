import {Hono} from 'hono'

import type {JsonObject} from '../core/json.ts'
import {formatPaisa} from '../core/money.ts'
import {answerJson} from './answers.ts'
import {
  readAmount,
  readChannel,
  readOrderNo,
  readReturnUrlField,
  readUserName,
  readWallet,
} from './field-rules.ts'
import type {PayoutOrder} from './order-service.ts'
import type {SandboxParts} from './parts.ts'
import {readSignedRequest} from './request-reading.ts'
import type {StoredPayout} from './store/orders.ts'
import {openPayoutWord, wordOf} from './words.ts'

export function payoutRoutes({orderService, commit, merchants, dialect}: SandboxParts): Hono {
  const routes = new Hono()
  const statusOf = ({state}: StoredPayout) =>
    state === 'open' ? openPayoutWord(dialect) : wordOf(dialect, 'payout', state)

  routes.post('/apply/create', async (c) => {
    const {merchant, fields} = await readSignedRequest(c, merchants, dialect)
    const request = readPayoutRequest(fields)
    const order = await commit.run(() => orderService.createPayout(merchant, request))
    const {merchantId, orderNo, platformOrderNo} = order
    return answerJson(c, {code: 0, data: {merchantId, orderNo, platformOrderNo, status: statusOf(order)}})
  })

  routes.post('/apply/query', async (c) => {
    const {merchant, fields} = await readSignedRequest(c, merchants, dialect)
    const order = orderService.find.payout(merchant.merchantId, readOrderNo(fields, 'outOrderNo'))
    const {response} = dialect
    const data = {
      merchantId: order.merchantId,
      [response.orderNo[0] ?? 'orderNo']: order.orderNo,
      [response.platformOrderNo]: order.platformOrderNo,
      [response.status]: statusOf(order),
      [response.amount]: formatPaisa(order.amount),
    }
    return answerJson(c, {code: 0, data})
  })

  return routes
}

function readPayoutRequest(fields: JsonObject): PayoutOrder {
  return {
    orderNo: readOrderNo(fields, 'outOrderNo'),
    amount: readAmount(fields),
    bankType: readChannel(fields, 'bankType'),
    userName: readUserName(fields),
    account: readWallet(fields, 'account'),
    returnUrl: readReturnUrlField(fields),
  }
}
