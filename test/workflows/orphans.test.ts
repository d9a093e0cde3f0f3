import {expect, test} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import {planResends} from '../../src/workflows/resend/plan.ts'
import {noOverrides} from '../core/reconcile/sample.ts'
import {ScenarioBench} from './scenario-run.ts'

/*
 * DEP000017 is paid, its own webhook failed for good, and the ledger has it as pending. The list has one more record of a
 * completion, of an order_id that is no known order's.
 */
const ledger =
  'order_no,status,amount,created_at\nDEP000016,completed,300.00,2026-11-20T09:00:00Z\nDEP000017,pending,500.00,2026-11-20T10:00:00Z\nDEP000018,completed,300.00,2026-11-20T11:00:00Z\n'

interface Other {
  /** How many such records there are. */
  readonly times?: number
  readonly orderNo: string
  readonly event?: string
  readonly status?: 'success' | 'failed' | 'pending'
  readonly nextRetryAt?: string
  readonly createdAt?: string
  readonly says?: string
}

function merchant({says, times = 1, ...other}: Other): ScenarioBench {
  const bench = new ScenarioBench({
    path: 'orphans',
    sections: new Map([
      ['ledger.csv', ledger],
      [
        'service.json',
        JSON.stringify([
          {orderNo: 'DEP000016', amount: '300.00'},
          {orderNo: 'DEP000017'},
          {orderNo: 'DEP000018', amount: '300.00'},
          {orderNo: 'DEP000017-R'},
          {orderNo: 'PAY000017', kind: 'payout'},
        ]),
      ],
      [
        'deliveries.json',
        JSON.stringify([
          {orderNo: 'DEP000016', status: 'success', createdAt: '2026-11-20T09:01:00Z'},
          {orderNo: 'DEP000017', createdAt: '2026-11-20T10:01:00Z'},
          {orderNo: 'DEP000018', status: 'success', createdAt: '2026-11-20T11:01:00Z'},
          ...Array.from({length: times}, (_, n) => ({
            ...{orderId: `foreign-${n}`, status: 'success', attempts: 1, createdAt: '2026-11-20T10:02:00Z'},
            ...{...other, ...(says && {says})},
          })),
        ]),
      ],
      ['options.json', JSON.stringify({yes: true})],
    ]),
  })
  bench.clock.ms = Date.parse('2026-11-21T03:00:00Z')
  return bench
}

async function both(other: Other) {
  const bench = merchant(other)
  const {decisions} = await planResends(
    {
      by: 'filter',
      status: 'failed',
      local: {
        ...{sinceMs: null, untilMs: null, event: null, merchantOrderId: null},
        ...{codes: [], host: null, urlStart: null},
      },
    },
    {
      ...{client: bench.client, overrides: noOverrides, dialect: defaultDialect, timeZone: 'Asia/Dhaka'},
      ...{earlierResend: () => null, reconciled: () => () => null, waitsSince: () => null},
      ...{now: bench.clock.now, width: 1, onProgress: () => {}},
    },
  )
  const {report} = await bench.run('first')
  const sent = bench.client.log
    .filter((call) => call.startsWith('resend '))
    .map((call) => bench.client.records.get(call.slice(7))?.merchantOrderId)
  const finding = report.findings.find(({orderNo}) => orderNo === 'DEP000017')
  const own = decisions.find(({delivery}) => delivery?.merchantOrderId === 'DEP000017')
  return {sent, finding, own}
}

test.each<[what: string, other: Other]>([
  ['another case', {orderNo: 'dep000017'}],
  ['a prefix', {orderNo: 'M1-DEP000017'}],
  ['a suffix', {orderNo: 'DEP000017-1'}],
  ['without its zeros', {orderNo: 'DEP17'}],
  ['its digits', {orderNo: '17'}],
  ['a blank behind it', {orderNo: 'DEP000017 '}],
  ['no number', {orderNo: ''}],
  ['no number and its amount', {orderNo: '', says: '500.00'}],
  ['no number, as 3 others that are read', {orderNo: '', says: '500.00', times: 4}],
  ['to be retried', {orderNo: 'DEP17', status: 'failed', nextRetryAt: '2026-11-22T00:00:00Z'}],
  ['another name of the event', {orderNo: 'DEP17', event: 'order.paid'}],
])('a record of nobody that may be of the order holds its resend: %s', async (_what, other) => {
  const {sent, finding, own} = await both(other)
  expect(sent).toEqual([])
  expect(finding).toMatchObject({
    ...{action: 'review', explanation: expect.stringMatching(/Delivery record .* may be of this order/)},
  })
  expect(own).toMatchObject({
    resend: false,
    why: expect.stringMatching(/may be of this order|A newer record of the same event/),
  })
})

test.each<[what: string, other: Other]>([
  ['another amount', {orderNo: 'DEP17', says: '70.00'}],
  ['no number and another amount', {orderNo: '', says: '70.00'}],
  ['no number, as most records', {orderNo: '', says: '500.00', times: 21}],
  ['an order of its own', {orderNo: 'DEP000017-R'}],
  ['a payout of its own', {orderNo: 'PAY000017'}],
  ['a number of the same series', {orderNo: 'DEP000118'}],
  ['a number of another series', {orderNo: 'X-9'}],
  ['given up', {orderNo: 'DEP17', status: 'failed'}],
  ['no number, of the day before', {orderNo: '', createdAt: '2026-11-19T10:00:00Z'}],
  ['an event that says no completion', {orderNo: 'DEP17', event: 'order.created'}],
])('what cannot be of the order holds nothing: %s', async (_what, other) => {
  const {sent, own} = await both(other)
  expect(sent).toEqual(['DEP000017'])
  expect(own).toMatchObject({resend: true})
})

test.each<[what: string, other: Other]>([
  [
    'a completion by another name',
    {orderNo: 'DEP000017', event: 'order.paid', createdAt: '2026-11-20T10:00:30Z'},
  ],
  ['a newer failure of its own', {orderNo: 'DEP000017', event: 'order.cancelled'}],
])('what its own records say against it holds both ways to resend: %s', async (_what, other) => {
  const {sent, own} = await both(other)
  expect(sent).toEqual([])
  expect(own).toMatchObject({resend: false})
})
