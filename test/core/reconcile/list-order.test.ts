import {expect, test} from 'vitest'

import {isFromNewest, ListObserver} from '../../../src/core/reconcile/list-order.ts'
import {delivery} from './sample.ts'

const at = (second: number) => `2026-11-21T03:00:0${second}Z`
const unread = 'yesterday'

test.each<[what: string, times: readonly string[], direction: string | null, isFromNewest: boolean]>([
  ['the newest first, two of one second', [at(3), at(2), at(2), at(1)], 'newest_first', true],
  ['the oldest first, two of one second', [at(1), at(2), at(2), at(3)], 'oldest_first', false],
  ['back and forth', [at(2), at(1), at(3)], null, false],
  ['of one second', [at(1), at(1)], null, true],
  ['one record', [at(1)], null, true],
  ['none', [], null, true],
  ['a time nobody can read at the beginning', [unread, at(2), at(1)], null, false],
])('%s', (_, times, direction, fromNewest) => {
  const records = times.map((createdAt, index) => delivery({id: `r-${index}`, createdAt}))
  const observer = new ListObserver()
  for (const record of records) observer.see(record)
  const newestId = direction === 'newest_first' ? 'r-0' : `r-${times.length - 1}`
  expect(observer.mark('run-1')).toEqual(
    direction && {direction, records: times.length, newestId, runId: 'run-1'},
  )
  expect(isFromNewest(records)).toBe(fromNewest)
})
