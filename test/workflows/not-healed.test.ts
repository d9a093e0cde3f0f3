import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import {ScenarioBench} from './scenario-run.ts'

const head = 'order_no,status,amount,created_at\n'
const row = (orderNo: string, status: string, amount = '500.00') =>
  `${orderNo},${status},${amount},2026-11-20T09:00:00Z\n`

function bench(rows: string, orders: readonly object[]): ScenarioBench {
  return new ScenarioBench({
    path: 'not-healed',
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
  healed: report.memory.healed.map(({orderNo, verdict}) => `${orderNo} ${verdict}`),
  notExamined: report.memory.notExamined.map(({orderNo, verdict}) => `${orderNo} ${verdict}`),
})

describe('an order that agreed once and does not any more', () => {
  test('is not taken from the night it agreed in: the service took the money back since', async () => {
    const night = bench(row('D-1', 'paid'), [{orderNo: 'D-1'}])
    await night.run('run-1')
    answer(night, 'D-1', 'failed')
    expect(verdicts(await night.run('run-2'))).toEqual(['D-1 status_mismatch'])
    const third = await night.run('run-3', {}, {skipSettled: true})
    expect(verdicts(third)).toEqual(['D-1 status_mismatch'])
    expect([third.status, third.report.settled.taken, memory(third).healed]).toEqual([7, 0, []])
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

  test('is forgotten even where the run that saw it change was killed before its end', async () => {
    const night = bench(row('D-1', 'paid'), [{orderNo: 'D-1'}])
    await night.run('run-1')
    answer(night, 'D-1', 'failed')
    night.client.before = (call) => {
      if (call.startsWith('list')) throw new Error('killed')
    }
    await expect(night.run('run-2')).rejects.toThrow('killed')
    night.client.before = () => {}
    expect(verdicts(await night.run('run-3', {}, {skipSettled: true}))).toEqual(['D-1 status_mismatch'])
  })
})

