import fc from 'fast-check'
import {expect, test} from 'vitest'
import {describeOdd, RecordIds} from '../../../src/workflows/records/full-list-read.ts'

test('it remembers what a map would, whatever the ids and however many', () => {
  // Ids that differ in one group alone would share a slot where the others are left out of the sum.
  const id = fc.oneof(
    fc.uuid(),
    fc
      .integer({min: 0, max: 5_000})
      .map((n) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`),
    fc
      .integer({min: 0, max: 5_000})
      .map((n) => `${n.toString(16).padStart(8, '0')}-0000-0000-0000-000000000000`),
  )
  const marked = fc.tuple(id, fc.integer({min: 1, max: 4}))
  fc.assert(
    fc.property(fc.array(marked, {maxLength: 3_000, size: 'max'}), (steps) => {
      const ids = new RecordIds()
      const map = new Map<string, number>()
      for (const [uuid, mark] of steps) {
        expect(ids.mark(uuid, mark)).toBe(map.get(uuid) ?? 0)
        map.set(uuid, mark)
      }
      expect(ids.size).toBe(map.size)
      expect(ids.countOther(2)).toBe([...map.values()].filter((mark) => mark !== 2).length)
    }),
    {numRuns: 30},
  )
})

test('the nil UUID and capitals', () => {
  const ids = new RecordIds()
  expect(ids.mark('00000000-0000-0000-0000-000000000000', 1)).toBe(0)
  expect(ids.mark('00000000-0000-0000-0000-000000000000', 1)).toBe(1)
  expect(ids.mark('ABCDEF00-0000-4000-8000-00000000ABCD', 1)).toBe(0)
  expect(ids.mark('abcdef00-0000-4000-8000-00000000abcd', 2)).toBe(1)
})

test('two that are no UUIDs do not become one', () => {
  const ids = new RecordIds()
  expect(['record-1', 'record-2', 'record-1'].map((id) => ids.mark(id, 1))).toEqual([0, 0, 1])
})

test.each([
  [0, null],
  [1, '1 record is not as documented: id-1 (no status)'],
  [5, /^5 records are not as documented: id-1 .*, id-5 \(no status\)$/],
  [7, /^7 records are not as documented: id-1 .*, id-5 \(no status\) and 2 more$/],
])('of %d records that are not as documented five are named', (count, told) => {
  const odd = Array.from({length: count}, (_, n) => ({id: `id-${n + 1}`, why: 'no status'}))
  if (told === null) expect(describeOdd(odd)).toBeNull()
  else expect(describeOdd(odd)).toMatch(told)
  // A list that is handed on in parts keeps few of them, and counts all.
  if (told !== null) expect(describeOdd(odd.slice(0, 5), count)).toBe(describeOdd(odd))
})
