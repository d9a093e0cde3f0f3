import {expect, test} from 'vitest'

import type {Delivery} from '../../../src/core/order.ts'
import type {RequestRow, ResendRow} from '../../../src/journal/rows.ts'
import {endingResends, openDoubts} from '../../../src/workflows/orders/doubts.ts'
import {delivery} from '../../core/reconcile/sample.ts'

const sentRow = {
  ...{id: 1, kind: 'payout', orderNo: 'P-1', state: 'unknown', amount: 50_000n, channel: 'BKASH'},
  ...{maskedAccount: '017****5678', intentAtMs: 5, sentBy: null, isOnItsWay: false},
  ...{confirmation: null, confirmationWhy: null, serviceCode: null},
} as RequestRow
const resentRow = {
  ...{id: 1, deliveryId: 'd-1', runId: 'run-1', orderNo: 'D-1', orderId: 'platform-1', state: 'unknown'},
  ...{intentAtMs: 4, by: null, isOnItsWay: false},
} as ResendRow

const doubts = (requests: readonly RequestRow[], resends: readonly ResendRow[] = []) =>
  openDoubts({requestsInDoubt: async () => [...requests], resendsInDoubt: async () => [...resends]}, 'shop')

const ask = 'hisab payout query P-1 --profile shop'
const unknown = 'it was sent, but it is unknown whether the service carried it out'

test.each<[what: string, row: Partial<RequestRow>, why: string, next?: string]>([
  ['its answer was lost', {}, unknown],
  [
    'the service gave a code that proves nothing',
    {serviceCode: 'TIMEOUT\u001b[2J'},
    `${unknown}; the service said TIMEOUT\\u{1b}[2J`,
  ],
  [
    'its process was killed',
    {state: 'intent', serviceCode: 'TIMEOUT'},
    'hisab stopped during the send, so the outcome was not recorded',
  ],
  [
    'a colleague is sending it',
    {state: 'intent', isOnItsWay: true, sentBy: 'karim@desk-b'},
    'karim@desk-b is sending it now, and has no answer yet',
  ],
  [
    'somebody is sending it again',
    {isOnItsWay: true, confirmation: 'confirmed'},
    'hisab is sending it now, and has no answer yet',
  ],
  [
    'it was accepted and is gone',
    {confirmation: 'unanswered'},
    'the service accepted it, but a query does not find it',
  ],
  [
    'it was shown and is gone',
    {confirmation: 'confirmed'},
    'the service accepted it, but a query does not find it',
  ],
  [
    'the service shows another amount',
    {state: 'accepted', confirmation: 'contradicted', confirmationWhy: 'the service shows another amount'},
    'the service shows another amount',
    'hisab payout resolve P-1 --reason TEXT --profile shop --paid, or … --not-paid',
  ],
  [
    'the service shows something else, by an older hisab',
    {state: 'accepted', confirmation: 'contradicted'},
    'the service shows other values than were sent',
    'hisab payout resolve P-1 --reason TEXT --profile shop --paid, or … --not-paid',
  ],
  [
    'a merge kept another of its number',
    {id: -3},
    `${unknown}; a merge of journals kept another payout of this number`,
  ],
  [
    'a merge kept another, and this one is contradicted',
    {id: -3, state: 'accepted', confirmation: 'contradicted', confirmationWhy: 'another account'},
    'another account; a merge of journals kept another payout of this number',
    'hisab payout resolve P-1 --dropped 3 --reason TEXT --profile shop --paid, or … --not-paid',
  ],
])('why a payout is in doubt, and what ends it: %s', async (_what, row, why, next = ask) => {
  const [doubt] = await doubts([{...sentRow, ...row}])
  expect(doubt).toMatchObject({kind: 'payout', orderNo: 'P-1', amount: 50_000n, recordId: null, why, next})
})

test.each<[what: string, row: Partial<ResendRow>, shown: object]>([
  ['its answer was lost', {}, {state: 'unknown', why: /unknown whether your server took it$/}],
  [
    'it shows no end yet',
    {state: 'accepted'},
    {state: 'unknown', why: /unknown whether your server took it$/},
  ],
  ['its process was killed', {state: 'intent'}, {state: 'intent', why: /^hisab stopped during the resend/}],
  [
    'a colleague is sending it',
    {state: 'intent', isOnItsWay: true, by: 'karim@desk-b'},
    {state: 'intent', why: /^karim@desk-b is sending it now/},
  ],
  ['its order has no number', {orderNo: null}, {orderNo: 'platform-1', why: /./}],
])('why a resend is in doubt, and what ends it: %s', async (_what, row, {why, ...shown}: {why?: RegExp}) => {
  const [doubt] = await doubts([], [{...resentRow, ...row}])
  expect(doubt).toMatchObject({
    ...{kind: 'resend', orderNo: 'D-1', recordId: 'd-1', runId: 'run-1', amount: null},
    ...shown,
    why: expect.stringMatching(why ?? /never/),
    next: 'hisab webhooks get d-1 --profile shop',
  })
})

test('doubts are listed the oldest first, payouts and resends among each other', async () => {
  const listed = await doubts(
    [sentRow, {...sentRow, orderNo: 'P-2', intentAtMs: 2}],
    [resentRow, {...resentRow, orderNo: 'D-2', intentAtMs: 9}],
  )
  expect(listed.map(({orderNo}) => orderNo)).toEqual(['P-2', 'D-1', 'P-1', 'D-2'])
})

const baseline = {
  ...({baselineAttempts: 5, baselineSentAt: '2026-11-20T10:00:00Z', baselineStatus: 'failed'} as const),
  ...{baselineNextRetryAt: null, baselineResponseCode: 503},
}
const later = {attempts: 6, sentAt: '2026-11-20T11:00:00Z'}

test.each<[what: string, record: Partial<Delivery>, ended: string]>([
  ['it is as it was', {}, ''],
  [
    'it was delivered',
    {...later, status: 'success', responseCode: 200},
    'D-1 delivered 200, D-2 delivered 200',
  ],
  ['it failed again', later, 'D-1 still_failing 503, D-2 still_failing 503'],
  ['its id in capitals', {...later, id: 'D-A'}, 'D-1 still_failing 503, D-2 still_failing 503'],
  ['another record', {...later, id: 'd-b'}, 'platform-3 still_failing 503'],
  ['a record of no resend', {...later, id: 'd-c'}, ''],
])('a record that is read ends the resends of it that are in doubt: %s', async (_what, record, ended) => {
  const rows: ResendRow[] = [
    {...resentRow, ...baseline, id: 1, deliveryId: 'd-a', orderNo: 'D-1'},
    {...resentRow, ...baseline, id: 2, deliveryId: 'D-a', orderNo: 'D-2'},
    {...resentRow, ...baseline, id: 3, deliveryId: 'd-b', orderNo: null, orderId: 'platform-3'},
  ]
  let reads = 0
  const alone: boolean[] = []
  const written: string[] = []
  const told: string[] = []
  const journal: Parameters<typeof endingResends>[0] = {
    resendsWithoutEnd: async () => {
      reads += 1
      return rows
    },
    endResend: async (id, state, code, isAlone) => {
      alone.push(isAlone)
      const row = rows.find((one) => one.id === id)
      written.push(`${row?.orderNo ?? row?.orderId} ${state} ${code}`)
      return isAlone
    },
  }
  const read = delivery({id: 'd-a', attempts: 5, sentAt: baseline.baselineSentAt, ...record})
  const tell = ({orderNo, state}: {orderNo: string; state: string}) => void told.push(`${orderNo} ${state}`)
  const look = endingResends(journal, () => true, tell)
  await look(read)
  expect(written.join(', ')).toBe(ended)
  expect(told.join(', ')).toBe(ended.replaceAll(/ \d+(?=,|$)/g, ''))
  await look(delivery({id: 'd-c'}))
  expect(reads).toBe(1)
  // What the journal does not take is not told.
  told.splice(0)
  await endingResends(journal, async () => false, tell)(read)
  expect(told).toEqual([])
  expect(alone).toEqual([
    ...written.slice(written.length / 2).map(() => true),
    ...written.slice(written.length / 2).map(() => false),
  ])
})
