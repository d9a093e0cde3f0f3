import {expect, test} from 'vitest'

import {statusAt} from '../../../src/workflows/orders/ask.ts'
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
