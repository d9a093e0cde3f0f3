import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'

import {diagnose} from '../../../src/core/signing/diagnose/search.ts'
import {type SignatureRecipe, signByRecipe} from '../../../src/core/signing/recipe.ts'
import {documentedRule, signFields} from '../../../src/core/signing/request.ts'

interface SortedVector {
  readonly source: string
  readonly rule: string
  readonly secret: string
  readonly params: Record<string, string>
  readonly signature: string
}

interface HmacVector {
  readonly source: string
  readonly input: string
  readonly hash: SignatureRecipe['hash']
  readonly encoding: SignatureRecipe['encoding']
  readonly key: string
  readonly key_encoding: SignatureRecipe['keyEncoding']
  readonly parts: Record<string, string>
  readonly signature: string
}

const sorted = readVectors<SortedVector>('md5-sorted')
const hmac = readVectors<HmacVector>('hmac')

describe('published signatures', () => {
  test('there are some of each kind', () => {
    expect(sorted.filter(({rule}) => rule === '5.1').length).toBeGreaterThanOrEqual(3)
    expect(sorted.filter(({rule}) => rule !== '5.1').length).toBeGreaterThanOrEqual(2)
    expect(hmac.length).toBeGreaterThanOrEqual(1)
  })

  test.each(sorted.filter(({rule}) => rule === '5.1'))('$source signs by service §5.1', (vector) => {
    expect(signFields(vector.params, vector.secret)).toBe(vector.signature)
  })

  test.each(sorted.filter(({rule}) => rule !== '5.1'))('$source is explained by $rule', (vector) => {
    const {params: fields, secret, signature: given, rule} = vector
    expect(signFields(fields, secret)).not.toBe(given)
    const diagnosis = diagnose({fields, secret, given, rule: documentedRule})
    expect(`diagnosis ${diagnosis.cause}`).toBe(rule)
    expect(diagnosis.canonical).not.toContain(secret)
  })

  test.each(hmac)(
    '$source signs by its recipe',
    ({input, hash, encoding, key, key_encoding, parts, signature}) => {
      const recipe = {input, hash, encoding, key: 'api_secret', keyEncoding: key_encoding} as const
      expect(signByRecipe(recipe, parts, {apiSecret: key, apiKey: ''})).toBe(signature)
    },
  )
})

function readVectors<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), 'utf8')) as T[]
}
