import {createHash, createHmac} from 'node:crypto'
import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import {sandboxCredentials} from '../../src/core/profile.ts'
import {tempDir} from '../temp-dir.ts'
import {runSigning} from './run-signing.ts'

const secret = sandboxCredentials.apiSecret
const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const payout = ['outOrderNo=P-1001', 'amount=500.00', 'userName=রহিম', 'note:=null']
const signature = md5(`amount=500.00&outOrderNo=P-1001&userName=রহিম&key=${secret}`)

describe('hisab sign', () => {
  test('prints the hexadecimal and a newline, and nothing else', async () => {
    expect(await runSigning('sign', payout)).toEqual({stdout: `${signature}\n`, stderr: '', status: 0})
  })

  test('a body from standard input and from a file signs like the same arguments', async () => {
    const body = '{"userName":"রহিম","amount":"500.00","outOrderNo":"P-1001","note":null,"signature":"old"}'
    const path = join(tempDir(), 'body.json')
    await writeFile(path, body)
    for (const argv of [
      ['--body', '-'],
      ['--body', path],
    ]) {
      expect((await runSigning('sign', argv, {stdin: body})).stdout).toBe(`${signature}\n`)
    }
  })

  test('--json has the shape of contract §5, and no secret', async () => {
    const {stdout, status} = await runSigning('sign', [...payout, '--json'])
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      scheme: 'request',
      signature,
      canonical: 'amount=500.00&outOrderNo=P-1001&userName=রহিম&key=***',
      included: ['amount', 'outOrderNo', 'userName'],
      dropped: [{name: 'note', reason: 'null'}],
      body: `{"outOrderNo":"P-1001","amount":"500.00","userName":"রহিম","note":null,"signature":"${signature}"}`,
      headers: {'Content-Type': 'application/json'},
    })
  })

  test('--explain shows each step, what was left out and why, and the bytes beyond ASCII', async () => {
    const {stdout} = await runSigning('sign', [...payout, '--explain'])
    expect(stdout).toContain('left out: note (its value is null)')
    expect(stdout).toContain('amount, outOrderNo, userName')
    expect(stdout).toContain('&key=***')
    expect(stdout).toContain('"রহিম" is e0 a6 b0 e0 a6 b9 e0 a6 bf e0 a6 ae')
    expect(stdout.trimEnd().split('\n').at(-1)?.trim()).toBe(signature)
    expect(stdout).not.toContain(secret)
  })

  test.each([
    [
      'body',
      `{"outOrderNo":"P-1001","amount":500.00,"signature":"${md5(`amount=500.00&outOrderNo=P-1001&key=${secret}`)}"}\n`,
    ],
    ['canonical', 'amount=500.00&outOrderNo=P-1001&key=***\n'],
    ['headers', 'Content-Type: application/json\n'],
  ])('--print %s', async (what, expected) => {
    const argv = ['outOrderNo=P-1001', 'amount:=500.00', '--print', what]
    expect((await runSigning('sign', argv)).stdout).toBe(expected)
  })

  test('--print curl knows the endpoint by the fields, and the address by the profile or the shell', async () => {
    const own = {HISAB_BASE_URL: 'https://pay.example/v1', HISAB_API_SECRET: 'of-this-merchant'}
    const deposit = await runSigning('sign', ['orderNo=D-1', 'returnUrl=u', '--print', 'curl'], {env: own})
    expect(deposit.stdout).toContain('https://pay.example/v1/pay/order/create')
    const withoutAddress = await runSigning('sign', ['outOrderNo=P-1', '--print', 'curl'])
    expect(withoutAddress.stdout).toContain('"$HISAB_APPLY_URL"/apply/query')
    expect((await runSigning('sign', ['a=1', '--print', 'curl'])).status).toBe(2)
  })

  test('the legacy scheme: path without query, seconds, the API key never printed', async () => {
    const argv = [
      '--scheme',
      'legacy',
      '--path',
      '/api/v1/merchant/webhooks?page=2',
      '--timestamp',
      '1761234567',
    ]
    const mac = createHmac('sha256', secret).update('1761234567GET/api/v1/merchant/webhooks').digest('hex')
    expect((await runSigning('sign', argv)).stdout).toBe(`${mac}\n`)
    const {stdout} = await runSigning('sign', [...argv, '--print', 'curl'], {
      env: {HISAB_API_KEY: 'the-api-key-itself'},
    })
    expect(stdout).toContain('"X-API-Key: $HISAB_API_KEY"')
    expect(stdout).toContain('webhooks?page=2')
    expect(stdout).not.toContain('the-api-key-itself')
  })

  test('a webhook is signed as the profile says: by default like a request', async () => {
    const {stdout} = await runSigning('sign', [...payout, '--scheme', 'webhook'])
    expect(stdout).toBe(`${signature}\n`)
  })
})

describe('hisab sign refuses', () => {
  const refusals: [why: string, argv: string[], stdin: string, problem: RegExp][] = [
    ['nothing to sign', [], '', /no fields/],
    ['a name given twice', ['a=1', 'a=2'], '', /given twice, as two arguments/],
    [
      'an argument that repeats the body',
      ['a=1', '--body', '-'],
      '{"a":"1"}',
      /in the body and as an argument/,
    ],
    ['malformed JSON, with its place', ['--body', '-'], '{\n "a":,}', /line 2, column 6/],
    ['duplicate names', ['--body', '-'], '{"a":1,"a":2}', /is there twice/],
    ['nested values', ['--body', '-'], '{"a":{"b":1}}', /flat fields only/],
    ['an array', ['--body', '-'], '[]', /not an object/],
    [
      'a file that is not there',
      ['--body', '/nonexistent/body.json'],
      '',
      /cannot be read: there is no such file\./,
    ],
    ['a flag that would take a secret', ['a=1', '--secret', 'x'], '', /--secret/],
    ['legacy without a path', ['--scheme', 'legacy'], '', /signs a path/],
  ]
  test.each(refusals)('%s', async (_, argv, stdin, problem) => {
    const {stdout, stderr, status} = await runSigning('sign', argv, {stdin})
    expect({stdout, status}).toEqual({stdout: '', status: 2})
    expect(stderr).toMatch(problem)
    expect(stderr).toMatch(/try: /)
  })

  test.each(['', '  '])('a blank secret %j', async (blank) => {
    const {status, stdout} = await runSigning('sign', ['a=1'], {env: {HISAB_API_SECRET: blank}})
    expect({status, stdout}).toEqual({status: 3, stdout: ''})
  })

  test('and under --json the same, as JSON', async () => {
    const {stdout, status} = await runSigning('sign', ['a=1', 'a=2', '--json'])
    expect(status).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({error: {code: 'usage', exitCode: 2}})
  })
})

test('a very short secret is warned about, and still used', async () => {
  const {stdout, stderr} = await runSigning('sign', ['a=1'], {env: {HISAB_API_SECRET: 'qwerty!'}})
  expect(stdout).toBe(`${md5('a=1&key=qwerty!')}\n`)
  expect(stderr).toMatch(/only 7 characters/)
})

test('a line end after the secret in its file is left out, and that is said', async () => {
  const path = join(tempDir(), 'secret')
  await writeFile(path, 'of-this-merchant\n', {mode: 0o600})
  const env = {HISAB_API_SECRET_FILE: path}
  const {stdout, stderr} = await runSigning('sign', ['a=1'], {env, withoutSecret: true})
  expect(stdout).toBe(`${md5('a=1&key=of-this-merchant')}\n`)
  expect(stderr).toMatch(/line end .* left out/)
})

test('--exact-secret signs with the line end the file has, and says so', async () => {
  const path = join(tempDir(), 'secret')
  await writeFile(path, 'of-this-merchant\n', {mode: 0o600})
  const env = {HISAB_API_SECRET_FILE: path}
  const {stdout, stderr} = await runSigning('sign', ['a=1', '--exact-secret'], {env, withoutSecret: true})
  expect(stdout).toBe(`${md5('a=1&key=of-this-merchant\n')}\n`)
  expect(stderr).toMatch(/line end .* used as part of it/)
  const verified = ['a=1', '--signature', stdout.trim()]
  expect(
    (await runSigning('verify', [...verified, '--exact-secret'], {env, withoutSecret: true})).status,
  ).toBe(0)
  expect((await runSigning('verify', verified, {env, withoutSecret: true})).status).toBe(7)
})
