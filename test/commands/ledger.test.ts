import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import LedgerCheck from '../../src/commands/ledger/check.ts'
import LedgerImport from '../../src/commands/ledger/import.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import {tempDir} from '../temp-dir.ts'
import {shellAt, shellWithoutProfile} from './run-command.ts'

const good = 'Order No.,State,Amount (BDT)\nD-1,paid,500/-\nD-2,pending,"1,200.00"\nTotal,,1700\n'

/** A profile of its own, and a file. */
function office(content: string) {
  const dir = tempDir()
  const config = join(dir, 'config.toml')
  writeFileSync(config, '# ours\n[profiles.shop]\nbase_url = "https://pay.example/v1"\n', {mode: 0o600})
  const shell = shellAt('http://127.0.0.1:9', {HISAB_CONFIG: config, HISAB_PROFILE: 'shop'})
  const file = join(dir, 'ledger.csv')
  const rewrite = (text: string) => writeFileSync(file, text)
  rewrite(content)
  return {shell, file, rewrite, config: () => readFileSync(config, 'utf8')}
}

test('what is understood is shown: columns and guesses, first rows, sums, totals; 0, and nothing is saved', async () => {
  const {shell, file, config} = office(good)
  const before = config()
  const ran = await shell.run(LedgerCheck, file, '--json')
  expect(ran.status).toBe(0)
  expect(ran.json()).toMatchObject({
    file: {format: 'csv', encoding: 'UTF-8', delimiter: ',', headerLine: 1, rows: 2},
    columns: [
      {column: 'order_no', header: 'Order No.', guessed: true},
      {column: 'status', header: 'State', guessed: true},
      {column: 'amount', header: 'Amount (BDT)', guessed: true},
    ],
    firstRows: [{line: 2, orderNo: 'D-1', status: 'completed', amount: '500.00'}, {line: 3}],
    sums: [
      {kind: 'deposit', status: 'completed', rows: 1, amount: '500.00'},
      {kind: 'deposit', status: 'open', rows: 1, amount: '1200.00'},
    ],
    totals: [{line: 4, label: 'Total', amount: '1700.00', sum: '1700.00', agrees: true}],
    unreadable: {rows: 0},
    ...{doubts: [], saved: null},
  })
  expect(config()).toBe(before)
})

test.each([
  ['a row that cannot be read', good.replace('500/-', 'five')],
  ['a total of other rows', good.replace('1700', '1800')],
  ['a column that may be a status', good.replace('State', 'Stage')],
])('%s ends with 7', async (_what, content) => {
  const {shell, file} = office(content)
  expect((await shell.run(LedgerCheck, file)).status).toBe(7)
})

test('a file is looked at before there is any profile; saving needs one', async () => {
  const {file} = office(good)
  const newcomer = shellWithoutProfile()
  const ran = await newcomer.run(LedgerCheck, file)
  expect(ran.status).toBe(0)
  expect(ran.stdout.replace(/\s+/g, ' ')).toContain('header on line 1, 2 rows')
  expect(ran.stderr).toContain('hisab config init')
  expect((await newcomer.run(LedgerCheck, file, '--save')).status).toBe(3)
})

test.each([
  [
    'order_no,status,amount,Fee,Player Name\nD-1,paid,500,5,Rahim\n',
    [],
    'What a row has under "Fee" may tell of a booking.',
  ],
  ['order_no,status,amount,Fee\nD-1,paid,500,5\n', ['--ignore-column', 'Fee'], null],
  ['order_no,status,amount,Mobile\nD-1,paid,500,01712345678\n', [], null],
  ['order_no,amount,Fee\nD-1,500,5\n', [], null],
])('columns that may hold a resend are named: %j %j', async (content, flags, said) => {
  const {shell, file} = office(content)
  const {notes} = (await shell.run(LedgerCheck, file, ...flags, '--json')).json() as {notes: string[]}
  const ofHolding = notes.filter((note) => note.includes('may tell of a booking'))
  expect(ofHolding).toEqual(said === null ? [] : [expect.stringContaining(said)])
})

test('a damaged file ends with 2', async () => {
  const {shell, file} = office('x')
  expect((await shell.run(LedgerCheck, file)).status).toBe(2)
})

test('an import is saved and shown; a later file has to fit, until it is saved anew or removed', async () => {
  const {shell, file, rewrite, config} = office(good)
  expect((await shell.run(LedgerCheck, file, '--save', '--json')).json()).toMatchObject({saved: 'shop'})
  expect(config()).toContain('# ours')
  const columns = [
    {column: 'order_no', header: 'Order No.'},
    {column: 'status', header: 'State'},
    {column: 'amount', header: 'Amount (BDT)'},
  ]
  const shown = await shell.run(LedgerImport, '--json')
  expect(shown.json()).toEqual({profile: 'shop', import: {sheet: null, columns}, removed: false})
  // What was a guess is known.
  const again = await shell.run(LedgerCheck, file, '--json')
  expect((again.json() as {columns: {guessed: boolean}[]}).columns.map(({guessed}) => guessed)).toEqual([
    ...[false, false, false],
  ])

  for (const header of ['Status', 'Remarks']) {
    rewrite(good.replace('State', header))
    for (const ran of [
      await shell.run(LedgerCheck, file, '--json'),
      await shell.run(Reconcile, file, '--dry-run', '--json'),
    ]) {
      expect(ran.status).toBe(2)
      expect(ran.json()).toMatchObject({
        error: {
          code: 'ledger_damaged',
          message: expect.stringContaining('no header "State", which the saved import has for status'),
          hint: expect.stringContaining('hisab ledger check FILE --save'),
        },
      })
    }
  }

  rewrite(good.replace('State', 'Status'))
  const saved = await shell.run(LedgerImport, file, '--json')
  expect(saved.json()).toMatchObject({import: {columns: {1: {header: 'Status'}}}})
  expect((await shell.run(LedgerCheck, file)).status).toBe(0)
  const removed = await shell.run(LedgerImport, '--remove', '--json')
  expect(removed.json()).toEqual({profile: 'shop', import: null, removed: true})
  expect((await shell.run(LedgerImport)).stdout).toContain('has no import')
})
