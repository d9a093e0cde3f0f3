import {Agent, type Dispatcher} from 'undici'

import {isLoopbackHost} from '../core/loopback.ts'
import {type AttemptReason, reasonOfError} from './attempt-reasons.ts'

export type HeaderPair = readonly [name: string, value: string]

export interface Exchange {
  readonly requestHeaders: readonly HeaderPair[]
  readonly requestBody: string
  /** Null without a status. A status counts even if the body breaks off. */
  readonly responseCode: number | null
  readonly responseHeaders: readonly HeaderPair[]
  /** At most `responseBodyMaxBytes`; null without a status. */
  readonly responseBody: string | null
  readonly reason: AttemptReason | null
  readonly durationMs: number
}

export interface SendResult extends Exchange {
  /** What a fault sent in addition. */
  readonly besides: readonly (Exchange & {readonly role: 'forged' | 'doubled'})[]
}

export interface SenderOptions {
  /** Deadline of a whole attempt in real time, from connecting to the last byte kept. */
  readonly timeoutMs: () => number
  /** Origins beyond this machine. No other foreign address is ever contacted. */
  readonly deliverTo: readonly string[]
}

export type Sender = ReturnType<typeof openSender>

export const responseBodyMaxBytes = 4096

export function openSender({timeoutMs, deliverTo}: SenderOptions) {
  // A connection per attempt: a receiver that restarts between two attempts must not lose one.
  const agent = new Agent({pipelining: 0, connect: {timeout: 0, rejectUnauthorized: true}})
  return {
    /** Throws only when `cancelled`: the result is unknown then, and nothing may be recorded. */
    async send(
      url: string,
      headers: Record<string, string>,
      body: string,
      cancelled: AbortSignal,
    ): Promise<SendResult> {
      const {hostname, host, origin, pathname, search} = new URL(url)
      if (!isLoopbackHost(hostname) && !deliverTo.includes(origin)) return notSent(body, 'elsewhere')
      const deadline = AbortSignal.timeout(timeoutMs())
      const signal = AbortSignal.any([cancelled, deadline])
      const beganAtMs = performance.now()
      const sent = {host, connection: 'close', ...headers, 'content-length': String(Buffer.byteLength(body))}
      const request = {requestHeaders: Object.entries(sent), requestBody: body, besides: []}
      const durationMs = () => Math.round(performance.now() - beganAtMs)
      const path = `${pathname}${search}`
      let answer: Dispatcher.ResponseData
      try {
        answer = await agent.request({origin, path, method: 'POST', headers, body, signal})
      } catch (error) {
        if (cancelled.aborted) throw error
        const reason = deadline.aborted ? 'timed_out' : reasonOfError(error)
        return {...request, ...unanswered, reason, durationMs: durationMs()}
      }
      const kept = await readFirst(answer.body)
      if (cancelled.aborted && !kept.isWhole) throw signal.reason
      return {
        ...request,
        responseCode: answer.statusCode,
        responseHeaders: Object.entries(answer.headers).flatMap(([name, value]) =>
          [value ?? ''].flat().map((one): HeaderPair => [name, one]),
        ),
        responseBody: kept.text,
        reason: kept.isWhole ? null : deadline.aborted ? 'body_slow' : 'body_broken',
        durationMs: durationMs(),
      }
    },

    close: () => agent.destroy(),
  }
}

const unanswered = {responseCode: null, responseHeaders: [], responseBody: null}

/** An attempt that never left this machine. */
export function notSent(body: string, reason: AttemptReason): SendResult {
  return {requestHeaders: [], requestBody: body, ...unanswered, reason, durationMs: 0, besides: []}
}

/** The beginning of a body, even of one that breaks off. */
async function readFirst(body: AsyncIterable<Uint8Array>): Promise<{text: string; isWhole: boolean}> {
  const chunks: Uint8Array[] = []
  let length = 0
  let isWhole = true
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= responseBodyMaxBytes) break
    }
  } catch {
    isWhole = false
  }
  return {text: new TextDecoder().decode(Buffer.concat(chunks).subarray(0, responseBodyMaxBytes)), isWhole}
}
