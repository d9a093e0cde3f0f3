import {describe, expect, test} from 'vitest'

import {type LedgerEntry, type UnreadableRow, unreadableCauses} from '../../../src/core/reconcile/entry.ts'
import type {Explained} from '../../../src/core/reconcile/explain.ts'
import {type Finding, isBreak, resendStates} from '../../../src/core/reconcile/finding.ts'
import {isDuplicate} from '../../../src/core/reconcile/orders.ts'
import {
  type Action,
  actions,
  amountCauses,
  type Cause,
  causes,
  deliveryCauses,
  duplicateCauses,
  type Judged,
  laterCauses,
  type Verdict,
  verdicts,
} from '../../../src/core/reconcile/verdict.ts'
import {amountAtRisk, explain, severityOf} from '../../../src/core/reconcile/verdict-facts.ts'
import {Staging} from '../../../src/staging/staging.ts'
import {delivery, entry, hourMs, minutesAgo, nowMs, order} from './sample.ts'

const causesOf: Readonly<Record<Verdict, readonly (Cause | null)[]>> = {
  matched: [null],
  in_flight: [null],
  missing_completion: [...deliveryCauses, ...laterCauses, 'delivered_amount_differs'],
  missing_in_ledger: [...deliveryCauses, ...laterCauses, 'delivered_amount_differs'],
  amount_mismatch: [null, ...amountCauses],
  status_mismatch: [
    'booked_but_open',
    'booked_but_failed',
    'failed_not_booked',
    'failed_maybe_paid',
    'reopened',
    'other_platform_order_no',
    'booked_before_resent',
    'paid_after_all',
  ],
  missing_at_provider: ['booked', 'open'],
  unknown_status: [null],
  query_failed: [null, 'not_asked'],
  duplicate_in_ledger: [...duplicateCauses, 'not_asked'],
  unreadable_row: unreadableCauses,
}
const pairs = verdicts.flatMap((verdict) => causesOf[verdict].map((cause) => ({verdict, cause}) as Judged))

function explained(change: object): Explained {
  return {
    verdict: 'matched',
    cause: null,
    action: 'review',
    kind: 'deposit',
    ledger: {status: 'open', amount: 50_000n},
    service: order({sentAmount: 70_000n}),
    delivery: delivery(),
    detail: 'the detail',
    ...change,
  } as Explained
}

/** What may be known of an order besides its verdict, and changes the sentence. */
const known: readonly object[] = [
  {},
  {kind: 'payout'},
  {detail: null},
  {detail: null, action: 'wait'},
  {detail: null, kind: 'payout', ledger: {status: 'failed', amount: 50_000n}},
  {ledger: {status: 'failed', amount: null}},
  {service: order({amount: null, sentAmount: 70_000n})},
  {delivery: delivery({attempts: 1, responseCode: null, sentAt: null}), deliveredAmount: null},
  {ledgerEndsMs: nowMs - 11 * hourMs},
  {ledgerEndsMs: nowMs - 10 * hourMs},
  {ledger: null, service: null, delivery: null, detail: null, kind: null, deliveredAmount: null},
]

// `npm run snapshot` writes the file anew: read its difference.
test('every verdict and cause is explained, by what is known', async () => {
  const lines = pairs.flatMap((judged) => {
    const status = judged.cause === 'delivered_not_booked' ? 'success' : 'failed'
    const sent = delivery({status, nextRetryAt: minutesAgo(-30)})
    // What follows the first sentence is that of `missing_completion`.
    const some = judged.verdict === 'missing_in_ledger' ? known.slice(0, 2) : known
    const texts = some.map((more) =>
      explain(explained({deliveredAmount: 60_000n, delivery: sent, ...judged, ...more}), 'Asia/Dhaka'),
    )
    return [`${judged.verdict}, ${judged.cause}`, ...new Set(texts.map((text) => `  ${text.trim()}`))]
  })
  expect(lines.filter((line) => /undefined|null\b(?<!, null)|NaN|\[object|\$\{|\S {2}/.test(line))).toEqual(
    [],
  )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('explanations.txt')
})

test('every cause belongs to a verdict', () => {
  const placed = new Set(pairs.map(({cause}) => cause))
  expect(causes.filter((cause) => !placed.has(cause))).toEqual([])
})

test.each<[Verdict, Cause | null, string]>([
  ['matched', null, 'none'],
  ['in_flight', null, 'none'],
  ['missing_completion', 'delivery_exhausted', 'high'],
  ['missing_in_ledger', 'no_delivery_record', 'high'],
  ['missing_completion', 'retry_scheduled', 'medium'],
  ['missing_completion', 'recently_resent', 'medium'],
  ['amount_mismatch', null, 'high'],
  ['status_mismatch', 'booked_but_open', 'high'],
  ['status_mismatch', 'booked_but_failed', 'high'],
  ['status_mismatch', 'reopened', 'medium'],
  ['status_mismatch', 'failed_not_booked', 'low'],
  ['status_mismatch', 'failed_maybe_paid', 'medium'],
  ['missing_at_provider', 'booked', 'high'],
  ['missing_at_provider', 'open', 'medium'],
  ['query_failed', null, 'medium'],
  ['duplicate_in_ledger', null, 'medium'],
  ['unreadable_row', 'amount_unreadable', 'medium'],
  ['unknown_status', null, 'medium'],
])('%s, %s is %s', (verdict, cause, severity) => {
  expect(severityOf({verdict, cause} as Judged)).toBe(severity)
})

test('a sentence names the amounts in taka and the word the service used', () => {
  expect(explain(explained({verdict: 'amount_mismatch', service: order({amount: 12_345_600n})}))).toContain(
    'The ledger has BDT 500.00. The service has BDT 1,23,456.00.',
  )
  const hostile = order({status: 'unknown_status', rawStatus: 'paid\u001b[31m\u202e'})
  expect(explain(explained({verdict: 'unknown_status', service: hostile}))).toContain(
    '"paid\\u{1b}[31m\\u{202e}"',
  )
  expect(
    explain(
      explained({
        ...{verdict: 'missing_completion', cause: 'delivery_exhausted', kind: 'payout', action: 'resend'},
      }),
    ),
  ).toBe(
    'Paid out by the service (BDT 500.00), but still open in the ledger. Its webhook failed after 5 tries (HTTP 503 from your server), and the service retries no more.',
  )
})

describe('what is left to do', () => {
  const finding = (change: Partial<Finding>) =>
    ({
      ...{line: 2, file: 0, kind: 'deposit', orderNo: 'D-1', verdict: 'missing_completion', cause: null},
      ...{
        action: 'resend',
        severity: 'high',
        atRisk: null,
        ledger: {status: 'open', amount: 50_000n},
        service: order(),
      },
      ...{delivery: null, resend: null, explanation: ''},
      ...change,
    }) as Finding

  test.each<[Action, boolean]>([
    ['none', false],
    ['wait', false],
    ['resend', true],
    ['review', true],
    ['retry', true],
  ])('%s: a break is %s', (action, expected) => {
    expect(actions).toContain(action)
    expect(isBreak(finding({action}))).toBe(expected)
  })

  test.each(resendStates)('a resend that is %s', (state) => {
    const resend = {state, sentAtMs: null, responseCode: null, why: null}
    expect(isBreak(finding({resend}))).toBe(state !== 'delivered')
  })

  const mismatch = {verdict: 'status_mismatch', service: order({status: 'failed'})} as const
  test.each<[string, Partial<Finding>, bigint | null]>([
    ['nothing where both agree', {verdict: 'matched'}, 0n],
    ['nothing while both are open', {verdict: 'in_flight'}, 0n],
    ['the difference', {verdict: 'amount_mismatch', service: order({amount: 70_000n})}, 20_000n],
    [
      'the difference to what was delivered, where the service states no amount',
      {verdict: 'amount_mismatch', service: order({amount: null}), deliveredAmount: 5_000n},
      45_000n,
    ],
    ['the payment', {service: order({amount: 70_000n})}, 70_000n],
    ['the row, where the service states no amount', {service: order({amount: null})}, 50_000n],
    ['the booking', {verdict: 'missing_at_provider', cause: 'booked', service: null}, 50_000n],
    ['nothing of what was never created', {verdict: 'missing_at_provider', cause: 'open', service: null}, 0n],
    ['nothing where it failed and was not booked', {...mismatch, cause: 'failed_not_booked'}, 0n],
    [
      'the booking of what may be paid otherwise',
      {...mismatch, cause: 'failed_maybe_paid', ledger: {status: 'completed', amount: 50_000n}},
      50_000n,
    ],
    [
      'nothing of what may be paid otherwise and is not booked',
      {...mismatch, cause: 'failed_maybe_paid', ledger: {status: 'open', amount: 50_000n}},
      0n,
    ],
    ['the credit without a payment', {...mismatch, cause: 'booked_but_failed'}, 50_000n],
    ['unknown where nobody says', {ledger: null, service: null}, null],
  ])('at risk is %s', (_what, change, atRisk) => {
    expect(amountAtRisk(finding(change))).toBe(atRisk)
  })

  test('of two rows of one order the second is at risk', () => {
    const row = finding({verdict: 'duplicate_in_ledger'})
    expect([amountAtRisk(row), amountAtRisk(row, true)]).toEqual([0n, 50_000n])
  })
})

describe('the orders of a ledger', () => {
  const unreadable: UnreadableRow = {
    ...{line: 9, file: 0, cause: 'amount_unreadable', detail: 'amount "-".', orderNo: 'D-1'},
  }
  const ledgerOf = (entries: readonly LedgerEntry[], rows: readonly UnreadableRow[] = []) => {
    const {ledger} = new Staging()
    for (const one of entries) ledger.entry(one)
    for (const row of rows) ledger.unreadable(row)
    return ledger
  }
  const duplicates = (...given: Parameters<typeof ledgerOf>) => [...ledgerOf(...given).all()].map(isDuplicate)

  test('a deposit and a payout may share a number; numbers compare byte for byte', () => {
    const entries = [entry(), entry({kind: 'payout', line: 3}), entry({orderNo: 'd-1', line: 4})]
    expect(duplicates(entries)).toEqual([false, false, false])
    const ledger = ledgerOf(entries)
    expect([...ledger.kinds]).toEqual(['deposit', 'payout'])
    expect(ledger.names({kind: 'payout', orderNo: 'd-1'})).toBe(false)
  })

  test('twice is a duplicate, also where one of the two rows cannot be read', () => {
    expect(duplicates([entry(), entry({line: 3})])).toEqual([true])
    expect(duplicates([entry()], [unreadable])).toEqual([true])
    expect(duplicates([entry()], [{...unreadable, kind: 'payout'}])).toEqual([false])
    expect(duplicates([entry()], [{...unreadable, orderNo: null}])).toEqual([false])
  })

  test('a number on an unreadable row is named, whatever its kind', () => {
    const ledger = ledgerOf([], [{...unreadable, orderNo: 'D-7'}])
    expect(ledger.names({kind: 'payout', orderNo: 'D-7'})).toBe(true)
    expect(ledger.names({kind: 'payout', orderNo: 'D-8'})).toBe(false)
  })
})
