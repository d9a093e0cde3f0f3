import {createHash} from 'node:crypto'
import {readFile, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {fullTemporaryFolder} from '../journal/full-temporary-folder.ts'
import {minutesAgo} from './ledger.ts'
import {listFiles} from './machine.ts'
import {expectStatus} from './outcome.ts'
import {findingOf, findingsOf, reconcile, verdicts} from './report.ts'
import {exhausted, type Scenario, startScenario} from './scenario.ts'

it('a temporary folder that is full at the end costs the night nothing, and it says so', async () => {
  await using scenario = await startScenario({isBuilt: true})
  addPair(scenario, 'matched', ['completed', '500.00'], ['completed', '500.00'])
  addPair(scenario, 'amount', ['completed', '450.00'], ['completed', '500.00'])
  const {outcome, report} = await scenario.reconcile(['--yes'], {env: fullTemporaryFolder})
  expectStatus(outcome, 7)
  expect(report.complete).toBe(true)
  expect(outcome.stderr).toMatch(
    /^warning: this run is recorded, but the temporary folder \(TMPDIR\), where .*: disk full\. The next run/m,
  )
  const second = await scenario.reconcile(['--yes', '--skip-final'])
  expect(second.outcome.stderr).not.toContain('warning: the night')
  expect([scenario.service.calls.count('deposit.query'), second.report.memory.open]).toEqual([1, 1])
})

describe.concurrent('the tie-out, worked out by hand', () => {
  it('explains the difference by the breaks, to the paisa', async () => {
    await using scenario = await startScenario()
    addPair(scenario, 'matched', ['completed', '500.00'], ['completed', '500.00'])
    addPair(scenario, 'amount', ['completed', '450.00'], ['completed', '500.00'])
    addPair(scenario, 'booked-but-open', ['completed', '300.00'], ['processing', '300.00'])
    addPair(scenario, 'missing', ['open', '200.10'], ['completed', '200.10'])
    addPair(scenario, 'flight', ['open', '40.00'], ['pending', '40.00'])
    scenario.addRow({order_no: 'absent', status: 'completed', amount: '75.25'})
    scenario.addRow({order_no: 'day-ends', status: 'failed', amount: '1.00', created_at: minutesAgo(0)})
    const order = scenario.service.book.addOrder({
      kind: 'deposit',
      number: 'no-row',
      status: 'completed',
      amount: '999.99',
    })
    scenario.service.book.addRecord({order, ...exhausted, status: 'success', response_code: 200})
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 7)
    // Ledger: 500.00 + 450.00 + 300.00 + 75.25. Provider: 500.00 + 500.00 + 200.10 + 999.99.
    expect(report.tieOut).toMatchObject({
      ledgerCompleted: '1325.25',
      providerCompleted: '2200.09',
      unexplained: '0.00',
    })
    // Which side is taken from which is not fixed.
    expect(report.tieOut.difference).toMatch(/^-?874\.84$/)
    expect(report.tieOut.explained).toBe(report.tieOut.difference)
  })

  it('agreeing books leave nothing to explain', async () => {
    await using scenario = await startScenario()
    for (const number of ['a', 'b', 'c']) {
      addPair(scenario, number, ['completed', '0.10'], ['completed', '0.10'])
    }
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 0)
    expect(report.tieOut).toEqual({
      ledgerCompleted: '0.30',
      providerCompleted: '0.30',
      difference: '0.00',
      explained: '0.00',
      unexplained: '0.00',
    })
  })

  it('a service that tells no amounts does not make every night an incomplete one', async () => {
    await using scenario = await startScenario()
    addPair(scenario, 'told', ['completed', '10.00'], ['completed', '10.00'])
    addPair(scenario, 'untold', ['completed', '500.00'], ['completed'])
    addPair(scenario, 'unknown', ['completed', ''], ['completed', '300.00'])
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 0)
    expect(report).toMatchObject({complete: true, tieOut: {unexplained: '0.00'}})
  })
})

describe.concurrent('the report', () => {
  it('has the shape of contract §4.4, on stdout and in report.json alike', async () => {
    await using scenario = await startScenario()
    scenario.addLost('lost')
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 0)
    const text = await readFile(await scenario.ledger())
    expect(report).toMatchObject({
      schemaVersion: 1,
      runId: expect.stringMatching(/^[\w.:-]+$/),
      profile: expect.any(String),
      merchantId: scenario.service.merchant.id,
      ledger: [
        {
          path: expect.stringContaining('ledger.csv'),
          sha256: createHash('sha256').update(text).digest('hex'),
          rows: 1,
        },
      ],
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/),
      finishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/),
      calls: {query: 2, list: expect.any(Number), get: expect.any(Number), resend: 1},
      reports: {dir: expect.any(String), csv: expect.any(String), html: expect.any(String)},
    })
    expect(Object.keys(report.counts).sort()).toEqual(['rows', ...verdicts].sort())
    expect(findingOf(report, 'lost')).toMatchObject({
      line: 2,
      delivery: {status: expect.any(String), attempts: expect.any(Number)},
      resend: {sentAt: expect.stringMatching(/^\d{4}-/)},
    })
    expect(JSON.parse(await readFile(report.reports.json, 'utf8'))).toEqual(report)
    const csv = await readFile(report.reports.csv, 'utf8')
    expect(csv.split('\n').find((line) => line.includes('lost'))).toContain('delivery_exhausted')
    expect(await readFile(report.reports.html, 'utf8')).toContain('lost')
  })

  it('is written where --report says, and only its owner can read it', async () => {
    await using scenario = await startScenario()
    scenario.addLost('lost')
    const dir = join(scenario.machine.workDir, 'tonight')
    const {report} = await scenario.reconcile(['--dry-run', '--report', dir])
    for (const path of [report.reports.json, report.reports.csv, report.reports.html]) {
      expect(path.startsWith(dir), path).toBe(true)
    }
    const files = [...(await listFiles(scenario.machine.dataDir)), ...(await listFiles(dir))]
    expect(files.length).toBeGreaterThan(3)
    for (const path of files) expect((await stat(path)).mode & 0o077, path).toBe(0)
  })

  it('says the same without --json: the status, the orders, and no terminal codes', async () => {
    await using scenario = await startScenario()
    scenario.addOrder('booked-but-open', 'completed', 'processing')
    const outcome = await scenario.machine.run(['reconcile', await scenario.ledger(), '--yes'])
    expectStatus(outcome, 7)
    expect(outcome.stdout).toContain('booked-but-open')
    expect(`${outcome.stdout}${outcome.stderr}`).not.toContain('\u001b')
  })

  it('defuses what a spreadsheet or a terminal would run', async () => {
    await using scenario = await startScenario()
    for (const order_no of ['=2+5', '+1', '@SUM(A1)', 'red\u001b[31m', 'bidi\u202eabc']) {
      scenario.addRow({order_no, status: 'completed'})
    }
    const {report} = await scenario.reconcile(['--dry-run'])
    expect(report.counts.rows).toBe(5)
    const csv = await readFile(report.reports.csv, 'utf8')
    expect(csv).not.toMatch(/(^|[,\n])"?[=+@]/)
    const text = await scenario.machine.run(['reconcile', await scenario.ledger(), '--dry-run'])
    for (const shown of [csv, text.stdout, text.stderr]) expect(shown).not.toMatch(/\u001b|\u202e/)
  })
})

describe.concurrent('rows that contradict each other or cannot be read', () => {
  it('duplicates: every row of them, queried once, never resent; kinds and cases are different orders', async () => {
    await using scenario = await startScenario()
    scenario.addLost('twice')
    scenario.addOrder('TWICE', 'completed', 'completed')
    scenario.addRow({order_no: 'twice', status: 'completed'})
    scenario.addOrder('twice', 'completed', 'completed', 'payout')
    const {outcome, report} = await scenario.reconcile(['--yes', '--all'])
    expectStatus(outcome, 7)
    const deposits = findingsOf(report, 'twice', 'deposit')
    expect(deposits.map(({line, verdict, action}) => ({line, verdict, action}))).toEqual([
      {line: 2, verdict: 'duplicate_in_ledger', action: 'review'},
      {line: 4, verdict: 'duplicate_in_ledger', action: 'review'},
    ])
    expect(findingOf(report, 'twice', 'payout')).toMatchObject({verdict: 'matched'})
    expect(findingOf(report, 'TWICE')).toMatchObject({verdict: 'matched'})
    const queries = scenario.service.calls.of('deposit.query').filter(({target}) => target === 'twice')
    expect(queries).toHaveLength(1)
    expect(scenario.resends).toBe(0)
  })

  it('a duplicate across two files is one too', async () => {
    await using scenario = await startScenario()
    scenario.addOrder('twice', 'completed', 'completed')
    const paths = [
      await scenario.ledger(),
      await scenario.machine.write('b.csv', 'order_no,kind\ntwice,deposit\n'),
    ]
    const {report} = await reconcile(scenario.machine, scenario.service, [...paths, '--yes'])
    expect(report.ledger.map(({rows}) => rows)).toEqual([1, 1])
    expect(report.counts).toMatchObject({rows: 2, duplicate_in_ledger: 2})
  })

  it('unreadable rows are told with their line, and the others go on', async () => {
    await using scenario = await startScenario()
    scenario.addOrder('good', 'completed', 'completed')
    const bad = [
      ['no-number', ',deposit,completed,1.00'],
      ['dash', 'dash,deposit,completed,-'],
      ['exponent', 'exponent,deposit,completed,1.2E+15'],
      ['three-decimals', 'three-decimals,deposit,completed,10.005'],
      ['negative', 'negative,deposit,completed,-5.00'],
      ['letters', 'letters,deposit,completed,abc'],
      ['status', 'status,deposit,somewhere,1.00'],
      ['kind', 'kind,gift,completed,1.00'],
    ] as const
    const rows = bad.map(([, line]) => line).join('\n')
    const text = `order_no,kind,status,amount\n${rows}\ngood,deposit,completed,500.00\n`
    const path = await scenario.machine.write('bad.csv', text)
    const {outcome, report} = await reconcile(scenario.machine, scenario.service, [path, '--yes', '--all'])
    // A row that could not be read is a break, or something that could not be checked: not a clean night.
    expectStatus(outcome, 7, 8)
    for (const [place, [name]] of bad.entries()) {
      const finding = report.findings.find(({line}) => line === place + 2)
      expect(finding, name).toMatchObject({
        verdict: 'unreadable_row',
        action: 'review',
        cause: expect.stringMatching(/./),
      })
    }
    expect(findingOf(report, 'good')).toMatchObject({verdict: 'matched', line: bad.length + 2})
    expect(report.counts).toMatchObject({rows: bad.length + 1, unreadable_row: bad.length, matched: 1})
    expect(scenario.service.calls.of('deposit.query').map(({target}) => target)).toEqual(['good'])
  })
})

function addPair(
  scenario: Scenario,
  number: string,
  [status, amount]: readonly [string, string],
  [word, providerAmount]: readonly [string, string?],
): void {
  scenario.addRow({order_no: number, status, amount})
  scenario.service.book.addOrder({kind: 'deposit', number, status: word, amount: providerAmount})
}
