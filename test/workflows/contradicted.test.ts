import {expect, test} from 'vitest'

import type {ServiceOrder} from '../../src/core/order.ts'
import {hourMs} from '../core/reconcile/sample.ts'
import {failure} from './fake-client.ts'
import {ScenarioBench} from './scenario-run.ts'

const day = '2026-11-20T09:00:00Z'
const orders = 'order_no,status,amount,created_at\n'
const agreed = `D-1,paid,500.00,2026-11-20T08:00:00Z\nD-2,paid,500.00,2026-11-20T11:00:00Z\n`
const ledgers = {
  'no row': orders + agreed,
  'an open row': `${orders}${agreed}LOST,open,500.00,${day}\n`,
  'a failed row': `${orders}${agreed}LOST,failed,500.00,${day}\n`,
}

/** LOST is paid and its webhook failed for good; the query, of a replica that is behind, says `word`. */
function merchant(
  ledger: string,
  word: string | null,
  record: object = {},
  records: readonly object[] = [{orderNo: 'LOST', createdAt: day, ...record}],
) {
  const paid = ['D-1', 'D-2', 'LOST'].map((orderNo) => ({orderNo}))
  const sections = new Map([
    ['ledger.csv', ledger],
    ['service.json', JSON.stringify(paid)],
    ['deliveries.json', JSON.stringify(records)],
    ['options.json', JSON.stringify({yes: true})],
  ])
  const bench = new ScenarioBench({path: 'contradicted', sections})
  const truth = bench.client.orders.get('deposit\0LOST')
  if (!truth || truth instanceof Error) throw new Error('LOST is no order')
  const says = (rawStatus: string | null) => {
    const status: ServiceOrder['status'] = rawStatus === 'failed' ? 'failed' : 'open'
    if (rawStatus === null) bench.client.orders.delete('deposit\0LOST')
    else bench.client.orders.set('deposit\0LOST', {...truth, rawStatus, status})
  }
  says(word)
  return {bench, says, catchesUp: () => bench.client.orders.set('deposit\0LOST', truth)}
}

const queries = ({client}: ScenarioBench) => client.log.filter((call) => call.endsWith(' LOST')).length
const resends = ({client}: ScenarioBench) => client.log.filter((call) => call.startsWith('resend ')).length

async function nextDay(bench: ScenarioBench) {
  bench.clock.ms += 24 * hourMs
  const at = (hours: number) => new Date(bench.clock.ms - hours * hourMs).toISOString()
  bench.rewrite(`${orders}D-1,paid,500.00,${at(5)}\nD-2,paid,500.00,${at(3)}\n`)
  const {report, status} = await bench.run(`day-${bench.clock.ms}`)
  return {report, status, about: report.findings.find(({orderNo}) => orderNo === 'LOST')}
}

const noteOf = ({notes}: {readonly notes: readonly string[]}) =>
  notes.find((note) => note.includes('a webhook with status completed')) ?? ''

const cells: readonly [row: keyof typeof ledgers, word: string | null][] = [
  ['no row', 'processing'],
  ['no row', 'failed'],
  ['no row', null],
  ['an open row', 'pending'],
  ['a failed row', 'failed'],
  ['a failed row', null],
]

test.each(cells)(
  'what a record contradicts is noted and asked for until both agree: %s, the query says %s',
  async (row, word) => {
    const {bench, catchesUp} = merchant(ledgers[row], word)
    const first = await bench.run('day-1')
    expect(first.status).toBe(row === 'no row' && word === null ? 8 : 0)
    expect(noteOf(first.report)).toContain(`LOST (${word === null ? 'no such order' : `"${word}"`})`)
    for (const _day of [2, 3]) {
      const asked = queries(bench)
      const next = await nextDay(bench)
      expect([next.status, next.about]).toEqual([0, undefined])
      expect(noteOf(next.report)).toContain('LOST')
      expect(queries(bench)).toBeGreaterThan(asked)
    }
    catchesUp()
    const seen = await nextDay(bench)
    expect(seen.about).toMatchObject({action: 'review', cause: 'delivery_exhausted', line: null})
    expect([seen.status, noteOf(seen.report), resends(bench)]).toEqual([7, '', 0])
  },
)

test.each(['failed', null])(
  'beside the finding of an open row it is noted and asked for as well: the query says %s',
  async (word) => {
    const {bench, catchesUp} = merchant(ledgers['an open row'], word)
    const first = await bench.run('day-1')
    expect([first.status, noteOf(first.report)]).toEqual([7, expect.stringContaining('LOST')])
    expect(noteOf((await nextDay(bench)).report)).toContain('LOST')
    catchesUp()
    const seen = await nextDay(bench)
    expect(seen.about).toMatchObject({action: 'review', cause: 'delivery_exhausted', line: null})
    expect([seen.status, noteOf(seen.report), resends(bench)]).toEqual([7, '', 0])
  },
)

test('--skip-final asks after all for an order that failed on both sides and has a record that says completed', async () => {
  const {bench, catchesUp} = merchant(ledgers['a failed row'], 'failed')
  await bench.run('day-1')
  const asked = () => bench.client.log.filter((call) => call.startsWith('query ')).length
  const before = asked()
  const same = await bench.run('day-2', {}, {skipFinal: true})
  expect([asked() - before, noteOf(same.report)]).toEqual([1, expect.stringContaining('LOST ("failed")')])
  catchesUp()
  const paid = await bench.run('day-3', {}, {skipFinal: true})
  expect(paid.report.findings.find(({orderNo}) => orderNo === 'LOST')).toMatchObject({
    ...{verdict: 'missing_completion', cause: 'delivery_exhausted', line: 4},
    resend: {state: 'delivered'},
  })
  expect([resends(bench), noteOf(paid.report), paid.report.tieOut.unexplained]).toEqual([1, '', '0.00'])
  expect(paid.report.counts).toMatchObject({matched: 2, missing_completion: 1})
})

test.each<[what: string, about: object, doNot: (bench: ScenarioBench) => void]>([
  [
    'no answer',
    {cause: null},
    ({client}) => client.orders.set('deposit\0LOST', failure('service_busy', 'HTTP 503')),
  ],
  [
    'a stop',
    {cause: 'not_asked'},
    (bench) => {
      bench.client.before = (call) => {
        if (call === 'query deposit LOST') {
          const stop = failure('interrupted', 'Stopped')
          bench.stop.abort(stop)
          throw stop
        }
      }
    },
  ],
])(
  '--skip-final keeps no answer that a record contradicts: the second query gets %s',
  async (_what, about, doNot) => {
    const {bench} = merchant(ledgers['a failed row'], 'failed', {}, [])
    await bench.run('day-1')
    bench.addRecord({orderNo: 'LOST', createdAt: day})
    doNot(bench)
    const {report, status} = await bench.run('day-2', {}, {skipFinal: true})
    expect(report.findings.find(({orderNo}) => orderNo === 'LOST')).toMatchObject({
      verdict: 'query_failed',
      ...about,
    })
    expect([status === 0, report.counts.matched]).toEqual([false, 2])
  },
)

test('--skip-final asks for what a record contradicted, also once the record is gone', async () => {
  const {bench, catchesUp} = merchant(ledgers['a failed row'], 'failed')
  await bench.run('day-1')
  bench.client.records.clear()
  catchesUp()
  const {report, status} = await bench.run('day-2', {}, {skipFinal: true})
  const about = report.findings.find(({orderNo}) => orderNo === 'LOST')
  expect([about?.verdict, status]).toEqual(['missing_completion', 7])
})

test('its own ledger, once the query has caught up, ends it', async () => {
  const {bench, catchesUp} = merchant(ledgers['an open row'], 'processing')
  await bench.run('day-1')
  catchesUp()
  expect((await bench.run('day-1 again')).status).toBe(0)
  expect(resends(bench)).toBe(1)
  const next = await nextDay(bench)
  expect(noteOf(next.report)).toBe('')
  // That it was delivered is no proof that it was booked.
  expect(next.report.findings.find(({cause}) => cause === 'delivered')).toMatchObject({action: 'none'})
})

test('a person who sets it aside ends the note', async () => {
  const {bench} = merchant(ledgers['no row'], 'failed')
  await bench.run('day-1')
  const open = (await bench.journal.openFindings()).find(({orderNo}) => orderNo === 'LOST')
  if (!open) throw new Error('LOST is not open')
  const words = {
    reason: 'never paid',
    by: 'ops',
    atMs: bench.clock.ms,
    expiresAtMs: bench.clock.ms + 90 * hourMs,
  }
  await bench.journal.addIgnore({findingId: open.id, atRisk: open.atRisk, ...words})
  expect(noteOf((await nextDay(bench)).report)).toBe('')
})

test.each<[what: string, change: (bench: ScenarioBench) => void, record: object]>([
  [
    'a payout of that number',
    ({client}) => {
      const like = client.orders.get('deposit\0D-1')
      if (!like || like instanceof Error) throw new Error('D-1 is no order')
      client.orders.set('payout\0LOST', {
        ...like,
        kind: 'payout',
        orderNo: 'LOST',
        platformOrderNo: 'platform-LOST',
      })
    },
    {},
  ],
  ['one that the merchant took', () => {}, {status: 'success'}],
  ['of another event', () => {}, {event: 'order.created'}],
])(
  'a record of an order this ledger does not cover contradicts nothing: %s',
  async (_what, change, record) => {
    const {bench} = merchant(ledgers['no row'], null, record)
    change(bench)
    expect(noteOf((await bench.run('day-1')).report)).toBe('')
  },
)

test.each([
  [1, /^1 order has a webhook with status completed, .*: X-1 \("failed"\)\./],
  [5, /^5 orders have .*: X-1 \("failed"\), .*, X-5 \("failed"\)\./],
  [7, /^7 orders have .*: X-1 \("failed"\), .*, X-5 \("failed"\) and 2 more\./],
])('of %d orders that a record contradicts five are named, and the others counted', async (count, told) => {
  const numbers = Array.from({length: count}, (_, index) => `X-${index + 1}`)
  const rows = numbers.map((orderNo) => `${orderNo},failed,500.00,${day}\n`).join('')
  const sections = new Map([
    ['ledger.csv', orders + rows],
    ['service.json', JSON.stringify(numbers.map((orderNo) => ({orderNo, status: 'failed'})))],
    ['deliveries.json', JSON.stringify(numbers.map((orderNo) => ({orderNo, createdAt: day})))],
  ])
  const {report} = await new ScenarioBench({path: 'contradicted', sections}).run('day-1')
  expect(noteOf(report)).toMatch(told)
})
