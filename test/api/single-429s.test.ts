import type {Dispatcher} from 'undici'
import {describe, expect, onTestFinished, test} from 'vitest'

import {ServiceClient} from '../../src/api/client.ts'
import {askOrders} from '../../src/workflows/orders/ask.ts'
import {randomFrom} from '../random.ts'
import {credentials, merchantId, profileAt} from './fixture.ts'
import {VirtualTime} from './virtual-time.ts'

const startMs = Date.UTC(2026, 10, 22)

interface Turned {
  readonly nth: number
  readonly nowMs: number
}

interface Service {
  /** Whether this request is answered with 429. */
  readonly turnsAway: (request: Turned) => boolean
  readonly retryAfter: string
  readonly latencyMs: number
}

/** The service's own books: when it was asked for what, and what it turned away. */
interface Books {
  readonly requests: {readonly orderNo: string; readonly atMs: number; readonly wasTurnedAway: boolean}[]
}

function serviceIn(time: VirtualTime, {turnsAway, retryAfter, latencyMs}: Service, books: Books): Dispatcher {
  const controller = {abort: () => {}} as unknown as Dispatcher.DispatchController
  const dispatch = ({body}: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
    const {orderNo} = JSON.parse(Buffer.from(body as Uint8Array).toString()) as {orderNo: string}
    const wasTurnedAway = turnsAway({nth: books.requests.length + 1, nowMs: time.nowMs})
    books.requests.push({orderNo, atMs: time.nowMs, wasTurnedAway})
    handler.onRequestStart?.(controller, {})
    void time.sleep(latencyMs).then(() => {
      const type = {'content-type': 'application/json'}
      const status = wasTurnedAway ? 429 : 200
      const headers = wasTurnedAway ? {...type, 'retry-after': retryAfter} : type
      const data = {
        merchantId,
        orderNo,
        platformOrderNo: `PL-${orderNo}`,
        status: 'completed',
        amount: '1.00',
      }
      handler.onResponseStart?.(controller, status, headers)
      handler.onResponseData?.(controller, Buffer.from(JSON.stringify(wasTurnedAway ? {} : {code: 0, data})))
      handler.onResponseEnd?.(controller, {})
    })
    return true
  }
  return {dispatch, close: async () => {}, destroy: async () => {}} as unknown as Dispatcher
}

/** Asks for so many orders and answers what the service's books and the clock say of it. */
async function ask(orders: number, service: Service, concurrency = 16) {
  const time = new VirtualTime()
  const books: Books = {requests: []}
  const client = new ServiceClient({
    ...{profile: profileAt('http://127.0.0.1:9'), credentials, concurrencyMax: concurrency},
    ...{now: () => startMs + time.nowMs, monotonic: time.now, sleep: time.sleep, random: () => 0.5},
    dispatcher: serviceIn(time, service, books),
  })
  onTestFinished(() => client.close())
  let answered = 0
  let endedMs = 0
  const work = askOrders(
    client,
    Array.from({length: orders}, (_, nth) => ({kind: 'deposit' as const, orderNo: `D-${nth}`})),
    {
      width: concurrency,
      onAnswer: (_, side) => {
        if (side.is === 'found') answered += 1
        endedMs = time.nowMs
      },
    },
  )
  await time.run(Number.POSITIVE_INFINITY)
  await work
  return {answered, ms: endedMs, requests: books.requests}
}

/** This part of the requests, each on its own. */
function share(part: number, seed = 1): Service['turnsAway'] {
  const random = randomFrom(seed)
  return () => random() < part
}

/** So many a second of the clock, and every further one turned away. */
function perSecond(most: number): Service['turnsAway'] {
  const counts = new Map<number, number>()
  return ({nowMs}) => {
    const second = Math.floor(nowMs / 1_000)
    const count = (counts.get(second) ?? 0) + 1
    counts.set(second, count)
    return count > most
  }
}

/** The shortest time between a request that was turned away and the next one for the same order. */
function shortestWaitMs(requests: Books['requests']): number {
  const turnedMs = new Map<string, number>()
  let shortest = Number.POSITIVE_INFINITY
  for (const {orderNo, atMs, wasTurnedAway} of requests) {
    const before = turnedMs.get(orderNo)
    if (before !== undefined) shortest = Math.min(shortest, atMs - before)
    if (wasTurnedAway) turnedMs.set(orderNo, atMs)
  }
  return shortest
}

const none = () => false

describe('2% of 429s that come singly (Retry-After: 1) cost at most 1.5 times the calls’ own time', () => {
  test.each([
    [3_340, 50, 16],
    [5_000, 20, 16],
    [1_000, 200, 16],
    [3_340, 50, 4],
    [6_000, 50, 64],
  ])('%i orders, %i ms each, %i at once', async (orders, latencyMs, concurrency) => {
    const calm = await ask(orders, {turnsAway: none, retryAfter: '1', latencyMs}, concurrency)
    for (const seed of [1, 2]) {
      const service = {turnsAway: share(0.02, seed), retryAfter: '1', latencyMs}
      const {answered, ms, requests} = await ask(orders, service, concurrency)
      expect(answered).toBe(orders)
      expect(ms / calm.ms).toBeLessThanOrEqual(1.5)
      expect(shortestWaitMs(requests)).toBeGreaterThanOrEqual(1_000)
    }
  })

  test('a run of a second waits for its last 429s alone', async () => {
    const calm = await ask(334, {turnsAway: none, retryAfter: '1', latencyMs: 50})
    const {ms} = await ask(334, {turnsAway: share(0.02), retryAfter: '1', latencyMs: 50})
    expect(ms).toBeLessThanOrEqual(1.5 * calm.ms + 1_050)
  })
})

describe('429s that come together are a limit: it is found, and every call waits', () => {
  test.each([1, 5, 20, 100])('%i a second: few are turned away', async (most) => {
    const orders = most * 60
    const service = {turnsAway: perSecond(most), retryAfter: '1', latencyMs: 50}
    const {answered, requests, ms} = await ask(orders, service)
    // While the rate is searched for, one may be turned away three times; a run asks for it again at its end.
    expect(answered).toBeGreaterThanOrEqual(orders - 1)
    const turned = requests.filter(({wasTurnedAway}) => wasTurnedAway)
    expect(turned.length).toBeLessThanOrEqual(25 + orders * 0.03)
    expect(ms).toBeLessThanOrEqual(1.5 * 60_000)
  })

  test('nothing at all is sent until a Retry-After of 20 s is over', async () => {
    const closed = ({nowMs}: Turned) => nowMs > 200 && nowMs < 20_000
    const {answered, requests} = await ask(200, {turnsAway: closed, retryAfter: '20', latencyMs: 50})
    expect(answered).toBe(200)
    const turned = requests.filter(({wasTurnedAway}) => wasTurnedAway)
    // Those on their way when it began, and the few that show that it is no single one.
    expect(turned.length).toBeLessThanOrEqual(40)
    const lastMs = Math.max(...turned.map(({atMs}) => atMs))
    expect(requests.filter(({atMs}) => atMs > lastMs && atMs < lastMs + 19_900)).toEqual([])
  })
})

test('40% of 429s, whatever the speed, cost at most 2.5 seconds a call (Retry-After: 1)', async () => {
  for (const seed of [1, 2, 3]) {
    const {answered, ms} = await ask(100, {turnsAway: share(0.4, seed), retryAfter: '1', latencyMs: 50}, 4)
    // Each call is tried three times.
    expect(answered).toBeGreaterThanOrEqual(85)
    expect(ms).toBeLessThanOrEqual(250_000)
  }
})
