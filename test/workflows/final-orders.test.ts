import {expect, test} from 'vitest'

import type {ServiceOrder} from '../../src/core/order.ts'
import type {ServiceSide} from '../../src/core/reconcile/classify.ts'
import type {BookedRow} from '../../src/core/reconcile/entry.ts'
import type {FinalOrder} from '../../src/journal/memory-rows.ts'
import {
  FinalOrderRecorder,
  isFinal,
  serviceOf,
  takeFinalOrders,
} from '../../src/workflows/reconcile/final-orders.ts'
import {profileAt} from '../api/fixture.ts'
import {entry, hourMs, nowMs, order} from '../core/reconcile/sample.ts'

const profile = profileAt('https://pay.example')
const paidRow = entry({status: 'completed'})

/** D-1, completed on both sides with BDT 500.00, asked for an hour ago by the run before. */
const before: FinalOrder = {
  ...{
    kind: 'deposit',
    orderNo: 'D-1',
    status: 'completed',
    rawStatus: 'completed',
    platformOrderNo: 'platform-1',
  },
  ...{ledgerAmount: 50_000n, serviceAmount: 50_000n, runId: 'run-1', askedAtMs: nowMs - hourMs},
  ...{isSeenOnly: false, isTakenBack: false},
}

interface Case {
  readonly final?: Partial<FinalOrder>
  readonly rows?: readonly ReturnType<typeof entry>[]
  readonly unreadable?: number
  readonly hasLedgerAmounts?: boolean
  readonly skipFinal?: boolean
  readonly service?: readonly string[]
}

test.each<[what: string, one: Case, isTaken: boolean]>([
  ['as it was', {}, true],
  ['without --skip-final', {skipFinal: false}, false],
  ['of this run’s own process before', {skipFinal: false, final: {runId: 'run-2'}}, true],
  ['of this run’s own, a day ago', {final: {runId: 'run-2', askedAtMs: nowMs - 24 * hourMs}}, false],
  [
    'of this run’s own, almost a day ago',
    {final: {runId: 'run-2', askedAtMs: nowMs - 24 * hourMs + 1}},
    true,
  ],
  ['of an earlier run, a month ago', {final: {askedAtMs: nowMs - 720 * hourMs}}, true],
  ['from a dry run', {final: {isSeenOnly: true}}, false],
  ['a later answer was another', {final: {isTakenBack: true}}, false],
  ['of another service', {service: ['https://other.example', 'https://other.example']}, false],
  ['of more addresses than these', {service: [...serviceOf(profile), 'https://third.example']}, false],
  ['of a service that nobody wrote down', {service: []}, false],
  ['its row is open now', {rows: [entry()]}, false],
  ['its row has another amount now', {rows: [entry({status: 'completed', amount: 60_000n})]}, false],
  [
    'its row names another order now',
    {rows: [entry({status: 'completed', platformOrderNo: 'platform-9'})]},
    false,
  ],
  ['it has two rows now', {rows: [paidRow, paidRow]}, false],
  ['it has a row that cannot be read now', {unreadable: 1}, false],
  ['it has no row that can be read', {rows: [], unreadable: 1}, false],
  ['its status has another meaning by the profile of now', {final: {rawStatus: 'refunded'}}, false],
  ['the amounts differed', {final: {serviceAmount: 60_000n}}, false],
  ['only the ledger has an amount', {final: {serviceAmount: null}}, false],
  [
    'only the service has an amount, of a ledger with amounts',
    {rows: [entry({status: 'completed', amount: null})], final: {ledgerAmount: null}},
    false,
  ],
  [
    'only the service has an amount, of a ledger without any',
    {
      rows: [entry({status: 'completed', amount: null})],
      final: {ledgerAmount: null},
      hasLedgerAmounts: false,
    },
    true,
  ],
  [
    'neither has an amount',
    {rows: [entry({status: 'completed', amount: null})], final: {ledgerAmount: null, serviceAmount: null}},
    true,
  ],
  [
    'it failed, whatever the amounts',
    {rows: [entry({status: 'failed'})], final: {status: 'failed', rawStatus: 'failed', serviceAmount: null}},
    true,
  ],
])('an order that an earlier run found final is not asked for again: %s', async (_what, one, isTaken) => {
  const {final = {}, rows = [paidRow], unreadable = 0, hasLedgerAmounts = true, skipFinal = true} = one
  const order = {
    kind: 'deposit',
    orderNo: 'D-1',
    entries: rows,
    unreadable: Array(unreadable).fill({}),
  } as const
  const known = {...before, ...final}
  const taken: unknown[] = []
  const fromRuns = await takeFinalOrders(
    [order as never],
    {
      findFinalOrders: async (kind) => (kind === 'deposit' ? [known] : []),
      findRun: async () => ({options: JSON.stringify({service: one.service ?? serviceOf(profile)})}) as never,
    },
    profile,
    {nowMs, runId: 'run-2', skipFinal, hasLedgerAmounts},
    (of, side) => void taken.push([of, side]),
  )
  const {kind, orderNo, platformOrderNo, status, rawStatus, serviceAmount: amount, runId, askedAtMs} = known
  const answer = {
    is: 'found',
    order: {kind, orderNo, platformOrderNo, status, rawStatus, amount},
    takenFrom: {runId, askedAtMs},
  }
  expect(taken).toEqual(isTaken ? [[order, answer]] : [])
  expect([...fromRuns]).toEqual(isTaken ? [[runId, {orders: 1, oldestMs: askedAtMs}]] : [])
})

test('a deposit and a payout of one number each have their own answer', async () => {
  const rows = (['payout', 'deposit'] as const).map((kind) => ({
    ...{kind, orderNo: 'D-1', entries: [{...paidRow, kind}], unreadable: []},
  }))
  const taken: unknown[] = []
  const findFinalOrders = async (kind: FinalOrder['kind'], orderNos: readonly string[]) =>
    orderNos.map((orderNo) => ({...before, kind, orderNo, platformOrderNo: `of-the-${kind}`}))
  const findRun = async () => ({options: JSON.stringify({service: serviceOf(profile)})}) as never
  const asking = {nowMs, runId: 'run-2', skipFinal: true, hasLedgerAmounts: true}
  const journal = {findFinalOrders, findRun}
  const fromRuns = await takeFinalOrders(rows as never[], journal, profile, asking, ({kind}, side) => {
    taken.push([kind, side.is === 'found' && side.order.platformOrderNo])
  })
  expect(taken).toEqual([
    ['deposit', 'of-the-deposit'],
    ['payout', 'of-the-payout'],
  ])
  expect([...fromRuns.values()]).toEqual([{orders: 2, oldestMs: before.askedAtMs}])
})

test.each<
  [what: string, row: Parameters<typeof entry>[0], service: Parameters<typeof order>[0], isIt: boolean]
>([
  ['completed', {status: 'completed'}, {}, true],
  ['failed, whatever the amounts', {status: 'failed'}, {status: 'failed', amount: 9n}, true],
  ['open', {status: 'open'}, {status: 'open'}, false],
  ['open in the ledger alone', {status: 'open'}, {}, false],
  ['another amount', {status: 'completed', amount: 60_000n}, {}, false],
  ['no amount in the ledger', {status: 'completed', amount: null}, {}, true],
  ['no amount at the service', {status: 'completed'}, {amount: null}, true],
  ['another platform number', {status: 'completed', platformOrderNo: 'platform-9'}, {}, false],
  ['the same platform number', {status: 'completed', platformOrderNo: 'platform-1'}, {}, true],
])('a row and its order are final, %s: %#', (_what, row, service, isIt) => {
  expect(isFinal(entry(row), order(service))).toBe(isIt)
})

const openRow = entry({status: 'open'})
type Kept = {readonly final?: unknown; readonly notFinal?: unknown}
const [paidOrder, openOrder] = [order(), order({status: 'open', rawStatus: 'processing'})]
const found = (one: ServiceOrder) => ({is: 'found', order: one}) as const

test.each<[what: string, rows: readonly BookedRow[], side: ServiceSide, kept: Kept]>([
  ['booked and paid', [paidRow], found(paidOrder), {final: {ledgerAmount: 50_000n, order: paidOrder}}],
  ['booked, and open at the service', [paidRow], found(openOrder), {notFinal: null}],
  ['open on both sides', [openRow], found(openOrder), {notFinal: null}],
  ['open in the ledger, and paid', [openRow], found(paidOrder), {notFinal: paidOrder}],
  ['failed in the ledger, and paid', [entry({status: 'failed'})], found(paidOrder), {notFinal: paidOrder}],
  ['booked, and not there', [paidRow], {is: 'absent'}, {notFinal: null}],
  ['open in two rows, and paid', [openRow, openRow], found(paidOrder), {notFinal: null}],
  ['booked in two rows, and paid', [paidRow, paidRow], found(paidOrder), {notFinal: null}],
  ['in no row that can be read', [], found(paidOrder), {}],
  ['without an answer', [paidRow], {is: 'no_answer', code: 'service_busy', because: 'HTTP 503'}, {}],
])(
  'what a run remembers of an order, and a dry run of a final one alone: %s',
  async (_what, entries, side, kept) => {
    const {final, notFinal} = kept
    for (const isSeenOnly of [false, true]) {
      const written: unknown[] = []
      const journal = {recordFinalOrders: async (...all: unknown[]) => void written.push(all)}
      const recorder = new FinalOrderRecorder(journal, 'run-1', () => nowMs, isSeenOnly)
      await recorder.take({kind: 'deposit', orderNo: 'D-1', entries, unreadable: []} as never, side)
      await recorder.flush()
      await recorder.flush()
      const revoked =
        isSeenOnly || notFinal === undefined ? [] : [{kind: 'deposit', orderNo: 'D-1', paid: notFinal}]
      const finals = final === undefined ? [] : [final]
      const isAny = revoked.length + finals.length > 0
      expect(written).toEqual(isAny ? [['run-1', nowMs, finals, revoked, isSeenOnly]] : [])
    }
  },
)

test('answers are written down by the thousand, and the rest at the end', async () => {
  const written: number[] = []
  const journal = {
    recordFinalOrders: async (
      _run: string,
      _at: number,
      finals: readonly unknown[],
      revoked: readonly unknown[],
    ) => void written.push(finals.length + revoked.length),
  }
  const recorder = new FinalOrderRecorder(journal, 'run-1', () => nowMs, false)
  for (let n = 0; n < 999; n += 1)
    await recorder.take(
      {kind: 'deposit', orderNo: `D-${n}`, entries: [paidRow], unreadable: []} as never,
      found(paidOrder),
    )
  expect(written).toEqual([])
  await recorder.revoke({kind: 'deposit', orderNo: 'D-0'})
  expect(written).toEqual([1_000])
  await recorder.revoke({kind: 'deposit', orderNo: 'D-1'})
  await recorder.flush()
  expect(written).toEqual([1_000, 1])
})
