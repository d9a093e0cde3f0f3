import {expect, test} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import {type JsonValue, parseJson} from '../../../src/core/json.ts'
import {deliveredAmount} from '../../../src/core/reconcile/delivered.ts'
import {order} from './sample.ts'

const own = {orderNo: 'D-1', platformOrderNo: 'platform-1', amount: '500.00'}

test.each<[what: string, payload: JsonValue | undefined, amount: bigint | null]>([
  ['its own', own, 50_000n],
  ['as the text that was sent', JSON.stringify(own), 50_000n],
  ['with the amount as a number, by its source text', parseJson('{"amount":500.10}'), 50_010n],
  ['that names no order', {amount: '500.00'}, 50_000n],
  ['of another order number', {...own, orderNo: 'D-2'}, null],
  ['of an order number in another case', {...own, orderNo: 'd-1'}, null],
  ['of another platform id', {...own, platformOrderNo: 'platform-2'}, null],
  ['with two numbers, one of another order', {...own, outOrderNo: 'P-1'}, null],
  ['with an amount nobody can read', {...own, amount: '5,00'}, null],
  ['without an amount', {orderNo: 'D-1'}, null],
  ['that is no JSON', '<html>', null],
  ['that is not there', undefined, null],
])('a webhook %s', (_what, payload, amount) => {
  expect(deliveredAmount(payload, order(), defaultDialect)).toBe(amount)
})
