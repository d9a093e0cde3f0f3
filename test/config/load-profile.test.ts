import {writeFileSync} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, test} from 'vitest'

import {loadProfile} from '../../src/config/load-profile.ts'
import {defaultDialect} from '../../src/core/dialect.ts'
import {
  defaultLedgerMapping,
  noPayoutLimits,
  sandboxCredentials,
  sandboxMerchantId,
} from '../../src/core/profile.ts'
import {tempDir} from '../temp-dir.ts'
import {failureOf, type Given, liveEnvironment, liveToml, load, merchantId} from './load.ts'

describe('the built-in sandbox', () => {
  test('needs no configuration at all', async () => {
    const loaded = await load({profileFlag: 'sandbox'})
    expect(loaded.profile).toEqual({
      name: 'sandbox',
      environment: 'sandbox',
      isEnvironmentNamed: false,
      merchantId: sandboxMerchantId,
      baseUrl: 'http://127.0.0.1:4010/v1',
      applyUrl: 'http://127.0.0.1:4011/v1',
      legacyUrl: 'http://127.0.0.1:4010',
      returnUrl: 'http://127.0.0.1:4020/webhook',
      dialect: defaultDialect,
      ledger: defaultLedgerMapping,
      payouts: noPayoutLimits,
    })
    expect(await loaded.credentials()).toEqual(sandboxCredentials)
    expect(loaded.sources).toMatchObject({
      profile: 'flag',
      merchant_id: 'sandbox',
      base_url: 'sandbox',
      legacy_url: 'default',
      api_secret: 'sandbox',
      status: 'default',
    })
    expect(loaded.warnings).toEqual([])
  })

  test('moves whole to another port with HISAB_BASE_URL', async () => {
    const {profile} = await load({profileFlag: 'sandbox', env: {HISAB_BASE_URL: 'http://localhost:5000/v1'}})
    expect(profile).toMatchObject({
      baseUrl: 'http://localhost:5000/v1',
      applyUrl: 'http://localhost:5001/v1',
      legacyUrl: 'http://localhost:5000',
    })
  })

  test.each(['HISAB_BASE_URL', 'HISAB_APPLY_URL', 'HISAB_LEGACY_URL'])(
    'never sends its known credentials elsewhere: %s',
    async (name) => {
      const failure = await failureOf(
        load({profileFlag: 'sandbox', env: {[name]: 'https://pay.example.com'}}),
      )
      expect(failure).toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining('https://pay.example.com'),
      })
    },
  )

  test('nor when they were copied into a live profile', async () => {
    const env = {...liveEnvironment, HISAB_API_SECRET: sandboxCredentials.apiSecret}
    const {apiSecret, credentials} = await load({env})
    expect((await failureOf(apiSecret())).code).toBe('config_invalid')
    expect((await failureOf(credentials())).code).toBe('config_invalid')
  })

  test('takes its dialect from a profile of that name in the file', async () => {
    const toml = '[profiles.sandbox.status]\ncompleted = ["PAID"]'
    const {profile, sources} = await load({toml, profileFlag: 'sandbox'})
    expect(profile.dialect.status.deposit.completed).toEqual(['PAID'])
    expect(profile.merchantId).toBe(sandboxMerchantId)
    expect(sources).toMatchObject({status: 'profile', merchant_id: 'sandbox'})
  })
})

describe('which profile', () => {
  const two = `${liveToml}\n[profiles.other]\nmerchant_id = "${merchantId}"\nbase_url = "https://o.example.com"\napply_url = "https://o.example.com"`
  const rows: [string, Given, name: string, from: string][] = [
    [
      '--profile before all',
      {toml: two, profileFlag: 'other', env: {HISAB_PROFILE: 'live'}},
      'other',
      'flag',
    ],
    ['HISAB_PROFILE before the file', {toml: two, env: {HISAB_PROFILE: 'other'}}, 'other', 'environment'],
    ['a blank HISAB_PROFILE is none', {toml: two, env: {HISAB_PROFILE: ' '}}, 'live', 'profile'],
    ['default_profile', {toml: two}, 'live', 'profile'],
    [
      'default_profile, also beside variables',
      {toml: two, env: {HISAB_MERCHANT_ID: merchantId}},
      'live',
      'profile',
    ],
    ['the environment alone', {env: liveEnvironment}, 'environment', 'environment'],
    [
      'the environment, asked for',
      {toml: two, env: liveEnvironment, profileFlag: 'environment'},
      'environment',
      'flag',
    ],
    ['a default_profile of sandbox', {toml: 'default_profile = "sandbox"'}, 'sandbox', 'profile'],
  ]
  test.each(rows)('%s', async (_, given, name, from) => {
    const {profile, sources} = await load(given)
    expect([profile.name, sources.profile]).toEqual([name, from])
  })

  test('nothing configured: exit 3, and the way out for a newcomer and for a job', async () => {
    const failure = await failureOf(load({}))
    expect(failure).toMatchObject({code: 'credentials_missing', exitStatus: 3})
    expect(failure.hint).toMatch(/--profile sandbox.*HISAB_MERCHANT_ID/)
  })

  test('a file that chooses none says which there are', async () => {
    const failure = await failureOf(load({toml: two.replace(/default_profile.*/, '')}))
    expect(failure.message).toMatch(/live, other/)
  })

  test.each([
    ['--profile', {profileFlag: 'lvie'}],
    ['HISAB_PROFILE', {env: {HISAB_PROFILE: 'lvie'}}],
  ] as const)('a mistyped %s names the nearest', async (place, given) => {
    const {message} = await failureOf(load({toml: two, ...given}))
    expect(message).toContain(`"lvie" (from ${place}); did you mean "live"?`)
  })

  test('a mistyped default_profile too, with the file', async () => {
    const {message} = await failureOf(load({toml: two.replace('= "live"', '= "otter"')}))
    expect(message).toMatch(/default_profile in .*config\.toml.*did you mean "other"/)
  })
})

describe('which value', () => {
  test('variables before the profile, setting by setting', async () => {
    const {profile, sources, warnings} = await load({
      toml: `${liveToml}return_url = "https://shop.example.com/hook/?a=1"`,
      env: {HISAB_BASE_URL: 'https://pay2.example.com/v1//', HISAB_APPLY_URL: ''},
    })
    expect(profile).toMatchObject({
      baseUrl: 'https://pay2.example.com/v1',
      applyUrl: 'https://apply.example.com/v1',
      legacyUrl: 'https://pay2.example.com',
      returnUrl: 'https://shop.example.com/hook/?a=1',
    })
    expect(sources).toMatchObject({
      base_url: 'environment',
      apply_url: 'profile',
      legacy_url: 'default',
      return_url: 'profile',
      api_secret: 'profile',
    })
    expect(warnings).toEqual([expect.stringContaining('HISAB_BASE_URL replaces the profile’s own')])
  })

  test('the environment alone is enough', async () => {
    const {profile, credentials, configPath} = await load({
      env: {
        ...liveEnvironment,
        HISAB_LEGACY_URL: 'https://legacy.example.com/',
        HISAB_RETURN_URL: 'https://s.example.com',
      },
    })
    expect(profile).toMatchObject({
      merchantId,
      legacyUrl: 'https://legacy.example.com',
      returnUrl: 'https://s.example.com',
    })
    expect(await credentials()).toEqual({apiSecret: 'the secret', apiKey: 'the key'})
    expect(configPath).toBeNull()
  })

  test('HISAB_CONFIG names the file, and must be there', async () => {
    const path = join(tempDir(), 'elsewhere.toml')
    const request = {
      env: {HISAB_CONFIG: path},
      configPath: '/nowhere',
      profileFlag: null,
      needs: 'service',
    } as const
    expect(await failureOf(loadProfile(request))).toMatchObject({
      code: 'file_unreadable',
      message: expect.stringContaining(path),
    })
    writeFileSync(path, liveToml)
    expect((await loadProfile(request)).configPath).toBe(path)
  })

  test('all that is missing is named at once, by variable and by key', async () => {
    const env = {HISAB_BASE_URL: 'https://pay.example.com'}
    const inVariables = await failureOf(load({env}))
    expect(inVariables).toMatchObject({
      code: 'config_invalid',
      hint: 'Set HISAB_MERCHANT_ID, HISAB_APPLY_URL.',
    })
    const inFile = await failureOf(
      load({toml: '[profiles.x]\nbase_url = "https://a.example"', profileFlag: 'x'}),
    )
    expect(inFile.message).toContain('lacks merchant_id, apply_url')
    expect(inFile.hint).toMatch(/under \[profiles\.x\] in .*config\.toml/)
  })

  test('signing offline needs a secret and no merchant', async () => {
    const {profile, apiSecret} = await load({env: {HISAB_API_SECRET: 's'}, needs: 'signing'})
    expect(profile).toMatchObject({name: 'environment', merchantId: '', baseUrl: '', legacyUrl: ''})
    expect(await apiSecret()).toBe('s')
  })
})

describe('addresses and ids', () => {
  const rows: [variable: string, value: string, message: RegExp][] = [
    ['HISAB_BASE_URL', 'pay.example.com', /HISAB_BASE_URL must be an absolute address/],
    ['HISAB_BASE_URL', 'ftp://pay.example.com', /absolute address/],
    ['HISAB_BASE_URL', 'https:pay.example.com', /absolute address/],
    ['HISAB_BASE_URL', 'https://pay.example.com/v 1', /absolute address/],
    ['HISAB_BASE_URL', 'http://pay.example.com/v1', /must begin with https/],
    ['HISAB_BASE_URL', 'http://127.0.0.1.example.com/v1', /must begin with https/],
    ['HISAB_BASE_URL', 'http://localhost.example.com', /must begin with https/],
    ['HISAB_BASE_URL', 'http://pay.localhost', /must begin with https/],
    ['HISAB_APPLY_URL', 'https://user:hunter2@pay.example.com', /HISAB_APPLY_URL must hold no user name/],
    ['HISAB_APPLY_URL', 'https://pay.example.com/v1?x=1', /no "\?"/],
    ['HISAB_LEGACY_URL', 'https://pay.example.com/v1', /HISAB_LEGACY_URL must be a host without a path/],
    ['HISAB_RETURN_URL', 'http://shop.example.com', /HISAB_RETURN_URL must begin with https/],
    ['HISAB_MERCHANT_ID', 'merchant-7', /HISAB_MERCHANT_ID is not a UUID/],
  ]
  test.each(rows)('%s=%s is refused', async (variable, value, message) => {
    const failure = await failureOf(load({env: {...liveEnvironment, [variable]: value}}))
    expect(failure.code).toBe('config_invalid')
    expect(failure.message).toMatch(message)
    expect(failure.message).not.toContain('hunter2')
  })

  test.each(['http://127.0.0.1:1/v1', 'http://127.9.9.9', 'http://[::1]:4010/v1', 'http://localhost:1'])(
    'http to this machine is fine: %s',
    async (url) => {
      const {profile} = await load({env: {...liveEnvironment, HISAB_BASE_URL: url}})
      expect(profile.baseUrl).toBe(url)
    },
  )

  test('in a file, the key and the file are named', async () => {
    const {message} = await failureOf(load({toml: liveToml.replace('https://pay', 'http://pay')}))
    expect(message).toMatch(/^profiles\.live\.base_url in .*config\.toml must begin with https/)
  })
})
