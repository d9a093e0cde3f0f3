import {expect, test} from 'vitest'

import {read} from './scratch-ledger.ts'

const readTimes = (times: readonly string[]) =>
  read(`order_no,created_at\n${times.map((time, index) => `D-${index},${time}\n`).join('')}`)

test.each<[what: string, times: string[], says: RegExp | null]>([
  ['a day of ISO dates', ['2026-11-05', '2026-11-05T10:00'], null],
  ['a month of ISO dates', ['2026-11-05', '2026-11-06', '2026-12-01'], null],
  [
    'one day of three months',
    ['2026-05-11', '2026-06-11', '2026-07-11'],
    /day 11 of one of 3 months\. If day and month are swapped/,
  ],
  ['the last day of three months', ['2026-05-28', '2026-06-28', '2026-07-28'], null],
  ['day first', ['05/11/2026', '20/11/2026'], null],
  ['day first beside ISO dates', ['2026-11-13', '14/11/2026'], null],
  [
    'day first, and the others turned',
    ['2026-05-11', '13/11/2026'],
    /only up to day 12, and later days with slashes.*\. Export/,
  ],
])('%s', async (_what, times, says) => {
  const {doubts} = await readTimes(times)
  if (says === null) expect(doubts).toEqual([])
  else expect(doubts).toMatchObject([{what: 'day_month_swapped', says: expect.stringMatching(says)}])
})
