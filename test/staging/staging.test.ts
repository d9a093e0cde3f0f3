import {afterEach, describe, expect, test} from 'vitest'

import type {ServiceSide} from '../../src/core/reconcile/classify.ts'
import {orderKey} from '../../src/core/reconcile/orders.ts'
import {LedgerRows} from '../../src/staging/ledger-rows.ts'
import {Staging} from '../../src/staging/staging.ts'
import {StagingDatabase} from '../../src/staging/staging-database.ts'
import {delivery, entry, minutesAgo, nowMs, order} from '../core/reconcile/sample.ts'
import {finding, matched} from '../report/sample.ts'

let staging = new Staging()
afterEach(() => {
  staging.close()
  staging = new Staging()
})

/** More than a page of anything. */
const many = 1_234
const numbers = Array.from({length: many}, (_, index) => `D-${index}`)
const found = (orderNo: string): ServiceSide => ({
  is: 'found',
  order: order({orderNo, platformOrderNo: `p-${orderNo}`}),
})

describe('the rows of a ledger', () => {
  test('come back in their order, each order once, whatever page it stands on', () => {
    for (const [index, orderNo] of numbers.entries()) staging.ledger.entry(entry({orderNo, line: index + 2}))
    staging.ledger.entry(entry({orderNo: 'D-700', line: 9_000, status: 'completed'}))
    const orders = [...staging.ledger.all()]
    expect(orders.map(({orderNo}) => orderNo)).toEqual(numbers)
    expect(orders[700]?.entries.map(({line}) => line)).toEqual([702, 9_000])
    expect(staging.ledger.count()).toEqual({orders: many, notCompleted: many})
    expect(staging.ledger.rowOf({kind: 'deposit', orderNo: 'D-700'})).toBe(701)
    expect(staging.ledger.rowOf({kind: 'payout', orderNo: 'D-700'})).toBeNull()
  })

  test('keep every paisa, beyond what a number can hold, and add up past 64 bits', () => {
    const most = 99_999_999_999_999_999n
    const rows = 200
    for (let line = 2; line < rows + 2; line++) {
      staging.ledger.entry(entry({orderNo: `D-${line}`, line, status: 'completed', amount: most}))
    }
    staging.ledger.entry(entry({orderNo: 'blank', status: 'completed', amount: null}))
    staging.ledger.entry(entry({orderNo: 'open', amount: 1n}))
    expect([...staging.ledger.all()][0]?.entries[0]?.amount).toBe(most)
    expect(staging.ledger.completed('deposit')).toBe(most * BigInt(rows))
    expect(staging.ledger.completed('payout')).toBe(0n)
  })

  test('that cannot be read come with those of the same number, and spoil the order they name', () => {
    const unreadable = (orderNo: string | null, line: number) =>
      staging.ledger.unreadable({...{line, file: 0, orderNo}, cause: 'amount_unreadable', detail: '"-"'})
    staging.ledger.entry(entry({orderNo: 'A'}))
    for (const [orderNo, line] of [
      ['B', 3],
      ['A', 4],
      [null, 5],
      ['B', 6],
    ] as const)
      unreadable(orderNo, line)
    expect([...staging.ledger.unreadableRows()].map(({line}) => line)).toEqual([5, 4, 3, 6])
    expect([...staging.ledger.all()].map(({unreadable: rows}) => rows.map(({line}) => line))).toEqual([[4]])
  })

  test('that cannot be read are told once each, whatever page they stand on', () => {
    for (const at of Array(2).keys())
      for (const [index, orderNo] of numbers.entries())
        staging.ledger.unreadable({
          ...{line: at * many + index, file: 0, orderNo},
          cause: 'status_unknown',
          detail: '',
        })
    const told = numbers.toSorted().flatMap((orderNo) => [orderNo, orderNo])
    expect([...staging.ledger.unreadableRows()].map(({orderNo}) => orderNo)).toEqual(told)
  })
})

describe('the answers', () => {
  test('are asked for once, and what is not asked for has none', () => {
    for (const orderNo of numbers) staging.ledger.entry(entry({orderNo}))
    for (const one of staging.answers.unasked()) {
      if (one.orderNo === 'D-3') continue
      staging.answers.put(one, found(one.orderNo), one.orderNo === 'D-2' ? 'records' : 'nothing')
    }
    expect([...staging.answers.unasked()].map(({orderNo}) => orderNo)).toEqual(['D-3'])
    expect([...staging.answers.undecided()].map(({order: {orderNo}, side}) => [orderNo, side?.is])).toEqual([
      ['D-2', 'found'],
      ['D-3', undefined],
    ])
    expect([...staging.answers.candidates()]).toEqual([order({orderNo: 'D-2', platformOrderNo: 'p-D-2'})])
    expect(staging.answers.isKnown('p-D-9')).toBe(true)
    expect(staging.answers.isKnown('p-D-3')).toBe(false)
  })

  test.each<[what: string, side: ServiceSide]>([
    ['an order', found('D-1')],
    ['an order without an amount', {is: 'found', order: order({amount: null, status: 'unknown_status'})}],
    [
      'an order an earlier run asked for',
      {is: 'found', order: order(), takenFrom: {runId: 'run-0', askedAtMs: 7}},
    ],
    ['a proven absence', {is: 'absent'}],
    ['no answer', {is: 'no_answer', code: 'service_busy', because: 'HTTP 503'}],
  ])('%s comes back as it was put', (_what, side) => {
    staging.ledger.entry(entry())
    for (const one of staging.answers.unasked()) staging.answers.put(one, side, 'decision')
    expect(staging.answers.sideOf(entry())).toEqual(side)
    expect([...staging.answers.undecided()].map((one) => [orderKey(one.order), one.side])).toEqual([
      [orderKey(entry()), side],
    ])
  })
})

describe('the delivery records', () => {
  test('are kept once each; a newer reading takes the place of an older one', () => {
    expect(staging.records.add(delivery())).toBe(true)
    expect(staging.records.add(delivery({status: 'success'}))).toBe(false)
    expect(staging.records.byNumber('D-1')).toEqual([delivery()])
    staging.records.replace(delivery({status: 'success'}))
    expect(staging.records.byOrderId('platform-1')).toEqual([delivery({status: 'success'})])
    staging.records.clear()
    expect(staging.records.byNumber('D-1')).toEqual([])
  })

  test('of orders that no row names are those of the window, the event and no known order', () => {
    staging.ledger.entry(entry())
    for (const one of staging.answers.unasked())
      staging.answers.put(one, {is: 'found', order: order()}, 'nothing')
    const record = (id: string, change: object) => staging.records.add(delivery({id, orderId: id, ...change}))
    for (let index = 0; index < many; index++) record(`in-${index}`, {createdAt: minutesAgo(5)})
    record('known', {orderId: 'platform-1', createdAt: minutesAgo(5)})
    record('too old', {createdAt: minutesAgo(11)})
    record('too new', {createdAt: minutesAgo(-1)})
    record('another event', {event: 'order.created', createdAt: minutesAgo(5)})
    const window = {fromMs: nowMs - 600_000, toMs: nowMs}
    const ids = [...staging.records.ofUnknownOrders('order.completed', window)].map(({id}) => id)
    expect(ids).toEqual(Array.from({length: many}, (_, index) => `in-${index}`))
  })
})

test('a temporary folder that is full is an error that says so, and nothing is believed of what did not fit', () => {
  const small = new StagingDatabase()
  small.exec('PRAGMA max_page_count = 20')
  const ledger = new LedgerRows(small)
  const fill = () => {
    for (let times = 0; times < 20; times++) for (const orderNo of numbers) ledger.entry(entry({orderNo}))
  }
  expect(fill).toThrow(
    expect.objectContaining({code: 'storage_failed', message: expect.stringMatching(/TMPDIR.*: disk full/)}),
  )
  small.close()
})

describe('the findings', () => {
  test('are read in the order of files and lines, orders without a row last, as often as somebody asks', () => {
    const places: [file: number | null, line: number | null][] = [
      [null, null],
      [1, 2],
      [0, 9],
      [0, 3],
    ]
    for (const [file, line] of places) staging.findings.put(finding({file, line}))
    staging.findings.put({...matched, line: 5})
    const linesOf = (some: Iterable<{line: number | null}>) => [...some].map(({line}) => line)
    expect(linesOf(staging.findings)).toEqual([3, 9, 2, null])
    expect(linesOf(staging.findings)).toEqual([3, 9, 2, null])
    expect(linesOf(staging.findings.all)).toEqual([3, 5, 9, 2, null])
    expect(linesOf(staging.findings.asDecided())).toEqual([null, 2, 9, 3])
    expect([...staging.findings][0]).toEqual(finding({file: 0, line: 3}))
  })

  test('that come too late to be read are refused, not lost', () => {
    expect([...staging.findings]).toEqual([])
    expect(() => staging.findings.put(finding())).toThrow('after the first walk')
  })
})
