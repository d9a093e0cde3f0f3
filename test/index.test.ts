import {readdirSync, readFileSync} from 'node:fs'
import {expect, test} from 'vitest'

import {Failure, sign, verify} from '../src/index.ts'

const secret = 'sandbox-secret-not-for-live-use'
const fields = {orderNo: 'D-1', amount: '500.00', isTest: true, note: null, count: 3}
const body = JSON.stringify({...fields, signature: sign(fields, secret)})

test('what sign makes, verify accepts, and gives back the text of each signed field', () => {
  const expected = {isValid: true, fields: {orderNo: 'D-1', amount: '500.00', isTest: 'true', count: '3'}}
  expect(verify(body, secret)).toEqual(expected)
  expect(verify(Buffer.from(body), secret)).toEqual(expected)
  const {signature, ...unsigned} = JSON.parse(body) as Record<string, string>
  expect(verify(JSON.stringify(unsigned), secret, {signature: signature ?? ''})).toEqual(expected)
})

test.each([
  ['malformed', '{"a":1'],
  ['malformed', '[]'],
  ['malformed', '{"a":{"b":1}}'],
  ['malformed', '{"a":1,"a":2}'],
  ['unsigned', '{"a":1}'],
  ['unsigned', '{"a":1,"signature":1}'],
  ['mismatch', '{"a":1,"signature":""}'],
  ['mismatch', body.replace('500.00', '900.00')],
  [
    'mismatch',
    body.replace(/"signature":"(.*?)"/, (text) => text.toUpperCase().replace('SIGNATURE', 'signature')),
  ],
])('%s: %s', (reason, text) => {
  expect(verify(text, secret)).toEqual({isValid: false, reason})
})

test('a value that reads as further fields is refused unless it is allowed (P22)', () => {
  const forged = {playerRef: 'u7&status=completed'}
  const text = JSON.stringify({...forged, signature: sign(forged, secret)})
  expect(verify(text, secret)).toEqual({isValid: false, reason: 'ambiguous'})
  expect(verify(text, secret, {allowAmbiguous: true})).toEqual({isValid: true, fields: forged})
})

test('a blank secret and a number without a certain text are refused', () => {
  for (const blank of ['', ' ', '\n']) {
    expect(() => sign({a: '1'}, blank)).toThrow(Failure)
    expect(() => verify(body, blank)).toThrow(Failure)
  }
  for (const amount of [0.1, Number.NaN, 2 ** 60]) expect(() => sign({amount}, secret)).toThrow(/not certain/)
})

test('the library and the signing core do no input or output: only hashing is imported from Node', () => {
  const root = new URL('../src/', import.meta.url)
  const files = readdirSync(new URL('core/signing', root), {recursive: true, encoding: 'utf8'})
  const sources = [
    'index.ts',
    ...files.filter((path) => path.endsWith('.ts')).map((path) => `core/signing/${path}`),
  ]
  expect(sources.length).toBeGreaterThan(20)
  for (const path of sources) {
    const text = readFileSync(new URL(path, root), 'utf8')
    const imported = [...text.matchAll(/from '([^.'][^']*)'/g)].map(([, name]) => name)
    expect([path, imported.filter((name) => name !== 'node:crypto')]).toEqual([path, []])
    expect(text).not.toMatch(/Date\.now|process\.|new Date\(\)|Math\.random|performance/)
  }
})
