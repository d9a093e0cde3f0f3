import {afterEach, beforeEach, describe, expect, it, vi} from 'vitest'

import {type Clock, realClock, scaledClock, steppedClock} from '../../src/sandbox/clock.ts'

const start = Date.parse('2026-11-20T06:00:00Z')
const dayMs = 86_400_000

beforeEach(() => void vi.useFakeTimers({now: start}))
afterEach(() => void vi.useRealTimers())

/** Schedules a task for each delay and lists, as they run, their delay and when that was. */
function watch(clock: Clock, ...delaysMs: number[]): [delayMs: number, afterMs: number][] {
  const from = clock.now()
  const ran: [number, number][] = []
  for (const delayMs of delaysMs) {
    clock.schedule(from + delayMs, async () => void ran.push([delayMs, clock.now() - from]))
  }
  return ran
}

describe('the real clock', () => {
  it('runs a task at its time, also one further off than a timer reaches', async () => {
    const ran = watch(realClock(), 60 * dayMs, 5000)
    await vi.advanceTimersByTimeAsync(4999)
    expect(ran).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ran).toEqual([[5000, 5000]])
    await vi.advanceTimersByTimeAsync(60 * dayMs)
    expect(ran[1]).toEqual([60 * dayMs, 60 * dayMs])
  })

  it.each([1, 60])('does not run back with the machine’s clock, %d times as fast', (pace) => {
    const clock = scaledClock(pace)
    vi.setSystemTime(start + 5000)
    expect(clock.now()).toBe(start + 5000 * pace)
    vi.setSystemTime(start + 2000)
    expect(clock.now()).toBe(start + 5000 * pace)
    vi.setSystemTime(start + 3000)
    expect(clock.now()).toBe(start + 6000 * pace)
  })

  it('does not run what was called off', async () => {
    let hasRun = false
    const callOff = realClock().schedule(start + 1000, async () => {
      hasRun = true
    })
    callOff()
    await vi.advanceTimersByTimeAsync(2000)
    expect(hasRun).toBe(false)
  })
})

describe('the scaled clock', () => {
  it('runs N times as fast', async () => {
    const clock = scaledClock(60)
    const ran = watch(clock, 441 * 60_000)
    await vi.advanceTimersByTimeAsync(441_000 - 1)
    expect(ran).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ran).toEqual([[441 * 60_000, 441 * 60_000]])
  })

  it('goes on from where the state it serves has been', () => {
    const clock = scaledClock(60)
    clock.resumeFrom(start + dayMs)
    expect(clock.now()).toBe(start + dayMs)
    clock.resumeFrom(start)
    expect(clock.now()).toBe(start + dayMs)
  })
})

describe('the stepped clock', () => {
  it('runs what is due in order, each thing at its own time, and what that schedules', async () => {
    const clock = steppedClock(start)
    const ran = watch(clock, 3000, 1000, 1000, 9000)
    clock.schedule(start + 2000, async () => {
      clock.schedule(start + 2500, async () => void ran.push([2500, clock.now() - start]))
    })
    await clock.advanceTo(start + 5000)
    expect(ran).toEqual([
      [1000, 1000],
      [1000, 1000],
      [2500, 2500],
      [3000, 3000],
    ])
    expect(clock.now()).toBe(start + 5000)
  })

  it('waits for a task before it moves on', async () => {
    const clock = steppedClock(start)
    const {promise, resolve} = Promise.withResolvers<void>()
    clock.schedule(start + 1000, () => promise)
    const ran = watch(clock, 2000)
    const moved = clock.advanceTo(start + 3000)
    await vi.advanceTimersByTimeAsync(dayMs)
    expect([clock.now(), ran]).toEqual([start + 1000, []])
    resolve()
    await moved
    expect([clock.now(), ran]).toEqual([start + 3000, [[2000, 2000]]])
  })

  it('never moves back', async () => {
    const clock = steppedClock(start)
    await clock.advanceTo(start - dayMs)
    expect(clock.now()).toBe(start)
  })
})
