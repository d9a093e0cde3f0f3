import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {type FakeService, startFakeService} from '../fake-service/service.ts'
import {boundTheDay, type PlacedCell, placeCell, scrambleList} from './cells.ts'
import {missingCompletionCells, missingInLedgerCells, noBusinessCells} from './evidence-table.ts'
import {writeLedger} from './ledger.ts'
import {Machine} from './machine.ts'
import {expectStatus} from './outcome.ts'
import {findingOf, findingsOf, type Reconciled, reconcile, verdicts} from './report.ts'
import {verdictTable} from './verdict-table.ts'

/**
 * One night with every cell of both tables in it, for both kinds of order: the cells do not disturb one another,
 * so one run proves them all. It is rehearsed with --dry-run first, and then done.
 */
let service: FakeService
let machine: Machine
let rehearsal: Reconciled
let scenario: Reconciled
let resentInRehearsal: number
const placed = new Map<string, PlacedCell>()

const kinds = ['deposit', 'payout'] as const
const cells = [...verdictTable, ...missingCompletionCells, ...missingInLedgerCells, ...noBusinessCells]
const cases = kinds.flatMap((kind) => cells.map((cell) => ({kind, cell, name: `${kind} ${cell.name}`})))

beforeAll(async () => {
  service = await startFakeService()
  machine = new Machine(service)
  const {first, last} = boundTheDay(service)
  const rows = cases.map(({kind, cell, name}) => {
    const one = placeCell(cell, kind, service)
    placed.set(name, one)
    return one.row
  })
  scrambleList(service)
  const ledger = writeLedger([first, ...rows.filter((row) => row !== undefined), last])
  const path = await machine.write('ledger.csv', ledger)
  rehearsal = await reconcile(machine, service, [
    path,
    '--dry-run',
    '--include-missing',
    '--max-resends',
    '500',
  ])
  resentInRehearsal = service.calls.count('resend')
  service.calls.clear()
  scenario = await reconcile(machine, service, [
    path,
    '--yes',
    '--all',
    '--include-missing',
    '--max-resends',
    '500',
  ])
}, 130_000)

afterAll(async () => {
  await machine[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

describe('every cell of the verdict and evidence tables', () => {
  it.each(cases)('$name: $cell.verdict $cell.cause $cell.action', ({name}) => {
    const {cell, kind, orderNo, recordIds} = find(name)
    const resent = recordIds.map((id) => service.calls.resendsOf(id))
    expect(resent, 'resends of each record').toEqual(
      recordIds.map((_, place) => (place === cell.resent ? 1 : 0)),
    )
    if (cell.verdict === 'nothing') {
      expect(findingsOf(scenario.report, orderNo)).toEqual([])
      return
    }
    const finding = findingOf(scenario.report, orderNo)
    expect(finding).toMatchObject({
      kind,
      verdict: cell.verdict,
      severity: expect.stringMatching(/./),
      explanation: expect.stringMatching(/./),
      ...(cell.cause === undefined ? {} : {cause: cell.cause}),
      ...(cell.action === undefined ? {} : {action: cell.action}),
    })
    if (cell.resent !== undefined) {
      expect(finding).toMatchObject({
        delivery: {id: recordIds[cell.resent]},
        resend: {state: 'delivered', responseCode: 200},
      })
    }
  })
})

describe('what it shows of both sides', () => {
  it.each([
    ['deposit open-exhausted', {status: 'open', amount: '500.00'}, {status: 'completed', amount: '500.00'}],
    ['payout status-open-failed', {status: 'open', amount: '500.00'}, {status: 'failed', amount: '500.00'}],
    ['deposit matched-thousands', {amount: '1500.50'}, {amount: '1500.50'}],
    ['deposit matched-json-number', {amount: '19.90'}, {amount: '19.90'}],
    ['deposit unknown-open-1', {status: 'open'}, {rawStatus: ' completed'}],
    ['deposit unknown-open-3', {status: 'open'}, {status: 'unknown_status', rawStatus: 'reversed'}],
    ['payout matched-beyond-double', {amount: '90071992547409.93'}, {amount: '90071992547409.93'}],
  ])('%s', (name, ledger, provider) => {
    const {orderNo, kind} = find(name)
    const platformOrderNo = service.book.findOrder(kind, orderNo)?.platformOrderNo
    expect(findingOf(scenario.report, orderNo)).toMatchObject({
      ledger,
      provider: {...provider, platformOrderNo},
    })
  })

  it('the line of the file a finding comes from, and none for an order without a row', () => {
    const rowsBefore = [...placed.values()].filter(({row}) => row !== undefined)
    for (const {orderNo, row, cell} of placed.values()) {
      if (cell.verdict === 'nothing') continue
      // The header is line 1 and the day's first order line 2.
      const line = row === undefined ? null : rowsBefore.findIndex((one) => one.orderNo === orderNo) + 3
      expect(findingOf(scenario.report, orderNo), orderNo).toMatchObject({line})
    }
  })
})

describe('the run as a whole', () => {
  it('is complete, and ends with 7 because breaks remain', () => {
    expectStatus(scenario.outcome, 7)
    expect(scenario.report).toMatchObject({complete: true, incompleteBecause: [], dryRun: false})
  })

  it('counts every row once, and every verdict', () => {
    const {counts, findings} = scenario.report
    const rows = cases.filter(({cell}) => cell.ledger !== undefined).length + 2
    expect(counts.rows).toBe(rows)
    for (const verdict of verdicts) {
      expect(counts[verdict], verdict).toBe(findings.filter((one) => one.verdict === verdict).length)
    }
    const total = verdicts.reduce((sum, verdict) => sum + counts[verdict], 0)
    expect(total - counts.missing_in_ledger).toBe(rows)
  })

  it('tells the calls and resends the service saw', () => {
    const {calls, resends} = scenario.report
    expect(calls).toEqual({
      query: service.calls.count('deposit.query', 'payout.query'),
      list: service.calls.count('list'),
      get: service.calls.count('get'),
      resend: service.calls.count('resend'),
    })
    const resent = cases.filter(({cell}) => cell.resent !== undefined).length
    expect(resends).toMatchObject({
      planned: resent,
      sent: resent,
      delivered: resent,
      stillFailing: 0,
      unknown: 0,
    })
  })

  it('queries an order of the ledger once, and one that is resent again just before', () => {
    for (const {orderNo, kind, row, cell} of placed.values()) {
      if (row === undefined) continue
      const queries = service.calls.of(`${kind}.query`).filter((call) => call.target === orderNo)
      expect(queries, orderNo).toHaveLength(cell.resent === undefined ? 1 : 2)
    }
  })
})

describe('the rehearsal', () => {
  it('resends nothing and decides what the real run decides', () => {
    expect(resentInRehearsal).toBe(0)
    expectStatus(rehearsal.outcome, 7)
    expect(rehearsal.report).toMatchObject({dryRun: true, complete: true, resends: {sent: 0, delivered: 0}})
    expect(rehearsal.report.resends.planned).toBe(scenario.report.resends.planned)
    expect(rehearsal.report.counts).toEqual(scenario.report.counts)
  })

  it('leaves matched and in-flight orders out of the findings without --all', () => {
    const shown = scenario.report.findings.filter(
      ({verdict}) => verdict !== 'matched' && verdict !== 'in_flight',
    )
    expect(rehearsal.report.findings.map(decision).sort()).toEqual(shown.map(decision).sort())
    expect(rehearsal.report.findings.filter(({action}) => action === 'resend')).toSatisfy(
      (planned: Reconciled['report']['findings']) =>
        planned.length > 0 && planned.every(({resend}) => resend?.state === 'planned'),
    )
  })
})

function decision({kind, orderNo, verdict, action}: Reconciled['report']['findings'][number]): string {
  return `${kind} ${orderNo} ${verdict} ${action}`
}

function find(name: string): PlacedCell {
  const one = placed.get(name)
  if (one === undefined) throw new Error(`no cell is called ${name}`)
  return one
}
