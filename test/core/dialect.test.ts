import {expect, test} from 'vitest'

import {ageText, assumptionsOf, type Dialect, defaultDialect, readStatus} from '../../src/core/dialect.ts'

const linesOf = (dialect: Dialect) =>
  assumptionsOf(dialect).map(({id, what, value}) => `${id} ${what}: ${value}`)

test('a report has a line for every assumption', () => {
  expect(linesOf(defaultDialect)).toMatchInlineSnapshot(`
    [
      "A1 deposit query: merchantId, orderNo, signature",
      "A2 query answer: number orderNo | outOrderNo, id platformOrderNo, status status, amount amount (string, number or missing)",
      "A3 status words: completed: completed; open: processing | pending; failed: failed",
      "A4 error code in: code | error | error.code | message | msg | error.message",
      "A5 no such order: code ORDER_NOT_FOUND, or JSON with HTTP 404 that names no route, where an order was found before",
      "A5b a create refused: INSUFFICIENT_BALANCE; HTTP 400 or 422 with INSUFFICIENT_BALANCE; HTTP 413, 414; HTTP 401, 403 where queries are rejected too",
      "A6 legacy signature: HMAC-sha256 hex over "{timestamp}{method}{path}{body}" with api_secret (utf8)",
      "A7 resend accepted: any 2xx, JSON or empty",
      "A8 webhook signature: md5-sorted, field \`signature\` of the body",
      "A9 record joined by: order_id, then merchant_order_id",
      "A10 order of the list: unknown",
      "A11 legacy path, signed whole: /api/v1/merchant/webhooks",
      "A12 values signed: as sent, numbers by their source text, empty strings signed",
      "A13 names sorted: by UTF-16 code unit",
    ]
  `)
})

test('and what a profile states otherwise', () => {
  const {webhookSignature, requestSignature, status} = defaultDialect
  const others: readonly Partial<Dialect>[] = [
    {status: {...status, payout: {...status.payout, completed: ['Paid', 'Settled']}}},
    {webhookSignature: {...webhookSignature, scheme: 'hmac', maxAgeMs: null}},
    {webhookSignature: {...webhookSignature, scheme: 'hmac', maxAgeMs: 90_000}},
    {requestSignature: {...requestSignature, sort: 'ignore_case'}},
  ]
  const usual = new Set(linesOf(defaultDialect))
  const changed = others.map((other) =>
    linesOf({...defaultDialect, ...other}).filter((line) => !usual.has(line)),
  )
  expect(changed).toMatchInlineSnapshot(`
    [
      [
        "A3 status words: deposits: completed: completed; open: processing | pending; failed: failed; payouts: completed: Paid | Settled; open: processing | pending; failed: failed",
      ],
      [
        "A8 webhook signature: X-Signature: HMAC-sha256 hex over "{timestamp}.{body}" with api_secret (utf8), of any age",
      ],
      [
        "A8 webhook signature: X-Signature: HMAC-sha256 hex over "{timestamp}.{body}" with api_secret (utf8), at most 90s old",
      ],
      [
        "A13 names sorted: ignoring case",
      ],
    ]
  `)
})

test('a word for a status is that word, to the letter (P7)', () => {
  const words = ['completed', 'Completed', ' completed', 'failed', '']
  expect(words.map((word) => readStatus(defaultDialect, 'deposit', word))).toMatchInlineSnapshot(`
    [
      "completed",
      "unknown_status",
      "unknown_status",
      "failed",
      "unknown_status",
    ]
  `)
})

test.each([
  [null, 'any'],
  [300_000, '300s'],
  [1_500, '1.5s'],
])('an age of %s is %s', (maxAgeMs, text) => {
  expect(ageText(maxAgeMs)).toBe(text)
})
