import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect} from 'vitest'

import {fixture} from './export-fixture.ts'
import {it} from './played-day.ts'

const good = 'order_no,status,amount\nD-1001,open,500\n'

const damaged: [what: string, bytes: string | Buffer, message: string, wayOut: string][] = [
  [
    'UTF-16, cut off',
    fixture('utf16.csv').subarray(0, -1),
    'not valid UTF-16',
    'LibreOffice: File > Save As',
  ],
  [
    'an xlsx, cut off',
    fixture('ledger.xlsx').subarray(0, 4000),
    'it is damaged or cut off',
    'save it again as .xlsx',
  ],
  ['a choice of sheets', fixture('ledger.ods'), '3 have the header of a ledger', '--sheet "ledger"'],
  ['no header', 'D-1001,paid,500\nD-1002,open,100\n', 'should be the header, but is "D-1001"', '--column'],
  ['headers of its own', 'Ord. Code,Amount\nR-1,500\n', 'no column order_no', '--column order_no='],
  ['the header twice', `${good}${good}`, 'the header line is repeated on line 3', 'two files'],
  ['a quote never closed', `${good}D-1002,"open,100\n`, 'the quote that opens on line 3', 'Close it'],
  [
    'bad UTF-8',
    Buffer.from(`${good}D-1002,open,1,caf\xe9\n`, 'latin1'),
    'not valid UTF-8 on line 3',
    'Save As',
  ],
  ['a NUL', `${good}D-1002,open,1\u00000\n`, 'a NUL byte on line 3', 'Export'],
  ['no rows', 'order_no,status,amount\n', 'the file has a header and no row', 'export'],
  ['nothing in it', '', 'the file is empty', 'header line'],
]

describe.concurrent('a damaged ledger ends the run before anything is sent', () => {
  it.for(damaged)('%s', async ([, bytes, message, wayOut], {openDay}) => {
    const {service, home} = await openDay([])
    home.write('ledger.csv', bytes)
    const run = await home.run(['reconcile', 'ledger.csv', '--yes', '--json'])
    expect(run.status).toBe(2)
    expect(JSON.parse(run.stdout)).toEqual({
      error: {
        code: 'ledger_damaged',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(wayOut),
        exitCode: 2,
      },
    })
    expect(JSON.parse(run.stdout).error.message).toContain('ledger.csv')
    expect(service.door.seen).toEqual([])
    expect(existsSync(join(home.dataDir, 'reports'))).toBe(false)
  })

  it('also where the other ledger of the run is good; and in words, without --json', async ({openDay}) => {
    const {service, home} = await openDay([{orderNo: 'D-1001', ending: 'open'}])
    home.write('good.csv', good)
    home.write('bad.csv', fixture('utf16.csv').subarray(0, -1))
    const run = await home.run(['reconcile', 'good.csv', 'bad.csv', '--yes'])
    expect(run).toMatchObject({status: 2, stdout: ''})
    expect(run.stderr).toMatch(/^error: bad\.csv: .*UTF-16.*\n {2}try: .*LibreOffice: File > Save As/)
    expect(service.door.seen).toEqual([])

    // The same service does see the run of the good one alone.
    await home.reconcile(['good.csv', '--yes'])
    expect(service.door.count('/pay/order/query')).toBe(1)
  })
})
