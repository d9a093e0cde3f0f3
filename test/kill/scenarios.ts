import {mkdir} from 'node:fs/promises'
import {join} from 'node:path'

import {minutesAgo, minutesAhead} from '../acceptance/ledger.ts'
import {exhausted, type Scenario} from '../acceptance/scenario.ts'
import {html, json, refusal} from '../fake-service/replies.ts'
import {rememberMismatches} from './earlier-run.ts'
import {listenScenarios} from './scenarios/listen.ts'
import {createScenario, payoutFileScenario} from './scenarios/payouts.ts'
import {reconcileScenarios} from './scenarios/reconcile.ts'
import {mendedServerScenario, resendScenarios} from './scenarios/resend.ts'
import type {KillScenario} from './scene.ts'
import {underAnotherName, waysOn} from './service-scene.ts'

const allWays = [...waysOn, underAnotherName] as const

/** The commands that write and send, each over orders of many kinds. */
export const scenarios: readonly KillScenario[] = [
  ...reconcileScenarios({
    name: 'lost webhooks, findings of an earlier run',
    ways: allWays,
    async fill(scenario) {
      addLost(scenario, 5)
      addPaid(scenario, 6)
      await rememberMismatches(scenario, ['paid-1', 'paid-2', 'lost-1', 'of-another-ledger'])
    },
  }),
  ...reconcileScenarios({
    name: 'an outage, four queries at once, a report of its own',
    flags: ['--concurrency', '4', '--report', 'report', '--all'],
    async fill(scenario) {
      addLost(scenario, 9)
      addPaid(scenario, 12, 12)
      // What an earlier run left there stays whole until this one's is.
      await mkdir(join(scenario.machine.workDir, 'report'))
      for (const name of ['report.json', 'findings.csv'])
        await scenario.machine.write(`report/${name}`, '{}\n')
    },
  }),
  ...reconcileScenarios({name: 'duplicates and contradictions', fill: addContradictions}),
  ...reconcileScenarios({name: 'resends that end badly', fill: addBadEnds}),
  ...reconcileScenarios({
    name: 'a service without the legacy API',
    fill(scenario) {
      addLost(scenario, 3)
      addPaid(scenario, 3)
      scenario.service.removeLegacyApi()
    },
  }),
  ...resendScenarios({name: 'resend of many', ways: allWays, fill: (scenario) => addLost(scenario, 8)}),
  ...resendScenarios({name: 'resend, ending badly', ways: allWays, flags: ['--no-canary'], fill: addBadEnds}),
  mendedServerScenario,
  payoutFileScenario('payouts from a file'),
  payoutFileScenario('payouts from a file', () => {}, underAnotherName),
  payoutFileScenario(
    'payouts from a file, some answered "no" after or instead of paying',
    ({scenario: {service}}) => {
      service.on('payout.create', (act, {target}) => {
        if (target === 'P-2') return refusal(400, 'BAD_ACCOUNT', 'no such wallet')
        if (target === 'P-5') return refusal(400, 'INSUFFICIENT_BALANCE', 'too little')
        const reply = act()
        if (target === 'P-3') return json({code: 500, message: 'system busy, please query'})
        return target === 'P-4' ? html(502) : target === 'P-6' ? refusal(409, 'CONFLICT', 'no') : reply
      })
    },
  ),
  createScenario('deposit', [
    ...['--order-no', 'D-1', '--player-phone', '01712345678'],
    ...['--player-ref', 'player-7'],
  ]),
  createScenario('payout', [
    ...['--order-no', 'P-1', '--amount', '250.00', '--bank-type', 'BKASH'],
    ...['--user-name', 'Rahim', '--account', '01711112222', '--yes'],
  ]),
  ...listenScenarios,
]

function addLost(scenario: Scenario, count: number): void {
  for (let nth = 1; nth <= count; nth += 1) scenario.addLost(`lost-${nth}`)
}

/** Orders both sides agree on; `records` of them with a webhook that was taken. */
function addPaid(scenario: Scenario, count: number, records = 0): void {
  for (let nth = 1; nth <= count; nth += 1) {
    const order = scenario.addOrder(
      `paid-${nth}`,
      'completed',
      'completed',
      nth % 3 === 0 ? 'payout' : 'deposit',
    )
    if (nth > records) continue
    scenario.service.book.addRecord({
      order,
      status: 'success',
      response_code: 200,
      created_at: minutesAgo(450),
    })
  }
}

/** Rows twice, records twice, webhooks taken and not booked, due again by themselves, of orders no row names. */
function addContradictions(scenario: Scenario): void {
  const {book} = scenario.service
  for (const orderNo of ['twice-1', 'twice-2', 'twice-3']) {
    const order = scenario.addOrder(orderNo, 'open', 'completed')
    book.addRecord({order, ...exhausted, created_at: minutesAgo(590)})
    book.addRecord({order, ...exhausted})
  }
  scenario.addOrder('two-rows', 'open', 'completed')
  scenario.addRow({order_no: 'two-rows', status: 'completed'})
  const taken = scenario.addOrder('taken', 'open', 'completed')
  book.addRecord({order: taken, status: 'success', response_code: 200, created_at: minutesAgo(500)})
  const due = scenario.addOrder('due-again', 'open', 'completed')
  book.addRecord({order: due, ...exhausted, status: 'pending', next_retry_at: minutesAhead(60 * 24 * 7)})
  const payout = scenario.addOrder('lost-payout', 'open', 'completed', 'payout')
  book.addRecord({order: payout, ...exhausted})
  scenario.addOrder('no-record', 'open', 'completed', 'payout')
  scenario.addOrder('booked-but-failed', 'completed', 'failed')
  scenario.addRow({order_no: 'nobody-knows', status: 'completed'})
  const missing = book.addOrder({kind: 'deposit', number: 'no-row', status: 'completed', amount: '75.00'})
  book.addRecord({order: missing, ...exhausted, created_at: minutesAgo(550)})
}

/** One resend for each way it can end, and one that ends well. */
function addBadEnds(scenario: Scenario): void {
  scenario.addLost('fails-again', [{leadsTo: 'failed', code: 500}])
  scenario.addLost('cut-off-and-sent', [{leadsTo: 'reset', delivered: true}])
  scenario.addLost('ends-well')
  scenario.addLost('cut-off', [{leadsTo: 'reset', delivered: false}])
  scenario.addLost('late', [{leadsTo: 'success at read', read: 2}])
  scenario.addLost('ends-well-too')
  scenario.addLost('nothing-moves', [{leadsTo: 'nothing moves'}])
  scenario.addLost('refused', [{leadsTo: 'refused', httpStatus: 409}])
  scenario.addLost('called-failed-and-taken', [{leadsTo: 'refused', httpStatus: 200, arrived: 'taken'}])
  scenario.addLost('called-failed-in-vain', [{leadsTo: 'refused', httpStatus: 200, arrived: 'in vain'}])
  scenario.addLost('ends-well-at-last')
  addPaid(scenario, 2)
}
