import type {MiddlewareHandler} from 'hono'

/**
 * What a browser may do on the sandbox's pages: load their own script and style and talk to their origin. No inline
 * script or style, and nothing from elsewhere.
 *
 * `frameAncestors`: any site may show the payment page in a frame (service §2.1). No site may show the console,
 * because a click there moves money of a rehearsal.
 */
export function pageHeaders(frameAncestors: 'anybody' | 'nobody'): MiddlewareHandler {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors === 'anybody' ? 'http: https:' : "'none'"}`,
  ].join('; ')
  return async (c, next) => {
    await next()
    c.header('Content-Security-Policy', policy)
    c.header('X-Content-Type-Options', 'nosniff')
    // With `no-referrer` browsers send `Origin: null` with a form, and our own pages would be refused.
    c.header('Referrer-Policy', 'same-origin')
    c.header('Cache-Control', 'no-store')
    if (frameAncestors === 'nobody') c.header('X-Frame-Options', 'DENY')
  }
}
