/**
 * Peak memory of `hisab webhooks list --all --format ndjson` over a list of 100,000 records, as a ratio to one of
 * 10,000: `node test/bench/list.bench.ts` after `npm run build`. The service runs in this process, so the peak is
 * that of the command alone.
 */
import {spawn} from 'node:child_process'
import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

const goal = 1.25
const rounds = 3
const at = '2026-11-20T06:00:00.000Z'
const bin = join(import.meta.dirname, '../../bin/run.js')
const home = mkdtempSync(join(tmpdir(), 'hisab-bench-'))

let total = 0
const server = createServer((request, response) => {
  const {searchParams} = new URL(request.url ?? '/', 'http://service')
  const [page, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))]
  const first = (page - 1) * limit
  const data = Array.from({length: Math.max(0, Math.min(limit, total - first))}, (_, index) => ({
    id: `0b5e55ed-0000-4000-8000-${String(first + index).padStart(12, '0')}`,
    order_id: `0b5e55ed-0000-4000-9000-${String(first + index).padStart(12, '0')}`,
    merchant_order_id: `D-${first + index}`,
    url: 'https://merchant.example/webhooks',
    event: 'order.completed',
    status: 'failed',
    response_code: 503,
    attempts: 6,
    max_attempts: 5,
    next_retry_at: null,
    sent_at: at,
    created_at: at,
  }))
  const pagination = {page, limit, total, total_pages: Math.ceil(total / limit)}
  const body = {success: true, data: {data, pagination}, meta: {timestamp: new Date()}}
  response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(body))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const peaks = {small: [] as number[], large: [] as number[]}
for (let round = 0; round < rounds; round++) {
  peaks.small.push(await peakMiB(10_000))
  peaks.large.push(await peakMiB(100_000))
}
const [small, large] = [median(peaks.small), median(peaks.large)]
console.log(
  `list  peak memory at 100,000 records: ${(large / small).toFixed(2)} of that at 10,000 (${large.toFixed(0)} and ${small.toFixed(0)} MiB, goal ${goal})`,
)
server.closeAllConnections()
server.close()
rmSync(home, {recursive: true, force: true})

async function peakMiB(records: number): Promise<number> {
  total = records
  const peakFile = join(home, 'peak-kib')
  const write = `import{writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(${JSON.stringify(peakFile)},String(process.resourceUsage().maxRSS)))`
  const args = ['webhooks', 'list', '--all', '--format', 'ndjson', '--profile', 'sandbox']
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${write}`, bin, ...args], {
    env: {HOME: home, HISAB_DATA_DIR: home, HISAB_BASE_URL: `${url}/v1`, HISAB_LEGACY_URL: url},
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let lines = 0
  for await (const chunk of child.stdout) lines += (chunk as Buffer).filter((byte) => byte === 10).length
  if (lines !== records) throw new Error(`${lines} lines of ${records}`)
  return Number(readFileSync(peakFile, 'utf8')) / 1024
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
