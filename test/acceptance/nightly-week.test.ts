import {existsSync, readFileSync, utimesSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, onTestFinished, test, vi} from 'vitest'

import type {NightlyResult} from '../../src/cli/nightly/view.ts'
import {formatPaisa, parsePaisa} from '../../src/core/money.ts'
import {formatInstant} from '../../src/core/time.ts'
import {steppedClock} from '../../src/sandbox/clock.ts'
import {startSandbox} from '../../src/sandbox/start.ts'
import {askAt, depositFields, post, signed} from '../sandbox/acting-merchant.ts'
import {openReceiver, status} from '../sandbox/receiver-server.ts'
import {openFrontDoor} from './front-door.ts'
import {OwnHome} from './own-home.ts'

/**
 * A week of `hisab nightly` beside the embedded service, whose clock is moved by hand: a late ledger, a missing one, an
 * outage, a full disk and a kill. What it tells the monitoring is compared with what happened, the money with the books of
 * the service and of the merchant.
 */
const [hourMs, minuteMs, dayMs] = [3_600_000, 60_000, 86_400_000]
/** Midnight of the first day in Dhaka. */
const beginMs = Date.parse('2026-11-09T00:00:00+06:00')
const shiftedClock = fileURLToPath(new URL('../shifted-clock.cjs', import.meta.url))

interface Booking {
  readonly orderNo: string
  readonly amount: string
  readonly atMs: number
}

async function openWeek() {
  vi.useFakeTimers({toFake: ['Date', 'performance'], now: beginMs})
  onTestFinished(() => void vi.useRealTimers())
  const sandbox = await startSandbox({port: 0, dataDir: null, clock: steppedClock(beginMs)})
  onTestFinished(() => sandbox.close())
  const {control} = sandbox
  const door = await openFrontDoor(sandbox.url, () => Date.now())
  onTestFinished(() => door.close())
  const home = new OwnHome({
    HISAB_PROFILE: 'sandbox',
    ...{HISAB_BASE_URL: `${door.url}/v1`, HISAB_APPLY_URL: `${door.url}/v1`, HISAB_LEGACY_URL: door.url},
  })
  onTestFinished(() => home.remove())

  // The merchant's server books what it takes. Of the orders that are lost it takes none before the evening.
  const books: Booking[] = []
  const receiver = await openReceiver()
  onTestFinished(() => receiver.close())
  receiver.answer = (response) => {
    const {orderNo = '', amount = ''} = receiver.received.at(-1)?.body ?? {}
    const hour = ((control.now() - beginMs) % dayMs) / hourMs
    if (orderNo.startsWith('LOST') && hour >= 9 && hour < 20) return status(503)(response)
    expect(
      books.map((one) => one.orderNo),
      'nothing is delivered twice',
    ).not.toContain(orderNo)
    books.push({orderNo, amount, atMs: control.now()})
    status(200)(response)
  }

  const beats: {at: string; word: string; body: string}[] = []
  const monitor = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const word = request.url?.replace('/ping/abc', '') ?? ''
    beats.push({at: formatInstant(Date.now(), 'Asia/Dhaka').slice(11, 16), word, body})
    response.end('OK')
  })
  await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void monitor.close())

  /** What happens at a time that is reached, whoever moves it. */
  const events: {readonly atMs: number; readonly act: () => unknown}[] = []
  const moveTo = async (ms: number) => {
    const due = events.filter(({atMs}) => atMs <= ms).sort((a, b) => a.atMs - b.atMs)
    for (const {atMs, act} of [...due, {atMs: ms, act: () => {}}]) {
      const toMs = Math.max(atMs, Date.now())
      await control.advanceTo(toMs)
      vi.advanceTimersByTime(toMs - Date.now())
      await act()
    }
    events.splice(0, events.length, ...events.filter((event) => !due.includes(event)))
  }
  let moved = Promise.resolve()
  const sleep = (ms: number) => {
    moved = moved.then(() => moveTo(Date.now() + Math.ceil(ms)))
    return moved
  }

  const paid: {orderNo: string; amount: string}[] = []
  const pay = (orderNo: string, atMs: number, amount: string) =>
    events.push({
      atMs,
      act: async () => {
        const fields = signed(depositFields({orderNo, returnUrl: receiver.url}))
        await post(askAt(sandbox.url), '/v1/pay/order/create', fields)
        await control.payDeposit(orderNo, parsePaisa(amount) ?? 0n)
        paid.push({orderNo, amount})
      },
    })

  const ledgerPath = (day: number) =>
    join(
      home.workDir,
      'exports',
      `ledger-${formatInstant(beginMs + day * dayMs, 'Asia/Dhaka').slice(0, 10)}.csv`,
    )
  const exportLedger = (day: number) => {
    const fromMs = beginMs + day * dayMs
    const rows = books.filter(({atMs}) => atMs >= fromMs && atMs < fromMs + dayMs)
    // The second day as a spreadsheet writes it: 10/11, the day first, which only the business day tells.
    const written = (atMs: number) => {
      const iso = formatInstant(atMs, 'Asia/Dhaka')
      return day === 1 ? iso.replace(/^(\d+)-(\d+)-(\d+)T([\d:]{8}).*/, '$3/$2/$1 $4') : iso
    }
    const lines = rows.map(({orderNo, amount, atMs}) => `${orderNo},${amount},${written(atMs)}`)
    const path = home.write(ledgerPath(day), `order_no,amount,created_at\n${lines.join('\n')}\n`)
    const restsMs = Date.now() - 2 * minuteMs
    utimesSync(path, restsMs / 1000, restsMs / 1000)
  }

  const metricsPath = join(home.dir, 'hisab.prom')
  const logPath = join(home.dir, 'nightly.log')
  const brokePath = join(home.workDir, 'broke.json')
  const ping = `http://127.0.0.1:${(monitor.address() as AddressInfo).port}/ping/abc`
  const args = [
    ...[
      'nightly',
      '--json',
      '--ledger',
      join(home.workDir, 'exports', 'ledger-{date}.csv'),
      '--max-breaks',
      '1',
    ],
    ...['--metrics-file', metricsPath, '--heartbeat', ping, '--log-file', logPath],
    ...['--on-break-command', 'cat > broke.json; env > broke.env'],
  ]
  const patient = ['--wait-for', '2h', '--until', '05:00']
  const readMetrics = () => {
    const lines = readFileSync(metricsPath, 'utf8').split('\n')
    const pairs = lines.flatMap((line) => {
      const [, name = '', labels = '', value] =
        /^hisab_nightly_(\w+)\{profile="sandbox"(.*)\} (\S+)$/.exec(line) ?? []
      return value === undefined ? [] : [[`${name}${labels.replace(/^,\w+=/, ' ')}`, Number(value)]]
    })
    return Object.fromEntries(pairs) as Record<string, number>
  }
  const read = (ended: {readonly status: number; readonly stdout: string; readonly stderr: string}) => {
    const result = JSON.parse(ended.stdout) as NightlyResult & {error?: {message: string}}
    return {...ended, result, beats: beats.splice(0), metrics: readMetrics()}
  }
  return {
    ...{
      sandbox,
      door,
      home,
      books,
      paid,
      pay,
      events,
      moveTo,
      exportLedger,
      ledgerPath,
      logPath,
      brokePath,
      beats,
    },
    atNight: (day: number, hours = 2.5) => moveTo(beginMs + (day + 1) * dayMs + hours * hourMs),
    night: async (...more: string[]) => read(await home.runHere([...args, ...patient, ...more], {}, {sleep})),
    /** The built binary, with the clock of the week. */
    start: (options: {readonly fileKibMax?: number} = {}) =>
      home.start(args, {
        nodeArgs: ['--require', shiftedClock],
        env: {HISAB_TEST_SHIFT_MS: String(Date.now() - vi.getRealSystemTime())},
        ...options,
      }),
    read,
  }
}

test('a week of nights: what is told is what happened, and no money is lost', async () => {
  const week = await openWeek()
  const {sandbox, atNight, night, exportLedger, pay, events, beats} = week
  for (let day = 0; day < 7; day++) {
    const at = (hours: number) => beginMs + day * dayMs + hours * hourMs
    for (const hour of [1, 8, 14, 23]) pay(`D-${day}-${hour}`, at(hour + 0.4), `${300 + day * 10 + hour}.50`)
    if (day >= 2) pay(`LOST-${day}`, at(10), `${900 + day}.00`)
  }

  // The first night is as it should be.
  await atNight(0)
  exportLedger(0)
  const first = await night()
  expect([first.status, first.result.run?.breaks, first.result.alarm], first.stderr).toEqual([0, 0, false])
  expect(first.beats.map(({at, word}) => `${at} ${word}`)).toEqual(['02:30 /start', '02:30 '])
  expect(first.metrics).toMatchObject({
    exit_status: 0,
    alarm: 0,
    tries: 1,
    complete: 1,
    ledger_rows: 4,
    breaks: 0,
  })
  expect(existsSync(week.brokePath)).toBe(false)

  // The second night's ledger is late, and grows for a while.
  await atNight(1)
  events.push({atMs: Date.now() + 70 * minuteMs, act: () => exportLedger(1)})
  const late = await night()
  expect([late.status, late.result.run?.counts.matched], late.stderr).toEqual([0, 4])
  expect(late.result.waitedSeconds).toBeGreaterThanOrEqual(70 * 60)
  expect(late.metrics.ledger_wait_seconds).toBe(late.result.waitedSeconds)
  expect(late.beats.map(({word}) => word)).toEqual(['/start', ''])

  // The third night's ledger never comes; what lies there is that of the night before, under the new name.
  await atNight(2)
  const missing = await night()
  expect([missing.status, missing.result.error?.message], missing.stderr).toEqual([
    8,
    expect.stringContaining('The ledger of 2026-11-11 did not come'),
  ])
  expect(missing.beats.map(({at, word}) => `${at} ${word}`)).toEqual(['02:30 /start', '04:30 /fail'])
  expect(missing.metrics).toMatchObject({exit_status: 8, alarm: 1, tries: 0, run_known: 0})
  expect(missing.metrics).not.toHaveProperty('breaks')
  week.home.write(week.ledgerPath(2), readFileSync(week.ledgerPath(1)))
  const stale = await night()
  expect([stale.status, stale.result.error?.message], stale.stderr).toEqual([
    2,
    expect.stringContaining('has the same bytes as the ledger of run'),
  ])
  // In the morning it is made up for.
  await atNight(2, 8.5)
  exportLedger(2)
  const madeUp = await night('--day', '2026-11-11')
  expect([madeUp.status, madeUp.result.run?.resends.delivered], madeUp.stderr).toEqual([0, 1])

  // The fourth night, a clerk has booked an order with another amount. It is within the limit, and a break all the same.
  await week.moveTo(beginMs + 3 * dayMs + 11 * hourMs)
  week.books.push({orderNo: 'LOST-3', amount: '930.00', atMs: Date.now()})
  await atNight(3)
  exportLedger(3)
  const wrong = await night()
  expect([wrong.status, wrong.result.run?.breaks, wrong.result.alarm], wrong.stderr).toEqual([7, 1, false])
  expect(wrong.beats.map(({word}) => word)).toEqual(['/start', ''])
  expect(wrong.beats.at(-1)?.body).toContain('1 break, BDT 27.00')
  expect(wrong.metrics).toMatchObject({exit_status: 7, breaks: 1, alarm: 0})
  expect(JSON.parse(readFileSync(week.brokePath, 'utf8'))).toMatchObject({exitStatus: 7, run: {breaks: 1}})

  // The fifth night the service does not answer until half past three.
  await atNight(4)
  exportLedger(4)
  const outage = `lost-answer-before@${new Date(Date.now()).toISOString()}/${new Date(Date.now() + hourMs).toISOString()}`
  sandbox.faults.set({chaos: [outage], seed: 1})
  const after = await night()
  sandbox.faults.set({chaos: [], seed: 1})
  expect([after.status, after.result.run?.resends.delivered], after.stderr).toEqual([7, 1])
  const statuses = after.result.tries.map(({exitStatus}) => exitStatus)
  expect(statuses.slice(0, -1).every((one) => one === 5 || one === 8)).toBe(true)
  expect(statuses.length).toBeGreaterThan(3)
  expect(after.metrics.tries).toBe(statuses.length)
  expect(after.metrics.duration_seconds).toBeGreaterThan(3_600)

  // The sixth night the disk is full. There is room again when the job is started by hand.
  await atNight(5)
  exportLedger(5)
  const full = await week.start({fileKibMax: 32}).ended
  const fullNight = week.read(full)
  expect([full.status, fullNight.result.error], full.stderr).toEqual([8, expect.anything()])
  expect(fullNight.beats.map(({word}) => word)).toEqual(['/start', '/fail'])
  expect(fullNight.metrics).toMatchObject({exit_status: 8, alarm: 1})
  expect(week.books.map(({orderNo}) => orderNo)).not.toContain('LOST-5')
  const room = await night()
  expect([room.status, room.result.run?.resends.delivered], room.stderr).toEqual([7, 1])

  // The seventh night is killed in the middle of its queries, and started again.
  await atNight(6)
  exportLedger(6)
  const held = week.door.holdNext('/pay/order/query')
  const running = week.start()
  await held.arrived
  process.kill(running.pid, 'SIGKILL')
  held.release()
  expect((await running.ended).status).toBe(137)
  expect(beats.splice(0).map(({word}) => word)).toEqual(['/start'])
  const again = await night()
  expect([again.status, again.result.run?.resends.delivered], again.stderr).toEqual([7, 1])
  const {stdout} = await week.home.runHere(['runs', 'list', '--json'])
  const {runs} = JSON.parse(stdout) as {runs: {id: string; status: string}[]}
  // The killed run went on; only what the full disk kept from beginning is no run.
  expect(runs.map(({status: one}) => one)).not.toContain('killed')
  expect(runs[0]?.id).toBe(again.result.run?.runId)

  // The money: what the service took is booked, but for the one that is named every night until a person ends it.
  const sum = (some: readonly {readonly amount: string}[]) =>
    formatPaisa(some.reduce((all, {amount}) => all + (parsePaisa(amount) ?? 0n), 0n))
  const byNumber = (some: readonly {readonly orderNo: string}[]) => some.map(({orderNo}) => orderNo).sort()
  expect(byNumber(week.books)).toEqual(byNumber(week.paid))
  const records = sandbox.control.deliveries()
  expect(byNumber(records.map((one) => ({orderNo: one.merchant_order_id})))).toEqual(byNumber(week.paid))
  const undelivered = records.filter((one) => one.status !== 'success')
  expect(undelivered.map((one) => one.merchant_order_id)).toEqual(['LOST-3'])
  expect(Number(sum(week.books)) - Number(sum(week.paid))).toBe(930 - 903)
  expect(again.result.run?.breakAmount).toBe('27.00')

  // The log: each line is JSON, of a night, with its run.
  const lines = readFileSync(week.logPath, 'utf8').trim().split('\n')
  const events7 = lines.map((line) => JSON.parse(line) as {day: string; event: string; runId: string | null})
  expect(new Set(events7.map(({day}) => day)).size).toBe(7)
  expect(events7.at(-1)).toMatchObject({event: 'end', runId: again.result.run?.runId})
}, 120_000)

test('SIGTERM ends a night that waits, and says so', async () => {
  const home = new OwnHome({HISAB_PROFILE: 'sandbox'})
  onTestFinished(() => home.remove())
  const running = home.start(['nightly', '--ledger', '/nowhere/{date}.csv', '--wait-for', '1h'])
  await running.says('Waiting for the ledger')
  process.kill(running.pid, 'SIGTERM')
  const {status: ended, stderr} = await running.ended
  expect([ended, stderr]).toEqual([143, expect.stringContaining('Interrupted before the end')])
})
