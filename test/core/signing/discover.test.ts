import {createHash, createHmac} from 'node:crypto'
import {describe, expect, test} from 'vitest'
import {diagnoseRecipe} from '../../../src/core/signing/diagnose/recipe-search.ts'
import {candidateInputs} from '../../../src/core/signing/discover/inputs.ts'
import {likelyRecipes} from '../../../src/core/signing/discover/likely.ts'
import {discover, FastHmac, type ObservedRequest} from '../../../src/core/signing/discover/search.ts'
import {writeRecipeToml} from '../../../src/core/signing/discover/toml.ts'
import {
  type RecipeParts,
  recipeInput,
  type SignatureRecipe,
  signByRecipe,
} from '../../../src/core/signing/recipe.ts'

/** A secret that can be read in one way only keeps most searches short; the others name their keys. */
const plainKeys = {apiSecret: 'sandbox secret, not for live use', apiKey: ''}
const codedKeys = {apiSecret: 'c2FuZGJveC1zZWNyZXQ=', apiKey: '00ff17a9'}
const resend: RecipeParts = {
  timestamp: '1761234567',
  method: 'POST',
  path: '/api/v1/merchant/webhooks/9a1f/resend',
  body: Buffer.from('{"note":"আবার"}'),
  merchantId: '5a9db0c5-0000-4000-8000-000000000001',
}
const list: RecipeParts = {
  ...resend,
  timestamp: '1761234999',
  method: 'GET',
  path: '/api/v1/merchant/webhooks',
  body: '',
}

function search(requests: readonly [ObservedRequest, ...ObservedRequest[]], keys = plainKeys) {
  const found: SignatureRecipe[] = []
  const steps = discover(requests, keys)
  for (;;) {
    const {done, value} = steps.next()
    if (done) return {found, tried: value}
    if (value.recipe) found.push(value.recipe)
  }
}

const captured = (recipe: SignatureRecipe, parts: RecipeParts, keys = plainKeys): ObservedRequest => ({
  parts,
  signature: signByRecipe(recipe, parts, keys),
  host: 'legacy.example',
})

const common = {hash: 'sha256', encoding: 'hex', key: 'api_secret', keyEncoding: 'utf8'} as const

describe('the recipe of a captured request is found', () => {
  const recipes: [family: string, recipe: SignatureRecipe][] = [
    ['the default (A6)', {...common, input: '{timestamp}{method}{path}{body}'}],
    ['lines with a hash of the body', {...common, input: '{method}\n{path}\n{timestamp}\n{bodySha256}'}],
    ['Lalamove', {...common, input: '{timestamp}\r\n{method}\r\n{path}\r\n\r\n{body}'}],
    ['Stripe', {...common, input: '{timestamp}.{body}'}],
    ['Slack', {...common, input: 'v0:{timestamp}:{body}'}],
    ['GitHub, as SHA-1', {...common, input: '{body}', hash: 'sha1'}],
    [
      'SHA-512 in base64url',
      {...common, input: '{method}\n{path}\n{body}\n{timestamp}', hash: 'sha512', encoding: 'base64url'},
    ],
    ['unpadded base64', {...common, input: '{method}{path}{timestamp}', encoding: 'base64-unpadded'}],
    ['padded base64url', {...common, input: '{path}{timestamp}{body}', encoding: 'base64url-padded'}],
    ['MD5 in upper case', {...common, input: '{path}|{timestamp}', hash: 'md5', encoding: 'HEX'}],
    ['milliseconds', {...common, input: '{timestamp}000.{methodLower}.{path}'}],
    [
      'ISO time, short path, newline last',
      {...common, input: '{timestampIso}\n{pathAfterVersion}\n{body}\n'},
    ],
    ['MD5 of the body in base64', {...common, input: '{method}&{path}&{bodyMd5Base64}'}],
    ['a whole address', {...common, input: '{method}https://legacy.example{path}{timestamp}{body}'}],
  ]

  test.each(recipes)('%s', (_, recipe) => {
    const {found} = search([captured(recipe, resend)])
    expect(found).toContainEqual(recipe)
    for (const each of found)
      expect(recipeInput(each.input, resend)).toEqual(recipeInput(recipe.input, resend))
  })

  const coded: [family: string, recipe: SignatureRecipe][] = [
    [
      'Coinbase',
      {...common, input: '{timestamp}{method}{path}{body}', encoding: 'base64', keyEncoding: 'base64'},
    ],
    [
      'the API key, read as hexadecimal',
      {...common, input: '{merchantId}:{timestamp}:{body}', key: 'api_key', keyEncoding: 'hex'},
    ],
    ['merchant and API key inside', {...common, input: '{apiKey}|{merchantId}|{timestamp}|{bodySha256}'}],
  ]

  test.each(coded)('%s', (_, recipe) => {
    // A webhook has no method and no path, which keeps six forms of two keys within a second.
    const {method, path, ...hook} = resend
    const parts = recipe.input.includes('{path}') ? {...hook, method, path} : hook
    const request = captured(recipe, {...parts, apiKey: codedKeys.apiKey} as RecipeParts, codedKeys)
    expect(search([request], codedKeys).found).toContainEqual(recipe)
  })

  test('a call without a body fits several recipes; one with a body says which', () => {
    const recipe: SignatureRecipe = {...common, input: '{method}{path}{timestamp}{body}'}
    const alone = search([captured(recipe, list)]).found.map(({input}) => input)
    expect(alone).toContain('{method}{path}{timestamp}')
    expect(alone.length).toBeGreaterThan(3)
    const confirmed = search([captured(recipe, list), captured(recipe, resend)]).found
    expect(confirmed).toEqual([recipe])
  })

  test('the likeliest comes first: a fresh start finds the default at once', () => {
    const recipe: SignatureRecipe = {...common, input: '{timestamp}{method}{path}{body}'}
    expect(discover([captured(recipe, list)], plainKeys).next().value).toMatchObject({kind: 'match', recipe})
  })

  test('a signature under another secret is not found, after the whole search', () => {
    const other = {apiSecret: 'of-somebody-else', apiKey: 'no'}
    const request = {
      parts: list,
      signature: signByRecipe({...common, input: '{path}'}, list, other),
      host: null,
    }
    const {found, tried} = search([request])
    expect(found).toEqual([])
    expect(tried).toBeGreaterThan(50_000)
  })

  test('what is no digest is refused', () => {
    expect(() => search([{parts: list, signature: 'sha256=00', host: null}])).toThrow(/not a digest/)
  })
})

describe('the search’s own parts', () => {
  test('FastHmac is HMAC: every hash, keys shorter and longer than a block, growing messages', () => {
    for (const hash of ['md5', 'sha1', 'sha256', 'sha512'] as const) {
      for (const length of [1, 63, 64, 65, 128, 129, 300]) {
        const key = Buffer.alloc(length, 'käy')
        const fast = new FastHmac(hash, key)
        for (const size of [0, 1, 1000, 5000, 10]) {
          const message = Buffer.alloc(size, '\u00ffকa').toString('latin1')
          const right = createHmac(hash, key).update(message, 'latin1').digest('binary')
          expect(fast.sign(message)).toBe(right)
        }
      }
    }
  })

  test('every candidate is a recipe: its template comes to its message', () => {
    let count = 0
    for (const {template, message} of candidateInputs({...resend, apiKey: 'k'}, 'legacy.example')) {
      count += 1
      if (count % 97 === 0)
        expect(recipeInput(template, {...resend, apiKey: 'k'}).toString('latin1')).toBe(message)
    }
    expect(count).toBeGreaterThan(400_000)
  })

  test('TOML to paste, with newlines and quotes escaped', () => {
    const recipe: SignatureRecipe = {...common, input: '{method}\n"{path}"'}
    const place = {
      profile: 'my live',
      table: 'webhook_signature',
      header: 'X-Sig',
      timestampHeader: 'X-Ts',
    } as const
    expect(writeRecipeToml(recipe, place).split('\n')).toEqual([
      '[profiles."my live".webhook_signature]',
      'scheme = "hmac"',
      'header = "X-Sig"',
      'timestamp_header = "X-Ts"',
      'input = "{method}\\n\\"{path}\\""',
      'hash = "sha256"',
      'encoding = "hex"',
      'key = "api_secret"',
      'key_encoding = "utf8"',
      '',
    ])
  })
})

describe('recipes to try on a live service', () => {
  const first: SignatureRecipe = {...common, input: '{path}{timestamp}', hash: 'sha512'}
  const hexKeys = {apiSecret: '00ff17a900ff17a9', apiKey: 'c2FuZGJveC1zZWNyZXQ='}

  test('what the profile says, then the plain ones, and never two that come to one signature', () => {
    const [said, second, ...others] = likelyRecipes(first, resend, plainKeys, 40)
    expect(said).toEqual(first)
    expect(second).toMatchObject({hash: 'sha256', encoding: 'hex', key: 'api_secret', keyEncoding: 'utf8'})
    expect(others).toHaveLength(38)
    const signatures = [first, second ?? first, ...others].map((recipe) =>
      signByRecipe(recipe, resend, plainKeys),
    )
    expect(new Set(signatures).size).toBe(40)
    // Without a body the inputs with it come to those without.
    expect(likelyRecipes(first, list, plainKeys, 1_000).length).toBeLessThan(
      likelyRecipes(first, resend, plainKeys, 1_000).length,
    )
  })

  test.each<[what: string, keys: typeof plainKeys, expected: readonly string[]]>([
    ['a passphrase', plainKeys, ['utf8']],
    ['hexadecimal', hexKeys, ['hex', 'utf8']],
    ['base64', codedKeys, ['base64', 'utf8']],
  ])('a secret that is %s is read in the ways it can have been written', (_, keys, expected) => {
    const recipes = likelyRecipes({...common, input: '{path}'}, resend, keys, 1_000)
    const ofSecret = recipes.filter(({key}) => key === 'api_secret')
    expect([...new Set(ofSecret.map(({keyEncoding}) => keyEncoding))].sort()).toEqual(expected)
  })
})

test.each<
  [what: string, parts: RecipeParts, host: string | null, count: number, last: string, digest: string]
>([
  [
    'a call without a body',
    list,
    null,
    244_714,
    '{bodySha256};{merchantId};',
    'aaa9b30d3ffde6d960f074183cfd5681',
  ],
  [
    'a call with all parts',
    {...resend, apiKey: 'k'},
    'legacy.example',
    477_010,
    '{bodySha256};{apiKey};{merchantId};',
    '7a0d0826040cd57569fd400b2bf8679e',
  ],
])(
  '%s is put into text in every way, those seen in practice first',
  (_, parts, host, count, last, digest) => {
    const all = createHash('md5')
    const seen: string[] = []
    let made = 0
    for (const {template, message} of candidateInputs(parts, host)) {
      all.update(`${template}\0${message}\0`)
      seen[made === 0 ? 0 : 1] = template
      made += 1
    }
    expect([made, ...seen, all.digest('hex')]).toEqual([
      count,
      '{timestamp}{method}{path}{body}',
      last,
      digest,
    ])
  },
)

const hook: SignatureRecipe = {...common, input: '{timestamp}.{body}'}
const parts: RecipeParts = {
  timestamp: '1761234567',
  method: 'POST',
  path: '/hook',
  body: Buffer.from('{"a":1}\n'),
}
const keys = {apiSecret: 'secret', apiKey: ''}
const signedBy = (change: Partial<SignatureRecipe>, of: RecipeParts = parts, by = keys) =>
  signByRecipe({...hook, ...change}, of, by)

test.each<[what: string, signature: string, cause: string, detail: RegExp]>([
  ['in capitals', signedBy({}).toUpperCase(), 'digest_upper_case', /not in hex\.$/],
  ['in base64', signedBy({encoding: 'base64'}), 'digest_upper_case', /not in hex\.$/],
  [
    'with a newline after the secret',
    signedBy({}, parts, {...keys, apiSecret: 'secret\n'}),
    'secret_whitespace',
    /a newline after the secret/,
  ],
  ['with another hash', signedBy({hash: 'sha512'}), 'other_hash', /HMAC-sha512 instead of HMAC-sha256/],
  ['without the time', signedBy({input: '.{body}'}), 'missing_parameter', /\{timestamp\} was left out/],
  ['without the body', signedBy({input: '{timestamp}.'}), 'missing_parameter', /\{body\} was left out/],
  [
    'without the newline at its end',
    signedBy({}, {...parts, body: '{"a":1}'}),
    'values_trimmed',
    /without the newline at its end/,
  ],
  [
    'with a newline more',
    signedBy({}, {...parts, body: '{"a":1}\n\n'}),
    'values_trimmed',
    /with a newline at its end/,
  ],
  [
    'by somebody else',
    signedBy({}, parts, {...keys, apiSecret: 'other'}),
    'none_found',
    /Tried: 19 changes of the profile's recipe\.$/,
  ],
  ['by nobody', 'x', 'none_found', /Tried: 19 changes/],
])('a header signature made %s', (_, given, cause, detail) => {
  const diagnosis = diagnoseRecipe({recipe: hook, parts, keys, given})
  expect(diagnosis.cause).toBe(cause)
  expect(diagnosis.explanation).toMatch(detail)
  expect(diagnosis.causes).toEqual(cause === 'none_found' ? [] : [cause])
  if (cause === 'digest_upper_case') expect(diagnosis.fix).toBe('Write the digest in hex.')
})

test('a signed query is told, and a body of nothing has no newline to lose', () => {
  const recipe = {...hook, input: '{timestamp}{path}'}
  const given = signByRecipe(recipe, {...parts, path: '/hook?a=1'}, keys)
  const asked = {recipe, parts: {...parts, body: ''}, keys, given}
  expect(diagnoseRecipe({...asked, pathWithQuery: '/hook?a=1'})).toMatchObject({cause: 'extra_parameter'})
  expect(diagnoseRecipe(asked)).toMatchObject({cause: 'none_found', tried: 17})
})
