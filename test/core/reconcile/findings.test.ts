import {expect, test} from 'vitest'

import type {LedgerSide} from '../../../src/core/reconcile/classify.ts'
import {
  asksAnotherRun,
  asksAPerson,
  changed,
  type Finding,
  isUnremarkable,
  type ResendState,
} from '../../../src/core/reconcile/finding.ts'
import {closedForMs, fits, isClosing} from '../../../src/core/reconcile/ignore.ts'
import {itemState} from '../../../src/core/reconcile/item.ts'
import {digitsOf, mayHaveBeen} from '../../../src/core/reconcile/like-amount.ts'
import {
  hadBookedRow,
  isHeldBack,
  lastRow,
  lastServiceAmount,
  listedBy,
  saysTheSame,
  snapshotOf,
} from '../../../src/core/reconcile/snapshot.ts'
import {summedBy} from '../../../src/core/reconcile/summed-amounts.ts'
import {Tally} from '../../../src/core/reconcile/tally.ts'
import {order} from './sample.ts'

function finding(change: object = {}): Finding {
  return {
    ...{
      line: 2,
      file: 0,
      kind: 'deposit',
      orderNo: 'D-1',
      verdict: 'missing_completion',
      cause: 'delivery_exhausted',
    },
    ...{action: 'resend', severity: 'high', atRisk: 50_000n, ledger: {status: 'open', amount: 50_000n}},
    ...{service: order(), delivery: null, resend: null, explanation: ''},
    ...change,
  } as Finding
}
const resent = (state: ResendState, needsPerson = false): object => ({
  ...{cause: 'delivery_exhausted' as const},
  resend: {
    state,
    sentAtMs: 1,
    responseCode: null,
    why: null,
    ...(needsPerson ? {needsPerson: true as const} : {}),
  },
})

test.each<[what: string, change: object, who: 'nobody' | 'a person' | 'another run' | 'this run']>([
  ['agrees', {verdict: 'matched', cause: null, action: 'none'}, 'nobody'],
  ['is retried', {cause: 'retry_scheduled', action: 'wait'}, 'nobody'],
  ['is to be resent', {}, 'a person'],
  ['is to be looked at', {action: 'review'}, 'a person'],
  ['got no answer', {verdict: 'query_failed', cause: null, action: 'retry'}, 'another run'],
  ['was not asked', {verdict: 'query_failed', cause: 'not_asked', action: 'retry'}, 'this run'],
  ['was resent lately', {cause: 'recently_resent', action: 'wait'}, 'another run'],
  ['is planned', resent('planned'), 'this run'],
  ['was sent', resent('sent'), 'another run'],
  ['was refused', resent('refused'), 'another run'],
  ['was skipped', resent('skipped'), 'another run'],
  ['was skipped until a person decides', resent('skipped', true), 'a person'],
  ['failed again', resent('still_failing'), 'a person'],
  ['ended in doubt', resent('unknown'), 'a person'],
  ['was delivered', resent('delivered'), 'nobody'],
])('what %s asks %s', (_, change, who) => {
  const one = finding(change)
  expect([asksAPerson(one), asksAnotherRun(one)]).toEqual([who === 'a person', who === 'another run'])
})

test.each<[change: object, isPlain: boolean]>([
  [{verdict: 'matched'}, true],
  [{verdict: 'in_flight'}, true],
  [{}, false],
  [{...resent('delivered'), verdict: 'matched'}, false],
])('what needs no line of its own (%#)', (change, isPlain) => {
  expect(isUnremarkable(finding(change))).toBe(isPlain)
})

test('findings are changed each time they are read, those that are kept and all', () => {
  const [shown, kept] = [finding(), finding({orderNo: 'D-2'})]
  const findings = {[Symbol.iterator]: () => [shown][Symbol.iterator](), all: [shown, kept]}
  const named = changed(findings, (one) => ({...one, explanation: `${one.orderNo}!`}))
  for (const _ of [1, 2]) {
    expect([...named].map(({explanation}) => explanation)).toEqual(['D-1!'])
    expect([...named.all].map(({explanation}) => explanation)).toEqual(['D-1!', 'D-2!'])
  }
})

test('findings are counted by verdict, kind, cause and action, and what failed on both sides adds nothing', () => {
  const tally = new Tally()
  const agrees = {verdict: 'matched', cause: null, action: 'none', ledger: {status: 'completed', amount: 1n}}
  const failed = {...agrees, kind: 'payout', ledger: {status: 'failed', amount: 1n}}
  const unknown = {service: null, ledger: null, action: 'review'}
  const given = [
    {},
    {},
    {kind: 'payout'},
    {cause: 'retry_scheduled'},
    {action: 'wait'},
    agrees,
    failed,
    unknown,
  ]
  for (const change of given) tally.add(finding(change))
  tally.add(finding({orderNo: 'D-9', action: 'retry'}))
  tally.add(finding({orderNo: 'D-9', action: 'retry'}), -1)
  const groups = tally
    .result()
    .map(({verdict, kind, cause, action, findings, amount}) =>
      [verdict, kind, cause, action, findings, amount].join(),
    )
  expect(groups).toEqual([
    'missing_completion,deposit,delivery_exhausted,resend,2,100000',
    'missing_completion,payout,delivery_exhausted,resend,1,50000',
    'missing_completion,deposit,retry_scheduled,resend,1,50000',
    'missing_completion,deposit,delivery_exhausted,wait,1,50000',
    `matched,deposit,,none,1,${groups[4]?.split(',').at(-1)}`,
    'matched,payout,,none,1,',
    'missing_completion,deposit,delivery_exhausted,review,1,',
  ])
  expect(groups[4]).not.toMatch(/,$/)
})

const row = finding({deliveredAmount: 60_000n})
const told = snapshotOf([row])

test('a snapshot has cause, action, both states and all amounts, whatever the order of the rows', () => {
  expect(JSON.parse(told).map((text: string) => JSON.parse(text))).toEqual([
    ['delivery_exhausted', 'resend', 'open', '50000', 'completed', '50000', 'platform-1', '60000'],
  ])
  const other = finding({action: 'review'})
  expect(snapshotOf([row, other])).toBe(snapshotOf([other, row]))
  const strange = finding({service: order({status: 'unknown_status', rawStatus: 'PAID'}), ledger: null})
  expect(JSON.parse(JSON.parse(snapshotOf([strange]))[0]).slice(2, 5)).toEqual([null, null, 'PAID'])
  expect(snapshotOf([finding({listedBy: 'run-7'})])).toContain('book run-7')
})

test.each<
  [
    what: string,
    snapshot: string | null,
    read: readonly [listed: string | null, service: bigint | null, row: LedgerSide | null],
  ]
>([
  ['nothing', null, [null, null, null]],
  ['one row', told, [null, 50_000n, {status: 'open', amount: 50_000n}]],
  [
    'a row that was listed',
    snapshotOf([finding({listedBy: 'run-7'})]),
    ['run-7', 50_000n, {status: 'open', amount: 50_000n}],
  ],
  ['two rows', snapshotOf([row, row]), [null, 50_000n, null]],
  ['no rows', '[]', [null, null, null]],
  ['no ledger', snapshotOf([finding({ledger: null})]), [null, 50_000n, null]],
  [
    'no amounts',
    snapshotOf([finding({ledger: {status: 'open', amount: null}, service: order({amount: null})})]),
    [null, null, {status: 'open', amount: null}],
  ],
])('of an earlier run %s: what is remembered', (_, snapshot, [listed, service, ledger]) => {
  expect([listedBy({snapshot}), lastServiceAmount({snapshot}), lastRow({snapshot})]).toEqual([
    listed,
    service,
    ledger,
  ])
})

test.each<[what: string, snapshot: string | null, change: object, isSame: boolean]>([
  ['the same', told, {}, true],
  ['another amount in the payload', told, {deliveredAmount: 1n}, true],
  ['another action', told, {action: 'review'}, false],
  ['another amount at the service', told, {service: order({amount: 1n})}, false],
  ['two rows before', snapshotOf([row, row]), {}, false],
  ['nothing before', null, {}, false],
])('only the payload may be new: %s', (_, snapshot, change, isSame) => {
  expect(saysTheSame(snapshot, finding({deliveredAmount: 60_000n, ...change}))).toBe(isSame)
})

test('nothing is held back, and no row was booked, in what an earlier version did not keep', () => {
  expect(isHeldBack({closedMs: null, snapshot: null})).toBe(false)
  expect(hadBookedRow({verdict: 'missing_in_ledger', snapshot: null})).toBe(false)
})

test.each([
  ['delivered', null, null, 'delivered'],
  ['delivery_exhausted', null, null, 'open'],
  ['delivered', 1, 'ledger', 'confirmed'],
  ['delivered', 1, 'person', 'closed'],
  ['delivery_exhausted', 1, 'ledger', 'closed'],
] as const)('an item with the cause %s, closed at %s by %s, is %s', (cause, closedMs, closedBy, state) => {
  expect(itemState({cause, closedMs, closedBy})).toBe(state)
})

test('an ignore fits what it was made for, and a closing has no end', () => {
  expect(fits({snapshot: 'a', openedMs: 1}, {snapshot: 'a', openedMs: 1})).toBe(true)
  expect(fits({snapshot: 'a', openedMs: 1}, {snapshot: 'b', openedMs: 1})).toBe(false)
  expect(fits({snapshot: 'a', openedMs: 1}, {snapshot: 'a', openedMs: 2})).toBe(false)
  expect([isClosing({expiresAtMs: closedForMs}), isClosing({expiresAtMs: closedForMs - 1})]).toEqual([
    true,
    false,
  ])
})

test.each<[text: string, digits: string | null]>([
  ['500.00', '~5'],
  ['5,00', '~5'],
  ['1,250', '~125 ~126'],
  ['BDT 500', '~5'],
  ['500 tk', '~5'],
  ['500-', '~5'],
  ['12.3456', '~123456 ~1234 ~1235'],
  ['৫০০', '~5'],
  ['0501', '~501'],
  ['abc', null],
  ['', null],
  ['12/11/2026', null],
  ['2026-11-20', null],
])('the unreadable amount "%s" may have been %s', (text, digits) => {
  expect(mayHaveBeen(text)).toBe(digits)
})

test('an amount is compared by its digits alone', () => {
  expect([50_000n, 5n, 105n, 0n].map(digitsOf)).toEqual(['~5', '~5', '~105', '~'])
})

test.each<[amounts: readonly bigint[], totals: readonly bigint[], parts: Record<string, string>]>([
  [[1n, 2n, 4n], [7n], {1: '7', 2: '7', 4: '7'}],
  [[1n, 2n, 4n], [3n], {1: '3', 2: '3'}],
  [[1n, 2n, 4n], [4n, 8n], {}],
  [[2n, 4n], [4n], {}],
  [[2n, 2n, 5n], [4n], {2: '4'}],
  [[5n], [5n], {}],
  [[1n, 2n, 4n], [3n, 5n], {1: '5', 2: '3', 4: '5'}],
  [[], [0n], {}],
])('of some amounts those that make up a total (%#)', (amounts, totals, parts) => {
  const found = summedBy(amounts, new Set(totals))
  expect(Object.fromEntries([...found].map(([part, total]) => [String(part), String(total)]))).toEqual(parts)
})
