import type {Context, MiddlewareHandler} from 'hono'

import {answeredTextKey, Refusal} from './answers.ts'
import type {Clock} from './clock.ts'
import {connectionOf} from './connection.ts'
import type {HeaderPair} from './delivery-sender.ts'
import {playedFaultsKey} from './faults/call-faults.ts'
import type {FaultName} from './faults/kinds.ts'
import {type Listener, type RequestLog, refusalOf} from './request-log.ts'
import {readBytesKey} from './request-reading.ts'

/** Logs every request of the service, not those of pages and control addresses. */
export function recordRequests(log: RequestLog, clock: Clock, listener: Listener): MiddlewareHandler {
  return async (c, next) => {
    if (isPage(c.req.method, c.req.path)) return await next()
    const beganAtMs = performance.now()
    const atMs = clock.now()
    await next()
    const {method, path} = c.req
    const faults: readonly FaultName[] = c.get(playedFaultsKey) ?? []
    const status = c.error instanceof Refusal ? c.error.httpStatus : c.res.status
    const isCut = faults.some((fault) => fault === 'lost-answer-before' || fault === 'lost-answer-after')
    log.add({
      ...{atMs, listener, method, path, faults},
      durationMs: Math.round((performance.now() - beganAtMs) * 10) / 10,
      query: /\?.*$/.exec(c.req.url)?.[0] ?? '',
      requestHeaders: headersOf(c).map(hideKey),
      requestBody: c.get(readBytesKey) ?? new Uint8Array(),
      status: isCut ? null : status,
      responseBody: c.get(answeredTextKey) ?? null,
      refusal: refusalOf(c.error, {status, listener, path}),
    })
    return undefined
  }
}

function isPage(method: string, path: string): boolean {
  if (path === '/' && method === 'GET') return true
  if (/^\/(?:assets|console|sandbox|healthz|favicon\.ico)(?:\/|$)/.test(path)) return true
  return path.startsWith('/pay/') && (method === 'GET' || path.endsWith('/choice'))
}

/** A header may hold a real key that was sent to the wrong place (P20). */
function hideKey([name, value]: HeaderPair): HeaderPair {
  return /key|token|cookie|authorization/i.test(name) ? [name, '(not shown)'] : [name, value]
}

function headersOf(c: Context): HeaderPair[] {
  const raw = connectionOf(c)?.incoming.rawHeaders
  if (!raw) return [...c.req.raw.headers]
  const pairs: HeaderPair[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return pairs
}
