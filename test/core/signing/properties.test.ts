import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {JsonNumber, type JsonValue} from '../../../src/core/json.ts'
import {readBody, writeSignedBody} from '../../../src/core/signing/fields.ts'
import {
  ambiguousNames,
  canonicalize,
  type SignableFields,
  signFields,
} from '../../../src/core/signing/request.ts'
import {verifyRequest} from '../../../src/core/signing/verdict.ts'
import {casesOf, check, seed} from '../../fuzz/cases.ts'

const numRuns = casesOf()
const secret = 'sandbox-secret-not-for-live-use'

/** A small alphabet full of separators, so that collisions would be met if there were any. */
const text = fc.oneof(
  fc.string({unit: fc.constantFrom('a', 'b', '=', '&', 'k', 'ক', ' '), maxLength: 6}),
  fc.string({unit: 'grapheme', maxLength: 8}),
)
const name = fc
  .oneof(fc.constantFrom('a', 'b', 'key', 'orderNo', 'amount', 'playerRef', 'A', '_'), text)
  .filter((word) => !['__proto__', 'constructor', 'prototype', 'signature'].includes(word))
const number = fc
  .tuple(fc.integer({min: -99_999, max: 99_999}), fc.constantFrom('', '.0', '.00', '.5', 'e2'))
  .map(([whole, rest]) => new JsonNumber(`${whole}${rest}`))
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  {weight: 4, arbitrary: text},
  number,
  fc.boolean(),
  fc.constant(null),
)
const fields: fc.Arbitrary<SignableFields> = fc.dictionary(name, value, {maxKeys: 6, noNullPrototype: true})

/** What a body means to both sides: the text of each field that is signed. */
function meaning(body: SignableFields): string {
  const {included} = canonicalize(body)
  return JSON.stringify(
    included.map((word) => {
      const field = body[word]
      return [word, field instanceof JsonNumber ? field.source : String(field)]
    }),
  )
}

describe(`properties of the signature, ${numRuns} cases each, seed ${seed}`, () => {
  test('the order in which fields are sent does not matter', () => {
    check(
      fc.property(fields, fc.infiniteStream(fc.nat()), (body, picks) => {
        const shuffled = Object.entries(body)
          .map((entry) => ({entry, rank: picks.next().value}))
          .sort((a, b) => a.rank - b.rank)
          .map(({entry}) => entry)
        expect(signFields(Object.fromEntries(shuffled), secret)).toBe(signFields(body, secret))
      }),
    )
  })

  test('any change of one field breaks it', () => {
    check(
      fc.property(fields, name, value, (body, changed, to) => {
        const other = {...body, [changed]: to}
        fc.pre(ambiguousNames(body).length + ambiguousNames(other).length === 0)
        const isSame = meaning(other) === meaning(body)
        expect(signFields(other, secret) === signFields(body, secret)).toBe(isSame)
      }),
    )
  })

  test('distinct bodies that are not flagged never collide', () => {
    const seen = new Map<string, string>()
    check(
      fc.property(fields, (body) => {
        fc.pre(ambiguousNames(body).length === 0)
        const {text: canonical} = canonicalize(body)
        const before = seen.get(canonical)
        if (before === undefined) seen.set(canonical, meaning(body))
        else expect(meaning(body)).toBe(before)
      }),
    )
    // Small bodies repeat, so the map was really met twice and more.
    expect(seen.size).toBeLessThan(numRuns)
  })

  test('the signed body, read again, has the same signature and is judged right', () => {
    check(
      fc.property(fields, (body) => {
        const signature = signFields(body, secret)
        const read = readBody(Buffer.from(writeSignedBody(body, signature)), 'the body')
        expect(verifyRequest(read, signature, secret)).toMatchObject({isValid: true, expected: signature})
      }),
    )
  })

  test('another secret, or one other digit, is judged wrong', () => {
    check(
      fc.property(fields, fc.nat(31), fc.nat(14), (body, at, shift) => {
        const signature = signFields(body, secret)
        const digit = (Number.parseInt(signature[at] ?? '0', 16) + shift + 1) % 16
        const forged = signature.slice(0, at) + digit.toString(16) + signature.slice(at + 1)
        expect(verifyRequest(body, forged, secret).isValid).toBe(false)
        expect(verifyRequest(body, signature, `${secret}x`).isValid).toBe(false)
      }),
    )
  })
})
