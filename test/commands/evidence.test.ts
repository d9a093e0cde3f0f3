import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import Reconcile from '../../src/commands/reconcile.ts'
import RunsList from '../../src/commands/runs/list.ts'
import RunsShow from '../../src/commands/runs/show.ts'
import RunsVerify from '../../src/commands/runs/verify.ts'
import type {ReconcileReport} from '../../src/report/reconcile-report.ts'
import {tempDir} from '../temp-dir.ts'
import {type Shell, shellWithoutProfile, shellWithSandbox} from './run-command.ts'

const rows =
  'order_no,status,amount,created_at\nD-404,completed,500.00,2026-11-20\nD-405,open,20.00,2026-11-21\n'

/** A machine with some runs behind it, and the folder of each run's evidence. */
async function afterRuns(count: number) {
  const {shell} = await shellWithSandbox()
  const ledger = join(tempDir(), 'ledger.csv')
  writeFileSync(ledger, rows)
  const folders: string[] = []
  const reports: string[] = []
  const sums: string[] = []
  for (let run = 0; run < count; run++) {
    const ran = await shell.run(Reconcile, ledger, '--json')
    const {runId, reports: paths, evidence} = ran.json() as unknown as ReconcileReport
    // Who keeps the mail keeps the sum.
    for (const path of [paths.html, paths.json, paths.mail ?? ''])
      expect(readFileSync(path, 'utf8').replaceAll('=\r\n', '')).toContain(evidence?.sha256)
    sums.push(evidence?.sha256 ?? '')
    folders.push(join(evidenceOf(shell), runId))
    reports.push(readFileSync(paths.csv, 'utf8'))
  }
  return {shell, folders, reports, sums, ledger}
}

function evidenceOf({dataDir}: Shell): string {
  const [account = ''] = readdirSync(join(dataDir, 'evidence'))
  return join(dataDir, 'evidence', account)
}

test('a run keeps its evidence for this user alone; runs verify proves it, and names what was changed', async () => {
  const {shell, folders, sums} = await afterRuns(2)
  const [first = '', last = ''] = folders
  expect(statSync(first).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(first)) expect(statSync(join(first, name)).mode & 0o777).toBe(0o600)

  const whole = await shell.run(RunsVerify, '--json')
  expect(whole.status).toBe(0)
  expect(whole.json()).toMatchObject({runs: 2, problems: [], comparedWithJournal: true})
  const {evidence} = (await shell.run(RunsShow, last.split('/').at(-1) ?? '', '--json')).json()
  expect(evidence).toEqual([
    expect.objectContaining({dir: last, sha256: (whole.json().last as {sha256: string}).sha256}),
  ])
  expect(sums).toEqual([expect.any(String), (whole.json().last as {sha256: string}).sha256])
  expect((await shell.run(RunsVerify, first.split('/').at(-1) ?? '')).status).toBe(0)
  expect((await shell.run(RunsVerify, 'no-such-run')).status).toBe(7)
  expect((await shellWithoutProfile().run(RunsVerify, evidenceOf(shell))).status).toBe(0)
  expect((await shellWithoutProfile().run(RunsVerify, last)).status).toBe(0)

  const path = join(first, 'orders.ndjson.zst')
  const content = readFileSync(path)
  content[8] = (content[8] ?? 0) ^ 1
  writeFileSync(path, content)
  const changed = await shell.run(RunsVerify)
  expect(changed.status).toBe(7)
  expect(changed.stdout).toMatch(/: orders\.ndjson\.zst was changed \(bytes 1 to \d+\)\.\n/)
  expect((await shell.run(Reconcile, '--from-evidence', first)).status).toBe(2)
})

test('--from-evidence makes the same findings without a profile, a service or a journal', async () => {
  const {folders, reports} = await afterRuns(1)
  const elsewhere = shellWithoutProfile()
  const report = join(tempDir(), 'again')
  const again = await elsewhere.run(
    Reconcile,
    '--from-evidence',
    folders[0] ?? '',
    '--report',
    report,
    '--json',
  )
  expect(again.json()).toMatchObject({isSame: true, breaks: 2})
  expect(again.status).toBe(7)
  expect(readFileSync(join(report, 'findings.csv'), 'utf8')).toBe(reports[0])
  expect(existsSync(join(elsewhere.dataDir, 'journal'))).toBe(false)
})

test('--cutoff names the breaks that were only timing', async () => {
  const {folders} = await afterRuns(1)
  const again = async (cutoff: string) =>
    await shellWithoutProfile().run(
      Reconcile,
      '--from-evidence',
      folders[0] ?? '',
      '--cutoff',
      cutoff,
      '--json',
    )
  const between = await again('2026-11-21')
  expect(between.status).toBe(7)
  expect(between.json().cutoff).toMatchObject({
    vanished: [{orderNo: 'D-405'}],
    ...{remaining: [{orderNo: 'D-404'}], untimed: 0},
  })
  const before = await again('2026-11-20')
  expect(before.status).toBe(0)
  expect(before.json().cutoff).toMatchObject({remaining: []})
})

test('a run that was cut short is called so, with the command that completes its evidence', async () => {
  const {sandbox, shell} = await shellWithSandbox()
  const ledger = join(tempDir(), 'ledger.csv')
  writeFileSync(ledger, rows)
  expect((await shell.run(Reconcile, ledger)).status).toBe(7)
  await sandbox.close()
  const failed = await shell.run(Reconcile, ledger)
  expect(failed.status).toBe(5)
  const {runs} = (await shell.run(RunsList, '--json')).json() as {runs: {id: string; status: string}[]}
  const id = runs[0]?.id ?? ''
  expect((await shell.run(RunsList)).stdout).toMatch(new RegExp(`${id} .* failed +5 `))
  const seen = await shell.run(RunsVerify)
  expect(seen.status).toBe(8)
  expect(seen.stdout).toContain(`${id}: The run was stopped before its evidence was complete`)
  expect(seen.stdout).toContain('Nothing was changed. 1 run, 1 more not finished')
  expect(seen.stdout).toContain(`\n  hisab reconcile --resume ${id} --profile sandbox\n`)
  expect((await shellWithoutProfile().run(RunsVerify, evidenceOf(shell))).stdout).not.toContain('--resume')
})
