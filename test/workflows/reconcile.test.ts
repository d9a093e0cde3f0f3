import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'

import type {Journal} from '../../src/journal/journal.ts'
import {resendKey} from '../../src/journal/resends.ts'
import type {RunRequest} from '../../src/workflows/reconcile/types.ts'
import {delivery, hourMs} from '../core/reconcile/sample.ts'
import type {Scenario} from '../scenarios/read-scenario.ts'
import {type FakeClient, failure, type ResendEffect} from './fake-client.ts'
import {ScenarioBench, type ScenarioResult} from './scenario-run.ts'

/** Deposits D-1 to D-`count`, paid, open in the ledger, their webhooks failed for good; approved with --yes. */
function outage(count: number, effect: ResendEffect = 'delivers', options: object = {}): ScenarioBench {
  const numbers = Array.from({length: count}, (_, index) => `D-${index + 1}`)
  const rows = numbers.map((number) => `${number},open,500.00,2026-11-20T09:00:00Z`)
  const sections = new Map([
    ['ledger.csv', `order_no,status,amount,created_at\n${rows.join('\n')}\n`],
    ['service.json', JSON.stringify(numbers.map((orderNo) => ({orderNo})))],
    ['deliveries.json', JSON.stringify(numbers.map((orderNo) => ({orderNo})))],
    ['options.json', JSON.stringify({yes: true, ...options})],
  ])
  const scenario: Scenario = {path: 'outage', sections}
  const bench = new ScenarioBench(scenario)
  for (const id of bench.client.records.keys()) bench.client.effects.set(id, effect)
  return bench
}

const statesOf = ({report}: ScenarioResult) => report.findings.map(({resend}) => resend?.state ?? null)
const resent = (client: FakeClient) => client.log.filter((call) => call.startsWith('resend')).length

/** Throws on the nth call of a journal method, as a process that dies there would leave things. */
function dieAt(
  bench: ScenarioBench,
  method: 'claimResend' | 'recordResendOutcome',
  nth: number,
  after: boolean,
): void {
  let calls = 0
  const real = bench.journal[method].bind(bench.journal) as (...args: unknown[]) => unknown
  const dying = (...args: unknown[]) => {
    calls += 1
    if (calls !== nth) return real(...args)
    if (after) real(...args)
    throw new Error('killed')
  }
  Object.assign(bench.journal, {[method]: dying satisfies (...args: never[]) => unknown})
}

describe('before anything is sent', () => {
  test('the list is read to its end and an interim report is written', async () => {
    const bench = outage(3, 'delivers', {pageSize: 2})
    const dir = join(bench.dir, 'report', 'run-1')
    let written: {names: string[]; report: unknown} | null = null
    const {before} = bench.client
    bench.client.before = (call) => {
      before(call)
      if (!call.startsWith('resend')) return
      written = {
        names: readdirSync(dir).sort(),
        report: JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')),
      }
    }
    const {report} = await bench.run('run-1')
    const {log} = bench.client
    expect(log.findLastIndex((call) => call.startsWith('list page'))).toBeLessThan(
      log.findIndex((call) => call.startsWith('resend')),
    )
    expect(written).toMatchObject({
      names: ['findings.partial.csv', 'findings.partial.xlsx', 'report.html', 'report.json'],
      report: {
        complete: false,
        finishedAt: null,
        interim: {resume: expect.stringContaining('--resume run-1')},
      },
    })
    expect(readdirSync(dir).sort()).toEqual([
      ...['booking.csv', 'findings.csv', 'findings.xlsx', 'report.eml'],
      ...['report.html', 'report.json'],
    ])
    expect(report).toMatchObject({complete: true, interim: null, finishedAt: expect.any(String)})
  })

  test('more resends than --max-resends: none is sent, all stay open items, and the run is not left running', async () => {
    const bench = outage(3, 'delivers', {maxResends: 2})
    const {status, report} = await bench.run('run-1')
    expect([status, report.findings.length, report.resends]).toMatchObject([2, 3, {planned: 3, sent: 0}])
    expect(report.notSent).toEqual({
      because: '3 resends are planned, but --max-resends allows 2. None was sent.',
      next: 'hisab reconcile --resume run-1 --max-resends 3 --yes',
    })
    expect([resent(bench.client), bench.asked]).toEqual([0, 0])
    expect(await bench.journal.findRun('run-1')).toMatchObject({status: 'finished', exitStatus: 2})
    // The next run may have another ledger, and nobody may resume this one.
    expect(await bench.journal.openFindings()).toHaveLength(3)
  })

  test('--max-resends holds over all processes of a run: two resumes send no third', async () => {
    const bench = outage(6, 'delivers', {maxResends: 2})
    const ids = [...bench.client.records.keys()]
    const showFailed = (shown: readonly string[]) => {
      for (const id of shown) {
        const record = bench.client.records.get(id)
        if (record) bench.client.records.set(id, {...record, status: 'failed', nextRetryAt: null})
      }
    }
    for (const record of bench.client.records.values()) {
      bench.client.records.set(record.id, {...record, nextRetryAt: '2026-11-20T20:00:00Z'})
    }
    showFailed(ids.slice(0, 2))
    await bench.run('run-1')
    for (const more of [ids.slice(2, 4), ids.slice(4, 6)]) {
      showFailed(more)
      expect((await bench.run('run-1', {resume: true})).status).toBe(2)
    }
    expect(resent(bench.client)).toBe(2)
    await bench.run('run-1', {resume: true}, {resendsMax: 6})
    expect(resent(bench.client)).toBe(6)
  })

  test('the screen is told the calls to come, then each stage counted to its end', async () => {
    const bench = outage(3, {lateMs: 3_000}, {pageSize: 2})
    await bench.run('run-1')
    expect(bench.plans).toMatchObject([{orders: 3, final: 0, queries: 3}])
    const last = Object.fromEntries(bench.told.map((text) => text.split(' ') as [string, string]))
    expect(last).toEqual({query: '3/3', pages: '2/2', resend: '3/3', results: '3/3'})
    expect(bench.told.slice(0, 3)).toEqual(['query 1/3', 'query 2/3', 'query 3/3'])
    bench.rewrite(readFileSync(join(bench.dir, 'ledger.csv'), 'utf8').replaceAll('open', 'paid'))
    await bench.run('run-2')
    await bench.run('run-3', {}, {skipFinal: true})
    expect(bench.plans.at(-1)).toMatchObject({orders: 3, final: 3, queries: 0})
  })

  test('a plan within --max-resends to the last one is sent', async () => {
    expect((await outage(2, 'delivers', {maxResends: 2}).run('run-1')).status).toBe(0)
  })

  test('--dry-run asks nobody and sends nothing', async () => {
    const bench = outage(2)
    const result = await bench.run('run-1', {dryRun: true})
    expect(statesOf(result)).toEqual(['planned', 'planned'])
    expect(result.status).toBe(7)
    expect([bench.asked, resent(bench.client)]).toEqual([0, 0])
  })

  test('what is on the disk is what is returned', async () => {
    const bench = outage(1)
    const {report} = await bench.run('run-1')
    expect(JSON.parse(readFileSync(report.reports.json, 'utf8'))).toEqual(JSON.parse(JSON.stringify(report)))
  })
})

describe('a service that does not answer', () => {
  test('not one call reached it: nothing happened, exit 5', async () => {
    const bench = outage(3)
    bench.client.before = () => {
      throw failure('service_unreachable', 'The connection was refused')
    }
    await expect(bench.run('run-1')).rejects.toMatchObject({code: 'service_unreachable', exitStatus: 5})
  })

  test('credentials that are rejected end the run, exit 3', async () => {
    const bench = outage(20)
    bench.client.before = () => {
      throw failure('credentials_rejected', 'HTTP 401')
    }
    await expect(bench.run('run-1')).rejects.toMatchObject({exitStatus: 3})
    expect(bench.client.calls.query).toBe(1)
  })

  test.each([
    ['one of one', 1, 1, false],
    ['one of two', 2, 1, true],
    ['one of ten', 10, 1, true],
    ['two of ten', 10, 2, false],
    ['two of eleven', 11, 2, true],
    ['all', 3, 3, false],
  ])(
    'those without an answer are asked for once more after all others, where they are few: %s',
    async (_what, count, silent, isAskedAgain) => {
      const bench = outage(count, 'delivers', {yes: false})
      const asked: string[] = []
      bench.client.before = (call) => {
        if (!call.startsWith('query ')) return
        if (asked.push(call.slice('query deposit D-'.length)) <= silent)
          throw failure('service_busy', 'HTTP 503')
      }
      const {report} = await bench.run('run-1')
      const numbers = Array.from({length: count}, (_, index) => `${index + 1}`)
      expect(asked).toEqual([...numbers, ...(isAskedAgain ? numbers.slice(0, silent) : [])])
      expect(report.counts.query_failed).toBe(isAskedAgain ? 0 : silent)
    },
  )

  test('one order without an answer leaves the others their verdict', async () => {
    const bench = outage(3)
    bench.client.before = (call) => {
      if (call === 'query deposit D-2') throw failure('service_unreachable', 'The connection was refused')
    }
    const {report, status} = await bench.run('run-1')
    expect(report.findings.map(({verdict}) => verdict)).toEqual([
      'missing_completion',
      'query_failed',
      'missing_completion',
    ])
    expect(status).toBe(8)
  })

  test('an outage after the ledger was asked for costs the unnamed order its answer, not the run its report', async () => {
    const bench = outage(1)
    bench.addRecord({orderNo: 'X-1', createdAt: '2026-11-20T09:00:00Z'})
    bench.client.before = (call) => {
      if (call === 'query deposit X-1') throw failure('service_unreachable', 'The connection was refused')
    }
    const {report, status} = await bench.run('run-1')
    expect(report.findings.map(({orderNo, verdict}) => [orderNo, verdict])).toEqual([
      ['D-1', 'missing_completion'],
      ['X-1', 'query_failed'],
    ])
    expect(status).toBe(8)
  })

  describe.each([
    ['interrupted', 130],
    ['terminated', 143],
  ] as const)('a run that is %s', (code, exitStatus) => {
    /** Stops at the call named; the one under way is answered, as the client lets it finish. */
    async function stopAt(bench: ScenarioBench, call: string, change: Partial<RunRequest> = {}) {
      const {before} = bench.client
      bench.client.before = (made) => {
        before(made)
        if (made === call) bench.stop.abort(failure(code, 'Stopped'))
        else if (bench.stop.signal.aborted) throw failure(code, 'Stopped')
      }
      const stopped = await bench.run('run-1', change)
      bench.client.before = before
      bench.stop = new AbortController()
      return stopped
    }

    test('while it asks keeps the answers it has, says so in a report, and goes on with --resume', async () => {
      const bench = outage(5)
      const {report, status} = await stopAt(bench, 'query deposit D-2')
      expect(status).toBe(exitStatus)
      expect(bench.client.calls).toMatchObject({query: 2, list: 0, resend: 0})
      expect(report.findings.map(({verdict, cause}) => [verdict, cause])).toEqual([
        ['missing_completion', 'delivery_unknown'],
        ['missing_completion', 'delivery_unknown'],
        ...Array.from({length: 3}, () => ['query_failed', 'not_asked']),
      ])
      expect(report).toMatchObject({complete: false, resends: {planned: 0}})
      expect(report.incompleteBecause).toEqual([
        '3 orders were not asked for',
        'the delivery records of 2 orders could not be read',
        'orders missing from the ledger could not be searched: the run was interrupted',
        'the run was interrupted. To continue: hisab reconcile --resume run-1',
      ])
      expect(JSON.parse(readFileSync(report.reports.json, 'utf8'))).toMatchObject({complete: false})
      expect(await bench.journal.findRun('run-1')).toMatchObject({status: 'interrupted', exitStatus})
      expect((await bench.run('run-1', {resume: true})).status).toBe(0)
    })

    test('while it looks an order up keeps what was looked up', async () => {
      const bench = outage(2, 'delivers', {pageSize: 1})
      for (let n = 0; n < 15; n++) bench.addRecord({orderNo: `OTHER-${n}`})
      const ledger = withoutWindow(await ledgerOf(bench))
      const {report, status} = await stopAt(bench, 'list of platform-D-1 page 1', {ledger})
      expect([status, resent(bench.client)]).toEqual([exitStatus, 0])
      expect(report.findings.map(({cause}) => cause)).toEqual(['delivery_exhausted', 'delivery_unknown'])
    })

    test('while it reads the records resends nothing, and asks nobody', async () => {
      const bench = outage(3, 'delivers', {pageSize: 1})
      const {report, status} = await stopAt(bench, 'list page 2')
      expect([status, bench.asked, resent(bench.client)]).toEqual([exitStatus, 0, 0])
      expect(report.findings.map(({cause}) => cause)).toEqual(Array(3).fill('delivery_unknown'))
    })
  })

  test('the list fails: nothing is resent, and the run says that it is not complete', async () => {
    const bench = outage(1)
    bench.client.before = (call) => {
      if (call.startsWith('list')) throw failure('service_busy', 'HTTP 503')
    }
    const {report, status} = await bench.run('run-1')
    expect(report.findings[0]).toMatchObject({cause: 'delivery_unknown', action: 'retry'})
    expect(status).toBe(8)
  })
})

describe('fewer calls', () => {
  test('a long list and one order to look up: one look-up instead of a sweep', async () => {
    const bench = outage(1, 'delivers', {pageSize: 1})
    for (let n = 0; n < 15; n++) bench.addRecord({orderNo: `OTHER-${n}`})
    const {status} = await bench.run('run-1', {ledger: withoutWindow(await ledgerOf(bench))})
    expect(bench.client.log.filter((call) => call.startsWith('list'))).toEqual([
      'list page 1',
      'list of platform-D-1 page 1',
      // Just before the send.
      'list of platform-D-1 page 1',
    ])
    expect(bench.told).toContain('look-ups 1/1')
    expect(status).toBe(8)
  })

  test('a long list in order of time is read back to the order, for records under another order_id', async () => {
    const bench = outage(1, 'delivers', {pageSize: 10})
    const [own] = [...bench.client.records.values()]
    if (!own) throw new Error('no record')
    const ofNumber = {...own, id: 'of its number', orderId: 'a refund', status: 'success'} as const
    bench.client.records.clear()
    for (const one of [{...ofNumber, event: 'order.refunded'}, own]) bench.client.records.set(one.id, one)
    for (let n = 0; n < 118; n++) {
      const createdAt = new Date(Date.parse(own.createdAt) - (n + 1) * hourMs).toISOString()
      bench.client.records.set(`x-${n}`, {...ofNumber, id: `x-${n}`, merchantOrderId: `X-${n}`, createdAt})
    }
    const {report} = await bench.run('run-1', {ledger: withoutWindow(await ledgerOf(bench))})
    expect([report.findings[0]?.action, resent(bench.client)]).toEqual(['review', 0])
    expect(bench.client.log.filter((call) => call.startsWith('list'))).toHaveLength(3)
  })
})

describe('one run after the other', () => {
  test('a second run leaves what was resent alone for 8 hours, then sends again', async () => {
    const bench = outage(1, 'fails')
    await bench.run('run-1')
    bench.clock.ms += hourMs
    const second = await bench.run('run-2')
    expect(second.report.findings[0]).toMatchObject({cause: 'recently_resent', action: 'wait'})
    // It is open until it is delivered: no run in between may end as if nothing were left.
    expect(second.status).toBe(7)
    bench.clock.ms += 8 * hourMs
    expect(statesOf(await bench.run('run-3'))).toEqual(['still_failing'])
    expect(resent(bench.client)).toBe(2)
  })

  test.each<[what: string, effect: ResendEffect]>([
    ['success false, delivered late', 'says no in 200'],
    ['a no', 'refused'],
    ['a no after the delivery', 'refused, fails'],
    ['a lost answer', 'lost'],
  ])('%s: four runs in an hour are one resend, and none ends with 0', async (_, effect) => {
    const bench = outage(1, effect)
    const first = await bench.run('run-1')
    expect(first.report.complete).toBe(effect === 'refused, fails' || effect === 'lost')
    for (const runId of ['run-2', 'run-3', 'run-4']) {
      bench.clock.ms += 60_000
      expect((await bench.run(runId)).status).toBe(7)
    }
    expect(resent(bench.client)).toBe(1)
    expect(first.status).not.toBe(0)
  })

  test('a clock set back by an hour makes the wait no longer', async () => {
    const bench = outage(2, 'nothing')
    bench.client.before = (call) => {
      if (call.startsWith('resend')) bench.clock.setByMs = -hourMs
    }
    const startedMs = bench.clock.ms
    await bench.run('run-1')
    expect(bench.clock.ms - startedMs).toBeLessThan(61_000)
  })

  test('an order reversed while the question stands is not sent, and the run is not complete', async () => {
    const bench = outage(1)
    bench.client.before = (call) => {
      const [key = '', order] = [...bench.client.orders][0] ?? []
      if (!call.startsWith('get') || !order || order instanceof Error) return
      bench.client.orders.set(key, {...order, status: 'failed', rawStatus: 'reversed'})
    }
    const {report, status} = await bench.run('run-1')
    expect(resent(bench.client)).toBe(0)
    expect([report.complete, status, report.findings[0]?.resend?.state]).toEqual([false, 8, 'skipped'])
    expect(report.findings[0]?.resend?.why).toContain('the order changed')
  })

  test('a lost answer is never sent again by itself, and --retry-unknown is recorded', async () => {
    const bench = outage(1, 'lost')
    expect((await bench.run('run-1')).status).toBe(6)
    bench.clock.ms += 48 * hourMs
    const second = await bench.run('run-2')
    expect(second.report.findings[0]).toMatchObject({cause: 'resend_in_doubt', action: 'review'})
    const overrides = {includeDelivered: false, ignoreCooldown: false, retryUnknown: true}
    await bench.run('run-3', {}, {overrides})
    expect(resent(bench.client)).toBe(2)
    expect(await bench.journal.resendsOfRun('run-3')).toMatchObject([{overrides: ['retry-unknown']}])
  })
})

describe('--resume after a kill', () => {
  const points = (['claimResend', 'recordResendOutcome'] as const).flatMap((method) =>
    [1, 2, 3, 4].flatMap((nth) => [false, true].map((after) => ({method, nth, after}))),
  )

  test.each(points)('$method, call $nth, after its commit: $after', async ({method, nth, after}) => {
    const bench = outage(4)
    const journal: Journal = {...bench.journal}
    dieAt(bench, method, nth, after)
    await expect(bench.run('run-1')).rejects.toThrow('killed')
    Object.assign(bench.journal, journal)

    const resumed = await bench.run('run-1', {resume: true})
    const perOrder = Map.groupBy(await bench.journal.resendsOfRun('run-1'), ({orderId, event}) =>
      resendKey(orderId, event),
    )
    expect([...perOrder.values()].every((rows) => rows.length === 1)).toBe(true)
    expect(resent(bench.client)).toBeLessThanOrEqual(4)
    // Killed between an intent and its send nobody knows; everywhere else all four are delivered.
    const lostIntent = method === 'claimResend' && after
    const expected = ['D-1', 'D-2', 'D-3', 'D-4'].map((_, index) =>
      lostIntent && index === nth - 1 ? 'unknown' : 'delivered',
    )
    expect(statesOf(resumed)).toEqual(expected)
    expect(resumed.status).toBe(lostIntent ? 6 : 0)
    expect(resumed.report.resends).toMatchObject({planned: 4, delivered: lostIntent ? 3 : 4})
  })

  test('nothing left to send: what was sent is watched to its end, and nobody is asked', async () => {
    const bench = outage(1, 'nothing')
    await bench.run('run-1')
    const asked = bench.asked
    const [id = ''] = bench.client.records.keys()
    bench.client.records.set(id, delivery({id, orderId: 'platform-D-1', status: 'success', attempts: 6}))
    const resumed = await bench.run('run-1', {resume: true})
    expect(statesOf(resumed)).toEqual(['delivered'])
    expect([bench.asked - asked, resent(bench.client)]).toEqual([0, 1])
  })

  test('a newer record of an order that was resent in this run is not sent as well', async () => {
    const bench = outage(1, 'nothing')
    await bench.run('run-1')
    bench.addRecord({orderNo: 'D-1', createdAt: '2026-11-20T12:00:30Z'})
    const resumed = await bench.run('run-1', {resume: true})
    expect(resent(bench.client)).toBe(1)
    expect(statesOf(resumed)).toEqual(['sent'])
  })

  test('an unknown run id is the user’s mistake', async () => {
    await expect(outage(1).run('run-9', {resume: true})).rejects.toMatchObject({code: 'usage'})
  })
})

async function ledgerOf(bench: ScenarioBench) {
  const {readLedger} = await import('../../src/ledger/read-ledger.ts')
  const {defaultLedgerMapping} = await import('../../src/core/profile.ts')
  const ignored = {entry: () => {}, unreadable: () => {}, line: () => {}}
  return await readLedger(
    [join(bench.dir, 'ledger.csv')],
    {mapping: defaultLedgerMapping, kind: null},
    ignored,
  )
}

function withoutWindow<T extends {readonly window: unknown}>(ledger: T) {
  return {...ledger, window: {ok: false, because: 'no row has a created_at'} as const}
}

test('an order that stands in two files is named with both places, in the order of the files', async () => {
  const bench = outage(2, 'delivers', {yes: false})
  const head = 'order_no,status,amount,created_at\n'
  bench.rewrite(`${head}D-2,paid,500.00,2026-11-20T09:00:00Z\nD-1,paid,500.00,2026-11-20T09:00:00Z\n`)
  bench.addLedger(`${head}D-1,paid,500.00,2026-11-20T09:00:00Z\n`)
  const {report} = await bench.run('run-1')
  const told = report.findings.filter(({orderNo}) => orderNo === 'D-1').map(({explanation}) => explanation)
  expect(told).toHaveLength(2)
  expect(told[0]).toMatch(/line 3 of .*ledger\.csv, line 2 of .*other-1\.csv/)
})
