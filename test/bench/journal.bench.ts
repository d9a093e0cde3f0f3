/**
 * The two engines of the journal, in one run: claims of resends a second by 1 and 8 processes, the time of one beside a bare
 * fdatasync and pgbench, and a remembered run of 100,000 rows on each. `node test/bench/journal.bench.ts 1000000` for more
 * rows. What a busy machine stretches stands as ratios.
 */
import {spawn, spawnSync} from 'node:child_process'
import {closeSync, fdatasyncSync, openSync, writeSync} from 'node:fs'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'

import type {Journal} from '../../src/journal/interface.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {openSharedJournal} from '../../src/journal/postgres/journal.ts'
import {readAddress} from '../../src/journal/postgres/settings.ts'
import {PostgresServer} from '../journal/postgres/server.ts'
import {exhaustedDelivery, live, nightlyRun} from '../journal/sample.ts'
import {benchFolder, bundleOne, bundleRun, playRun} from './bundled-run.ts'
import {writeLargeLedger} from './large-ledger.ts'

const claims = 200
const [mode = '', ...given] = process.argv.slice(2)
if (mode === 'claim') await claimAll(given as [string, string])
else await measure(Number(mode || 100_000))

async function measure(rows: number): Promise<void> {
  const dir = benchFolder()
  const server = await PostgresServer.start()
  try {
    await server.migrate()
    const self = await bundleOne(import.meta.filename, join(dir, 'bench.mjs'))
    const of = (url: string, processes: number) =>
      Promise.all(
        Array.from({length: processes}, (_, n) =>
          run(self, url, join(dir, `${url.length}-${processes}-${n}`)),
        ),
      )
    const syncs = fdatasyncs(join(dir, 'bare'))
    const bare = figures(syncs)
    const sqlite = (await of('', 1)).flat()
    const one = (await of(server.url('hisab'), 1)).flat()
    const all = await of(server.url('hisab'), 8)
    const rateOf = (times: readonly number[]) => (1_000 * times.length) / times.reduce((a, b) => a + b, 0)
    const pgbench = (clients: number) => {
      const at = ['-h', '127.0.0.1', '-p', `${server.port}`, '-U', 'owner']
      spawnSync('pgbench', [...at, '-i', '-q', 'postgres'])
      const {stdout} = spawnSync('pgbench', [...at, '-N', '-c', `${clients}`, '-T', '4', 'postgres'], {
        encoding: 'utf8',
      })
      return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
    }
    const [alone, together] = [pgbench(1), pgbench(8)]
    const eight = all.reduce((sum, times) => sum + rateOf(times), 0)
    console.log(`fdatasync: p50 ${bare.p50} ms, p99 ${bare.p99} ms`)
    for (const [name, times] of [
      ['SQLite', sqlite],
      ['PostgreSQL', one],
    ] as const) {
      const {p50, p99} = figures(times)
      console.log(
        `a claim in ${name}: p50 ${p50} ms, p99 ${p99} ms (${(p50 / bare.p50).toFixed(1)} × and ${(p99 / bare.p99).toFixed(1)} × fdatasync), ${rateOf(times).toFixed(0)} a second`,
      )
    }
    console.log(
      `claims a second in PostgreSQL: ${rateOf(one).toFixed(0)} by 1 process, ${eight.toFixed(0)} by 8; pgbench -N: ${alone.toFixed(0)} and ${together.toFixed(0)} transactions; ratio ${(rateOf(one) / alone).toFixed(2)} and ${(eight / together).toFixed(2)}`,
    )
    const ledger = join(dir, 'ledger.csv')
    writeLargeLedger(ledger, rows)
    const program = await bundleRun(dir)
    const play = (name: string) => playRun(program, [ledger, `${rows}`, join(dir, name), '2026-11-20'])
    const own = play('own')
    process.env.BENCH_JOURNAL = server.url('hisab')
    const before = server.cpuSeconds()
    const shared = play('shared')
    const servers = server.cpuSeconds() - before
    const [clock, cpu] = [shared.seconds / own.seconds, (shared.cpuSeconds + servers) / own.cpuSeconds]
    console.log(
      `a remembered run of ${rows} rows: SQLite ${own.seconds.toFixed(1)} s, processor ${own.cpuSeconds.toFixed(1)} s; PostgreSQL ${shared.seconds.toFixed(1)} s, processor ${shared.cpuSeconds.toFixed(1)} s and its server ${servers.toFixed(1)} s; clock × ${clock.toFixed(2)}, processor × ${cpu.toFixed(2)}`,
    )
  } finally {
    server.stop()
  }
}

async function run(self: string, url: string, dataDir: string): Promise<number[]> {
  const child = spawn(process.execPath, [self, 'claim', url, dataDir], {stdio: ['ignore', 'pipe', 'inherit']})
  return JSON.parse(await text(child.stdout)) as number[]
}

/** Of one process: what each claim took, in milliseconds. */
async function claimAll([url, dataDir]: [string, string]): Promise<void> {
  const user = {
    dataDir,
    account: live,
    addresses: ['https://pay.example'],
    profileName: 'live',
    isEnvironmentNamed: true,
  }
  const journal: Journal =
    url === ''
      ? openJournal(dataDir, live, user)
      : await openSharedJournal(dataDir, readAddress(url, 'bench'), user)
  const runId = crypto.randomUUID()
  await journal.startRun({...nightlyRun, id: runId})
  const times: number[] = []
  for (let n = 0; n < claims; n++) {
    const [orderId, startedMs] = [`${runId}-${n}`, performance.now()]
    const intent = {...exhaustedDelivery, runId, orderId, orderNo: orderId.slice(-30), intentAtMs: Date.now()}
    const {claimed} = await journal.claimResend(intent, {nowMs: Date.now(), skewMs: 0})
    if (!claimed) throw new Error('not claimed')
    times.push(performance.now() - startedMs)
  }
  await journal.close()
  console.log(JSON.stringify(times))
}

function fdatasyncs(path: string): number[] {
  const fd = openSync(path, 'w')
  const times = Array.from({length: claims}, () => {
    const startedMs = performance.now()
    writeSync(fd, 'x'.repeat(4_096))
    fdatasyncSync(fd)
    return performance.now() - startedMs
  })
  closeSync(fd)
  return times
}

function figures(times: readonly number[]): {p50: number; p99: number} {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2))
  return {p50: at(0.5), p99: at(0.99)}
}
