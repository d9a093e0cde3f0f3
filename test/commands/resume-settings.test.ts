import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import Reconcile from '../../src/commands/reconcile.ts'
import {tempDir} from '../temp-dir.ts'
import {bookkeeper} from './bookkeeper.ts'
import {shellAt} from './run-command.ts'

/** D-1 is completed at the service and still open in the ledger; a dry run has found that. */
async function planned(...more: string[]) {
  const {origin, books} = await bookkeeper()
  books.set('D-1', {status: 'completed', amount: '300.00', orderNo: 'D-1', platformOrderNo: 'PL-D-1'})
  const config = join(tempDir(), 'config.toml')
  const configure = (text: string) =>
    writeFileSync(config, `[profiles.environment]\n${text}\n`, {mode: 0o600})
  configure('')
  const shell = shellAt(origin, {HISAB_CONFIG: config})
  const ledger = join(tempDir(), 'ledger.csv')
  writeFileSync(ledger, 'order_no,status,amount,created_at\nD-1,pending,300.00,2026-11-20 10:00\n')
  const plan = await shell.run(Reconcile, ledger, '--no-deliveries', '--dry-run', '--json', ...more)
  const {runId, counts} = plan.json() as {runId: string; counts: Record<string, number>}
  expect(counts).toMatchObject({missing_completion: 1})
  const resume = () => shell.run(Reconcile, '--resume', runId, '--dry-run', '--json')
  return {configure, resume}
}

test.each([
  ['ledger.status.completed', '[profiles.environment.ledger.status]\ncompleted = ["pending"]'],
  ['ledger.timezone', '[profiles.environment.ledger]\ntimezone = "UTC"'],
  ['ledger.holds', '[profiles.environment.ledger]\nholds = "credits"'],
  ['ledger.columns.amount', '[profiles.environment.ledger.columns]\namount = "Paid"'],
  ['status.completed', '[profiles.environment.status]\ncompleted = ["done"]'],
  ['response.amount', '[profiles.environment.response]\namount = "money"'],
  ['delivery_join.by', '[profiles.environment.delivery_join]\nby = ["merchant_order_id"]'],
])('a run is not continued after %s has changed', async (key, text) => {
  const {configure, resume} = await planned()
  configure(text)
  const ran = await resume()
  expect([ran.status, ran.json()]).toMatchObject([
    2,
    {error: {message: expect.stringContaining(`${key} was`)}},
  ])
  configure('')
  expect((await resume()).json()).toMatchObject({counts: {missing_completion: 1}})
})

test('it is continued in the language of its page', async () => {
  const {resume} = await planned('--lang', 'bn')
  const {reports} = (await resume()).json() as {reports: {html: string}}
  expect(readFileSync(reports.html, 'utf8')).toMatch(/<html lang="bn".*<h1>খাতা মেলেনি: ১টি গরমিল</s)
})

test('it is continued after limits, time-outs and signatures have', async () => {
  const {configure, resume} = await planned()
  configure(
    'payouts = { daily_ceiling = "1500.00" }\ntimeouts = { total = "20s" }\n[profiles.environment.legacy_signature]\nhash = "sha512"',
  )
  expect((await resume()).json()).toMatchObject({counts: {missing_completion: 1}})
})
