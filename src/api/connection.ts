import {lookup} from 'node:dns/promises'
import {once} from 'node:events'
import {connect, isIP, type Socket} from 'node:net'
import {setTimeout as delay} from 'node:timers/promises'
import {connect as connectTls, type TLSSocket} from 'node:tls'

import type {Limits} from './limits.ts'
import {reasonNotSent} from './transport.ts'

/** The steps to one address, as far as they succeeded. No byte of a request is sent. */
export interface Connection {
  readonly host: string
  readonly port: number
  /** The first address of the host name. */
  readonly address: string | null
  readonly connectMs: number | null
  readonly tls: Tls | null
  /** The step that failed, if any; no later one was tried. */
  readonly failure: {readonly step: 'dns' | 'connect' | 'tls'; readonly reason: string} | null
}

/**
 * Tries DNS, connection and TLS handshake of an origin, each within `connectTimeoutMs`. The certificate is checked as
 * in every call; a refused one is still described, because its dates are the likely reason.
 */
export async function openConnection(origin: string, limits: Limits): Promise<Connection> {
  const url = new URL(origin)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const at = {host, port, address: null, connectMs: null, tls: null, failure: null}
  const {connectTimeoutMs: timeoutMs} = limits

  const found = await within(timeoutMs, lookup(host))
  if (found instanceof Error) return {...at, failure: {step: 'dns', reason: reasonOf(found)}}
  const reached = {...at, address: found.address}
  const startedMs = performance.now()
  // By name, so that the next address is tried if the first is not reached, as in every call.
  const socket = connect({host, port})
  const unconnected = await failureOf(socket, 'connect', timeoutMs)
  if (unconnected) return {...reached, failure: {step: 'connect', reason: reasonOf(unconnected)}}
  const connectMs = Math.max(0, Math.round(performance.now() - startedMs))
  if (url.protocol !== 'https:') {
    socket.destroy()
    return {...reached, connectMs}
  }
  const secure = startTls(socket, host)
  const unsecured = await failureOf(secure, 'secureConnect', timeoutMs)
  if (unsecured) return {...reached, connectMs, failure: {step: 'tls', reason: reasonOf(unsecured)}}
  const tls = describeTls(secure)
  const {authorized, authorizationError: problem} = secure
  secure.destroy()
  if (authorized) return {...reached, connectMs, tls}
  const code = problem instanceof Error && 'code' in problem ? String(problem.code) : String(problem)
  return {...reached, connectMs, tls, failure: {step: 'tls', reason: certificateProblem(code)}}
}

/** Accepts any certificate, so that a bad one can be shown; the caller checks `authorized` and hangs up. */
function startTls(socket: Socket, host: string): TLSSocket {
  const name = isIP(host) === 0 ? {servername: host} : {}
  return connectTls({socket, host, ...name, rejectUnauthorized: false, minVersion: 'TLSv1.2'})
}

/** Null once the event came; else the reason, and the socket is closed. */
async function failureOf(socket: Socket, event: string, timeoutMs: number): Promise<Error | null> {
  // Later errors must not end the process.
  socket.on('error', () => {})
  const came = await within(timeoutMs, once(socket, event))
  if (!(came instanceof Error)) return null
  socket.destroy()
  return came
}

export type Tls = ReturnType<typeof describeTls>

function describeTls(socket: TLSSocket) {
  const {valid_to: validTo, issuer} = socket.getPeerCertificate()
  const validToMs = Date.parse(validTo ?? '')
  const name = issuer?.O ?? issuer?.CN ?? ''
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    /** Milliseconds since the epoch; null if the certificate does not say. */
    validToMs: Number.isNaN(validToMs) ? null : validToMs,
    issuer: Array.isArray(name) ? name.join(', ') : name,
  }
}

const problems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet (or this machine’s clock is behind)',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself, by no authority this machine trusts',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority this machine does not trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an authority this machine does not trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it does not send the certificates between its own and the authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
}

function certificateProblem(code: string): string {
  return problems[code] ?? `its certificate is refused (${code})`
}

const tooSlow = new Error()

/** The result, or why there is none. A look-up cannot be cancelled, so it is abandoned; the timer keeps no process. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T | Error> {
  return Promise.race([work, delay(timeoutMs, tooSlow, {ref: false})]).catch(toError)
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

function reasonOf(error: Error): string {
  return error === tooSlow ? 'it took too long' : reasonNotSent(error)
}
