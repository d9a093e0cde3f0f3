import {expect, test} from 'vitest'

import {Pace, type Ticket} from '../../src/api/adaptive-limiter.ts'
import {clientAt, good, json, serve, stillTime} from './fixture.ts'

function paceOf(windowMax: number, ratePerSecond: number | null = null) {
  const time = stillTime()
  return {pace: new Pace({windowMax, ratePerSecond, monotonic: time.now, sleep: time.sleep}), time}
}

/** How many may be on their way at once now; all of them are let go again, well. */
async function widthOf(pace: Pace): Promise<number> {
  const tickets: Ticket[] = []
  for (;;) {
    const entered = pace.enter()
    if (!(entered instanceof Promise)) {
      tickets.push(entered)
      continue
    }
    for (const ticket of tickets) pace.leave(ticket, 'well')
    pace.leave(await entered, 'well')
    return tickets.length
  }
}

function enterNow(pace: Pace): Ticket {
  const entered = pace.enter()
  if (entered instanceof Promise) throw new Error('it had to wait')
  return entered
}

test('the window starts at 4, or at the ceiling where that is lower', async () => {
  expect(await widthOf(paceOf(16).pace)).toBe(4)
  expect(await widthOf(paceOf(2).pace)).toBe(2)
})

test('until the first strain each good answer widens it by one, up to the ceiling', async () => {
  const {pace} = paceOf(30)
  for (let n = 0; n < 4; n += 1) pace.leave(enterNow(pace), 'well')
  expect(await widthOf(pace)).toBe(8)
  for (let n = 0; n < 50; n += 1) pace.leave(enterNow(pace), 'well')
  expect(await widthOf(pace)).toBe(30)
})

test('after a strain it grows by one for each full window of good answers', async () => {
  const {pace} = paceOf(30)
  for (let n = 0; n < 4; n += 1) pace.leave(enterNow(pace), 'well')
  pace.leave(enterNow(pace), 'strained')
  for (let n = 0; n < 4; n += 1) pace.leave(enterNow(pace), 'well')
  expect(await widthOf(pace)).toBe(5)
})

test('one strained window halves it once, the next again', async () => {
  const {pace} = paceOf(16)
  const first = Array.from({length: 4}, () => enterNow(pace))
  for (const ticket of first) pace.leave(ticket, 'strained')
  const second = [enterNow(pace), enterNow(pace)]
  const third = pace.enter()
  expect(third).toBeInstanceOf(Promise)
  for (const ticket of second) pace.leave(ticket, 'strained')
  await third
  expect(pace.enter()).toBeInstanceOf(Promise)
})

test('a strained window of one stays one', async () => {
  const {pace} = paceOf(1)
  pace.leave(enterNow(pace), 'strained')
  expect(await widthOf(pace)).toBe(1)
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
  const pace = new Pace({windowMax: 1, ratePerSecond: rate, monotonic: () => nowMs, sleep})
  const seconds = 10
  for (let n = 0; n <= seconds * rate; n += 1) pace.leave(await pace.enter(), 'well')
  expect(Math.abs(nowMs - seconds * 1_000)).toBeLessThanOrEqual(2)
})

test('a clock that stands still does not stop a wait from ending', async () => {
  const pace = new Pace({windowMax: 1, ratePerSecond: 1, monotonic: () => 0, sleep: async () => undefined})
  pace.leave(enterNow(pace), 'well')
  await expect(pace.enter()).resolves.toBeDefined()
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

  expect(most).toBeLessThanOrEqual(6)
  expect(client.calls.query).toBe(200)
})
