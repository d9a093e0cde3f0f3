import {expect, test} from 'vitest'

import type {OrderAnswer} from '../../../src/api/client.ts'
import type {OrderKind} from '../../../src/core/order.ts'
import type {ServiceSide} from '../../../src/core/reconcile/classify.ts'
import {askOrders, statusAt} from '../../../src/workflows/orders/ask.ts'
import {order} from '../../core/reconcile/sample.ts'
import {failure} from '../fake-client.ts'

test('the status of an order is asked for once, and for no more orders than it says', async () => {
  const asked: string[] = []
  const statusOf = statusAt(
    {
      queryOrder: async (kind, orderNo) => {
        asked.push(orderNo)
        if (orderNo === 'D-2') throw failure('service_busy', 'HTTP 503')
        return orderNo === 'D-3' ? {found: false} : {found: true, order: order({kind, orderNo}), raw: {}}
      },
    },
    3,
  )
  const statuses = []
  for (const orderNo of ['D-1', 'D-2', 'D-3', 'D-4', 'D-1', 'D-2'])
    statuses.push(await statusOf({kind: 'deposit', orderNo}))
  expect(statuses).toEqual(['completed', null, null, null, 'completed', null])
  expect(asked).toEqual(['D-1', 'D-2', 'D-3'])
})

const bare = {found: false, isBare: true} as const
const own = {found: false} as const
const there = {found: true, order: order(), raw: {}} as const

test.each<[what: string, answers: Record<string, OrderAnswer[]>, sides: string, asked: string]>([
  ['once, then found', {'D-1': [there], 'D-2': [bare, there]}, 'found found', 'D-1 D-2 D-2'],
  [
    'twice, and another is found after',
    {'D-1': [there, there], 'D-2': [bare, bare]},
    'found absent',
    'D-1 D-2 D-2 D-1',
  ],
  [
    'twice, and the other is not found again',
    {'D-1': [there, bare], 'D-2': [bare, bare]},
    'found no_answer',
    'D-1 D-2 D-2 D-1',
  ],
  [
    'twice, and no other was ever found',
    {'D-1': [bare, bare], 'D-2': [bare, bare]},
    'no_answer no_answer',
    'D-1 D-2 D-1 D-2',
  ],
  ['once, then in words of the service', {'D-1': [own], 'D-2': [bare, own]}, 'absent absent', 'D-1 D-2 D-2'],
])('a 404 without a word of an order: %s', async (_what, answers, sides, asked) => {
  const seen: string[] = []
  const told = new Map<string, ServiceSide['is']>()
  const queryOrder = async (_kind: OrderKind, orderNo: string) => {
    seen.push(orderNo)
    const answer = answers[orderNo]?.shift() ?? own
    return answer.found ? {...answer, order: order({orderNo})} : answer
  }
  const orders = ['D-1', 'D-2'].map((orderNo) => ({kind: 'deposit', orderNo}) as const)
  await askOrders({queryOrder}, orders, {
    ...{width: 1, found: new Map()},
    onAnswer: ({orderNo}, {is}) => void told.set(orderNo, is),
  })
  expect(
    [...told]
      .toSorted()
      .map(([, is]) => is)
      .join(' '),
  ).toBe(sides)
  expect(seen.join(' ')).toBe(asked)
})
