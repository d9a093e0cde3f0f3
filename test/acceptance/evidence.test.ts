import {copyFileSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'

import type {FindingsAgain} from '../../src/cli/reconcile/again.ts'
import type {VerifiedEvidence} from '../../src/workflows/evidence/verify.ts'
import {json} from '../fake-service/replies.ts'
import {minutesAgo} from './ledger.ts'
import {OwnHome} from './own-home.ts'
import {exhausted, type Scenario, startScenario} from './scenario.ts'

const sheet = fileURLToPath(new URL('../ledger/fixtures/ledger.xlsx', import.meta.url))
const phone = '01712345678'
const account = '01898765432'

/** What a run is asked, and with what; each is played again on a machine that has nothing. */
const runs: Readonly<Record<string, (scenario: Scenario) => Promise<readonly string[]>>> = {
  'orders, with webhooks resent': async (scenario) => {
    scenario.addLost('LOST-1')
    scenario.addLost('LOST-2', [{leadsTo: 'failed', code: 503}])
    return [await scenario.ledger(), '--yes', '--wait', '1s']
  },
  'a ledger of credits, with an order that it lacks': async ({service, machine}) => {
    for (const number of ['D-1', 'D-2']) {
      const order = service.book.addOrder({kind: 'deposit', number, status: 'completed', amount: '500.00'})
      service.book.addRecord({order, ...exhausted})
    }
    const row = `D-1,500.00,${minutesAgo(600)},${phone}\nD-9,20.00,${minutesAgo(10)},u-2\n`
    return [
      machine.write('ledger.csv', `order_no,amount,created_at,player_ref\n${row}`),
      ...['--kind', 'deposit', '--yes', '--wait', '1s'],
    ]
  },
  'a spreadsheet': async ({machine}) => {
    copyFileSync(sheet, join(machine.workDir, 'ledger.xlsx'))
    return ['ledger.xlsx', '--sheet', 'ledger', '--kind', 'deposit', '--dry-run']
  },
  'a page in Bangla': async (scenario) => {
    scenario.addLost('LOST-1')
    return [await scenario.ledger(), '--lang', 'bn', '--dry-run']
  },
  'a profile, a hold and an order that a person ignores': async (scenario) => {
    scenario.addRow({order_no: 'GONE-1', status: 'completed'})
    scenario.addRow({order_no: 'GONE-2', status: 'completed'})
    const {machine} = scenario
    machine.writeConfig('[profiles.shop.ledger]\nholds = "orders"\ncolumns = { amount = "Amount (BDT)" }\n')
    machine.env.HISAB_PROFILE = 'shop'
    const path = machine.write(
      'mapped.csv',
      readFileSync(await scenario.ledger(), 'utf8').replace('amount', 'Amount (BDT)'),
    )
    await machine.run(['reconcile', path, '--yes', '--json'])
    const ignored = await machine.run([
      'ignores',
      'add',
      'GONE-1',
      '--reason',
      `asked ${phone}`,
      '--until',
      '2099-01-01',
    ])
    expect(ignored.status, ignored.stderr).toBe(0)
    return [path, '--yes', '--since-last-run']
  },
  'a service that answers 429 every other time': async (scenario) => {
    for (const number of ['D-1', 'D-2', 'D-3']) scenario.addOrder(number, 'completed', 'completed')
    let asked = 0
    const busy = json({code: 429, message: 'slow down'}, 429, {'retry-after': '0'})
    scenario.service.on('deposit.query', (act) => (++asked % 2 ? busy : act()))
    return [await scenario.ledger(), '--dry-run']
  },
  'payouts, and words that are no status': async (scenario) => {
    scenario.addOrder('P-1', 'open', 'completed', 'payout')
    scenario.addRow({order_no: 'P-2', status: `paid to ${account}`, kind: 'payout'})
    return [await scenario.ledger(), '--dry-run']
  },
}

test.each(Object.entries(runs))(
  '%s: the same findings, byte for byte, where there is nothing but the evidence',
  async (_, begin) => {
    await using scenario = await startScenario()
    const {machine} = scenario
    const args = await begin(scenario)
    const ran = await machine.run(['reconcile', ...args, '--json'])
    const {runId, reports} = JSON.parse(ran.stdout) as {runId: string; reports: {csv: string}}
    const {dir, problems} = JSON.parse(
      (await machine.run(['runs', 'verify', '--json'])).stdout,
    ) as VerifiedEvidence
    expect(problems).toEqual([])

    const nothing = new OwnHome()
    try {
      const asked = [
        ...['reconcile', '--from-evidence', join(dir, runId)],
        ...['--report', 'again', '--json'],
      ]
      const again = await nothing.runHere(asked)
      expect(JSON.parse(again.stdout) as FindingsAgain, again.stderr).toMatchObject({isSame: true})
      expect(readFileSync(join(nothing.workDir, 'again', 'findings.csv'))).toEqual(readFileSync(reports.csv))
    } finally {
      nothing.remove()
    }
  },
)
