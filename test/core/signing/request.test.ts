import {describe, expect, test} from 'vitest'
import {defaultDialect} from '../../../src/core/dialect.ts'
import {JsonNumber} from '../../../src/core/json.ts'
import {explainSignature} from '../../../src/core/signing/explanation.ts'
import {signByRecipe} from '../../../src/core/signing/recipe.ts'
import {
  ambiguousNames,
  canonicalize,
  documentedRule,
  type SignableFields,
  signFields,
} from '../../../src/core/signing/request.ts'
import {needsApiKey, signLegacy, signWebhook} from '../../../src/core/signing/signed-request.ts'

const money = (source: string) => new JsonNumber(source)

describe('the signed text (service §5.1)', () => {
  const table: [what: string, fields: SignableFields, text: string][] = [
    ['sorted by name', {b: '2', a: '1'}, 'a=1&b=2'],
    ['A before _ before a', {a: '3', _: '2', A: '1'}, 'A=1&_=2&a=3'],
    ['prefix before longer', {orderNo: '2', order: '1'}, 'order=1&orderNo=2'],
    ['numeric names as text', {10: 'b', 9: 'c', 1: 'a'}, '1=a&10=b&9=c'],
    ['null and undefined left out', {a: '1', b: null, c: undefined}, 'a=1'],
    ['signature left out', {a: '1', signature: 'x'}, 'a=1'],
    ['Signature is another name', {a: '1', Signature: 'x'}, 'Signature=x&a=1'],
    ['empty strings signed', {a: '', b: '1'}, 'a=&b=1'],
    ['booleans as words', {a: true, b: false}, 'a=true&b=false'],
    ['numbers by their source', {a: money('10.00'), b: money('1e3'), c: money('-0')}, 'a=10.00&b=1e3&c=-0'],
    ['values as they are', {a: ' x ', b: 'a+b c%20'}, 'a= x &b=a+b c%20'],
    ['beyond ASCII', {userName: 'রহিম', account: '🙂'}, 'account=🙂&userName=রহিম'],
    ['nothing at all', {}, ''],
  ]
  test.each(table)('%s', (_, fields, text) => {
    expect(canonicalize(fields).text).toBe(text)
  })

  test('an object, an array and half a surrogate pair are refused, with the name made visible', () => {
    for (const value of [{b: '1'}, ['1'], '\ud800']) {
      expect(() => signFields({'a\u202e': value}, 'secret-1')).toThrow(/"a\\u\{202e\}"/)
    }
  })

  test.each(['', ' ', '\n', '\u00a0\t'])('a secret of blanks (%j) signs nothing', (secret) => {
    expect(() => signFields({a: '1'}, secret)).toThrow(/API secret is (empty|only blanks)/)
  })

  test('the blanks around a secret are part of it', () => {
    // printf 'a=1&key= s3cret ' | md5sum
    expect(signFields({a: '1'}, ' s3cret ')).toBe('1c6bcf3aefc6600bd722e8c4f054cb07')
  })

  test('with the profile’s other rules: empties dropped, case ignored and the order sent of no account', () => {
    const rule = {emptyStrings: 'dropped', sort: 'ignore_case'} as const
    expect(canonicalize({b: '2', B: '1', a: '', _: '0'}, rule)).toEqual({
      text: '_=0&B=1&b=2',
      included: ['_', 'B', 'b'],
      dropped: [{name: 'a', reason: 'empty'}],
    })
    expect(canonicalize({B: '1', b: '2'}, rule).text).toBe(canonicalize({b: '2', B: '1'}, rule).text)
    expect(documentedRule).toEqual({emptyStrings: 'signed', sort: 'code_unit'})
  })
})

describe('values that read as other fields (P22)', () => {
  const table: [what: string, fields: SignableFields, names: string[]][] = [
    ['a pair inside a value', {playerRef: 'u7&status=completed'}, ['playerRef']],
    ['an address with a query of two', {returnUrl: 'https://m.example/?a=1&b=2'}, ['returnUrl']],
    ['an address with a query of one', {returnUrl: 'https://m.example/?a=1'}, []],
    ['an & that starts no pair', {userName: 'Rahim & Sons'}, []],
    ['a name with &', {'a&b': '1'}, ['a&b']],
    ['a name with =', {'a=b': '1'}, ['a=b']],
  ]
  test.each(table)('%s', (_, fields, names) => {
    expect(ambiguousNames(fields)).toEqual(names)
  })

  test('such a value does sign like two fields: that is why it is flagged', () => {
    const one = signFields({playerRef: 'u7&status=completed'}, 'secret-1')
    expect(signFields({playerRef: 'u7', status: 'completed'}, 'secret-1')).toBe(one)
  })
})

const dialect = defaultDialect
const keys = {apiSecret: 'secret', apiKey: 'key'}
const call = {timestamp: '1761234567', method: 'POST', path: '/p', body: Buffer.from('{}')}
const parts = {...call, merchantId: 'm-7', apiKey: 'key'}

test.each([
  ['{}', true, [{name: 'query', reason: 'query'}], {'Content-Type': 'application/json'}],
  ['', false, [], {}],
])('a call of the legacy API with the body %j, and a query: %s', (body, hasQuery, dropped, more) => {
  const request = {...call, body: Buffer.from(body)}
  const signature = signByRecipe(dialect.legacySignature, {...parts, body: request.body}, keys)
  expect(signLegacy(request, hasQuery, {merchantId: 'm-7', dialect}, keys)).toEqual({
    ...{scheme: 'legacy', signature, canonical: `1761234567POST/p${body}`, dropped, body},
    included: ['timestamp', 'method', 'path', 'body'],
    headers: {
      ...{'X-Merchant-Id': 'm-7', 'X-API-Key': '***', 'X-Timestamp': '1761234567', 'X-Signature': signature},
      ...more,
    },
  })
})

test.each([
  ['{timestamp}.{body}', '1761234567.{}', {'X-Timestamp': '1761234567'}, false],
  ['{timestampIso}.{body}', '2025-10-23T15:49:27Z.{}', {'X-Timestamp': '1761234567'}, false],
  ['{apiKey}{body}', '***{}', {}, true],
])('a webhook that is signed over %s', (input, canonical, headers, asksKey) => {
  const recipe = {...dialect.webhookSignature.recipe, input}
  const profile = {
    merchantId: 'm-7',
    dialect: {...dialect, webhookSignature: {...dialect.webhookSignature, recipe}},
  }
  const signature = signByRecipe(recipe, parts, keys)
  const signed = signWebhook(call, profile, keys)
  expect(signed).toMatchObject({scheme: 'webhook', signature, canonical, dropped: [], body: '{}'})
  expect(signed.headers).toEqual({'Content-Type': 'application/json', ...headers, 'X-Signature': signature})
  expect([needsApiKey(recipe), needsApiKey({...recipe, input: '{body}', key: 'api_key'})]).toEqual([
    asksKey,
    true,
  ])
})

test('a signature is explained step by step, with what was left out and the bytes of letters', () => {
  const fields = {b: 'ক', a: '1', n: null, signature: 'old', e: ''}
  const drops = {...documentedRule, emptyStrings: 'dropped'} as const
  expect(explainSignature(fields, 'secret', drops)).toEqual({
    leftOut: [
      {name: 'n', why: 'its value is null'},
      {name: 'signature', why: 'it carries the result and is never signed'},
      {name: 'e', why: 'its value is empty, and the profile drops empty values'},
    ],
    sorted: ['a', 'b'],
    joined: 'a=1&b=ক',
    canonical: 'a=1&b=ক&key=***',
    bytes: [{text: 'ক', hex: 'e0 a6 95'}],
  })
  expect(explainSignature({a: ''}, 'secret')).toMatchObject({leftOut: [], sorted: ['a'], bytes: []})
})
