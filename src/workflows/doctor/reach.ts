import {type Connection, openConnection} from '../../api/connection.ts'
import type {Limits} from '../../api/limits.ts'
import {type Check, failed, ok, skipped, warning} from '../../core/doctor/check.ts'
import {isLoopback} from '../../core/loopback.ts'
import type {Profile} from '../../core/profile.ts'
import {escapeInvisible} from '../../core/text.ts'

export type Address = 'base_url' | 'apply_url' | 'legacy_url'

/** Results in the order of the settings; each host is tried once. */
export interface Reach {
  readonly checks: readonly Check[]
  readonly isReached: Readonly<Record<Address, boolean>>
}

const expirySoonMs = 14 * 86_400_000

export async function reachAll(profile: Profile, limits: Limits, now: () => number): Promise<Reach> {
  const urls = {base_url: profile.baseUrl, apply_url: profile.applyUrl, legacy_url: profile.legacyUrl}
  const firstOf = new Map<string, Address>()
  const tries = new Map<string, Promise<Connection>>()
  for (const [name, url] of Object.entries(urls) as [Address, string][]) {
    const {origin} = new URL(url)
    if (firstOf.has(origin)) continue
    firstOf.set(origin, name)
    if (!proxyTo(profile, origin)) tries.set(origin, openConnection(origin, limits))
  }
  const checks: Check[] = []
  const isReached = {base_url: false, apply_url: false, legacy_url: false}
  for (const [name, url] of Object.entries(urls) as [Address, string][]) {
    const {origin, host} = new URL(url)
    if (proxyTo(profile, origin)) {
      isReached[name] = true
      checks.push(skipped(name, `${host}: by the proxy, so the connection itself is not seen from here`))
      continue
    }
    const connection = await tries.get(origin)
    if (!connection) continue
    isReached[name] = connection.failure === null
    const first = firstOf.get(origin) ?? name
    const check = reachCheck(name, host, connection, now())
    checks.push(first !== name && check.status === 'ok' ? ok(name, `the host of ${first}`) : check)
  }
  return {checks, isReached}
}

/** As for calls: a proxy is used only for addresses outside of this machine. */
function proxyTo({proxy}: Profile, origin: string): boolean {
  return proxy !== undefined && !isLoopback(origin)
}

export function reachCheck(name: Address, host: string, connection: Connection, nowMs: number): Check {
  const {failure, tls, connectMs} = connection
  const validity = tls?.validToMs == null ? '' : `, certificate ${validityOf(tls.validToMs, nowMs)}`
  if (failure) {
    const dates = failure.step === 'tls' ? validity : ''
    return failed(
      name,
      'service_unreachable',
      `${host}: ${failure.reason}${dates}`,
      hints[failure.step](name),
    )
  }
  if (!tls) return ok(name, `${host}: connected in ${connectMs} ms, without TLS on this machine`)
  const why = `${host}: connected in ${connectMs} ms, ${tls.protocol}${validity}${tls.issuer === '' ? '' : ` by ${escapeInvisible(tls.issuer, 60)}`}`
  if (tls.validToMs !== null && tls.validToMs - nowMs < expirySoonMs) {
    return warning(name, why, 'Ask the service to renew it: once it has expired, nothing is sent.')
  }
  return ok(name, why)
}

/** `until 2027-02-01 (72 days)` */
function validityOf(validToMs: number, nowMs: number): string {
  const day = new Date(validToMs).toISOString().slice(0, 10)
  const days = Math.floor((validToMs - nowMs) / 86_400_000)
  if (days < 0) return `expired on ${day}`
  return `until ${day} (${days} ${days === 1 ? 'day' : 'days'})`
}

const hints: Readonly<Record<'dns' | 'connect' | 'tls', (name: Address) => string>> = {
  dns: (name) => `Check the host name in ${name}, and this machine’s DNS.`,
  connect: (name) =>
    `Check host and port in ${name}. Then check the firewall and the service’s list of allowed addresses.`,
  tls: () =>
    'If the certificate is from your own authority, set NODE_EXTRA_CA_CERTS=FILE. Otherwise the service must correct it. Nothing is sent over this connection.',
}
