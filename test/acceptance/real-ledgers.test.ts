import {describe, expect} from 'vitest'

import {fixture} from './export-fixture.ts'
import type {Reconciled} from './own-home.ts'
import {it} from './played-day.ts'
import type {PlayedOrder} from './played-service.ts'

/** Every row as `line order verdict cause`, and what became of a resend. */
function verdictsOf({report}: Reconciled): string[] {
  return report.findings.map(({line, orderNo, verdict, cause, resend}) =>
    [line ?? 'no row', orderNo ?? '(no number)', verdict, cause, resend?.state].filter(Boolean).join(' '),
  )
}

/** What happened at the service to the orders of the first sheet of the exports, and to one that no row names. */
const sheetDay: PlayedOrder[] = [
  {orderNo: 'D-1001', ending: {paid: '500.00'}},
  {orderNo: '0000001002', ending: {paid: '1500.50'}, isWebhookLost: true},
  {orderNo: 'D-1003', ending: {paid: '1234567.50'}},
  {orderNo: 'D-1004', payout: '200.00', ending: 'rejected'},
  {orderNo: 'D-1005', ending: {paid: '1234567.50'}},
  {orderNo: 'D-1006', ending: {paid: '30.00'}},
  {orderNo: 'D-1007', ending: 'open'},
  {orderNo: 'অর্ডার-১০০৮', ending: {paid: '99.99'}},
  {orderNo: 'D-1009', ending: {paid: '250.00'}, isWebhookLost: true},
]

const sheetVerdicts = [
  '2 D-1001 matched',
  '3 0000001002 missing_completion delivery_exhausted delivered',
  '4 D-1003 matched',
  '5 D-1004 matched',
  '6 D-1005 matched',
  '7 D-1006 amount_mismatch booked_amount_differs',
  '10 D-1007 in_flight',
  '11 অর্ডার-১০০৮ matched',
  'no row D-1009 missing_in_ledger delivery_exhausted delivered',
]

/** Ledger: 500.00 + 1234567.50 + 1234567.50 + 20.00 + 99.99. Service: the same with 30.00, and 1500.50 and 250.00. */
const sheetTieOut = {
  ledgerCompleted: '2469754.99',
  providerCompleted: '2471515.49',
  difference: '-1760.50',
  explained: '-1760.50',
  unexplained: '0.00',
}

/** As it was exported; the platform's IDs in it are of no service, so their column is named otherwise. */
const sheet = (name: string) =>
  Buffer.from(fixture(name).toString().replace('platform_order_no', 'platform_ref'))

const asWindowsSavesIt = (name: string) =>
  Buffer.from(`\ufeff${sheet(name).toString().replaceAll('\n', '\r\n')}`)

const sheets: [what: string, bytes: Buffer][] = [
  ['commas', sheet('comma.csv')],
  ['semicolons', sheet('semicolon.csv')],
  ['tabs', sheet('tab.csv')],
  ['pipes', sheet('pipe.csv')],
  ['every text in quotes', sheet('quoted.csv')],
  ['bare numbers instead of formatted ones', sheet('not-as-shown.csv')],
  ['an xlsx exported again', sheet('from-xlsx.csv')],
  ['commas, a byte order mark and CRLF', asWindowsSavesIt('comma.csv')],
]

describe.concurrent('one day, as different programs export it, is reconciled to the same findings', () => {
  it.for(sheets)('%s', async ([, bytes], {openDay}) => {
    const {service, home} = await openDay(sheetDay)
    home.write('ledger.csv', bytes)
    const run = await home.reconcile([
      'ledger.csv',
      '--yes',
      '--include-missing',
      '--all',
      '--ignore-column',
      'note',
    ])

    expect(verdictsOf(run), run.stderr).toEqual(sheetVerdicts)
    expect(run.report.tieOut).toMatchObject(sheetTieOut)
    // 20.00 booked, 30.00 paid: that one is for a person.
    expect(run.status).toBe(7)
    expect(run.report).toMatchObject({
      complete: true,
      counts: {rows: 8, matched: 5, in_flight: 1, missing_completion: 1, missing_in_ledger: 1},
      resends: {planned: 2, sent: 2, delivered: 2},
    })
    expect(run.report.findings.find(({line}) => line === 7)).toMatchObject({
      ledger: {amount: '20.00'},
      provider: {amount: '30.00'},
      resend: null,
    })
    expect(service.delivered).toEqual(['0000001002', 'D-1009'])
    expect(run.written).toEqual(run.report)
  })

  it('and a second night finds both delivered at the service, and resends nothing', async ({openDay}) => {
    const {service, home} = await openDay(sheetDay)
    home.write('ledger.csv', sheet('comma.csv'))
    const argv = ['ledger.csv', '--yes', '--include-missing', '--ignore-column', 'note']
    await home.reconcile(argv)
    const again = await home.reconcile(argv)
    expect(verdictsOf(again)).toEqual([
      '3 0000001002 missing_completion delivered_not_booked',
      '7 D-1006 amount_mismatch booked_amount_differs',
      'no row D-1009 missing_in_ledger delivered_not_booked',
    ])
    expect(again.status).toBe(7)
    expect(service.delivered).toEqual(['0000001002', 'D-1009'])
  })
})

const renamedDay: PlayedOrder[] = [
  {orderNo: 'R-1', ending: {paid: '1500.00'}},
  {orderNo: 'R-2', ending: {paid: '250.25'}, isWebhookLost: true},
  {orderNo: 'R-3', ending: 'expired'},
]

describe.concurrent('a ledger with headers and words of its own', () => {
  it('found by themselves: a status in words of its own counts for nothing, and is named', async ({
    openDay,
  }) => {
    const {service, home} = await openDay(renamedDay)
    home.write('ledger.csv', fixture('renamed.csv'))
    const run = await home.reconcile(['ledger.csv', '--yes', '--all', '--column', 'created_at=Booked at'])
    expect(verdictsOf(run)).toEqual(
      [2, 3, 4].map((line) => `${line} R-${line - 1} unreadable_row status_unknown`),
    )
    expect(run.status).toBe(7)
    expect(run.stderr).toContain(
      'hisab reads "Order ID" as order_no, "অবস্থা" as status, "Amount (BDT)" as amount and "Customer" as player_ref',
    )
    expect(service.delivered).toEqual([])
  })

  it('named in config.toml, with its status words: what was lost heals, and the books agree', async ({
    openDay,
  }) => {
    const {service, home} = await openDay(renamedDay)
    home.write('ledger.csv', fixture('renamed.csv'))
    home.writeConfig(`
      [profiles.sandbox.ledger]
      columns = { order_no = "Order ID", amount = "Amount (BDT)", status = "অবস্থা", created_at = "Booked at" }
      status = { completed = ["জমা"], open = ["অপেক্ষা"], failed = ["বাতিল"] }
    `)
    const run = await home.reconcile(['ledger.csv', '--yes', '--all', '--kind', 'deposit'])
    expect(verdictsOf(run)).toEqual([
      '2 R-1 matched',
      '3 R-2 missing_completion delivery_exhausted delivered',
      '4 R-3 matched',
    ])
    expect(run.status).toBe(0)
    expect(service.delivered).toEqual(['R-2'])
  })
})

describe.concurrent('rows that cannot be read are named by line, and the others go on', () => {
  it('where a spreadsheet lost the digits of numbers', async ({openDay}) => {
    const {service, home} = await openDay([
      {orderNo: '1234567890123456789012', ending: {paid: '500.00'}},
      {orderNo: '0000001002', ending: {paid: '750.00'}},
    ])
    home.write('ledger.csv', fixture('numbers-lost.csv'))
    const run = await home.reconcile(['ledger.csv', '--yes', '--all'])
    expect(verdictsOf(run)).toEqual([
      '2 (no number) unreadable_row order_no_malformed',
      '3 1234567890123456789012 matched',
      // The zeros are gone, so it is another order, and the service has none of that number.
      '4 1002 missing_at_provider booked',
      '5 0000001002 matched',
      '6 D-7 unreadable_row amount_unreadable',
      '7 D-8 unreadable_row amount_unreadable',
      '8 D-9 unreadable_row amount_unreadable',
      '9 D-10 unreadable_row amount_unreadable',
    ])
    // Without a time in any row nobody can look for the orders it leaves out.
    expect(run.status).toBe(8)
    expect(run.report.counts).toMatchObject({rows: 8, matched: 2, unreadable_row: 5})
    expect(run.report.missingInLedger).toMatchObject({checked: false})
    expect(run.report.findings[0]?.explanation).toContain('1.23456789012346E+021')
    // A row that cannot be read is not asked for either.
    expect(service.door.count('/pay/order/query')).toBe(3)
  })

  it('of any kind, also before a row whose webhook was lost', async ({openDay}) => {
    const {service, home} = await openDay([
      {orderNo: 'A-1', ending: {paid: '10.00'}},
      {orderNo: 'A-9', ending: {paid: '90.00'}, isWebhookLost: true},
    ])
    home.write(
      'ledger.csv',
      `order_no,kind,status,amount
A-1,deposit,paid,10
,deposit,paid,20
A-3,refund,paid,30
A-4,deposit,done,40
A-5,deposit,paid,-
A-6,deposit,paid
${'x'.repeat(33)},deposit,paid,70
A-8,deposit,paid,80
A-8,deposit,paid,80
A-9,deposit,open,90
`,
    )
    const run = await home.reconcile(['ledger.csv', '--yes'])
    expect(verdictsOf(run)).toEqual([
      '3 (no number) unreadable_row order_no_missing',
      '4 A-3 unreadable_row kind_unknown',
      '5 A-4 unreadable_row status_unknown',
      '6 A-5 unreadable_row amount_unreadable',
      '7 A-6 unreadable_row column_count',
      '8 (no number) unreadable_row order_no_malformed',
      '9 A-8 duplicate_in_ledger missing_at_provider',
      '10 A-8 duplicate_in_ledger missing_at_provider',
      '11 A-9 missing_completion delivery_exhausted delivered',
    ])
    expect(run.status).toBe(8)
    expect(service.delivered).toEqual(['A-9'])
  })
})

describe.concurrent('kinds and files', () => {
  it('two ledgers in one run: each finding says its file and its line there', async ({openDay}) => {
    const {home} = await openDay([
      {orderNo: 'S-1', ending: {paid: '100.00'}, isWebhookLost: true},
      // Numbers are unique within a kind only: this payout is another order than the deposit S-1.
      {orderNo: 'S-1', payout: '70.00', ending: 'paid out'},
      {orderNo: 'S-2', payout: '80.00', ending: 'paid out', isWebhookLost: true},
    ])
    home.write('deposits.csv', 'order_no,kind,status,amount\nS-1,deposit,open,100\n')
    home.write(
      'payouts.csv',
      'order_no;kind;status;amount\r\nS-1;payout;paid;70.00\r\nS-3;payout;paid;70,00\r\n',
    )
    home.write('more.csv', 'order_no|kind|status|amount\nS-2|payout|processing|80\n')
    const run = await home.reconcile(['deposits.csv', 'payouts.csv', 'more.csv', '--yes', '--all'])
    expect(
      run.report.findings.map(({file, line, kind, orderNo, verdict, resend}) =>
        [file, line, kind, orderNo, verdict, resend?.state].join(' '),
      ),
    ).toEqual([
      'deposits.csv 2 deposit S-1 missing_completion delivered',
      'payouts.csv 2 payout S-1 matched ',
      'payouts.csv 3 payout S-3 unreadable_row ',
      'more.csv 2 payout S-2 missing_completion delivered',
    ])
    expect(run.report.ledger.map(({path, rows}) => `${path} ${rows}`)).toEqual([
      'deposits.csv 1',
      'payouts.csv 2',
      'more.csv 1',
    ])
    expect(run.status).toBe(8)
  })

  it('--kind payout: a ledger without a kind is asked for at the payout API, and only there', async ({
    openDay,
  }) => {
    const {service, home} = await openDay([
      {orderNo: 'W-1', payout: '120.00', ending: 'paid out'},
      {orderNo: 'W-2', payout: '130.00', ending: 'paid out', isWebhookLost: true},
      {orderNo: 'W-3', payout: '140.00', ending: 'rejected'},
      {orderNo: 'W-4', payout: '150.00', ending: 'open'},
    ])
    home.write(
      'ledger.csv',
      'order_no,status,amount\nW-1,paid,120\nW-2,processing,130\nW-3,rejected,\nW-4,open,150\n',
    )
    const run = await home.reconcile(['ledger.csv', '--kind', 'payout', '--yes', '--all', '--since', '1d'])
    expect(verdictsOf(run)).toEqual([
      '2 W-1 matched',
      '3 W-2 missing_completion delivery_exhausted delivered',
      '4 W-3 matched',
      '5 W-4 in_flight',
    ])
    expect(run.status).toBe(0)
    expect(run.stderr).not.toContain('no kind column')
    // Each once, and W-2 again just before its resend.
    expect([service.door.count('/apply/query'), service.door.count('/pay/order/query')]).toEqual([5, 0])
  })

  it('without --kind it says that rows are read as deposits', async ({openDay}) => {
    const {home} = await openDay([])
    home.write('ledger.csv', 'order_no\nW-1\n')
    const run = await home.reconcile(['ledger.csv', '--yes'])
    expect(run.stderr).toContain(
      'ledger.csv has no kind column, so its rows are read as deposits. For payouts add --kind payout',
    )
    expect(verdictsOf(run)).toEqual(['2 W-1 missing_at_provider booked'])
  })
})
