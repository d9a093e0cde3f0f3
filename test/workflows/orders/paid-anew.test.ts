import {expect, test} from 'vitest'
import type {OrderAnswer} from '../../../src/api/client.ts'
import type {Journal} from '../../../src/journal/journal.ts'
import type {RequestRow} from '../../../src/journal/rows.ts'
import {creditedBy} from '../../../src/workflows/orders/credited.ts'
import {nameKeys} from '../../../src/workflows/orders/echo.ts'
import {paidAnewBy} from '../../../src/workflows/orders/paid-anew.ts'
import {order} from '../../core/reconcile/sample.ts'

const fingerprint = (...parts: readonly (string | bigint)[]) => `key.${parts.join('=')}`

const hourMs = 3_600_000
const madeMs = Date.parse('2026-11-20T09:00:00Z')
const to = (account: string, name = 'RAHIM') => ({
  maskedAccount: `${account.slice(0, 3)}****${account.slice(-4)}`,
  payeeFingerprint: fingerprint(account, 50_000n),
  sentFields: Object.fromEntries(
    nameKeys(name, fingerprint).map((key, at) => [at === 0 ? 'userName' : 'nameWords', {fingerprint: key}]),
  ),
})
const [rahim, other] = ['01712345678', '01899999999']

test.each<[what: string, rows: Partial<RequestRow>[], why: string | null, failed?: string]>([
  ['alone', [{}], null],
  ['not sent from here, and nothing like it', [{orderNo: 'W-9', ...to(other, 'KARIM')}], null],
  [
    'paid to its name with another account and any number',
    [{}, {orderNo: 'W-9', ...to(other)}],
    'it may have been paid anew as W-9',
  ],
  [
    'paid to its account less a fee',
    [{}, {orderNo: 'W-9', amount: 49_000n, ...to(rahim, 'KARIM')}],
    'it may have been paid anew as W-9',
  ],
  ['paid half of it to its account', [{}, {orderNo: 'W-9', amount: 25_000n, ...to(rahim)}], null],
  [
    'sent by another program, and paid to its name without the title',
    [{orderNo: 'W-9', ...to(other, 'Md. Rahim')}],
    'it may have been paid anew as W-9',
  ],
  [
    'paid anew',
    [{}, {orderNo: 'W-2', repeatsAllowed: ['P-1'], ...to(other)}],
    'it may have been paid anew as W-2',
  ],
  [
    'paid to a corrected account',
    [{}, {orderNo: 'P-1R', ...to(other)}],
    'it may have been paid anew as P-1R',
  ],
  [
    'paid to another player, with a mark in front',
    [{}, {orderNo: 'NEW P-1', ...to(other, 'KARIM')}],
    'it may have been paid anew as NEW P-1',
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
  [
    'paid in two parts',
    [{}, {orderNo: 'W-7', amount: 30_000n, ...to(rahim)}, {orderNo: 'W-8', amount: 20_000n, ...to(rahim)}],
    'it may have been paid anew as W-7 and W-8',
  ],
  [
    'paid in three parts less a fee, one of them to another account of the name',
    [
      {},
      ...[20_000n, 19_000n, 9_500n].map((amount, at) => ({
        ...{orderNo: `W-${at + 7}`, amount},
        ...to(at === 1 ? other : rahim),
      })),
    ],
    'it may have been paid anew as W-7 and W-9 and W-8',
  ],
  [
    'paid in two parts of which one failed',
    [{}, {orderNo: 'W-7', amount: 30_000n, ...to(rahim)}, {orderNo: 'W-8', amount: 20_000n, ...to(rahim)}],
    null,
    'W-8',
  ],
  [
    'paid in two parts, two days apart',
    [
      {},
      {orderNo: 'W-7', amount: 30_000n, ...to(rahim)},
      {orderNo: 'W-8', amount: 20_000n, claimedAtMs: madeMs + 49 * hourMs, ...to(rahim)},
    ],
    'it may have been paid anew as W-7 and W-8',
  ],
  [
    'beside two others with nearly its amount, two days apart',
    [
      {},
      {orderNo: 'W-7', amount: 30_000n, ...to(rahim)},
      {orderNo: 'W-8', amount: 19_000n, claimedAtMs: madeMs + 49 * hourMs, ...to(rahim)},
    ],
    null,
  ],
  [
    'beside two of other players with its amount',
    [
      {},
      {orderNo: 'W-7', amount: 30_000n, ...to(other, 'KARIM')},
      {orderNo: 'W-8', amount: 20_000n, ...to(other, 'KARIM')},
    ],
    null,
  ],
  [
    'paid together with another that failed',
    [
      {},
      {orderNo: 'P-2', amount: 20_000n, claimedAtMs: madeMs - hourMs, ...to(rahim)},
      {orderNo: 'W-7', amount: 70_000n, ...to(rahim)},
    ],
    'it may have been paid anew as W-7',
    'P-2',
  ],
  [
    'beside one of its amount and of another that did not fail',
    [
      {},
      {orderNo: 'P-2', amount: 20_000n, claimedAtMs: madeMs - hourMs, ...to(rahim)},
      {orderNo: 'W-7', amount: 70_000n, ...to(rahim)},
    ],
    null,
  ],
  ['beside a longer number', [{}, {orderNo: 'P-12', ...to(other, 'KARIM')}], null],
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
  [
    'beside a number with a mark, with another amount to the account',
    [{}, {orderNo: 'P-1-2', amount: 49_500n}],
    'it may have been paid anew as P-1-2',
  ],
  [
    'beside a number with a mark, with another amount to the player',
    [{}, {orderNo: 'P-1-2', amount: 49_500n, ...to(other)}],
    'it may have been paid anew as P-1-2',
  ],
  [
    'beside another player’s number with a mark, and another amount',
    [{}, {orderNo: 'P-1-2', amount: 90_000n, ...to(other, 'KARIM')}],
    null,
  ],
])('the money of a failed payout, %s, may have gone out or not', async (_what, rows, why, failed) => {
  expect(await whyPaidAnew('P-1', rows, failed)).toBe(why)
  expect(await whyPaidAnew('P-1', rows, failed, 'deposit')).toBe(null)
})

test.each([
  ['Md. Rahim Uddin', 'RAHIM UDDIN', true],
  ['Rahim Uddin', 'Uddin  Rahim', true],
  ['মোঃ রহিম উদ্দিন', 'রহিম উদ্দিন', true],
  ['Rahim Uddin', 'Rahim Uddin (new no)', true],
  ['Rahim Uddin', 'Rahim Ali', false],
  ['Md.', 'Mst.', false],
])('a failed payout to %s, and a later one to %s, may be one: %s', async (one, next, isOne) => {
  const rows = [
    {orderNo: 'W-501', ...to(rahim, one)},
    {orderNo: 'W-777', ...to(other, next)},
  ]
  expect(await whyPaidAnew('W-501', rows)).toBe(isOne ? 'it may have been paid anew as W-777' : null)
})

test.each([
  ['W-501-1', 'W-501-2'],
  ['W-501A', 'W-501B'],
  ['W-501/1', 'W-501/2'],
  ['501-1', '501-2'],
  ['W-501', 'RE-501'],
])('the money of a failed %s may have gone out as %s, to the same player', async (one, next) => {
  const why = `it may have been paid anew as ${next}`
  const tried = {orderNo: next, ...to(other)}
  const karims = {orderNo: next, ...to(other, 'KARIM')}
  expect(await whyPaidAnew(one, [{orderNo: one}, tried])).toBe(why)
  expect(await whyPaidAnew(one, [tried])).toBe(why)
  expect(await whyPaidAnew(one, [{orderNo: one}, karims])).toBe(null)
  expect(await whyPaidAnew(one, [karims])).toBe(null)
  expect(await whyPaidAnew(one, [{orderNo: one}, {...tried, amount: 70_000n}])).toBe(null)
  expect(await whyPaidAnew(one, [{orderNo: one}, {...tried, claimedAtMs: madeMs - hourMs}])).toBe(null)
})

test.each([
  ['W-501', 'W-502'],
  ['W-501', 'X-5010'],
  ['W-501-1', 'W-502-2'],
])('a failed %s and a later %s are two payouts', async (one, next) => {
  expect(await whyPaidAnew(one, [{orderNo: one}, {orderNo: next, ...to(other, 'KARIM')}])).toBe(null)
})

test.each([
  [4, 'it may have been paid anew as W-501-2'],
  [5, null],
])('a name that is paid to %i other accounts, too', async (others, why) => {
  const rows = Array.from({length: others - 1}, (_, nth) => ({
    orderNo: `P-${nth}`,
    claimedAtMs: 0,
    ...to(`0181111111${nth}`),
  }))
  expect(
    await whyPaidAnew('W-501-1', [{orderNo: 'W-501-1'}, {orderNo: 'W-501-2', ...to(other)}, ...rows]),
  ).toBe(why)
})

test('a third try is one under any name if the second was one of the first', async () => {
  const rows = [{orderNo: 'W-501'}, {orderNo: 'W-501-2'}, {orderNo: 'W-501-3', ...to(other, 'KARIM')}]
  expect(await whyPaidAnew('W-501-2', rows, 'W-501')).toBe('it may have been paid anew as W-501-3')
})

/** What is said of the money of a payout that failed, as another one also did. */
async function whyPaidAnew(
  orderNo: string,
  rows: readonly Partial<RequestRow>[],
  failed?: string,
  kind: 'deposit' | 'payout' = 'payout',
) {
  const all = rows.map(
    (row) =>
      ({
        ...{kind: 'payout', orderNo: 'P-1', state: 'accepted', amount: 50_000n, channel: null, ...to(rahim)},
        ...{confirmation: 'confirmed', platformOrderNo: null, absentBefore: true},
        ...{isDeclaredMade: false, repeatsAllowed: [], intentAtMs: madeMs, claimedAtMs: madeMs + hourMs},
        ...row,
      }) as unknown as RequestRow,
  )
  const journal = {
    fingerprint: fingerprint as never,
    numberWithPlatformOrder: async () => null,
    recordLook: async () => {},
    findRequest: async (_kind: string, number: string) => all.find((row) => row.orderNo === number) ?? null,
    listRequests: async () => all,
  }
  const queryOrder = async (_: 'deposit' | 'payout', number: string): Promise<OrderAnswer> => {
    const asked = all.find((row) => row.orderNo === number)
    const status = number === orderNo || number === failed ? 'failed' : 'completed'
    const raw = number === orderNo ? {account: rahim, userName: 'Rahim'} : {}
    return {found: true, order: order({kind, orderNo: number, status, amount: asked?.amount ?? 50_000n}), raw}
  }
  const asked = order({kind, orderNo, amount: 50_000n})
  return await paidAnewBy(journal, {queryOrder})(asked, madeMs)
}

test('a webhook that the server took while a question stood is known after it', async () => {
  const resends: {state: string; event: string; intentAtMs: number}[] = []
  const whyCredited = creditedBy({
    resendHistory: async () => ({of: () => [...resends]}),
    findFinalOrders: async () => [],
  } as unknown as Journal)
  expect(await whyCredited('W-501')).toBe(null)
  resends.push({state: 'delivered', event: 'order.failed', intentAtMs: madeMs})
  expect(await whyCredited('W-501')).toMatchObject({
    why: 'your server took its order.failed, which hisab resent',
  })
})
