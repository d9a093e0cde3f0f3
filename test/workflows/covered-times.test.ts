import {describe, expect, test} from 'vitest'

import type {MaybeWindow} from '../../src/core/reconcile/window.ts'
import {RowTimes} from '../../src/ledger/row-times.ts'
import {CoveredTimes} from '../../src/workflows/reconcile/covered-times.ts'
import type {ReconcileOptions} from '../../src/workflows/reconcile/types.ts'
import {BookedElsewhere} from '../../src/workflows/resend/booked-elsewhere.ts'
import {delivery, noOverrides, order} from '../core/reconcile/sample.ts'
import {ScenarioBench} from './scenario-run.ts'

/** Times are of Dhaka, `20 09:00` of November 2026; the runs are of the 21st, 05:00. */
const instant = (time: string) => new Date(`2026-11-${time.replace(' ', 'T')}:00+06:00`).toISOString()
const longAgo: Record<string, string> = {'a month ago': '2026-10-20T09:00', '1970': '1970-01-01T00:00'}
const cell = (time: string) => longAgo[time] ?? `2026-11-${time.replace(' ', 'T')}`

type Rows = Readonly<Record<string, string>>
/** A ledger of credits. */
const credits = (rows: Rows) =>
  `order_no,amount,created_at\n${Object.entries(rows)
    .map(([orderNo, time]) => `${orderNo},500.00,${cell(time)}\n`)
    .join('')}`

/**
 * A merchant's books: `booked` by hand in a ledger hisab was never given, `lost` in none. Both have a webhook that failed
 * for good; those of `delivered` were taken, and stand in a ledger hisab was never given as well.
 */
interface Books {
  readonly ledger: Rows
  /** When orders of the ledger were paid, and their webhook was taken, where that was not as they were made. */
  readonly paid?: Rows
  readonly delivered?: Rows
  /** The same, taken by the last retry at this time. */
  readonly deliveredLate?: readonly [at: string, orders: Rows]
  readonly booked?: Rows
  readonly lost?: Rows
}

function merchant({
  ledger,
  paid = {},
  delivered = {},
  deliveredLate: [lateAt, late] = ['', {}],
  booked = {},
  lost = {},
}: Books): ScenarioBench {
  const records = [
    ...Object.entries(late).map(([orderNo, time]) => ({
      ...{orderNo, time, status: 'success', sentAt: instant(lateAt)},
    })),
    ...Object.entries({...paid, ...delivered}).map(([orderNo, time]) => ({orderNo, time, status: 'success'})),
    ...Object.entries({...booked, ...lost}).map(([orderNo, time]) => ({orderNo, time, status: 'failed'})),
  ]
  const numbers = [...Object.keys(ledger), ...records.map(({orderNo}) => orderNo)]
  const sections = new Map([
    ['ledger.csv', credits(ledger)],
    ['service.json', JSON.stringify([...new Set(numbers)].map((orderNo) => ({orderNo})))],
    [
      'deliveries.json',
      JSON.stringify(records.map(({time, ...record}) => ({...record, createdAt: instant(time)}))),
    ],
    ['options.json', JSON.stringify({yes: true})],
  ])
  const bench = new ScenarioBench({path: 'covered times', sections})
  bench.clock.ms = Date.parse(instant('21 05:00'))
  return bench
}

/** The orders whose webhook the merchant's server got from a resend, by the service's own log. */
function resent({client}: ScenarioBench): string[] {
  const ids = client.log.filter((call) => call.startsWith('resend ')).map((call) => call.split(' ')[1] ?? '')
  return ids.map((id) => client.records.get(id)?.merchantOrderId ?? '').sort()
}

const day = {'A-1': '20 02:00', 'A-2': '20 09:00', 'A-3': '20 20:00'}
const taken = (count: number, day: string): Rows =>
  Object.fromEntries(Array.from({length: count}, (_, at) => [`T-${day}-${at}`, `${day} 1${at}:10`]))

describe('from the first row to the last is not all covered', () => {
  test.each<[what: string, books: Books, resent: string[], options?: Partial<ReconcileOptions>]>([
    [
      'one date a month too early',
      {ledger: {...day, 'A-2': 'a month ago'}, booked: {HAND: '14 09:00'}, lost: {LOST: '20 19:00'}},
      ['LOST'],
    ],
    ['a date of 1970', {ledger: {...day, 'A-2': '1970'}, booked: {HAND: '14 09:00'}}, []],
    ['ledgers of two days', {ledger: {...day, 'E-1': '16 02:00'}, booked: {HAND: '18 09:00'}}, []],
    [
      '--since far back',
      {ledger: day, booked: {HAND: '14 09:00'}, lost: {LOST: '20 10:00'}},
      ['LOST'],
      {sinceMs: Date.parse(instant('19 03:00')) - 8 * 86_400_000},
    ],
    [
      'no fewer orders of one stretch were delivered than not, and stand in no row',
      {ledger: day, delivered: taken(2, '20'), booked: {HAND: '20 15:00'}, lost: {LOST: '20 05:00'}},
      ['LOST'],
    ],
    // Their rows are in the next ledger.
    [
      'orders of an outage were delivered after the day of the last row',
      {
        ledger: day,
        deliveredLate: ['21 02:00', taken(4, '20')],
        lost: {'L-1': '20 15:00', 'L-2': '20 16:00'},
      },
      ['L-1', 'L-2'],
    ],
    [
      'orders of an outage were delivered after the last row, on its day: the file may be cut off',
      {
        ledger: day,
        deliveredLate: ['20 22:00', taken(4, '20')],
        lost: {'L-1': '20 15:00', 'L-2': '20 16:00'},
      },
      [],
    ],
    [
      'one order was taken and not booked, its neighbour not delivered',
      {ledger: day, delivered: taken(1, '20'), lost: {LOST: '20 15:00'}},
      ['LOST'],
    ],
    [
      'the first row was made the day before it was paid',
      {
        ledger: {...day, STRADDLER: '19 10:00'},
        paid: {STRADDLER: '20 01:00'},
        booked: {HAND: '19 14:00'},
        lost: {LOST: '20 03:00'},
      },
      ['LOST'],
    ],
    [
      'the first row was paid half an hour after it was made',
      {ledger: day, paid: {'A-1': '20 02:30'}, lost: {LOST: '20 02:15'}},
      ['LOST'],
    ],
    // An outage with a webhook that was taken and not booked is what hisab is for.
    [
      'two delivered orders of an outage',
      {
        ledger: day,
        delivered: taken(2, '20'),
        lost: {'L-1': '20 15:00', 'L-2': '20 16:00', 'L-3': '20 17:00'},
      },
      ['L-1', 'L-2', 'L-3'],
    ],
    [
      'three delivered orders, and as many that were not',
      {
        ledger: day,
        delivered: {'T-1': '20 03:00', 'T-2': '20 10:00', 'T-3': '20 11:00'},
        lost: {'L-1': '20 04:00', 'L-2': '20 05:00', 'L-3': '20 15:00', 'L-4': '20 15:10', 'L-5': '20 15:20'},
      },
      ['L-1', 'L-2', 'L-3', 'L-4', 'L-5'],
    ],
    [
      'the ledger of one of two wallets',
      {
        ledger: {...day, 'A-4': '20 05:00', 'A-5': '20 12:00'},
        delivered: {'T-1': '20 03:00', 'T-2': '20 10:00', 'T-3': '20 13:00'},
        booked: {HAND: '20 06:00'},
      },
      [],
    ],
    [
      'a stretch of 24 hours',
      {ledger: {'A-1': '19 02:00', 'A-2': '20 02:00'}, lost: {LOST: '19 15:00'}},
      ['LOST'],
    ],
    ['dates without a time', {ledger: {'A-1': '19', 'A-2': '20'}, lost: {LOST: '20 15:00'}}, ['LOST']],
  ])('%s', async (_what, books, expected, options) => {
    const bench = merchant(books)
    const {report, status} = await bench.run('run-1', {}, options)
    expect(resent(bench)).toEqual(expected)
    for (const orderNo of Object.keys(books.booked ?? {})) {
      const held = {
        action: 'review',
        explanation: expect.stringMatching(
          /of the time from|no row from|covers the time from|the whole ledger\?/,
        ),
      }
      expect(report.findings.find((one) => one.orderNo === orderNo)).toMatchObject(held)
      expect(status).toBe(7)
    }
  })
})

test.each<[what: string, books: Books, resent: string[], why: RegExp]>([
  [
    'a date without a time, of the day of the run',
    {ledger: {'A-1': '20', 'A-2': '21'}, booked: {HAND: '21 03:00'}, lost: {LOST: '20 15:00'}},
    ['LOST'],
    /dates without a time/,
  ],
  [
    'a time zone that is mistaken',
    {ledger: {...day, 'A-4': '21 04:00', 'A-5': '21 09:00'}, booked: {HAND: '21 01:00'}},
    [],
    /time zone may be mistaken/,
  ],
  [
    'a date that is mistyped',
    {ledger: {...day, 'A-4': '29 04:00'}, lost: {LOST: '20 10:00'}},
    ['LOST'],
    /^$/,
  ],
])('a row that is not over, or still to come: %s', async (_what, books, expected, why) => {
  const bench = merchant(books)
  const {report} = await bench.run('run-1')
  expect(resent(bench)).toEqual(expected)
  const hand = report.findings.find(({orderNo}) => orderNo === 'HAND')
  expect(hand?.explanation ?? '').toMatch(why)
})

test.each<[hours: number, skew: 'measured' | 'unknown', why: RegExp]>([
  [0, 'measured', /the day of this run is not over/],
  [6, 'measured', /the day of this run is not over/],
  [24, 'measured', /the day of this run is not over/],
  [6, 'unknown', /the service's clock could not be read/],
])(
  'a date is over by both clocks or not at all: this machine is %i h fast, the difference is %s',
  async (hours, skew, why) => {
    const bench = merchant({
      ledger: {'A-1': '20', 'A-2': '21'},
      booked: {HAND: '21 03:00'},
      lost: {LOST: '20 15:00'},
    })
    bench.clock.ms = Date.parse(instant('21 19:00'))
    bench.clock.setByMs = hours * 3_600_000
    bench.client.clockSkewMs = skew === 'measured' ? -bench.clock.setByMs : null
    const {report} = await bench.run('run-1')
    expect(resent(bench)).toEqual(['LOST'])
    expect(report.findings.find(({orderNo}) => orderNo === 'HAND')?.explanation).toMatch(why)
  },
)

test('dates of the other date system of spreadsheets end the run', async () => {
  const bench = merchant({ledger: day, paid: {...day, LOST: '20 19:00'}})
  bench.rewrite(credits(day).replaceAll('2026-11-20', '2022-11-18'))
  await expect(bench.run('run-1')).rejects.toMatchObject({
    code: 'ledger_damaged',
    message: expect.stringContaining('4 years and a day before the webhooks'),
  })
  expect(resent(bench)).toEqual([])
  // Orders that are really so old.
  for (const [id, record] of bench.client.records)
    bench.client.records.set(id, {...record, createdAt: record.createdAt.replace('2026-11-', '2022-11-')})
  expect((await bench.run('run-2')).status).not.toBe(2)
})

test('a clock that is fast does not make rows of tomorrow rows of today', async () => {
  const bench = merchant({ledger: {'A-1': '21 09:00', 'A-2': '22 09:00'}, booked: {HAND: '21 15:00'}})
  bench.clock.ms = Date.parse(instant('21 19:00'))
  bench.clock.setByMs = 24 * 3_600_000
  bench.client.clockSkewMs = -bench.clock.setByMs
  const {status} = await bench.run('run-1')
  expect([resent(bench), status]).toEqual([[], 8])
})

describe('an order that may stand in the last rows of a ledger nobody read', () => {
  /** Of the 18th; the 19th is not given. */
  const earlier = {'C-1': '18 01:00', 'C-2': '18 22:00'}
  let runs = 0
  const runAll = async (
    bench: ScenarioBench,
    ledgers: readonly Rows[],
    options: Partial<ReconcileOptions>,
  ) => {
    let last = null as Awaited<ReturnType<ScenarioBench['run']>> | null
    for (const ledger of ledgers) {
      bench.rewrite(credits(ledger))
      last = await bench.run(`run-${++runs}`, {}, options)
    }
    return last
  }
  const straddling = () =>
    merchant({
      ledger: {...earlier, ...day, 'B-1': '19 09:00', 'S-100': '19 23:57'},
      booked: {'S-100': '20 02:30'},
    })

  test.each([true, false])(
    'is not resent, nor by the next run: --since-last-run %s',
    async (sinceLastRun) => {
      const bench = straddling()
      for (const ledgers of [[earlier, day], [day]]) {
        const last = await runAll(bench, ledgers, {sinceLastRun})
        expect([resent(bench), last?.status]).toEqual([[], 7])
        expect(last?.report.findings.find(({orderNo}) => orderNo === 'S-100')).toMatchObject({
          ...{action: 'review', explanation: expect.stringContaining('no ledger of that time was read')},
        })
      }
    },
  )

  test('of the first ledger of a kind, after runs that read the other kind alone', async () => {
    const bench = merchant({
      ledger: {...earlier, ...day},
      booked: {'S-100': '20 02:30'},
      lost: {LOST: '21 03:00'},
    })
    const kind = (of: string, rows: Rows) =>
      credits(rows).replace('no,', 'no,kind,').replaceAll(',500', `,${of},500`)
    bench.rewrite(kind('payout', earlier))
    await bench.run(`run-${++runs}`)
    bench.rewrite(kind('deposit', day))
    const {status, report} = await bench.run(`run-${++runs}`)
    expect([resent(bench), status]).toEqual([[], 7])
    expect(report.findings.find(({orderNo}) => orderNo === 'S-100')).toMatchObject({
      ...{action: 'review', explanation: expect.stringContaining('run again with --include-missing')},
    })
    await bench.run(`run-${++runs}`, {}, {overrides: {...noOverrides, includeMissing: true}})
    expect(resent(bench)).toEqual(['S-100'])
  })

  test('a row made on the day nobody read, and paid after it, does not bridge it', async () => {
    const bench = merchant({
      ledger: {...day, 'C-1': '18 01:00', 'C-2': '18 23:54', STRADDLER: '19 22:30'},
      paid: {STRADDLER: '20 00:30'},
      booked: {HAND: '19 09:00'},
    })
    const last = await runAll(
      bench,
      [
        {'C-1': '18 01:00', 'C-2': '18 23:54'},
        {...day, STRADDLER: '19 22:30'},
      ],
      {
        sinceLastRun: true,
      },
    )
    expect([resent(bench), last?.status]).toEqual([[], 7])
  })

  test('is booked once that ledger is given', async () => {
    const bench = straddling()
    await runAll(bench, [earlier, day, {'B-1': '19 09:00', 'S-100': '19 23:57'}], {})
    const last = await runAll(bench, [day], {})
    expect([resent(bench), last?.status]).toEqual([[], 0])
  })

  test('the shift between two shifts, whose ledger is not given, is not taken for an outage', async () => {
    const [early, late] = [
      {'M-1': '20 01:00', 'M-2': '20 07:00'},
      {'N-1': '20 17:00', 'N-2': '20 23:00'},
    ]
    const bench = merchant({
      ledger: {...early, ...late},
      booked: {'HAND-1': '20 09:00', 'HAND-2': '20 15:00'},
      lost: {LOST: '20 20:00'},
    })
    const last = await runAll(bench, [early, late], {sinceLastRun: true})
    expect([resent(bench), last?.status]).toEqual([['LOST'], 7])
  })

  test.each([
    ['the very first run', [day]],
    ['ledgers that follow one another', [{'C-1': '19 01:00', 'C-2': '19 23:00'}, day]],
  ])('nothing is held back of %s', async (_what, ledgers) => {
    const bench = merchant({
      ledger: {...day, 'C-1': '19 01:00', 'C-2': '19 23:00'},
      lost: {LOST: '20 02:30'},
    })
    await runAll(bench, ledgers, {})
    expect(resent(bench)).toEqual(['LOST'])
  })
})

describe('the ends of what a ledger covers, to the millisecond', () => {
  const hour = 3_600_000
  const day = 24 * hour
  /** In hours; what is after the dot is milliseconds: `100.-1` ends just before the hundredth. */
  const at = (text: string): number => {
    const [hours, ms = '0'] = text.split('.')
    return Number(hours) * hour + Number(ms)
  }
  interface Ledger {
    readonly rows?: string
    readonly own?: string
    readonly window?: string
    /** The ledger of the run before; those of a merchant's first run have none. */
    readonly before?: string
    readonly firstBooked?: string
    readonly now?: string
    readonly uncoveredFrom?: string
    /** Other orders without a row: when they were made. */
    readonly delivered?: string
    readonly failed?: string
  }
  const spanOf = (text: string) => {
    const [from = '', to = ''] = text.split(' to ')
    return {ok: true, fromMs: at(from), toMs: at(to)} as const
  }
  const words = (text: string) => (text === '' ? [] : text.split(' '))

  function reasonAgainst(record: string, ledger: Ledger): string {
    const {
      rows = '100 110 120 130',
      own = '100 to 130',
      window = own,
      before,
      firstBooked,
      now = '200',
    } = ledger
    const {uncoveredFrom, delivered = '', failed = ''} = ledger
    const rowTimes = new RowTimes()
    for (const row of words(rows)) rowTimes.add({fromMs: at(row), toMs: at(row)})
    const orders = [
      {time: record, status: 'failed'},
      ...words(delivered).map((time) => ({time, status: 'success'})),
      ...words(failed).map((time) => ({time, status: 'failed'})),
    ].map(({time, status}, n) => {
      const createdAt = new Date(at(time)).toISOString()
      return {
        of: order({orderNo: `D-${n}`}),
        record: delivery({status: status as 'failed', createdAt, sentAt: createdAt}),
      }
    })
    const earlier = before === undefined ? [] : [{...spanOf(before), runId: 'run-1'}]
    const covered = new CoveredTimes(
      {
        ...{own: spanOf(own), window: spanOf(window), seen: new Map([['deposit', earlier]])},
        ...{meetings: [], isGivenAgain: () => false},
      },
      {
        missing: orders.map(({of}) => of),
        deliveries: {
          completionsRead: ({orderNo}) =>
            orders.flatMap(({of, record}) => (of.orderNo === orderNo ? [record] : [])),
        },
        rowTimes,
        uncovered:
          uncoveredFrom === undefined ? null : {fromMs: at(uncoveredFrom), because: 'dates are days'},
        firstBookedMs: firstBooked === undefined ? null : at(firstBooked),
        ...{nowMs: at(now), timeZone: 'Asia/Dhaka', includeMissing: false, isOfCredits: false},
        areBookingTimes: () => false,
      },
    )
    const [own0] = orders
    return (own0 && covered.reasonAgainst(own0.of)) ?? 'is missing'
  }

  /** The last ledger ended at the fiftieth hour, and this run looks back to it. */
  const sinceLastRun = {window: '50 to 130', before: '0 to 50.-1'}
  test.each<[what: string, ledger: Ledger, byTime: Record<string, RegExp>]>([
    [
      'the time between two ledgers, and the day after it',
      sinceLastRun,
      {
        '50.-1': /^is missing/,
        '50': /no ledger covers the time from/,
        '100.-1': /no ledger covers/,
        '100': /of the day after .* It may be booked in its last rows/,
        '124.-2': /of the day after/,
        '124.-1': /^is missing/,
      },
    ],
    [
      'its first row was booked three hours after the start of its window',
      {...sinceLastRun, firstBooked: '103'},
      {'103.-1': /no ledger covers/, '103': /of the day after/},
    ],
    [
      'all rows were booked after the end of its window',
      {...sinceLastRun, firstBooked: '140'},
      {'130.-1': /no ledger covers/, '130': /of the day after/},
    ],
    ['a stretch of a day between two rows', {rows: '100 124 130'}, {'101': /^is missing/}],
    [
      'a stretch of a day and a millisecond',
      {rows: '100 124.1 130'},
      {'100': /^is missing/, '100.1': /has no row from/, '124': /has no row from/, '124.1': /^is missing/},
    ],
    ['a stretch of a day before the first row', {rows: '124'}, {'100': /^is missing/}],
    [
      'a stretch of more before the first row',
      {rows: '124.1'},
      {'100.-1': /^is missing/, '100': /has no row from/},
    ],
    [
      'a stretch of more after the last row',
      {rows: '100'},
      {'130': /has no row from/, '130.1': /^is missing/},
    ],
    ['a day after the last row, until now', {rows: '100', now: '124'}, {'110': /^is missing/}],
    ['more than a day, until now', {rows: '100', now: '124.1'}, {'110': /has no row from/}],
    ['a ledger without times of rows', {rows: ''}, {'110.1': /^is missing/}],
    [
      'dates without a time at its end',
      {uncoveredFrom: '105'},
      {'105.-1': /^is missing/, '105': /dates are days/},
    ],
    [
      'as many delivered as not in one stretch',
      {delivered: '101 102', failed: '103'},
      {'104': /^It may not be missing: 2 orders of the time/, '111': /^is missing/},
    ],
    ['fewer delivered than not', {delivered: '101 102', failed: '103 103'}, {'104': /^is missing/}],
    ['one delivered', {delivered: '101'}, {'104': /^is missing/}],
    [
      'three delivered in three stretches, more than not',
      {delivered: '101 111 121', failed: '112'},
      {'102': /^Not missing for certain: 3 orders were delivered/},
    ],
    [
      'three delivered in three stretches, and as many not',
      {delivered: '101 111 121', failed: '112 113'},
      {'102': /^is missing/},
    ],
    ['two delivered in two stretches', {delivered: '101 111'}, {'102': /^is missing/}],
    [
      'one delivered between the ledgers, on which they seem to meet',
      {rows: '60 70', own: '60 to 130', window: '50 to 130', before: '0 to 50.-1', delivered: '55'},
      {'52': /no ledger covers/, '50.-1': /^is missing/},
    ],
    [
      'none delivered between the ledgers that meet',
      {rows: '60 70', own: '60 to 70', window: '50 to 70', before: '0 to 50.-1'},
      {'52': /^is missing/},
    ],
  ])('%s', (_what, ledger, byTime) => {
    const found = Object.keys(byTime).map((record) => [record, reasonAgainst(record, ledger)])
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(byTime).map(([record, why]) => [record, expect.stringMatching(why)])),
    )
  })

  test.each<[what: string, row: {ledgerToMs: number; isTimeKnown?: boolean}, mayBeAny: boolean]>([
    ['ended a day before this window begins', {ledgerToMs: at('100') - day}, true],
    ['ended more than a day before', {ledgerToMs: at('100') - day - 1}, false],
    ['ended just before this ledger begins', {ledgerToMs: at('110.-1')}, true],
    ['reaches into this ledger', {ledgerToMs: at('110')}, false],
    ['without times, read at a time of this ledger', {ledgerToMs: at('110'), isTimeKnown: false}, true],
    ['without times, read long ago', {ledgerToMs: at('70'), isTimeKnown: false}, false],
  ])('an unexplained row of a ledger that %s', async (_what, {ledgerToMs, isTimeKnown = true}, mayBeAny) => {
    const row = {
      ...{
        kind: 'deposit' as const,
        orderNo: 'X-7',
        line: 4,
        anyOrder: {amount: '500.00'},
        isBeginning: false,
      },
      ...{isBooked: true, runId: 'run-1', ledgerToMs, isTimeKnown},
    }
    const journal = {
      ...{findFinalOrders: async () => [], findFinalOrdersOf: async () => []},
      ...{itemEvents: async () => [], personsTexts: async () => []},
      ...{findRun: async () => null, findTotals: async () => null, fingerprint: () => ''},
      rowsSeen: async function* () {
        yield row
      },
    }
    const none = {ok: false, because: 'no row has a time'} as const
    const isFound = async (searched: MaybeWindow, window: MaybeWindow, amount = 50_000n) => {
      const own = {
        endOf: () => null,
        files: [],
        isSeveral: false,
        playerOf: () => null,
        names: () => false,
        unexplained: () => [],
        again: {has: () => false, inPlaceOf: () => []},
      }
      const booked = new BookedElsewhere(journal, () => [], {own: {...own, window, searched}})
      const missing = {
        orderNo: 'D-1',
        platformOrderNo: '',
        amount,
        kinds: ['deposit'],
        isAnswered: true,
      } as const
      return (await booked.find({...missing, inLedger: 'no row'})) !== null
    }
    expect(await isFound(spanOf('100 to 130'), spanOf('110 to 130'))).toBe(mayBeAny)
    expect(await isFound(none, none)).toBe(true)
    expect(await isFound(none, none, 51_000n)).toBe(false)
  })
})
