import {Failure} from '../core/failure.ts'
import type {Credentials, Profile} from '../core/profile.ts'
import {signByRecipe} from '../core/signing/recipe.ts'
import {queryBody} from './body.ts'
import {type Ask, type Operation, payoutQuery} from './operations.ts'
import type {WireRequest} from './transport.ts'

const commonHeaders = ['accept', 'application/json', 'accept-encoding', 'identity', 'user-agent', 'hisab']
const orderHeaders = ['content-type', 'application/json', ...commonHeaders]
const headerSafe = /^[\x21-\x7e]+$/

/**
 * The bytes of one attempt. A create has its own, the same on every try (P1); legacy headers contain the time, so
 * each attempt is signed anew. Throws `credentials_missing`.
 */
export function requestOf<T>(
  operation: Operation<T>,
  ask: Ask,
  profile: Profile,
  credentials: Credentials,
  nowMs: number,
): WireRequest {
  const {origin, path: base} = ask.endpoint
  const path = base + ask.path
  if (operation.api === 'legacy') {
    const method = operation.effect === 'read' ? 'GET' : 'POST'
    return {
      origin,
      path,
      method,
      headers: legacyHeaders(method, path, profile, credentials, nowMs),
      body: null,
    }
  }
  const kind = operation.name === payoutQuery.name ? 'payout' : 'deposit'
  const body = ask.body ?? queryBody(profile, credentials, kind, ask.subject)
  return {origin, path, method: 'POST', headers: orderHeaders, body}
}

/** The legacy headers (service §5.2, A6, A11): the whole path is signed without the query, and the body is empty. */
function legacyHeaders(
  method: string,
  pathWithQuery: string,
  {merchantId, dialect}: Profile,
  credentials: Credentials,
  nowMs: number,
): string[] {
  const {apiKey} = credentials
  if (!headerSafe.test(apiKey) || !headerSafe.test(merchantId)) {
    throw new Failure(
      'credentials_missing',
      'The API key or the merchant id is empty, or contains a character that a header cannot carry.',
      'Set HISAB_API_KEY or HISAB_API_KEY_FILE, without blanks or line ends.',
    )
  }
  const timestamp = String(Math.floor(nowMs / 1_000))
  const [path = ''] = pathWithQuery.split('?', 1)
  const parts = {timestamp, method, path, body: '', merchantId, apiKey}
  const signature = signByRecipe(dialect.legacySignature, parts, credentials)
  return [
    ...commonHeaders,
    ...['x-merchant-id', merchantId, 'x-api-key', apiKey],
    ...['x-timestamp', timestamp, 'x-signature', signature],
  ]
}
