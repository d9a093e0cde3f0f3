import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {basename, join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {describe, expect, it, onTestFinished} from 'vitest'

import DepositCreate from '../../src/commands/deposit/create.ts'
import Reconcile from '../../src/commands/reconcile.ts'
import SandboxExport from '../../src/commands/sandbox/export.ts'
import SandboxReset from '../../src/commands/sandbox/reset.ts'
import SandboxSeed from '../../src/commands/sandbox/seed.ts'
import {sandboxMerchantId} from '../../src/core/profile.ts'
import {scaledClock, steppedClock} from '../../src/sandbox/clock.ts'
import {startSandbox} from '../../src/sandbox/start.ts'
import {openReceiver} from '../sandbox/receiver-server.ts'
import {type Shell, shellAt, shellWithSandbox} from './run-command.ts'

const until = '2026-11-20T23:00'
const untilMs = Date.parse('2026-11-20T23:00:00+06:00')
const days = ['--days', '2', '--until', until]

/** A machine on which no sandbox runs. */
const shell = () =>
  shellAt('http://127.0.0.1:1', {HISAB_PROFILE: 'sandbox', HISAB_BASE_URL: 'http://127.0.0.1:1/v1'})
const stateOf = ({dataDir}: Shell) => join(dataDir, 'sandbox')

describe('a seeded state', () => {
  it('is the same for the same seed, and another for another', async () => {
    const export_ = async (seed: string) => {
      const at = shell()
      await at.run(SandboxSeed, '--orders', '300', '--seed', seed, ...days)
      const ledger = (await at.run(SandboxExport, 'ledger')).stdout
      return {ledger, records: (await at.run(SandboxExport, 'records', '--format', 'ndjson')).stdout}
    }
    const first = await export_('7')
    expect(first.ledger.split('\n')).toHaveLength(302)
    expect(await export_('7')).toEqual(first)
    expect((await export_('8')).records).not.toBe(first.records)
  })

  it('seeded twice, or after being cut off, holds each order once', async () => {
    const at = shell()
    await at.run(SandboxSeed, '--orders', '300', ...days)
    const whole = (await at.run(SandboxExport, 'records')).stdout
    expect((await at.run(SandboxSeed, '--orders', '300', ...days)).stdout).toContain('Nothing to add')
    // As a SIGKILL between two commits leaves it.
    const db = new DatabaseSync(join(stateOf(at), 'sandbox.sqlite'))
    db.exec('DELETE FROM deliveries WHERE seq > 100; DELETE FROM deposits WHERE seq > 90')
    db.exec(
      'UPDATE delivery_counts SET records = 0; INSERT OR REPLACE INTO delivery_counts SELECT merchant_id, seq >> 12, status, count(*) FROM deliveries GROUP BY 1, 2, 3',
    )
    db.close()
    await at.run(SandboxSeed, '--orders', '300', ...days)
    expect((await at.run(SandboxExport, 'records')).stdout).toBe(whole)
  })

  it('with a long outage is what reconcile finds and heals', async () => {
    const receiver = await openReceiver()
    onTestFinished(() => receiver.close())
    const at = shell()
    const outage = ['--outage', '30h/21h', '--return-url', receiver.url]
    const seeded = (await at.run(SandboxSeed, '--orders', '160', ...days, ...outage, '--json')).json()
    const ledger = (await at.run(SandboxExport, 'ledger')).stdout
    const exhausted = Number(seeded.exhausted)
    expect(exhausted).toBeGreaterThan(2)

    const {shell: beside} = await shellWithSandbox({dataDir: stateOf(at), clock: steppedClock(untilMs)})
    const path = join(beside.dataDir, 'ledger.csv')
    writeFileSync(path, ledger)
    const report = await beside.run(Reconcile, path, '--yes', '--json', '--max-resends', '1000')
    const {counts, resends} = report.json() as Record<string, Record<string, number>>
    // An exhausted order.failed is no missing completion.
    expect(resends?.delivered).toBeGreaterThan(exhausted * 0.7)
    expect(resends?.delivered).toBe(counts?.missing_completion)
    expect(receiver.received).toHaveLength(resends?.delivered ?? -1)
  })

  it('goes on where its history ended: a retry that was to come comes', async () => {
    const receiver = await openReceiver()
    onTestFinished(() => receiver.close())
    const at = shell()
    const outage = ['--outage', '2h/0s', '--return-url', receiver.url]
    const seeded = (await at.run(SandboxSeed, '--orders', '400', ...days, ...outage, '--json')).json()
    expect(seeded.retrying).toBeGreaterThan(3)
    const {sandbox} = await shellWithSandbox({dataDir: stateOf(at), clock: steppedClock(untilMs)})
    await sandbox.control.advanceBy(8 * 3_600_000)
    expect(receiver.received).toHaveLength(Number(seeded.retrying))
  })

  it.each([
    [['--outage', '20h/30h'], 'ends before it starts'],
    [['--outage', '20h'], 'two times'],
    [['--orders', '0'], 'greater than or equal to 1'],
  ])('%s is refused', async (argv, why) => {
    const {status, stderr} = await shell().run(SandboxSeed, ...argv)
    expect([status, stderr]).toEqual([2, expect.stringContaining(why)])
  })
})

describe('a reset', () => {
  it('asks, and deletes nothing where there is nobody to ask', async () => {
    const at = shell()
    await at.run(SandboxSeed, '--orders', '5', ...days)
    const {status, stderr} = await at.run(SandboxReset)
    expect([status, stderr]).toEqual([2, expect.stringContaining('--yes')])
    expect((await at.run(SandboxExport, 'ledger')).stdout.split('\n')).toHaveLength(7)
  })

  it('deletes the sandbox’s files and no other', async () => {
    const at = shell()
    await at.run(SandboxSeed, '--orders', '5', ...days)
    writeFileSync(join(stateOf(at), 'notes.txt'), 'mine')
    expect((await at.run(SandboxReset, '--yes')).status).toBe(0)
    expect(readdirSync(stateOf(at))).toEqual(['notes.txt'])
    expect((await at.run(SandboxReset, '--yes')).stdout).toContain('Nothing to delete')
    expect((await at.run(SandboxExport, 'ledger')).status).toBe(2)
  })

  it('takes the journal of its merchant along, and of no other', async () => {
    const {shell: at, sandbox} = await shellWithSandbox()
    const create = ['--order-no', 'T-1', '--player-phone', '01712345678', '--player-ref', 'p-7']
    expect((await at.run(DepositCreate, ...create)).status).toBe(0)
    const others = join(at.dataDir, 'journal', '0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01@sandbox.db')
    writeFileSync(others, 'of a real merchant')
    const memory = () =>
      readdirSync(join(at.dataDir, 'journal')).concat(readdirSync(join(at.dataDir, 'accounts')))
    const before = memory()
    expect((await at.run(SandboxReset, '--yes', '--keep-journal')).stdout).toContain('Nothing to delete')
    expect(memory()).toEqual(before)
    const {stdout} = await at.run(SandboxReset, '--yes')
    expect(stdout).toContain(`Deleted the journal of its merchant ${sandboxMerchantId}`)
    expect(memory()).toEqual([basename(others)])
    expect(readFileSync(others, 'utf8')).toBe('of a real merchant')
    await sandbox.close()
    const {shell: again} = await shellWithSandbox({dataDir: stateOf(at)})
    expect((await again.run(DepositCreate, ...create)).status).toBe(0)
  })

  it('leaves the journal where another sandbox is left', async () => {
    const at = shell()
    await at.run(SandboxSeed, '--orders', '5', ...days)
    const other = join(at.dataDir, 'other')
    await at.run(SandboxSeed, '--orders', '5', ...days, '--data', other)
    const {stderr} = await at.run(SandboxReset, '--yes', '--data', other)
    expect(stderr).toContain('The journal stays')
  })

  it('deletes a state of another layout too', async () => {
    const at = shell()
    await at.run(SandboxSeed, '--orders', '5', ...days)
    const db = new DatabaseSync(join(stateOf(at), 'sandbox.sqlite'))
    db.exec('PRAGMA user_version = 999')
    db.close()
    expect((await at.run(SandboxExport, 'ledger')).stderr).toContain('sandbox reset')
    expect((await at.run(SandboxReset, '--yes')).status).toBe(0)
    expect(readdirSync(stateOf(at))).toEqual([])
  })

  it.each([
    ['a text', () => 'dear diary'],
    ['another database', anotherDatabase],
  ])('leaves %s of that name alone', async (_, content) => {
    const at = shell()
    mkdirSync(stateOf(at))
    const path = join(stateOf(at), 'sandbox.sqlite')
    writeFileSync(path, content())
    const before = readFileSync(path)
    expect((await at.run(SandboxReset, '--yes')).status).toBe(8)
    expect(readFileSync(path)).toEqual(before)
  })
})

function anotherDatabase(): Buffer {
  const dir = shell().dataDir
  const path = join(dir, 'other.sqlite')
  const db = new DatabaseSync(path)
  db.exec('CREATE TABLE deposits (mine TEXT)')
  db.close()
  return readFileSync(path)
}

it.each([
  ['reset', SandboxReset, ['--yes']],
  ['seed', SandboxSeed, ['--orders', '5']],
  ['export', SandboxExport, ['ledger']],
] as const)('%s waits for no sandbox that is running, and touches nothing', async (_, command, argv) => {
  const at = shell()
  const running = await startSandbox({port: 0, dataDir: stateOf(at), clock: scaledClock(1)})
  onTestFinished(() => running.close())
  const {status, stderr} = await at.run(command, ...argv)
  expect([status, stderr]).toEqual([9, expect.stringContaining('Another sandbox is using')])
  expect(existsSync(join(stateOf(at), 'sandbox.sqlite'))).toBe(true)
})
