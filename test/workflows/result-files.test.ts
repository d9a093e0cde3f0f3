import {existsSync, readdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import type {PayoutLine} from '../../src/report/payouts-report.ts'
import {ResultFiles} from '../../src/workflows/payouts/result-files.ts'
import {tempDir} from '../temp-dir.ts'

const line = (orderNo: string, state: PayoutLine['state'] = 'accepted', no = 2): PayoutLine => ({
  ...{line: no, orderNo, amount: 50_000n, channel: 'BKASH', maskedAccount: '018****5678', state},
  ...{
    confirmation: null,
    status: null,
    rawStatus: null,
    platformOrderNo: null,
    sentBeforeAtMs: null,
    why: null,
  },
})

const foreign = expect.objectContaining({
  code: 'usage',
  message: expect.stringMatching(/hisab did not write it/),
})

test('the results of a payout file: partial while it is paid, whole at the end, and nothing of an earlier run is lost', () => {
  const dir = tempDir()
  const at = (name: string) => join(dir, name)
  const statesIn = (name: string) =>
    readFileSync(at(name), 'utf8')
      .split('\r\n')
      .slice(1, -1)
      .map((row) => [row.split(',')[1], row.split(',')[5]].join(' '))
  const [partial, final] = ['day.result.partial.csv', 'day.result.csv']

  const first = new ResultFiles(at('day.CSV'))
  first.refuseForeign()
  expect([first.path, first.numbers()]).toEqual([at(partial), new Set()])
  first.save([line('P-1'), line('P-2', 'not_sent', 3)], false)
  expect([readdirSync(dir), statesIn(partial)]).toEqual([[partial], ['P-1 accepted', 'P-2 pending']])
  first.save([line('P-1'), line('P-2', 'accepted', 3)], false)
  expect(statesIn(partial)).toEqual(['P-1 accepted', 'P-2 accepted'])
  first.save([line('P-1'), line('P-2', 'not_sent', 3)], true)
  expect([readdirSync(dir), statesIn(final), first.path]).toEqual([
    [final],
    ['P-1 accepted', 'P-2 not_sent'],
    at(final),
  ])

  // The next run pays one of them, and a payout that is new: the row that it says nothing of is kept beside.
  utimesSync(at(final), 1_800_000_000, 1_800_000_000)
  const next = new ResultFiles(at('day.csv'))
  next.refuseForeign()
  expect(next.numbers()).toEqual(new Set(['P-1', 'P-2']))
  next.save([line('P-2'), line('P-3', 'not_sent', 3)], true)
  const kept = 'day.result.2027-01-15T080000Z.csv'
  expect([readdirSync(dir).sort(), statesIn(kept), statesIn(final)]).toEqual([
    [kept, final],
    ['P-1 accepted'],
    ['P-2 accepted', 'P-3 not_sent'],
  ])

  // A second one of that time has a number; what was killed left a partial file, whose numbers count.
  utimesSync(at(final), 1_800_000_000, 1_800_000_000)
  writeFileSync(at(partial), readFileSync(at(final)))
  utimesSync(at(partial), 1_800_000_000, 1_800_000_000)
  const last = new ResultFiles(at('day.csv'))
  expect(last.numbers()).toEqual(new Set(['P-2', 'P-3']))
  last.save([line('P-4')], false)
  expect(readdirSync(dir).sort()).toEqual(
    [
      kept,
      'day.result.2027-01-15T080000Z-2.csv',
      'day.result.partial.2027-01-15T080000Z.csv',
      partial,
    ].sort(),
  )
  expect(existsSync(at(final))).toBe(false)
})

test.each(['day.result.csv', 'day.result.partial.csv'])(
  'a file of others in the place of %s is not replaced; one that became another’s meanwhile is kept',
  (name) => {
    const dir = tempDir()
    writeFileSync(join(dir, name), 'my notes')
    utimesSync(join(dir, name), 1_800_000_000, 1_800_000_000)
    const files = new ResultFiles(join(dir, 'day.csv'))
    expect(() => files.refuseForeign()).toThrow(foreign)
    files.save([line('P-1')], true)
    const kept = name.replace('.csv', '.2027-01-15T080000Z.csv')
    expect([readdirSync(dir).sort(), readFileSync(join(dir, kept), 'utf8')]).toEqual([
      [kept, 'day.result.csv'].sort(),
      'my notes',
    ])
  },
)
