import type {HttpBindings} from '@hono/node-server'
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response'
import type {Context, MiddlewareHandler, Next} from 'hono'

import {heldAnswerKey, Refusal} from '../answers.ts'
import {connectionOf} from '../connection.ts'
import type {FaultService} from './fault-service.ts'
import type {FaultOperation} from './kinds.ts'

export interface CallPaths {
  readonly versionPath: string
  readonly legacyPath: string
}

/** Set to the names of the faults played on a call. */
export const playedFaultsKey = 'playedFaults'

const skippedKey = 'skippedRecords'

/** Records that the fault `moving-pages` leaves out before the page asked for. */
export function skippedRecords(c: Context): number {
  return c.get(skippedKey) ?? 0
}

/** Plays faults on calls of the service (`FaultScope` call and standing), not on other addresses. */
export function playCallFaults(faults: FaultService, paths: CallPaths): MiddlewareHandler {
  return (c, next) => (faults.isActive() ? playOn(c, next) : next())

  async function playOn(c: Context, next: Next): Promise<Response | undefined> {
    c.set(heldAnswerKey, true)
    const operation = operationOf(c.req.method, c.req.path, paths)
    if (operation === null) {
      await next()
      return undefined
    }
    if (operation.startsWith('webhooks') && faults.isLegacyGone()) return notThere(c)
    const drawn = faults.ofCall(operation)
    c.set(
      playedFaultsKey,
      drawn.map(({fault}) => fault),
    )
    const spanOf = (name: string) => drawn.find(({fault}) => fault === name)?.spanMs
    if (spanOf('moving-pages') !== undefined && Number(c.req.query('page') ?? 1) > 1) c.set(skippedKey, 1)

    const retryAfterMs = spanOf('rate-limited')
    if (retryAfterMs !== undefined) {
      c.header('Retry-After', String(Math.ceil(retryAfterMs / 1000)))
      throw new Refusal(429, 'RATE_LIMITED', 'Too many requests.', 'Wait as long as Retry-After says.')
    }
    if (spanOf('lost-answer-before') !== undefined) return cut(c)
    await next()
    c.header('Date', new Date(faults.serviceNow()).toUTCString())
    const answer = await spoil(c, drawn)
    if (answer) {
      // Hono copies the headers of the old answer into a new one: none may stay.
      c.res = undefined
      c.res = answer
    }
    return undefined
  }
}

/** Not JSON: a JSON 404 means "no such order" (A5). */
export function notThere(c: Context): Response {
  return c.text('The sandbox has nothing at this address.', 404)
}

/** Plays the first fault that spoils an answer; null if none was drawn. */
async function spoil(c: Context, drawn: ReturnType<FaultService['ofCall']>): Promise<Response | null> {
  for (const {fault, spanMs} of drawn) {
    if (fault === 'lost-answer-after') return cut(c)
    if (fault === 'html')
      return new Response(proxyPage, {headers: {'content-type': 'text/html; charset=utf-8'}})
    if (fault === 'truncated')
      return await write(c, (bytes, end) => end(bytes.subarray(0, bytes.length >> 1)))
    if (fault === 'drip') return await write(c, (bytes, end) => drip(c, bytes, spanMs, end))
  }
  return null
}

const proxyPage = '<!doctype html><title>Welcome</title><h1>Please sign in to this network</h1>\n'

function cut(c: Context): Response {
  nodeOf(c).incoming.socket.resetAndDestroy()
  return RESPONSE_ALREADY_SENT
}

/** Announces the whole answer and lets `send` send part of it; `end` sends the last bytes and hangs up. */
async function write(
  c: Context,
  send: (bytes: Buffer, end: (last: Uint8Array) => void) => void,
): Promise<Response> {
  const bytes = Buffer.from(await c.res.arrayBuffer())
  const {outgoing} = nodeOf(c)
  const headers = Object.fromEntries(c.res.headers)
  outgoing.writeHead(c.res.status, {...headers, 'content-length': String(bytes.length)})
  send(bytes, (last) => outgoing.write(last, () => outgoing.destroy()))
  return RESPONSE_ALREADY_SENT
}

function drip(c: Context, bytes: Buffer, everyMs: number, end: (last: Uint8Array) => void): void {
  const {outgoing} = nodeOf(c)
  let at = 0
  const timer = setInterval(
    () => {
      if (at < bytes.length - 1) outgoing.write(bytes.subarray(at, ++at))
      else {
        clearInterval(timer)
        end(bytes.subarray(at))
      }
    },
    Math.max(everyMs, 1),
  ).unref()
  outgoing.once('close', () => clearInterval(timer))
}

function nodeOf(c: Context): HttpBindings {
  const connection = connectionOf(c)
  if (connection !== null) return connection
  throw new Error('faults of a connection need one: start the sandbox on a port')
}

function operationOf(
  method: string,
  path: string,
  {versionPath, legacyPath}: CallPaths,
): FaultOperation | null {
  if (path.startsWith(legacyPath)) {
    const rest = path.slice(legacyPath.length)
    if (method === 'GET') return rest === '' ? 'webhooks-list' : 'webhooks-get'
    return method === 'POST' && rest.endsWith('/resend') ? 'webhooks-resend' : null
  }
  return path.startsWith(versionPath) ? (signedPaths[path.slice(versionPath.length)] ?? null) : null
}

const signedPaths: Readonly<Record<string, FaultOperation>> = {
  '/pay/order/create': 'deposit-create',
  '/pay/order/query': 'deposit-query',
  '/apply/create': 'payout-create',
  '/apply/query': 'payout-query',
}
