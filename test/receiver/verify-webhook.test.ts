import {describe, expect, test} from 'vitest'
import {requireUsable} from '../../src/receiver/rules.ts'
import {type RefusalReason, refuseStale, verifyWebhook} from '../../src/receiver/verify-webhook.ts'
import {whyNot} from '../../src/receiver/why-not.ts'
import {demoAccount, md5Signature, signed} from '../sandbox/acting-merchant.ts'
import {hmacHeaders, hmacRules, paid, sortedRules, webhookBody} from './fixture.ts'

const wire = (body: string | Uint8Array, headers: Record<string, string> = {}) => ({
  headers,
  path: '/webhook',
  body: Buffer.from(body),
})

describe('a signature in the body (A8 md5-sorted)', () => {
  test('a genuine one is read by its fields, and the signature is not among them', () => {
    expect(verifyWebhook(wire(webhookBody()), sortedRules)).toEqual({
      kind: 'genuine',
      webhook: {
        orderId: 'PF-1',
        event: 'order.completed',
        orderNo: 'D-1',
        status: 'completed',
        amount: '500.00',
        playerRef: 'player-7',
        content: JSON.stringify({merchantId: demoAccount.merchantId, ...paid}),
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      undocumented: [],
    })
  })

  test('the ID of the merchant is the same in capitals', () => {
    const body = webhookBody({merchantId: demoAccount.merchantId.toUpperCase()})
    expect(verifyWebhook(wire(body), sortedRules)).toMatchObject({kind: 'genuine'})
  })

  test('a value that was split into two fields shows by the name of the second (P22)', () => {
    const {signature} = signed({...paid, playerRef: 'victim&r=1'})
    const split = JSON.stringify({
      merchantId: demoAccount.merchantId,
      ...paid,
      playerRef: 'victim',
      r: '1',
      signature,
    })
    expect(verifyWebhook(wire(split), sortedRules)).toMatchObject({kind: 'genuine', undocumented: ['r']})
  })

  const refused: readonly (readonly [what: string, body: string | Uint8Array, RefusalReason, number])[] = [
    ['nothing', '', 'malformed', 400],
    ['half a body', webhookBody().slice(0, -20), 'malformed', 400],
    ['a list', `[${webhookBody()}]`, 'malformed', 400],
    ['text that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'malformed', 400],
    ['a name twice', webhookBody().replace('{', '{"amount":"900.00",'), 'malformed', 400],
    ['a nested value', webhookBody().replace('{', '{"extra":{},'), 'malformed', 400],
    ['no signature', JSON.stringify(paid), 'unsigned', 401],
    ['a signature of null', JSON.stringify({...paid, signature: null}), 'unsigned', 401],
    ['an empty signature', JSON.stringify({...paid, signature: ''}), 'mismatch', 401],
    ['another amount than was signed', webhookBody().replace('500.00', '900.00'), 'mismatch', 401],
    ['a field too many', webhookBody().replace('{', '{"note":"x",'), 'mismatch', 401],
    [
      'the signature of another key',
      JSON.stringify({...signed(paid), signature: md5Signature(signed(paid), 'other')}),
      'mismatch',
      401,
    ],
    [
      'the signature in capitals',
      JSON.stringify({...signed(paid), signature: String(signed(paid).signature).toUpperCase()}),
      'mismatch',
      401,
    ],
    ['a value that reads as two fields', webhookBody({playerRef: 'u7&status=completed'}), 'ambiguous', 401],
    [
      'another merchant',
      webhookBody({merchantId: '5a9db0c5-0000-4000-8000-000000000002'}),
      'other_merchant',
      403,
    ],
    ['no order', webhookBody({platformOrderNo: undefined, orderNo: undefined}), 'no_order', 422],
    ['an order without a name', webhookBody({platformOrderNo: '', orderNo: ''}), 'no_order', 422],
  ]

  test.each(refused)('%s', (_what, body, reason, httpStatus) => {
    expect(verifyWebhook(wire(body), sortedRules)).toMatchObject({kind: 'refused', reason, httpStatus})
  })

  test('a body that names no event is known by its order alone', () => {
    expect(verifyWebhook(wire(webhookBody({event: undefined})), sortedRules)).toMatchObject({
      webhook: {orderId: 'PF-1', event: ''},
    })
  })

  test.each([
    [{platformOrderNo: undefined}, 'orderNo=D-1'],
    [{platformOrderNo: '', orderNo: undefined, outOrderNo: 'P-1'}, 'outOrderNo=P-1'],
  ])('a body that names no platform order is known by your number and its name: %j', (fields, orderId) => {
    expect(verifyWebhook(wire(webhookBody(fields)), sortedRules)).toMatchObject({webhook: {orderId}})
  })

  test('the same content written otherwise has the same digest, another content another', () => {
    const digestOf = (body: string) => {
      const verdict = verifyWebhook(wire(body), sortedRules)
      return verdict.kind === 'genuine' ? verdict.webhook.digest : null
    }
    const whole = signed(paid)
    const turned = JSON.stringify(Object.fromEntries(Object.entries(whole).reverse()), null, 2)
    expect(digestOf(turned)).toBe(digestOf(webhookBody()))
    // Whoever holds a genuine body can add a null, or quote a number: the signature covers neither.
    const fields = JSON.parse(webhookBody()) as object
    expect(digestOf(JSON.stringify({...fields, remark: null}))).toBe(digestOf(webhookBody()))
    expect(digestOf(webhookBody().replace('"500.00"', '500.00'))).toBe(digestOf(webhookBody()))
    expect(digestOf(webhookBody({amount: '500.0'}))).not.toBe(digestOf(webhookBody()))
  })
})

describe('a signature in a header over the raw bytes (A8 hmac)', () => {
  // Nested values and a field called signature are content like any other where the bytes are signed.
  const body =
    '{ "platformOrderNo": "PF-1", "event": "order.completed", "more": {"a": [1.50]}, "signature": "s" }'

  test('a genuine one, with its numbers as they were written', () => {
    expect(verifyWebhook(wire(body, hmacHeaders(body)), hmacRules)).toMatchObject({
      kind: 'genuine',
      webhook: {orderId: 'PF-1', content: expect.stringContaining('"more":{"a":[1.50]},"signature":"s"')},
    })
  })

  test.each<readonly [string, Record<string, string>, RefusalReason, number]>([
    ['no header', {}, 'unsigned', 401],
    ['a time alone', {'x-timestamp': '1761234567'}, 'unsigned', 401],
    ['no time', {'x-signature': hmacHeaders(body)['x-signature'] ?? ''}, 'unsigned', 401],
    ['another time', {...hmacHeaders(body), 'x-timestamp': '1761234568'}, 'mismatch', 401],
    ['other bytes', hmacHeaders(body.replace('PF-1', 'PF-2')), 'mismatch', 401],
    ['two headers of one name', {...hmacHeaders(body), 'x-signature': 'a, b'}, 'mismatch', 401],
    ['an empty one', {...hmacHeaders(body), 'x-signature': ''}, 'mismatch', 401],
  ])('%s', (_what, headers, reason, httpStatus) => {
    expect(verifyWebhook(wire(body, headers), hmacRules)).toMatchObject({reason, httpStatus})
  })

  test('a right signature over what is no JSON is malformed, and a wrong one is never parsed', () => {
    const text = 'not JSON'
    expect(verifyWebhook(wire(text, hmacHeaders(text)), hmacRules)).toMatchObject({reason: 'malformed'})
    expect(verifyWebhook(wire(text, hmacHeaders('other')), hmacRules)).toMatchObject({reason: 'mismatch'})
  })
})

describe('a time that is signed may be 5 minutes away (A8 hmac)', () => {
  const nowMs = Date.UTC(2026, 10, 21)
  const seconds = nowMs / 1_000

  test.each<readonly [what: string, timestamp: string, isStale: boolean]>([
    ['now', `${seconds}`, false],
    ['5 minutes ago', `${seconds - 300}`, false],
    ['a second more', `${seconds - 301}`, true],
    ['in 5 minutes', `${seconds + 300}`, false],
    ['in a second more', `${seconds + 301}`, true],
    ['in milliseconds', `${nowMs}`, false],
    ['in milliseconds, a millisecond too old', `${nowMs - 300_001}`, true],
    ['as a date', '2026-11-21T00:05:00Z', false],
    ['as a date, too late', '2026-11-21T00:05:01Z', true],
    ['seconds with a blank', ` ${seconds}`, true],
    ['seconds with a letter', `${seconds}s`, true],
    ['milliseconds with a letter', `${nowMs}x`, true],
    ['milliseconds behind a letter', `x${nowMs}`, true],
    ['none', '', true],
  ])('%s', (_, timestamp, isStale) => {
    const refusal = refuseStale(wire('', {'x-timestamp': timestamp}), hmacRules, nowMs)
    expect(refusal).toEqual(
      isStale
        ? expect.objectContaining({reason: 'stale', message: expect.stringContaining('more than 300 s away')})
        : null,
    )
  })

  const {webhookSignature} = hmacRules.dialect
  test.each([
    ['the signature is in the body', {scheme: 'md5-sorted'}],
    ['the profile has no limit', {maxAgeMs: null}],
    ['no time is signed', {recipe: {...webhookSignature.recipe, input: '{body}'}}],
  ] as const)('any time will do where %s', (_, change) => {
    const dialect = {...hmacRules.dialect, webhookSignature: {...webhookSignature, ...change}}
    expect(refuseStale(wire(''), {...hmacRules, dialect}, nowMs)).toBeNull()
  })
})

describe('what could judge nothing is found out before anything comes (P22)', () => {
  test.each(['', '   '])('the secret "%s"', (apiSecret) => {
    for (const rules of [sortedRules, hmacRules]) {
      const blank = {...rules, keys: {apiSecret, apiKey: ''}}
      expect(() => requireUsable(blank, '/webhook')).toThrow(
        expect.objectContaining({code: 'credentials_missing'}),
      )
    }
  })

  test('a recipe over a part that the path does not have', () => {
    const {webhookSignature} = hmacRules.dialect
    const recipe = {...webhookSignature.recipe, input: '{pathAfterVersion}{body}'}
    const rules = {
      ...hmacRules,
      dialect: {...hmacRules.dialect, webhookSignature: {...webhookSignature, recipe}},
    }
    expect(() => requireUsable(rules, '/webhook')).toThrow(expect.objectContaining({code: 'config_invalid'}))
    expect(() => requireUsable(rules, '/v1/webhook')).not.toThrow()
    const sorted = {...rules.dialect.webhookSignature, scheme: 'md5-sorted'} as const
    const unused = {...rules, dialect: {...rules.dialect, webhookSignature: sorted}}
    expect(() => requireUsable(unused, '/webhook')).not.toThrow()
  })
})

describe('why not', () => {
  const upper = JSON.stringify({...signed(paid), signature: String(signed(paid).signature).toUpperCase()})

  test('the mistake is named in the fixed words of docs/signing.md, with nothing of the body', async () => {
    const why = await whyNot(wire(upper), sortedRules)
    expect(why).toBe(
      'digest_upper_case: The digest is right, but not written in lower case. Write the MD5 in lower-case hexadecimal.',
    )
  })

  test('no known mistake makes it', async () => {
    const other = JSON.stringify({...signed(paid), signature: '0'.repeat(32)})
    expect(await whyNot(wire(other), sortedRules, () => 0)).toMatch(/^none_found: /)
  })

  test('a header signature made with the wrong hash', async () => {
    const body = webhookBody()
    const {'x-timestamp': time = ''} = hmacHeaders(body)
    const recipe = {...hmacRules.dialect.webhookSignature.recipe, hash: 'sha512' as const}
    const webhookSignature = {...hmacRules.dialect.webhookSignature, recipe}
    const expecting512 = {...hmacRules, dialect: {...hmacRules.dialect, webhookSignature}}
    expect(await whyNot(wire(body, hmacHeaders(body, time)), expecting512)).toMatch(/^other_hash: /)
  })

  const body = {...signed(paid), signature: '0'.repeat(32)}
  const fill = 'x'.repeat(4_096 - JSON.stringify({...body, note: ''}).length)
  const more = (count: number) => Object.fromEntries(Array.from({length: count}, (_, n) => [`f${n}`, '']))
  const left = 16 - Object.keys(body).length
  test.each<readonly [what: string, body: unknown, isSearched: boolean]>([
    ['4,096 bytes', {...body, note: fill}, true],
    ['one more', {...body, note: `${fill}x`}, false],
    ['16 fields', {...body, ...more(left)}, true],
    ['one more', {...body, ...more(left + 1)}, false],
    ['no object', [body], false],
    ['no signature', {...body, signature: undefined}, false],
    ['a signature of 31 digits', {...body, signature: '0'.repeat(31)}, false],
    ['a signature of 128 digits', {...body, signature: 'A'.repeat(128)}, true],
    ['one more', {...body, signature: '0'.repeat(129)}, false],
    ['a letter behind it', {...body, signature: `${'0'.repeat(32)}g`}, false],
    ['a letter before it', {...body, signature: `g${'0'.repeat(32)}`}, false],
  ])('what would take long is not searched, for anybody can send it: %s', async (_, value, isSearched) => {
    const why = await whyNot(wire(JSON.stringify(value)), sortedRules, () => 0)
    expect(why !== null).toBe(isSearched)
  })
})
