import {expect, test} from 'vitest'

import type {ServiceSide} from '../../../src/core/reconcile/classify.ts'
import {orderKey} from '../../../src/core/reconcile/orders.ts'
import {waitForOrder} from '../../../src/workflows/orders/wait.ts'
import {order} from '../../core/reconcile/sample.ts'
import {FakeClient, FakeClock, failure} from '../fake-client.ts'

const number = {kind: 'deposit', orderNo: 'D-1'} as const
const minuteMs = 60_000

/** A deposit that changes while somebody waits: `after` milliseconds the service says something else. */
function waiting(
  ...changes: [afterMs: number, says: 'processing' | 'completed' | 'failed' | 'nothing' | Error][]
) {
  const clock = new FakeClock()
  const client = new FakeClient(clock)
  const startMs = clock.ms
  const stop = new AbortController()
  client.before = () => {
    client.orders.delete(orderKey(number))
    const [, says] = changes.filter(([afterMs]) => clock.ms - startMs >= afterMs).at(-1) ?? []
    if (says instanceof Error) throw says
    if (!says || says === 'nothing') return
    const status = says === 'processing' ? 'open' : says
    client.orders.set(orderKey(number), order({status, rawStatus: says, amount: null}))
  }
  const looks: ServiceSide[] = []
  const wait = (waitMs: number) =>
    waitForOrder('deposit', 'D-1', waitMs, {
      ...{client, monotonic: clock.monotonic, sleep: clock.sleep, signal: stop.signal},
      onLook: (side) => looks.push(side),
    })
  return {clock, client, stop, looks, wait, waitedMs: () => clock.ms - startMs}
}

const says = (side: ServiceSide | null) => (side?.is === 'found' ? side.order.rawStatus : (side?.is ?? null))

test.each(['completed', 'failed'] as const)('it ends as soon as the deposit is %s', async (end) => {
  const {wait, waitedMs} = waiting([0, 'processing'], [60_000, end])
  expect(says(await wait(15 * minuteMs))).toBe(end)
  expect(waitedMs()).toBeGreaterThanOrEqual(60_000)
  expect(waitedMs()).toBeLessThanOrEqual(70_000)
})

test('it looks every two seconds at first, every ten later, and never past the deadline', async () => {
  const {clock, wait, waitedMs} = waiting([0, 'processing'])
  expect(says(await wait(2 * minuteMs))).toBe('processing')
  expect(clock.slept[0]).toBe(2_000)
  expect(Math.max(...clock.slept)).toBe(10_000)
  expect(waitedMs()).toBe(2 * minuteMs)
})

test('a query that fails, or finds nothing yet, is tried again and takes nothing back', async () => {
  const busy = failure('service_busy', 'HTTP 503')
  const {wait, looks} = waiting([0, 'nothing'], [2_000, 'processing'], [5_000, busy], [20_000, 'completed'])
  expect(says(await wait(minuteMs))).toBe('completed')
  expect(looks.map(says)).toContain('no_answer')
})

test('where the service stays away the last thing seen is the result', async () => {
  const {wait} = waiting([0, 'processing'], [3_000, failure('service_unreachable', 'refused')])
  expect(says(await wait(minuteMs))).toBe('processing')
})

test('a word the profile does not know is no end', async () => {
  const {client, wait} = waiting()
  client.before = () => undefined
  client.orders.set(orderKey(number), order({status: 'unknown_status', rawStatus: 'PAID'}))
  expect(says(await wait(minuteMs))).toBe('PAID')
})

test('rejected credentials end it at once', async () => {
  const {wait} = waiting([0, failure('credentials_rejected', 'HTTP 401')])
  await expect(wait(minuteMs)).rejects.toMatchObject({code: 'credentials_rejected'})
})

test('Ctrl-C ends it with what was seen', async () => {
  const {stop, client, wait} = waiting([0, 'processing'])
  const {before} = client
  client.before = (call) => {
    before(call)
    stop.abort()
  }
  expect(says(await wait(minuteMs))).toBe('processing')
})
