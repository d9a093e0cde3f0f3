import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {formatPaisa} from '../../../src/core/money.ts'
import {type OrderState, orderKinds, orderStates, type ServiceOrder} from '../../../src/core/order.ts'
import type {ServiceSide} from '../../../src/core/reconcile/classify.ts'
import type {LedgerEntry} from '../../../src/core/reconcile/entry.ts'
import type {Finding} from '../../../src/core/reconcile/finding.ts'
import {isDuplicate, orderKey} from '../../../src/core/reconcile/orders.ts'
import {type TiedOrder, type TieOut, TieOutBuilder} from '../../../src/core/reconcile/tie-out.ts'
import {Staging} from '../../../src/staging/staging.ts'
import type {DecisionInput} from '../../../src/workflows/reconcile/decide.ts'
import {decideDuplicate, decideMissing, decideOrder} from '../../../src/workflows/reconcile/decide.ts'
import {Deliveries} from '../../../src/workflows/reconcile/deliveries.ts'
import {MatchTotals} from '../../../src/workflows/reconcile/match-totals.ts'
import {entry, noOverrides, nowMs, order} from './sample.ts'

const absent: ServiceSide = {is: 'absent'}
const byKey = (answers: readonly ServiceOrder[]) =>
  new Map(answers.map((one): [string, ServiceSide] => [orderKey(one), {is: 'found', order: one}]))

/** Both sides on the run's own staging store, decided by the real deciders without delivery records; `find` may lose something. */
async function tied(
  entries: readonly LedgerEntry[],
  sides: ReadonlyMap<string, ServiceSide>,
  find: (finding: Finding) => Finding[] = (finding) => [finding],
): Promise<TieOut> {
  const staging = new Staging()
  const client = {listDeliveries: () => Promise.reject(new Error('not read'))}
  const nothing = {window: null, mark: null, runId: 'run-1', skip: true, width: 1, onProgress: () => {}}
  const input: DecisionInput = {
    deliveries: await Deliveries.read(client, staging, {join: ['merchant_order_id'], ...nothing}),
    earlierResend: () => null,
    waitsSince: () => null,
    takenSeen: () => null,
    bookedBefore: new Map(),
    overrides: noOverrides,
    time: {nowMs, skewMs: 0},
    ledgerEndsMs: null,
    fileEndsMs: () => null,
    timeZone: 'Asia/Dhaka',
  }
  for (const one of entries) staging.ledger.entry(one)
  const matchTotals = new MatchTotals(staging, false)
  for (const ledgerOrder of staging.ledger.all()) {
    const side = sides.get(orderKey(ledgerOrder)) ?? absent
    staging.answers.put(ledgerOrder, side, 'decision')
    const [first] = ledgerOrder.entries
    const findings =
      isDuplicate(ledgerOrder) || !first
        ? decideDuplicate(ledgerOrder, side, [])
        : [decideOrder(first, side, input)]
    const service = side.is === 'found' ? side.order : null
    matchTotals.add({...ledgerOrder, service}, findings.flatMap(find))
  }
  for (const side of sides.values()) {
    if (side.is !== 'found' || staging.ledger.names(side.order)) continue
    matchTotals.addMissing(side.order)
    const finding = await decideMissing(side.order, side, input, {
      isOfLaterDay: () => false,
      weigh: (_, action) => ({action, reasons: [], isInRow: false}),
    })
    matchTotals.add({kind: side.order.kind, entries: [], service: side.order}, finding ? find(finding) : [])
  }
  return matchTotals.tieOut()
}

async function tie(entries: LedgerEntry[], answers: ServiceOrder[]): Promise<string> {
  const {ledgerCompleted, providerCompleted, difference, unexplained, amountUnknown} = await tied(
    entries,
    byKey(answers),
  )
  const sums = [ledgerCompleted, providerCompleted, difference, unexplained].map(formatPaisa)
  return `${sums[0]} - ${sums[1]} = ${sums[2]}, unexplained ${sums[3]}, untied ${amountUnknown}`
}

const booked = (orderNo: string, taka: number | null, line = 2) =>
  entry({orderNo, line, status: 'completed', amount: taka === null ? null : BigInt(taka) * 100n})
const paid = (orderNo: string, taka: number | null) =>
  order({orderNo, platformOrderNo: `p-${orderNo}`, amount: taka === null ? null : BigInt(taka) * 100n})

test('money short of the one kind and over of the other is no agreement', async () => {
  const payout = {kind: 'payout', orderNo: 'P'} as const
  const short = {...booked('A', 400), ...payout, amount: 50_000n}
  const answers = [paid('A', 500), order({...payout, platformOrderNo: 'p', amount: 40_000n})]
  const {difference, byKind} = await tied([booked('A', 400), short], byKey(answers))
  expect([byKind.deposit.difference, byKind.payout.difference]).toEqual([-10_000n, 10_000n])
  expect(difference).toBe(20_000n)
})

describe('worked out by hand', () => {
  test.each<[what: string, ledger: LedgerEntry[], service: ServiceOrder[], expected: string]>([
    ['empty books', [], [], '0.00 - 0.00 = 0.00, unexplained 0.00, untied 0'],
    [
      'agreeing books',
      [booked('A', 500)],
      [paid('A', 500)],
      '500.00 - 500.00 = 0.00, unexplained 0.00, untied 0',
    ],
    [
      'one paid and not booked, one booked and not paid, one of another amount',
      [entry({orderNo: 'A'}), booked('B', 300), booked('C', 100)],
      [paid('A', 500), paid('C', 90)],
      // 300 + 100 in the ledger; 500 + 90 at the service
      '400.00 - 590.00 = -190.00, unexplained 0.00, untied 0',
    ],
    ['an order no row names', [], [paid('A', 500)], '0.00 - 500.00 = -500.00, unexplained 0.00, untied 0'],
    [
      'booked twice, paid once',
      [booked('A', 500), booked('A', 500, 3)],
      [paid('A', 500)],
      '1000.00 - 500.00 = 500.00, unexplained 0.00, untied 0',
    ],
    [
      'a blank amount against a stated one is left out',
      [booked('A', null), booked('B', 10)],
      [paid('A', 500), paid('B', 10)],
      '10.00 - 10.00 = 0.00, unexplained 0.00, untied 1',
    ],
    [
      'a stated amount against a blank one is left out',
      [booked('A', 500)],
      [paid('A', null)],
      '0.00 - 0.00 = 0.00, unexplained 0.00, untied 1',
    ],
    [
      'blank on both sides hides nothing',
      [booked('A', null)],
      [paid('A', null)],
      '0.00 - 0.00 = 0.00, unexplained 0.00, untied 0',
    ],
    [
      'booked but still open at the service',
      [booked('A', 500)],
      [order({orderNo: 'A', status: 'open'})],
      '500.00 - 0.00 = 500.00, unexplained 0.00, untied 0',
    ],
    [
      'an unknown word counts as nothing',
      [booked('A', 500)],
      [order({orderNo: 'A', status: 'unknown_status'})],
      '500.00 - 0.00 = 500.00, unexplained 0.00, untied 0',
    ],
    [
      'beyond what a double can hold',
      [booked('A', 90_071_992_547_409)],
      [paid('A', 90_071_992_547_409), paid('B', 1)],
      '90071992547409.00 - 90071992547410.00 = -1.00, unexplained 0.00, untied 0',
    ],
  ])('%s', async (_what, ledger, service, expected) => {
    expect(await tie(ledger, service)).toBe(expected)
  })

  test('a row that cannot be read counts nowhere', () => {
    const matchTotals = new MatchTotals(new Staging(), false)
    matchTotals.add(null, [unreadableRow])
    expect(matchTotals.tieOut()).toMatchObject({explained: 0n, unexplained: 0n, ledgerCompleted: 0n})
  })
})

const unreadableRow: Finding = {
  ...{line: 9, file: 0, atRisk: null, kind: null, orderNo: 'D-1', verdict: 'unreadable_row'},
  ...{cause: 'amount_unreadable', action: 'review', severity: 'medium', ledger: null, service: null},
  ...{delivery: null, resend: null, explanation: ''},
}

test('an order that is lost between the sums and the findings shows', async () => {
  const entries = [booked('A', 500), booked('B', 300)]
  const sides = byKey([paid('A', 500), paid('B', 300), paid('C', 70)])
  const without = (orderNo: string) => (one: Finding) => (one.orderNo === orderNo ? [] : [one])
  expect((await tied(entries, sides)).unexplained).toBe(0n)
  expect((await tied(entries, sides, without('C'))).unexplained).toBe(-7_000n)
  const cut = (one: Finding) => [one.orderNo === 'B' ? {...one, service: null} : one]
  expect((await tied(entries, sides, cut)).unexplained).toBe(-30_000n)
})

const amount = fc.option(fc.bigInt({min: 0n, max: 10n ** 17n}), {nil: null})
const orderNo = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F')
const kind = fc.constantFrom(...orderKinds)
const randomEntry = fc
  .record({orderNo, kind, status: fc.constantFrom(...orderStates), amount})
  .map((change) => entry(change))
const randomSide = fc.oneof(
  fc
    .record({
      orderNo,
      kind,
      amount,
      status: fc.constantFrom<OrderState | 'unknown_status'>(...orderStates, 'unknown_status'),
    })
    .map((change) => ({...change, side: {is: 'found', order: order(change)} as ServiceSide})),
  fc.record({orderNo, kind}).map((one) => ({
    ...one,
    side: {is: 'no_answer', code: 'service_busy', because: 'busy'} as ServiceSide,
  })),
)

test('whatever the two sides say, the findings of the real deciders explain the difference to the paisa', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(randomEntry, {maxLength: 12}),
      fc.array(randomSide, {maxLength: 12}),
      async (rows, answered) => {
        const sides = new Map(answered.map(({side, ...one}) => [orderKey(one), side]))
        const {byKind} = await tied(rows, sides)
        for (const kind of orderKinds) {
          const {unexplained, difference, ledgerCompleted, providerCompleted, unansweredAmount} = byKind[kind]
          // What the ledger completed of orders that got no answer is explained by nothing.
          const silent = rows.filter(
            (row) =>
              row.kind === kind && row.status === 'completed' && sides.get(orderKey(row))?.is === 'no_answer',
          )
          expect(unansweredAmount).toBe(silent.reduce((sum, {amount: one}) => sum + (one ?? 0n), 0n))
          expect(unexplained).toBe(unansweredAmount)
          expect(difference).toBe(ledgerCompleted - providerCompleted)
        }
      },
    ),
    {numRuns: 500},
  )
})

describe('of each order', () => {
  const sums = {deposit: {ledger: 0n, service: 0n}, payout: {ledger: 0n, service: 0n}}
  /** A booked row and a completed order of so much; null: not there. */
  function tiedOrder(ours: bigint | null, theirs: bigint | null, verdicts: readonly string[]): TiedOrder {
    const ledger = ours === null ? null : ({status: 'completed', amount: ours} as const)
    const service = theirs === null ? null : order({amount: theirs})
    const findings = verdicts.map((text) => {
      const [verdict, cause = null] = text.split(' ')
      return {verdict, cause, ledger, service}
    })
    return {kind: 'deposit', entries: ledger ? [ledger] : [], service, findings} as unknown as TiedOrder
  }

  test.each<[what: string, order: TiedOrder, balance: string | null]>([
    ['both agree', tiedOrder(5n, 5n, ['matched']), '5 5 0 matched null'],
    ['amounts differ', tiedOrder(7n, 5n, ['amount_mismatch booked']), '7 5 2 amount_mismatch booked'],
    [
      'of several findings the one that does not agree',
      tiedOrder(5n, null, ['matched', 'unknown_status']),
      '5 0 10 unknown_status null',
    ],
    ['nothing was found', tiedOrder(5n, 5n, []), '5 5 0 null null'],
    ['no answer', tiedOrder(5n, null, ['query_failed']), null],
    ['a duplicate without an answer', tiedOrder(5n, null, ['duplicate_in_ledger query_failed']), null],
    ['a duplicate that was not asked', tiedOrder(5n, null, ['duplicate_in_ledger not_asked']), null],
    ['a duplicate', tiedOrder(5n, 5n, ['duplicate_in_ledger matched']), '5 5 0 duplicate_in_ledger matched'],
    [
      'no amount on one side',
      {...tiedOrder(5n, 5n, ['matched']), service: order({amount: null})},
      '0 0 0 null null',
    ],
  ])('%s', (_, one, balance) => {
    const added = new TieOutBuilder().add(one)
    const text =
      added && [added.ledger, added.service, added.difference, added.verdict, added.cause].join(' ')
    expect(text?.replace(/ (?= |$)/g, ' null') ?? null).toBe(balance)
  })

  test('differences are grouped by verdict and cause, less and more apart, and one can be taken back', () => {
    const builder = new TieOutBuilder()
    const given = [
      tiedOrder(7n, 5n, ['amount_mismatch a']),
      tiedOrder(5n, 8n, ['amount_mismatch a']),
      tiedOrder(6n, 5n, ['amount_mismatch b']),
      tiedOrder(6n, 5n, ['status_mismatch a']),
      tiedOrder(5n, 5n, ['matched']),
    ]
    for (const one of given) builder.add(one)
    builder.add(tiedOrder(9n, 5n, ['amount_mismatch a']))
    builder.add(tiedOrder(9n, 5n, ['amount_mismatch a']), -1n)
    expect(builder.build(sums).reconciling).toEqual({
      deposit: [
        {verdict: 'amount_mismatch', cause: 'a', orders: 2, plus: 3n, minus: 2n},
        {verdict: 'amount_mismatch', cause: 'b', orders: 1, plus: 0n, minus: 1n},
        {verdict: 'status_mismatch', cause: 'a', orders: 1, plus: 0n, minus: 1n},
      ],
      payout: [],
    })
  })

  test.each([
    [0n, 0n, 0n],
    [5n, 3n, 8n],
    [-5n, -3n, -8n],
    [-5n, 0n, -5n],
    [0n, 3n, 3n],
    [-5n, 3n, 8n],
    [5n, -3n, 8n],
  ])('%s of deposits and %s of payouts are %s apart', (deposit, payout, apart) => {
    const of = (ledger: bigint) => ({ledger, service: 0n})
    const built = new TieOutBuilder().build({deposit: of(deposit), payout: of(payout)})
    expect([built.difference, built.ledgerCompleted]).toEqual([apart, deposit + payout])
  })
})
