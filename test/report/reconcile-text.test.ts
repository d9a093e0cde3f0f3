import {describe, expect, test} from 'vitest'

import type {Finding} from '../../src/core/reconcile/finding.ts'
import type {Ignore} from '../../src/core/reconcile/ignore.ts'
import {ignoreColumns, viewIgnore} from '../../src/report/ignores-text.ts'
import {listText} from '../../src/report/list-text.ts'
import {type OrderView, orderColumns} from '../../src/report/orders-list.ts'
import {type StoredView, storedColumns} from '../../src/report/received-text.ts'
import {buildReport, type ReconcileFacts} from '../../src/report/reconcile-report.ts'
import {plannedResendsLine} from '../../src/report/reconcile-resends-text.ts'
import {summaryText} from '../../src/report/reconcile-text.ts'
import {writeTotals} from '../../src/report/run-totals.ts'
import {type RunView, runColumns} from '../../src/report/runs-text.ts'
import {plain, type Style} from '../../src/report/table.ts'
import {nowMs} from '../core/reconcile/sample.ts'
import {delivered, facts, finding, matched, pageOf, paths, remembered} from './sample.ts'

const told = (findings: Finding[], change: Partial<ReconcileFacts> = {}, width?: number) => {
  const run = facts(findings, change)
  return summaryText(run, buildReport(run, paths), plain, width)
}
const review = (line: number, severity: Finding['severity']) =>
  finding({line, orderNo: `D-${line}`, severity, action: 'review'})
const planned = finding({resend: {state: 'planned', sentAtMs: null, responseCode: null, why: null}})
const ignored: Ignore = {
  ...{
    id: 1,
    kind: 'deposit',
    orderNo: 'D-1',
    verdict: 'missing_completion',
    atRisk: 12_345_600n,
    snapshot: '',
    openedMs: 0,
  },
  ...{
    reason: 'refund agreed with the desk on the telephone',
    by: 'karim',
    atMs: nowMs,
    expiresAtMs: nowMs + 60_000,
  },
}

describe('what a person reads first', () => {
  test('is the gravest, however far down in the ledger it stands', () => {
    const lesser = Array.from({length: 20}, (_, at) => review(at + 2, 'low'))
    const text = told([...lesser, review(90, 'medium'), review(91, 'high')])
    expect([...text.matchAll(/\bline (\d+)/g)].slice(0, 3).map(([, line]) => line)).toEqual(['91', '90', '2'])
    expect(text).toContain('and 5 more in findings.csv')
  })

  test('is in the table called ignored where a person said so, not left blank', () => {
    const text = told([finding({action: 'none', ignored}), matched])
    expect(text).toMatch(/^paid, not booked .* ignored +webhook failed, no retry left$/m)
    expect(text).toMatch(/^agrees +1 +500\.00$/m)
  })

  test('is of what matched the money that moved, as in the tie-out: a payout that failed on both sides adds none', () => {
    const failed: Finding = {...matched, kind: 'payout', ledger: {status: 'failed', amount: 12_345_600n}}
    expect(told([matched, failed])).toMatch(/^agrees +deposit +1 +500\.00\nagrees +payout +1$/m)
  })

  test('is in the table what became of a resend, not that it is to be made', () => {
    const ended = (state: 'delivered' | 'still_failing') =>
      finding({resend: {state, sentAtMs: nowMs, responseCode: 200, why: null}})
    expect(told([planned])).toMatch(/ resend +webhook failed, no retry left$/m)
    expect(told([ended('delivered')])).toMatch(/ delivered +webhook failed, no retry left$/m)
    expect(told([ended('delivered'), ended('still_failing')])).toMatch(/ partly delivered +webhook/)
  })

  test('is how to send what was only planned', () => {
    expect(told([planned])).toContain('nothing was sent. To send: hisab reconcile --resume run-1 --yes')
  })

  test('is said once for orders that were held for one text, with the flag as it is to be typed', () => {
    const why =
      'Not resent: line 9 ("Rafi, Mim (2)") tells of bookings. If not, --ignore-text="Rafi, Mim (2)".'
    const held = [500, 900].map((taka) =>
      finding({orderNo: `D-${taka}`, action: 'review', explanation: `Paid (BDT ${taka}.00) at noon. ${why}`}),
    )
    expect(told([...held, finding({...held[0], orderNo: 'D-7'})]).replaceAll(/\s+/g, ' ')).toContain(
      ` Paid at noon. ${why} D-500 `,
    )
  })

  test('names the file where there are two: line 4 is a line of each', () => {
    const ledger = ['books/deposits.csv', 'books/payouts.csv'].map((path) => ({path, sha256: 'ab', rows: 4}))
    const text = told([review(4, 'high'), {...review(4, 'high'), file: 1}], {ledger})
    expect([...text.replaceAll(/\s+/g, ' ').matchAll(/\((\S+ line 4)/g)].map(([, place]) => place)).toEqual([
      'deposits.csv line 4',
      'payouts.csv line 4',
    ])
    const page = pageOf(facts([{...review(4, 'high'), file: 1}], {ledger}))
    expect(page).toContain('deposit · Line 4 · payouts.csv')
    const alike = ['may/day.csv', 'june/day.csv'].map((path) => ({path, sha256: 'ab', rows: 4}))
    expect(told([{...review(4, 'high'), file: 1}], {ledger: alike})).toContain('  june/day.csv line 4 ')
  })

  test('is in the singular where it is one', () => {
    expect(told([matched])).toContain('Reconciled ledger.csv: 1 row\n')
    const run = told([matched], {notExamined: [remembered]})
    expect(run).toContain(
      'Earlier runs  1 open from earlier runs, not checked by this run: see report.html\n',
    )
  })
})

/** Marks as a terminal's colours do: they take no room. */
const coloured: Style = (_style, text) => `\u001b[1m${text}\u001b[22m`

test.each([60, 80, 120])('on %i columns no line is broken by the terminal', (width) => {
  const amount = 9_87_65_43_210_55n
  const sums = {ledgerCompleted: amount, providerCompleted: -amount, difference: amount, explained: amount}
  const tieOut = {...facts([]).tieOut, ...sums, unexplained: 0n, amountUnknown: 12}
  const open = {state: 'open', firstSeenMs: 0, openedMs: 0, snapshot: ''} as const
  const run = {
    ...{
      tieOut,
      closed: [remembered],
      notExamined: [remembered],
      takenFrom: new Map([['20261121-164847-3a6ef3', {orders: 353, oldestMs: nowMs - 7_200_000}]]),
    },
    ...{
      runId: '20261121-165050-158655',
      merchantId: '5a9db0c5-0000-4000-8000-000000000001',
      sinceLast: false,
    },
    ...{
      clockSkewMs: 90_000,
      incompleteBecause: ['12 orders were not asked for; the run was interrupted: continue it'],
    },
    window: {ok: false, because: 'ledger.csv has no created_at column: give --since and --until'} as const,
  }
  const long = finding({orderNo: `P261121-1-${'0'.repeat(20)}`, action: 'review', history: open, ignored})
  const states = ['delivered', 'unknown', 'refused', 'planned'] as const
  const resent = states.map((state) =>
    finding({resend: {state, sentAtMs: nowMs, responseCode: null, why: null}}),
  )
  const all = facts([long, delivered, matched, ...resent], run)
  const text = summaryText(all, buildReport(all, paths), coloured, width)
  const lines = [...text.split('\n'), ...plannedResendsLine(all, plain, width).split('\n')]
  expect(
    lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, '')).filter((line) => line.length > width),
  ).toEqual([])
})

describe('a list of', () => {
  test('orders, and of received events, stand within 80 columns: number, money and state stay', () => {
    const order: OrderView = {
      ...{
        orderNo: `D261121-1-${'0'.repeat(12)}`,
        found: true,
        status: 'completed',
        rawStatus: 'PAYMENT_DONE',
      },
      ...{amount: '123456.00', platformOrderNo: '5a9db0c5-0000-4000-8000-000000000001'},
    }
    const event: StoredView = {
      ...{orderNo: order.orderNo, platformOrderNo: order.platformOrderNo, playerRef: null},
      ...{receivedAt: '2026-11-21T22:50:50+06:00', event: 'order.completed', status: 'completed'},
      ...{amount: '123456.00', conflict: true, forward: 'acknowledged', forwards: 2, forwardStatus: 200},
      ...{acknowledgedAt: '2026-11-21T22:50:51+06:00', closedBy: null, closeReason: null},
    }
    const tables = [
      listText('table', orderColumns, [order], plain, 80),
      listText('table', storedColumns, [event], plain, 80),
    ].map((text) => text.split('\n'))
    expect(Math.max(...tables.flat().map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(tables.map(([, row]) => row)).toEqual([
      expect.stringMatching(/^yes +completed .*1,23,456\.00 +D261121-1-0{12}$/),
      expect.stringMatching(/^2026-11-21 22:50:50 .*1,23,456\.00 +CONFLICT +acknowledged +D261121-1-0{12}$/),
    ])
  })

  test('runs stands within 80 columns: its id, how it ended and the money stay', () => {
    const report = buildReport(facts([finding({atRisk: 12_345_600n})]), paths)
    const run: RunView = {
      ...{id: '20261121-165050-158655', command: 'webhooks resend', status: 'interrupted', exitStatus: 130},
      ...{
        startedAt: '2026-11-21T22:50:50+06:00',
        finishedAt: null,
        reportDir: `/var/lib/hisab/${'r'.repeat(60)}`,
      },
      ...{by: 'karim', machine: null, ledger: []},
      totals: JSON.parse(writeTotals(report, null, {})),
    }
    const lines = listText('table', runColumns, [run], plain, 80).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines[1]).toMatch(/20261121-165050-158655 .*interrupted +130 .*1,23,456\.00$/)
    expect(listText('csv', runColumns, [run], plain)).toContain(',123456.00,')
  })

  test('ignores tells the amount and the end as everywhere, the reason below', () => {
    const view = viewIgnore(ignored, nowMs, 'Asia/Dhaka')
    const lines = listText('table', ignoreColumns, [view], plain, 80).split('\n')
    expect(lines[1]).toMatch(/1,23,456\.00 +2026-11-20 18:01 +karim$/)
    expect(lines[2]).toBe('    refund agreed with the desk on the telephone')
  })
})
