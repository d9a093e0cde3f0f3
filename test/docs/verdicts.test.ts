import {writeFileSync} from 'node:fs'
import {join} from 'node:path'

import {gzipSync} from 'node:zlib'
import {describe, expect, test} from 'vitest'

import {exitStatusOf, Failure} from '../../src/core/failure.ts'
import {orderStates} from '../../src/core/order.ts'
import {defaultLedgerMapping} from '../../src/core/profile.ts'
import {classifyOrder, type ServiceSide} from '../../src/core/reconcile/classify.ts'
import {corruptionKinds, unreadableCauses} from '../../src/core/reconcile/entry.ts'
import {resendStates} from '../../src/core/reconcile/finding.ts'
import {historyStates} from '../../src/core/reconcile/history.ts'
import {
  actions,
  amountCauses,
  deliveryCauses,
  duplicateCauses,
  laterCauses,
  orderCauses,
  queryCauses,
  severities,
  verdicts,
} from '../../src/core/reconcile/verdict.ts'
import {readLedger} from '../../src/ledger/read-ledger.ts'
import {order} from '../core/reconcile/sample.ts'
import {tempDir} from '../temp-dir.ts'
import {readExplained, readSection} from './pages.ts'

const page = 'docs/verdicts.md'

/** The cells of a table's rows, its head left out. */
function readRows(heading: string): string[][] {
  return readSection(page, heading)
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
}

describe('every word of a closed list is explained once, and no other word is', () => {
  test.each<[heading: string, words: readonly string[]]>([
    ['## Verdicts', verdicts],
    ['## Causes of a missing completion', [...deliveryCauses, ...laterCauses, 'delivered_amount_differs']],
    ['## Causes of another amount', amountCauses],
    ['## Causes of a contradiction', orderCauses],
    ['## Causes of a failed query', queryCauses],
    ['## Causes of a duplicate', duplicateCauses],
    ['## Causes of an unreadable row', unreadableCauses],
    ['## From run to run', historyStates],
    ['## Spreadsheet damage', corruptionKinds],
    ['## Actions', actions],
    ['## Severity', severities],
    ['## Resend states', resendStates],
  ])('%s', (heading, words) => {
    expect(readExplained(readSection(page, heading)).sort()).toEqual([...words].sort())
  })

  test('## Exit status: every one but that of a refused create, which reconcile does not make', () => {
    const listed = readRows('## Exit status').flatMap(([cell = '']) => cell.split(', ').map(Number))
    const all = new Set<number>([0, ...Object.values(exitStatusOf)])
    all.delete(exitStatusOf.service_refused)
    expect(listed.sort((a, b) => a - b)).toEqual([...all].sort((a, b) => a - b))
  })
})

describe('the verdict table is what the code does', () => {
  const found = (
    status: 'completed' | 'open' | 'failed' | 'unknown_status',
    amount = 500_00n,
  ): ServiceSide => ({
    is: 'found',
    order: order({status, amount}),
  })
  const sides: Record<string, ServiceSide> = {
    'no answer': {is: 'no_answer', code: 'service_busy', because: 'HTTP 503'},
    absent: {is: 'absent'},
    'unknown word': found('unknown_status'),
    'completed, another amount': found('completed', 600_00n),
    completed: found('completed'),
    open: found('open'),
    failed: found('failed'),
  }
  const ledgers = [...orderStates, null]
  const rows = readRows('## How an order gets its verdict')

  const fits = ([ledgerCell = '', serviceCell = '']: string[], state: string | null, side: string) => {
    const isLedger =
      state === null
        ? ledgerCell.includes('no row')
        : /\bany\b/.test(ledgerCell) || ledgerCell.includes(state)
    if (!isLedger) return false
    // Another amount than none is no difference: an order without a row is completed either way.
    if (side === 'completed, another amount') {
      return serviceCell === side || (state === null && serviceCell === 'completed')
    }
    return serviceCell === side || (!serviceCell.includes('amount') && serviceCell.split(', ').includes(side))
  }

  test.each(ledgers.flatMap((state) => Object.keys(sides).map((side) => ({state, side}))))(
    'ledger $state, service $side',
    ({state, side}) => {
      const row = rows.find((cells) => fits(cells, state, side))
      const service = sides[side] ?? {is: 'absent'}
      const given = classifyOrder(state === null ? null : {status: state, amount: 500_00n}, service)
      const cause = row?.[3] === 'by the delivery record' ? '' : (row?.[3] ?? '')
      expect([row?.[2], cause]).toEqual(
        given ? [`\`${given.verdict}\``, given.cause ? `\`${given.cause}\`` : ''] : ['no verdict', ''],
      )
    },
  )
})

describe('every message of a damaged file is on the page', () => {
  const rows = readRows('## A damaged file').map(([cell = '']) => cell.slice(1, -1))
  const rowOf = (message: string) =>
    rows.filter((row) =>
      new RegExp(
        `^${row
          .split('…')
          .map((part) => RegExp.escape(part))
          .join('.*')}`,
        's',
      ).test(message),
    )
  const head = 'order_no,amount\n'
  const files: [content: string | Buffer, row: string][] = [
    ['', 'the file is empty'],
    ['\n \n', 'the file has only blank lines'],
    [head, 'the file has a header and no row'],
    ['%PDF-1.7', 'this is …, not CSV'],
    ['PK\u0003\u0004rest', 'this spreadsheet cannot be read: …'],
    [Buffer.from(`\ufeff${head}`, 'utf16le').subarray(0, -1), 'not valid UTF-16, or cut off'],
    [gzipSync(head).subarray(0, 20), 'this gzip archive is damaged or cut off'],
    ['Order ID,Order Ref\nD-1,1\n', 'line …: … may each be order_no'],
    [Buffer.from('order_no,amount\nD-\xff,1\n', 'latin1'), 'not valid UTF-8 on line …'],
    [`${head}D-1\0,1\n`, 'a NUL byte on line …: this is not text'],
    [
      Buffer.concat([Buffer.from(`${head}D-1,1\n`), Buffer.from([0xe0, 0xa7])]),
      'the file ends inside a character on line …, so it is cut off',
    ],
    [`sep=#\n${head}D-1,1\n`, 'its sep= line has …'],
    ['number,amount\nD-1,1\n', 'line …: no column order_no; …'],
    ['order_no,amount\nD-1,1\n', 'line …: no header …, which is mapped to …'],
    ['order_no,amount\nD-1,1\n', 'line …: no header …, which the saved import has for …'],
    ['order_no,Order No\nD-1,1\n', 'line …: two headers mean …'],
    [`${head}D-1,1\n${head}`, 'the header line is repeated on line …'],
    [`${head}"D-1,1\n`, 'the quote that opens on line … is never closed'],
    [`${head}"D-1"x,1\n`, 'the quoted field that starts on line … goes on after its closing quote'],
    [`${head}D"1,1\n`, 'a quote inside a field that is not quoted, on line …'],
    [
      `${head}"D-1,1\nD-2,2\nD-3",3\n`,
      'a quote that opens on line … holds the rows up to line … inside one field',
    ],
    [
      'order_no,amount,,,\nD-1,1,,Order No,Amount\nD-2,2,,D-9,5\n',
      'line …: another table begins beside the rows: …',
    ],
    [`${head}D-1,"${'x'.repeat(1024 * 1024)}"\n`, 'the row that starts on line … is larger than 1 MiB'],
    [`${head}D-1,"${'x'.repeat(70 * 1024)}"\n`, 'field … of the row on line … is larger than 64 KiB'],
  ]

  test.each(files.map(([content, row]) => ({content, row})))('$row', async ({content, row}) => {
    const path = join(tempDir(), 'ledger.csv')
    writeFileSync(path, content)
    const columns = row.includes('no header …') ? {amount: 'Taka'} : {}
    const saved = row.includes('saved import') ? {import: {columns, sheet: null}} : {}
    const reading = {mapping: {...defaultLedgerMapping, columns, ...saved}, kind: null}
    const ignored = {entry: () => {}, unreadable: () => {}, line: () => {}}
    const failure = await readLedger([path], reading, ignored).then(
      () => null,
      (error: unknown) => error,
    )
    if (!(failure instanceof Failure)) throw failure ?? new Error('it was read as if it were whole')
    expect(failure.code).toBe('ledger_damaged')
    expect(rowOf(failure.message.replace(`${path}: `, ''))).toEqual([row])
  })

  /** Of spreadsheets and of flags, with tests of their own (test/ledger). */
  const sheets =
    /^(?:this spreadsheet is larger|it has … sheets|there is no sheet|no visible sheet|the sheet …|this is CSV|there is no header|row …)/
  test('and the page has no other', () => {
    const others = rows.filter((row) => !sheets.test(row))
    expect(others.sort()).toEqual(files.map(([, row]) => row).sort())
  })
})
