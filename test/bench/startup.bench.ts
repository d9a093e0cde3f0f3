import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdtempSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {signFields} from '../../src/core/signing/request.ts'
import {startSandbox} from '../../src/sandbox/library.ts'

// How long a command takes to start, as the ratio of its wall time to that of an empty Node process, the two in
// turn, so that a machine that changes speed changes both. Run after `npm run build`.
const pairs = 25
const bin = join(import.meta.dirname, '../../bin/run.js')
const home = mkdtempSync(join(tmpdir(), 'hisab-bench-'))
await using service = await startSandbox()
const env = {
  ...process.env,
  HOME: home,
  HISAB_DATA_DIR: home,
  HISAB_MERCHANT_ID: service.merchantId,
  HISAB_BASE_URL: service.baseUrl,
  HISAB_APPLY_URL: service.applyUrl,
  HISAB_API_SECRET: service.credentials.apiSecret,
}
const fields = {merchantId: 'm', orderNo: 'D-1', amount: '500.00'}
const parameters = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
const signature = signFields(fields, service.credentials.apiSecret)
const commands: readonly (readonly [goal: number, ...args: string[]])[] = [
  [1.15, '--version'],
  [2.4, '--help'],
  [2.4, 'sign', ...parameters],
  [2.4, 'verify', ...parameters, '--signature', signature],
  [3, 'deposit', 'query', 'D-1'],
]

for (const [goal, ...args] of commands) {
  const ratios: number[] = []
  await wallMs([bin, ...args])
  for (let pair = 0; pair < pairs; pair++) {
    const emptyMs = await wallMs(['-e', '0'])
    ratios.push((await wallMs([bin, ...args])) / emptyMs)
  }
  ratios.sort((a, b) => a - b)
  const [low = 0, median = 0, high = 0] = [0, Math.floor(pairs / 2), pairs - 1].map((at) => ratios[at])
  console.log(
    `start-up  hisab ${args.join(' ')}: ${median.toFixed(2)} of \`node -e 0\` (${low.toFixed(2)} to ${high.toFixed(2)}, goal ${goal})`,
  )
}

async function wallMs(args: readonly string[]): Promise<number> {
  const startedNs = process.hrtime.bigint()
  await once(spawn(process.execPath, args, {env, stdio: 'ignore'}), 'exit')
  return Number(process.hrtime.bigint() - startedNs) / 1e6
}
