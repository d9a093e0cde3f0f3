/**
 * Rates of bulk queries, as ratios within this run: `npx node test/bench/queries.bench.ts`.
 *
 * The server answers in a process of its own. Ours signs, queries, reads strictly and checks each answer, with a
 * journal open and a run recorded in it; autocannon sends one signed body again and again and reads no answer.
 * Rounds alternate, so that a busy machine slows both.
 */
import {fork} from 'node:child_process'
import {once} from 'node:events'
import {mkdtempSync, rmSync} from 'node:fs'
import {createServer} from 'node:http'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import autocannon from 'autocannon'

import {ServiceClient} from '../../src/api/client.ts'
import {defaultDialect} from '../../src/core/dialect.ts'
import {defaultLedgerMapping, noPayoutLimits, type Profile} from '../../src/core/profile.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {queryEach} from '../../src/workflows/orders/query-each.ts'

const merchantId = '5a9db0c5-0000-4000-8000-000000000001'

/** The service's answer to every query, echoing the number; after `latencyMs` where that is not 0. */
function serve(latencyMs: number): void {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text) => {
      body += text
    })
    request.on('end', () => {
      const orderNo = /"outOrderNo":"([^"]+)"/.exec(body)?.[1] ?? ''
      const order = {platformOrderNo: `PL-${orderNo}`, status: 'completed', amount: '500.00'}
      const data = {merchantId, orderNo, ...order}
      const answer = () => {
        response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify({code: 0, data}))
      }
      if (latencyMs === 0) answer()
      else setTimeout(answer, latencyMs)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.(typeof address === 'object' ? address?.port : 0)
  })
}

const [latencyArgument] = process.argv.slice(2)
if (latencyArgument !== undefined) serve(Number(latencyArgument))
else await measure()

async function measure(): Promise<void> {
  const lines = [await againstAutocannon(64), await againstLatency(64, 0.93), await againstLatency(256, 0.92)]
  process.stdout.write(`${lines.join('\n')}\n`)
}

async function againstAutocannon(concurrency: number): Promise<string> {
  await using server = await startServer(0)
  const ratios: number[] = []
  await queriesPerSecond(server.url, concurrency, 5_000)
  for (let round = 0; round < 9; round++) {
    const ours = await queriesPerSecond(server.url, concurrency, 15_000)
    ratios.push(ours / (await cannonPerSecond(server.url, concurrency)))
  }
  return `bulk query at ${concurrency} at once ÷ autocannon: ${spread(ratios)} (goal 0.45)`
}

async function againstLatency(concurrency: number, goal: number): Promise<string> {
  const latencyMs = 50
  await using server = await startServer(latencyMs)
  const ceiling = concurrency / (latencyMs / 1_000)
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round < 3; round++) {
    ours.push((await queriesPerSecond(server.url, concurrency, concurrency * 160)) / ceiling)
    theirs.push((await cannonPerSecond(server.url, concurrency, 8)) / ceiling)
  }
  return `bulk query at ${concurrency} at once, ${latencyMs} ms latency ÷ (concurrency ÷ latency): ${spread(ours)} (goal ${goal}); autocannon ${spread(theirs)}`
}

/** From the first query to the last answer, ramp-up included. */
async function queriesPerSecond(url: string, concurrency: number, count: number): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'hisab-bench-'))
  const profile = profileAt(url)
  const journal = openJournal(dir, profile)
  const client = new ServiceClient({
    profile,
    credentials: {apiSecret: 'bench-secret', apiKey: ''},
    concurrencyMax: concurrency,
  })
  const orderNos = Array.from({length: count}, (_, index) => `P-20261120-${index}`)
  let found = 0
  const startedNs = process.hrtime.bigint()
  await journal.startRun({id: 'bench', command: 'reconcile', startedAtMs: 0, options: '{}', reportDir: null})
  await queryEach('payout', orderNos, {
    client,
    width: concurrency,
    onAnswer: (_orderNo, side) => {
      if (side.is === 'found') found += 1
    },
    onProgress: () => undefined,
  })
  await journal.finishRun('bench', {status: 'finished', finishedAtMs: 0, exitStatus: 0})
  const seconds = Number(process.hrtime.bigint() - startedNs) / 1e9
  await journal.close()
  await client.close()
  rmSync(dir, {recursive: true})
  if (found !== count) throw new Error(`${count - found} of ${count} queries were not answered`)
  return count / seconds
}

function profileAt(url: string): Profile {
  return {
    name: 'bench',
    merchantId,
    environment: 'sandbox',
    isEnvironmentNamed: false,
    baseUrl: url,
    applyUrl: url,
    legacyUrl: new URL(url).origin,
    returnUrl: null,
    dialect: defaultDialect,
    ledger: defaultLedgerMapping,
    payouts: noPayoutLimits,
  }
}

async function cannonPerSecond(url: string, connections: number, seconds = 1): Promise<number> {
  const body = JSON.stringify({merchantId, outOrderNo: 'P-20261120-000417', signature: '0'.repeat(32)})
  const result = await autocannon({
    ...{url: `${url}/apply/query`, method: 'POST', headers: {'content-type': 'application/json'}, body},
    ...{connections, duration: seconds},
  })
  return result.requests.total / result.duration
}

async function startServer(latencyMs: number) {
  const child = fork(fileURLToPath(import.meta.url), [String(latencyMs)])
  const [port] = await once(child, 'message')
  return {
    url: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await once(child, 'exit')
    },
  }
}

function spread(ratios: number[]): string {
  const sorted = [...ratios].sort((a, b) => a - b)
  const [low = 0, median = 0, high = 0] = [0, sorted.length >> 1, sorted.length - 1].map((at) => sorted[at])
  return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
}
