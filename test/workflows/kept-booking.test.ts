import {existsSync, readdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import {keepBooking} from '../../src/workflows/reconcile/booking-file.ts'
import {tempDir} from '../temp-dir.ts'

const listed = (by: string) => `order_no,amount,listed_by\nD-1,500.00,${by}\n`

test.each<[what: string, text: string | null, keptAs: string | null]>([
  ['there is none', null, null],
  ['another run listed', listed('run-0'), 'booking.run-0.csv'],
  ['another run listed, saved with a mark of its encoding', `\ufeff${listed('run-0')}`, 'booking.run-0.csv'],
  ['this run listed', listed('run-1'), null],
  ['nobody listed anything', 'order_no,amount,listed_by\n', null],
  ['that is empty', '', null],
  [
    'that a person saved without the run',
    'order_no,amount\nD-1,500.00\n',
    'booking.2026-11-20T090000.000Z.csv',
  ],
  ['that a person saved in another format', '"D-1\nD-2,"x\n', 'booking.2026-11-20T090000.000Z.csv'],
  ['of a run whose name leads elsewhere', listed('../run-0'), 'booking.2026-11-20T090000.000Z.csv'],
])('a booking.csv is not replaced by the next run in its folder: one that %s', (_, text, keptAs) => {
  const dir = tempDir()
  const path = join(dir, 'booking.csv')
  if (text !== null) {
    writeFileSync(path, text)
    const at = new Date('2026-11-20T09:00:00Z')
    utimesSync(path, at, at)
  }
  keepBooking(path, 'run-1')
  expect(existsSync(path)).toBe(text !== null && keptAs === null)
  expect(readdirSync(dir).filter((name) => name !== 'booking.csv')).toEqual(keptAs === null ? [] : [keptAs])
  if (keptAs !== null) expect(readFileSync(join(dir, keptAs), 'utf8')).toBe(text)
})
