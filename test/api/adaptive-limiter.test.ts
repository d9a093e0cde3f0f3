import {expect, test} from 'vitest'

import {AdaptiveLimiter, type Permit} from '../../src/api/adaptive-limiter.ts'
import {clientAt, good, json, serve, stillTime} from './fixture.ts'

function limiterOf(windowMax: number, ratePerSecond: number | null = null) {
  const time = stillTime()
  return {
    limiter: new AdaptiveLimiter({windowMax, ratePerSecond, monotonic: time.now, sleep: time.sleep}),
    time,
  }
}

/** How many may be on their way at once now; all of them are let go again, well. */
async function widthOf(limiter: AdaptiveLimiter): Promise<number> {
  const permits: Permit[] = []
  for (;;) {
    const entered = limiter.acquire()
    if (!(entered instanceof Promise)) {
      permits.push(entered)
      continue
    }
    for (const permit of permits) limiter.release(permit, 'well')
    limiter.release(await entered, 'well')
    return permits.length
  }
}

function enterNow(limiter: AdaptiveLimiter): Permit {
  const entered = limiter.acquire()
  if (entered instanceof Promise) throw new Error('it had to wait')
  return entered
}

test('the window starts at 4, or at the ceiling where that is lower', async () => {
  expect(await widthOf(limiterOf(16).limiter)).toBe(4)
  expect(await widthOf(limiterOf(2).limiter)).toBe(2)
})

test('until the first strain each good answer widens it by one, up to the ceiling', async () => {
  const {limiter} = limiterOf(30)
  for (let n = 0; n < 4; n += 1) limiter.release(enterNow(limiter), 'well')
  expect(await widthOf(limiter)).toBe(8)
  for (let n = 0; n < 50; n += 1) limiter.release(enterNow(limiter), 'well')
  expect(await widthOf(limiter)).toBe(30)
})

test('after a strain it grows by one for each full window of good answers', async () => {
  const {limiter} = limiterOf(30)
  for (let n = 0; n < 4; n += 1) limiter.release(enterNow(limiter), 'well')
  limiter.release(enterNow(limiter), 'strained')
  for (let n = 0; n < 4; n += 1) limiter.release(enterNow(limiter), 'well')
  expect(await widthOf(limiter)).toBe(5)
})

test('one strained window halves it once, the next again', async () => {
  const {limiter} = limiterOf(16)
  const first = Array.from({length: 4}, () => enterNow(limiter))
  for (const permit of first) limiter.release(permit, 'strained')
  const second = [enterNow(limiter), enterNow(limiter)]
  const third = limiter.acquire()
  expect(third).toBeInstanceOf(Promise)
  for (const permit of second) limiter.release(permit, 'strained')
  await third
  expect(limiter.acquire()).toBeInstanceOf(Promise)
})

test('a strained window of one stays one', async () => {
  const {limiter} = limiterOf(1)
  limiter.release(enterNow(limiter), 'strained')
  expect(await widthOf(limiter)).toBe(1)
})

test('the rate is kept over reads of a whole batch', async () => {
  const {origin, seen} = await serve(json(good.query))
  const time = stillTime()
  const startMs = time.now()
  const client = clientAt(origin, {...time, ratePerSecond: 10})

  await Promise.all(Array.from({length: 21}, () => client.queryOrder('deposit', 'D-1')))

  expect(seen).toHaveLength(21)
  expect(time.now() - startMs).toBe(2_000)
})

test.each([30, 60, 400, 900])('timers of whole milliseconds keep a rate of %i a second', async (rate) => {
  let nowMs = 0
  const sleep = async (ms: number) => {
    nowMs += Math.max(1, Math.trunc(ms))
  }
  const limiter = new AdaptiveLimiter({windowMax: 1, ratePerSecond: rate, monotonic: () => nowMs, sleep})
  const seconds = 10
  for (let n = 0; n <= seconds * rate; n += 1) limiter.release(await limiter.acquire(), 'well')
  expect(Math.abs(nowMs - seconds * 1_000)).toBeLessThanOrEqual(2)
})

test('a clock that stands still does not stop a wait from ending', async () => {
  const limiter = new AdaptiveLimiter({
    windowMax: 1,
    ratePerSecond: 1,
    monotonic: () => 0,
    sleep: async () => undefined,
  })
  limiter.release(enterNow(limiter), 'well')
  await expect(limiter.acquire()).resolves.toBeDefined()
})

test('no more requests are on their way than the ceiling allows', async () => {
  let now = 0
  let most = 0
  const {origin} = await serve((response, seen, nth) => {
    now += 1
    most = Math.max(most, now)
    setImmediate(() => {
      now -= 1
      json(good.query)(response, seen, nth)
    })
  })
  const client = clientAt(origin, {concurrencyMax: 6})

  await Promise.all(Array.from({length: 200}, () => client.queryOrder('deposit', 'D-1')))

  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(6)
  expect(client.calls.query).toBe(200)
})
