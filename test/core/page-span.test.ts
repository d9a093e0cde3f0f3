import {expect, test} from 'vitest'

import {
  canOverlap,
  spanBackward,
  spanForward,
  spanOf,
  spansBackward,
  spansForward,
} from '../../src/core/page-span.ts'

test.each([
  [59, 5, true],
  [60, 5, false],
  [0, 1, true],
  [1, 1, false],
  [1, 2, true],
  [2, 2, false],
  [5, 3, true],
  [6, 3, false],
  [419, 7, true],
  [420, 7, false],
  [1_000_000_000, 100, true],
])('pages of a list of %i records, at most %i a page, can overlap: %s', (records, limitMax, can) => {
  expect(canOverlap(records, limitMax)).toBe(can)
})

const positions = Array.from({length: 120}, (_, position) => position)

test.each([1, 2, 7, 20])(
  'of pages of at most %i the one with a position that reaches furthest',
  (limitMax) => {
    for (const position of positions) {
      const forward = spanForward(position, limitMax)
      expect(forward).toEqual(spanOf(forward.page, forward.limit))
      expect(forward.start).toBeLessThanOrEqual(position)
      const ends = Array.from({length: limitMax}, (_, at) => (Math.floor(position / (at + 1)) + 1) * (at + 1))
      expect(forward.end).toBe(Math.max(...ends))
      const starts = Array.from({length: limitMax}, (_, at) => Math.floor(position / (at + 1)) * (at + 1))
      const backward = spanBackward(position, limitMax)
      expect(backward).toEqual(spanOf(backward.page, backward.limit))
      expect([backward.start, backward.end > position]).toEqual([Math.min(...starts), true])
    }
  },
)

test.each([1, 3])('with room for %i positions behind it', (room) => {
  for (const position of positions) {
    const limits = Array.from({length: 20 - room}, (_, at) => at + room + 1)
    const starts = limits
      .map((limit) => Math.floor((position + room) / limit) * limit)
      .filter((start) => start <= position)
    const span = spanBackward(position, 20, room)
    if (starts.length > 0)
      expect([span.start, span.end > position + room]).toEqual([Math.min(...starts), true])
    else expect(span).toEqual(spanOf(position + 1, 1))
  }
})

test('pages that follow each other overlap, to the end and to the beginning', () => {
  const near = spanOf(1, 20)
  const forward = [...spansForward(near, 200, 20)]
  expect(forward.map(({page, limit}) => `${page}x${limit}`).join(' ')).toBe(
    '2x18 3x17 4x16 4x20 5x19 6x18 6x20 7x19 8x18 8x20 9x19 13x14 10x20 12x18',
  )
  expect([...spansForward(near, 19, 20)]).toEqual([])
  expect([...spansForward(near, 20, 20)]).toHaveLength(1)
  const backward = [...spansBackward(spanOf(10, 20), 0, 20)]
  expect(backward.map(({page, limit}) => `${page}x${limit}`).join(' ')).toBe(
    '13x14 9x19 8x20 8x18 8x16 6x19 5x20 5x17 4x18 3x19 2x20 2x11 1x20',
  )
  expect([...spansBackward(spanOf(10, 20), 181, 20)]).toEqual([])
  expect([...spansBackward(spanOf(10, 20), 180, 20)]).toHaveLength(1)
  expect([...spansBackward(near, 0, 20)]).toEqual([])
  expect([...spansForward(spanOf(1, 1), 9, 1)]).toEqual([])
  expect([...spansBackward(spanOf(9, 1), 0, 1)]).toEqual([])
})
