import {createHash, createHmac} from 'node:crypto'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {Failure} from '../../src/core/failure.ts'
import {diagnose} from '../../src/core/signing/diagnose/search.ts'
import {knownInputs} from '../../src/core/signing/discover/inputs.ts'
import {discover} from '../../src/core/signing/discover/search.ts'
import {readBody, writeSignedBody} from '../../src/core/signing/fields.ts'
import {decodeDigest} from '../../src/core/signing/given.ts'
import {
  recipeEncodings,
  recipeHashes,
  type SignatureRecipe,
  signByRecipe,
} from '../../src/core/signing/recipe.ts'
import {
  ambiguousNames,
  documentedRule,
  type SignableFields,
  signFields,
} from '../../src/core/signing/request.ts'
import {verifyRequest} from '../../src/core/signing/verdict.ts'
import {campaignMs, casesOf, check, seed} from './cases.ts'
import {corruptJson, jsonCorruptions} from './corrupt-json.ts'
import {hostileText} from './hostile-text.ts'
import {at, plainJson} from './json-grammar.ts'

/** The blanks around it are part of it. */
const secret = ' sandbox-secret-not-for-live-use '
const requests = casesOf()
const searches = casesOf(300)

const value = fc.oneof(
  {weight: 5, arbitrary: fc.stringMatching(/^[A-Za-z0-9 ._:/-]{0,12}$/)},
  hostileText.map((text) => text.toWellFormed()),
  fc.constantFrom('500.00', '01712345678', 'রহিমা', ' ', ''),
)
/** The fields of a deposit, with somebody's text in them, and now and then another field. */
const fields = fc
  .record({
    ...{
      merchantId: fc.constant('5a9db0c5-0000-4000-8000-000000000001'),
      orderNo: fc.stringMatching(/^D-[0-9]{1,6}$/),
    },
    ...{returnUrl: value, playerPhone: fc.constant('01712345678'), playerRef: value},
    isTest: fc.constantFrom(true, false, null),
    // Names that the order of code units and that of a language sort differently.
    others: fc.dictionary(fc.constantFrom('Amount', '_x', 'order_no', 'orderNO', 'এ', 'note'), value),
  })
  .map(({others, ...body}): SignableFields => ({...body, ...others}))
  .filter((body) => ambiguousNames(body).length === 0)

/** What a body says to JSON.parse: each field that is not null, in no order. Null for what is no flat object. */
function meaningOf(text: string): string | null {
  const json = plainJson(text)
  if (!json || json.hasDuplicates || typeof json.value !== 'object' || json.value === null) return null
  const {signature: _, ...said} = json.value as Record<string, unknown>
  const pairs = Object.entries(said).filter(([, one]) => one !== null)
  return JSON.stringify(pairs.map(([name, one]) => [name, json.numbers.get(name) ?? String(one)]).sort())
}

/** The signature (service §5.1) by other means: MD5 over the sorted pairs and the key. */
function md5Of(text: string): string {
  const pairs = (JSON.parse(meaningOf(text) ?? '[]') as [string, string][]).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  return createHash('md5')
    .update([...pairs.map((pair) => pair.join('=')), `key=${secret}`].join('&'))
    .digest('hex')
}

describe(`signatures of requests, ${requests} cases each, seed ${seed}`, () => {
  test('a request that was changed on its way never verifies, unless it says the same', {
    timeout: campaignMs,
  }, () => {
    let changed = 0
    const property = fc.property(fields, jsonCorruptions, (body, blows) => {
      const text = writeSignedBody(body, signFields(body, secret))
      const signature = String(at(JSON.parse(text), 'signature'))
      expect(signature).toBe(md5Of(text))
      const arrived = corruptJson(text, blows, [
        ['D-', 'd-'],
        ['5a9d', '5a9e'],
        [':true', ':"true"'],
        [':null', ':""'],
      ])
      try {
        const read = readBody(Buffer.from(arrived), 'the body')
        const {isValid, ambiguous} = verifyRequest(read, signature, secret)
        if (meaningOf(arrived) !== meaningOf(text)) changed += 1
        // Of another meaning only what is loudly flagged (P22).
        if (isValid && ambiguous.length === 0) expect(meaningOf(arrived)).toBe(meaningOf(text))
        if (meaningOf(arrived) === meaningOf(text)) expect(isValid).toBe(true)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        expect(['input_invalid', 'usage']).toContain(error.code)
      }
    })
    check(property, requests)
    expect(changed).toBeGreaterThan(requests / 20)
  })

  test('a header signature is the HMAC of its parts, and no changed part has the same', {
    timeout: campaignMs,
  }, () => {
    const part = fc.oneof(fc.constantFrom('1761234567', 'POST', '/api/v1/x', '{"a":1}', ''), hostileText)
    const input = fc
      .array(fc.constantFrom('{timestamp}', '{method}', '{path}', '{body}', '.', '\n', ':'), {
        minLength: 1,
        maxLength: 6,
      })
      .map((pieces) => pieces.join(''))
    const parts = fc.record({timestamp: part, method: part, path: part, body: part})
    const shape = {
      hash: fc.constantFrom(...recipeHashes),
      encoding: fc.constantFrom(...recipeEncodings),
      input,
    }
    const property = fc.property(parts, parts, fc.record(shape), (one, other, recipe) => {
      const fill = (from: typeof one) =>
        recipe.input.replace(/\{(\w+)\}/g, (_, name: keyof typeof one) => from[name])
      const whole: SignatureRecipe = {...recipe, key: 'api_secret', keyEncoding: 'utf8'}
      const sign = (from: typeof one) => signByRecipe(whole, from, {apiSecret: secret, apiKey: ''})
      const mac = createHmac(recipe.hash, secret).update(fill(one)).digest()
      expect(sign(one)).toBe(written[recipe.encoding](mac))
      const isSame = Buffer.from(fill(one)).equals(Buffer.from(fill(other)))
      expect(sign(one) === sign(other)).toBe(isSame)
    })
    check(property, requests)
  })
})

const written: Record<SignatureRecipe['encoding'], (mac: Buffer) => string> = {
  hex: (mac) => mac.toString('hex'),
  HEX: (mac) => mac.toString('hex').toUpperCase(),
  base64: (mac) => mac.toString('base64'),
  'base64-unpadded': (mac) => mac.toString('base64').replace(/=+$/, ''),
  base64url: (mac) => mac.toString('base64url'),
  'base64url-padded': (mac) => mac.toString('base64').replace(/\+/g, '-').replace(/\//g, '_'),
}

describe(`what explains a wrong signature, ${searches} cases each, seed ${seed}`, () => {
  test('a field that was forgotten, or added later, is named', {timeout: campaignMs}, () => {
    const name = fc.constantFrom('orderNo', 'returnUrl', 'playerRef', 'merchantId', 'playerPhone')
    const property = fc.property(fields, name, (body, forgotten) => {
      const {[forgotten]: _, ...signed} = body
      const given = signFields(signed, secret)
      const {cause, explanation} = diagnose({fields: body, given, secret, rule: documentedRule})
      expect(cause).not.toBe('none_found')
      expect(explanation).toContain(forgotten)
    })
    check(property, searches)
  })

  test('the recipe of a header is discovered, whatever was signed with it', {timeout: campaignMs}, () => {
    const shape = {
      hash: fc.constantFrom(...recipeHashes),
      encoding: fc.constantFrom(...recipeEncodings),
      input: fc.constantFrom(...knownInputs.filter((input) => !input.includes('{apiKey}'))),
    }
    const request = fc.record({
      timestamp: fc.integer({min: 1_600_000_000, max: 1_999_999_999}).map(String),
      method: fc.constantFrom('GET', 'POST'),
      path: fc.stringMatching(/^\/api\/v1\/[a-z]{1,8}$/),
      body: fc.json().map((text) => Buffer.from(text)),
      merchantId: fc.uuid(),
    })
    const keys = {apiSecret: secret, apiKey: ''}
    const property = fc.property(fc.record(shape), request, request, (recipe, captured, later) => {
      const whole: SignatureRecipe = {...recipe, key: 'api_secret', keyEncoding: 'utf8'}
      const capture = (parts: typeof captured) => ({
        parts,
        signature: signByRecipe(whole, parts, keys),
        host: null,
      })
      // The first that fits both captures signs a third like the right one.
      for (const {recipe: found} of discover([capture(captured), capture(later)], keys)) {
        if (!found) continue
        const third = {...later, timestamp: '1500000000', path: '/api/v1/third'}
        const [made, right] = [found, whole].map((one) => signByRecipe(one, third, keys))
        // Padded and unpadded, base64 and base64url: two signatures without + / - _ may fit either.
        const isTold = [captured, later].some((parts) => /[-+/_]/.test(capture(parts).signature))
        if (isTold) expect(made).toBe(right)
        else expect(decodeDigest(made ?? '')).toEqual(decodeDigest(right ?? ''))
        return
      }
      throw new Error(`not found: ${JSON.stringify(recipe)}`)
    })
    check(property, searches)
  })
})
