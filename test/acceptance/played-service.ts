import {parsePaisa} from '../../src/core/money.ts'
import {steppedClock} from '../../src/sandbox/clock.ts'
import {type Sandbox, startSandbox} from '../../src/sandbox/start.ts'
import {
  askAt,
  askPayoutsAt,
  depositFields,
  type Fields,
  payoutFields,
  post,
  signed,
} from '../sandbox/acting-merchant.ts'
import {openReceiver, status, type TestReceiver} from '../sandbox/receiver-server.ts'
import {type FrontDoor, openFrontDoor} from './front-door.ts'

/** How an order ends at the service: a payment of this many taka, no payment, a payout done or refused. */
export type Ending = {paid: string} | 'expired' | 'open' | 'paid out' | 'rejected'

export interface PlayedOrder {
  readonly orderNo: string
  readonly ending: Ending
  /** A payout of this many taka instead of a deposit. */
  readonly payout?: string
  /** It ends while the merchant's server is down, which outlasts the service's five retries. */
  readonly isWebhookLost?: boolean
}

const hourMs = 60 * 60_000

/**
 * The sandbox on a clock that is moved by hand, a merchant's webhook receiver, and a door that counts requests.
 * The day is the one the exports are of: orders are made at midnight in Dhaka and end at noon.
 */
export class PlayedService {
  readonly door: FrontDoor
  readonly receiver: TestReceiver
  private readonly sandbox: Sandbox

  static async open(orders: readonly PlayedOrder[]): Promise<PlayedService> {
    const midnightMs = Date.parse('2026-11-20T00:00:00+06:00')
    const sandbox = await startSandbox({
      port: 0,
      dataDir: null,
      clock: steppedClock(midnightMs),
      payoutBalance: 10_000_000_00n,
    })
    const service = new PlayedService(sandbox, await openReceiver(), await openFrontDoor(sandbox.url))
    for (const order of orders) await service.create(order)
    await sandbox.control.advanceTo(midnightMs + 12 * hourMs)
    for (const order of orders) if (!order.isWebhookLost) await service.end(order)
    service.receiver.answer = status(503)
    for (const order of orders) if (order.isWebhookLost) await service.end(order)
    await sandbox.control.advanceBy(8 * hourMs)
    service.receiver.answer = status(200)
    service.receiver.received.length = 0
    return service
  }

  private constructor(sandbox: Sandbox, receiver: TestReceiver, door: FrontDoor) {
    this.sandbox = sandbox
    this.receiver = receiver
    this.door = door
  }

  /** What `hisab` is told in order to reach it: addresses and nothing else. */
  get env(): Record<string, string> {
    const {url} = this.door
    return {
      HISAB_PROFILE: 'sandbox',
      HISAB_BASE_URL: `${url}/v1`,
      HISAB_APPLY_URL: `${url}/v1`,
      HISAB_LEGACY_URL: url,
    }
  }

  /** Order numbers of the webhooks that reached the merchant since the day was played, sorted. */
  get delivered(): string[] {
    return this.receiver.received.map(({body}) => body.orderNo ?? '').sort()
  }

  async close(): Promise<void> {
    await this.door.close()
    await this.sandbox.close()
    await this.receiver.close()
  }

  private async create({orderNo, payout}: PlayedOrder): Promise<void> {
    const returnUrl = this.receiver.url
    if (payout === undefined) {
      await this.send('/v1/pay/order/create', depositFields({orderNo, returnUrl}))
    } else {
      await this.send('/v1/apply/create', payoutFields({outOrderNo: orderNo, amount: payout, returnUrl}))
    }
  }

  private async send(path: string, fields: Fields): Promise<void> {
    const ask = path.includes('/apply/') ? askPayoutsAt : askAt
    const {status: http, body} = await post(ask(this.sandbox.url), path, signed(fields))
    if (http !== 200) throw new Error(`${path} was refused: ${JSON.stringify(body)}`)
  }

  private async end({orderNo, ending}: PlayedOrder): Promise<void> {
    const {control} = this.sandbox
    if (ending === 'open') return
    if (ending === 'expired') await control.expireDeposit(orderNo)
    else if (ending === 'paid out') await control.completePayout(orderNo)
    else if (ending === 'rejected') await control.rejectPayout(orderNo)
    else await control.payDeposit(orderNo, parsePaisa(ending.paid) ?? 0n)
  }
}
