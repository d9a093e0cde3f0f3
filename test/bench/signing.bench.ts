/**
 * Rates of signing and of discovery, as ratios within this run: `npx node test/bench/signing.bench.ts`.
 * Rounds alternate between the two sides of a ratio, so that a busy machine slows both.
 */
import {createHash, createHmac} from 'node:crypto'
import {candidateInputs} from '../../src/core/signing/discover/inputs.ts'
import {discover, FastHmac} from '../../src/core/signing/discover/search.ts'
import {canonicalize, signFields} from '../../src/core/signing/request.ts'

const secret = 'sandbox-secret-not-for-live-use'
const payout = {
  merchantId: '5a9db0c5-0000-4000-8000-000000000001',
  outOrderNo: 'P-20261120-000417',
  amount: '1500.00',
  bankType: 'BKASH',
  userName: 'Rahim Uddin',
  account: '01712345678',
  returnUrl: 'https://merchant.example/hooks',
}
const signedText = `${canonicalize(payout).text}&key=${secret}`

function ratePerSecond(times: number, work: (index: number) => unknown): number {
  const started = process.hrtime.bigint()
  for (let index = 0; index < times; index++) work(index)
  return times / (Number(process.hrtime.bigint() - started) / 1e9)
}

function medianRatio(
  times: number,
  ours: (index: number) => unknown,
  theirs: (index: number) => unknown,
): number {
  const ratios = Array.from({length: 7}, () => ratePerSecond(times, ours) / ratePerSecond(times, theirs))
  return ratios.sort((a, b) => a - b)[3] ?? 0
}

const wholeSignature = medianRatio(
  100_000,
  () => signFields(payout, secret),
  (index) =>
    createHash('md5')
      .update(signedText.replace('417', String(index % 1000)))
      .digest('hex'),
)

const request = {
  timestamp: '1761234567',
  method: 'POST',
  path: '/api/v1/merchant/webhooks/9a1f0c52-7a64-4c3e-9b0e-2f6f3f1f7a10/resend',
  body: Buffer.from('{"note":"again"}'),
  merchantId: payout.merchantId,
  apiKey: 'sandbox-key-not-for-live-use',
}
const keys = {apiSecret: secret, apiKey: request.apiKey}
const unknown = {parts: request, signature: '0'.repeat(64), host: null}

/** The whole search for a signature that no recipe makes, against `createHmac` over the same messages. */
function discoveryRates(): {readonly recipes: number; readonly ratio: number; readonly fast: number} {
  const started = process.hrtime.bigint()
  const search = discover([unknown], keys)
  let step = search.next()
  while (!step.done) step = search.next()
  const searchRate = step.value / (Number(process.hrtime.bigint() - started) / 1e9)
  const messages = [...candidateInputs(request, null)].slice(0, 100_000).map(({message}) => message)
  const hmacRate = ratePerSecond(messages.length, (index) =>
    createHmac('sha256', secret)
      .update(messages[index] ?? '', 'latin1')
      .digest(),
  )
  const fast = new FastHmac('sha256', Buffer.from(secret))
  const fastRate = ratePerSecond(messages.length, (index) => fast.sign(messages[index] ?? ''))
  return {recipes: step.value, ratio: searchRate / hmacRate, fast: searchRate / fastRate}
}

const {recipes, ratio, fast} = discoveryRates()
process.stdout.write(
  [
    `whole signature ÷ bare createHash MD5 of the same ${signedText.length} bytes: ${wholeSignature.toFixed(2)} (goal 0.75)`,
    `discovery, all ${recipes} recipes ÷ createHmac over its messages: ${ratio.toFixed(2)} (goal 0.50)`,
    `discovery ÷ FastHmac alone over its messages: ${fast.toFixed(2)}`,
    '',
  ].join('\n'),
)
