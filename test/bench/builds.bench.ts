/**
 * This build beside others, in turn and in one run: `node test/bench/builds.bench.ts NAME=FOLDER … [--only TEXT]`, each a
 * tree that was built. The ratio of each command's time to that of the first of them: what other work on the machine stretches, it
 * stretches in all. With none named it measures nothing.
 */
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdtempSync} from 'node:fs'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {parseArgs} from 'node:util'

import {startSandbox} from '../../src/sandbox/library.ts'
import {benchFolder} from './bundled-run.ts'
import {writeLargeLedger} from './large-ledger.ts'

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {only: {type: 'string', default: ''}},
})
const others = positionals.map((given) => given.split('=') as [name: string, dir: string])
if (others.length === 0) console.log('builds: none named, nothing measured')
else await measure([...others, ['this', join(import.meta.dirname, '../..')]])

async function measure(builds: readonly (readonly [name: string, dir: string])[]): Promise<void> {
  const dir = benchFolder()
  await using service = await startSandbox()
  const env = {
    ...{PATH: process.env.PATH, HOME: dir, TZ: 'UTC', TIMEFORMAT: '%R %U %S'},
    HISAB_MERCHANT_ID: service.merchantId,
    HISAB_BASE_URL: service.baseUrl,
    HISAB_APPLY_URL: service.applyUrl,
    HISAB_API_SECRET: service.credentials.apiSecret,
    HISAB_API_KEY: service.credentials.apiKey,
  }
  const [large, small] = [join(dir, 'large.csv'), join(dir, 'small.csv')]
  writeLargeLedger(large, 2_000)
  writeLargeLedger(small, 100)
  let payouts = 0
  const payout = () => ['payout', 'create', '--order-no', `P-${payouts}`, '--amount', `${100 + payouts++}`]
  const to = [
    '--bank-type',
    'BKASH',
    '--user-name',
    'Rahim',
    '--account',
    '01712345678',
    '--return-url',
    'https://shop.example/hook',
    '--yes',
  ]
  const commands: readonly (readonly [name: string, times: number, args: () => readonly string[]])[] = [
    ['--version', 15, () => ['--version']],
    ['--help', 15, () => ['--help']],
    ['sign', 15, () => ['sign', 'merchantId=m', 'orderNo=D-1', 'amount=500.00']],
    ['reconcile --plan', 11, () => ['reconcile', small, '--plan']],
    ['deposit query', 11, () => ['deposit', 'query', 'D-1']],
    ['payout create', 11, () => [...payout(), ...to]],
    [
      'reconcile of 2,000 rows',
      5,
      () => ['reconcile', large, '--yes', '--report', mkdtempSync(join(dir, 'report-'))],
    ],
  ]
  for (const [name, times, args] of commands) {
    if (!name.includes(values.only)) continue
    const seen = builds.map(() => ({clock: [] as number[], cpu: [] as number[], statuses: new Set<number>()}))
    for (let round = -1; round < times; round++) {
      for (const [at, [, tree]] of builds.entries()) {
        // A journal of its own: none finds what another remembered.
        const HISAB_DATA_DIR = mkdtempSync(join(dir, 'data-'))
        const child = spawn(
          'bash',
          ['-c', 'time "$0" "$@" >/dev/null 2>&1', process.execPath, join(tree, 'bin/run.js'), ...args()],
          {env: {...env, HISAB_DATA_DIR}, stdio: ['ignore', 'ignore', 'pipe']},
        )
        const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
        const [clock = 0, user = 0, system = 0] = said.trim().split(' ').map(Number)
        const one = seen[at]
        if (round < 0 || !one) continue
        one.clock.push(clock)
        one.cpu.push(user + system)
        one.statuses.add(Number(status))
      }
    }
    const [first] = seen
    for (const [at, [build]] of builds.entries()) {
      const one = seen[at]
      if (!first || !one) continue
      const ratio = (what: 'clock' | 'cpu') =>
        middle(one[what].map((time, n) => time / (first[what][n] ?? time))).toFixed(2)
      console.log(
        `${name}, ${build}: clock × ${ratio('clock')}, processor × ${ratio('cpu')} (${middle(one.clock).toFixed(2)} s, ${middle(one.cpu).toFixed(2)} s; status ${[...one.statuses].join(', ')})`,
      )
    }
  }
}

function middle(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
