import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import {failure} from './fake-client.ts'
import {ScenarioBench} from './scenario-run.ts'

const head = 'order_no,status,amount,created_at\n'
const row = (orderNo: string, status: string, amount = '500.00') =>
  `${orderNo},${status},${amount},2026-11-20T09:00:00Z\n`

function bench(rows: string, orders: readonly object[]): ScenarioBench {
  return new ScenarioBench({
    path: 'not-closed',
    sections: new Map([
      ['ledger.csv', head + rows],
      ['service.json', JSON.stringify(orders)],
    ]),
  })
}

function rewrite(night: ScenarioBench, rows: string): void {
  writeFileSync(join(night.dir, 'ledger.csv'), head + rows)
}

function answer(night: ScenarioBench, orderNo: string, status: 'failed' | 'unknown_status'): void {
  const key = `deposit\0${orderNo}`
  const known = night.client.orders.get(key)
  if (!known || known instanceof Error) throw new Error(`${orderNo} is not an order of this bench`)
  night.client.orders.set(key, {...known, status, rawStatus: status})
}

const verdicts = ({report}: Awaited<ReturnType<ScenarioBench['run']>>) =>
  report.findings.map(({orderNo, verdict}) => `${orderNo} ${verdict}`)
const memory = ({report}: Awaited<ReturnType<ScenarioBench['run']>>) => ({
  closed: report.memory.closed.map(({orderNo, verdict}) => `${orderNo} ${verdict}`),
  notExamined: report.memory.notExamined.map(({orderNo, verdict}) => `${orderNo} ${verdict}`),
})

describe('an order that agreed once and does not any more', () => {
  test('is not taken from the night it agreed in: the service took the money back since', async () => {
    const night = bench(row('D-1', 'paid'), [{orderNo: 'D-1'}])
    await night.run('run-1')
    answer(night, 'D-1', 'failed')
    expect(verdicts(await night.run('run-2'))).toEqual(['D-1 status_mismatch'])
    const third = await night.run('run-3', {}, {skipFinal: true})
    expect(verdicts(third)).toEqual(['D-1 status_mismatch'])
    expect([third.status, third.report.final.taken, memory(third).closed]).toEqual([7, 0, []])
  })

  test('is asked for again by a stopped run that is gone on with after another saw it change', async () => {
    const night = bench(row('D-1', 'paid') + row('D-2', 'paid'), [{orderNo: 'D-1'}, {orderNo: 'D-2'}])
    night.client.before = (call) => {
      if (call === 'query deposit D-2') night.stop.abort()
    }
    await night.run('run-1')
    night.client.before = () => {}
    night.stop = new AbortController()
    answer(night, 'D-1', 'failed')
    await night.run('run-2')
    const resumed = await night.run('run-1', {resume: true})
    expect(verdicts(resumed)).toEqual(['D-1 status_mismatch', 'D-2 matched'])
  })

  test('is asked for where the profile points at another service than the one it agreed with', async () => {
    const night = bench(row('D-1', 'paid'), [{orderNo: 'D-1'}])
    night.baseUrl = 'https://staging.example/v1'
    await night.run('run-1')
    answer(night, 'D-1', 'failed')
    night.baseUrl = 'https://pay.example/v1'
    expect(verdicts(await night.run('run-2', {}, {skipFinal: true}))).toEqual(['D-1 status_mismatch'])
  })

  test('is forgotten even where the run that saw it change was killed before its end', async () => {
    const night = bench(row('D-1', 'paid'), [{orderNo: 'D-1'}])
    await night.run('run-1')
    answer(night, 'D-1', 'failed')
    night.client.before = (call) => {
      if (call.startsWith('list')) throw new Error('killed')
    }
    await expect(night.run('run-2')).rejects.toThrow('killed')
    night.client.before = () => {}
    expect(verdicts(await night.run('run-3', {}, {skipFinal: true}))).toEqual(['D-1 status_mismatch'])
  })
})

describe('a finding is not closed by a night that could not tell', () => {
  test('an order that no row names got no answer', async () => {
    const night = bench(row('D-1', 'paid'), [{orderNo: 'D-1'}, {orderNo: 'X-1'}])
    night.addRecord({orderNo: 'X-1', createdAt: '2026-11-20T09:00:00Z'})
    expect(verdicts(await night.run('run-1'))).toContain('X-1 missing_in_ledger')
    night.client.before = (call) => {
      if (call === 'query deposit X-1') throw failure('service_busy', 'HTTP 503')
    }
    const second = await night.run('run-2')
    expect(verdicts(second)).toContain('X-1 query_failed')
    expect(memory(second)).toEqual({closed: [], notExamined: ['X-1 missing_in_ledger']})
  })

  test('its row stands there twice, and no row of them was compared', async () => {
    const night = bench(row('D-1', 'paid', '5.00'), [{orderNo: 'D-1'}])
    await night.run('run-1')
    rewrite(night, row('D-1', 'paid', '5.00') + row('D-1', 'paid', '5.00'))
    expect(memory(await night.run('run-2'))).toEqual({closed: [], notExamined: ['D-1 amount_mismatch']})
  })

  test('the service says a word that is not in the profile', async () => {
    const night = bench(row('D-1', 'paid', '5.00'), [{orderNo: 'D-1'}])
    await night.run('run-1')
    answer(night, 'D-1', 'unknown_status')
    expect(memory(await night.run('run-2'))).toEqual({closed: [], notExamined: ['D-1 amount_mismatch']})
  })

  test.each([
    ['booked', 'paid'],
    ['still open', 'open'],
  ])('its amount is not in the ledger any more, %s', async (_what, status) => {
    const night = bench(row('D-1', status, '5.00'), [{orderNo: 'D-1'}])
    expect(verdicts(await night.run('run-1'))).toEqual(['D-1 amount_mismatch'])
    rewrite(night, row('D-1', status, ''))
    expect(memory(await night.run('run-2')).closed).toEqual([])
  })

  test.each([
    ['it is not credited yet, and the amounts differ too', 'open', []],
    ['it is credited, with another amount', 'paid', ['D-1 missing_completion']],
  ])('%s', async (_what, status, delivered) => {
    const night = bench(row('D-1', 'open'), [{orderNo: 'D-1'}])
    await night.run('run-1')
    rewrite(night, row('D-1', status, '5.00'))
    expect(memory(await night.run('run-2')).closed).toEqual(delivered)
  })

  test.each([
    ['the ledger’s amount', 5_00n, ['D-1 amount_mismatch']],
    ['another', 400_00n, []],
  ])('the service states no amount any more, and then %s', async (_what, stated, closed) => {
    const night = bench(row('D-1', 'paid', '5.00') + row('D-2', 'paid'), [{orderNo: 'D-1'}, {orderNo: 'D-2'}])
    await night.run('run-1')
    const amount = (paisa: bigint | null) => {
      const known = night.client.orders.get('deposit\0D-1')
      if (known && !(known instanceof Error))
        night.client.orders.set('deposit\0D-1', {...known, amount: paisa})
    }
    amount(null)
    for (const run of ['run-2', 'run-3']) {
      const {report, status} = await night.run(run)
      expect(report.findings[0]).toMatchObject({
        verdict: 'amount_mismatch',
        action: 'review',
        amountAtRisk: '495.00',
      })
      expect(status).toBe(7)
    }
    amount(stated)
    const last = await night.run('run-4')
    expect([memory(last).closed, last.status]).toEqual([closed, closed.length > 0 ? 0 : 7])
  })
})
