import {createHash, createHmac} from 'node:crypto'
import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import {sandboxCredentials} from '../../src/core/profile.ts'
import {tempDir} from '../temp-dir.ts'
import {runSigning} from './run-signing.ts'

const secret = sandboxCredentials.apiSecret
const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const sha256 = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')
const right = md5(`amount=500.00&orderNo=D-1&key=${secret}`)
const fields = ['orderNo=D-1', 'amount=500.00']

describe('hisab verify', () => {
  test('0 for a match, wherever the signature stands', async () => {
    const body = `{"orderNo":"D-1","amount":500.00,"signature":"${right}"}`
    for (const argv of [
      [...fields, '--signature', right],
      [...fields, `signature=${right}`],
      ['--body', '-'],
      ['--body', '-', '--scheme', 'webhook'],
    ]) {
      const {stdout, stderr, status} = await runSigning('verify', argv, {stdin: body})
      expect({stderr, status}).toEqual({stderr: '', status: 0})
      expect(stdout).toContain('The signature is right.')
    }
  })

  test('7 for a mismatch, with the mistake, the place and the mending', async () => {
    const given = md5(`amount=500&orderNo=D-1&key=${secret}`)
    const {stdout, status} = await runSigning('verify', [...fields, '--signature', given])
    expect(status).toBe(7)
    expect(stdout.split('\n')).toEqual([
      'The signature is wrong.',
      `  given     ${given}`,
      `  expected  ${right}`,
      '',
      expect.stringMatching(/^number_rewritten: .* Here: without trailing zeros\.$/),
      expect.stringMatching(/^Mend it: /),
      '',
      '  right     amount=500.00&orderNo=D-1&key=***',
      '  this one  amount=500&orderNo=D-1&key=***',
      '                      ^ they part here',
      '',
    ])
  })

  test('--json has the shape of contract §5 and the same status', async () => {
    const given = md5(`amount=500.00&orderNo=D-1`)
    const {stdout, status} = await runSigning('verify', [...fields, '--signature', given, '--json'])
    expect(status).toBe(7)
    expect(JSON.parse(stdout)).toEqual({
      valid: false,
      scheme: 'request',
      given,
      expected: right,
      canonical: 'amount=500.00&orderNo=D-1&key=***',
      diagnosis: {
        cause: 'key_missing',
        explanation: expect.stringContaining('nothing was appended'),
        canonical: 'amount=500.00&orderNo=D-1',
        fix: expect.any(String),
      },
    })
    const valid = await runSigning('verify', [...fields, '--signature', right, '--json'])
    expect(JSON.parse(valid.stdout)).toMatchObject({valid: true, diagnosis: null, expected: right})
  })

  test('the caret stands under the difference, also far into a string and after Bengali', async () => {
    const note = `note=${'রহিম'.repeat(20)}`
    const given = md5(`${note}&orderNo=D-1 &key=${secret}`)
    const {stdout} = await runSigning('verify', [note, 'orderNo=D-1', '--signature', given])
    const lines = stdout.trimEnd().split('\n')
    const [made = '', caret = ''] = lines.slice(-2)
    expect(made.startsWith('  this one  …')).toBe(true)
    const columns = [...made].filter((char) => !/\p{M}/u.test(char))
    expect(columns.slice(caret.indexOf('^')).join('')).toBe(' &key=***')
  })

  test('two mistakes are both named; none found says what was tried', async () => {
    const two = await runSigning('verify', [
      ...fields,
      '--json',
      '--signature',
      md5(`amount=500&orderNo=D-1${secret}`),
    ])
    expect(JSON.parse(two.stdout).diagnosis).toMatchObject({
      cause: 'several',
      causes: ['number_rewritten', 'key_without_name'],
    })
    const none = await runSigning('verify', [...fields, '--signature', md5('x')])
    expect(none.stdout).toMatch(/none_found: .* Tried: 24 kinds of mistake/)
  })

  test('nested values: named where their spelling explains it, else not judged', async () => {
    const given = md5(`a=1&x={"b":1}&key=${secret}`)
    const named = await runSigning('verify', ['a=1', 'x:={"b":1}', '--json', '--signature', given])
    expect(named.status).toBe(7)
    expect(JSON.parse(named.stdout)).toMatchObject({
      valid: false,
      expected: null,
      diagnosis: {cause: 'nested_as_json'},
    })
    const unverified = await runSigning('verify', ['a=1', 'x:={"b":1}', '--signature', md5('x')])
    expect(unverified.status).toBe(2)
  })

  test('a value that reads as further fields is flagged, on stderr and in the JSON (P22)', async () => {
    const value = 'u7&status=completed'
    const given = md5(`playerRef=${value}&key=${secret}`)
    const {stdout, stderr, status} = await runSigning('verify', [
      `playerRef=${value}`,
      '--signature',
      given,
      '--json',
    ])
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({valid: true, ambiguous: ['playerRef']})
    expect(stderr).toMatch(/"playerRef" reads as further fields/)
  })

  test.each([
    ['none', fields, /no signature to check/],
    ['a wrong length', [...fields, '--signature', right.slice(1)], /cannot be one: 31 characters/],
    ['another alphabet', [...fields, '--signature', `${right.slice(1)}g`], /cannot be one/],
    ['an empty one', [...fields, '--signature', ''], /is empty/],
    ['a terminal trick', [...fields, '--signature', '\u001b[2J'], /\\u\{1b\}\[2J/],
    ['one that is no string', [...fields, 'signature:=1'], /not a string/],
  ])('2 for a signature that cannot be judged: %s', async (_, argv, problem) => {
    const {stderr, stdout, status} = await runSigning('verify', argv)
    expect({status, stdout}).toEqual({status: 2, stdout: ''})
    expect(stderr).toMatch(problem)
  })

  test('3 for a blank secret: it would prove anything', async () => {
    const {status} = await runSigning('verify', [...fields, '--signature', right], {
      env: {HISAB_API_SECRET: ' '},
    })
    expect(status).toBe(3)
  })
})

describe('hisab verify of header signatures', () => {
  const legacy = ['--scheme', 'legacy', '--method', 'get', '--path', '/api/v1/merchant/webhooks?page=2']
  const mac = sha256(secret, '1761234567GET/api/v1/merchant/webhooks')

  test('legacy: headers in any case, the query left out', async () => {
    const headers = ['--header', `x-SIGNATURE: ${mac}`, '--header', 'X-TIMESTAMP: 1761234567']
    expect((await runSigning('verify', [...legacy, ...headers])).status).toBe(0)
    const flags = ['--signature', mac, '--timestamp', '1761234568']
    expect((await runSigning('verify', [...legacy, ...flags])).status).toBe(7)
  })

  test.each([
    ['extra_parameter', sha256(secret, '1761234567GET/api/v1/merchant/webhooks?page=2')],
    ['digest_upper_case', mac.toUpperCase()],
    ['missing_parameter', sha256(secret, 'GET/api/v1/merchant/webhooks')],
    ['secret_whitespace', sha256(`${secret}\n`, '1761234567GET/api/v1/merchant/webhooks')],
    ['other_hash', createHmac('sha1', secret).update('1761234567GET/api/v1/merchant/webhooks').digest('hex')],
    ['none_found', sha256('another', 'x')],
  ])('legacy: %s', async (cause, given) => {
    const {stdout, status} = await runSigning('verify', [
      ...legacy,
      '--timestamp',
      '1761234567',
      '--signature',
      given,
      '--json',
    ])
    expect(status).toBe(7)
    expect(JSON.parse(stdout).diagnosis.cause).toBe(cause)
    expect(stdout).not.toContain(secret)
  })

  test('a webhook by HMAC is judged by its raw bytes: the same JSON written anew is wrong', async () => {
    const path = join(tempDir(), 'config.toml')
    await writeFile(
      path,
      'default_profile = "live"\n[profiles.live]\nmerchant_id = "5a9db0c5-0000-4000-8000-000000000001"\n[profiles.live.webhook_signature]\nscheme = "hmac"\nheader = "X-Hook"\n',
      {mode: 0o600},
    )
    const body = '{ "amount": 500.00 }\n'
    const given = sha256(secret, `1761234567.${body}`)
    const headers = ['--header', `x-hook: ${given}`, '--header', 'X-Timestamp: 1761234567']
    const argv = ['--scheme', 'webhook', '--body', '-', ...headers]
    const env = {HISAB_CONFIG: path}
    expect(await runSigning('verify', argv, {stdin: body, env})).toMatchObject({status: 0})
    expect(await runSigning('verify', argv, {stdin: '{"amount":500.00}', env})).toMatchObject({status: 7})
    const args = await runSigning('verify', ['amount:=500.00', '--scheme', 'webhook', ...headers], {env})
    expect(args).toMatchObject({status: 2, stderr: expect.stringMatching(/raw bytes/)})
  })

  test('what is missing is asked for, and two values of one header are refused', async () => {
    for (const [argv, problem] of [
      [['--scheme', 'legacy', '--signature', mac], /signs a path/],
      [['--scheme', 'legacy', '--path', '/p', '--signature', mac], /signs the method/],
      [[...legacy, '--signature', mac], /signs the timestamp/],
      [[...legacy, '--header', 'X-Signature: a', '--header', 'x-signature: b'], /given twice/],
      [[...legacy, '--timestamp', '1', '--signature', `sha256=${mac}`], /without a prefix/],
    ] as const) {
      const {status, stderr} = await runSigning('verify', argv)
      expect(status).toBe(2)
      expect(stderr).toMatch(problem)
    }
  })
})

describe('hisab verify --discover', () => {
  const path = '/api/v1/merchant/webhooks/9a1f/resend'
  const raw = (timestamp: string, method: string, at: string, body: string) => {
    const bodyHash = createHash('sha256').update(body).digest('hex')
    const mac = sha256(secret, `${method}\n${at}\n${timestamp}\n${bodyHash}`)
    return `${method} ${at} HTTP/1.1\nX-Timestamp: ${timestamp}\nX-Signature: ${mac}\n\n${body}`
  }

  test('prints TOML to paste; a second capture confirms it', async () => {
    const dir = tempDir()
    await writeFile(join(dir, 'a.http'), raw('1761234567', 'GET', '/api/v1/merchant/webhooks', ''))
    await writeFile(join(dir, 'b.http'), raw('1761239999', 'POST', path, '{}'))
    const argv = ['--discover', '--capture', join(dir, 'a.http'), '--capture', join(dir, 'b.http')]
    const {stdout, status} = await runSigning('verify', argv)
    expect(status).toBe(0)
    expect(stdout).toMatch(/^\[profiles\.\S+\.legacy_signature\]$/m)
    expect(stdout).toContain('input = "{method}\\n{path}\\n{timestamp}\\n{bodySha256}"')
    expect(stdout).not.toContain(secret)
    const json = JSON.parse((await runSigning('verify', [...argv, '--json'])).stdout)
    expect(json).toEqual({
      matches: [
        {
          input: '{method}\n{path}\n{timestamp}\n{bodySha256}',
          hash: 'sha256',
          encoding: 'hex',
          key: 'api_secret',
          key_encoding: 'utf8',
          toml: expect.stringMatching(/^\[profiles\..*\.legacy_signature\]\ninput = /),
        },
      ],
      tried: expect.any(Number),
      elapsedMs: expect.any(Number),
    })
  })

  test('a timestamp in milliseconds is warned of', async () => {
    const file = join(tempDir(), 'ms.http')
    await writeFile(file, raw('1761239999123', 'POST', path, '{}'))
    const {stderr, status} = await runSigning('verify', ['--discover', '--capture', file])
    expect([status, stderr]).toEqual([0, expect.stringMatching(/warning: .* in milliseconds/)])
  })

  test('7 where nothing fits, 2 for what cannot be searched', async () => {
    const file = join(tempDir(), 'a.json')
    const capture = {method: 'GET', path: '/p', headers: {'X-Signature': sha256('another', 'x')}}
    await writeFile(file, JSON.stringify(capture))
    expect(await runSigning('verify', ['--discover', '--capture', file])).toMatchObject({status: 7})
    for (const argv of [
      ['--discover', '--scheme', 'request', '--capture', file],
      ['--discover', 'a=1'],
      ['--discover', '--capture', file, '--capture', file],
      ['--discover', '--path', '/p'],
    ]) {
      expect(await runSigning('verify', argv)).toMatchObject({status: 2, stdout: ''})
    }
  })
})
