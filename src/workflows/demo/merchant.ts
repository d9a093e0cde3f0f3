import {createServer, type Server, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {buffer} from 'node:stream/consumers'
import {stringify} from 'csv-stringify/sync'

import {isJsonObject, type JsonObject, parseJsonBytes} from '../../core/json.ts'
import {formatPaisa, type Paisa, parsePaisa} from '../../core/money.ts'
import type {OrderKind} from '../../core/order.ts'
import {sameSignature} from '../../core/signing/compare.ts'
import {signFields} from '../../core/signing/request.ts'
import {formatInstant} from '../../core/time.ts'

/** One order in the merchant's own books, in the merchant's own words. */
export interface BookedOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly playerRef: string
  readonly createdAtMs: number
  status: 'pending' | 'credited' | 'paid' | 'expired'
  amount: Paisa | null
  /** How often it was booked: once, or the demonstration has failed. */
  bookings: number
}

/**
 * The demonstration's merchant: books, and a webhook receiver that verifies, books once and answers 200. Its server can
 * be stopped, and has one defect: it accepts some orders without booking them.
 */
export class DemoMerchant {
  readonly books = new Map<string, BookedOrder>()
  private isDown = false
  private readonly forgets: ReadonlySet<string>
  private readonly apiSecret: string
  private readonly server: Server

  constructor(apiSecret: string, forgets: ReadonlySet<string>) {
    this.apiSecret = apiSecret
    this.forgets = forgets
    this.server = createServer(async (request, response) => this.receive(await buffer(request), response))
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhooks`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  setDown(isDown: boolean): void {
    this.isDown = isDown
  }

  open(order: Omit<BookedOrder, 'status' | 'bookings'>): void {
    this.books.set(order.orderNo, {...order, status: 'pending', bookings: 0})
  }

  /** The ledger as the merchant exports it in the evening. */
  ledgerCsv(timeZone: string): string {
    const rows = [...this.books.values()].map(({orderNo, kind, status, amount, playerRef, createdAtMs}) => [
      orderNo,
      kind,
      status,
      amount === null ? '' : formatPaisa(amount),
      playerRef,
      formatInstant(createdAtMs, timeZone),
    ])
    return stringify([['order_no', 'kind', 'status', 'amount', 'player_ref', 'created_at'], ...rows])
  }

  private receive(bytes: Buffer, response: ServerResponse): void {
    const status = this.isDown ? 503 : this.book(bytes)
    response
      .writeHead(status, {'content-type': 'application/json'})
      .end(JSON.stringify({received: status === 200}))
  }

  private book(bytes: Buffer): number {
    const body = parseJsonBytes(bytes)
    if (!isJsonObject(body) || !this.isGenuine(body)) return 401
    const order = this.books.get(String(body.orderNo))
    if (!order) return 404
    if (this.forgets.has(order.orderNo) || order.status !== 'pending') return 200
    if (body.status === 'completed') {
      order.status = order.kind === 'deposit' ? 'credited' : 'paid'
      order.amount = parsePaisa(String(body.amount))
      order.bookings += 1
    } else order.status = 'expired'
    return 200
  }

  private isGenuine(body: JsonObject): boolean {
    return sameSignature(String(body.signature), signFields(body, this.apiSecret))
  }
}
