import type {MiddlewareHandler} from 'hono'

import {hostnameOfHeader, isLoopbackHost} from '../core/loopback.ts'
import {escapeInvisible} from '../core/text.ts'
import {Refusal} from './answers.ts'
import {requestHeader} from './connection.ts'

/**
 * Refuses a request whose `Host` is not this machine. Otherwise a web page whose name resolves to 127.0.0.1 could
 * control the sandbox.
 */
export const requireLoopbackHost: MiddlewareHandler = (c, next) => {
  const host = requestHeader(c, 'host') ?? new URL(c.req.url).host
  // The usual spelling; any other has to be parsed.
  const hostname = /^127\.0\.0\.1:\d{1,5}$/.test(host) ? '127.0.0.1' : hostnameOfHeader(host)
  if (!isLoopbackHost(hostname)) {
    throw new Refusal(
      403,
      'HOST_REFUSED',
      `The sandbox does not answer as ${escapeInvisible(host, 80)}.`,
      'Reach it as 127.0.0.1 or localhost.',
    )
  }
  return next()
}

/** Refuses web pages of another origin: the control addresses need no signature. */
export const requireOwnOrigin: MiddlewareHandler = async (c, next) => {
  const origin = c.req.header('origin')
  if (origin !== undefined && origin !== new URL(c.req.url).origin) {
    throw new Refusal(
      403,
      'ORIGIN_REFUSED',
      'A web page of another origin may not drive the sandbox.',
      'Use the command line, or a page of the sandbox itself.',
    )
  }
  await next()
}

/**
 * Browsers send the origin with every POST of a form, so a form without one is not ours. A foreign form needs no
 * permission to be sent, unlike JSON.
 */
export const requireOrigin: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'POST' && c.req.header('origin') === undefined) {
    throw new Refusal(
      403,
      'ORIGIN_MISSING',
      'A form of the console comes from the console.',
      'Scripts use the control addresses below /sandbox.',
    )
  }
  await next()
}
