import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {text} from 'node:stream/consumers'

import type {Gate} from './gate.ts'

/** The merchant's own server, which a listener hands events on to. */
export class Merchant implements AsyncDisposable {
  /** The numbers of the orders it was told of, in the order of arrival. */
  readonly got: string[] = []
  readonly #gate: Gate
  readonly #server = createServer(async (request, response) => {
    const {orderNo} = JSON.parse(await text(request)) as {orderNo: string}
    const pass = this.#gate.at('hand-over')
    if (!(await pass('before acting'))) return
    // It is down for the first event of one order, as servers are.
    const status = orderNo === 'D-6' && !this.got.includes(orderNo) ? 503 : 200
    this.got.push(orderNo)
    await pass('before answering')
    response.once('finish', () => void pass('after answering'))
    response.writeHead(status).end()
  })

  constructor(gate: Gate) {
    this.#gate = gate
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  timesGot(orderNo: string): number {
    return this.got.filter((one) => one === orderNo).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
