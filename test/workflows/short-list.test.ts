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
    if (keeps < orders)
      expect(report.incompleteBecause.join()).toMatch(/only as far back as the list reaches/)
  })

  test('the next run looks there again, for the list may come back', async () => {
    const bench = service({keeps: 20})
    await bench.run('run-1')
    const {report} = await bench.run('run-2')
    expect(report.window.kinds).toMatchObject([{lastRun: null}])
  })

  // Orders booked by hand have no record, and a small service has few.
  test.each([4, 36])('%i of 40: no proof', async (keeps) => {
    const {report} = await service({keeps}).run('run-1')
    expect(report.complete).toBe(true)
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
