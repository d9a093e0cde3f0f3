import {expect, test} from 'vitest'
import {defaultDialect} from '../../src/core/dialect.ts'
import {parseJson} from '../../src/core/json.ts'
import {parsePaisa} from '../../src/core/money.ts'
import {amountOfPayload} from '../../src/core/payload.ts'
import {maskPersonal, maskPhones, maskPhonesAnywhere} from '../../src/core/personal.ts'

const masked = (json: string) => JSON.stringify(maskPersonal(parseJson(json)))

test.each([
  ['{"playerPhone":"01712345678"}', '{"playerPhone":"017****5678"}'],
  ['{"playerPhone":"+৮৮০১৭১২৩৪৫৬৭৮"}', '{"playerPhone":"+৮৮****৫৬৭৮"}'],
  ['{"account":"+8801712345678"}', '{"account":"+88****5678"}'],
  [
    '{"note":"call 01712345678 or 01812345678, not 017123456789"}',
    '{"note":"call 017****5678 or 018****5678, not 017123456789"}',
  ],
  ['{"userName":"Rahim Uddin","status":"completed"}', '{"userName":"R****","status":"completed"}'],
  ['{"data":{"players":[{"name":"রহিম"}]}}', '{"data":{"players":[{"name":"র****"}]}}'],
  ['{"phone":8801712345678}', '{"phone":"880****5678"}'],
  ['{"amount":10.00,"big":12345678901234567890}', '{"amount":10.00,"big":12345678901234567890}'],
  [
    '{"orderNo":"01712345678","outOrderNo":"01712345678","merchant_order_id":"01712345678"}',
    '{"orderNo":"01712345678","outOrderNo":"01712345678","merchant_order_id":"01712345678"}',
  ],
  [
    String.raw`{"payload":"{\"userName\":\"Rahim\",\"amount\":10.00}"}`,
    String.raw`{"payload":"{\"userName\":\"R****\",\"amount\":10.00}"}`,
  ],
  ['{"payload":"{ not JSON 01712345678"}', '{"payload":"{ not JSON 017****5678"}'],
])('%s', (json, expected) => {
  expect(masked(json)).toBe(expected)
})

test('a number inside a longer one is masked where that is asked for', () => {
  expect(maskPhonesAnywhere('ref 9901712345678, tel:+8801712345678')).toBe(
    'ref 99017****5678, tel:+88017****5678',
  )
  expect(maskPhones('ref 9901712345678')).toBe('ref 9901712345678')
})

test('a page of HTML keeps everything but the number', () => {
  expect(maskPhones('<p>01712345678</p>')).toBe('<p>017****5678</p>')
})

test.each([
  ['{"amount":"1200.50"}', '1200.50'],
  ['{"amount":1200.50}', '1200.50'],
  [JSON.stringify('{"amount":"7.00"}'), '7.00'],
  ['{"amount":"1.234"}', null],
  ['{"amount":1e3}', null],
  ['{"total":"5.00"}', null],
  ['"no JSON"', null],
  ['null', null],
])('the amount of %s', (json, amount) => {
  expect(amountOfPayload(parseJson(json), defaultDialect)).toBe(amount === null ? null : parsePaisa(amount))
})
