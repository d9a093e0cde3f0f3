import {expect, test} from 'vitest'

import {inBatches} from '../../src/core/batches.ts'
import {part, rowsAtOnce, sql} from '../../src/journal/query.ts'

test('rows are handed on five thousand at a time, each once', () => {
  const sizes = (count: number) =>
    [...inBatches(Array(count).fill('row'), rowsAtOnce)].map(({length}) => length)
  expect([0, 1, 5_000, 5_001, 12_000].map(sizes)).toEqual([
    [],
    [1],
    [5_000],
    [5_000, 1],
    [5_000, 5_000, 2_000],
  ])
})

test('what stands in braces is bound, unless it is a part of the statement', () => {
  expect(sql`SELECT ${part('a, b')} FROM t WHERE paisa = ${5n} AND by = ${null}`).toEqual({
    text: 'SELECT a, b FROM t WHERE paisa = $1 AND by = $2',
    values: ['5', null],
  })
})

test('a statement within a statement keeps its values', () => {
  const inner = sql`a = ${1} AND b = ${2}`
  expect(sql`SELECT * FROM t WHERE ${0} < c AND (${inner}) AND d = ${3}`).toEqual({
    text: 'SELECT * FROM t WHERE $1 < c AND (a = $2 AND b = $3) AND d = $4',
    values: [0, 1, 2, 3],
  })
})
