import {Failure} from '../core/failure.ts'
import {isLoopback} from '../core/loopback.ts'
import {trimEndOf} from '../core/text.ts'

/**
 * An address of the service: absolute, https (http on this machine only, P21), without user name, query, fragment and
 * final slash. Throws `config_invalid` naming `place`; the value is never shown, because it may hold a password.
 */
export function readServiceUrl(text: string, place: string): string {
  const url = readUrl(text, place)
  if (url.search !== '' || url.hash !== '') throw invalid(place, 'must have no "?" or "#" part')
  return `${url.origin}${trimEndOf(url.pathname, '/')}`
}

/** The legacy API's address: an origin alone, because its path is fixed (service §4.5, A11). */
export function readOrigin(text: string, place: string): string {
  const url = readServiceUrl(text, place)
  if (url !== new URL(url).origin) {
    throw invalid(place, 'must be a host without a path; hisab adds /api/v1/merchant/webhooks itself')
  }
  return url
}

/**
 * The origin of a receiver that the sandbox may deliver to. http is allowed: it is usually in a test network, and
 * gets only rehearsals under demonstration credentials.
 */
export function readReceiverOrigin(text: string, place: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw invalid(place, 'must hold hosts without a path, such as https://staging.shop.example.com')
}

/** The address of the reader's own server, as it was written: it may go into a signed body. */
export function readReturnUrl(text: string, place: string, next = ownServer): string {
  readUrl(text, place, next)
  return text
}

const ownServer = 'Give the address of your own server: https://, or http:// on this machine.'
const asGiven = 'Copy it exactly as the service gave it.'

/**
 * A proxy. Plain http is fine: the tunnel through it checks the service's own certificate. Throws `config_invalid`;
 * the value is not shown, because it may hold a password.
 */
export function readProxyUrl(text: string, place: string): string {
  const url = URL.parse(text)
  const isWhole = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === ''
  if (!isWhole) throw invalid(place, 'must be an address such as http://proxy.example.com:3128')
  if (url.username !== '' || url.password !== '')
    throw invalid(place, 'must hold no user name and no password')
  return url.origin
}

function readUrl(text: string, place: string, next = asGiven): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\/[^/]/i.test(text) || /\s/.test(text)) {
    throw invalid(place, 'must be an absolute address such as https://pay.example.com/v1', next)
  }
  if (url.username !== '' || url.password !== '')
    throw invalid(place, 'must hold no user name and no password', next)
  if (url.protocol !== 'https:' && !isLoopback(url.href)) {
    throw invalid(place, 'must begin with https:// (http is for addresses on this machine)', next)
  }
  return url
}

function invalid(place: string, rule: string, next = asGiven): Failure {
  return new Failure('config_invalid', `${place} ${rule}.`, next)
}
