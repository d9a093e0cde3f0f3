import {mkdir} from 'node:fs/promises'
import {join} from 'node:path'

import {minutesAgo, minutesAhead} from '../acceptance/ledger.ts'
import {exhausted, type Night} from '../acceptance/night.ts'
import {html, json, refusal} from '../fake-service/replies.ts'
import {rememberMismatches} from './earlier-night.ts'
import {listenNights} from './nights/listen.ts'
import {createNight, payoutFileNight} from './nights/payouts.ts'
import {reconcileNights} from './nights/reconcile.ts'
import {mendedServerNight, resendNights} from './nights/resend.ts'
import type {KillNight} from './scene.ts'
import {underAnotherName, waysOn} from './service-scene.ts'

const allWays = [...waysOn, underAnotherName] as const

/** The commands that write and send, each over what a night may bring. */
export const nights: readonly KillNight[] = [
  ...reconcileNights({
    name: 'lost webhooks, findings of the night before',
    ways: allWays,
    fill(night) {
      addLost(night, 5)
      addPaid(night, 6)
      rememberMismatches(night, ['paid-1', 'paid-2', 'lost-1', 'of-another-ledger'])
    },
  }),
  ...reconcileNights({
    name: 'an outage, four queries at once, a report of its own',
    flags: ['--concurrency', '4', '--report', 'report', '--all'],
    async fill(night) {
      addLost(night, 9)
      addPaid(night, 12, 12)
      // What an earlier run left there stays whole until this one's is.
      await mkdir(join(night.machine.dir, 'report'))
      for (const name of ['report.json', 'findings.csv']) await night.machine.write(`report/${name}`, '{}\n')
    },
  }),
  ...reconcileNights({name: 'duplicates and contradictions', fill: addContradictions}),
  ...reconcileNights({name: 'resends that end badly', fill: addBadEnds}),
  ...reconcileNights({
    name: 'a service without the legacy API',
    fill(night) {
      addLost(night, 3)
      addPaid(night, 3)
      night.service.removeLegacyApi()
    },
  }),
  ...resendNights({name: 'resend of many', ways: allWays, fill: (night) => addLost(night, 8)}),
  ...resendNights({name: 'resend, ending badly', ways: allWays, flags: ['--no-canary'], fill: addBadEnds}),
  mendedServerNight,
  payoutFileNight('payouts from a file'),
  payoutFileNight('payouts from a file', () => {}, underAnotherName),
  payoutFileNight(
    'payouts from a file, some answered "no" after or instead of paying',
    ({night: {service}}) => {
      service.on('payout.create', (act, {target}) => {
        if (target === 'P-2') return refusal(400, 'BAD_ACCOUNT', 'no such wallet')
        if (target === 'P-5') return refusal(400, 'INSUFFICIENT_BALANCE', 'too little')
        const reply = act()
        if (target === 'P-3') return json({code: 500, message: 'system busy, please query'})
        return target === 'P-4' ? html(502) : target === 'P-6' ? refusal(409, 'CONFLICT', 'no') : reply
      })
    },
  ),
  createNight('deposit', [
    ...['--order-no', 'D-1', '--player-phone', '01712345678'],
    ...['--player-ref', 'player-7'],
  ]),
  createNight('payout', [
    ...['--order-no', 'P-1', '--amount', '250.00', '--bank-type', 'BKASH'],
    ...['--user-name', 'Rahim', '--account', '01711112222', '--yes'],
  ]),
  ...listenNights,
]

function addLost(night: Night, count: number): void {
  for (let nth = 1; nth <= count; nth += 1) night.addLost(`lost-${nth}`)
}

/** Orders both sides agree on; `records` of them with a webhook that was taken. */
function addPaid(night: Night, count: number, records = 0): void {
  for (let nth = 1; nth <= count; nth += 1) {
    const order = night.addOrder(
      `paid-${nth}`,
      'completed',
      'completed',
      nth % 3 === 0 ? 'payout' : 'deposit',
    )
    if (nth > records) continue
    night.service.book.addRecord({order, status: 'success', response_code: 200, created_at: minutesAgo(450)})
  }
}

/** Rows twice, records twice, webhooks taken and not booked, due again by themselves, of orders no row names. */
function addContradictions(night: Night): void {
  const {book} = night.service
  for (const orderNo of ['twice-1', 'twice-2', 'twice-3']) {
    const order = night.addOrder(orderNo, 'open', 'completed')
    book.addRecord({order, ...exhausted, created_at: minutesAgo(590)})
    book.addRecord({order, ...exhausted})
  }
  night.addOrder('two-rows', 'open', 'completed')
  night.addRow({order_no: 'two-rows', status: 'completed'})
  const taken = night.addOrder('taken', 'open', 'completed')
  book.addRecord({order: taken, status: 'success', response_code: 200, created_at: minutesAgo(500)})
  const due = night.addOrder('due-again', 'open', 'completed')
  book.addRecord({order: due, ...exhausted, status: 'pending', next_retry_at: minutesAhead(60 * 24 * 7)})
  const payout = night.addOrder('lost-payout', 'open', 'completed', 'payout')
  book.addRecord({order: payout, ...exhausted})
  night.addOrder('no-record', 'open', 'completed', 'payout')
  night.addOrder('booked-but-failed', 'completed', 'failed')
  night.addRow({order_no: 'nobody-knows', status: 'completed'})
  const missing = book.addOrder({kind: 'deposit', number: 'no-row', status: 'completed', amount: '75.00'})
  book.addRecord({order: missing, ...exhausted, created_at: minutesAgo(550)})
}

/** One resend for each way it can end, and one that ends well. */
function addBadEnds(night: Night): void {
  night.addLost('fails-again', [{leadsTo: 'failed', code: 500}])
  night.addLost('cut-off-and-sent', [{leadsTo: 'reset', delivered: true}])
  night.addLost('ends-well')
  night.addLost('cut-off', [{leadsTo: 'reset', delivered: false}])
  night.addLost('late', [{leadsTo: 'success at read', read: 2}])
  night.addLost('ends-well-too')
  night.addLost('nothing-moves', [{leadsTo: 'nothing moves'}])
  night.addLost('refused', [{leadsTo: 'refused', httpStatus: 409}])
  night.addLost('called-failed-and-taken', [{leadsTo: 'refused', httpStatus: 200, arrived: 'taken'}])
  night.addLost('called-failed-in-vain', [{leadsTo: 'refused', httpStatus: 200, arrived: 'in vain'}])
  night.addLost('ends-well-at-last')
  addPaid(night, 2)
}
