import {expect, test} from 'vitest'

import {accountKey, accountOf, isSameMerchant} from '../../src/core/account.ts'
import {isBdt} from '../../src/core/currency.ts'
import {assumptionsOf, defaultDialect} from '../../src/core/dialect.ts'
import {
  checksStatus,
  failed,
  ok,
  sharedChecks,
  skipped,
  unknown,
  warning,
} from '../../src/core/doctor/check.ts'
import {continuedBy, Failure, isStop, thenRunAgain, worstStatus} from '../../src/core/failure.ts'
import {hostAddressOf, hostnameOfHeader, isLoopback} from '../../src/core/loopback.ts'
import {addressesOf, sandboxApplyUrl} from '../../src/core/profile.ts'

const id = '5A9DB0C5-0000-4000-8000-00000000000A'

test.each([
  [{merchantId: id, environment: 'live'}, `${id.toLowerCase()}@live`],
  [{merchantId: 'Shop', environment: 'Live'}, 'Shop@Live'],
  [{merchantId: 'a@b', environment: 'live'}, 'a@b@live'],
])('the books of %j are %s', (account, key) => {
  expect(accountKey(account)).toBe(key)
  expect(accountKey(accountOf(key))).toBe(key)
})

test('a merchant is the same in either case of its hexadecimal digits, and by no other letter', () => {
  expect(isSameMerchant(id, id.toLowerCase())).toBe(true)
  expect([isSameMerchant('Shop', 'shop'), isSameMerchant(id, 'shop')]).toEqual([false, false])
})

test.each([
  ['BDT', true],
  ['Tk.', true],
  ['BDT (৳)', true],
  ['Bangladeshi Taka', true],
  ['টাকা', true],
  ['050', true],
  ['USD', false],
  ['BDT USD', false],
  ['--', false],
  ['', false],
])('the currency "%s" is BDT: %s', (text, is) => {
  expect(isBdt(text)).toBe(is)
})

test.each([
  ['http://localhost:4010/x', true, 'http://127.0.0.1:4010'],
  ['http://[::1]:4010', true, 'http://127.0.0.1:4010'],
  ['http://127.8.8.8', true, 'http://127.8.8.8'],
  ['https://pay.example./v1', false, 'https://pay.example'],
  ['https://1127.0.0.1.example', false, 'https://1127.0.0.1.example'],
  ['https://127.0.0.1.example', false, 'https://127.0.0.1.example'],
])('%s is this machine: %s, and is known as %s', (url, isThis, address) => {
  expect([isLoopback(url), hostAddressOf(url)]).toEqual([isThis, address])
})

test.each([
  ['pay.example:80', 'pay.example'],
  ['[::1]:80', '[::1]'],
  ['a@b', ''],
  ['a/b', ''],
  ['a\\b', ''],
  [':', ''],
])('the header Host: %s names %s', (header, name) => {
  expect(hostnameOfHeader(header)).toBe(name)
})

test('the addresses of a profile, each once, without those that are left blank', () => {
  const urls = {baseUrl: 'https://pay.example/v1', applyUrl: 'https://pay.example/x', legacyUrl: ''}
  expect(addressesOf(urls)).toEqual(['https://pay.example'])
  expect(addressesOf({...urls, legacyUrl: 'http://localhost:1'})).toEqual([
    'https://pay.example',
    'http://127.0.0.1:1',
  ])
})

test.each([
  ['http://127.0.0.1:4010', 'http://127.0.0.1:4011'],
  ['http://127.0.0.1:4010/v1/', 'http://127.0.0.1:4011/v1'],
  ['https://pay.example/v1', 'https://pay.example/v1'],
  ['no address', 'no address'],
])('payouts of a sandbox at %s are at %s', (baseUrl, applyUrl) => {
  expect(sandboxApplyUrl(baseUrl)).toBe(applyUrl)
})

test('what is no address is not this machine', () => {
  expect(isLoopback('localhost')).toBe(false)
})

test('of several statuses the most worrying one counts', () => {
  expect([
    worstStatus([]),
    worstStatus([0, 7, 4]),
    worstStatus([5, 4]),
    worstStatus([130]),
    worstStatus([8, 6]),
  ]).toEqual([...[0, 7, 4, 130, 6]])
  const [fine, absent, doubtful] = [ok('node', ''), skipped('lock', ''), unknown('clock', '', 'Look.')]
  expect([fine.next, absent.next, doubtful.code, warning('data', 'a', 'b').code]).toEqual([
    null,
    null,
    'incomplete',
    null,
  ])
  const broken = failed('base_url', 'service_unreachable', 'a', 'b')
  expect(checksStatus([fine, absent])).toBe(0)
  expect(checksStatus([fine, doubtful])).toBe(8)
  expect(checksStatus([doubtful, broken, failed('config', 'config_invalid', 'a', 'b')])).toBe(2)
  expect(checksStatus([doubtful, broken])).toBe(5)
  expect(sharedChecks).toEqual([
    ...[
      'journal_commits',
      'journal_standbys',
      'journal_clock',
      'journal_role',
      'journal_addresses',
      'payee_key',
    ],
  ])
})

test('a failure of a run that can be continued says how, and not to begin again', () => {
  const failure = new Failure('incomplete', 'Half of it.', thenRunAgain('Wait.'))
  expect(failure.hint).toBe('Wait. Then run the same command again.')
  expect(failure.clause).toBe('Half of it')
  expect(continuedBy(failure, 'hisab x')).toMatchObject({
    ...{code: 'incomplete', message: 'Half of it.', hint: 'Wait. Then continue the run: hisab x'},
  })
  const stops = (['interrupted', 'terminated', 'bug'] as const).map((code) =>
    isStop(new Failure(code, '', '')),
  )
  expect(stops).toEqual([true, true, false])
})

test('what is assumed of the service is told by the profile’s own settings', () => {
  const valuesOf = (dialect: typeof defaultDialect) =>
    Object.fromEntries(assumptionsOf(dialect).map(({id, value}) => [id, value]))
  const {status, webhookSignature, requestSignature} = defaultDialect
  expect(valuesOf(defaultDialect)).toMatchObject({
    A3: 'completed: completed; open: processing | pending; failed: failed',
    A8: 'md5-sorted, field `signature` of the body',
    A13: 'by UTF-16 code unit',
  })
  expect(
    valuesOf({
      ...defaultDialect,
      status: {...status, payout: {...status.payout, failed: ['failed', 'void']}},
      webhookSignature: {...webhookSignature, scheme: 'hmac', maxAgeMs: null},
      requestSignature: {...requestSignature, sort: 'ignore_case'},
      refusalCodes: [],
    }),
  ).toMatchObject({
    A3: 'deposits: completed: completed; open: processing | pending; failed: failed; payouts: completed: completed; open: processing | pending; failed: failed | void',
    A5b: expect.stringContaining('with no code;'),
    A8: 'X-Signature: HMAC-sha256 hex over "{timestamp}.{body}" with api_secret (utf8), of any age',
    A13: 'ignoring case',
  })
})
