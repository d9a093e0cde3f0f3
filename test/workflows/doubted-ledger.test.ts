import {expect, test} from 'vitest'

import {formatPaisa} from '../../src/core/money.ts'
import {ScenarioBench} from './scenario-run.ts'

/*
 * An order each hour of three days, paid in time. The merchant's server is down for a part of them, and the ledger of credits of
 * the day has none of those: because nothing was booked then, or because the export broke off and staff booked by hand.
 */
const hourMs = 3_600_000
const beginMs = Date.parse('2026-11-09T00:00:00+06:00')
const amount = (hour: number) => 10_000n + BigInt(hour) * 100n

function bench(name: string, isDown: (hour: number) => boolean) {
  const sections = new Map([
    ['options.json', JSON.stringify({yes: true})],
    ['ledger.csv', ''],
  ])
  const one = new ScenarioBench({path: name, sections})
  for (let hour = 0; hour < 72; hour += 1) {
    const order = {orderNo: `D-${hour}`, platformOrderNo: `6f1c-${hour}`, amount: amount(hour)}
    one.client.orders.set(`deposit\0${order.orderNo}`, {
      ...{...order, kind: 'deposit', rawStatus: 'completed', status: 'completed'},
    })
    const createdAt = new Date(beginMs + hour * hourMs + 1_800_000).toISOString()
    const record = {orderNo: order.orderNo, createdAt, nextRetryAt: null}
    if (isDown(hour)) one.addRecord({...record, status: 'failed', attempts: 6, responseCode: 503})
    else one.addRecord({...record, status: 'success', attempts: 1, sentAt: createdAt})
  }
  return one
}

const rowsOf = (hours: readonly number[]) =>
  hours.map(
    (hour) =>
      `D-${hour},${formatPaisa(amount(hour))},${new Date(beginMs + hour * hourMs + 1_790_000).toISOString()}\n`,
  )
const hoursOf = (day: number) => Array.from({length: 24}, (_, hour) => day * 24 + hour)

async function night(one: ScenarioBench, day: number, hours: readonly number[], options = {}) {
  one.clock.ms = beginMs + (day * 24 + 31.75) * hourMs
  one.rewrite(`order_no,amount,created_at\n${rowsOf(hours).join('')}`)
  const businessDay = `2026-11-${String(9 + day).padStart(2, '0')}`
  const asked = {sinceLastRun: true, ...options}
  const {report, status} = await one.run(`night-${day}-${one.asked}`, {businessDay}, asked)
  const of = (action: string) =>
    report.findings.filter((found) => found.action === action).map(({orderNo}) => orderNo ?? '')
  return {status, resent: of('resend'), held: of('review'), why: report.incompleteBecause.join()}
}

const isNightDown = (hour: number) => hour >= 38 && hour < 54
const lost = hoursOf(1).filter(isNightDown)

test('what a night named as perhaps missing in its export is not resent by the next one', async () => {
  const one = bench('doubted-end', isNightDown)
  await night(one, 0, hoursOf(0))
  const doubted = await night(
    one,
    1,
    hoursOf(1).filter((hour) => !isNightDown(hour)),
  )
  expect(doubted).toMatchObject({
    status: 8,
    resent: [],
    why: expect.stringContaining('the last row of the ledger'),
  })
  const next = await night(
    one,
    2,
    hoursOf(2).filter((hour) => !isNightDown(hour)),
  )
  const around = [...lost, 48].map((hour) => `D-${hour}`)
  expect(next.held.toSorted()).toEqual(expect.arrayContaining(around.toSorted()))
  expect(next.resent.filter((orderNo) => around.includes(orderNo))).toEqual([])
  expect(next.status).toBe(7)
})

test('a person who says that the file has its whole day has it resent', async () => {
  const one = bench('doubted-and-told', isNightDown)
  await night(one, 0, hoursOf(0))
  const file = hoursOf(1).filter((hour) => !isNightDown(hour))
  await night(one, 1, file)
  one.rewrite(`order_no,amount,created_at\n${rowsOf(file).join('')}`)
  const day = {sinceMs: beginMs + 24 * hourMs, untilMs: beginMs + 48 * hourMs}
  const {report} = await one.run('by-hand', {}, day)
  expect(report.findings.flatMap(({orderNo, action}) => (action === 'resend' ? orderNo : []))).toHaveLength(
    lost.length,
  )
})

test('each order before the first row of a first ledger is named, and stays an open item', async () => {
  const isDown = (hour: number) => hour < 15
  const one = bench('doubted-begin', isDown)
  const early = hoursOf(0)
    .filter(isDown)
    .map((hour) => `D-${hour}`)
  const first = await night(
    one,
    0,
    hoursOf(0).filter((hour) => !isDown(hour)),
  )
  expect(first).toMatchObject({status: 8, resent: []})
  expect(first.held.toSorted()).toEqual(early.toSorted())
  const next = await night(one, 1, hoursOf(1))
  expect(next).toMatchObject({status: 7, resent: []})
  expect(next.held.toSorted()).toEqual(early.toSorted())
})
