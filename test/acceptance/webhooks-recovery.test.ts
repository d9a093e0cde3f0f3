import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync, openSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {describe, expect, it} from 'vitest'

import {killRunAt} from './kill-at.ts'
import {expectStatus, readDocument} from './outcome.ts'
import {exhausted, type Scenario, startScenario} from './scenario.ts'

const binary = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const lost = ['lost-1', 'lost-2', 'lost-3', 'lost-4', 'lost-5', 'lost-6', 'lost-7']
const resend = [
  'webhooks',
  'resend',
  '--status',
  'failed',
  '--yes',
  '--rate',
  '100',
  '--wait',
  '1s',
  '--json',
]

const resume = (runId: string) => ['webhooks', 'resend', '--resume', runId, '--yes', '--wait', '1s', '--json']

interface Resent {
  readonly runId: string
  readonly resends: Readonly<Record<'planned' | 'sent' | 'delivered' | 'unknown' | 'skipped', number>>
  readonly records: readonly {
    readonly id: string
    readonly state: string
    readonly merchant_order_id: string
  }[]
}

describe.concurrent('webhooks resend, killed with SIGKILL', () => {
  // Of a run of seven: the canary's record read, its resend, the others' resends, and the reads in between.
  it.each([8, 9, 10, 11, 13, 16, 20, 24])(
    'while the call numbered %i is in flight: --resume ends as if nothing had been',
    async (nth) => {
      await using scenario = await startScenario()
      for (const orderNo of lost) scenario.addLost(orderNo)
      const killed = await killRunAt(
        scenario,
        resend,
        (call) => scenario.service.calls.all.indexOf(call) >= nth,
      )
      const runId = await killedRun(scenario)
      if (runId === null) {
        expect(scenario.resends, 'a run that sent is in the journal').toBe(0)
        return
      }
      const outcome = await scenario.machine.run(resume(runId))
      const report = readDocument<Resent>(outcome)
      expectOnceEach(scenario, report)
      // A resend that was in flight was acted upon and its record shows it; one that never left stays in doubt.
      const inDoubt = report.records.filter(({state}) => state === 'unknown')
      expect(inDoubt.length, killed.name).toBeLessThanOrEqual(1)
      expectStatus(outcome, inDoubt.length === 0 ? 0 : 6)
      expect(report.resends.delivered).toBe(lost.length - inDoubt.length)
    },
    70_000,
  )

  it('a resend in flight that was never acted upon is in doubt, for --resume and for the same command again', async () => {
    await using scenario = await startScenario()
    for (const orderNo of lost) scenario.addLost(orderNo)
    const {target} = await killRunAt(scenario, resend, ({name}) => name === 'resend', false)
    const runId = await killedRun(scenario)
    const resumed = await scenario.machine.run(resume(runId ?? ''))
    expectStatus(resumed, 6)
    expect(readDocument<Resent>(resumed).records.find(({id}) => id === target)?.state).toBe('unknown')
    const again = await scenario.machine.run(resend)
    expectStatus(again, 7)
    expect(readDocument<Resent>(again)).toMatchObject({
      resends: {planned: 0},
      records: [{id: target, state: 'skipped'}],
    })
    expectOnceEach(scenario, readDocument<Resent>(resumed))
  }, 70_000)

  it('the same command again converges without --resume', async () => {
    await using scenario = await startScenario()
    for (const orderNo of lost) scenario.addLost(orderNo)
    await killRunAt(
      scenario,
      resend,
      (call) => call.name === 'resend' && scenario.service.calls.count('resend') === 3,
    )
    const outcome = await scenario.machine.run(resend)
    expectStatus(outcome, 0)
    for (const {fields} of scenario.service.book.records) {
      expect(scenario.resendsOf(fields.id), fields.merchant_order_id).toBe(1)
      expect(fields.status, fields.merchant_order_id).toBe('success')
    }
  }, 70_000)
})

describe.concurrent('webhooks resend, interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s: the call in flight finishes, %i, and the run it names is gone on with',
    async (signal, status) => {
      await using scenario = await startScenario()
      for (const orderNo of lost) scenario.addLost(orderNo)
      const held = scenario.service.calls.hold(
        (call) => call.name === 'resend' && scenario.service.calls.count('resend') === 2,
      )
      const running = scenario.machine.start(resend)
      await held.seen
      const ended = running.end(signal)
      held.letGo()
      const outcome = await ended
      expectStatus(outcome, status)
      const {runId, resends} = readDocument<Resent>(outcome)
      expect(resends).toMatchObject({planned: 7, sent: 2, skipped: 5})
      expect(outcome.stderr).toContain(`Continue this run: hisab webhooks resend --resume ${runId}`)
      const rest = await scenario.machine.run(resume(runId))
      expectStatus(rest, 0)
      expect(readDocument<Resent>(rest).resends).toMatchObject({planned: 7, sent: 7, delivered: 7})
      expectOnceEach(scenario, readDocument<Resent>(rest))
    },
    70_000,
  )
})

describe.concurrent('a list that is written while it is read', () => {
  const all = ['webhooks', 'list', '--all', '--format']

  it('that only grows is whole: every record that was there once, 0, and no PARTIAL', async () => {
    await using scenario = await startScenario()
    const before = addRecords(scenario, 250)
    scenario.service.on('list', (act) => {
      const reply = act()
      addRecords(scenario, 1)
      return reply
    })
    const csv = await scenario.machine.run([...all, 'csv'])
    expectStatus(csv, 0)
    expect(`${csv.stdout}${csv.stderr}`).not.toContain('PARTIAL')
    const ids = csv.stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.slice(0, 36))
    expect(new Set(ids).size).toBe(ids.length)
    expect(before.filter((id) => !ids.includes(id))).toEqual([])
  })

  it('that moves once: whole in the end, 0, and no PARTIAL', async () => {
    await using scenario = await startScenario()
    const ids = addRecords(scenario, 250)
    let pages = 0
    scenario.service.on('list', (act) => {
      const reply = act()
      pages += 1
      if (pages === 1) ids.push(...addRecords(scenario, 1))
      return reply
    })
    const outcome = await scenario.machine.run([...all, 'csv'])
    expectStatus(outcome, 0)
    const listed = outcome.stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.slice(0, 36))
    expect(listed.sort()).toEqual(ids.sort())
    expect(outcome.stderr).not.toContain('PARTIAL')
  })

  it('a reader that goes away ends it early, and is no failure', async () => {
    await using scenario = await startScenario()
    addRecords(scenario, 3_000)
    const child = spawn(
      'bash',
      [
        '-c',
        `"$0" "$@" | head -1; echo "status \${PIPESTATUS[0]}"`,
        process.execPath,
        binary,
        ...all,
        'ndjson',
      ],
      {
        env: scenario.machine.env,
      },
    )
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (shown: string) => {
      text += shown
    })
    await once(child, 'close')
    expect(text).toMatch(/^\{"id".*\}\nstatus 0\n$/)
    expect(scenario.service.calls.count('list')).toBeLessThan(30)
  })

  it.skipIf(!existsSync('/dev/full'))(
    'into a full device: 8, and the list is not read again for it',
    async () => {
      await using scenario = await startScenario()
      addRecords(scenario, 250)
      const child = spawn(process.execPath, [binary, ...all, 'csv'], {
        env: scenario.machine.env,
        stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      })
      let stderr = ''
      child.stderr?.setEncoding('utf8').on('data', (shown: string) => {
        stderr += shown
      })
      const [status] = await once(child, 'close')
      expect([status, stderr]).toEqual([
        8,
        expect.stringContaining('could not be written to standard output (ENOSPC)'),
      ])
      expect(scenario.service.calls.count('list')).toBeLessThanOrEqual(3)
    },
  )
})

/** The id of the run that was killed, as `runs list` shows it; null where it was killed before it began. */
async function killedRun(scenario: Scenario): Promise<string | null> {
  const outcome = await scenario.machine.run(['runs', 'list', '--json'])
  expectStatus(outcome, 0)
  const {runs} = readDocument<{runs: {id: string; status: string}[]}>(outcome)
  return runs.find(({status}) => status === 'killed')?.id ?? null
}

/** P4: no record was resent twice, and each of the plan is in the report. */
function expectOnceEach(scenario: Scenario, report: Resent): void {
  expect(report.records.map((record) => record.merchant_order_id).sort()).toEqual(lost)
  for (const {fields} of scenario.service.book.records) {
    expect(scenario.resendsOf(fields.id), `resends of ${fields.merchant_order_id}`).toBeLessThanOrEqual(1)
  }
}

function addRecords(scenario: Scenario, count: number): string[] {
  return Array.from({length: count}, () => {
    const number = `order-${scenario.service.book.orders.size}`
    const order = scenario.service.book.addOrder({kind: 'deposit', number, status: 'completed'})
    return scenario.service.book.addRecord({order, ...exhausted}).id
  })
}
