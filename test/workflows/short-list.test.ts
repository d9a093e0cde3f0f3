import {describe, expect, test} from 'vitest'

import {ScenarioBench} from './scenario-run.ts'

const orders = 40
const timeOf = (minute: number) =>
  new Date(Date.parse('2026-11-20T06:00:00Z') + minute * 60_000).toISOString()

/**
 * A service that made a record of every order, one a minute, and keeps only the newest of them. The merchant booked all
 * but LOST, of minute 5, whose webhook failed for good.
 */
function service({
  keeps,
  pageSize = 100,
}: {
  readonly keeps: number
  readonly pageSize?: number
}): ScenarioBench {
  const numbers = Array.from({length: orders}, (_, minute) => (minute === 5 ? 'LOST' : `D-${minute}`))
  const records = numbers.map((orderNo, minute) => ({
    ...{orderNo, createdAt: timeOf(minute)},
    ...(orderNo === 'LOST' ? {} : {status: 'success', attempts: 1, responseCode: 200}),
  }))
  const rows = numbers.map((orderNo, minute) => `${orderNo},500.00,${timeOf(minute)}`)
  return new ScenarioBench({
    path: 'short list',
    sections: new Map([
      [
        'ledger.csv',
        `order_no,amount,created_at\n${rows.filter((row) => !row.startsWith('LOST')).join('\n')}\n`,
      ],
      ['service.json', JSON.stringify(numbers.map((orderNo) => ({orderNo})))],
      ['deliveries.json', JSON.stringify(records.slice(orders - keeps).toReversed())],
      ['options.json', JSON.stringify({pageSize})],
    ]),
  })
}

describe('a list that keeps only the newest records is not called whole', () => {
  test.each([
    [5, 100],
    [20, 100],
    [20, 5],
    [34, 100],
    [40, 100],
  ])('keeps %i, %i a page', async (keeps, pageSize) => {
    const {report, status} = await service({keeps, pageSize}).run('run-1')
    const isNamed = report.findings.some(({orderNo}) => orderNo === 'LOST')
    const isLost = keeps < orders - 5
    expect(isNamed).toBe(!isLost)
    expect({status, complete: report.complete}).toEqual(
      keeps < orders ? {status: 8, complete: false} : {status: 7, complete: true},
    )
    const from = timeOf(orders - keeps)
    const {checked, from: lookedFrom} = report.missingInLedger as {checked: boolean; from?: string}
    expect(checked).toBe(true)
    expect(Date.parse(lookedFrom ?? '')).toBe(Date.parse(from))
    if (keeps < orders) expect(report.incompleteBecause.join()).toMatch(/only as far back as the list goes/)
  })

  test('the next run looks there again, for the list may come back', async () => {
    const bench = service({keeps: 20})
    await bench.run('run-1')
    const {report} = await bench.run('run-2')
    expect(report.window.kinds).toMatchObject([{lastRun: null}])
  })

  // Orders booked by hand have no record, and a small service has few.
  test.each([0, 4, 36])('%i of 40: no proof', async (keeps) => {
    const {report} = await service({keeps}).run('run-1')
    expect(report.complete).toBe(true)
    expect(report.notes.join().includes('list of delivery records is empty')).toBe(keeps === 0)
  })

  test('it begins after the ledger, and has no order of it: not searched', async () => {
    const bench = service({keeps: 0})
    bench.addRecord({orderNo: 'LATER', createdAt: timeOf(3_000), status: 'success', attempts: 1})
    const {report, status} = await bench.run('run-1')
    expect({status, complete: report.complete}).toEqual({status: 8, complete: false})
    expect(report.missingInLedger).toMatchObject({checked: false})
    expect(report.incompleteBecause.join()).toMatch(
      /not searched: the list of delivery records starts at 2026-11-22 .*, and 39 completed orders/,
    )
    const next = await bench.run('run-2')
    expect(next.report.window.kinds).toMatchObject([{lastRun: null}])
  })

  test('an empty list after a run that saw records, in every run until they are back', async () => {
    const bench = service({keeps: orders})
    const records = [...bench.client.records]
    expect((await bench.run('run-1')).status).toBe(7)
    bench.client.records.clear()
    for (const runId of ['run-2', 'run-3']) {
      const {report, status} = await bench.run(runId)
      expect({status, complete: report.complete}).toEqual({status: 8, complete: false})
      expect(report.missingInLedger).toMatchObject({checked: false})
      expect(report.incompleteBecause.join()).toMatch(
        /not searched: the list of delivery records is empty, and records that run run-1 saw are gone from it/,
      )
    }
    for (const [id, record] of records) bench.client.records.set(id, record)
    expect((await bench.run('run-4')).report.complete).toBe(true)
  })

  test('a list that begins after the ledger, with a record of every completed order, is whole', async () => {
    const bench = service({keeps: orders})
    for (const [id, record] of bench.client.records) {
      const createdAt = new Date(Date.parse(record.createdAt) + 90_000).toISOString()
      bench.client.records.set(id, {...record, createdAt})
    }
    const {report, status} = await bench.run('run-1')
    expect({status, complete: report.complete}).toEqual({status: 7, complete: true})
  })
})

describe('records that an earlier run saw have left the list', () => {
  /** Four small days; the second and third were never looked at, and LOST is of the third. */
  async function runs(keepsHours: number, lastDay: string) {
    const all = ['17', '18', '19', '20'].flatMap((day) =>
      ['06', '14'].map((hour) => ({
        orderNo: `D-${day}-${hour}`,
        createdAt: `2026-11-${day}T${hour}:00:00.000Z`,
      })),
    )
    const orderNos = [...all.map(({orderNo}) => orderNo), 'LOST']
    const delivered = {status: 'success', attempts: 1, responseCode: 200}
    const lost = {orderNo: 'LOST', createdAt: '2026-11-19T10:00:00.000Z'}
    const newestFirst = [...all.map((record) => ({...record, ...delivered})), lost].toSorted((a, b) =>
      b.createdAt.localeCompare(a.createdAt),
    )
    const ledgerOf = (day: string) =>
      `order_no,amount,created_at\n${all
        .filter(({createdAt}) => createdAt.includes(`-${day}T`))
        .map(({orderNo, createdAt}) => `${orderNo},500.00,${createdAt}\n`)
        .join('')}`
    const bench = new ScenarioBench({
      path: 'a gap',
      sections: new Map([
        ['ledger.csv', ledgerOf('17')],
        ['service.json', JSON.stringify(orderNos.map((orderNo) => ({orderNo})))],
        ['deliveries.json', JSON.stringify(newestFirst)],
      ]),
    })
    const records = [...bench.client.records]
    const keep = (fromMs: number, toMs: number) => {
      bench.client.records.clear()
      for (const [id, record] of records) {
        const ms = Date.parse(record.createdAt)
        if (ms > fromMs && ms <= toMs) bench.client.records.set(id, record)
      }
    }
    const run = async (day: string) => {
      bench.clock.ms = Date.parse(`2026-11-${day}T23:00:00Z`)
      keep(bench.clock.ms - keepsHours * 3_600_000, bench.clock.ms)
      bench.rewrite(ledgerOf(day))
      return await bench.run(`run-${day}`, {dryRun: false}, {sinceLastRun: true})
    }
    expect((await run('17')).status).toBe(0)
    return await run(lastDay)
  }

  test('the gap that they leave is not looked at, and the run says so', async () => {
    const {report, status} = await runs(20, '20')
    expect({status, complete: report.complete}).toEqual({status: 8, complete: false})
    expect(report.incompleteBecause.join()).toMatch(/records that run run-17 saw are gone from it/)
    expect(report.missingInLedger).toMatchObject({checked: true})
  })

  test.each([
    ['all are kept: the lost order is named', 1_000, '20', 7],
    ['some are gone, and the window begins after them', 34, '18', 0],
  ])('%s', async (_what, keepsHours, day, status) => {
    const run = await runs(keepsHours, day)
    expect({status: run.status, complete: run.report.complete}).toEqual({status, complete: true})
    expect(run.report.findings.some(({orderNo}) => orderNo === 'LOST')).toBe(day === '20')
  })
})
