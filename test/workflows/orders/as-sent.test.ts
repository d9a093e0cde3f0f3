import {describe, expect, test} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import type {JsonValue} from '../../../src/core/json.ts'
import type {RequestRow} from '../../../src/journal/rows.ts'
import {type FoundOrder, whyNotAsSent} from '../../../src/workflows/orders/as-sent.ts'
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
