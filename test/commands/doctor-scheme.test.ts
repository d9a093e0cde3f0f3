import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import {ServiceProbe} from '../../src/api/probe.ts'
import Doctor from '../../src/commands/doctor.ts'
import {defaultDialect} from '../../src/core/dialect.ts'
import {sandboxCredentials, sandboxMerchantId} from '../../src/core/profile.ts'
import {likelyRecipes} from '../../src/core/signing/discover/likely.ts'
import {type SignatureRecipe, signByRecipe} from '../../src/core/signing/recipe.ts'
import {startSandbox} from '../../src/sandbox/start.ts'
import {findLegacyScheme} from '../../src/workflows/doctor/find-legacy-scheme.ts'
import {type Answering, credentials, good, json, profileAt, serve, text} from '../api/fixture.ts'
import {modeOf, tempDir} from '../temp-dir.ts'
import {type Shell, shellAt} from './run-command.ts'

const flags = ['--find-legacy-scheme', '--rate', '1000', '--json'] as const
const refused = json({success: false, code: 'SIGNATURE_INVALID', message: 'The signature is wrong.'}, 401)

const paths = (seen: readonly {method: string; path: string}[]) => [
  ...new Set(seen.map(({method, path}) => `${method} ${path}`)),
]

/** A sandbox that speaks another recipe, and a machine whose file knows nothing of it. */
async function sandboxSigning(recipe: Partial<SignatureRecipe>): Promise<{shell: Shell; file: string}> {
  const legacySignature = {...defaultDialect.legacySignature, ...recipe}
  const sandbox = await startSandbox({port: 0, dataDir: null, dialect: {...defaultDialect, legacySignature}})
  const file = join(tempDir(), 'config.toml')
  writeFileSync(file, '# ours\n[profiles.live] # the shop\n', {mode: 0o600})
  const shell = shellAt(sandbox.url, {
    HISAB_CONFIG: file,
    HISAB_PROFILE: 'live',
    HISAB_MERCHANT_ID: sandboxMerchantId,
    HISAB_API_SECRET: sandboxCredentials.apiSecret,
    HISAB_API_KEY: sandboxCredentials.apiKey,
  })
  return {shell, file}
}

describe('the recipe is found on a live service', () => {
  test.each<[what: string, recipe: Partial<SignatureRecipe>]>([
    ['the profile’s own', {}],
    ['other separators and order', {input: '{method}\n{path}\n{timestamp}\n{bodySha256}'}],
    ['another encoding', {encoding: 'base64'}],
    ['another key', {key: 'api_key'}],
    ['another hash', {hash: 'sha512'}],
  ])('%s', async (_what, recipe) => {
    const {shell, file} = await sandboxSigning(recipe)
    const ran = await shell.run(Doctor, ...flags, '--yes')
    expect(ran.json()).toMatchObject({found: true, written: null})
    expect(ran.status).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('# ours\n[profiles.live] # the shop\n')
  })

  test('--write --yes puts it into the profile, and from then on it is the profile’s own', async () => {
    const {shell, file} = await sandboxSigning({input: '{method}:{path}:{timestamp}:{body}'})
    const first = await shell.run(Doctor, ...flags, '--yes', '--write')
    expect(first.json()).toMatchObject({found: true, isCurrent: false, written: file})
    const toml = readFileSync(file, 'utf8')
    expect(toml).toContain('# ours\n[profiles.live] # the shop\n')
    expect(toml).toContain('[profiles.live.legacy_signature]\ninput = "{method}:{path}:{timestamp}:{body}"')
    expect(modeOf(file)).toBe('600')
    expect((await shell.run(Doctor, ...flags, '--yes')).json()).toMatchObject({isCurrent: true})
  })

  test('none of those tried: 7, at most 20 tries, GET list of one record and nothing else', async () => {
    const {origin, seen} = await serve(refused)
    const ran = await shellAt(origin).run(Doctor, ...flags, '--yes')
    expect(ran.status).toBe(7)
    expect(seen).toHaveLength(20)
    expect(paths(seen)).toEqual(['GET /api/v1/merchant/webhooks?page=1&limit=1'])
    expect(new Set(seen.map(({headers}) => headers['x-signature'])).size).toBe(20)
    expect((ran.json().tried as unknown[]).length).toBe(20)
  })
})

describe('the control: a deliberately wrong signature', () => {
  test('is accepted, too: the service does not check, and nothing is found or written', async () => {
    const {origin, seen} = await serve(json(good.list))
    const ran = await shellAt(origin).run(Doctor, ...flags, '--yes', '--write')
    expect(ran.json()).toMatchObject({found: false, checksSignatures: false, toml: null, written: null})
    expect(ran.status).toBe(7)
    expect(new Set(seen.map(({headers}) => headers['x-signature'])).size).toBe(2)
  })

  test('gets no answer that tells: 8, and nothing is found', async () => {
    const {origin} = await serve((response, call, nth) =>
      (nth === 0 ? json(good.list) : json({message: 'busy'}, 503))(response, call, nth),
    )
    const ran = await shellAt(origin).run(Doctor, ...flags, '--yes')
    expect(ran.json()).toMatchObject({error: {code: 'incomplete'}})
    expect(ran.status).toBe(8)
  })
})

describe('one answer proves nothing: a service that answers by the call and not by the signature', () => {
  test.each<[what: string, accepts: (call: number) => boolean]>([
    ['accepts the first call alone', (call) => call === 1],
    ['accepts the second call alone', (call) => call === 2],
    ['accepts the third call alone', (call) => call === 3],
    ['accepts every second call', (call) => call % 2 === 1],
    ['accepts every second call, from the second on', (call) => call % 2 === 0],
    ['accepts every third call', (call) => call % 3 === 1],
    ['refuses every third call', (call) => call % 3 !== 0],
    ['refuses the second call alone', (call) => call !== 2],
    ['refuses the third call alone', (call) => call !== 3],
    ['accepts two calls, then nothing more', (call) => call < 3],
    ['accepts three calls, then nothing more', (call) => call < 4],
    ['accepts nothing, then everything', (call) => call > 2],
  ])('%s', async (_what, accepts) => {
    let calls = 0
    const {origin} = await serve((response, call, nth) => {
      calls += 1
      return (accepts(calls) ? json(good.list) : refused)(response, call, nth)
    })
    const ran = await shellAt(origin).run(Doctor, ...flags, '--yes', '--write', '--tries', '6')
    expect(ran.json()).not.toMatchObject({found: true})
    expect([7, 8]).toContain(ran.status)
  })
})

describe('the first sign of a lock-out ends it', () => {
  const later =
    (change: Answering): Answering =>
    (response, call, nth) =>
      (nth < 3 ? refused : change)(response, call, nth)

  test.each<[what: string, answer: Answering, tries: number, said: RegExp]>([
    ['429', later(text('', 429)), 3, /too many requests/],
    ['403', later(json({message: 'no'}, 403)), 3, /forbidden/],
    ['403 at once', json({message: 'no'}, 403), 1, /forbidden/],
    ['another body of a 401', later(json({success: false, message: 'Please wait.'}, 401)), 3, /another way/],
    [
      'another status',
      later(json({success: false, code: 'SIGNATURE_INVALID', message: 'The signature is wrong.'}, 400)),
      3,
      /another way/,
    ],
    ['a captcha', later(text('<form>', 401, {'content-type': 'text/html'})), 3, /a page instead of JSON/],
    [
      'a page in place of the list',
      text('<html>', 200, {'content-type': 'text/html'}),
      1,
      /a page instead of JSON/,
    ],
    ['attempts are counted', json({message: '4 attempts left'}, 401), 1, /attempts/],
    ['locked', later(json({message: 'Account locked'}, 401)), 3, /blocking/],
    ['Retry-After', json({message: 'no'}, 401, {'retry-after': '60'}), 1, /left alone/],
    ['the service is in trouble', later(json({message: 'no'}, 500)), 3, /another way|trouble/],
  ])('%s', async (_what, answer, tries, said) => {
    const {origin, seen} = await serve(answer)
    const ran = await shellAt(origin).run(Doctor, ...flags, '--yes')
    expect(ran.json()).toMatchObject({error: {code: 'incomplete', message: expect.stringMatching(said)}})
    expect({status: ran.status, tries: seen.length}).toEqual({status: 8, tries})
  })

  test.each<[what: string, answer: Answering, code: string, status: number]>([
    ['no legacy API', text('no', 404), 'legacy_unavailable', 5],
    ['the answer is lost', (response) => response.destroy(), 'service_busy', 8],
  ])('%s ends it too', async (_what, answer, code, status) => {
    const {origin, seen} = await serve(answer)
    const ran = await shellAt(origin).run(Doctor, ...flags, '--yes')
    expect(ran.json()).toMatchObject({error: {code}})
    expect({status: ran.status, tries: seen.length}).toEqual({status, tries: 1})
  })

  test('refusals that differ in time and id alone are the same refusal', async () => {
    const {origin, seen} = await serve((response, call, nth) =>
      json({message: 'no', at: new Date(nth * 1e6), trace: `${nth}f00dcafe12345678`}, 401)(
        response,
        call,
        nth,
      ),
    )
    expect((await shellAt(origin).run(Doctor, ...flags, '--yes')).status).toBe(7)
    expect(seen).toHaveLength(20)
  })
})

test('only a wholly valid list is success: a page of another shape is refused like any other', async () => {
  const {origin} = await serve(json({success: true, data: {data: []}}))
  const ran = await shellAt(origin).run(Doctor, ...flags, '--yes', '--tries', '2')
  expect(ran.json()).toMatchObject({found: false})
  expect(ran.status).toBe(7)
})

test('without a terminal and without --yes nothing is sent', async () => {
  const {origin, seen} = await serve(json(good.list))
  const ran = await shellAt(origin).run(Doctor, ...flags)
  expect(ran.json()).toMatchObject({error: {code: 'confirmation_needed'}})
  expect({status: ran.status, seen}).toEqual({status: 2, seen: []})
})

test('tries are spaced, and a stop is seen between two', async () => {
  const {origin, seen} = await serve(refused)
  const probe = new ServiceProbe(profileAt(origin), credentials, Date.now)
  const slept: number[] = []
  const stop = new AbortController()
  const sleep = async (ms: number) => {
    slept.push(ms)
    if (slept.length === 3) stop.abort()
  }
  const search = await findLegacyScheme(
    profileAt(origin),
    credentials,
    {triesMax: 99, spacingMs: 2_000},
    {probe, sleep, signal: stop.signal, onTry: () => {}},
  )
  await probe.close()
  expect(slept).toEqual([2_000, 2_000, 2_000])
  expect(seen).toHaveLength(3)
  expect(search.stopped).toMatchObject({code: 'interrupted'})
})

describe('which recipes are tried', () => {
  const parts = {
    timestamp: '1',
    method: 'GET',
    path: '/p',
    body: '',
    merchantId: 'm',
    apiKey: 'key-of-the-shop',
  }
  const keys = {apiSecret: '00112233445566778899aabbccddeeff', apiKey: 'key-of-the-shop'}
  const recipes = likelyRecipes(defaultDialect.legacySignature, parts, keys, 20)

  test('the profile’s own first, and no two that come to the same bytes', () => {
    expect(recipes[0]).toEqual(defaultDialect.legacySignature)
    expect(new Set(recipes.map((recipe) => signByRecipe(recipe, parts, keys))).size).toBe(20)
  })

  test('all cover the path (service §5.2)', () => {
    expect(recipes.filter(({input}) => !input.includes('{path}'))).toEqual([])
  })

  test('a hexadecimal secret is tried as bytes, another is not', () => {
    const encodings = (apiSecret: string) =>
      likelyRecipes(defaultDialect.legacySignature, parts, {...keys, apiSecret}, 20).map(
        ({keyEncoding}) => keyEncoding,
      )
    expect(encodings(keys.apiSecret)).toContain('hex')
    expect(new Set(encodings('a secret with blanks in it'))).toEqual(new Set(['utf8']))
  })
})
