import {existsSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {z} from 'zod'

import ConfigInit from '../../src/commands/config/init.ts'
import ConfigPath from '../../src/commands/config/path.ts'
import ConfigSet from '../../src/commands/config/set.ts'
import ConfigShow from '../../src/commands/config/show.ts'
import {configSchema} from '../../src/config/schema.ts'
import {credentials, merchantId} from '../api/fixture.ts'
import {modeOf, tempDir} from '../temp-dir.ts'
import {shellAt} from './run-command.ts'

const undefinedText = undefined as unknown as string

/** A machine with nothing in its environment but the name of a configuration file. */
function machine(toml: string | null, env: Record<string, string> = {}) {
  const path = join(tempDir(), 'conf', 'config.toml')
  const none = {
    ...{HISAB_MERCHANT_ID: '', HISAB_BASE_URL: '', HISAB_APPLY_URL: '', HISAB_LEGACY_URL: ''},
    ...{HISAB_RETURN_URL: '', HISAB_API_SECRET: undefinedText, HISAB_API_KEY: undefinedText},
  }
  const named = toml === null ? path : join(tempDir(), 'config.toml')
  if (toml !== null) writeFileSync(named, toml, {mode: 0o600})
  const shell = shellAt('http://127.0.0.1:9', {...none, HISAB_CONFIG: named, ...env})
  return {shell, path: named, read: () => readFileSync(named, 'utf8')}
}

const live = `# the shop
default_profile = "live"

[profiles.live]
base_url = "https://pay.example/v1" # deposits
`

describe('config set', () => {
  test.each<[words: string[], line: string]>([
    [['base_url', 'https://new.example/v1'], 'base_url = "https://new.example/v1" # deposits'],
    [['apply_url', 'https://apply.example/v1'], 'apply_url = "https://apply.example/v1"'],
    [['profiles.live.apply_url', 'https://a.example/v1'], 'apply_url = "https://a.example/v1"'],
    [['status.completed', 'completed', 'PAID'], 'completed = ["completed", "PAID"]'],
    [['status.open', '[]'], 'open = []'],
    [['not_found.http', '404', '410'], 'http = [404, 410]'],
    [['response.order_no', 'no'], 'order_no = "no"'],
    [['response.order_no', 'no', 'out'], 'order_no = ["no", "out"]'],
    [['legacy_signature.input', '{timestamp}\\n{path}'], 'input = "{timestamp}\\\\n{path}"'],
    [['ledger.columns.order_no', 'Order ID'], 'order_no = "Order ID"'],
    [['api_secret', 'env', 'SHOP_SECRET'], 'api_secret = { env = "SHOP_SECRET" }'],
    [['api_secret', 'file', '/run/secret'], 'api_secret = { file = "/run/secret" }'],
    [['api_key', 'command', 'pass', 'show', 'shop'], 'api_key = { command = ["pass", "show", "shop"] }'],
    [['default_profile', 'sandbox'], 'default_profile = "sandbox"'],
  ])('%j', async (words, line) => {
    const {shell, read, path} = machine(live)
    const ran = await shell.run(ConfigSet, '--json', ...words)
    expect(ran.json()).toMatchObject({path, changed: true})
    expect(ran.status).toBe(0)
    const lines = read().split('\n')
    expect(lines).toContain(line)
    for (const kept of live.split('\n').filter((text) => text.includes('#') && !line.includes('#'))) {
      expect(lines).toContain(kept)
    }
    expect(modeOf(path)).toBe('600')
  })

  test.each<[words: string[], said: RegExp]>([
    [['base_ur', 'x'], /did you mean "base_url"/],
    [['status.complete', 'x'], /did you mean "completed"/],
    [['profils.live.base_url', 'x'], /no setting "profils"/],
    [['status', 'x'], /is a table/],
    [['base_url.x', 'y'], /no setting "x"/],
    [['base_url'], /No value.*`hisab config set base_url https:\/\/\S+`/s],
    [['base_url', 'two', 'words'], /takes one value/],
    [['base_url', 'http://pay.example/v1'], /must begin with https.*exactly as the service gave it/s],
    [['return_url', 'http://shop.example/hook'], /must begin with https.*your own server: https/s],
    [['merchant_id', 'shop-7'], /not a UUID/],
    [['legacy_signature.hash', 'sha3'], /must be one of "md5", "sha1"/],
    [['legacy_signature.input', '{nonce}'], /no such part/],
    [['not_found.http', 'four'], /must be a number/],
    [['status.open', 'completed'], /is both under/],
    [['ledger.timezone', 'Dhaka'], /no time zone/],
    [['default_profile', 'lvie'], /no such profile/],
    [['"', 'x'], /is not a key/],
    [['base_url', 'https://a/v1', '--profile', 'lvie'], /no profile "lvie"/],
    [['__proto__', 'x'], /no setting/],
  ])('refuses %j and leaves the file as it was', async (words, said) => {
    const {shell, read} = machine(live)
    const ran = await shell.run(ConfigSet, '--json', ...words)
    const {error} = ran.json() as {error: {message: string; hint: string}}
    expect(`${error.message} ${error.hint}`).toMatch(said)
    expect(ran.status).toBe(2)
    expect(read()).toBe(live)
  })

  test.each([
    [['api_secret', credentials.apiSecret]],
    [['api_key', 'file']],
    [['api_key', 'text', credentials.apiKey]],
  ])('a secret is not taken from the command line, and not repeated: %#', async (words) => {
    const {shell, read} = machine(live)
    // The shell of these tests fails where a secret is printed.
    const ran = await shell.run(ConfigSet, '--json', ...words)
    expect(ran.json()).toMatchObject({
      error: {code: 'usage', message: expect.stringContaining('never the secret')},
    })
    expect(read()).toBe(live)
  })

  test('the same value again writes nothing', async () => {
    const {shell} = machine(live)
    const ran = await shell.run(ConfigSet, '--json', 'base_url', 'https://pay.example/v1')
    expect(ran.json()).toMatchObject({changed: false})
  })

  test('a link is followed: a configuration kept elsewhere stays there', async () => {
    const {path: target, read} = machine(live)
    const link = join(tempDir(), 'config.toml')
    symlinkSync(target, link)
    const {shell} = machine(null, {HISAB_CONFIG: link})
    expect((await shell.run(ConfigSet, 'apply_url', 'https://a.example/v1')).status).toBe(0)
    expect(read()).toContain('apply_url = "https://a.example/v1"')
  })

  test('a file that is wrong already is not built upon', async () => {
    const {shell, read} = machine('[profiles.live]\nbase_ur = "x"\n')
    const ran = await shell.run(ConfigSet, 'base_url', 'https://a.example/v1', '--profile', 'live', '--json')
    expect(ran.json()).toMatchObject({error: {message: expect.stringContaining('unknown key')}})
    expect(read()).toBe('[profiles.live]\nbase_ur = "x"\n')
  })
})

describe('config init without a terminal', () => {
  const all = [
    ...['--profile', 'live', '--merchant-id', merchantId, '--base-url', 'https://pay.example/v1/'],
    ...['--apply-url', 'https://apply.example/v1', '--api-secret-file', '/run/secret', '--default'],
  ]

  test('writes a profile that loads, 0600 in a 0700 folder', async () => {
    const {shell, path, read} = machine(null)
    const ran = await shell.run(ConfigInit, ...all, '--api-key-env', 'KEY', '--json')
    expect(ran.json()).toMatchObject({path, profile: 'live', secretFiles: []})
    expect(read()).toBe(`default_profile = "live"

[profiles.live]
merchant_id = "${merchantId}"
base_url = "https://pay.example/v1"
apply_url = "https://apply.example/v1"
api_secret = { file = "/run/secret" }
api_key = { env = "KEY" }
`)
    expect({file: modeOf(path), folder: modeOf(join(path, '..'))}).toEqual({file: '600', folder: '700'})
    expect((await shell.run(ConfigShow, '--json')).json()).toMatchObject({
      profile: 'live',
      chosenBy: 'profile',
    })
  })

  test('names every flag that is missing, and writes nothing', async () => {
    const {shell, path} = machine(null)
    const ran = await shell.run(ConfigInit, '--json', '--base-url', 'https://pay.example/v1')
    expect(ran.json()).toMatchObject({
      error: {
        code: 'usage',
        message: expect.stringMatching(
          /--profile, --merchant-id, --apply-url, --api-secret-file are missing/,
        ),
      },
    })
    expect({status: ran.status, isThere: existsSync(path)}).toEqual({status: 2, isThere: false})
  })

  test.each<[what: string, flags: string[], said: RegExp]>([
    ['a plain http address', ['--base-url', 'http://pay.example/v1'], /--base-url must begin with https/],
    ['no UUID', ['--merchant-id', 'shop'], /not a UUID/],
    ['a name with a blank', ['--profile', 'my shop'], /cannot name a profile/],
  ])('refuses %s', async (_what, flags, said) => {
    const {shell, path} = machine(null)
    const given = all.filter((word, at) => word !== flags[0] && all[at - 1] !== flags[0])
    const ran = await shell.run(ConfigInit, ...given, ...flags, '--json')
    expect(ran.json()).toMatchObject({error: {message: expect.stringMatching(said)}})
    expect({status: ran.status, isThere: existsSync(path)}).toEqual({status: 2, isThere: false})
  })

  test('never writes over a profile, and adds one beside others', async () => {
    const {shell, read} = machine(live)
    expect((await shell.run(ConfigInit, ...all)).stderr).toContain('does not overwrite a profile')
    const second = all
      .map((word) => (word === 'live' ? 'second' : word))
      .filter((word) => word !== '--default')
    expect((await shell.run(ConfigInit, ...second)).status).toBe(0)
    expect(read().startsWith(live)).toBe(true)
  })
})

describe('which profile is meant', () => {
  const one = `[profiles.shop]\nbase_url = "https://pay.example/v1"\n`

  test.each<[what: string, toml: string | null, said: object]>([
    ['the only one needs no name', one, {profile: 'shop'}],
    [
      'of two none is chosen',
      `${one}[profiles.second]\n`,
      {error: {message: expect.stringContaining('shop, second')}},
    ],
    ['the sandbox is never chosen unasked', '[profiles.sandbox]\n', {error: {code: 'credentials_missing'}}],
    [
      'without any, the wizard is named',
      null,
      {error: {hint: expect.stringContaining('`hisab config init`')}},
    ],
  ])('%s', async (_what, toml, said) => {
    const {shell} = toml === null ? machine('') : machine(toml)
    expect((await shell.run(ConfigShow, '--json')).json()).toMatchObject(said)
  })

  test('a mistyped flag gets the nearest one', async () => {
    const {shell} = machine(one)
    const ran = await shell.run(ConfigShow, '--proflie', 'shop', '--json')
    expect(ran.json()).toMatchObject({error: {hint: expect.stringContaining('Did you mean --profile?')}})
  })
})

describe('config show', () => {
  test('has every setting there is, each with its source', async () => {
    const {shell} = machine(live, {HISAB_MERCHANT_ID: merchantId})
    const {settings} = (await shell.run(ConfigShow, '--json')).json() as unknown as {
      settings: {key: string; from: string; where: string | null}[]
    }
    const sources = Object.fromEntries(settings.map(({key, from}) => [key, from]))
    expect(sources).toMatchObject({
      base_url: 'profile',
      merchant_id: 'environment',
      apply_url: 'unset',
      'status.open': 'default',
    })
    expect(Object.keys(sources).sort()).toEqual(leavesOf(configSchema, '').sort())
  })

  test('of a secret: where it is, and nothing else', async () => {
    const {shell} = machine(
      `${live}api_secret = { command = ["echo", "${credentials.apiSecret}"] }\napi_key = "${credentials.apiKey}"\n`,
    )
    const ran = await shell.run(ConfigShow)
    expect(ran.stdout).toMatch(/api_secret +profile +from the command echo\n/)
    expect(ran.stdout).toMatch(/api_key +profile +from config.toml, in plain text\n/)
  })

  test('--set leaves the defaults out', async () => {
    const {shell} = machine(live)
    const {settings} = (await shell.run(ConfigShow, '--set', '--json')).json() as {settings: {key: string}[]}
    expect(settings.map(({key}) => key)).toEqual(['base_url', 'legacy_url'].slice(0, 1))
  })
})

test('config path says where, and whether there is a file', async () => {
  const {shell, path} = machine(live)
  expect((await shell.run(ConfigPath)).stdout).toBe(`${path}\n`)
  expect((await shell.run(ConfigPath, '--json')).json()).toEqual({path, exists: true})
})

/** The keys of a profile's shape. */
function leavesOf(schema: unknown, path: string): string[] {
  if (schema instanceof z.ZodOptional) return leavesOf(schema.unwrap(), path)
  if (schema instanceof z.ZodRecord) return leavesOf(schema.valueType, '')
  if (!(schema instanceof z.ZodObject)) return path === 'default_profile' ? [] : [path]
  return Object.entries(schema.shape).flatMap(([key, inner]) =>
    leavesOf(inner, path === '' || path === 'profiles' ? key : `${path}.${key}`),
  )
}

test('without HISAB_CONFIG a test writes below a folder of its own, never in a home', async () => {
  const shell = shellAt('http://127.0.0.1:9')
  const ran = await shell.run(ConfigPath, '--json')
  expect(ran.json()).toEqual({path: join(dirname(shell.dataDir), 'hisab', 'config.toml'), exists: false})
})
