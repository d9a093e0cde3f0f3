import {createHash, createHmac} from 'node:crypto'
import {describe, expect, it} from 'vitest'
import {expectStatus, readDocument, readError} from './outcome.ts'
import {type Scenario, startScenario} from './scenario.ts'

/** api.docs.9dg.com/others: published parameters, secret and signature. */
const published = {
  secret: 'IPq15ZFXBFLIqRuY',
  parameters: [
    ...['amount=100', 'coinName=INR', 'mchId=IPq15ZFXBFLIqRuY', 'mchTransNo=123456789'],
    ...['notifyUrl=https://test.com', 'paymentNotifyUrl=https://test.com'],
  ],
  signature: 'f694ed4d44a60db500045184bd13af84',
}

const parameters = ['orderNo=D-1', 'amount=500.00', 'playerRef=u-7', 'note=']

interface Verified {
  readonly valid: boolean
  readonly expected: string | null
  readonly diagnosis: {readonly cause: string; readonly explanation: string} | null
}

describe.concurrent('sign', () => {
  it('prints a published signature, a newline, and nothing else', async () => {
    await using scenario = await startScenario()
    const env = {HISAB_API_SECRET: published.secret}
    const outcome = await scenario.machine.run(['sign', ...published.parameters], {env})
    expectStatus(outcome, 0)
    expect(outcome.stdout).toBe(`${published.signature}\n`)
  })

  it('as JSON: what was signed, without the key, and what was left out', async () => {
    await using scenario = await startScenario()
    const args = ['sign', 'b=2', 'a_x=1', 'B=3', 'none:=null', 'test:=true', 'n:=10.00', '--json']
    const outcome = await scenario.machine.run(args)
    expectStatus(outcome, 0)
    const canonical = 'B=3&a_x=1&b=2&n=10.00&test=true'
    expect(readDocument(outcome)).toMatchObject({
      scheme: 'request',
      signature: md5(`${canonical}&key=${scenario.service.merchant.apiSecret}`),
      canonical: `${canonical}&key=***`,
      included: ['B', 'a_x', 'b', 'n', 'test'],
      dropped: [{name: 'none', reason: expect.stringMatching(/./)}],
    })
  })

  it('reads a body from a file and from stdin alike', async () => {
    await using scenario = await startScenario()
    const body = '{"orderNo":"D-1","amount":10.00,"playerRef":"বাংলা","signature":"old"}'
    const expected = `${signed(scenario, ['amount=10.00', 'orderNo=D-1', 'playerRef=বাংলা'])}\n`
    const path = await scenario.machine.write('body.json', body)
    const fromFile = await scenario.machine.run(['sign', '--body', path])
    const fromStdin = await scenario.machine.run(['sign', '--body', '-'], {stdin: body})
    expect([fromFile.stdout, fromStdin.stdout]).toEqual([expected, expected])
  })

  it('the legacy scheme of A6', async () => {
    await using scenario = await startScenario()
    const path = '/api/v1/merchant/webhooks'
    const request = ['--method', 'GET', '--path', path, '--timestamp', '1700000000']
    const outcome = await scenario.machine.run(['sign', '--scheme', 'legacy', ...request])
    expectStatus(outcome, 0)
    const {apiSecret} = scenario.service.merchant
    const expected = createHmac('sha256', apiSecret).update(`1700000000GET${path}`).digest('hex')
    expect(outcome.stdout).toBe(`${expected}\n`)
  })

  it.each([
    ['an object', ['a:={"b":1}']],
    ['a list', ['a:=[1]']],
    ['a name given twice', ['a=1', 'a=2']],
    ['something that is not JSON', ['a:=maybe']],
    ['no parameters at all', []],
  ])('%s is refused: 2', async (_, args) => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run(['sign', ...args, '--json'])
    expectStatus(outcome, 2)
    readError(outcome)
  })

  it('a body with a name twice is refused: 2', async () => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run(['sign', '--body', '-', '--json'], {
      stdin: '{"a":"1","a":"2"}',
    })
    expectStatus(outcome, 2)
  })

  it.each([
    ['no', undefined],
    ['an empty', ''],
    ['a blank', '  '],
  ])('%s secret: 3, or 2 when it is one nobody could mean', async (_, secret) => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run(['sign', 'a=1', '--json'], {env: {HISAB_API_SECRET: secret}})
    expectStatus(outcome, ...(secret === undefined ? [3] : [2, 3]))
    readError(outcome)
  })
})

describe.concurrent('verify', () => {
  it.each([[[]], [['--json']]])('the right signature: 0 (%j)', async (flags) => {
    await using scenario = await startScenario()
    const args = ['verify', ...parameters, '--signature', signed(scenario, parameters), ...flags]
    const outcome = await scenario.machine.run(args)
    expectStatus(outcome, 0)
    if (flags.length > 0) expect(readDocument(outcome)).toMatchObject({valid: true, diagnosis: null})
  })

  it('the signature inside the body', async () => {
    await using scenario = await startScenario()
    const signature = signed(scenario, ['a=1'])
    const body = JSON.stringify({a: '1', signature})
    const outcome = await scenario.machine.run(['verify', '--body', '-'], {stdin: body})
    expectStatus(outcome, 0)
  })

  /** Mistakes merchants make, each reproduced by hand. */
  const mistakes: Readonly<Record<string, (key: string) => string>> = {
    digest_upper_case: (key) => md5(`amount=500.00&note=&orderNo=D-1&playerRef=u-7&key=${key}`).toUpperCase(),
    empty_dropped: (key) => md5(`amount=500.00&orderNo=D-1&playerRef=u-7&key=${key}`),
    not_sorted: (key) => md5(`orderNo=D-1&amount=500.00&playerRef=u-7&note=&key=${key}`),
    key_missing: () => md5('amount=500.00&note=&orderNo=D-1&playerRef=u-7'),
    key_without_name: (key) => md5(`amount=500.00&note=&orderNo=D-1&playerRef=u-7${key}`),
    key_first: (key) => md5(`key=${key}&amount=500.00&note=&orderNo=D-1&playerRef=u-7`),
    secret_whitespace: (key) => md5(`amount=500.00&note=&orderNo=D-1&playerRef=u-7&key=${key}\n`),
    other_hash: (key) => hash('sha256', `amount=500.00&note=&orderNo=D-1&playerRef=u-7&key=${key}`),
    none_found: () => 'f'.repeat(32),
  }

  it.each(Object.entries(mistakes))('%s: 7, and the mistake by its name', async (cause, mistake) => {
    await using scenario = await startScenario()
    const given = mistake(scenario.service.merchant.apiSecret)
    const args = ['verify', ...parameters, '--signature', given]
    const outcome = await scenario.machine.run([...args, '--json'])
    expectStatus(outcome, 7)
    const verified = readDocument<Verified>(outcome)
    expect(verified).toMatchObject({
      valid: false,
      scheme: 'request',
      given,
      expected: signed(scenario, parameters),
      diagnosis: {cause, explanation: expect.stringMatching(/./)},
    })
    expectStatus(await scenario.machine.run(args), 7)
  })

  it('no signature to check is not a right one: 2', async () => {
    await using scenario = await startScenario()
    expectStatus(await scenario.machine.run(['verify', 'a=1', '--json']), 2)
  })
})

/** Parameters as `name=value`, signed by section 5.1 with the merchant's secret. */
function signed(scenario: Scenario, pairs: readonly string[]): string {
  return md5(`${[...pairs].sort().join('&')}&key=${scenario.service.merchant.apiSecret}`)
}

function md5(text: string): string {
  return hash('md5', text)
}

function hash(algorithm: string, text: string): string {
  return createHash(algorithm).update(text, 'utf8').digest('hex')
}
