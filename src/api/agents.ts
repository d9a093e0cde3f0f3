import {Agent, type Dispatcher, Pool, ProxyAgent} from 'undici'
import {isLoopback} from '../core/loopback.ts'
import type {Limits} from './limits.ts'

export interface AgentsOptions {
  readonly limits: Limits
  readonly connections: number
  /** The profile's own; the environment's is ignored (P21). */
  readonly proxy: string | undefined
}

/**
 * A client's connection pools, opened on first use: HTTP/1.1 without pipelining, certificates always checked, and a
 * proxy only if the profile names one (P21).
 */
export class Agents {
  private readonly options: AgentsOptions
  private readonly opened = new Map<string, Dispatcher>()

  constructor(options: AgentsOptions) {
    this.options = options
  }

  /**
   * `isFresh` opens a new connection for each request: if a kept one broke during a resend, its outcome would be in
   * doubt.
   */
  dispatcherTo(origin: string, isFresh: boolean): Dispatcher {
    // 127.0.0.1 means another machine to a proxy.
    const proxy = isLoopback(origin) ? undefined : this.options.proxy
    const key = `${isFresh} ${proxy}`
    const agent = this.opened.get(key) ?? open(this.options, isFresh, proxy)
    this.opened.set(key, agent)
    return agent
  }

  async close(): Promise<void> {
    await Promise.all([...this.opened.values()].map((agent) => agent.close()))
  }
}

function open({limits, connections}: AgentsOptions, isFresh: boolean, proxy: string | undefined): Dispatcher {
  const tls = {rejectUnauthorized: true, minVersion: 'TLSv1.2', timeout: limits.connectTimeoutMs} as const
  const pool = {connections, pipelining: isFresh ? 0 : 1, allowH2: false, maxHeaderSize: 16_384}
  if (proxy === undefined) return new Agent({...pool, connect: tls})
  return new ProxyAgent({
    ...pool,
    uri: proxy,
    requestTls: tls,
    proxyTls: tls,
    // Otherwise a proxy that accepts CONNECT and stays silent would be waited for like an answer.
    clientFactory: (url, options) => new Pool(url, {...options, headersTimeout: limits.connectTimeoutMs}),
  })
}
