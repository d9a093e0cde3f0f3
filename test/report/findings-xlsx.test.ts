import {expect, test} from 'vitest'

import {openWorkbook} from '../../src/ledger/spreadsheet/workbook.ts'
import {ZipArchive} from '../../src/ledger/spreadsheet/zip.ts'
import {findingsXlsx} from '../../src/report/findings-xlsx.ts'
import {buildReport} from '../../src/report/reconcile-report.ts'
import {facts, finding, paths} from './sample.ts'

const bytesOf = (...findings: ReturnType<typeof finding>[]) =>
  Buffer.concat([...findingsXlsx(buildReport(facts(findings), paths))])

test('a sheet a kind, with labels, real amounts and times, and identifiers as text', async () => {
  const deposit = finding({
    orderNo: '00012345',
    playerRef: 'u-01712345678',
    orderedAtMs: Date.parse('2026-11-20T12:00:00Z'),
  })
  const payout = finding({kind: 'payout', orderNo: '=1+1'})
  const [deposits, payouts] = await openWorkbook(bytesOf(deposit, payout)).heads(9)
  const [header = [], row = []] = deposits?.rows.map(({cells}) => cells) ?? []
  const cells = Object.fromEntries(header.map((title, at) => [title, row[at]]))
  expect(cells).toMatchObject({
    ...{'Order no': '00012345', 'Ordered at': '2026-11-20 18:00:00', Result: 'paid, not booked'},
    ...{'Amount at risk': '500', 'Ledger amount': '500', Player: 'u-017****5678'},
  })
  expect([deposits?.name, payouts?.name]).toEqual(['Deposits', 'Payouts'])
  expect(payouts?.rows[1]?.cells[0]).toBe('=1+1')
})

test('the header is frozen and has filters; text is text by its type, and nothing is a formula', () => {
  const sheet = new ZipArchive(bytesOf(finding({orderNo: '=HYPERLINK("x")'}))).text(
    'xl/worksheets/sheet1.xml',
  )
  expect(sheet).toContain('state="frozen"')
  expect(sheet).toContain('<autoFilter ref="A1:W2"/>')
  expect(sheet).toContain('t="inlineStr"><is><t xml:space="preserve">=HYPERLINK(&#34;x&#34;)</t>')
  expect(sheet).not.toContain('<f>')
})

test('without findings there is one sheet of them, and control characters are visible', async () => {
  const heads = await openWorkbook(bytesOf()).heads(9)
  expect(heads.map(({name, rows}) => [name, rows.length])).toEqual([
    ['Deposits', 1],
    ['Statement', 9],
  ])
  const [hostile] = await openWorkbook(bytesOf(finding({orderNo: '\u001b[2J\u202e<&>'}))).heads(9)
  expect(hostile?.rows[1]?.cells[0]).toBe('\\u{1b}[2J\\u{202e}<&>')
})

test('the statement is a sheet of its own, with real amounts, deposits and payouts apart', async () => {
  const {tieOut} = facts([])
  const item = {verdict: 'missing_completion', cause: null, orders: 2, plus: 500_00n, minus: 0n} as const
  const items = {...{before: []}, after: [{kind: 'deposit', key: 'D-1', atRisk: 500_00n}]} as const
  const sums = {...tieOut.byKind.deposit, ledgerCompleted: 1_000_00n, providerCompleted: 1_500_00n}
  const report = buildReport(
    {
      ...facts([]),
      itemMovement: items,
      tieOut: {
        ...tieOut,
        byKind: {deposit: sums, payout: {...sums, ledgerCompleted: 700_00n, providerCompleted: 400_00n}},
        reconciling: {deposit: [item], payout: [{...item, orders: 1, plus: 0n, minus: 300_00n}]},
      },
    },
    paths,
  )
  const heads = await openWorkbook(Buffer.concat([...findingsXlsx(report)])).heads(30)
  const {name, rows = []} = heads.at(-1) ?? {}
  const cells = rows.map((row) => row.cells.join('|'))
  expect(name).toBe('Statement')
  expect(cells).toMatchInlineSnapshot(`
    [
      "Kind|Line|Orders|Amount, BDT",
      "Deposits|Balance by the ledger||1000",
      "Deposits|paid, not booked|2|500",
      "Deposits|Balance by the service||1500",
      "Deposits|Unexplained||0",
      "Deposits|Open items before|0|0",
      "Deposits|New|1|500",
      "Deposits|Closed|0|0",
      "Deposits|Changed amounts||0",
      "Deposits|Open items now|1|500",
      "Payouts|Balance by the ledger||700",
      "Payouts|paid out, still open|1|-300",
      "Payouts|Balance by the service||400",
      "Payouts|Unexplained||0",
      "Payouts|Open items before|0|0",
      "Payouts|New|0|0",
      "Payouts|Closed|0|0",
      "Payouts|Changed amounts||0",
      "Payouts|Open items now|0|0",
      "|Prepared by: karim",
      "|Approved by: ____________",
    ]
  `)
})
