import {describe, expect, test} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import type {JsonValue} from '../../../src/core/json.ts'
import type {RequestRow} from '../../../src/journal/rows.ts'
import {type FoundOrder, keptBack, whyNotAsSent} from '../../../src/workflows/orders/as-sent.ts'
import {order} from '../../core/reconcile/sample.ts'

const fingerprint = (name: string, value: unknown) => `key.${name}=${value}`
const sentRow = (fields: Partial<RequestRow> = {}): RequestRow =>
  ({
    ...{kind: 'deposit', orderNo: 'D-1', state: 'accepted', amount: null, channel: null, maskedAccount: null},
    ...{isDeclaredMade: false, confirmationWhy: null, repeatsAllowed: [], payeeFingerprint: null},
    sentFields: {playerRef: {masked: null, fingerprint: fingerprint('playerRef', 'player-7')}},
    ...fields,
  }) as unknown as RequestRow

const journalWith = (...rows: RequestRow[]) => ({
  fingerprint: fingerprint as never,
  findRequest: async (_kind: string, orderNo: string) => rows.find((row) => row.orderNo === orderNo) ?? null,
  listRequests: async () => rows,
})

describe('a webhook of an order that this machine sent', () => {
  const shown = (raw: object): FoundOrder =>
    ({found: true, order: order({amount: null}), raw}) as unknown as FoundOrder
  test.each<[what: string, raw: object, payload: JsonValue, row: Partial<RequestRow>, why: string | null]>([
    ['the query shows the player', {playerRef: 'player-7'}, {}, {}, null],
    [
      'the query shows another',
      {playerRef: 'p-9'},
      {},
      {},
      'the service shows another playerRef than this machine sent',
    ],
    ['the webhook alone shows one', {}, {playerRef: 'player-7'}, {}, null],
    [
      'the webhook shows another',
      {},
      {playerRef: 'p-9'},
      {},
      'the webhook has another playerRef than this machine sent',
    ],
    [
      'in its data',
      {},
      {data: {playerRef: 'p-9'}},
      {},
      'the webhook has another playerRef than this machine sent',
    ],
    [
      'another amount',
      {},
      {amount: '900.00'},
      {amount: 50_000n},
      'the webhook has another amount than this machine sent',
    ],
    ['the same amount', {}, {amount: '500'}, {amount: 50_000n}, null],
    ['a person said it was made', {}, {playerRef: 'p-9'}, {isDeclaredMade: true}, null],
    ['it was refused', {playerRef: 'p-9'}, {}, {state: 'refused'}, null],
  ])('%s', async (_what, raw, payload, row, why) => {
    const journal = journalWith(sentRow(row))
    expect(await whyNotAsSent('deposit', shown(raw), payload, journal, defaultDialect)).toBe(why)
  })
})

const hourMs = 3_600_000
const madeMs = Date.parse('2026-11-20T09:00:00Z')
const to = (account: string) => ({
  maskedAccount: `${account.slice(0, 3)}****${account.slice(-4)}`,
  payeeFingerprint: fingerprint(account, 50_000n),
})
const rahim = '01712345678'

test.each<[what: string, rows: Partial<RequestRow>[], why: string | null]>([
  ['alone', [{}], null],
  ['not sent from here, and nothing like it', [{orderNo: 'W-9', ...to('01899999999')}], null],
  [
    'paid anew',
    [{}, {orderNo: 'W-2', repeatsAllowed: ['P-1'], ...to('01899999999')}],
    'it may have been paid anew as W-2',
  ],
  [
    'paid to a corrected account',
    [{}, {orderNo: 'P-1R', ...to('01899999999')}],
    'it may have been paid anew as P-1R',
  ],
  [
    'sent by another program and paid anew here',
    [{orderNo: 'P-1-2', ...to(rahim)}],
    'it may have been paid anew as P-1-2',
  ],
  ['paid under another number', [{}, {orderNo: 'W-7', ...to(rahim)}], 'it may have been paid anew as W-7'],
  [
    'said to be not paid, and paid under another number',
    [{state: 'refused'}, {orderNo: 'W-7', ...to(rahim)}],
    'it may have been paid anew as W-7',
  ],
  [
    'beside an older one to the account',
    [{}, {orderNo: 'W-7', claimedAtMs: madeMs - hourMs, ...to(rahim)}],
    null,
  ],
  ['beside another amount', [{}, {orderNo: 'W-7', amount: 70_000n, ...to(rahim)}], null],
  ['beside a longer number', [{}, {orderNo: 'P-12', ...to('01899999999')}], null],
  [
    'refused when it was to be paid anew',
    [{}, {orderNo: 'W-2', repeatsAllowed: ['P-1'], state: 'refused'}],
    null,
  ],
  ['recorded as paid by a person', [{isDeclaredMade: true}], 'a person recorded it as made'],
])('the money of a failed payout, %s, is given back or not', async (_what, rows, why) => {
  const all = rows.map((row) =>
    sentRow({
      ...{kind: 'payout', orderNo: 'P-1', amount: 50_000n, sentFields: {}, ...to(rahim)},
      ...{intentAtMs: madeMs, claimedAtMs: madeMs + hourMs, ...row},
    }),
  )
  const answer = {
    found: true,
    order: order({kind: 'payout', orderNo: 'P-1', amount: 50_000n}),
    raw: {account: rahim},
  }
  const failedAt = new Date(madeMs + hourMs / 2).toISOString()
  expect(await keptBack(journalWith(...all))(answer as unknown as FoundOrder, failedAt)).toBe(why)
})
