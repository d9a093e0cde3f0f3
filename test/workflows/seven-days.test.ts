import {expect, test} from 'vitest'

import {formatPaisa} from '../../src/core/money.ts'
import {closedForMs} from '../../src/core/reconcile/ignore.ts'
import {monthWindow} from '../../src/core/reconcile/window.ts'
import {type MonthRun, monthStatement} from '../../src/report/month-statement.ts'
import {readTotals} from '../../src/report/run-totals.ts'
import {monthText} from '../../src/report/statement-text.ts'
import {readPage} from '../docs/pages.ts'
import {ScenarioBench} from './scenario-run.ts'

/**
 * Seven days of an invented merchant, judged by the service's books: payments around each midnight, an outage, bookings by
 * hand, numbers that a spreadsheet damaged, and a run that is skipped. Its ledger has credits, a day each, by the time
 * at which they were booked.
 */
const [hourMs, minuteMs] = [3_600_000, 60_000]
const dayMs = 24 * hourMs
/** Midnight of the first day in Dhaka. */
const beginMs = Date.parse('2026-11-09T00:00:00+06:00')

interface Payment {
  readonly orderNo: string
  readonly paidMs: number
  readonly amount: bigint
  /** When the merchant booked it; null: never yet. */
  bookedMs: number | null
  /** As a spreadsheet wrote it. */
  readonly damaged?: string
}

function week() {
  const sections = new Map([
    ['ledger.csv', 'order_no,amount,created_at\n'],
    ['options.json', JSON.stringify({yes: true})],
  ])
  const bench = new ScenarioBench({path: 'seven-days', sections})
  const payments: Payment[] = []
  const pay = (
    orderNo: string,
    paidMs: number,
    taka: number,
    isTaken: boolean,
    more: Partial<Payment> = {},
  ) => {
    const amount = BigInt(taka) * 100n
    const order = {kind: 'deposit', orderNo, platformOrderNo: `platform-${orderNo}`, amount} as const
    bench.client.orders.set(`deposit\0${orderNo}`, {...order, rawStatus: 'completed', status: 'completed'})
    const at = new Date(paidMs + 1_000).toISOString()
    bench.addRecord(
      isTaken
        ? {orderNo, createdAt: at, status: 'success', attempts: 1, sentAt: at, nextRetryAt: null}
        : {orderNo, createdAt: at, status: 'failed', attempts: 6, responseCode: 503, nextRetryAt: null},
    )
    payments.push({orderNo, paidMs, amount, bookedMs: isTaken ? paidMs + 2_000 : null, ...more})
  }
  for (let day = 0; day < 7; day++) {
    const at = (hours: number) => beginMs + day * dayMs + hours * hourMs
    for (let hour = 0; hour < 24; hour += 2) pay(`D-${day}-${hour}`, at(hour + 0.5), 300 + hour, true)
    // Around midnight: made before it, paid after it, and its webhook is lost.
    pay(`M-${day}`, at(0) + 4 * minuteMs, 500 + day, false)
  }
  // An outage on the third day, and one order of it that the cashier booked by hand at once.
  for (const nth of [0, 1, 2])
    pay(`OUT-${nth}`, beginMs + 2 * dayMs + (11 + nth / 4) * hourMs, 900 + nth, false)
  pay('HAND', beginMs + 2 * dayMs + 11.9 * hourMs, 777, false, {bookedMs: beginMs + 2 * dayMs + 12 * hourMs})
  // The spreadsheet cut its leading zeros.
  pay('000555', beginMs + 4 * dayMs + 15.2 * hourMs, 1_111, false, {
    bookedMs: beginMs + 4 * dayMs + 15.3 * hourMs,
    damaged: '555',
  })
  /** What the merchant's server took from hisab it books at once. */
  const resent: string[] = []
  bench.client.before = (call) => {
    const id = call.startsWith('resend ') ? call.slice('resend '.length) : null
    const orderNo = id === null ? undefined : bench.client.records.get(id)?.merchantOrderId
    const payment = payments.find((one) => one.orderNo === orderNo)
    if (!payment) return
    if (payment.bookedMs !== null) throw new Error(`${payment.orderNo} was resent, and it is booked`)
    resent.push(payment.orderNo)
    payment.bookedMs = bench.clock.ms
  }
  const ledgerOf = (days: readonly number[], isDamaged: boolean) => {
    const rows = payments
      .flatMap((one) => (one.bookedMs === null ? [] : {...one, bookedMs: one.bookedMs}))
      .filter(
        ({bookedMs}) => days.includes(Math.floor((bookedMs - beginMs) / dayMs)) && bookedMs <= bench.clock.ms,
      )
      .sort((a, b) => a.bookedMs - b.bookedMs)
    const lines = rows.map(({orderNo, damaged = orderNo, amount, bookedMs}) => {
      const at = new Date(bookedMs).toISOString()
      return `${isDamaged ? damaged : orderNo},${formatPaisa(amount)},${at}\n`
    })
    return `order_no,amount,created_at\n${lines.join('')}`
  }
  /** The nightly job, at 03:00 of the day after. */
  const runOn = async (id: string, days: readonly number[], isDamaged = true) => {
    const until = beginMs + (Math.max(...days) + 1) * dayMs
    bench.clock.ms = Math.max(bench.clock.ms + minuteMs, until + 3 * hourMs)
    bench.rewrite(ledgerOf(days, isDamaged))
    const window = days.includes(0) ? {sinceMs: beginMs} : {sinceLastRun: true}
    return await bench.run(id, {}, {...window, untilMs: until})
  }
  return {bench, payments, resent, runOn}
}

type Run = Awaited<ReturnType<ReturnType<typeof week>['runOn']>>
const breaksOf = ({report}: Run) =>
  report.findings
    .filter(({verdict, action}) => verdict !== 'matched' && action !== 'none')
    .map(({orderNo}) => orderNo)

test('a week: each loss is named once a run until it is closed, and the month ties to the paisa', async () => {
  const {bench, payments, resent, runOn} = week()
  bench.clock.ms = beginMs
  const runs: Run[] = []
  // The fourth day's run is skipped; the next one has both ledgers.
  for (const days of [[0], [1], [2], [3, 4], [5], [6]]) {
    const run = await runOn(`run-${days.at(-1)}`, days)
    runs.push(run)
    const named = breaksOf(run)
    expect(named, 'each order once').toEqual([...new Set(named)])
    expect(run.report.statement.map(({unexplained}) => unexplained)).toEqual(['0.00'])
  }
  // Nothing that was booked was resent (`week` throws), and nothing twice.
  expect(resent).toEqual([...new Set(resent)])
  expect(resent).toEqual(expect.arrayContaining(['OUT-0', 'OUT-1', 'OUT-2']))

  // What is still open is in the register, and what is lost is in no other place.
  const open = async () => (await bench.journal.listItems()).filter(({closedMs}) => closedMs === null)
  const still = await open()
  const unbooked = payments.filter(({bookedMs}) => bookedMs === null).map(({orderNo}) => orderNo)
  expect(unbooked.filter((orderNo) => !still.some((item) => item.orderNo === orderNo))).toEqual([])
  // The damaged row and the order that it is are named until a corrected export.
  expect(breaksOf(runs[3] as Run)).toEqual(expect.arrayContaining(['555', '000555']))
  expect(breaksOf(runs[5] as Run)).toEqual(expect.arrayContaining(['555', '000555']))

  const mended = await runOn('corrected', [3, 4], false)
  expect(breaksOf(mended)).not.toContain('555')
  // A person closes what no ledger will show.
  const left = await open()
  await bench.journal.closeItems(left, {reason: 'seen in the books', by: 'rahima', atMs: bench.clock.ms})
  expect((await bench.journal.listIgnores()).every(({expiresAtMs}) => expiresAtMs === closedForMs)).toBe(true)
  const last = await runOn('day-8', [7])
  expect([last.status, last.report.statement[0]?.unexplained]).toEqual([0, '0.00'])

  // The month, by the books of the service and of the merchant.
  const window = monthWindow('2026-11', 'Asia/Dhaka')
  if (!window) throw new Error('no month')
  const monthRuns: MonthRun[] = []
  for (const {id, startedAtMs} of await bench.journal.listRuns(100)) {
    const totals = readTotals(await bench.journal.findTotals(id))
    if (totals) monthRuns.push({id, startedAtMs, totals, by: null, signOffs: []})
  }
  const month = monthStatement(
    monthRuns,
    await bench.journal.balancesOfRuns(),
    await bench.journal.listItems(),
    window,
    'Asia/Dhaka',
  )
  const sum = (some: readonly Payment[]) => formatPaisa(some.reduce((all, {amount}) => all + amount, 0n))
  expect(month.statement).toMatchObject([{unexplained: '0.00', balanceByService: sum(payments)}])
  expect(month.statement[0]?.openItems).toMatchObject({opening: {items: 0}, closing: {items: 0}})
  expect(month.statement[0]?.balanceByLedger).toBe(sum(payments.filter(({bookedMs}) => bookedMs !== null)))

  // The page shows this week.
  const [shown = ''] = monthText(month, (_style, words) => words, 80).split('\n\n')
  expect(readPage('docs/operating.md')).toContain(`\n${shown}\n`)
})
