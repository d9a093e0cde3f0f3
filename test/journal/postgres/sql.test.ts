import {expect, test} from 'vitest'

import {pages, part, sql} from '../../../src/journal/postgres/sql.ts'

test('rows are handed on five thousand at a time, each once', () => {
  const sizes = (count: number) => [...pages(Array(count).fill('row'))].map(({length}) => length)
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
