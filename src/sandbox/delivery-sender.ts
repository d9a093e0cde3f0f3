import {Agent} from 'undici'

import {firstBytes} from '../files/first-bytes.ts'
import {isLoopbackHost} from './loopback.ts'

/** What came of one POST. Without an answer `responseCode` is null and `problem` says why. */
export interface SendResult {
  readonly responseCode: number | null
  readonly responseBody: string | null
  readonly problem: string | null
}

export interface SenderOptions {
  /** Deadline of a whole attempt, from connecting to the last byte that is kept. */
  readonly timeoutMs: number
  /** Origins beyond this machine; no other address that is not this machine is ever contacted. */
  readonly deliverTo: readonly string[]
}

export type Sender = ReturnType<typeof openSender>

/** Bytes of the receiver's answer that are kept in the record. */
const responseBodyMaxBytes = 4096

export function openSender({timeoutMs, deliverTo}: SenderOptions) {
  // No connection outlives its attempt: a receiver that restarts between two must not cost one of them.
  const agent = new Agent({pipelining: 0, connect: {timeout: timeoutMs}})
  return {
    /** Never throws but for `cancelled`: then nothing is known of the attempt and nothing may be recorded. */
    async send(
      url: string,
      headers: Record<string, string>,
      body: string,
      cancelled: AbortSignal,
    ): Promise<SendResult> {
      const {hostname, origin, pathname, search} = new URL(url)
      if (!isLoopbackHost(hostname) && !deliverTo.includes(origin)) {
        return unanswered('not sent: the sandbox delivers to this machine only')
      }
      const deadline = AbortSignal.timeout(timeoutMs)
      const signal = AbortSignal.any([cancelled, deadline])
      try {
        const answer = await agent.request({
          origin,
          path: `${pathname}${search}`,
          method: 'POST',
          headers,
          body,
          signal,
        })
        return {
          responseCode: answer.statusCode,
          responseBody: new TextDecoder().decode(await firstBytes(answer.body, responseBodyMaxBytes)),
          problem: null,
        }
      } catch (error) {
        if (cancelled.aborted) throw error
        return unanswered(deadline.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error))
      }
    },

    close: () => agent.destroy(),
  }
}

function unanswered(problem: string): SendResult {
  return {responseCode: null, responseBody: null, problem}
}

function reasonOf(error: unknown): string {
  const code = (error as {code?: unknown}).code
  return typeof code === 'string' ? code : 'connection failed'
}
