import {expect, test} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import {
  findFields,
  listFields,
  type OrderField,
  type SeenOrder,
} from '../../../src/core/doctor/learn-fields.ts'
import {collectWords, meaningBefore, proposeWords} from '../../../src/core/doctor/learn-words.ts'
import {isJsonObject, type JsonObject, parseJson} from '../../../src/core/json.ts'
import type {OrderKind, OrderState} from '../../../src/core/order.ts'

/** What a person says of an order, and the service's answer to it, without what `base` has of each. */
type Told = OrderState | null
type Given = readonly [told: Told, amount: bigint | null, data: object, kind?: OrderKind]

function ordersOf(given: readonly Given[], base = true): SeenOrder[] {
  return given.map(([told, toldAmount, data, kind = 'deposit'], at) => {
    const orderNo = `D-${at}`
    const whole = base
      ? {orderNo, platformOrderNo: `PL-${at}`, status: told ?? 'x', amount: '1.00', ...data}
      : data
    const fields = parseJson(JSON.stringify(whole))
    if (!isJsonObject(fields)) throw new Error('an answer is an object')
    return {kind, orderNo, told, toldAmount, data: fields as JsonObject}
  })
}

const [done, bad] = ['completed', 'failed'] as const
const none = undefined

/** `found order_ref`: another name fits. `undecided status: a, b`: they may. What the note must say stands last. */
type Row = [field: OrderField, given: readonly Given[], found: string, note?: string]
const rows: readonly Row[] = [
  ['order_no', [[null, null, {}]], 'kept orderNo,outOrderNo'],
  ['order_no', [[null, null, {orderNo: none, outOrderNo: 'D-0'}]], 'kept orderNo,outOrderNo'],
  ['order_no', [[null, null, {orderNo: 'X', outOrderNo: 'D-0'}]], 'found outOrderNo: outOrderNo'],
  ['order_no', [[null, null, {orderNo: 'X', ref: 'D-0'}]], 'found ref: ref'],
  ['order_no', [[null, null, {orderNo: 'X', ref: 'D-0', no: 'D-0'}]], 'found ref: ref,no'],
  [
    'order_no',
    [
      [null, null, {orderNo: 'X', ref: 'D-0'}],
      [null, null, {orderNo: 'X', ref: 'D-0'}],
    ],
    'undecided orderNo,outOrderNo',
  ],
  [
    'order_no',
    [
      [null, null, {orderNo: 'X', ref: 'D-0', a: 'D-0'}],
      [null, null, {orderNo: 'X', ref: 'D-1'}],
    ],
    'found ref: ref',
  ],
  [
    'order_no',
    [
      [null, null, {orderNo: 'X', ref: 'D-0'}],
      [null, null, {orderNo: 'X', out: 'D-1'}, 'payout'],
    ],
    'found ref,out: ref,out',
  ],
  [
    'order_no',
    [
      [null, null, {orderNo: 'X', a: 'D-0', ref: 'D-0'}],
      [null, null, {orderNo: 'X', ref: 'D-1'}, 'payout'],
    ],
    'found ref: a,ref',
  ],
  [
    'order_no',
    [
      [null, null, {orderNo: 'X', ref: 'D-0'}],
      [null, null, {orderNo: 'X'}, 'payout'],
    ],
    'undecided orderNo,outOrderNo: ref',
  ],
  ['order_no', [[null, null, {orderNo: none}]], 'undecided orderNo,outOrderNo'],
  ['platform_order_no', [[null, null, {}]], 'kept platformOrderNo'],
  ['platform_order_no', [[null, null, {platformOrderNo: '', tradeNo: 'T'}]], 'found tradeNo: tradeNo'],
  ['platform_order_no', [[null, null, {platformOrderNo: 7, TXN: 'T'}]], 'found TXN: TXN'],
  [
    'platform_order_no',
    [[null, null, {platformOrderNo: none, tradeNo: 'T', systemId: 'S'}]],
    'undecided platformOrderNo: tradeNo,systemId',
  ],
  ['platform_order_no', [[null, null, {platformOrderNo: none, id: 'T'}]], 'undecided platformOrderNo'],
  [
    'platform_order_no',
    [
      [null, null, {platformOrderNo: none, tradeNo: 'T'}],
      [null, null, {platformOrderNo: none}],
    ],
    'undecided platformOrderNo',
  ],
  [
    'platform_order_no',
    [
      [null, null, {platformOrderNo: none, tradeNo: 'T', txn: 'S'}],
      [null, null, {tradeNo: 'T'}],
    ],
    'found tradeNo: tradeNo',
  ],
  ['status', [[null, null, {}]], 'kept status'],
  [
    'status',
    [
      [done, null, {}],
      [bad, null, {}],
    ],
    'kept status',
  ],
  [
    'status',
    [
      [done, null, {status: 'ok', orderStatus: 'A'}],
      [bad, null, {status: 'ok', orderStatus: 'B'}],
    ],
    'found orderStatus: orderStatus',
  ],
  [
    'status',
    [
      [done, null, {status: 'ok', pay_state: 'A'}],
      [bad, null, {status: 'ok', pay_state: 'B'}],
    ],
    'found pay_state: pay_state',
  ],
  [
    'status',
    [
      [done, null, {status: 'ok', payStatus: 'A', state: 'A'}],
      [bad, null, {status: 'ok', payStatus: 'B', state: 'B'}],
    ],
    'undecided status: payStatus,state',
  ],
  [
    'status',
    [
      [done, null, {status: 'ok', orderStatus: 'A', state: 1}],
      [bad, null, {status: 'ok', orderStatus: 'B', state: 2}],
    ],
    'undecided status: orderStatus,state',
    'orderStatus and state tell the orders apart. "state" is not a text in every answer',
  ],
  [
    'status',
    [
      [done, null, {status: 'ok', notifyStatus: 'A'}],
      [bad, null, {status: 'ok', notifyStatus: 'B'}],
    ],
    'undecided status',
    '"notifyStatus" may be the status of something else, by its name. If you know that it is the order’s: hisab config set response.status notifyStatus',
  ],
  [
    'status',
    [
      [done, null, {status: 'ok', orderStatus: 'A', notifyStatus: 'A'}],
      [bad, null, {status: 'ok', orderStatus: 'B', notifyStatus: 'B'}],
    ],
    'found orderStatus: orderStatus',
  ],
  [
    'status',
    [
      [done, null, {status: 'ok'}],
      [bad, null, {status: 'ok'}],
    ],
    'kept status',
  ],
  [
    'status',
    [
      [done, null, {status: 7}],
      [bad, null, {status: 7}],
    ],
    'undecided status',
  ],
  [
    'status',
    [
      [done, null, {status: none, statement: 'A'}],
      [bad, null, {status: none, statement: 'B'}],
    ],
    'undecided status',
  ],
  ['status', [[null, null, {status: none, state: 'A'}]], 'found state: state'],
  ['status', [[null, null, {status: none, state: 7}]], 'undecided status'],
  [
    'status',
    [
      [done, null, {status: 'ok', state: 'A'}],
      [bad, null, {status: 'ok', state: 'A'}, 'payout'],
    ],
    'kept status',
  ],
  ['status', [[done, null, {status: 'failed', state: 'A'}]], 'found state: state'],
  [
    'status',
    [
      [done, null, {status: 'ok', state: 'A'}],
      [bad, null, {status: 'ok', state: none}],
    ],
    'undecided status: state',
    '"state" is not a text',
  ],
  ['amount', [[null, null, {}]], 'kept amount'],
  ['amount', [[null, null, {amount: none}]], 'kept amount'],
  [
    'amount',
    [[null, null, {amount: none, amt: '5.00', fee: '1.00'}]],
    'undecided amount: amt',
    'Give the amount of an order you know',
  ],
  ['amount', [[null, null, {amount: none, fee: '1.00'}]], 'kept amount'],
  ['amount', [[null, null, {amount: none, amountText: 'one'}]], 'kept amount'],
  ['amount', [[null, 500n, {amount: '5.00'}]], 'kept amount'],
  ['amount', [[null, 500n, {amount: 5}]], 'kept amount'],
  ['amount', [[null, 500n, {amount: none, payAmount: '5.00'}]], 'found payAmount: payAmount'],
  [
    'amount',
    [[null, 500n, {amount: none, minAmount: '5.00'}]],
    'undecided amount',
    '"minAmount" may be another amount, by its name. If you know that it is the order’s: hisab config set response.amount minAmount',
  ],
  [
    'amount',
    [[null, 500n, {amount: '6.00', payAmount: '5.00', realAmount: '5.00'}]],
    'undecided amount: payAmount,realAmount',
    '"payAmount" and "realAmount" both hold the amounts that you gave',
  ],
  [
    'amount',
    [[null, 500n, {amount: '500'}]],
    'kept amount',
    '"amount" holds 100 times the amounts that you gave',
  ],
  ['amount', [[null, 500n, {amount: '7.00'}]], 'kept amount'],
  [
    'amount',
    [
      [null, 500n, {amount: none, money: '5.00'}],
      [null, null, {amount: none, money: '9.00'}],
    ],
    'found money: money',
  ],
  [
    'amount',
    [
      [null, 500n, {amount: none, money: '5.00'}],
      [null, 600n, {amount: none, money: '5.00'}],
    ],
    'kept amount',
  ],
]

function textOf({state, names, candidates}: ReturnType<typeof findFields>[number]): string {
  return `${state} ${names.join()}${candidates.length > 0 ? `: ${candidates.join()}` : ''}`
}

test.each(rows.map((row): [name: string, row: Row] => [`${row[0]}: ${row[2]}`, row]))(
  '%s (%#)',
  (_, [field, given, found, note]) => {
    const finding = findFields(ordersOf(given), defaultDialect.response).find((one) => one.field === field)
    expect(finding && textOf(finding)).toBe(found)
    if (note === undefined) expect(finding?.note).toBeNull()
    else expect(finding?.note).toContain(note)
  },
)

test('every field is listed by the kind of its values, and never by a value', () => {
  const values = ['1.00', 'text', 7, true, null, [], {}]
  const orders = ordersOf([...values.map((v): Given => [null, null, {v}]), [null, null, {w: 'x'}]], false)
  expect(listFields(orders)).toEqual([
    {
      name: 'v',
      kind: 'list or null or number or object or text or text, an amount or digits or true or false',
      orders: 7,
    },
    {name: 'w', kind: 'text', orders: 1},
  ])
})

const wordRows: readonly (readonly [
  kind: 'deposit' | 'payout',
  word: string,
  told: Told,
  before: string | null,
  added: object,
])[] = [
  ['deposit', 'PAID', done, null, {completed: ['completed', 'PAID']}],
  ['payout', 'PAID', bad, null, {failed: ['failed', 'PAID']}],
  ['deposit', 'PAID', 'open', null, {open: ['processing', 'pending', 'PAID']}],
  ['deposit', 'PAID', null, null, {}],
  ['deposit', 'completed', done, null, {}],
  ['deposit', 'completed', bad, 'document', {}],
  ['deposit', 'pending', done, 'document', {}],
  ['deposit', 'OK', done, null, {}],
  ['deposit', 'OK', bad, 'profile', {}],
  ['payout', 'OK', bad, null, {failed: ['failed', 'OK']}],
]

test.each(wordRows)('of a %s the word %s, told as %s', (kind, word, told, before, added) => {
  const {status} = defaultDialect
  const mine = {...status, deposit: {...status.deposit, completed: ['completed', 'OK']}}
  const given: Given = [told, null, {status: word}, kind]
  const [seen, ...others] = collectWords(ordersOf([given, given]), 'status', {
    ...defaultDialect,
    status: mine,
  })
  if (!seen) throw new Error('a word was seen')
  expect(others).toEqual([])
  expect([seen.kind, seen.word, seen.orders, seen.told]).toEqual([kind, word, ['D-0', 'D-1'], told])
  expect(meaningBefore(seen)).toBe(before)
  expect(proposeWords(kind, [seen], mine[kind])).toEqual(
    'completed' in added && kind === 'deposit' ? {completed: ['completed', 'OK', word]} : added,
  )
  expect(proposeWords(kind === 'payout' ? 'deposit' : 'payout', [seen], mine[kind])).toEqual({})
})

test('one word of two kinds is two words; of two states it is none; no word is none', () => {
  const both = ordersOf([
    [done, null, {status: 'A'}],
    [bad, null, {status: 'A'}, 'payout'],
    [null, null, {status: 'A'}],
  ])
  expect(collectWords(both, 'status', defaultDialect)).toMatchObject([
    {kind: 'deposit', told: 'completed', orders: ['D-0', 'D-2']},
    {kind: 'payout', told: 'failed', orders: ['D-1']},
  ])
  const split = ordersOf([
    [done, null, {status: 'A'}],
    [bad, null, {status: 'A'}],
  ])
  expect(() => collectWords(split, 'status', defaultDialect)).toThrow(
    /"A" for deposits that you gave as completed and failed/,
  )
  expect(
    collectWords(
      ordersOf([
        [done, null, {status: ''}],
        [done, null, {status: 7}],
      ]),
      'status',
      defaultDialect,
    ),
  ).toEqual([])
})
