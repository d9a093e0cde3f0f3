import {spawnSync} from 'node:child_process'
import {mkdtempSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

// How long a command takes to start, as the ratio of its wall time to that of an empty Node process, the two in
// turn, so that a machine that changes speed changes both. Run after `npm run build`.
const pairs = 15
const bin = join(import.meta.dirname, '../../bin/run.js')
const home = mkdtempSync(join(tmpdir(), 'hisab-bench-'))
const env = {...process.env, HOME: home, HISAB_DATA_DIR: home, HISAB_API_SECRET: 'bench-secret'}
const commands: readonly (readonly [goal: number, ...args: string[]])[] = [
  [1.15, '--version'],
  [2.4, '--help'],
  [2.4, 'sign', 'merchantId=m', 'orderNo=D-1', 'amount=500.00'],
]

for (const [goal, ...args] of commands) {
  const ratios: number[] = []
  wallMs([bin, ...args])
  for (let pair = 0; pair < pairs; pair++) {
    const emptyMs = wallMs(['-e', '0'])
    ratios.push(wallMs([bin, ...args]) / emptyMs)
  }
  ratios.sort((a, b) => a - b)
  const [low = 0, median = 0, high = 0] = [0, Math.floor(pairs / 2), pairs - 1].map((at) => ratios[at])
  console.log(
    `start-up  hisab ${args.join(' ')}: ${median.toFixed(2)} of \`node -e 0\` (${low.toFixed(2)} to ${high.toFixed(2)}, goal ${goal})`,
  )
}

function wallMs(args: readonly string[]): number {
  const startedNs = process.hrtime.bigint()
  spawnSync(process.execPath, args, {env, stdio: 'ignore'})
  return Number(process.hrtime.bigint() - startedNs) / 1e6
}
