import type {Dispatcher} from 'undici'

import type {Limits} from './limits.ts'

export interface WireRequest {
  readonly origin: string
  /** With the query, which is never signed. */
  readonly path: string
  readonly method: 'GET' | 'POST'
  /** Names and values alternately. */
  readonly headers: string[]
  readonly body: Uint8Array | null
}

/** The answer to one attempt. The body is kept up to a limit. */
export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Uint8Array
  /** Why the body is incomplete, or null. */
  readonly flaw: 'cut' | 'timeout' | 'too_large' | null
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * `not_sent`: no byte was sent. `no_answer`: the request was sent and nothing readable came back, so whether it took
 * effect is unknown (P6).
 */
export type Exchange =
  | Answer
  | {readonly kind: 'not_sent'; readonly reason: string; readonly timedOut: boolean}
  | {readonly kind: 'no_answer'; readonly reason: string; readonly timedOut: boolean}

/** Makes one attempt. Never rejects, never follows a redirect, and ends within the total deadline. */
export function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  limits: Limits,
  bytesMax: number,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const attempt = new Attempt(resolve, bytesMax, limits.totalTimeoutMs)
    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.path,
        method: request.method,
        headers: request.headers,
        body: request.body,
        headersTimeout: limits.headersTimeoutMs,
        // It does not fire on a slow drip; the total deadline does (P17).
        bodyTimeout: 0,
      },
      attempt,
    )
  })
}

const noBytes = new Uint8Array(0)

/**
 * One request through undici's dispatcher. `dispatch` and not `request()`, because only it shows whether the request
 * was started: an ECONNRESET looks the same during and after a TLS handshake.
 */
class Attempt implements Dispatcher.DispatchHandler {
  private readonly resolve: (exchange: Exchange) => void
  private readonly bytesMax: number
  private readonly deadline: NodeJS.Timeout
  private controller: Dispatcher.DispatchController | undefined
  private isOver = false
  private timedOut = false
  private tooLarge = false
  private status = 0
  private headers: AnswerHeaders = {}
  private chunks: Uint8Array[] = []
  private bytes = 0

  constructor(resolve: (exchange: Exchange) => void, bytesMax: number, totalTimeoutMs: number) {
    this.resolve = resolve
    this.bytesMax = bytesMax
    this.deadline = setTimeout(expire, totalTimeoutMs, this)
  }

  /** undici calls this when a connection is up, just before it writes. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The deadline passed while connecting; or a second start: undici would send the bytes again.
    if (this.isOver || this.controller !== undefined) {
      controller.abort(new Error('not to be sent'))
      return
    }
    this.controller = controller
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200) return
    this.status = status
    this.headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.bytes += chunk.length
    if (this.bytes > this.bytesMax) {
      this.tooLarge = true
      controller.abort(new Error('over the size cap'))
    } else {
      this.chunks.push(chunk)
    }
  }

  onResponseEnd(): void {
    this.answer(null)
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.status !== 0) {
      this.answer(this.tooLarge ? 'too_large' : this.timedOut ? 'timeout' : 'cut')
    } else if (this.controller === undefined) {
      const reason = reasonNotSent(error)
      this.finish({kind: 'not_sent', reason, timedOut: reason === tooLate})
    } else {
      const timedOut = this.timedOut || codeOf(error) === 'UND_ERR_HEADERS_TIMEOUT'
      const reason = timedOut ? 'no answer in time' : 'the connection broke before an answer came'
      this.finish({kind: 'no_answer', reason, timedOut})
    }
  }

  expire(): void {
    this.timedOut = true
    if (this.controller === undefined) this.finish({kind: 'not_sent', reason: tooLate, timedOut: true})
    else this.controller.abort(new Error('deadline'))
  }

  private answer(flaw: Answer['flaw']): void {
    const {status, headers, chunks} = this
    const [only = noBytes] = chunks
    this.finish({
      kind: 'answer',
      status,
      headers,
      body: chunks.length > 1 ? Buffer.concat(chunks) : only,
      flaw,
    })
  }

  private finish(exchange: Exchange): void {
    clearTimeout(this.deadline)
    this.resolve(exchange)
    this.isOver = true
  }
}

function expire(attempt: Attempt): void {
  attempt.expire()
}

export const connectionRefused = 'the connection was refused'
const tooLate = 'no connection in time'
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name is not known (DNS)',
  EAI_AGAIN: 'the host name could not be looked up (DNS)',
  ECONNREFUSED: connectionRefused,
  ETIMEDOUT: tooLate,
  UND_ERR_CONNECT_TIMEOUT: tooLate,
  // Before a connection is up, only undici's proxy agent ends this way.
  UND_ERR_ABORTED: 'the proxy refused to connect',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'the network is not reachable',
}

/** Why there is no connection, from the code alone: the library's message may contain what was being sent (P20). */
export function reasonNotSent(error: Error): string {
  const code = codeOf(error)
  const known = reasons[code]
  if (known !== undefined) return known
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/.test(code)) {
    return `the TLS handshake failed (${code})`
  }
  return `no connection came up${/^[A-Z0-9_]+$/.test(code) ? ` (${code})` : ''}`
}

function codeOf(error: Error): string {
  const {code} = error as {code?: unknown}
  return typeof code === 'string' ? code : ''
}
