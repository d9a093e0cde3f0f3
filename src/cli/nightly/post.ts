import {Agent} from 'undici'

import {firstBytes} from '../../files/first-bytes.ts'

const timeoutMs = 10_000
const triesMax = 2

/**
 * Posts at most twice, for 20 s in all. Returns the problem as a clause, or null; never rejects. It follows no
 * redirect, and names no part of the address, which may be as good as a password.
 */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<string | null> {
  const agent = new Agent({connect: {timeout: timeoutMs, rejectUnauthorized: true, minVersion: 'TLSv1.2'}})
  const {origin, pathname, search} = new URL(url)
  let problem: string | null = null
  try {
    for (let tries = 0; tries < triesMax; tries++) {
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        const path = `${pathname}${search}`
        const {statusCode, body: answer} = await agent.request({
          origin,
          path,
          method: 'POST',
          headers,
          body,
          signal,
        })
        await firstBytes(answer, 1_024)
        if (statusCode >= 200 && statusCode < 300) return null
        problem = `it answered ${statusCode}`
      } catch (error) {
        const {code} = error as {code?: unknown}
        problem = signal.aborted
          ? `no answer within ${timeoutMs / 1000} s`
          : `no connection (${String(code ?? 'failed')})`
      }
    }
    return problem
  } finally {
    await agent.destroy()
  }
}
