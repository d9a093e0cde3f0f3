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

function rewrite(scene: ScenarioBench, rows: string): void {
  writeFileSync(join(scene.dir, 'ledger.csv'), head + rows)
}

function answer(scene: ScenarioBench, orderNo: string, status: 'failed' | 'unknown_status'): void {
  const key = `deposit\0${orderNo}`
  const known = scene.client.orders.get(key)
  if (!known || known instanceof Error) throw new Error(`${orderNo} is not an order of this bench`)
  scene.client.orders.set(key, {...known, status, rawStatus: status})
}

const verdicts = ({report}: Awaited<ReturnType<ScenarioBench['run']>>) =>
  report.findings.map(({orderNo, verdict}) => `${orderNo} ${verdict}`)
const memory = ({report}: Awaited<ReturnType<ScenarioBench['run']>>) => ({
  closed: report.memory.closed.map(({orderNo, verdict}) => `${orderNo} ${verdict}`),
  notExamined: report.memory.notExamined.map(({orderNo, verdict}) => `${orderNo} ${verdict}`),
})

describe('an order that agreed once and does not any more', () => {
  test('is not taken from the run it agreed in: the service took the money back since', async () => {
    const scene = bench(row('D-1', 'paid'), [{orderNo: 'D-1'}])
    await scene.run('run-1')
    answer(scene, 'D-1', 'failed')
    expect(verdicts(await scene.run('run-2'))).toEqual(['D-1 status_mismatch'])
    const third = await scene.run('run-3', {}, {skipFinal: true})
    expect(verdicts(third)).toEqual(['D-1 status_mismatch'])
    expect([third.status, third.report.final.taken, memory(third).closed]).toEqual([7, 0, []])
  })

  test('is asked for again by a stopped run that is gone on with after another saw it change', async () => {
    const scene = bench(row('D-1', 'paid') + row('D-2', 'paid'), [{orderNo: 'D-1'}, {orderNo: 'D-2'}])
    scene.client.before = (call) => {
      if (call === 'query deposit D-2') scene.stop.abort()
    }
    await scene.run('run-1')
    scene.client.before = () => {}
    scene.stop = new AbortController()
    answer(scene, 'D-1', 'failed')
    await scene.run('run-2')
    const resumed = await scene.run('run-1', {resume: true})
    expect(verdicts(resumed)).toEqual(['D-1 status_mismatch', 'D-2 matched'])
  })

  test('is asked for where the profile points at another service than the one it agreed with', async () => {
    const scene = bench(row('D-1', 'paid'), [{orderNo: 'D-1'}])
    scene.baseUrl = 'https://staging.example/v1'
    await scene.run('run-1')
    answer(scene, 'D-1', 'failed')
    scene.baseUrl = 'https://pay.example/v1'
    expect(verdicts(await scene.run('run-2', {}, {skipFinal: true}))).toEqual(['D-1 status_mismatch'])
  })

  test('is forgotten even where the run that saw it change was killed before its end', async () => {
    const scene = bench(row('D-1', 'paid'), [{orderNo: 'D-1'}])
    await scene.run('run-1')
    answer(scene, 'D-1', 'failed')
    scene.client.before = (call) => {
      if (call.startsWith('list')) throw new Error('killed')
    }
    await expect(scene.run('run-2')).rejects.toThrow('killed')
    scene.client.before = () => {}
    expect(verdicts(await scene.run('run-3', {}, {skipFinal: true}))).toEqual(['D-1 status_mismatch'])
  })
})

describe('a finding is not closed by a run that could not tell', () => {
  test('an order that no row names got no answer', async () => {
    const scene = bench(row('D-1', 'paid'), [{orderNo: 'D-1'}, {orderNo: 'X-1'}])
    scene.addRecord({orderNo: 'X-1', createdAt: '2026-11-20T09:00:00Z'})
    expect(verdicts(await scene.run('run-1'))).toContain('X-1 missing_in_ledger')
    scene.client.before = (call) => {
      if (call === 'query deposit X-1') throw failure('service_busy', 'HTTP 503')
    }
    const second = await scene.run('run-2')
    expect(verdicts(second)).toContain('X-1 query_failed')
    expect(memory(second)).toEqual({closed: [], notExamined: ['X-1 missing_in_ledger']})
  })

  test('its row stands there twice, and no row of them was compared', async () => {
    const scene = bench(row('D-1', 'paid', '5.00'), [{orderNo: 'D-1'}])
    await scene.run('run-1')
    rewrite(scene, row('D-1', 'paid', '5.00') + row('D-1', 'paid', '5.00'))
    expect(memory(await scene.run('run-2'))).toEqual({closed: [], notExamined: ['D-1 amount_mismatch']})
  })

  test('the service says a word that is not in the profile', async () => {
    const scene = bench(row('D-1', 'paid', '5.00'), [{orderNo: 'D-1'}])
    await scene.run('run-1')
    answer(scene, 'D-1', 'unknown_status')
    expect(memory(await scene.run('run-2'))).toEqual({closed: [], notExamined: ['D-1 amount_mismatch']})
  })

  test.each([
    ['booked', 'paid'],
    ['still open', 'open'],
  ])('its amount is not in the ledger any more, %s', async (_what, status) => {
    const scene = bench(row('D-1', status, '5.00'), [{orderNo: 'D-1'}])
    expect(verdicts(await scene.run('run-1'))).toEqual(['D-1 amount_mismatch'])
    rewrite(scene, row('D-1', status, ''))
    expect(memory(await scene.run('run-2')).closed).toEqual([])
  })

  test.each([
    ['it is not credited yet, and the amounts differ too', 'open', []],
    ['it is credited, with another amount', 'paid', ['D-1 missing_completion']],
  ])('%s', async (_what, status, delivered) => {
    const scene = bench(row('D-1', 'open'), [{orderNo: 'D-1'}])
    await scene.run('run-1')
    rewrite(scene, row('D-1', status, '5.00'))
    expect(memory(await scene.run('run-2')).closed).toEqual(delivered)
  })

  test.each([
    ['the ledger’s amount', 5_00n, ['D-1 amount_mismatch']],
    ['another', 400_00n, []],
  ])('the service states no amount any more, and then %s', async (_what, stated, closed) => {
    const scene = bench(row('D-1', 'paid', '5.00') + row('D-2', 'paid'), [{orderNo: 'D-1'}, {orderNo: 'D-2'}])
    await scene.run('run-1')
    const amount = (paisa: bigint | null) => {
      const known = scene.client.orders.get('deposit\0D-1')
      if (known && !(known instanceof Error))
        scene.client.orders.set('deposit\0D-1', {...known, amount: paisa})
    }
    amount(null)
    for (const run of ['run-2', 'run-3']) {
      const {report, status} = await scene.run(run)
      expect(report.findings[0]).toMatchObject({
        verdict: 'amount_mismatch',
        action: 'review',
        amountAtRisk: '495.00',
      })
      expect(status).toBe(7)
    }
    amount(stated)
    const last = await scene.run('run-4')
    expect([memory(last).closed, last.status]).toEqual([closed, closed.length > 0 ? 0 : 7])
  })
})
