import {randomBytes} from 'node:crypto'
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http'
import {text} from 'node:stream/consumers'
import {Book, type Kind} from './book.ts'
import {type Call, CallLog, type CallName} from './calls.ts'
import {
  answerLikeNoLegacyApi,
  getRecord,
  legacyPath,
  listRecords,
  refuseUnsignedLegacy,
  resendRecord,
} from './legacy-api.ts'
import {createOrder, type Merchant, queryOrder, readOrderNumber, refuseUnsigned} from './payment-api.ts'
import {html, type Reply, silence} from './replies.ts'

/** Stands between a call and its answer. `act` does what the service would do and says what it would say. */
export type Script = (act: () => Reply, call: Call) => Reply

const depositPrefix = '/compat/v1'
const payoutPrefix = '/disburse/v1'

/**
 * The payment service (docs/service.md), written without a line of the client that it tests. Where its document is silent
 * it follows the assumptions A1 to A13, and a test can make it misbehave. It is two servers on loopback, because the two
 * APIs have different hosts.
 */
export class FakeService {
  readonly book = new Book()
  readonly calls = new CallLog()
  readonly merchant: Merchant = {
    id: '5a1e57a1-7e57-4000-8000-00000000b0bd',
    apiSecret: `canary-secret-${randomBytes(12).toString('hex')}`,
    apiKey: `canary-key-${randomBytes(12).toString('hex')}`,
    isDemo: false,
    balancePaisa: 100_000_000n,
  }
  readonly #scripts = new Map<string, Script>()
  readonly #deposit = createServer((request, response) => this.#serve('deposit', request, response))
  readonly #payout = createServer((request, response) => this.#serve('payout', request, response))

  async start(): Promise<this> {
    await Promise.all([listen(this.#deposit), listen(this.#payout)])
    return this
  }

  get baseUrl(): string {
    return `${originOf(this.#deposit)}${depositPrefix}`
  }

  get applyUrl(): string {
    return `${originOf(this.#payout)}${payoutPrefix}`
  }

  get legacyUrl(): string {
    return originOf(this.#deposit)
  }

  /** Puts a script before every call of one operation. */
  on(name: CallName, script: Script): void {
    this.#scripts.set(name, script)
  }

  /** Puts a script before the queries of one order. */
  onQuery(kind: Kind, number: string, script: Script): void {
    this.#scripts.set(`${kind}.query ${number}`, script)
  }

  /** A deployment without the deprecated API: its addresses answer with a page (section 1). */
  removeLegacyApi(): void {
    for (const name of ['list', 'get', 'resend'] as const) this.on(name, answerLikeNoLegacyApi)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.calls.letGoOfAll()
    await Promise.all([close(this.#deposit), close(this.#payout)])
  }

  #serve(host: Call['host'], request: IncomingMessage, response: ServerResponse): void {
    this.#answer(host, request, response).then(
      (reply) => send(reply, response),
      (error: unknown) => {
        // A client killed in mid-request is what some tests are about; anything else is a fault of this service.
        if (!request.destroyed) throw error
      },
    )
  }

  async #answer(host: Call['host'], request: IncomingMessage, response: ServerResponse): Promise<Reply> {
    const call = describeCall(host, request, await text(request))
    this.calls.add(call)
    response.once('finish', () => {
      this.calls.answered.add(call)
      void this.calls.waitWhileHeld(call, 'after answering')
    })
    if (!(await this.calls.waitWhileHeld(call, 'before acting'))) return silence
    const script = this.#scripts.get(`${call.name} ${call.target}`) ?? this.#scripts.get(call.name)
    const reply = script === undefined ? this.#act(call) : script(() => this.#act(call), call)
    await this.calls.waitWhileHeld(call, 'before answering')
    return reply
  }

  #act(call: Call): Reply {
    const {book, merchant} = this
    if (call.name === 'other') return html(404)
    const isLegacy = call.path.startsWith(legacyPath)
    const refused = isLegacy ? refuseUnsignedLegacy(call, merchant) : refuseUnsigned(call, merchant)
    if (refused !== undefined) {
      this.calls.rejected.push(call)
      return refused
    }
    switch (call.name) {
      case 'deposit.create':
        return createOrder('deposit', call, book, merchant)
      case 'deposit.query':
        return queryOrder('deposit', call, book, merchant)
      case 'payout.create':
        return createOrder('payout', call, book, merchant)
      case 'payout.query':
        return queryOrder('payout', call, book, merchant)
      case 'list':
        return listRecords(call, book)
      case 'get':
        return getRecord(call, book)
      case 'resend':
        return resendRecord(call, book)
    }
  }
}

export async function startFakeService(): Promise<FakeService> {
  return new FakeService().start()
}

function describeCall(host: Call['host'], request: IncomingMessage, body: string): Call {
  const method = request.method ?? ''
  const url = new URL(request.url ?? '/', 'http://service.invalid')
  const path = url.pathname
  const {name, target} = nameCall(host, method, path, body)
  return {name, target, host, method, path, query: url.searchParams, body, headers: request.headers}
}

function nameCall(host: Call['host'], method: string, path: string, body: string) {
  const signed: Readonly<Record<string, {name: CallName; kind: Kind}>> = {
    [`deposit POST ${depositPrefix}/pay/order/create`]: {name: 'deposit.create', kind: 'deposit'},
    [`deposit POST ${depositPrefix}/pay/order/query`]: {name: 'deposit.query', kind: 'deposit'},
    [`payout POST ${payoutPrefix}/apply/create`]: {name: 'payout.create', kind: 'payout'},
    [`payout POST ${payoutPrefix}/apply/query`]: {name: 'payout.query', kind: 'payout'},
  }
  const operation = signed[`${host} ${method} ${path}`]
  if (operation !== undefined) {
    return {name: operation.name, target: readOrderNumber(operation.kind, body)}
  }
  if (host === 'deposit' && method === 'GET' && path === legacyPath)
    return {name: 'list', target: ''} as const
  const [, id = '', action] = new RegExp(`^${legacyPath}/([^/]+)(/resend)?$`).exec(path) ?? []
  if (host === 'deposit' && id !== '') {
    if (method === 'GET' && action === undefined) return {name: 'get', target: id} as const
    if (method === 'POST' && action === '/resend') return {name: 'resend', target: id} as const
  }
  return {name: 'other', target: ''} as const
}

function send(reply: Reply, response: ServerResponse): void {
  if (reply.sends === 'nothing') return
  if (reply.sends === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  response.writeHead(reply.httpStatus, {'content-type': reply.contentType, ...reply.headers})
  response.end(reply.text)
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve())
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function originOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the fake service is not started')
  return `http://127.0.0.1:${address.port}`
}
