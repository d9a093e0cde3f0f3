import {describe, expect, it} from 'vitest'
import {expectStatus, readError} from './outcome.ts'
import {findingOf, reconcile} from './report.ts'
import {startScenario} from './scenario.ts'

/** The same two orders, in the shapes merchants export them. `b` is booked, but open at the service. */
const readable: Readonly<Record<string, {readonly text: string; readonly flags?: readonly string[]}>> = {
  'comma, LF': {text: 'order_no,kind,amount\na,deposit,1500.00\nb,deposit,20.00\n'},
  'semicolon, CRLF, BOM': {text: '\ufefforder_no;kind;amount\r\na;deposit;1500.00\r\nb;deposit;20.00\r\n'},
  'tab, no newline at the end': {text: 'order_no\tkind\tamount\na\tdeposit\t1500.00\nb\tdeposit\t20.00'},
  'bar, --kind': {text: 'order_no|amount\na|1500.00\nb|20.00\n', flags: ['--kind', 'deposit']},
  'other names, columns nobody asked for': {
    text: 'Note,Order ID,Taka\n"a ""good"" one",a,"1,500.00"\n,b,20.00\n',
    flags: ['--kind', 'deposit', '--column', 'order_no=Order ID', '--column', 'amount=Taka'],
  },
}

describe.concurrent('ledgers in the shapes they come in', () => {
  it.each(Object.entries(readable))('%s', async (_, {text, flags = []}) => {
    await using scenario = await startScenario()
    const {book} = scenario.service
    book.addOrder({kind: 'deposit', number: 'a', status: 'completed', amount: '1500.00'})
    book.addOrder({kind: 'deposit', number: 'b', status: 'processing', amount: '20.00'})
    const path = await scenario.machine.write('ledger.csv', text)
    const {outcome, report} = await reconcile(scenario.machine, scenario.service, [
      path,
      '--yes',
      '--all',
      ...['--since', '1d'],
      ...flags,
    ])
    expectStatus(outcome, 7)
    expect(findingOf(report, 'a')).toMatchObject({verdict: 'matched', line: 2, ledger: {amount: '1500.00'}})
    // Without a status column every row counts as completed.
    expect(findingOf(report, 'b')).toMatchObject({
      verdict: 'status_mismatch',
      cause: 'booked_but_open',
      line: 3,
    })
  })

  it('a newline inside quotes is part of the row, and the lines after it keep their numbers', async () => {
    await using scenario = await startScenario()
    scenario.service.book.addOrder({kind: 'payout', number: 'b', status: 'failed'})
    const text = 'order_no,player_ref,kind\na,"line one\nline two",payout\nb,,payout\n'
    const path = await scenario.machine.write('ledger.csv', text)
    const {report} = await reconcile(scenario.machine, scenario.service, [path, '--yes'])
    expect(findingOf(report, 'a')).toMatchObject({verdict: 'missing_at_provider', line: 2, kind: 'payout'})
    expect(findingOf(report, 'b')).toMatchObject({cause: 'booked_but_failed', line: 4})
  })

  /**
   * Two thousand rows: enough for more than one batch of anything, few enough that a query a row over loopback
   * takes seconds. Larger ledgers are the benchmark's business, not this suite's.
   */
  it('two thousand rows, three of them wrong', async () => {
    await using scenario = await startScenario()
    for (let n = 0; n < 2000; n++) scenario.addOrder(`bulk-${n}`, 'completed', 'completed')
    const wrong = ['bulk-0', 'bulk-999', 'bulk-1999']
    for (const number of wrong) {
      const order = scenario.service.book.findOrder('deposit', number)
      if (order !== undefined) order.amount = '499.00'
    }
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 7)
    expect(report.counts).toMatchObject({rows: 2000, matched: 1997, amount_mismatch: 3})
    expect(report.findings.map(({orderNo}) => orderNo).sort()).toEqual([...wrong].sort())
    expect(report.findings.map(({line}) => line).sort()).toEqual([1001, 2, 2001])
  }, 70_000)
})

const header = 'order_no,kind,status,amount'
const row = 'a,deposit,open,1.00'

/** Files that may have lost rows: nothing is concluded from them, and nothing is sent. */
const damaged: Readonly<Record<string, string | Uint8Array>> = {
  'an empty file': '',
  'no header, only rows': `${row}\nb,deposit,open,2.00\n`,
  'a header without rows': `${header}\n`,
  'a name in the header twice': `order_no,kind,amount,amount\na,deposit,1.00,2.00\n`,
  'a header without order_no': `number,kind\na,deposit\n`,
  'an unclosed quote': `${header}\n${row}\n"b,deposit,open,1.00\nc,deposit,open,1.00\n`,
  'bytes that are not UTF-8': Buffer.from(`${header}\n${row}\nb\u00e9,deposit,open,1.00\n`, 'latin1'),
  'UTF-16, cut off': Buffer.from(`\ufeff${header}\n${row}\n`, 'utf16le').subarray(0, -1),
  'a NUL byte': `${header}\n${row}\nb\u0000,deposit,open,1.00\n`,
}

describe.concurrent('damaged files stop the run before anything is asked or sent', () => {
  it.each(Object.entries(damaged))('%s', async (_, content) => {
    await using scenario = await startScenario()
    const path = await scenario.machine.write('damaged.csv', content)
    const outcome = await scenario.machine.run(['reconcile', path, '--yes', '--json'])
    expectStatus(outcome, 2)
    expect(readError(outcome).message).toContain('damaged.csv')
    expect(scenario.service.calls.all).toEqual([])
  })

  it('one damaged file among good ones stops all of them', async () => {
    await using scenario = await startScenario()
    scenario.addLost('lost')
    const bad = await scenario.machine.write('damaged.csv', `${header}\n`)
    const outcome = await scenario.machine.run(['reconcile', await scenario.ledger(), bad, '--yes', '--json'])
    expectStatus(outcome, 2)
    expect(scenario.service.calls.all).toEqual([])
  })

  it('a file that is not there', async () => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run(['reconcile', 'nowhere.csv', '--yes', '--json'])
    expectStatus(outcome, 2)
    expect(readError(outcome).message).toContain('nowhere.csv')
  })

  it('no file at all', async () => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run(['reconcile', '--json'])
    expectStatus(outcome, 2)
    readError(outcome)
  })
})
