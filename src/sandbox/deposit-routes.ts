import {Hono} from 'hono'

import {formatPaisa} from '../core/money.ts'
import {answerJson, Refusal} from './answers.ts'
import {readIsTest, readOrderNo, readPlayerRef, readReturnUrlField, readWallet} from './field-rules.ts'
import type {DepositOrder} from './order-service.ts'
import type {SandboxParts} from './parts.ts'
import {type ReceivedRequest, readSignedRequest} from './request-reading.ts'
import {wordOf} from './words.ts'

/** `/pay/order/create` and `/pay/order/query` below `{base_url}` (service §4.1, §4.2). */
export function depositRoutes({orderService, commit, merchants, dialect, origin}: SandboxParts): Hono {
  const routes = new Hono()

  routes.post('/pay/order/create', async (c) => {
    const {merchant, fields} = await readSignedRequest(c, merchants, dialect)
    const request = readDepositRequest({merchant, fields})
    const {payCode, ...order} = await commit.run(() => orderService.createDeposit(merchant, request))
    const {merchantId, orderNo, platformOrderNo} = order
    const payUrl = `${origin()}/pay/${payCode}`
    return answerJson(c, {code: 0, data: {merchantId, orderNo, platformOrderNo, payCode, payUrl}})
  })

  routes.post('/pay/order/query', async (c) => {
    const {merchant, fields} = await readSignedRequest(c, merchants, dialect)
    const orderNo = readOrderNo(fields, dialect.depositQuery.orderNo)
    const order = orderService.find.deposit(merchant.merchantId, orderNo)
    const {response} = dialect
    const data: Record<string, string> = {
      merchantId: order.merchantId,
      [response.orderNo[0] ?? 'orderNo']: order.orderNo,
      [response.platformOrderNo]: order.platformOrderNo,
      [response.status]: wordOf(dialect, 'deposit', order.state),
      playerRef: order.playerRef,
    }
    if (order.amount !== null) data[response.amount] = formatPaisa(order.amount)
    return answerJson(c, {code: 0, data})
  })

  return routes
}

function readDepositRequest({merchant, fields}: ReceivedRequest): DepositOrder {
  const request = {
    orderNo: readOrderNo(fields, 'orderNo'),
    returnUrl: readReturnUrlField(fields),
    playerPhone: readWallet(fields, 'playerPhone'),
    playerRef: readPlayerRef(fields),
    isTest: readIsTest(fields),
  }
  if (!request.isTest || merchant.isDemo) return request
  throw new Refusal(
    400,
    'TEST_NOT_ALLOWED',
    'This merchant is not a demo merchant and may not send isTest: true.',
    'Leave isTest out, or use the credentials of a demo merchant.',
  )
}
