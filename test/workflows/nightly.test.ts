import {expect, test} from 'vitest'

import {nightlyText} from '../../src/cli/nightly/view.ts'
import {Failure} from '../../src/core/failure.ts'
import type {Finding} from '../../src/core/reconcile/finding.ts'
import {businessDay} from '../../src/workflows/nightly/business-day.ts'
import {type Gates, gatesExceeded, sumBreaks} from '../../src/workflows/nightly/gates.ts'
import {type NightlyRequest, type RunFigures, runNightly, type Try} from '../../src/workflows/nightly/job.ts'
import {missingFile} from '../../src/workflows/nightly/missing-file.ts'
import {finding} from '../report/sample.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

interface Night extends Partial<NightlyRequest> {
  /** Since when the ledger is there and whole, in minutes. */
  readonly thereAt?: number
  /** When somebody writes it again. */
  readonly writtenAt?: number
  /** How long it is being written, and changes. */
  readonly growsFor?: number
  /** What each try comes to: a status, another day's ledger, or a failure. */
  readonly tries?: readonly (Try['is'] | 0 | 2 | 7 | 8 | 'locked')[]
  /** What each export comes to. */
  readonly exported?: readonly (string | null)[]
  readonly stopAt?: number
}

const run = {runId: 'run', breaks: 2, amount: 500_00n, amountUnknown: 0} as RunFigures

/** What a night tells, each with its minute, and how it ends. */
async function nightOf({
  thereAt = -60,
  writtenAt = Number.POSITIVE_INFINITY,
  growsFor = 0,
  tries = [],
  exported = [],
  stopAt = Number.POSITIVE_INFINITY,
  ...request
}: Night): Promise<string[]> {
  let nowMs = 0
  const told: string[] = []
  const [left, exports] = [[...tries], [...exported]]
  const stop = new AbortController()
  const at = () => `${Math.round((nowMs / minuteMs) * 100) / 100}`
  const end = await runNightly(
    {
      day: businessDay('2026-11-21', Date.parse('2026-11-22T02:30:00+06:00'), 'Asia/Dhaka'),
      ...{paths: ['/exports/ledger.csv'], exports: exported.length > 0, waitMs: hourMs, untilMs: null},
      ...{gates: {maxBreaks: null, maxBreakAmount: null}, ...request},
    },
    {
      now: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms
        if (nowMs >= stopAt * minuteMs) stop.abort(new Failure('interrupted', 'Stopped.', 'Run it again.'))
      },
      signal: stop.signal,
      look: async (path) => {
        if (nowMs < thereAt * minuteMs || path.includes('never')) return []
        const grownMs = Math.min(nowMs, (thereAt + growsFor) * minuteMs)
        const changedMs = nowMs < writtenAt * minuteMs ? grownMs : writtenAt * minuteMs
        return [{path, size: changedMs, changedMs}]
      },
      exportLedger: async (msLeft) => {
        told.push(`${at()} export, ${msLeft / minuteMs} left`)
        return exports.shift() ?? null
      },
      reconcile: async (): Promise<Try> => {
        const next = left.shift() ?? 'failed'
        nowMs += 1_000
        if (next === 'other_day') return {is: 'other_day', because: 'no row of 2026-11-21'}
        if (next === 'file_missing') return {is: 'file_missing', because: '/e/nagad.csv is not there'}
        if (next === 'locked')
          return {is: 'failed', failure: new Failure('locked', 'Another run is at work.', 'Wait.')}
        if (typeof next === 'number') return {is: 'ended', status: next, run}
        return {is: 'failed', failure: new Failure('usage', 'Nothing to try.', 'None.')}
      },
      failureOf: (error) => error as Failure,
      tell: (event, text) => void told.push(`${at()} ${event}: ${text}`),
    },
  )
  const why = end.failure === null ? '' : `, ${end.failure.message}`
  const alarm = end.isAlarm ? ' alarm' : ''
  const of = `${end.tries.length} tries, the first after ${end.waitedMs / minuteMs} min`
  return [...told, `${end.status}${alarm}, ${of}${why}`]
}

const begun = (told: readonly string[]) =>
  told.flatMap((line) => /^([\d.]+) try:/.exec(line)?.[1] ?? []).map(Number)

test.each<[what: string, night: Night, tries: readonly number[], end: RegExp]>([
  ['it is tried once where no end is named', {tries: [8]}, [0], /^8 alarm/],
  ['a result is the end, whatever time is left', {tries: [0], untilMs: hourMs}, [0], /^0, 1 tries/],
  ['so is what a person must mend', {tries: [2], untilMs: hourMs}, [0], /^2 alarm/],
  [
    'what may pass is tried again later and later, at most every 15 minutes',
    {tries: [8, 'locked', 8, 8, 8, 8, 8, 0], untilMs: 2 * hourMs},
    [0, 1.02, 3.03, 7.05, 15.07, 30.08, 45.1, 60.12],
    /^0, 8 tries, the first after 0 min$/,
  ],
  [
    'until the end of the window and not later',
    {tries: [8, 8, 8], untilMs: 3 * minuteMs + 2_000},
    [0, 1.02, 3.03],
    /^8 alarm, 3 tries/,
  ],
  [
    'which is over a second before',
    {tries: [8, 8, 8], untilMs: 3 * minuteMs + 1_999},
    [0, 1.02],
    /^8 alarm, 2 tries/,
  ],
  [
    'a failure that passed is none',
    {tries: ['locked', 0], untilMs: hourMs},
    [0, 1.02],
    /^0, 2 tries, the first after 0 min$/,
  ],
  ['one that stays is told', {tries: ['locked']}, [0], /^9 alarm, 1 tries.*Another run is at work/],
  ['stopped between two tries', {tries: [8], untilMs: hourMs, stopAt: 1}, [0], /^130 alarm.*Stopped/],
  [
    'stopped while it waits for the ledger',
    {thereAt: 30, stopAt: 5},
    [],
    /^130 alarm, 0 tries, the first after 5/,
  ],
  ['breaks are an alarm', {tries: [7]}, [0], /^7 alarm/],
  [
    'but for as many as were said to be usual',
    {tries: [7], gates: {maxBreaks: 2, maxBreakAmount: null}},
    [0],
    /^7, /,
  ],
  ['or of such an amount', {tries: [7], gates: {maxBreaks: null, maxBreakAmount: 500_00n}}, [0], /^7, /],
  ['and no more', {tries: [7], gates: {maxBreaks: 2, maxBreakAmount: 499_99n}}, [0], /^7 alarm/],
  ['the ledger comes late', {tries: [0], thereAt: 25}, [25.17], /the first after 25/],
  ['it is being written', {tries: [0], thereAt: 0, growsFor: 10}, [10.17], /^0/],
  ['it was written just before', {tries: [0], thereAt: -0.5}, [0.17], /^0/],
  ['it was written a minute before', {tries: [0], thereAt: -1}, [0], /^0/],
  ['it does not come', {thereAt: 90}, [], /^8 alarm.*did not come: \S+ is not there\. Nothing was sent/],
  [
    'one of two does not come',
    {paths: ['/a.csv', '/never.csv']},
    [],
    /did not come: \/never.csv is not there/,
  ],
  [
    'it is written for longer than the wait',
    {thereAt: 0, growsFor: 90},
    [],
    /^8 alarm.*was written to just now/,
  ],
  ['it is not waited for, and there', {waitMs: 0, tries: [0]}, [0], /^0/],
  ['it is not waited for, and was written just now', {waitMs: 0, tries: [0], thereAt: 0}, [0.17], /^0/],
  [
    'the wait ends with the window',
    {thereAt: 20, untilMs: 10 * minuteMs},
    [],
    /the first after 10 min.*not there/,
  ],
  [
    'a window that is over leaves one look',
    {thereAt: 20, untilMs: -minuteMs},
    [],
    /the first after 0 min.*not there/,
  ],
  ['it is of another day', {tries: ['other_day', 0]}, [0], /^2 alarm.*is not that of 2026-11-21: no row of/],
  [
    'it is of another day, and is replaced',
    {tries: ['other_day', 0], writtenAt: 5},
    [0, 5.18],
    /^0, 1 tries, the first after 5/,
  ],
  [
    'one of its files is missing',
    {tries: ['file_missing']},
    [0],
    /^8 alarm.*did not come: \/e\/nagad\.csv is not there\. Nothing was sent/,
  ],
  ['one of its files comes later', {tries: ['file_missing', 0], writtenAt: 5}, [0, 5.18], /^0, 1 tries/],
])('the nightly job: %s', async (_what, night, tries, end) => {
  const told = await nightOf(night)
  expect([begun(told), told.at(-1)]).toEqual([tries, expect.stringMatching(end)])
})

const both = ['bkash', 'nagad']
test.each<[what: string, nights: readonly (readonly string[])[], tonight: string[], missing: string | null]>([
  ['each night had it', [both, both, both], ['bkash'], 'nagad'],
  ['each of the last three nights had it', [['bkash'], both, both, both], ['bkash'], 'nagad'],
  ['it is there', [both, both, both], both, null],
  ['another one is there', [both, both, both], ['bkash', 'rocket'], 'nagad'],
  ['there were two nights only', [both, both], ['bkash'], null],
  ['one night had a file of its own', [['bkash'], ['bkash', 'manual'], ['bkash']], ['bkash'], null],
  ['the last nights but one had it', [['bkash', 'manual'], ['bkash', 'manual'], ['bkash']], ['bkash'], null],
  ['a night was left out by name', [both, both, ['bkash']], ['bkash'], null],
  [
    'the name has a time',
    [
      ['b-073001', 'n-073011'],
      ['b-073002', 'n-073012'],
      ['b-073003', 'n-073013'],
    ],
    ['b-073004'],
    'n-*',
  ],
  [
    'the names are accounts',
    [
      ['01711000001', '01711000002'],
      ['01711000001', '01711000002'],
      ['01711000001', '01711000002'],
    ],
    ['01711000002'],
    '*',
  ],
])('a file that is missing: %s', (_, nights, tonight, missing) => {
  const pathOf = (date: string) => (name: string) => `/e/ledger-${date}-${name}.csv`
  const runs = nights.flatMap((names, at) => {
    const night = `2026-11-1${at}`
    // A second run of the night with one file more; a run by hand.
    const runOf = (files: readonly string[], of: string | null) => ({
      night: of,
      paths: files.map(pathOf(night)),
    })
    return [runOf(names.slice(0, 1), night), runOf(names, night), runOf(names.slice(0, 1), null)]
  })
  const today = {date: '2026-11-21'}
  const paths = tonight.map(pathOf(today.date))
  const expected = missing === null ? null : pathOf(today.date)(missing)
  expect(missingFile(['/e/ledger-{date}-*.csv'], paths, runs, today)).toBe(expected)
  expect(missingFile(['/e/ledger-{date}-bkash.csv'], paths, runs, today)).toBe(null)
})

test('an export that fails is tried every minute; what is waited for is said once', async () => {
  expect(
    await nightOf({exported: ['it ended with status 4', 'it ended with status 4', null], tries: [0]}),
  ).toMatchInlineSnapshot(`
      [
        "0 exporting: Running --export-command",
        "0 export, 60 left",
        "0 waiting: Waiting for the ledger: it ended with status 4",
        "1 exporting: Running --export-command",
        "1 export, 59 left",
        "2 exporting: Running --export-command",
        "2 export, 58 left",
        "2 ledger: The ledger of 2026-11-21 is there",
        "2 try: Try 1: /exports/ledger.csv",
        "2.02 ended: Try 1 ended with 0",
        "0, 1 tries, the first after 2 min",
      ]
    `)
  expect(
    await nightOf({tries: ['other_day', 0], exported: [null, 'it ended with status 4', null]}),
  ).toMatchInlineSnapshot(`
    [
      "0 exporting: Running --export-command",
      "0 export, 60 left",
      "0 ledger: The ledger of 2026-11-21 is there",
      "0 try: Try 1: /exports/ledger.csv",
      "0.02 refused: Not reconciled: no row of 2026-11-21",
      "0.02 waiting: Waiting for the ledger: no row of 2026-11-21",
      "1.02 exporting: Running --export-command",
      "1.02 export, 58.983333333333334 left",
      "1.02 waiting: Waiting for the ledger: it ended with status 4",
      "2.02 exporting: Running --export-command",
      "2.02 export, 57.983333333333334 left",
      "2.02 waiting: Waiting for the ledger: no row of 2026-11-21",
      "2 alarm, 0 tries, the first after 60 min, The ledger is not that of 2026-11-21: no row of 2026-11-21. Nothing was sent.",
    ]
  `)
  expect(await nightOf({thereAt: 0.4, tries: [0], waitMs: 30_000})).toMatchInlineSnapshot(`
    [
      "0 waiting: Waiting for the ledger: /exports/ledger.csv is not there",
      "0.5 waiting: Waiting for the ledger: /exports/ledger.csv was written to just now",
      "0.67 ledger: The ledger of 2026-11-21 is there",
      "0.67 try: Try 1: /exports/ledger.csv",
      "0.68 ended: Try 1 ended with 0",
      "0, 1 tries, the first after 0.6666666666666666 min",
    ]
  `)
})

test.each<[what: string, limits: Partial<Gates>, findings: readonly Partial<Finding>[], over: string[]]>([
  ['no limit', {}, [{atRisk: 100n}, {atRisk: null}], []],
  ['as many as allowed', {maxBreaks: 1}, [{}], []],
  ['one more than allowed', {maxBreaks: 0}, [{}], ['1 breaks are more than 0']],
  [
    'what is none is not counted',
    {maxBreaks: 0, maxBreakAmount: 0n},
    [{action: 'none'}, {action: 'wait'}],
    [],
  ],
  ['as much as allowed', {maxBreakAmount: 300n}, [{atRisk: 100n}, {atRisk: 200n}], []],
  [
    'a paisa more',
    {maxBreakAmount: 299n},
    [{atRisk: 100n}, {atRisk: 200n}],
    ['breaks of BDT 3.00 are more than BDT 2.99'],
  ],
  [
    'an unknown amount is above every limit',
    {maxBreakAmount: 300n},
    [{atRisk: 100n}, {atRisk: null}],
    ['of 1 breaks the amount is unknown'],
  ],
])('the limits of a usual night: %s', (_, limits, findings, over) => {
  const sum = sumBreaks(findings.map((change) => finding({action: 'review', atRisk: 0n, ...change})))
  expect(gatesExceeded({maxBreaks: null, maxBreakAmount: null, ...limits}, sum)).toEqual(over)
})

test.each([
  [0, null],
  [1, '1 resent order is not booked in any ledger since: hisab items list --state delivered.'],
  [6, '6 resent orders are not booked in any ledger since: hisab items list --state delivered.'],
])('the summary counts %i resent orders that no ledger has as booked', (unconfirmed, line) => {
  const figures = {counts: {rows: 3}, resends: {delivered: 0}, needPerson: 0, incompleteBecause: []}
  const day = businessDay('2026-11-21', Date.parse('2026-11-22T02:30:00+06:00'), 'Asia/Dhaka')
  const text = nightlyText(
    {
      ...{startedMs: 0, endedMs: 1, waitedMs: 0, tries: [], status: 0, failure: null, exceeded: []},
      ...{
        isAlarm: false,
        run: {...run, ...figures, unconfirmed, reports: {html: 'x'}} as unknown as RunFigures,
      },
    },
    day,
  )
  expect(text.split('\n').filter((one) => one.includes('resent'))).toEqual(line === null ? [] : [line])
})
