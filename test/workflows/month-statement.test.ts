import {describe, expect, test} from 'vitest'

import {formatPaisa, parsePaisa, sumPaisa} from '../../src/core/money.ts'
import {seededRandom} from '../../src/core/prng.ts'
import {monthWindow, type Window} from '../../src/core/reconcile/window.ts'
import {type MonthRun, type MonthView, monthStatement} from '../../src/report/month-statement.ts'
import {readTotals} from '../../src/report/run-totals.ts'
import {monthText} from '../../src/report/statement-text.ts'
import {ScenarioBench} from './scenario-run.ts'

/*
 * A month over ledgers that meet, overlap, repeat and correct each other. Judged by what was paid and booked: an order
 * counts once, as the last ledger that has it says.
 */
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startMs = Date.parse('2026-11-09T00:00:00+06:00')
const hours = [0.3, 4, 8, 12, 16, 20, 23.7]

interface Order {
  readonly orderNo: string
  readonly atMs: number
  readonly amount: bigint
  /** As the ledger has it; the service has it completed. */
  status: string
  booked: bigint
}

function merchant(beginMs = startMs) {
  const sections = new Map([
    ['ledger.csv', 'order_no,amount,status,created_at\n'],
    ['options.json', JSON.stringify({yes: true})],
  ])
  const bench = new ScenarioBench({path: 'month-statement', sections})
  const orders: Order[] = []
  for (const day of [0, 1, 2]) {
    for (const [nth, hour] of hours.entries()) {
      const [orderNo, atMs, amount] = [
        `D${day}-${nth}`,
        beginMs + day * dayMs + hour * hourMs,
        BigInt(100_000 + 10_000 * day + 100 * nth),
      ]
      const order = {kind: 'deposit', orderNo, platformOrderNo: `platform-${orderNo}`, amount} as const
      bench.client.orders.set(`deposit\0${orderNo}`, {...order, rawStatus: 'completed', status: 'completed'})
      const at = new Date(atMs + 1_000).toISOString()
      bench.addRecord({orderNo, createdAt: at, status: 'success', attempts: 1, sentAt: at, nextRetryAt: null})
      orders.push({orderNo, atMs, amount, status: 'completed', booked: amount})
    }
  }
  let runs = 0
  /** Reconciles the orders made in that time, in days. */
  const runOf = async (
    from: number,
    to: number,
    more: {readonly id?: string; readonly sinceDay?: number} = {},
  ) => {
    bench.clock.ms = Math.max(bench.clock.ms + 1_000, beginMs + Math.ceil(to) * dayMs + 7.75 * hourMs)
    const rows = orders.filter(({atMs}) => atMs >= beginMs + from * dayMs && atMs < beginMs + to * dayMs)
    const lines = rows.map(
      ({orderNo, booked, status, atMs}) =>
        `${orderNo},${formatPaisa(booked)},${status},${new Date(atMs).toISOString()}\n`,
    )
    bench.rewrite(`order_no,amount,status,created_at\n${lines.join('')}`)
    const window = more.sinceDay === undefined ? {} : {sinceMs: beginMs + more.sinceDay * dayMs}
    return await bench.run(more.id ?? `run-${++runs}`, {}, window)
  }
  return {bench, orders, runOf}
}

async function monthOf({journal}: ScenarioBench, month = '2026-11'): Promise<MonthView> {
  const runs: MonthRun[] = []
  for (const {id, startedAtMs, status} of await journal.listRuns(100)) {
    const totals = status === 'finished' ? readTotals(await journal.findTotals(id)) : null
    runs.push({id, startedAtMs, totals, by: null, signOffs: []})
  }
  return monthStatement(
    runs,
    await journal.balancesOfRuns(),
    await journal.listItems(),
    monthWindow(month, 'Asia/Dhaka') as Window,
    'Asia/Dhaka',
  )
}

test.each<[string, (one: ReturnType<typeof merchant>) => Promise<unknown>]>([
  ['a ledger a day', async ({runOf}) => [await runOf(0, 1), await runOf(1, 2), await runOf(2, 3)]],
  [
    'the first run from a day on, as far as the run itself',
    async ({runOf}) => [await runOf(0, 1, {sinceDay: 0}), await runOf(1, 2), await runOf(2, 3)],
  ],
  [
    'each run from its day on',
    async ({runOf}) => [
      await runOf(0, 1, {sinceDay: 0}),
      await runOf(1, 2, {sinceDay: 1}),
      await runOf(2, 3, {sinceDay: 2}),
    ],
  ],
  [
    'each ledger has half an hour of the next day',
    async ({runOf}) => [await runOf(0, 1.02), await runOf(1, 2.02), await runOf(2, 3)],
  ],
  [
    'each ledger has the last order of the day before',
    async ({runOf}) => [await runOf(0, 1), await runOf(0.98, 2), await runOf(1.98, 3)],
  ],
  [
    'the same run again',
    async ({runOf}) => [await runOf(0, 1), await runOf(0, 1), await runOf(1, 2), await runOf(2, 3)],
  ],
  ['a few orders of all the days again', async ({runOf}) => [await runOf(0, 3), await runOf(0.9, 2.1)]],
  [
    'all days at once, after each',
    async ({runOf}) => [await runOf(0, 1), await runOf(1, 2), await runOf(2, 3), await runOf(0, 3)],
  ],
])('%s: each order is counted once', async (_name, play) => {
  const one = merchant()
  await play(one)
  const paid = formatPaisa(sumPaisa(one.orders.map(({amount}) => amount)))
  expect(await monthOf(one.bench)).toMatchObject({
    statement: [{balanceByLedger: paid, balanceByService: paid, items: [], unexplained: '0.00', gaps: []}],
    uncounted: [],
  })
})

test('a run that is skipped is a gap', async () => {
  const one = merchant()
  await one.runOf(0, 1)
  await one.runOf(2, 3)
  expect(monthText(await monthOf(one.bench), (_style, words) => words, 80)).not.toContain('overlap')
  expect((await monthOf(one.bench)).statement[0]?.gaps).toEqual([
    {from: '2026-11-09T23:42:00+06:00', to: '2026-11-11T00:18:00+06:00'},
  ])
})

test('an order counts as the last ledger that has it says, whichever way it changed', async () => {
  const one = merchant()
  const [agreed, short, open] = ['D0-1', 'D0-2', 'D0-3'].map((no) =>
    one.orders.find(({orderNo}) => orderNo === no),
  )
  if (!agreed || !short || !open) throw new Error('no order')
  short.booked -= 5_000n
  open.status = 'pending'
  await one.runOf(0, 1)
  const paid = (day: number) =>
    sumPaisa(one.orders.filter(({orderNo}) => orderNo.startsWith(`D${day}`)).map(({amount}) => amount))
  expect((await monthOf(one.bench)).statement[0]).toMatchObject({
    balanceByLedger: formatPaisa(paid(0) - 5_000n - open.amount),
    balanceByService: formatPaisa(paid(0)),
    unexplained: '0.00',
  })
  // The correction mends two of them, and damages what was right.
  short.booked = short.amount
  open.status = 'completed'
  agreed.booked += 700n
  await one.runOf(0, 1)
  const [month] = (await monthOf(one.bench)).statement
  expect(month).toMatchObject({
    balanceByLedger: formatPaisa(paid(0) + 700n),
    items: [{verdict: 'amount_mismatch', orders: 1, plus: '0.00', minus: '7.00'}],
    balanceByService: formatPaisa(paid(0)),
  })
  agreed.booked = agreed.amount
  await one.runOf(0, 2)
  expect((await monthOf(one.bench)).statement[0]).toMatchObject({
    ...{
      balanceByLedger: formatPaisa(paid(0) + paid(1)),
      balanceByService: formatPaisa(paid(0) + paid(1)),
      items: [],
    },
  })
})

const paisaOf = (text = '') => parsePaisa(text) ?? 0n

/** Four exports of three days, each with a part of the others; an order stands differently in some of them. */
test.each(Array.from({length: 12}, (_, seed) => seed))(
  'four overlapping exports with changes between them, seed %d: the last one counts',
  async (seed) => {
    const random = seededRandom(seed)
    const int = (below: number) => Math.floor(random() * below)
    const one = merchant()
    const last = new Map<string, {booked: bigint; status: string}>()
    const spans = [
      [0, 1.5],
      [0.6, 2.2],
      [0.2, 1.1],
      [1.7, 3],
    ] as const
    for (const [from, to] of spans) {
      for (const order of one.orders) {
        if (int(4) > 0) continue
        order.status = ['completed', 'completed', 'pending', 'failed'][int(4)] ?? ''
        order.booked = order.amount + BigInt(int(3) * 100 - 100)
      }
      await one.runOf(from, to)
      for (const order of one.orders)
        if (order.atMs >= startMs + from * dayMs && order.atMs < startMs + to * dayMs)
          last.set(order.orderNo, {booked: order.booked, status: order.status})
    }
    const [month] = (await monthOf(one.bench)).statement
    const counted = one.orders.flatMap((order) => {
      const seen = last.get(order.orderNo)
      return seen ? [{...order, ...seen}] : []
    })
    const ledger = sumPaisa(counted.filter(({status}) => status === 'completed').map(({booked}) => booked))
    expect(monthText(await monthOf(one.bench), (_style, words) => words, 80)).toContain(
      'Ledgers overlap. Each order counts once, as the last run had it.',
    )
    expect(month).toMatchObject({
      balanceByLedger: formatPaisa(ledger),
      balanceByService: formatPaisa(sumPaisa(counted.map(({amount}) => amount))),
      unexplained: '0.00',
    })
    const items = (month?.items ?? []).map(({plus, minus}) => paisaOf(plus) - paisaOf(minus))
    expect(paisaOf(month?.balanceByLedger) + sumPaisa(items)).toBe(paisaOf(month?.balanceByService))
  },
)

describe('the open items at the end of a month are those at the beginning of the next', () => {
  /** 29 November to 1 December, an order a day booked and still open at the service. */
  const overMonthEnd = () => {
    const one = merchant(Date.parse('2026-11-29T00:00:00+06:00'))
    const open = [0, 1, 2].map((day) => `D${day}-2`)
    const turn = (orderNo: string, status: 'open' | 'completed') => {
      const order = one.bench.client.orders.get(`deposit\0${orderNo}`)
      one.bench.client.orders.set(`deposit\0${orderNo}`, {...order, status, rawStatus: status} as never)
    }
    for (const orderNo of open) turn(orderNo, 'open')
    const itemsOf = async (month: string) => {
      const view = await monthOf(one.bench, month)
      const {opening, closing, laterRuns} = view.statement[0]?.openItems ?? {}
      const text = monthText(view, (_style, words) => words, 80)
      return {opening, closing, laterRuns, text}
    }
    return {...one, turn, itemsOf}
  }
  const items = (count: number, amount: string) => ({items: count, amount})

  test.each([
    ['nothing', null, items(3, '3306.00')],
    ['an old day is given again', 'again', items(3, '3306.00')],
    ['an old day is given again, and one of its items is mended', 'mended', items(2, '2304.00')],
  ])('where after it %s', async (_what, change, closing) => {
    const {runOf, turn, itemsOf} = overMonthEnd()
    await runOf(0, 1)
    await runOf(1, 2)
    await runOf(2, 3)
    if (change === 'mended') turn('D0-2', 'completed')
    if (change !== null) await runOf(0, 1, {id: 'again'})
    const november = await itemsOf('2026-11')
    expect(november).toMatchObject({opening: items(0, '0.00'), closing: items(2, '2104.00')})
    expect(november.laterRuns).toEqual(change === null ? [] : ['again'])
    expect(november.text).toContain('2 at its end, BDT 2,104.00')
    expect(november.text.includes('Run again came after its end')).toBe(change !== null)
    const december = await itemsOf('2026-12')
    expect(december).toMatchObject({opening: november.closing, closing, laterRuns: []})
    expect(december.text).toContain(`${closing.items} now`)
  })

  test('an old day is given for the first time: its items are those of its month', async () => {
    const {runOf, turn, itemsOf} = overMonthEnd()
    await runOf(1, 2)
    await runOf(2, 3)
    await runOf(0, 1, {id: 'late'})
    const november = await itemsOf('2026-11')
    expect(november).toMatchObject({
      opening: items(0, '0.00'),
      closing: items(2, '2104.00'),
      laterRuns: ['late'],
    })
    expect(await itemsOf('2026-12')).toMatchObject({opening: november.closing, closing: items(3, '3306.00')})
    // Closed in December.
    turn('D0-2', 'completed')
    await runOf(0, 1, {id: 'mended'})
    expect((await itemsOf('2026-11')).closing).toEqual(november.closing)
    expect(await itemsOf('2026-12')).toMatchObject({opening: november.closing, closing: items(2, '2304.00')})
  })

  test.each(Array.from({length: 12}, (_, seed) => seed))('whatever is given when, seed %d', async (seed) => {
    const random = seededRandom(seed)
    const int = (below: number) => Math.floor(random() * below)
    const {bench, runOf, turn, itemsOf} = overMonthEnd()
    const spans = [
      [0, 1],
      [1, 2],
      [2, 3],
      [0, 2],
      [1.5, 3],
      [1, 2],
    ] as const
    for (let nth = 0; nth < 6; nth++) {
      const [from, to] = spans[int(spans.length)] ?? [0, 3]
      await runOf(from, to)
      turn(`D${int(3)}-${int(7)}`, int(2) === 0 ? 'open' : 'completed')
    }
    await runOf(2, 3)
    const [november, december] = [await itemsOf('2026-11'), await itemsOf('2026-12')]
    if (november.closing) expect(november.closing).toEqual(december.opening)
    const open = (await bench.journal.openFindings()).filter(({severity}) => severity !== 'none')
    const atRisk = sumPaisa(open.map((one) => one.atRisk ?? 0n))
    expect(december.closing).toEqual(items(open.length, formatPaisa(atRisk)))
  })
})
