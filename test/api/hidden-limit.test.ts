import {describe, expect, test} from 'vitest'

import {AdaptiveLimiter} from '../../src/api/adaptive-limiter.ts'
import {RateFinder} from '../../src/api/rate-finder.ts'
import {VirtualTime} from './virtual-time.ts'

/** Says whether a request at this instant is refused with 429. */
type Limit = (nowMs: number) => boolean

/** So many in each second of the clock. */
const perClockSecond = (perSecond: number): Limit => {
  let second = -1
  let count = 0
  return (nowMs) => {
    if (Math.floor(nowMs / 1_000) !== second) {
      second = Math.floor(nowMs / 1_000)
      count = 0
    }
    count += 1
    return count > perSecond
  }
}

/** A bucket that holds `burst` and is refilled evenly. */
const bucket = (perSecond: number, burst: number): Limit => {
  let tokens = burst
  let atMs = 0
  return (nowMs) => {
    tokens = Math.min(burst, tokens + ((nowMs - atMs) * perSecond) / 1_000)
    atMs = nowMs
    if (tokens < 1) return true
    tokens -= 1
    return false
  }
}

async function play(limit: Limit, seconds: {warmUp: number; measured: number}) {
  const time = new VirtualTime()
  const limiter = new AdaptiveLimiter({
    windowMax: 64,
    ratePerSecond: null,
    monotonic: time.now,
    sleep: time.sleep,
  })
  const fromMs = seconds.warmUp * 1_000
  const endMs = fromMs + seconds.measured * 1_000
  const count = {good: 0, wasted: 0}
  const worker = async () => {
    while (time.nowMs < endMs) {
      const permit = await limiter.acquire()
      await time.sleep(10)
      const isRefused = limit(time.nowMs)
      if (time.nowMs > fromMs && time.nowMs <= endMs) count[isRefused ? 'wasted' : 'good'] += 1
      await time.sleep(10)
      limiter.release(permit, isRefused ? 'too_many' : 'well')
    }
  }
  for (let n = 0; n < 64; n += 1) void worker()
  await time.run(endMs)
  return {used: count.good / seconds.measured, wasted: count.wasted / (count.good + count.wasted)}
}

describe('a limit the service does not tell is found: at most 2% of calls refused, at least 90% of it used', () => {
  test.each([
    [1, 600, 6_000],
    [3, 300, 2_000],
    [10, 120, 300],
    [30, 120, 240],
    [100, 60, 60],
    [300, 40, 20],
    [1_000, 30, 5],
  ])(
    '%i a second',
    async (perSecond, warmUp, measured) => {
      for (const limit of [
        perClockSecond(perSecond),
        bucket(perSecond, 1 + perSecond / 5),
        bucket(perSecond, perSecond * 3),
      ]) {
        const {used, wasted} = await play(limit, {warmUp, measured})
        expect.soft(wasted).toBeLessThanOrEqual(0.02)
        expect.soft(used / perSecond).toBeGreaterThanOrEqual(0.9)
      }
    },
    60_000,
  )
})

test('an hour at a question is no measure of the service: the first 429 after it does not stop the run (P17)', () => {
  const finder = new RateFinder()
  for (let n = 0; n < 3; n += 1) finder.well(n * 100, n * 100 + 50)
  const hourMs = 3_600_000
  finder.tooMany(hourMs, hourMs + 50)
  expect(finder.perSecond).toBe(1)
})

test('a single answer that took its time does not make a rate below the least one', () => {
  const finder = new RateFinder()
  finder.tooMany(0, 40_000)
  expect(finder.perSecond).toBeGreaterThanOrEqual(0.1)
})
