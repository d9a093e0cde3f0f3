import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {setTimeout as delay} from 'node:timers/promises'
import {Failure} from '../core/failure.ts'
import {hostnameOfHeader, isLoopbackHost} from '../core/loopback.ts'
import {signedPath} from '../core/signing/capture.ts'
import {escapeInvisible} from '../core/text.ts'
import {type ConnectionLimits, Connections} from './connections.ts'
import type {OnNotice} from './notice.ts'
import {Reception, type ReceptionParts, type Reply, replyOfDefect, replyOfRefusal} from './reception.ts'
import {requireUsable} from './rules.ts'
import {refuse, type WebhookRefusal} from './verify-webhook.ts'

/** Every limit on what a sender may cost (P17, P23). */
export interface ReceiverLimits extends ConnectionLimits {
  readonly bodyBytesMax: number
  /** Request line and headers together. */
  readonly headerBytesMax: number
  readonly headersTimeoutMs: number
  /** A whole request, from first to last byte. */
  readonly requestTimeoutMs: number
  /** How often both are checked. */
  readonly timeoutCheckMs: number
  readonly requestsPerConnectionMax: number
  /** How long requests under way may take after the receiver begins to close. */
  readonly drainTimeoutMs: number
}

export const defaultReceiverLimits: ReceiverLimits = {
  bodyBytesMax: 65_536,
  headerBytesMax: 16_384,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  timeoutCheckMs: 500,
  waitMs: 6_000,
  connectionsMax: 512,
  connectionsPerAddressMax: 256,
  requestsPerConnectionMax: 1_000,
  drainTimeoutMs: 12_000,
}

export interface ReceiverOptions extends ReceptionParts {
  /** An address of this machine; `127.0.0.1` can be reached from this machine only. */
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** The only path for webhooks. */
  readonly path: string
  /** Host names besides this machine's; null: any. */
  readonly hostnames: readonly string[] | null
  readonly limits?: Partial<ReceiverLimits>
}

export interface Receiver {
  readonly url: string
  readonly port: number
  /** Takes no more requests, finishes those under way, and resolves with their number. */
  drain(): Promise<number>
}

/**
 * Takes webhooks at one address. Throws `usage` if it cannot listen there, `credentials_missing` and `config_invalid`
 * if no webhook could be checked.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  requireUsable(options.rules, options.path)
  const limits = {...defaultReceiverLimits, ...options.limits}
  const handler = new RequestHandler(options, limits)
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
    },
    (request, response) => handler.take(request, response),
  )
  server.maxRequestsPerSocket = limits.requestsPerConnectionMax
  const {onNotice, now} = options
  new Connections(server, limits, () => onNotice({type: 'dropped', atMs: now()}))
  watchBadRequests(server, onNotice, now)
  const {address, family, port} = await listen(server, options)
  const host = family === 'IPv6' ? `[${address}]` : address
  return {
    url: `http://${host}:${port}${options.path}`,
    port,
    async drain() {
      const count = handler.close()
      server.close()
      await Promise.race([handler.idle(), delay(limits.drainTimeoutMs, undefined, {ref: false})])
      server.closeAllConnections()
      return count
    },
  }
}

/** Reads requests within the limits, and counts those under way. */
class RequestHandler {
  private readonly options: ReceiverOptions
  private readonly limits: ReceiverLimits
  private readonly reception: Reception
  private readonly underWay = new Set<Promise<void>>()
  private isClosing = false

  constructor(options: ReceiverOptions, limits: ReceiverLimits) {
    this.options = options
    this.limits = limits
    this.reception = new Reception(options)
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    if (request.socket.destroyed) return
    const ended = new Promise<void>((resolve) => response.once('close', resolve))
    this.underWay.add(ended)
    void ended.then(() => this.underWay.delete(ended))
    this.serve(request, response).catch((error: unknown) => {
      const {onNotice, now} = this.options
      onNotice({type: 'defect', atMs: now(), message: error instanceof Error ? error.message : String(error)})
      if (!response.headersSent) send(response, replyOfDefect, true)
    })
  }

  /** From now on each connection ends with its answer. Returns the number of requests under way. */
  close(): number {
    this.isClosing = true
    return this.underWay.size
  }

  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay)
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {path} = this.options
    const {method = '', url = '', headers, socket} = request
    const from = socket.remoteAddress ?? null
    const strange = this.refuseStranger(headers)
    if (strange) return sendEarly(request, response, this.turnAway(strange, from))
    const asked = signedPath(url)
    if (asked !== path) {
      const refusal = refuse('wrong_address', `Nothing is taken at ${escapeInvisible(asked, 120)}.`)
      return sendEarly(request, response, this.turnAway(refusal, from))
    }
    if (method !== 'POST') {
      response.setHeader('allow', 'POST')
      const refusal = refuse('wrong_method', `A webhook is a POST, not a ${escapeInvisible(method, 20)}.`)
      return sendEarly(request, response, this.turnAway(refusal, from))
    }
    const body = await readRequestBody(request, this.limits.bodyBytesMax)
    if (body === 'gone') return
    if (body === 'too_large') {
      const refusal = refuse('too_large', `The body is larger than ${this.limits.bodyBytesMax} bytes.`)
      return sendEarly(request, response, this.turnAway(refusal, from))
    }
    const reply = await this.reception.receive({headers, path, body, from})
    send(response, reply, this.isClosing)
  }

  /** Refuses web pages in a browser, even under a name that resolves to this machine. */
  private refuseStranger({host, origin}: IncomingHttpHeaders): WebhookRefusal | null {
    if (origin !== undefined) return refuse('web_page', 'What a web page sends is no webhook.')
    const {hostnames} = this.options
    const hostname = hostnameOfHeader(host ?? '')
    if (host === undefined || hostnames === null || isLoopbackHost(hostname) || hostnames.includes(hostname))
      return null
    return refuse(
      'wrong_host',
      `No webhooks are taken under the name ${escapeInvisible(host, 80)}: it is not that of the profile's return_url.`,
    )
  }

  private turnAway(refusal: WebhookRefusal, from: string | null): Reply {
    const {onNotice, now} = this.options
    const {httpStatus, reason, message} = refusal
    onNotice({type: 'refused', atMs: now(), httpStatus, reason, message, why: null, from})
    return replyOfRefusal(refusal)
  }
}

async function listen(server: Server, {host, port}: ReceiverOptions): Promise<AddressInfo> {
  const {promise, resolve, reject} = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({host, port}, resolve)
  try {
    await promise
  } catch (error) {
    const {code = 'unknown reason'} = error as NodeJS.ErrnoException
    throw new Failure(
      'usage',
      `hisab cannot listen on ${escapeInvisible(host, 80)}:${port} (${code}).`,
      'Stop the program that uses the port, or choose another with --port. --host must be an address of this machine.',
    )
  }
  return server.address() as AddressInfo
}

/** Node's error codes for bytes that never become a request. */
const tooSlow = {
  status: '408 Request Timeout',
  reason: 'too_slow',
  message: 'The request did not arrive in time.',
} as const
const headersTooLarge = {
  status: '431 Request Header Fields Too Large',
  reason: 'headers_too_large',
  message: 'The headers are too large.',
} as const
const notHttp = {status: '400 Bad Request', reason: 'not_http', message: 'What came is not HTTP.'} as const

const faults = new Map<string | undefined, typeof tooSlow | typeof headersTooLarge>([
  ['ERR_HTTP_REQUEST_TIMEOUT', tooSlow],
  ['HPE_HEADER_OVERFLOW', headersTooLarge],
])

/** Answers as Node would, and reports what never becomes a request: 400, 408, 431. */
function watchBadRequests(server: Server, onNotice: OnNotice, now: () => number): void {
  const responses = new WeakMap<Socket, ServerResponse>()
  server.on('request', (request, response) => responses.set(request.socket, response))
  server.on('clientError', ({code}: NodeJS.ErrnoException, socket: Socket) => {
    const response = responses.get(socket)
    const isBeingAnswered = response?.headersSent === true && !response.writableFinished
    if (!socket.writable || isBeingAnswered) {
      socket.destroy()
      return
    }
    const {status, reason, message} = faults.get(code) ?? notHttp
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
    const from = socket.remoteAddress ?? null
    const httpStatus = Number(status.slice(0, 3))
    onNotice({type: 'refused', atMs: now(), httpStatus, reason, message, why: null, from})
  })
}

/**
 * The raw bytes of a request. `too_large` as soon as that is certain, without reading on; `gone` if the sender left
 * or was too slow.
 */
function readRequestBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | 'too_large' | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.resolve('too_large')
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bytesMax) chunks.push(chunk)
      else resolve('too_large')
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('close', () => resolve('gone'))
  })
}

/** `isLast` ends the connection with this answer. */
function send(response: ServerResponse, reply: Reply, isLast: boolean): void {
  writeHead(response, reply, isLast)
  response.end(reply.body)
}

const lingerMs = 1_000

/**
 * Answers before the body is complete, and closes a moment later: closing over unread bytes would reset the
 * connection and lose the answer.
 */
function sendEarly(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  writeHead(response, reply, true)
  response.write(reply.body)
  const timer = setTimeout(() => response.end(), lingerMs)
  request.once('close', () => {
    clearTimeout(timer)
    response.end()
  })
  request.resume()
}

function writeHead(response: ServerResponse, {httpStatus, contentType, body}: Reply, isLast: boolean): void {
  response.writeHead(httpStatus, {
    ...(isLast ? {connection: 'close'} : {}),
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
  })
}
