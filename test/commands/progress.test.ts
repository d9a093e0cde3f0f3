import {expect, test} from 'vitest'

import {Progress} from '../../src/cli/progress.ts'

function screen(isTTY: boolean) {
  const seen = {nowMs: Date.UTC(2026, 10, 21), written: [] as string[]}
  const stream = {isTTY, columns: 60, write: (text: string) => seen.written.push(text)}
  const startedMs = seen.nowMs
  // The clock that measures begins anywhere: it tells no date.
  const monotonic = () => seen.nowMs - startedMs + 7_000
  return {seen, progress: new Progress({stream, monotonic, now: () => seen.nowMs})}
}

test.each([true, false])('work of less than a second says nothing (terminal: %s)', (isTTY) => {
  const {seen, progress} = screen(isTTY)
  for (let done = 1; done <= 9; done++) {
    seen.nowMs += 100
    progress.update('query', done, 9)
  }
  progress.end()
  expect(seen.written).toEqual([])
})

test('on a terminal one line is redrawn, ten times a second at most, and taken away at the end', () => {
  const {seen, progress} = screen(true)
  for (let done = 1; done <= 400; done++) {
    seen.nowMs += 10
    progress.update('query', done, 800)
  }
  progress.end()
  expect(seen.written.length).toBeLessThanOrEqual(32)
  expect(seen.written.at(-2)).toBe('\r\u001b[2Kquery  400 of 800, 100/s, 4 s left')
  expect(seen.written.at(-1)).toBe('\r\u001b[2K')
})

test('where breaks are counted they are told with the rate and the time left', () => {
  const {seen, progress} = screen(false)
  for (let done = 1; done <= 20; done++) {
    seen.nowMs += 1_000
    progress.update('query', done, 100, done < 15 ? 1 : 2)
  }
  expect(seen.written).toEqual([
    '2026-11-21T00:00:10.000Z query  10 of 100, 1.1/s, 1 min 21 s left, 1 break so far\n',
    '2026-11-21T00:00:20.000Z query  20 of 100, 1.1/s, 1 min 16 s left, 2 breaks so far\n',
  ])
})

test('in a log it is a line with the time every ten seconds, without control characters', () => {
  const {seen, progress} = screen(false)
  for (let done = 1; done <= 25; done++) {
    seen.nowMs += 1_000
    progress.update('pages', done, 7_200)
  }
  progress.end()
  expect(seen.written).toEqual([
    '2026-11-21T00:00:10.000Z pages  10 of 7200, 1.1/s, 1 h 47 min left\n',
    '2026-11-21T00:00:20.000Z pages  20 of 7200, 1.1/s, 1 h 53 min left\n',
  ])
})

test('work of unknown length is told as it is counted', () => {
  const {seen, progress} = screen(false)
  for (let tried = 1; tried <= 25; tried++) {
    seen.nowMs += 1_000
    progress.tell(`${tried} recipes tried`)
  }
  expect(seen.written).toEqual([
    '2026-11-21T00:00:10.000Z 10 recipes tried\n',
    '2026-11-21T00:00:20.000Z 20 recipes tried\n',
  ])
})
