import {expect, test} from 'vitest'

import {messageOf, statesFailure} from '../../src/api/envelope.ts'
import {quote} from '../../src/api/quote.ts'
import {defaultDialect} from '../../src/core/dialect.ts'
import {parseJson} from '../../src/core/json.ts'
import {credentials} from './fixture.ts'

test.each([
  ['{"code":0,"data":{}}', false],
  ['{"code":0.0}', true],
  ['{"code":500}', true],
  ['{"code":"0"}', false],
  ['{"code":""}', false],
  ['{"code":"E1"}', true],
  ['{"success":false,"code":0}', true],
  ['{"success":true,"error":"INSUFFICIENT_BALANCE"}', false],
  ['{"error":"INSUFFICIENT_BALANCE"}', true],
  ['{"error":"INSUFFICIENT_BALANCE","data":{}}', false],
  ['{"code":null,"error":"INSUFFICIENT_BALANCE"}', false],
  ['{}', false],
  ['[]', false],
])('%s says no: %s', (text, isNo) => {
  expect(statesFailure(parseJson(text), defaultDialect)).toBe(isNo)
})

test.each([
  ['{"message":"no balance"}', 'no balance'],
  ['{"message":"","error":{"message":"no balance"}}', 'no balance'],
  ['{"message":7}', undefined],
  ['{}', undefined],
])('the service’s words in %s are %s', (text, words) => {
  expect(messageOf(defaultDialect, parseJson(text))).toBe(words)
})

const base64 = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/zYxWv'

test.each([
  ['a digest in hexadecimal', '0123456789abcdef0123456789abcdef'],
  ['the same in capitals', '0123456789ABCDEF0123456789ABCDEF'],
  ['base64 without padding', base64],
  ['base64 with one sign', `${base64}=`],
  ['base64 with two', `${base64.slice(0, -1)}==`],
  ['the secret', credentials.apiSecret],
  ['the key', credentials.apiKey],
])('%s is not quoted (P20)', (_what, echo) => {
  expect(quote(`got [${echo}]`, credentials)).toBe('got [***]')
})
