import type {AddressInfo} from 'node:net'

import {createAdaptorServer, type ServerType} from '@hono/node-server'
import type {Hono} from 'hono'

import {Failure} from '../core/failure.ts'
import {sandboxApplyUrl} from '../core/profile.ts'
import {buildApps} from './app.ts'
import {type AssemblyOptions, openParts} from './parts.ts'
import {versionPath} from './version-path.ts'

export interface SandboxOptions extends AssemblyOptions {
  readonly port: number
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>
export type Assembly = ReturnType<typeof assembleSandbox>

const loopback = '127.0.0.1'
/** Connections waiting to be accepted: more than arrive at once in any rehearsal. */
const backlog = 4096
const closeGraceMs = 1000

/**
 * The whole service (docs/service.md), listening on 127.0.0.1 only.
 *
 * Throws `Failure`: `usage` if the port is in use, `locked` if another sandbox uses the folder, `storage_failed`,
 * `config_invalid` for an impossible dialect.
 */
export async function startSandbox(options: SandboxOptions) {
  let url = ''
  let closing: Promise<void> | undefined
  const assembly = assembleSandbox(options, () => url)
  const {deposits, payouts} = assembly.apps
  let servers: readonly Listening[]
  try {
    servers = await listenOnPair([deposits, payouts], options.port)
  } catch (error) {
    assembly.close()
    throw error
  }
  url = `http://${loopback}:${servers[0]?.port}`
  assembly.deliver()
  return {
    url,
    baseUrl: `${url}${versionPath}`,
    applyUrl: sandboxApplyUrl(`${url}${versionPath}`),
    legacyUrl: url,
    consoleUrl: `${url}/console`,
    control: assembly.control,
    faults: assembly.faults,
    requestLog: assembly.requestLog,
    /** Interrupts webhook attempts; they are made again when the state is next opened. */
    close: (): Promise<void> => {
      closing ??= end()
      return closing
    },
  }

  async function end(): Promise<void> {
    await assembly.stopDelivering()
    await Promise.all(servers.map(({server}) => closeServer(server)))
    assembly.close()
  }
}

/** The same without a port. `origin` is the address of payment pages. */
export function assembleSandbox(options: AssemblyOptions, origin: () => string) {
  const parts = openParts(options, origin)
  const {control, faults, requestLog, engine, expiry, feed, health, sender, db} = parts
  return {
    apps: buildApps(parts),
    control: health.explained(control),
    faults,
    requestLog,
    deliver() {
      engine.wake()
      expiry.start()
    },
    /** Ends every delivery, so that requests waiting for one can finish. */
    async stopDelivering() {
      expiry.close()
      feed.close()
      health.close()
      await engine.close()
      await sender.close()
    },
    close: () => db.close(),
  }
}

interface Listening {
  readonly server: ServerType
  readonly port: number
}

const pairTriesMax = 50

/** One app on `port` and the other on the next, so that one address gives the other. */
async function listenOnPair([first, second]: readonly [Hono, Hono], port: number): Promise<Listening[]> {
  for (let tries = 1; ; tries += 1) {
    const deposits = await listen(first, port)
    try {
      return [deposits, await listen(second, deposits.port + 1)]
    } catch (error) {
      await closeServer(deposits.server)
      if (port !== 0 || tries === pairTriesMax) throw error
    }
  }
}

async function listen({fetch}: Hono, port: number): Promise<Listening> {
  const server = createAdaptorServer({
    fetch,
    hostname: loopback,
    overrideGlobalObjects: false,
    serverOptions: {headersTimeout: 10_000, requestTimeout: 30_000},
  })
  const {promise, resolve, reject} = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({port, host: loopback, backlog}, resolve)
  try {
    await promise
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new Failure(
      'usage',
      `The sandbox cannot listen on ${loopback}:${port} (${reason}).`,
      'Stop what is using the port, or name another with --port: payouts have the next one.',
    )
  }
  return {server, port: (server.address() as AddressInfo).port}
}

async function closeServer(server: ServerType): Promise<void> {
  const {promise, resolve} = Promise.withResolvers<void>()
  server.close(() => resolve())
  const grace = setTimeout(
    () => 'closeAllConnections' in server && server.closeAllConnections(),
    closeGraceMs,
  )
  await promise
  clearTimeout(grace)
}
