import {expect, test} from 'vitest'

import {whyNotWholeDay} from '../../src/workflows/reconcile/rest-of-day.ts'
import {order} from '../core/reconcile/sample.ts'

const day = {businessDay: '2026-11-22', timeZone: 'Asia/Dhaka'}
const at = (time: string) => Date.parse(`2026-11-22T${time}+06:00`)

/** A day with a webhook each hour; hours of the afternoon are of payouts, which this ledger does not have. */
async function play(
  lastRow: string,
  taken: (hour: number) => boolean,
  isDeposit = (_hour: number) => true,
  status: 'completed' | 'open' | 'failed' | null = 'completed',
  firstRow = '00:00:00',
  isOfCredits = false,
) {
  const own = {fromMs: at(firstRow), toMs: at(lastRow)}
  const hours = Array.from({length: 24}, (_, hour) => hour)
  const {before, after} = await whyNotWholeDay(
    own,
    {...day, isOfCredits},
    ({fromMs, toMs}) =>
      hours
        .filter((hour) => at(`${String(hour).padStart(2, '0')}:30:00`) >= fromMs)
        .filter((hour) => at(`${String(hour).padStart(2, '0')}:30:00`) <= toMs)
        .map((hour) => ({orderId: `pf-${hour}`, merchantOrderId: String(hour), isTaken: taken(hour)})),
    async (completions) =>
      completions
        .filter(({merchantOrderId}) => isDeposit(Number(merchantOrderId)))
        .map(({merchantOrderId, orderId}) => ({
          order: {kind: 'deposit', orderNo: merchantOrderId},
          side:
            status === null
              ? {is: 'absent'}
              : {
                  is: 'found',
                  order: order({
                    orderNo: merchantOrderId,
                    platformOrderNo: orderId,
                    status,
                    rawStatus: status,
                  }),
                },
        })),
  )
  return after ?? before
}

test.each([
  ['half of a day', '11:18:00', () => true, 10],
  ['three orders after the last row', '20:45:00', () => true, 3],
])('the ledger of %s is not the whole day, and says from when', async (_, lastRow, taken, orders) => {
  const why = await play(lastRow, taken)
  expect(why).toContain(`the last row of the ledger is of 2026-11-22 ${lastRow.slice(0, 5)}`)
  expect(why).toContain(`at least ${orders} later orders of 2026-11-22`)
})

test.each([
  ['10 delivered', () => true, 'took the webhooks of at least 10 earlier orders'],
  ['one lost', (hour: number) => hour !== 9, 'did not take the webhook of at least 1 earlier order'],
])('so it is before the first row: %s', async (_, taken, said) => {
  const why = await play('23:59:59', taken, undefined, 'completed', '13:11:00')
  expect(why).toContain('the first row of the ledger is of 2026-11-22 13:11')
  expect(why).toContain(said)
})

test('webhooks of the first hour may be of the day before', async () => {
  expect(await play('23:59:59', () => false, undefined, 'completed', '00:59:00')).toBeNull()
})

test('what was lost in the first hour is booked in no ledger of credits of the day before', async () => {
  expect(await play('23:59:59', () => false, undefined, 'completed', '00:59:00', true)).toContain(
    'did not take the webhook of at least 1 earlier order of 2026-11-22 that no row names (0)',
  )
  expect(await play('23:59:59', () => true, undefined, 'completed', '00:59:00', true)).toBeNull()
})

test('paid orders that were lost after the last row are said, be it one', async () => {
  expect(await play('11:18:00', () => false)).toContain(
    'did not take the webhook of at least 10 later orders',
  )
  const one = await play('11:18:00', (hour) => hour !== 15)
  expect(one).toMatch(
    /did not take the webhook of at least 1 later order of 2026-11-22 that no row names \([\w-]+\)/,
  )
})

test('a lost payout, which this ledger does not have, hides no delivered deposits', async () => {
  const why = await play(
    '11:18:00',
    (hour) => hour !== 12,
    (hour) => hour !== 12,
  )
  expect(why).toContain('took the webhooks of at least 10 later orders')
})

test.each([
  ['two orders after the last row', '21:45:00', () => true, undefined],
  ['payouts alone after the last row', '11:18:00', () => true, (hour: number) => hour < 11],
  ['a ledger that goes on after midnight', '23:59:59', () => true, undefined],
])('%s says nothing against it', async (_, lastRow, taken, isDeposit) => {
  expect(await play(lastRow, taken, isDeposit)).toBeNull()
})

test.each(['open', 'failed', null] as const)(
  'later orders that are not paid at the service say nothing against it: %s',
  async (status) => {
    for (const taken of [true, false])
      expect(await play('11:18:00', () => taken, undefined, status)).toBeNull()
  },
)
