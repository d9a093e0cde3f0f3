import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs'
import {join, relative} from 'node:path'
import {describe, expect, it} from 'vitest'

import {modeOf} from '../temp-dir.ts'
import {OwnHome, readReport} from './own-home.ts'

interface DemoView {
  readonly dir: string
  readonly ledger: string
  readonly reportDir: string
  readonly orders: number
  readonly before: {readonly orders: number; readonly amount: string}
  readonly after: {readonly orders: number; readonly amount: string}
  readonly bookedTwice: number
}

async function demoAsJson(home: OwnHome, args: readonly string[]): Promise<DemoView> {
  const {status, stdout, stderr} = await home.run(['demo', '--json', ...args])
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout)
}

/** Every file and folder below `dir`, as paths relative to it. */
function everythingIn(dir: string): string[] {
  return readdirSync(dir, {recursive: true, withFileTypes: true}).map((entry) =>
    relative(dir, join(entry.parentPath, entry.name)),
  )
}

function expectPrivate(dir: string): void {
  expect(modeOf(dir), dir).toBe('700')
  for (const path of everythingIn(dir)) {
    const whole = join(dir, path)
    expect(modeOf(whole), path).toBe(statSync(whole).isDirectory() ? '700' : '600')
  }
}

/** Each has a home of its own, and spends most of its time waiting between resends. */
describe.concurrent('hisab demo', {timeout: 120_000}, () => {
  it('tells the story: an outage, a gap, a reconciliation, and less of a gap', async ({onTestFinished}) => {
    const home = new OwnHome()
    onTestFinished(() => home.remove())
    const {status, stdout} = await home.run(['demo'], {env: {HISAB_DATA_DIR: ''}})
    expect(status).toBe(0)
    expect(stdout).not.toMatch(/\u001b/)
    expect(stdout).toMatch(/Played a day: \d+ deposits, \d+ payouts\./)
    expect(stdout).toContain('$ hisab reconcile ledger.csv --yes --report report')
    expect(stdout).toContain('Statement')
    const gap = (when: string) => Number(new RegExp(`^${when} +(\\d+) `, 'm').exec(stdout)?.[1])
    expect(gap('before')).toBeGreaterThan(gap('after'))
    expect(gap('delivered')).toBe(gap('before') - gap('after'))
    expect(stdout).toContain('Booked twice: 0.')
    // Where no data directory is named, all of it is below HOME.
    const [, reportDir = ''] = /^Report {3}(\S+)\/report\.html$/m.exec(stdout) ?? []
    expect(reportDir.startsWith(`${home.dir}/.local/share/hisab/demo/`), stdout).toBe(true)
    expect(existsSync(join(reportDir, 'report.html'))).toBe(true)
    expect(readdirSync(home.dir).sort()).toEqual(['.local', 'tmp', 'work'])
    expect(readdirSync(home.workDir)).toEqual([])
  })

  it('--json --dir: one document, as its report has it; nothing touched but that folder; a second one there is the same day', async ({
    onTestFinished,
  }) => {
    const home = new OwnHome()
    onTestFinished(() => home.remove())
    const demo = await demoAsJson(home, ['--dir', 'shown'])
    expect(demo.bookedTwice).toBe(0)
    expect(demo.before.orders).toBeGreaterThan(demo.after.orders)
    const report = readReport(join(demo.reportDir, 'report.json'))
    expect(report.resends.delivered).toBe(demo.before.orders - demo.after.orders)
    expect(report.counts.rows).toBe(demo.orders)
    expect(report).toMatchObject({complete: true, tieOut: {unexplained: '0.00'}})

    expect(demo.dir).toBe(join(home.workDir, 'shown'))
    expect(readdirSync(home.workDir)).toEqual(['shown'])
    expect(readdirSync(demo.reportDir).sort()).toEqual([
      'booking.csv',
      'findings.csv',
      'findings.xlsx',
      'report.eml',
      'report.html',
      'report.json',
    ])
    expect(readFileSync(demo.ledger, 'utf8')).toMatch(/^order_no,kind,status,amount/)
    expectPrivate(demo.dir)
    expect(existsSync(home.dataDir) ? readdirSync(home.dataDir) : []).toEqual([])
    // Node's own cache of compiled code is the one thing in the folder for temporary files.
    expect(readdirSync(home.tempDir).filter((name) => name !== 'node-compile-cache')).toEqual([])

    expect(await demoAsJson(home, ['--dir', 'shown'])).toEqual(demo)
    expectPrivate(demo.dir)
  })
})
