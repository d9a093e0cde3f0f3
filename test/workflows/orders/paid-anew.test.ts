import {expect, test} from 'vitest'

import type {OrderAnswer} from '../../../src/api/client.ts'
import type {RequestRow} from '../../../src/journal/rows.ts'
import {paidAnewBy} from '../../../src/workflows/orders/paid-anew.ts'
import {order} from '../../core/reconcile/sample.ts'

const fingerprint = (name: string, value: unknown) => `key.${name}=${value}`

const hourMs = 3_600_000
const madeMs = Date.parse('2026-11-20T09:00:00Z')
const to = (account: string) => ({
  maskedAccount: `${account.slice(0, 3)}****${account.slice(-4)}`,
  payeeFingerprint: fingerprint(account, 50_000n),
})
const rahim = '01712345678'

test.each<[what: string, rows: Partial<RequestRow>[], why: string | null, failed?: string]>([
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
  [
    'paid anew to another channel under another number',
    [{channel: 'BKASH'}, {orderNo: 'W-7', channel: 'NAGAD', ...to(rahim)}],
    'it may have been paid anew as W-7',
  ],
  ['paid anew by one that failed too', [{}, {orderNo: 'P-1R', ...to(rahim)}], null, 'P-1R'],
  [
    'paid anew by one that failed too, and by another',
    [{}, {orderNo: 'P-1R', ...to(rahim)}, {orderNo: 'W-7', ...to(rahim)}],
    'it may have been paid anew as W-7',
    'P-1R',
  ],
  [
    'paid anew by one that failed, and that a person recorded as paid',
    [{}, {orderNo: 'P-1R', isDeclaredMade: true, ...to(rahim)}],
    'it may have been paid anew as P-1R',
    'P-1R',
  ],
  ['recorded as paid by a person', [{isDeclaredMade: true}], 'a person recorded it as paid'],
])('the money of a failed payout, %s, may have gone out or not', async (_what, rows, why, failed) => {
  const all = rows.map(
    (row) =>
      ({
        ...{kind: 'payout', orderNo: 'P-1', state: 'accepted', amount: 50_000n, channel: null, ...to(rahim)},
        ...{confirmation: 'confirmed', platformOrderNo: null, absentBefore: true, sentFields: {}},
        ...{isDeclaredMade: false, repeatsAllowed: [], intentAtMs: madeMs, claimedAtMs: madeMs + hourMs},
        ...row,
      }) as unknown as RequestRow,
  )
  const journal = {
    fingerprint: fingerprint as never,
    numberWithPlatformOrder: async () => null,
    findRequest: async (_kind: string, orderNo: string) => all.find((row) => row.orderNo === orderNo) ?? null,
    listRequests: async () => all,
  }
  const queryOrder = async (kind: 'deposit' | 'payout', orderNo: string): Promise<OrderAnswer> => {
    const status = orderNo === 'P-1' || orderNo === failed ? 'failed' : 'completed'
    return {
      found: true,
      order: order({kind, orderNo, status, amount: 50_000n}),
      raw: {account: rahim},
    }
  }
  const whyPaidAnew = paidAnewBy(journal, {queryOrder})
  const asked = order({kind: 'payout', orderNo: 'P-1', amount: 50_000n})
  expect(await whyPaidAnew(asked, madeMs)).toBe(why)
  expect(await whyPaidAnew({...asked, kind: 'deposit'}, madeMs)).toBe(null)
})
