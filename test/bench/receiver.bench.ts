/**
 * What a webhook costs that is verified, stored and synced, as a ratio to a bare hono server that reads the body
 * and answers: `npx node test/bench/receiver.bench.ts`. Every event is new. Rounds alternate between the two, so
 * that a busy machine slows both.
 */
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import autocannon from 'autocannon'

import {sandboxCredentials, sandboxMerchantId} from '../../src/core/profile.ts'
import {signFields} from '../../src/core/signing/request.ts'

const rounds = 5
const amount = 10_000
const script = join(import.meta.dirname, 'receiver-servers.ts')
let number = 0

function nextWebhook(request: object): object {
  number += 1
  const fields = {
    event: 'order.completed',
    merchantId: sandboxMerchantId,
    orderNo: `D-${number}`,
    platformOrderNo: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    status: 'completed',
    amount: '500.00',
    playerRef: `player-${number}`,
  }
  const body = JSON.stringify({...fields, signature: signFields(fields, sandboxCredentials.apiSecret)})
  return {...request, method: 'POST', body, headers: {'content-type': 'application/json'}}
}

/** Requests a second; each of them must have been answered 2xx. */
async function rate(url: string, connections: number): Promise<number> {
  const done = await autocannon({
    url,
    connections,
    amount,
    sampleInt: 20,
    requests: [{setupRequest: nextWebhook}],
  })
  if (done['2xx'] !== amount) throw new Error(`${done.non2xx} refused, ${done.errors} errors`)
  return done['2xx'] / done.duration
}

async function start(side: string, dataDir: string): Promise<{child: ChildProcess; url: string}> {
  const child = spawn(process.execPath, [script, side, dataDir], {stdio: ['ignore', 'pipe', 'inherit']})
  const [url] = await once(createInterface({input: child.stdout}), 'line')
  return {child, url: String(url)}
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const dataDir = mkdtempSync(join(tmpdir(), 'hisab-bench-'))
const sides = await Promise.all([start('receiver', dataDir), start('bare', dataDir)])
const [receiver, bare] = sides.map(({url}) => url) as [string, string]
for (const url of [receiver, bare]) await rate(url, 64)
for (const connections of [16, 64, 256]) {
  const ours: number[] = []
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const events = await rate(receiver, connections)
    ours.push(events)
    ratios.push(events / (await rate(bare, connections)))
  }
  process.stdout.write(
    `receiver, ${connections} connections: ${Math.round(median(ours))} events a second stored and synced, ${median(ratios).toFixed(2)} of a bare hono server (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})\n`,
  )
}
for (const {child} of sides) child.kill()
rmSync(dataDir, {recursive: true, force: true})
