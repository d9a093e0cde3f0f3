import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync, openSync} from 'node:fs'
import {basename, join} from 'node:path'
import {beforeAll, describe, expect} from 'vitest'

import type {ReportDocument} from '../report/report-document.ts'
import {binary, OwnHome, readReport} from './own-home.ts'
import {it as dayIt, type PlayedDay} from './played-day.ts'
import {type PlayedOrder, PlayedService} from './played-service.ts'
import {hasTerminal, keys, openTerminal, type Screen} from './terminal.ts'

/** Four orders: one agrees, two webhooks were lost, and one amount was mistyped. */
const orders: PlayedOrder[] = [
  {orderNo: 'T-1', ending: {paid: '100.00'}},
  {orderNo: 'T-2', ending: {paid: '200.00'}, isWebhookLost: true},
  {orderNo: 'T-3', ending: {paid: '300.00'}, isWebhookLost: true},
  {orderNo: 'T-4', ending: {paid: '400.00'}},
]
const ledger = `order_no,kind,status,amount
T-1,deposit,paid,100
T-2,deposit,open,200
T-3,deposit,open,300
T-4,deposit,paid,4000
`

const it = dayIt.extend<{day: PlayedDay}>({
  day: async ({openDay}, use) => {
    const day = await openDay(orders)
    day.home.write('ledger.csv', ledger)
    await use(day)
  },
})

// The ledger has no times, so a person gives the window.
const reconcile = ['reconcile', 'ledger.csv', '--since', '2020-01-01', '--report', 'report']
const reportOf = (home: OwnHome) => readReport(join(home.workDir, 'report/report.json'))
const statesOf = ({findings}: ReportDocument) =>
  findings.map(({orderNo, verdict, resend}) => [orderNo, verdict, resend?.state].filter(Boolean).join(' '))
const question = 'Resend 2 now?'

/** Select Graphic Rendition: what colours text, and nothing else. */
const colour = /\u001b\[[0-9;]*m/

describe.skipIf(!hasTerminal).concurrent('in a terminal (skipped where python3 has no pty)', () => {
  async function atTheQuestion({service, home}: PlayedDay, env: Record<string, string> = {}) {
    const screen = openTerminal(home, reconcile, env)
    await screen.shows(question)
    // What would be sent is on the screen before the question is.
    expect(screen.text).toMatch(/resend order\.completed of 2 orders, BDT 500\.00.*Resend 2 now\?/s)
    expect(service.door.count('/resend')).toBe(0)
    expect(screen.text).not.toContain('Warning')
    return screen
  }

  it.for([
    ['Enter alone', keys.enter],
    ['n', `n${keys.enter}`],
  ] as const)('%s is no: nothing is sent, and breaks remain (7)', async ([, answer], {day}) => {
    const {service, home} = day
    const screen = await atTheQuestion(day)
    screen.type(answer)
    expect(await screen.ended).toBe(7)
    expect(service.door.count('/resend')).toBe(0)
    expect(service.delivered).toEqual([])
    expect(statesOf(reportOf(home))).toEqual([
      'T-2 missing_completion planned',
      'T-3 missing_completion planned',
      'T-4 amount_mismatch',
    ])
  })

  it('y sends, and the screen says what delivered', async ({day}) => {
    const {service, home} = day
    const screen = await atTheQuestion(day)
    screen.type(`y${keys.enter}`)
    expect(await screen.ended).toBe(7)
    expect(service.delivered).toEqual(['T-2', 'T-3'])
    expect(statesOf(reportOf(home))).toEqual([
      'T-2 missing_completion delivered',
      'T-3 missing_completion delivered',
      'T-4 amount_mismatch',
    ])
    expect(screen.text).toContain('2 orders, BDT 500.00: your server took the webhook')
  })

  it('Ctrl-C at the question is 130: nothing is sent, and the run can be resumed', async ({day}) => {
    const {service, home} = day
    const screen = await atTheQuestion(day)
    screen.type(keys.ctrlC)
    expect(await screen.ended).toBe(130)
    expect(screen.text).toContain('Interrupted at the question. Nothing was sent.')
    expect(service.door.count('/resend')).toBe(0)

    const {runId} = reportOf(home)
    const resumed = await home.runHere(['reconcile', '--resume', runId, '--yes', '--json'])
    expect(statesOf(JSON.parse(resumed.stdout))).toEqual([
      'T-2 missing_completion delivered',
      'T-3 missing_completion delivered',
      'T-4 amount_mismatch',
    ])
    expect(service.delivered).toEqual(['T-2', 'T-3'])
  })

  it('there is colour', async ({day}) => {
    const screen = await atTheQuestion(day)
    screen.type(keys.enter)
    await screen.ended
    expect(screen.text).toMatch(colour)
  })

  it('there is none with NO_COLOR=1, neither in the plan, nor in the question, nor in the summary', async ({
    day,
  }) => {
    const screen = await atTheQuestion(day, {NO_COLOR: '1'})
    screen.type(keys.enter)
    await screen.ended
    expect(screen.text).toContain('Statement')
    expect(screen.text.match(colour)).toBeNull()
  })

  it('Ctrl-C while it asks the service lets the call under way finish', async ({day: {service, home}}) => {
    const held = service.door.holdNext('/pay/order/query')
    const screen = openTerminal(home, [...reconcile, '--concurrency', '1'])
    await held.arrived
    await interrupt(screen)
    held.release()
    expect(await screen.ended).toBe(130)
    expect(service.door.seen).toEqual(['POST /v1/pay/order/query'])
  })

  async function interrupt(screen: Screen): Promise<void> {
    screen.type(keys.ctrlC)
    await screen.shows('Stopping: the calls under way finish')
  }
})

describe.concurrent('interrupted in the middle, without a terminal', () => {
  /** The findings of a run that nobody interrupts. */
  let uninterrupted: ReportDocument['findings']

  beforeAll(async () => {
    const service = await PlayedService.open(orders)
    const home = new OwnHome(service.env)
    home.write('ledger.csv', ledger)
    uninterrupted = (await home.reconcile(['ledger.csv', '--yes'])).report.findings
    await service.close()
    home.remove()
  }, 30_000)

  function partialReport(home: OwnHome): ReportDocument {
    const partial = reportOf(home)
    expect(partial.complete).toBe(false)
    expect(partial.incompleteBecause).toContain(
      `the run was interrupted. To continue: hisab reconcile --resume ${partial.runId}`,
    )
    return partial
  }

  const stopped: [what: string, path: string][] = [
    ['a query', '/pay/order/query'],
    ['the last page of the delivery records', '/api/v1/merchant/webhooks?'],
    ['the first resend', '/resend'],
  ]

  it.for(stopped)(
    'SIGINT during %s: the call finishes, a partial report, 130, and --resume ends as if nothing had been',
    async ([, path], {day: {service, home}}) => {
      const held = service.door.holdNext(path)
      const running = home.start([...reconcile, '--yes', '--json', '--concurrency', '1'])
      await held.arrived
      const before = service.door.seen.length
      process.kill(running.pid, 'SIGINT')
      await running.says('Stopping: the calls under way finish')
      held.release()
      const {status, stdout} = await running.ended
      expect(status, stdout).toBe(130)
      const reads = service.door.seen.slice(before).filter((line) => line.includes('/query'))
      expect(reads).toEqual([])

      const {runId} = partialReport(home)
      const resumed = await home.runHere(['reconcile', '--resume', runId, '--yes', '--json'])
      const report = JSON.parse(resumed.stdout) as ReportDocument
      expect(withoutIds(report.findings)).toEqual(withoutIds(uninterrupted))
      expect(report.runId).toBe(runId)
      expect(resumed.status).toBe(7)
      expect(service.delivered).toEqual(['T-2', 'T-3'])
    },
  )
})

describe.concurrent('a pipe', () => {
  const plainAndJson: [what: string, flags: string[]][] = [
    ['as text', []],
    ['--json', ['--json']],
  ]

  it('has no colour, and no question: without --yes nothing is sent', async ({day: {service, home}}) => {
    const {status, stdout, stderr} = await home.run(reconcile)
    expect(status).toBe(7)
    expect(`${stdout}${stderr}`).not.toMatch(/\u001b/)
    expect(stderr).toContain('Nothing is resent: there is no terminal to ask in. Add --yes')
    expect(service.door.count('/resend')).toBe(0)
  })

  it.for(plainAndJson)('that ends after one line (| head -1) is no failure: %s', async ([, flags], {day}) => {
    const {service, home} = day
    const shell = `"$0" "$@" | head -1; echo "status \${PIPESTATUS[0]}"`
    const args = ['-c', shell, process.execPath, binary, ...reconcile, '--yes', ...flags]
    const child = spawn('bash', args, {cwd: home.workDir, env: home.env})
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (shown: string) => {
      text += shown
    })
    await once(child, 'close')
    expect(text).toMatch(/^[^\n]+\nstatus 7\n$/)
    expect(service.delivered).toEqual(['T-2', 'T-3'])
    expect(statesOf(reportOf(home))).toContain('T-3 missing_completion delivered')
  })

  it.skipIf(!existsSync('/dev/full')).for(plainAndJson)(
    'into a full device is an error, however well the run went: %s',
    async ([, flags], {day: {home}}) => {
      const child = spawn(process.execPath, [binary, ...reconcile, '--yes', ...flags], {
        cwd: home.workDir,
        env: home.env,
        stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      })
      let stderr = ''
      child.stderr?.setEncoding('utf8').on('data', (shown: string) => {
        stderr += shown
      })
      const [status] = await once(child, 'close')
      expect(status).toBe(8)
      expect(stderr).toContain('could not be written to standard output (ENOSPC)')
      // The report on the disk is whole.
      expect(statesOf(reportOf(home))).toContain('T-2 missing_completion delivered')
    },
  )
})

/** What differs between two plays of one day: the service's own ids, the clock, and the address it listened at. */
function withoutIds(findings: ReportDocument['findings']): unknown[] {
  return findings.map(({file, delivery, provider, resend, history, ...finding}) => ({
    ...finding,
    history: history && {...history, firstSeenAt: null},
    // A run is resumed from any folder, so its ledger is then known by its whole path.
    file: file && basename(file),
    provider: provider && {...provider, platformOrderNo: null},
    delivery: delivery && {...delivery, id: null, orderId: null, url: null},
    resend: resend && {...resend, sentAt: null},
  }))
}
