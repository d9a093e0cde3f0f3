import {afterEach, beforeEach, expect, it} from 'vitest'

import {steppedClock} from '../../src/sandbox/clock.ts'
import {type Sandbox, type SandboxOptions, startSandbox} from '../../src/sandbox/start.ts'
import {askAt, depositFields, legacyHeaders, payoutFields, post, signed} from './acting-merchant.ts'
import {openReceiver, status, type TestReceiver} from './receiver-server.ts'

const morning = Date.parse('2026-11-20T06:00:00Z')
let receiver: TestReceiver
let sandbox: Sandbox | undefined

beforeEach(async () => {
  receiver = await openReceiver()
})

afterEach(async () => {
  await sandbox?.close()
  await receiver.close()
})

async function askControl(path: string) {
  const answer = await fetch(`${sandbox?.url}/sandbox/${path}`)
  return ((await answer.json()) as {data: Record<string, unknown>}).data
}

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  sandbox = await startSandbox({port: 0, dataDir: null, clock: steppedClock(morning), ...options})
  return sandbox
}

async function pay(service: Sandbox, returnUrl = receiver.url) {
  await post(askAt(service.baseUrl), '/pay/order/create', signed(depositFields({returnUrl})))
  const {id} = await service.control.payDeposit('D-1001', 500_00n)
  return {id, attempts: () => service.control.attempts(id)}
}

it('keeps every attempt as it went over the wire, and says what came of each', async () => {
  const service = await start()
  receiver.answer = (response) => response.writeHead(401, {'x-trace': 'a1'}).end('bad signature')
  const {id, attempts} = await pay(service)
  receiver.answer = status(200, 'ok')
  await service.control.advanceBy(60_000)
  const [first, second] = attempts()
  const [webhook] = receiver.received
  expect(first).toMatchObject({
    number: 1,
    startedBy: 'schedule',
    beganAt: '2026-11-20T06:00:00.000Z',
    responseCode: 401,
    responseBody: 'bad signature',
    reason: null,
    isDelivered: false,
    explanation: 'The receiver refused it: HTTP 401.',
    signature: {isValid: true, place: 'the field signature', given: webhook?.body.signature},
  })
  expect(first?.signature?.canonical).toMatch(/&key=\*\*\*$/)
  expect(first?.requestBody).toBe(webhook?.raw)
  expect(Object.fromEntries(first?.requestHeaders ?? [])).toEqual(webhook?.headers)
  expect(first?.responseHeaders).toContainEqual(['x-trace', 'a1'])
  expect(await askControl(`deliveries/attempts?id=${id}`)).toEqual({attempts: attempts()})
  expect(second).toMatchObject({number: 2, beganAt: '2026-11-20T06:01:00.000Z', isDelivered: true})
})

it('names an address where nothing listens', async () => {
  const service = await start()
  await receiver.close()
  const {attempts} = await pay(service)
  expect(attempts()).toMatchObject([{reason: 'connection_refused', responseCode: null, responseBody: null}])
})

it('shows what a fault sent besides, and that its signature is wrong', async () => {
  const service = await start({faults: {chaos: ['webhook-forged', 'webhook-doubled'], seed: 1}})
  const {attempts} = await pay(service)
  expect(attempts().map(({role, number, signature}) => [role, number, signature?.isValid])).toEqual([
    ['forged', 1, false],
    ['doubled', 1, true],
    ['webhook', 1, true],
  ])
})

it('judges a signature in a header, too', async () => {
  const {defaultDialect} = await import('../../src/core/dialect.ts')
  const webhookSignature = {...defaultDialect.webhookSignature, scheme: 'hmac' as const}
  const service = await start({dialect: {...defaultDialect, webhookSignature}})
  const {attempts} = await pay(service)
  expect(attempts()[0]?.signature).toMatchObject({isValid: true, place: 'the header X-Signature'})
})

it('keeps the requests of the service with what was refused and why', async () => {
  const service = await start()
  const {requestLog} = service
  const ask = askAt(service.baseUrl)
  await post(ask, '/pay/order/create', signed(depositFields()))
  const fields = signed(depositFields({orderNo: 'D-1002'}))
  await post(ask, '/pay/order/create', {...fields, signature: String(fields.signature).toUpperCase()})
  await post(askAt(service.url), '/pay/order/create', fields)
  await fetch(service.consoleUrl)
  const path = '/api/v1/merchant/webhooks'
  await fetch(`${service.legacyUrl}${path}?page=1`, {headers: legacyHeaders('GET', `${path}?page=1`)})

  const [signedWithQuery, unknown, upperCase, done] = requestLog.list({}, 10)
  expect(done).toMatchObject({
    method: 'POST',
    path: '/v1/pay/order/create',
    status: 200,
    refusal: null,
    orderNo: 'D-1001',
    listener: 'deposits',
  })
  expect(JSON.parse(String(done?.responseBody))).toMatchObject({code: 0, data: {orderNo: 'D-1001'}})
  expect(upperCase).toMatchObject({status: 401, orderNo: 'D-1002', refusal: {code: 'SIGNATURE_INVALID'}})
  expect(requestLog.diagnose(upperCase?.id ?? 0)).toMatchObject({cause: 'digest_upper_case'})
  expect(unknown).toMatchObject({path: '/pay/order/create', status: 404, refusal: {code: 'NOTHING_THERE'}})
  expect(signedWithQuery).toMatchObject({query: '?page=1', status: 401})
  expect(requestLog.diagnose(signedWithQuery?.id ?? 0)?.explanation).toContain('quer')
  expect(requestLog.diagnose(done?.id ?? 0)).toBeNull()

  expect(requestLog.list({isRefused: true}, 2).map(({id}) => id)).toEqual([4, 3])
  expect(requestLog.list({isRefused: true}, 2, 3).map(({id}) => id)).toEqual([2])
  expect(requestLog.list({orderNo: '1001'}, 5).map(({id}) => id)).toEqual([1])

  expect(await askControl('requests?refused=true&orderNo=1002&limit=5')).toMatchObject({
    requests: [{id: 2, requestBody: expect.stringContaining('D-1002')}],
  })
  const why = await askControl('requests/diagnosis?id=2')
  expect(why).toMatchObject({diagnosis: {cause: 'digest_upper_case'}})
})

it('has payouts at an address of their own; at the wrong one there is nothing, and the log says why', async () => {
  const service = await start()
  expect(new URL(service.applyUrl).port).toBe(String(Number(new URL(service.baseUrl).port) + 1))
  const [payout, deposit] = [signed(payoutFields()), signed(depositFields())]
  for (const [url, path, body] of [
    [service.baseUrl, '/apply/create', payout],
    [service.applyUrl, '/pay/order/create', deposit],
    [service.applyUrl, '/apply/create', payout],
  ] as const) {
    const answer = await post(askAt(url), path, body)
    expect(answer.status).toBe(url === service.applyUrl && body === payout ? 200 : 404)
  }
  expect((await fetch(`${new URL(service.applyUrl).origin}/console`)).status).toBe(404)
  expect(service.requestLog.list({isRefused: true}, 5).map(({refusal}) => refusal?.nextStep)).toEqual([
    'This is the address of payouts: send deposits to base_url.',
    'This is the address of deposits: send payouts to apply_url.',
  ])
})
