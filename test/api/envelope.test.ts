import {expect, test} from 'vitest'
import {describeAnswer, headerOf, redirectTarget, timestampOf} from '../../src/api/answer.ts'
import {answerShape} from '../../src/api/answer-shape.ts'
import {
  carriesOrder,
  codesOf,
  messageOf,
  namesAnother,
  readEnvelope,
  statesFailure,
} from '../../src/api/envelope.ts'
import {quote, quoteFirstLine, withoutEchoes} from '../../src/api/quote.ts'
import type {Answer} from '../../src/api/transport.ts'
import {defaultDialect} from '../../src/core/dialect.ts'
import {parseJson} from '../../src/core/json.ts'
import {credentials, merchantId} from './fixture.ts'

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
  ['{"error":"no such thing"}', false],
  ['{"message":"INSUFFICIENT_BALANCE"}', false],
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

const order = '"data":{"platformOrderNo":"PL"}'

test.each([
  ['{"code":0}', 'yes', 'has no "success"'],
  ['{"success":true}', 'has no "code"', 'yes'],
  ['{"success":"true"}', 'has no "code"', 'has no "success"'],
  ['{"success":false}', 'no', 'no'],
  ['{"code":7}', 'no', 'no'],
  ['{"code":7,"success":true}', 'no', 'says success and failure at once'],
  ['{"code":0,"success":false}', 'says success and failure at once', 'no'],
  [`{"code":7,${order}}`, 'says failure and yet carries an order', 'says failure and yet carries an order'],
  ['{"code":7,"data":{"platformOrderNo":7}}', 'no', 'no'],
  ['[]', 'is not a JSON object', 'is not a JSON object'],
  ['null', 'is not a JSON object', 'is not a JSON object'],
])('%s: of an order %s, of the legacy API %s', (text, orders, legacy) => {
  for (const [api, expected] of [
    ['orders', orders],
    ['legacy', legacy],
  ] as const) {
    const read = () => readEnvelope(api, parseJson(text), defaultDialect)
    if (expected.length < 4) expect(read()).toBe(expected)
    else expect(read).toThrow(expected)
  }
})

test.each([
  [`{${order}}`, true],
  ['{"data":{"platformOrderNo":null}}', false],
  ['{"data":"platformOrderNo"}', false],
  ['"data"', false],
])('%s carries an order: %s', (text, isOrder) => {
  expect(carriesOrder(parseJson(text))).toBe(isOrder)
})

test.each([
  [`{"merchantId":"${merchantId}","orderNo":"D-1"}`, false],
  ['{"merchantId":"another"}', true],
  ['{"merchant_id":"another"}', true],
  ['{"order_no":"D-2"}', true],
  ['{"ORDER-NO":"D-2"}', true],
  ['{"outOrderNo":12}', true],
  ['{"orderNo":""}', false],
  ['{"orderNo":null}', false],
  ['{"platformOrderNo":"D-2"}', false],
  ['[{"a":{"merchantOrderId":"D-2"}}]', true],
  ['[{"orderNo":"D-1"},{"orderNo":"D-2"}]', true],
  ['{"orderNo":{"orderNo":"D-2"}}', true],
  ['{"theirs":"D-2"}', true],
  ['"D-2"', false],
])('%s names another merchant or order: %s', (text, isOther) => {
  const {response} = defaultDialect
  const dialect = {...defaultDialect, response: {...response, orderNo: [...response.orderNo, 'theirs']}}
  expect(namesAnother(parseJson(text), merchantId, 'D-1', dialect)).toBe(isOther)
})

const long = 'A_'.padEnd(64, 'B')

test.each([
  ['{"code":17}', ['17']],
  ['{"code":"E1"}', ['E1']],
  ['{"code":"E 1"}', []],
  ['{"code":"E1","message":"ORDER_NOT_FOUND: D-1"}', ['ORDER_NOT_FOUND', 'E1']],
  ['{"message":"ORDER_NOT_FOUNDs"}', []],
  ['{"message":"see ORDER_NOT_FOUND"}', []],
  ['{"message":"ORDER"}', []],
  ['{"message":"order_not_found"}', []],
  ['{"error":{"code":"x.1-a"}}', ['x.1-a']],
  ['{"error":{"message":7}}', ['7']],
  [`{"message":"${long}"}`, [long]],
  [`{"message":"${long}B"}`, []],
  [`{"code":"${'a'.repeat(64)}"}`, ['a'.repeat(64)]],
  [`{"code":"${'a'.repeat(65)}"}`, []],
  ['{"code":true}', []],
  ['[]', []],
])('%s: the codes are %j', (text, codes) => {
  expect(codesOf(defaultDialect, parseJson(text))).toEqual(codes)
})

const answer = (headers: Answer['headers'], body = '', flaw: Answer['flaw'] = null): Answer => ({
  ...{kind: 'answer', status: 200, headers, flaw},
  body: Buffer.from(body),
})

test.each([
  [answer({}), 'HTTP 200, no content type, 0 bytes'],
  [answer({'content-type': 'text/html'}, 'abc'), 'HTTP 200, text/html, 3 bytes'],
  [answer({'content-type': ['a', 'b']}, 'abc', 'cut'), 'HTTP 200, a, b, 3 bytes read'],
  [answer({'content-type': 'x'.repeat(61)}), `HTTP 200, ${'x'.repeat(60)}… (61 characters), 0 bytes`],
])('an answer is told by its shape alone', (given, shape) => {
  expect(describeAnswer(given)).toBe(shape)
  expect(headerOf(given.headers, 'none')).toBe('')
})

test.each([
  ['https://evil.example/x?y', 'https://evil.example'],
  ['/other', 'https://pay.example'],
  ['javascript:alert(1)', 'javascript:'],
  ['http://', 'nowhere'],
  ['', 'https://pay.example'],
])('a redirect to %j leads to %s', (location, target) => {
  expect(redirectTarget(answer({location}), 'https://pay.example')).toBe(target)
})

test.each([
  ['{"meta":{"timestamp":"t"}}', 't'],
  ['{"meta":{"timestamp":7}}', undefined],
  ['{"meta":"timestamp"}', undefined],
  ['[]', undefined],
])('the time of %s is %s', (text, time) => {
  expect(timestampOf(parseJson(text))).toBe(time)
})

test.each<[what: string, one: Answer, other: Answer, isOne: boolean]>([
  ['another time and length of blanks', answer({}, 'at 10:15  ok'), answer({}, ' at 9:7 ok '), true],
  ['another id', answer({}, 'id 0a1b2c3d-4e5f'), answer({}, 'id ffffffff'), true],
  ['seven digits, which may be a word', answer({}, 'id facadea'), answer({}, 'id facadeb'), false],
  ['another number', answer({}, 'no D-1'), answer({}, 'no D-2'), true],
  ['what was asked, said again', answer({}, 'no word here'), answer({}, 'no here'), true],
  [
    'another charset',
    answer({'content-type': 'Text/html; a'}),
    answer({'content-type': 'text/html ;b'}),
    true,
  ],
  ['another type', answer({'content-type': 'text/html'}), answer({'content-type': 'text/plain'}), false],
  ['another status', answer({}), {...answer({}), status: 404}, false],
  ['another text', answer({}, 'yes'), answer({}, 'no'), false],
  [
    'a text that differs late',
    answer({}, `${'x'.repeat(65_536)}a`),
    answer({}, `${'x'.repeat(65_536)}b`),
    true,
  ],
  [
    'a text that differs in time',
    answer({}, `${'x'.repeat(65_535)}a`),
    answer({}, `${'x'.repeat(65_535)}b`),
    false,
  ],
])('two answers are of one hand: %s', (_, one, other, isOne) => {
  const shapes = [one, other].map((each) => answerShape(each, ['', 'word ']))
  expect(shapes[0] === shapes[1]).toBe(isOne)
})

test.each([
  [undefined, null],
  [null, null],
  ['', null],
  [' \r\n  Bad Gateway \nmore', 'Bad Gateway'],
  ['<html>\n<title>Down</title>', 'Down'],
  ['a < b', 'a < b'],
  [{error: 'no'}, '{"error":"no"}'],
  ['a '.repeat(65), `${'a '.repeat(60)}… (129 characters)`],
  [`${'\n'.repeat(10_000)}late`, null],
  [`${'\n'.repeat(9_999)}x`, 'x'],
  ['call 01712345678', 'call 017****5678'],
])('the first line of what a server answered is told (%#)', (body, line) => {
  expect(quoteFirstLine(body, credentials)).toBe(line)
})

test.each([
  ['a documented field', 'orderNo', 'secret "one"', true],
  ['another field', 'more', 'harmless', true],
  ['another field with what was sent', 'more', 'x secret "one" x', false],
  ['a field named by what was sent', 'secret "one"', '', false],
  ['a field that looks like it', 'more', 'abc', false],
])('%s of an answer is shown: %s', (_, name, value, isShown) => {
  const shown = withoutEchoes({[name]: value}, ['orderNo'], ['', 'secret "one"', /abc/])
  expect(Object.keys(shown)).toEqual(isShown ? [name] : [])
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
  ['a digest of 40 signs', base64.slice(0, 40)],
])('%s is not quoted (P20)', (_what, echo) => {
  expect(quote(`got [${echo}]`, credentials)).toBe('got [***]')
})

test('a word of 39 signs or 31 hexadecimal digits is quoted, up to 200 letters, without a secret as with one', () => {
  const words = `${base64.slice(0, 39)} ${'0'.repeat(31)}`
  expect(quote(words, {...credentials, apiKey: ''})).toBe(words)
  expect(quote('a '.repeat(101), credentials)).toBe(`${'a '.repeat(100)}… (202 characters)`)
})
