import {describe, expect, it, onTestFinished} from 'vitest'

import {ServiceClient} from '../../src/api/client.ts'
import {type Dialect, defaultDialect} from '../../src/core/dialect.ts'
import {Failure} from '../../src/core/failure.ts'
import {
  defaultLedgerMapping,
  noPayoutLimits,
  sandboxCredentials,
  sandboxMerchantId,
} from '../../src/core/profile.ts'
import {sameSignature} from '../../src/core/signing/compare.ts'
import {signByRecipe} from '../../src/core/signing/recipe.ts'
import {signFields} from '../../src/core/signing/request.ts'
import {type Sandbox, startSandbox} from '../../src/sandbox/start.ts'
import {load} from '../config/load.ts'
import {askAt, type Fields, post} from './acting-merchant.ts'
import {openReceiver, type TestReceiver} from './receiver-server.ts'

/**
 * Each assumption that a profile can change (docs/assumptions.md), written as a merchant would and played through. A
 * client and a sandbox that both know the change work together; a client that does not know it fails. A7, A9 and A10 are
 * about how hisab reads, so the service has nothing to change.
 */
const openAssumptions: readonly (readonly [id: string, toml: string])[] = [
  ['A1', 'deposit_query = { order_no = "merchantOrderNo" }'],
  ['A2', 'response = { order_no = "no", platform_order_no = "id", status = "state", amount = "sum" }'],
  ['A3', 'status = { completed = ["PAID"], open = ["NEW", "processing"], failed = ["DEAD"] }'],
  ['A4', 'error = { code = ["fault.id"], message = ["fault.text"] }'],
  ['A5', 'not_found = { http = [410], codes = ["GONE"] }'],
  ['A6 input', 'legacy_signature = { input = "{method}\\\\n{path}\\\\n{timestamp}\\\\n{bodySha256}" }'],
  ['A6 hash', 'legacy_signature = { hash = "sha512" }'],
  ['A6 encoding', 'legacy_signature = { encoding = "base64" }'],
  ['A6 key', 'legacy_signature = { key = "api_key" }'],
  ['A8 hmac', 'webhook_signature = { scheme = "hmac" }'],
  [
    'A8 header',
    'webhook_signature = { scheme = "hmac", header = "X-Sig", input = "{body}", encoding = "HEX" }',
  ],
]

describe.each(openAssumptions)('%s: %s', (id, toml) => {
  it('client and sandbox that both know it work together', async () => {
    const {dialect} = (await load({toml: `[profiles.odd]\n${toml}`, profileFlag: 'odd', needs: 'signing'}))
      .profile
    expect(await play(dialect, dialect)).toEqual(asItShould)
  })

  it('a client that does not know it does not agree', async () => {
    const {dialect} = (await load({toml: `[profiles.odd]\n${toml}`, profileFlag: 'odd', needs: 'signing'}))
      .profile
    expect(await play(dialect, defaultDialect), id).not.toEqual(asItShould)
  })
})

it('A11: the path of the webhook log, which is signed whole', async () => {
  const dialect = {...defaultDialect, legacyPath: '/merchant/log'}
  expect(await play(dialect, dialect)).toEqual(asItShould)
  expect(await play(dialect, defaultDialect)).not.toEqual(asItShould)
})

it.each([
  ['A12', {emptyStrings: 'dropped', sort: 'code_unit'}, {note: ''}],
  ['A13', {emptyStrings: 'signed', sort: 'ignore_case'}, {Zone: 'dhaka'}],
] as const)('%s: %j', async (_, requestSignature, extra) => {
  const {sandbox} = await start({...defaultDialect, requestSignature})
  const fields: Fields = {merchantId: sandboxMerchantId, orderNo: 'D-none', ...extra}
  const ask = async (rule: typeof requestSignature | undefined) => {
    const signature = signFields(fields, sandboxCredentials.apiSecret, rule)
    return (await post(askAt(sandbox.baseUrl), '/pay/order/query', {...fields, signature})).body.code
  }
  expect(await ask(requestSignature)).toBe('ORDER_NOT_FOUND')
  expect(await ask(undefined)).toBe('SIGNATURE_INVALID')
})

/** What a client sees of the story below, where it and the service speak alike. */
const asItShould = {
  open: {status: 'open', amount: null},
  paid: {status: 'completed', amount: 500_00n},
  failed: {status: 'failed', amount: null},
  payout: {status: 'open', amount: 250_00n},
  unknown: {found: false},
  tooMuch: 'INSUFFICIENT_BALANCE',
  webhooks: [true, true],
  listed: 2,
  resent: 2,
}

async function start(dialect: Dialect): Promise<{sandbox: Sandbox; receiver: TestReceiver}> {
  const receiver = await openReceiver()
  onTestFinished(() => receiver.close())
  const sandbox = await startSandbox({port: 0, dataDir: null, dialect})
  onTestFinished(() => sandbox.close())
  return {sandbox, receiver}
}

/** A deposit that is paid, one that is not, a payout, one that cannot be, an order nobody made, and the log. */
async function play(spoken: Dialect, understood: Dialect): Promise<unknown> {
  const {sandbox, receiver} = await start(spoken)
  const client = openClient(sandbox, understood)
  const look = async (kind: 'deposit' | 'payout', orderNo: string) => {
    const answer = await client.queryOrder(kind, orderNo)
    return answer.found ? {status: answer.order.status, amount: answer.order.amount} : {found: false}
  }
  const player = {playerPhone: '01712345678', playerRef: 'player-7', returnUrl: receiver.url}
  const recipient = {bankType: 'BKASH', userName: 'Rahim Uddin', account: '01812345678'} as const
  try {
    await client.createDeposit({orderNo: 'D-1', ...player})
    await client.createDeposit({orderNo: 'D-2', ...player})
    const open = await look('deposit', 'D-1')
    await sandbox.control.payDeposit('D-1', 500_00n)
    await sandbox.control.expireDeposit('D-2')
    const pay = (outOrderNo: string, amount: bigint) =>
      client.createPayout({outOrderNo, amount, ...recipient, returnUrl: receiver.url})
    await pay('P-1', 250_00n)
    const tooMuch = await pay('P-2', 10_000_000_00n).catch(serviceCodeOf)
    const {records} = await client.listDeliveries()
    const [record] = records
    if (record) await client.resendDelivery(record.id)
    return {
      open,
      paid: await look('deposit', 'D-1'),
      failed: await look('deposit', 'D-2'),
      payout: await look('payout', 'P-1'),
      unknown: await look('deposit', 'D-none'),
      tooMuch,
      webhooks: receiver.received.slice(0, 2).map((webhook) => isGenuine(webhook, understood)),
      listed: records.length,
      resent: (await client.getDelivery(record?.id ?? ''))?.delivery.attempts,
    }
  } catch (error) {
    return error instanceof Failure ? error.code : error
  }
}

function openClient({baseUrl, applyUrl, legacyUrl}: Sandbox, dialect: Dialect): ServiceClient {
  const addresses = {baseUrl, applyUrl, legacyUrl, returnUrl: null}
  const merchant = {
    ...{name: 'odd', environment: 'sandbox', isEnvironmentNamed: false},
    merchantId: sandboxMerchantId,
  }
  const client = new ServiceClient({
    profile: {...merchant, ...addresses, dialect, ledger: defaultLedgerMapping, payouts: noPayoutLimits},
    credentials: sandboxCredentials,
    sleep: async () => {},
  })
  onTestFinished(() => client.close())
  return client
}

function serviceCodeOf(error: unknown): string | undefined {
  return error instanceof Failure ? error.serviceCode : undefined
}

/** What a receiver of this dialect makes of a webhook. */
function isGenuine({raw, body, headers}: TestReceiver['received'][number], dialect: Dialect): boolean {
  const {scheme, header, timestampHeader, recipe} = dialect.webhookSignature
  if (scheme === 'md5-sorted') {
    return sameSignature(body.signature ?? '', signFields(body, sandboxCredentials.apiSecret))
  }
  const timestamp = String(headers[timestampHeader.toLowerCase()])
  const given = String(headers[header.toLowerCase()])
  return sameSignature(given, signByRecipe(recipe, {timestamp, body: raw}, sandboxCredentials))
}
