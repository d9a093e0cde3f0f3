import {createHash, createHmac} from 'node:crypto'
import {describe, expect, test} from 'vitest'

import {type SigningCause, signingCauses} from '../../../src/core/signing/diagnose/cause.ts'
import {diagnose} from '../../../src/core/signing/diagnose/search.ts'
import {readBody} from '../../../src/core/signing/fields.ts'
import {documentedRule} from '../../../src/core/signing/request.ts'

const key = 'sandbox-secret-not-for-live-use'
const apiKey = 'sandbox-key-not-for-live-use'
const base64 = (text: string) => createHash('md5').update(text).digest('base64')
const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const sha = (name: string, text: string) => createHash(name).update(text).digest('hex')

function explain(body: string, given: string, merchantId?: string) {
  const fields = readBody(Buffer.from(body), 'the body')
  return diagnose({
    fields,
    given,
    secret: key,
    apiKey,
    rule: documentedRule,
    ...(merchantId ? {merchantId} : {}),
  })
}

/**
 * A body, and how somebody made its signature: the string is written out by hand, so that the table and the
 * code cannot share a mistake.
 */
const table: [cause: SigningCause, how: string, body: string, given: string][] = [
  ['digest_upper_case', 'upper case', '{"a":"1"}', md5(`a=1&key=${key}`).toUpperCase()],
  ['digest_base64', 'padded', '{"a":"1"}', base64(`a=1&key=${key}`)],
  ['digest_base64', 'unpadded', '{"a":"1"}', base64(`a=1&key=${key}`).replace('==', '')],
  ['nested_as_json', 'joined', '{"a":"1","tags":["b","c"]}', md5(`a=1&tags=b,c&key=${key}`)],
  ['nested_as_json', 'joined numbers', '{"n":[1,2.50]}', md5(`n=1, 2.50&key=${key}`)],
  ['nested_as_json', 'spread', '{"tags":["b","c"]}', md5(`tags[]=b&tags[]=c&key=${key}`)],
  ['nested_as_json', 'with indices', '{"tags":["b",3]}', md5(`tags[0]=b&tags[1]=3&key=${key}`)],
  ['values_json_escaped', 'slashes, as PHP', '{"u":"https://m/"}', md5(`u=https:\\/\\/m\\/&key=${key}`)],
  ['values_json_escaped', 'letters, as Python', '{"n":"র","z":"1"}', md5(`n=\\u09b0&z=1&key=${key}`)],
  ['values_json_escaped', 'both', '{"n":"র/"}', md5(`n=\\u09b0\\/&key=${key}`)],
  ['values_json_escaped', 'with quotes', '{"a":"1","b":"x"}', md5(`a="1"&b="x"&key=${key}`)],
  ['values_json_escaped', 'taken off', '{"n":"\\\\u09b0"}', md5(`n=র&key=${key}`)],
  ['joined_otherwise', 'no &', '{"a":"1","b":"2"}', md5(`a=1b=2&key=${key}`)],
  ['joined_otherwise', 'values alone', '{"a":"1","b":"2"}', md5(`12&key=${key}`)],
  ['joined_otherwise', 'values with &', '{"a":"x","b":"y"}', md5(`x&y&key=${key}`)],
  ['joined_otherwise', 'no =', '{"a":"1","b":"2"}', md5(`a1b2&key=${key}`)],
  ['api_key_as_secret', 'as it is', '{"a":"1"}', md5(`a=1&key=${apiKey}`)],
  ['api_key_as_secret', 'with a newline', '{"a":"1"}', md5(`a=1&key=${apiKey}\n`)],
  ['several', 'values and the bare key', '{"a":"1","b":"2"}', md5(`12${key}`)],
  ['null_included', 'as null', '{"a":"1","n":null}', md5(`a=1&n=null&key=${key}`)],
  ['null_included', 'as nothing', '{"a":"1","n":null}', md5(`a=1&n=&key=${key}`)],
  ['null_included', 'as Python writes it', '{"a":"1","n":null}', md5(`a=1&n=None&key=${key}`)],
  ['empty_dropped', 'the only empty one', '{"a":"1","e":""}', md5(`a=1&key=${key}`)],
  ['empty_dropped', 'one of two', '{"a":"1","e":"","f":""}', md5(`a=1&f=&key=${key}`)],
  ['zero_or_false_dropped', 'false', '{"amount":"1","isTest":false}', md5(`amount=1&key=${key}`)],
  ['zero_or_false_dropped', '0', '{"a":"1","z":0.00}', md5(`a=1&key=${key}`)],
  ['zero_or_false_dropped', 'the text 0, as PHP', '{"a":"1","z":"0"}', md5(`a=1&key=${key}`)],
  ['zero_or_false_dropped', 'not 0', '{"a":"1","e":"","f":false,"z":"0"}', md5(`a=1&z=0&key=${key}`)],
  ['zero_or_false_dropped', 'and empty', '{"a":"1","e":"","z":0}', md5(`a=1&key=${key}`)],
  ['signature_included', 'still empty', '{"a":"1"}', md5(`a=1&signature=&key=${key}`)],
  ['signature_included', 'an old one', '{"a":"1","signature":"old"}', md5(`a=1&signature=old&key=${key}`)],
  ['not_sorted', 'as sent', '{"b":"2","a":"1"}', md5(`b=2&a=1&key=${key}`)],
  ['not_sorted', 'descending', '{"a":"1","c":"3","b":"2"}', md5(`c=3&b=2&a=1&key=${key}`)],
  [
    'not_sorted',
    'as the document lists them',
    '{"playerPhone":"p","returnUrl":"u","merchantId":"m"}',
    md5(`merchantId=m&returnUrl=u&playerPhone=p&key=${key}`),
  ],
  ['sorted_ignoring_case', 'lower case', '{"b":"2","C":"3","a":"1"}', md5(`a=1&b=2&C=3&key=${key}`)],
  ['sorted_ignoring_case', 'lower case, _', '{"A_":"1","a1":"2","b":"3"}', md5(`a1=2&A_=1&b=3&key=${key}`)],
  ['sorted_ignoring_case', 'upper', '{"B_":"1","bC":"2","a":"3"}', md5(`a=3&bC=2&B_=1&key=${key}`)],
  ['sorted_ignoring_case', 'English', '{"_c":"3","A":"1","a":"2"}', md5(`_c=3&a=2&A=1&key=${key}`)],
  [
    'values_url_encoded',
    'components',
    '{"u":"https://m/?q=ক"}',
    md5(`u=https%3A%2F%2Fm%2F%3Fq%3D%E0%A6%95&key=${key}`),
  ],
  ['values_url_encoded', 'blank as +', '{"u":"a b","z":"c:d"}', md5(`u=a+b&z=c%3Ad&key=${key}`)],
  ['values_url_encoded', 'lower-case escapes', '{"u":"a/b"}', md5(`u=a%2fb&key=${key}`)],
  ['values_url_encoded', 'twice', '{"u":"a/b"}', md5(`u=a%252Fb&key=${key}`)],
  ['values_url_encoded', 'decoded', '{"u":"a%20b"}', md5(`u=a b&key=${key}`)],
  ['values_url_encoded', 'the whole string', '{"a":"1","b":"2"}', md5(`a%3D1%26b%3D2&key=${key}`)],
  ['values_trimmed', 'the end', '{"userName":" Rahim "}', md5(`userName= Rahim&key=${key}`)],
  ['values_trimmed', 'the beginning', '{"userName":" Rahim "}', md5(`userName=Rahim &key=${key}`)],
  ['values_trimmed', 'blanks within', '{"userName":"Rahim  Uddin"}', md5(`userName=Rahim Uddin&key=${key}`)],
  ['values_trimmed', 'both sides', '{"userName":" Rahim "}', md5(`userName=Rahim&key=${key}`)],
  [
    'values_trimmed',
    'a blank not sent',
    '{"userName":"Rahim","y":"2","z":"1"}',
    md5(`userName=Rahim &y=2&z=1&key=${key}`),
  ],
  [
    'values_trimmed',
    'a blank not sent before it',
    '{"userName":"Rahim","y":"2","z":"1"}',
    md5(`userName= Rahim&y=2&z=1&key=${key}`),
  ],
  ['boolean_rewritten', 'Python', '{"isTest":true}', md5(`isTest=True&key=${key}`)],
  ['boolean_rewritten', 'as 1', '{"isTest":true,"b":false}', md5(`b=0&isTest=1&key=${key}`)],
  ...[
    ['TRUE', 'FALSE'],
    ['1', ''],
    ['yes', 'no'],
    ['Y', 'N'],
    ['on', 'off'],
    ['true', ''],
  ].map(([yes, no]): (typeof table)[number] => [
    'boolean_rewritten',
    `as ${yes} and ${no || 'nothing'}`,
    '{"isTest":true,"b":false}',
    md5(`b=${no}&isTest=${yes}&key=${key}`),
  ]),
  ['boolean_rewritten', 'back from 1', '{"isTest":1}', md5(`isTest=true&key=${key}`)],
  ['number_rewritten', 'zeros lost', '{"amount":500.00}', md5(`amount=500&key=${key}`)],
  ['number_rewritten', 'zeros added', '{"amount":500}', md5(`amount=500.00&key=${key}`)],
  ['number_rewritten', 'a float', '{"amount":"500"}', md5(`amount=500.0&key=${key}`)],
  ['number_rewritten', 'paisa', '{"amount":"500.50"}', md5(`amount=50050&key=${key}`)],
  ['number_rewritten', 'thousands', '{"amount":"1500000.00"}', md5(`amount=1,500,000.00&key=${key}`)],
  ['number_rewritten', 'lakh', '{"amount":"1500000"}', md5(`amount=15,00,000.00&key=${key}`)],
  ['number_rewritten', 'Java', '{"amount":"10000000"}', md5(`amount=1.0E7&key=${key}`)],
  ['number_rewritten', 'exponent', '{"amount":5e2}', md5(`amount=500&key=${key}`)],
  ['number_rewritten', 'a spreadsheet', '{"account":"01712345678"}', md5(`account=1712345678&key=${key}`)],
  ['number_rewritten', '+880', '{"account":"01712345678"}', md5(`account=+8801712345678&key=${key}`)],
  [
    'number_rewritten',
    'a long number',
    '{"n":"12345678901234567890"}',
    md5(`n=12345678901234567000&key=${key}`),
  ],
  ['number_rewritten', 'one of two', '{"amount":"5.00","fee":"1.00"}', md5(`amount=5&fee=1.00&key=${key}`)],
  ['nested_as_json', 'compact', '{"a":"1","x":{"b":[1,2.0]}}', md5(`a=1&x={"b":[1,2.0]}&key=${key}`)],
  ['nested_as_json', 'Python', '{"a":"1","x":{"b":[1,2]}}', md5(`a=1&x={"b": [1, 2]}&key=${key}`)],
  ['nested_as_json', 'JavaScript', '{"a":"1","x":{}}', md5(`a=1&x=[object Object]&key=${key}`)],
  ['nested_as_json', 'PHP', '{"a":"1","x":[1]}', md5(`a=1&x=Array&key=${key}`)],
  ['nested_as_json', 'left out', '{"a":"1","x":[1]}', md5(`a=1&key=${key}`)],
  ['nested_as_json', 'in a string', '{"x":"{\\"b\\":1}"}', md5(`x={"b": 1}&key=${key}`)],
  ['key_missing', 'altogether', '{"a":"1"}', md5('a=1')],
  ['key_missing', 'only the secret', '{"a":"1"}', md5('a=1&key=')],
  ['key_without_name', 'bare', '{"a":"1"}', md5(`a=1${key}`)],
  ['key_without_name', 'after &', '{"a":"1"}', md5(`a=1&${key}`)],
  ['key_without_name', 'another name', '{"a":"1"}', md5(`a=1&secret=${key}`)],
  ['key_first', 'named', '{"a":"1"}', md5(`key=${key}&a=1`)],
  ['key_first', 'bare', '{"a":"1"}', md5(`${key}a=1`)],
  ['key_first', 'sorted in', '{"a":"1","z":"2"}', md5(`a=1&key=${key}&z=2`)],
  ['secret_whitespace', 'newline', '{"a":"1"}', md5(`a=1&key=${key}\n`)],
  ['secret_whitespace', 'quotes', '{"a":"1"}', md5(`a=1&key="${key}"`)],
  ['html_entity', '&not', '{"a":"1","notifyUrl":"u"}', md5(`a=1¬ifyUrl=u&key=${key}`)],
  ['html_entity', '&times', '{"a":"1","timestamp":"2"}', md5(`a=1×tamp=2&key=${key}`)],
  ['html_entity', '&amp;', '{"a":"1","b":"2"}', md5(`a=1&amp;b=2&amp;key=${key}`)],
  ['html_entity', 'a value', '{"n":"A & \\"B\\""}', md5(`n=A &amp; &quot;B&quot;&key=${key}`)],
  ['other_hash', 'SHA-1', '{"a":"1"}', sha('sha1', `a=1&key=${key}`)],
  ['other_hash', 'SHA-256', '{"a":"1"}', sha('sha256', `a=1&key=${key}`)],
  ['other_hash', 'SHA-512', '{"a":"1"}', sha('sha512', `a=1&key=${key}`)],
  ['other_hash', 'HMAC', '{"a":"1"}', createHmac('md5', key).update('a=1').digest('hex')],
  ['other_hash', 'twice', '{"a":"1"}', md5(md5(`a=1&key=${key}`))],
  ['extra_parameter', 'a web server’s', '{"a":"1","s":"/pay"}', md5(`a=1&key=${key}`)],
  ['extra_parameter', 'sign_type', '{"amount":"1"}', md5(`amount=1&sign_type=MD5&key=${key}`)],
  ['extra_parameter', 'isTest', '{"orderNo":"1"}', md5(`isTest=false&orderNo=1&key=${key}`)],
  ['missing_parameter', 'not signed', '{"amount":"1","playerRef":"u7"}', md5(`amount=1&key=${key}`)],
  ['missing_parameter', 'not sent', '{"orderNo":"1"}', md5(`merchantId=m-7&orderNo=1&key=${key}`)],
  ['several', 'number and bare key', '{"amount":500.00}', md5(`amount=500${key}`)],
  ['several', 'upper case, unsorted', '{"b":"2","a":"1"}', md5(`b=2&a=1&key=${key}`).toUpperCase()],
  ['none_found', 'another secret', '{"a":"1","b":"2"}', md5('a=1&b=2&key=of-somebody-else')],
]

describe('why a signature is wrong', () => {
  test.each(table)('%s: %s', (cause, _how, body, given) => {
    const diagnosis = explain(body, given, 'm-7')
    expect(diagnosis.cause).toBe(cause)
    expect(JSON.stringify(diagnosis)).not.toContain(key)
    expect(diagnosis.fix).not.toBe('')
  })

  test('every cause of the closed list is in the table', () => {
    expect(new Set(table.map(([cause]) => cause))).toEqual(new Set(signingCauses))
  })

  test('the string that reproduces the signature is the one that was signed, the key as ***', () => {
    for (const [cause, , body, given] of table) {
      const {canonical} = explain(body, given, 'm-7')
      expect(canonical === null).toBe(cause === 'none_found')
    }
    expect(explain('{"amount":500.00}', md5(`amount=500${key}`)).canonical).toBe('amount=500***')
    expect(explain('{"a":"1"}', md5(`a=1&key=${key}\n`)).canonical).toBe('a=1&key=***\n')
  })

  test('several lists its mistakes; a mistake in case counts as one of them', () => {
    expect(explain('{"amount":500.00}', md5(`amount=500${key}`)).causes).toEqual([
      'number_rewritten',
      'key_without_name',
    ])
    const upper = md5(`b=2&a=1&key=${key}`).toUpperCase()
    expect(explain('{"b":"2","a":"1"}', upper).causes).toEqual(['not_sorted', 'digest_upper_case'])
  })

  test('none_found says how much was tried, and a huge body ends the search early and honestly', () => {
    const {explanation: said, tried: all} = explain('{"a":"1"}', md5('x'))
    expect(said).toMatch(
      /^No known mistake .* Tried: 24 kinds of mistake, singly and in pairs, 9825 strings in all\.$/,
    )
    expect(all).toBe(9825)
    const long = explain(JSON.stringify({a: 'x'.repeat(100_001)}), md5('x'))
    expect([long.tried, long.explanation]).toEqual([0, expect.stringContaining('stopped at its bound')])
    const wide = JSON.stringify(Object.fromEntries(Array.from({length: 300}, (_, n) => [`f${n}`, `${n}.00`])))
    const {cause, explanation, tried} = explain(wide, md5('x'))
    expect(cause).toBe('none_found')
    expect(explanation).toContain('stopped at its bound')
    expect(tried).toBeLessThan(20_000)
  })

  test('a value that is the secret itself is masked', () => {
    const {canonical} = explain(`{"mchId":"${key}"}`, md5(`mchId=${key}`))
    expect(canonical).toBe('mchId=***')
  })
})
