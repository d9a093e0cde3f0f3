import type {IncomingHttpHeaders} from 'node:http'
import {Agent} from 'undici'

import {firstBytes} from '../files/first-bytes.ts'

/** The answer of the merchant's own server to an event. */
export type ForwardAnswer =
  | {
      readonly kind: 'answered'
      readonly httpStatus: number
      readonly contentType: string | null
      /** Its beginning, as much as is passed back. */
      readonly body: Uint8Array
    }
  | {readonly kind: 'unanswered'; readonly problem: string; readonly isTimeout: boolean}

export interface Forwarder {
  /** Sends the same bytes and headers to the configured address. Never rejects, never follows a redirect (P21). */
  send(headers: IncomingHttpHeaders, body: Uint8Array): Promise<ForwardAnswer>
  /** From connecting to the last byte of an answer. */
  readonly timeoutMs: number
  close(): Promise<void>
}

export function isAcknowledgement(answer: ForwardAnswer): boolean {
  return answer.kind === 'answered' && answer.httpStatus < 300
}

export interface ForwarderOptions {
  /** Where events go; https, or http on this machine. */
  readonly url: string
  readonly timeoutMs: number
}

/**
 * Shorter than the sandbox's 10 s, so that the sender gets an answer before it gives up. The service's own limit is
 * not documented (service §6).
 */
export const forwardTimeoutMs = 8_000

const answerBytesMax = 16_384
const connectionsMax = 128

export function openForwarder({url, timeoutMs}: ForwarderOptions): Forwarder {
  // A connection per event: a server that restarts between two events must not lose one.
  const agent = new Agent({
    pipelining: 0,
    allowH2: false,
    connections: connectionsMax,
    connect: {timeout: timeoutMs, rejectUnauthorized: true, minVersion: 'TLSv1.2'},
  })
  const {origin, pathname, search} = new URL(url)
  return {
    async send(headers, body) {
      const deadline = AbortSignal.timeout(timeoutMs)
      try {
        const answer = await agent.request({
          origin,
          path: `${pathname}${search}`,
          method: 'POST',
          headers,
          body,
          signal: deadline,
        })
        const {'content-type': type} = answer.headers
        return {
          kind: 'answered',
          httpStatus: answer.statusCode,
          contentType: typeof type === 'string' ? type : null,
          body: await firstBytes(answer.body, answerBytesMax),
        }
      } catch (error) {
        const isTimeout = deadline.aborted
        const problem = isTimeout ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error)
        return {kind: 'unanswered', problem, isTimeout}
      }
    },
    timeoutMs,
    close: () => agent.destroy(),
  }
}

/** From the code alone: the library's message may contain what was being sent (P20). */
function reasonOf(error: unknown): string {
  const {code} = error as {code?: unknown}
  if (code === 'ECONNREFUSED') return 'the connection was refused'
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed'
}
