import {Failure} from '../core/failure.ts'
import {isLoopbackHost} from '../core/loopback.ts'
import type {Profile} from '../core/profile.ts'
import {trimEndOf} from '../core/text.ts'

/** Where requests of one API go. `path` comes before the operation's path; no trailing slash. */
export interface Endpoint {
  readonly origin: string
  readonly path: string
}

export type Endpoints = ReturnType<typeof endpointsOf>

/**
 * The only three places that signed bytes may go to (P21), read from the profile before anything is sent.
 *
 * Throws `config_invalid` for an address that is not https (http to loopback excepted), or has a user name, a query
 * or a fragment; and for a legacy path that a URL would rewrite, because the path is signed.
 */
export function endpointsOf(profile: Profile) {
  const {legacyPath} = profile.dialect
  const legacy = endpointOf('legacy_url', profile.legacyUrl)
  if (legacy.path !== '') {
    refuse(
      'legacy_url',
      `has the path ${legacy.path}`,
      'Give the origin alone; the path of the legacy API is fixed (A11).',
    )
  }
  const parsedPath = URL.parse(legacyPath, legacy.origin)
  if (parsedPath?.origin !== legacy.origin || parsedPath.pathname !== legacyPath) {
    refuse('the legacy path', 'is not a plain absolute path', 'Write it as /api/v1/merchant/webhooks.')
  }
  return {
    deposit: endpointOf('base_url', profile.baseUrl),
    payout: endpointOf('apply_url', profile.applyUrl),
    legacy: {origin: legacy.origin, path: legacyPath},
  }
}

function endpointOf(setting: string, address: string): Endpoint {
  const url = URL.parse(address)
  if (!url) refuse(setting, 'is not a URL', 'Write it in full, as https://pay.example.com/v1.')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    refuse(
      setting,
      `uses ${url.protocol.slice(0, -1)} to a host that is not this machine`,
      'Use https: a signed request must not be readable on its way.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    refuse(setting, 'carries a user name or password', 'Remove it; credentials have settings of their own.')
  }
  if (url.search !== '' || url.hash !== '' || address.includes('?') || address.includes('#')) {
    refuse(setting, 'carries a query or a fragment', 'Keep only the scheme, the host and the path.')
  }
  return {origin: url.origin, path: trimEndOf(url.pathname, '/')}
}

/** The address is not shown: it may contain a password. */
function refuse(setting: string, problem: string, hint: string): never {
  throw new Failure('config_invalid', `The setting ${setting} ${problem}.`, hint)
}
