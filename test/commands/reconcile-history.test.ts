import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, onTestFinished, test, vi} from 'vitest'

import {Context} from '../../src/cli/context.ts'
import IgnoresAdd from '../../src/commands/ignores/add.ts'
import IgnoresList from '../../src/commands/ignores/list.ts'
import IgnoresRemove from '../../src/commands/ignores/remove.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import RunsList from '../../src/commands/runs/list.ts'
import RunsShow from '../../src/commands/runs/show.ts'
import {tempDir} from '../temp-dir.ts'
import {type Shell, shellAt, shellWithSandbox} from './run-command.ts'

const rows =
  'order_no,status,amount,created_at\nD-404,completed,500.00,2026-11-20\nD-405,open,20.00,2026-11-20\n'

function ledger(): string {
  const path = join(tempDir(), 'ledger.csv')
  writeFileSync(path, rows)
  return path
}

/** A machine with one run behind it, which found a booked order the service does not know. */
async function afterOneRun(): Promise<{shell: Shell; path: string}> {
  const {shell} = await shellWithSandbox()
  const path = ledger()
  expect((await shell.run(Reconcile, path)).status).toBe(7)
  return {shell, path}
}

const add = ['D-404', '--reason', 'paid in cash', '--until', '2099-01-01', '--by', 'rahima', '--json']

describe('reconcile --plan', () => {
  test('asks nothing of anybody: it plans where there is no service at all', async () => {
    const shell = shellAt('http://127.0.0.1:9')
    const ran = await shell.run(Reconcile, ledger(), '--plan', '--rate', '2', '--json')
    expect(ran.status).toBe(0)
    expect(ran.json().plan).toMatchObject({
      ...{orders: 2, final: 0, queries: 2, ratePerSecond: 2, rateFrom: 'flag'},
      records: {way: 'full-list'},
      calls: {least: 3, most: null},
    })
    expect((await shell.run(RunsList, '--json')).json()).toEqual({runs: [], inDoubt: []})
  })

  test('says what it would do in words', async () => {
    const ran = await shellAt('http://127.0.0.1:9').run(Reconcile, ledger(), '--plan', '--no-deliveries')
    expect(ran.stdout).toMatch(/queries +2, one for each order/)
    expect(ran.stdout).toMatch(/records +none: --no-deliveries/)
    expect(ran.stdout).toContain('No call was made.')
  })

  test('and --yes are not given together', async () => {
    expect((await shellAt('http://127.0.0.1:9').run(Reconcile, ledger(), '--plan', '--yes')).status).toBe(2)
  })
})

test('a run that is gone on with keeps the pace and the credentials it was begun with', async () => {
  const shell = shellAt('http://127.0.0.1:9', {HISAB_API_KEY: ''})
  const client = vi.spyOn(Context.prototype, 'client')
  onTestFinished(() => client.mockRestore())
  const begun = await shell.run(Reconcile, ledger(), '--no-deliveries', '--rate', '2', '--concurrency', '3')
  const {runs} = (await shell.run(RunsList, '--json')).json() as {runs: {id: string}[]}
  const resumed = await shell.run(Reconcile, '--resume', runs[0]?.id ?? '')
  expect([begun.status, resumed.status]).toEqual([5, 5])
  for (const [, options] of client.mock.calls) {
    expect(options).toMatchObject({ordersOnly: true, ratePerSecond: 2, concurrencyMax: 3})
  }
  expect(client).toHaveBeenCalledTimes(2)
})

describe('a header renamed overnight', () => {
  const renamed = 'order_no,Stage,amount,created_at\nD-404,completed,500.00,2026-11-20\n'

  test('is refused before anything is asked, until it is named or said to be meant', async () => {
    const {shell, path} = await afterOneRun()
    writeFileSync(path, renamed)
    const refused = await shell.run(Reconcile, path, '--yes')
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/has no column status, which/),
    ])
    expect(refused.stderr).toContain('--columns-changed')
    expect((await shell.run(RunsList, '--json')).json()).toMatchObject({runs: [{}]})
    const named = await shell.run(Reconcile, path, '--yes', '--column', 'status=Stage')
    expect(named.status).toBe(7)
    const meant = await shell.run(Reconcile, path, '--yes', '--columns-changed')
    expect([meant.status, meant.stderr]).toEqual([7, expect.stringContaining('--column status="Stage"')])
    // From then on the ledger of this merchant has no such column.
    expect((await shell.run(Reconcile, path, '--yes')).status).toBe(7)
  })

  test('a dry run, and a ledger of the other kind, change nothing of it', async () => {
    const {shell, path} = await afterOneRun()
    const payouts = join(tempDir(), 'payouts.csv')
    writeFileSync(payouts, 'order_no,created_at\nP-1,2026-11-20\n')
    expect((await shell.run(Reconcile, payouts, '--kind', 'payout', '--yes')).status).toBe(7)
    writeFileSync(path, renamed)
    await shell.run(Reconcile, path, '--dry-run', '--columns-changed')
    expect((await shell.run(Reconcile, path, '--yes')).status).toBe(2)
  })
})

describe('a word the run did not begin with is not ignored in silence', () => {
  test.each([
    [['--kind', 'payout'], '--kind'],
    [['--since', '2026-11-01'], '--since'],
    [['--until', '2026-11-01'], '--until'],
    [['--include-delivered'], '--include-delivered'],
    [['--ignore-cooldown'], '--ignore-cooldown'],
    [['--retry-unknown'], '--retry-unknown'],
    [['--include-missing'], '--include-missing'],
    [['--no-deliveries'], '--no-deliveries'],
    [['--skip-final'], '--skip-final'],
    [['--whole-list'], '--whole-list'],
    [['--since-last-run'], '--since-last-run'],
  ])('%s', async (words, flag) => {
    const shell = shellAt('http://127.0.0.1:9')
    const resume = async (...also: string[]) => {
      const {runs} = (await shell.run(RunsList, '--json')).json() as {runs: {id: string}[]}
      return await shell.run(Reconcile, '--resume', runs[0]?.id ?? '', ...also)
    }
    await shell.run(Reconcile, ledger())
    const refused = await resume(...words)
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`${flag} differs from the option of the original run`),
    ])
    await shell.run(Reconcile, ledger(), ...words)
    expect((await resume(...words)).status).toBe(5)
  })
})

describe('ignores', () => {
  test('from the word to its end: not a break while it holds, shown in every run, taken back', async () => {
    const {shell, path} = await afterOneRun()
    const added = await shell.run(IgnoresAdd, ...add)
    expect(added.json()).toMatchObject({
      ...{id: 1, kind: 'deposit', orderNo: 'D-404', verdict: 'missing_at_provider', amountAtRisk: '500.00'},
      ...{reason: 'paid in cash', by: 'rahima', expired: false},
    })
    expect((await shell.run(IgnoresList)).stdout).toMatch(/D-404 .*rahima\n {4}paid in cash/)
    const second = await shell.run(Reconcile, path)
    expect(second.stdout).toContain(
      'Ignored  1, included in every figure above. List them: hisab ignores list',
    )
    expect(second.stdout).not.toMatch(/line 2 +D-404/)
    expect((await shell.run(IgnoresRemove, '1', '--by', 'karim')).status).toBe(0)
    expect((await shell.run(Reconcile, path)).stdout).toMatch(/line 2 +D-404/)
  })

  test.each<[what: string, argv: string[], status: number]>([
    ['an order nobody found anything about', ['D-9', ...add.slice(1)], 7],
    ['a time that is over', ['D-404', '--reason', 'x', '--until', '2020-01-01'], 2],
    ['no reason', ['D-404', '--until', '2099-01-01'], 2],
    ['a blank reason', ['D-404', '--reason', ' ', '--until', '2099-01-01'], 2],
    ['no end', ['D-404', '--reason', 'x'], 2],
    ['another verdict', [...add, '--verdict', 'amount_mismatch'], 7],
  ])('%s is refused', async (_what, argv, status) => {
    const {shell} = await afterOneRun()
    expect((await shell.run(IgnoresAdd, ...argv)).status).toBe(status)
    expect((await shell.run(IgnoresList, '--json')).json()).toEqual({ignores: []})
  })

  test('what is not ignored cannot be taken back', async () => {
    const {shell} = await afterOneRun()
    expect((await shell.run(IgnoresRemove, '7')).status).toBe(7)
  })
})

test('runs list and show tell what each night found', async () => {
  const {shell, path} = await afterOneRun()
  await shell.run(Reconcile, path)
  const {runs} = (await shell.run(RunsList, '--json')).json() as {
    runs: {id: string; totals: {memory: object; atRisk: object}}[]
  }
  expect(runs.map(({totals}) => totals.memory)).toMatchObject([
    {new: 0, open: 2},
    {new: 2, open: 0},
  ])
  const shown = await shell.run(RunsShow, runs[0]?.id ?? '')
  expect(shown.stdout).toMatch(/^Results +not at the service 2$/m)
  expect(shown.stdout).toMatch(/^At risk +BDT 500\.00$/m)
})
