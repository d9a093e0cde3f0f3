import {parse} from 'csv-parse/sync'
import {describe, expect, test} from 'vitest'

import type {Finding, ResendState} from '../../src/core/reconcile/finding.ts'
import {escapeFormula} from '../../src/report/escape-formula.ts'
import {findingsCsv} from '../../src/report/findings-csv.ts'
import {buildReport} from '../../src/report/reconcile-report.ts'
import {planText, summaryText} from '../../src/report/reconcile-text.ts'
import {plain} from '../../src/report/table.ts'
import {noteText} from '../../src/report/wrap.ts'
import {delivery, nowMs, order} from '../core/reconcile/sample.ts'
import {delivered, facts, finding, matched, paths} from './sample.ts'

const csvOf = (findings: Finding[]) => [...findingsCsv(buildReport(facts(findings), paths))].join('')
const summaryOf = (findings: Finding[], change = {}) => {
  const all = facts(findings, change)
  return summaryText(all, buildReport(all, paths), plain)
}

const hostile = '\u001b[2J\u202e\u200b<script>alert(1)</script>'
const attacked = finding({
  orderNo: hostile,
  service: order({rawStatus: hostile, status: 'unknown_status', platformOrderNo: hostile}),
  delivery: delivery({url: `https://shop.example/${hostile}`}),
})

describe('findings.csv', () => {
  const rowsOf = (text: string): Record<string, string>[] => parse(text, {bom: true, columns: true})

  test.each([
    '=HYPERLINK("http://evil.example","pay")',
    '+8801712345678',
    '-2+3+cmd|calc',
    '@SUM(A1)',
    ' =1+1',
    '\u200b=1+1',
    '＝1+1',
  ])('%j is text', (orderNo) => {
    const [row] = rowsOf(csvOf([finding({orderNo})]))
    expect(row?.order_no).toMatch(/^['\\]/)
  })

  test.each(['\t=1', '\n=1', '\r=1', '\tx', '\nx', '\rx'])('a cell beginning with %j is defused', (text) => {
    expect(escapeFormula(text)).toBe(`'${text}`)
    const [row] = rowsOf(csvOf([finding({orderNo: text})]))
    expect(row?.order_no).not.toMatch(/^[\t\r\n=]/)
  })

  test.each(['D-1', '500.00', '১২৩', 'a=b', "it's"])('%j stays as it is', (text) => {
    expect(escapeFormula(text)).toBe(text)
  })

  test.each([
    '00012345',
    '123456789012',
    '12E3',
    '11-12',
    '1/2',
    '05.11.2026',
    'MAR1',
    '1,234',
    '5%',
    'TRUE',
    '9:30',
  ])('the identifier %j keeps its text in a spreadsheet', (orderNo) => {
    const [row] = rowsOf(csvOf([finding({orderNo, playerRef: orderNo})]))
    expect([row?.order_no, row?.player_ref]).toEqual([`'${orderNo}`, `'${orderNo}`])
  })

  test.each(['D-1', '1002', '0b5e55ed-0000-4000-8000-000000000001', 'D-2026-00012', '12345678901'])(
    'the identifier %j is verbatim: no spreadsheet changes it',
    (orderNo) => {
      expect(rowsOf(csvOf([finding({orderNo})]))[0]?.order_no).toBe(orderNo)
    },
  )

  test('amounts and counts stay numbers, also below zero', () => {
    const [row] = rowsOf(csvOf([finding({ledger: {status: 'open', amount: -10_000n}})]))
    expect(row).toMatchObject({ledger_amount: '-100.00', provider_amount: '500.00', line: '17'})
    expect(row).toMatchObject({delivery_attempts: '5', delivery_response_code: '503'})
  })

  test('control and bidi characters are visible', () => {
    expect(csvOf([attacked])).not.toMatch(/[\u001b\u202e\u200b]/)
    expect(csvOf([attacked])).toContain('\\u{1b}[2J\\u{202e}')
  })

  test('an ignored finding says by whom, until when and why, and a reason that is a formula is none', () => {
    const by = {
      id: 1,
      kind: 'deposit',
      orderNo: 'D-1',
      verdict: 'missing_completion',
      atRisk: null,
      snapshot: '',
      openedMs: 0,
    } as const
    const ignored = {...by, reason: '=SUM(A1)', by: 'করিম', atMs: nowMs, expiresAtMs: nowMs}
    const [row] = rowsOf(csvOf([finding({action: 'none', ignored})]))
    expect([row?.ignored_until, row?.ignored_by, row?.ignored_reason]).toEqual([
      ...['2026-11-20T18:00:00+06:00', 'করিম', "'=SUM(A1)"],
    ])
  })

  test('BOM, CRLF, one finding a row, Bengali whole', () => {
    const text = csvOf([finding({orderNo: 'অর্ডার-১২', explanation: 'বই "খাতা", দুই'}), delivered])
    expect(text.startsWith('\ufeffline,file,kind,order_no,')).toBe(true)
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    expect(rowsOf(text).map(({order_no, explanation}) => [order_no, explanation])).toEqual([
      ['অর্ডার-১২', 'বই "খাতা", দুই'],
      ['D-1', 'Paid, and not booked.'],
    ])
  })
})

describe('on the terminal', () => {
  test('look-ups are not told as pages of the list', () => {
    const calls = {query: 2, list: 360, get: 0, resend: 0}
    const records = {way: 'incremental-list', because: null, pagesRead: 30, pagesTotal: 60, lookUps: 330}
    expect(summaryOf([matched], {calls, records})).toContain(
      'asked    2 queries, 30 pages of delivery records (the recent part of 60), 330 look-ups\n',
    )
  })

  test('a small run, whole', () => {
    const wait = finding({
      ...{line: 19, orderNo: 'D-3', cause: 'retry_scheduled', action: 'wait', severity: 'medium'},
    })
    const missing = finding({
      ...{line: null, file: null, orderNo: 'অর্ডার-১২', verdict: 'missing_in_ledger', ledger: null},
      ...{cause: 'delivered_not_booked', action: 'review', service: order({amount: 12_345_600n})},
    })
    expect(`\n${summaryOf([delivered, matched, wait, missing])}\n`).toMatchInlineSnapshot(`
      "
      Reconciled ledger.csv: 4 rows
        profile  live, merchant merchant-1, run run-1
        window   2026-11-20 17:00 Asia/Dhaka to 2026-11-20 18:00 Asia/Dhaka
        asked    2 queries, 1 page of delivery records

      RESULT             ORDERS          BDT  NEXT       CAUSE
      paid, not booked        1       500.00  delivered  webhook failed, no retry left
      not in the ledger       1  1,23,456.00  review     webhook accepted, not booked
      paid, not booked        1       500.00  wait       webhook will be retried
      agrees                  1       500.00
      Amount at risk  BDT 1,000.00: high 500.00, medium 500.00

      Delivered  1 order, BDT 500.00: your server took the webhook.

      Needs a person: 1
        no row    অর্ডার-১২ not in the ledger; webhook accepted, not booked
                  Paid, and not booked.

      Statement, deposits, BDT
        Balance by the ledger                                                 500.00
          paid, not booked; webhook failed, no retry left (1)                +500.00
        Balance by the service                                              1,000.00
        Unexplained                                                             0.00
        Open items: 0 before, 0 new, 0 closed, 0 now
        BDT at risk: 0.00 before, 0.00 new, 0.00 closed, 0.00 now

      Report   /reports/run-1
               report.html, findings.xlsx, findings.csv, report.json
      "
    `)
  })

  test.each([60, 80, 120])('the table of verdicts fits %i columns', (width) => {
    const two = facts([delivered, matched])
    const text = planText(two, plain, width)
    const [head = '', row = '', ...rest] = text.split('\n')
    for (const line of [head, row, ...rest.slice(0, 2)]) expect(line.length).toBeLessThanOrEqual(width)
    expect(head).toMatch(width < 70 ? /NEXT$/ : /NEXT +CAUSE$/)
    expect(width < 70 ? rest[0] : row).toMatch(/webhook failed, no retry left$/)
  })

  test('the plan names how many, how much and where to', () => {
    const planned = finding({resend: {state: 'planned', sentAtMs: null, responseCode: null, why: null}})
    expect(planText(facts([planned, matched]), plain)).toContain(
      'Plan: resend order.completed of 1 order, BDT 500.00 to shop.example, once each.',
    )
    expect(planText(facts([matched]), plain)).toContain('Nothing to resend.')
  })

  test('each end of a resend has its line', () => {
    const states = ['still_failing', 'sent', 'unknown', 'refused', 'skipped'] as const
    const ends = states.map((state) =>
      finding({resend: {state, sentAtMs: null, responseCode: null, why: 'Not sent: it moved.'}}),
    )
    const text = summaryOf(ends)
    for (const word of ['Failed', 'Waiting', 'Unknown', 'Refused', 'Not sent']) {
      expect(text).toMatch(new RegExp(`^${word} +1 order`, 'm'))
    }
  })

  const ended = (state: ResendState, needsPerson = false): Finding =>
    finding({
      resend: {state, sentAtMs: null, responseCode: null, why: null, ...(needsPerson && {needsPerson})},
    })
  test.each<[who: string, finding: Finding, title: RegExp | null]>([
    ['a review', finding({action: 'review', resend: null}), /^Needs a person: 1$/m],
    ['an answer that was lost', ended('unknown'), /^Needs a person: 1$/m],
    ['a server that refused again', ended('still_failing'), /^Needs a person: 1$/m],
    ['a webhook that says another amount', ended('skipped', true), /^Needs a person: 1$/m],
    [
      'no answer',
      finding({verdict: 'query_failed', cause: null, action: 'retry', resend: null}),
      /^Run it again: 1$/m,
    ],
    ['an end that was not seen yet', ended('sent'), /^Run it again: 1$/m],
    ['a resend the service refused', ended('refused'), /^Run it again: 1$/m],
    ['a resend that was held back', ended('skipped'), /^Run it again: 1$/m],
    ['a resend that waits for a yes', ended('planned'), null],
    ['what delivered', ended('delivered'), null],
  ])('what is left to whom: %s', (_who, one, title) => {
    const text = summaryOf([one])
    if (title) expect(text).toMatch(title)
    expect(text.match(/^(Needs a person|Run it again): /gm) ?? []).toHaveLength(title ? 1 : 0)
  })

  test('what was planned is sent by the command it names', () => {
    const text = (change: object) => summaryOf([ended('planned')], change)
    const resumeCommand = 'hisab reconcile --resume run-1 --profile live'
    expect(text({resumeCommand})).toContain('To send: hisab reconcile --resume run-1 --profile live --yes')
    expect(text({resumeCommand, resendsMax: 0})).toContain('--profile live --max-resends 1 --yes')
  })

  test('no more than fifteen are listed, and it says where the others are', () => {
    const many = Array.from({length: 20}, (_, index) => finding({orderNo: `D-${index}`, action: 'review'}))
    const text = summaryOf(many)
    expect(text).toContain('Needs a person: 20')
    expect(text).toContain('and 5 more in findings.csv')
    // Equal causes are one paragraph.
    expect(text.match(/Paid, and not booked\./g)).toHaveLength(1)
  })

  test('nothing of the service’s can drive it', () => {
    expect(summaryOf([attacked])).not.toMatch(/[\u001b\u202e\u200b]/)
    expect(planText(facts([attacked]), plain)).not.toMatch(/[\u001b\u202e\u200b]/)
  })

  test('a wrong clock, an incomplete run and a total that does not tie are said', () => {
    const {tieOut} = facts([])
    const text = summaryOf([], {
      ...{clockSkewMs: -120_000, incompleteBecause: ['the totals do not tie out']},
      tieOut: {
        ...{...tieOut, amountUnknown: 2},
        byKind: {...tieOut.byKind, deposit: {...tieOut.byKind.deposit, unexplained: -100n}},
      },
    })
    expect(text).toContain('120 s behind this machine')
    expect(text).toContain('Incomplete  the totals do not tie out')
    expect(text).toMatch(/Unexplained +-1\.00/)
    expect(text).toContain('2 orders left out')
  })
})

test('a note fits the screen, and its command stays whole, on a line of its own', () => {
  const says = `note: ${'the ledger of Friday has no rows '.repeat(3)}yet. To continue: hisab reconcile --resume 20261123-024645-75313c --profile live --yes`
  const lines = noteText(`${says}\nas it is`, 40).split('\n')
  expect(
    lines.slice(0, -2).every((line, at) => line.length <= 40 && (at === 0 || line.startsWith('      '))),
  ).toBe(true)
  expect(lines.slice(-2)).toEqual([
    '  hisab reconcile --resume 20261123-024645-75313c --profile live --yes',
    'as it is',
  ])
})
