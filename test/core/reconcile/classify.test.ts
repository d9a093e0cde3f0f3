import {expect, test} from 'vitest'

import type {OrderState} from '../../../src/core/order.ts'
import {
  classifyOrder,
  type LedgerSide,
  namesAnother,
  type ServiceSide,
} from '../../../src/core/reconcile/classify.ts'
import {order} from './sample.ts'

// The verdict table (docs/verdicts.md#how-an-order-gets-its-verdict). Amounts in taka; `-` where a side states none.
const table = `
  ledger          | service              | verdict             | cause
  completed 500   | completed 500        | matched             |
  completed -     | completed 500        | matched             |
  completed 500   | completed -          | matched             |
  completed -     | completed -          | matched             |
  completed 500   | completed 501        | amount_mismatch     |
  open 500        | completed 501        | amount_mismatch     |
  failed 500      | completed 499        | amount_mismatch     |
  open 500        | completed 500        | missing_completion  |
  open -          | completed 500        | missing_completion  |
  open 500        | completed -          | missing_completion  |
  failed 500      | completed 500        | missing_completion  |
  open 500        | open 500             | in_flight           |
  open 500        | open 700             | in_flight           |
  completed 500   | open 500             | status_mismatch     | booked_but_open
  completed 500   | failed 500           | status_mismatch     | booked_but_failed
  open 500        | failed 500           | status_mismatch     | failed_not_booked
  failed 500      | open 500             | status_mismatch     | reopened
  failed 500      | failed 500           | matched             |
  completed 500   | absent               | missing_at_provider | booked
  open 500        | absent               | missing_at_provider | open
  failed 500      | absent               | matched             |
  completed 500   | unknown_status 500   | unknown_status      |
  open 500        | unknown_status 500   | unknown_status      |
  failed 500      | unknown_status 501   | unknown_status      |
  completed 500   | no_answer            | query_failed        |
  open 500        | no_answer            | query_failed        |
  failed 500      | no_answer            | query_failed        |
  no row          | completed 500        | missing_in_ledger   |
  no row          | completed -          | missing_in_ledger   |
  no row          | open 500             | nothing             |
  no row          | failed 500           | nothing             |
  no row          | absent               | nothing             |
  no row          | unknown_status 500   | unknown_status      |
  no row          | no_answer            | query_failed        |
`
const rows = table
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('|').map((cell) => cell.trim()))

test.each(rows)('%s in the ledger, %s at the service: %s %s', (ledger, service, verdict, cause) => {
  const found = classifyOrder(ledgerSide(ledger ?? ''), serviceSide(service ?? ''))
  expect(found).toEqual(verdict === 'nothing' ? null : {verdict, cause: cause || null})
})

test('every pair of a ledger state and a service state stands in the table', () => {
  const ledgers = ['completed', 'open', 'failed', 'no']
  const services = ['completed', 'open', 'failed', 'absent', 'unknown_status', 'no_answer']
  const first = (cell = '') => cell.split(' ')[0]
  const held = new Set(rows.map(([ledger, service]) => `${first(ledger)} ${first(service)}`))
  const all = ledgers.flatMap((ledger) => services.map((service) => `${ledger} ${service}`))
  expect(all.filter((pair) => !held.has(pair))).toEqual([])
})

function amountOf(text: string | undefined): bigint | null {
  return text === undefined || text === '-' ? null : BigInt(text) * 100n
}

function ledgerSide(cell: string): LedgerSide | null {
  if (cell === 'no row') return null
  const [status, amount] = cell.split(' ')
  return {status: status as OrderState, amount: amountOf(amount)}
}

function serviceSide(cell: string): ServiceSide {
  const [status, amount] = cell.split(' ')
  if (status === 'absent') return {is: 'absent'}
  if (status === 'no_answer') return {is: 'no_answer', code: 'answer_untrusted', because: 'it was HTML'}
  return {is: 'found', order: order({status: status as OrderState, amount: amountOf(amount)})}
}

test.each([
  [null, false],
  ['', false],
  ['-', false],
  ['platform-1', false],
  [' PLATFORM-1', false],
  ['platform-2', true],
])(
  'a row with the platform order %j is of another order than platform-1: %s',
  (platformOrderNo, isAnother) => {
    expect(namesAnother({platformOrderNo}, order())).toBe(isAnother)
    const row = {status: 'completed', amount: 50_000n, platformOrderNo} as const
    expect(classifyOrder(row, {is: 'found', order: order()})).toEqual(
      isAnother
        ? {verdict: 'status_mismatch', cause: 'other_platform_order_no'}
        : {verdict: 'matched', cause: null},
    )
  },
)
