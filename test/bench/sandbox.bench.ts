/**
 * The sandbox against the least that gives the same answers, checks nothing and signs nothing (sandbox-servers.ts), as ratios within this run, and the rate of
 * its webhooks: `npx node test/bench/sandbox.bench.ts`. With `memory` after it also its size at 100,000 and at a million
 * orders, which takes some minutes. Rounds alternate, so that a busy machine slows both sides of a ratio.
 */
import {type ChildProcess, fork} from 'node:child_process'
import {on, once} from 'node:events'
import {mkdtempSync, rmSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import autocannon from 'autocannon'

import {depositFields, signed} from '../sandbox/acting-merchant.ts'

const rounds = 7
const secondsPerRun = 2
const connections = 32
const webhooks = 10_000

const dir = mkdtempSync(join(tmpdir(), 'hisab-bench-'))
const children: ChildProcess[] = []

interface Server {
  readonly url: string
  readonly child: ChildProcess
  /** Orders made so far: queries ask for these alone. */
  orders: number
}

async function start(kind: 'bare' | 'sandbox' | 'webhooks' | 'growing', ...args: string[]): Promise<Server> {
  const script = new URL('sandbox-servers.ts', import.meta.url)
  const child = fork(script, [kind, mkdtempSync(join(dir, `${kind}-`)), ...args])
  children.push(child)
  const [{url}] = await once(child, 'message')
  return {url, child, orders: 0}
}

/** Answers requests a second; throws where one of them failed. */
async function load(server: Server, path: string, body: () => object): Promise<number> {
  const setupRequest = (request: object) => ({...request, body: JSON.stringify(body())})
  const headers = {'content-type': 'application/json'}
  const result = await autocannon({
    url: server.url,
    connections,
    duration: secondsPerRun,
    requests: [{method: 'POST', path, headers, setupRequest}],
  })
  if (result.non2xx + result.errors > 0) throw new Error(`${path}: ${JSON.stringify(result)}`)
  return result['2xx'] / result.duration
}

function create(server: Server): Promise<number> {
  const body = () => {
    server.orders += 1
    return signed(depositFields({orderNo: `D-${server.orders}`}))
  }
  return load(server, '/v1/pay/order/create', body)
}

function query(server: Server): Promise<number> {
  let n = 0
  // The last few may have been asked for when the run before ended, and not made.
  const among = server.orders - connections
  return load(server, '/v1/pay/order/query', () => {
    n = (n % among) + 1
    return signed({orderNo: `D-${n}`})
  })
}

interface Compared {
  /** Ours ÷ theirs, by requests a second, and by requests a second of processor time, which a busy machine leaves alone. */
  readonly rate: number
  readonly processor: number
  readonly perSecond: number
}

async function compare(
  measure: (server: Server) => Promise<number>,
  ours: Server,
  bare: Server,
): Promise<Compared> {
  const found: Compared[] = []
  // Both are compiled as they run: the first round is not counted.
  for (const server of [bare, ours]) await measure(server)
  for (let round = 0; round < rounds; round += 1) {
    const [least, our] = [await measureOne(measure, bare), await measureOne(measure, ours)]
    const processor = our.perProcessorSecond / least.perProcessorSecond
    found.push({rate: our.perSecond / least.perSecond, processor, perSecond: our.perSecond})
  }
  const median = (of: (one: Compared) => number) => found.map(of).sort((a, b) => a - b)[rounds >> 1] ?? 0
  return {
    rate: median(({rate}) => rate),
    processor: median(({processor}) => processor),
    perSecond: median(({perSecond}) => perSecond),
  }
}

async function measureOne(measure: (server: Server) => Promise<number>, server: Server) {
  const before = await usageOf(server)
  const perSecond = await measure(server)
  const after = await usageOf(server)
  const requests = perSecond * secondsPerRun
  return {perSecond, perProcessorSecond: requests / ((after.cpuMs - before.cpuMs) / 1000)}
}

interface Usage {
  readonly rssMb: number
  readonly cpuMs: number
}

async function usageOf({child}: Server): Promise<Usage> {
  child.send('usage')
  const [usage] = await once(child, 'message')
  return usage as Usage
}

/** From the first webhook to the last, into a receiver in this process. */
async function webhookRate(): Promise<{perSecond: number; perProcessorSecond: number}> {
  let [count, firstAt] = [0, 0]
  const {promise, resolve} = Promise.withResolvers<number>()
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      response.end()
      count += 1
      firstAt ||= performance.now()
      if (count === webhooks) resolve(webhooks / ((performance.now() - firstAt) / 1000))
    })
  })
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  const {port} = receiver.address() as AddressInfo
  const server = await start('webhooks', `http://127.0.0.1:${port}/hook`, String(webhooks))
  const before = await usageOf(server)
  const already = count
  const perSecond = await promise
  const {cpuMs} = await usageOf(server)
  receiver.close()
  return {perSecond, perProcessorSecond: (webhooks - already) / ((cpuMs - before.cpuMs) / 1000)}
}

/** A million orders made without a connection between, so that it is the service that is weighed. */
async function memory(): Promise<string> {
  const {child} = await start('growing')
  const sizes: number[] = []
  for await (const [usage] of on(child, 'message')) {
    if (sizes.push((usage as Usage).rssMb) === 2) break
  }
  const [early = 0, late = 0] = sizes
  return `memory: ${early} MB at 100,000 orders, ${late} MB at 1,000,000: × ${(late / early).toFixed(2)}`
}

try {
  const [ours, bare] = [await start('sandbox'), await start('bare')]
  const created = await compare(create, ours, bare)
  const queried = await compare(query, ours, bare)
  const shown = (what: string, {rate, processor, perSecond}: Compared) =>
    `${what} ÷ bare hono and SQLite: ${rate.toFixed(2)} by rate (${Math.round(perSecond)} a second), ${processor.toFixed(2)} by processor time (goal 0.70)\n`
  process.stdout.write(shown('create', created) + shown('query', queried))
  const {perSecond, perProcessorSecond} = await webhookRate()
  process.stdout.write(
    `webhooks to a local receiver: ${Math.round(perSecond)} a second, ${Math.round(perProcessorSecond)} a second of processor time (goal 1000)\n`,
  )
  if (process.argv.includes('memory')) process.stdout.write(`${await memory()}\n`)
} finally {
  for (const child of children) child.kill()
  rmSync(dir, {recursive: true, force: true})
}
