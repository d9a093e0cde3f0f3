import {createHash, createHmac} from 'node:crypto'

/** A request body as the service sees it: documented requests carry strings and one boolean, nothing else. */
export type Parameters = Readonly<Record<string, string | boolean | null>>

/** Section 5.1: sorted `name=value` pairs, `&key=`, MD5, lower-case hexadecimal. */
export function signParameters(parameters: Parameters, secret: string): string {
  const pairs = Object.entries(parameters)
    .filter(([name, value]) => name !== 'signature' && value !== null)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
  return createHash('md5')
    .update(`${pairs.join('&')}&key=${secret}`, 'utf8')
    .digest('hex')
}

export interface LegacyRequest {
  readonly timestamp: string
  readonly method: string
  /** The whole path as addressed, without the query string (section 5.2). */
  readonly path: string
  readonly body: string
}

/** Assumption A6: HMAC-SHA256 over timestamp, method, path and body, keyed with the API secret. */
export function signLegacyRequest(request: LegacyRequest, secret: string): string {
  return createHmac('sha256', secret)
    .update(`${request.timestamp}${request.method}${request.path}${request.body}`, 'utf8')
    .digest('hex')
}
