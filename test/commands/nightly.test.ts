import {existsSync, readFileSync, statSync, utimesSync, writeFileSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'

import type {NightlyResult} from '../../src/cli/nightly/view.ts'
import Nightly from '../../src/commands/nightly.ts'
import {sandboxCredentials, sandboxMerchantId} from '../../src/core/profile.ts'
import {acquireNightLock} from '../../src/journal/lock.ts'
import {businessDay, pathOfDay, windowEnd} from '../../src/workflows/nightly/business-day.ts'
import {tempDir} from '../temp-dir.ts'
import {shellWithSandbox} from './run-command.ts'

/** Two orders that the service does not know: two breaks, of BDT 500 and of an unknown amount. */
const rows =
  'order_no,amount,created_at\nN-1,500.00,2026-11-20T09:00:00+06:00\nN-2,,2026-11-20T10:00:00+06:00\n'
const day = ['--day', '2026-11-20']

async function openNight(env: Readonly<Record<string, string>> = {}) {
  const {shell} = await shellWithSandbox()
  const dir = tempDir()
  const ledger = join(dir, 'ledger-2026-11-20.csv')
  /** It was left alone for a while, so that nobody waits to see whether it grows. */
  const write = (text: string) => {
    writeFileSync(ledger, text)
    utimesSync(ledger, 1, 1)
  }
  write(rows)
  const named = ['--ledger', join(dir, 'ledger-{date}.csv')]
  const asked: {url: string; headers: Record<string, unknown>; body: string}[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    asked.push({url: request.url ?? '', headers: request.headers, body})
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const run = async (...args: string[]) => {
    Object.assign(process.env, env)
    onTestFinished(() => {
      for (const name of Object.keys(env)) delete process.env[name]
    })
    const ran = await shell.run(Nightly, ...day, '--json', ...args)
    return {
      ...ran,
      result: ran.json() as unknown as NightlyResult & {error?: {message: string; hint: string}},
    }
  }
  return {shell, dir, ledger, write, named, asked, url, run}
}

test('the day that ended last, by the clock of the ledger; its end of tries; its path', () => {
  // 02:30 in Dhaka, the evening before in UTC.
  const nowMs = Date.parse('2026-11-21T20:30:00Z')
  const night = businessDay(undefined, nowMs, 'Asia/Dhaka')
  expect(night).toMatchObject({date: '2026-11-21', fromMs: Date.parse('2026-11-21T00:00:00+06:00')})
  expect(night.why).toBe('the day that ended last. It is 2026-11-22 02:30 in Asia/Dhaka')
  expect(businessDay(undefined, nowMs, 'UTC').date).toBe('2026-11-20')
  expect(() => businessDay('2026-11-22', nowMs, 'Asia/Dhaka')).toThrow('2026-11-22 is not over')
  expect(new Date(windowEnd('05:00', night)).toISOString()).toBe('2026-11-21T23:00:00.000Z')
  for (const text of ['5:00', '05:00:30', '2026-11-22T05:00', '24:30'])
    expect(() => windowEnd(text, night), text).toThrow(`--until ${text} is not a time of the day`)
  for (const text of ['21/11/2026', '2026-11-21T05:00', '2026-11-31'])
    expect(() => businessDay(text, nowMs, 'Asia/Dhaka'), text).toThrow(`--day ${text} is not a date`)
  expect(pathOfDay('/e/{yyyy}/{mm}-{dd}/l-{date}.csv', night)).toBe('/e/2026/11-21/l-2026-11-21.csv')
  expect(() => pathOfDay('/e/{day}.csv', night)).toThrow('{day} is no part of a date')
})

test.each([
  ['no limit', [], true, []],
  ['within the number', ['--max-breaks', '2'], false, []],
  ['above it', ['--max-breaks', '1'], true, ['2 breaks are more than 1']],
  ['an unknown amount', ['--max-break-amount', '1000'], true, ['of 1 breaks the amount is unknown']],
])('breaks are 7 whatever is usual; the limit decides the alarm: %s', async (_, limits, alarm, exceeded) => {
  const {named, asked, url, run} = await openNight()
  const {status, result} = await run(...named, ...limits, '--heartbeat', `${url}/ping?rid=1`)
  expect([status, result.run?.breaks, result.alarm, result.exceeded]).toEqual([7, 2, alarm, exceeded])
  expect(asked.map((one) => one.url)).toEqual([
    '/ping/start?rid=1',
    alarm ? '/ping/fail?rid=1' : '/ping?rid=1',
  ])
})

test('the ledger of another day is refused, by its rows and by its bytes', async () => {
  const {shell, ledger, write, named, run} = await openNight()
  write(rows.replaceAll('2026-11-20', '2026-11-18'))
  const other = await run(...named)
  expect([other.status, other.result.error?.message]).toEqual([2, expect.stringContaining('no row of')])
  write(rows.replaceAll(',2026-11-20T', ',"').replaceAll('+06:00', '"'))
  const {status} = await run(...named)
  expect(status, 'times that cannot be read make no other day').toBe(8)
  const next = await shell.run(Nightly, '--day', '2026-11-21', '--ledger', ledger)
  expect([next.status, next.stderr]).toEqual([
    2,
    expect.stringContaining('has the same bytes as the ledger of run'),
  ])
})

test('a command exports it, without the secrets of hisab; figures go where they are asked for', async () => {
  const {dir, asked, url, run} = await openNight({EXPORT_PASSWORD: 'of-their-own'})
  const metrics = join(dir, 'hisab.prom')
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url
  process.env.OTEL_EXPORTER_OTLP_HEADERS = 'x-scope=finance%20team'
  onTestFinished(() => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
    delete process.env.OTEL_EXPORTER_OTLP_HEADERS
  })
  const command = `env > ${dir}/export.env; printf '${rows.replaceAll('\n', '\\n')}'`
  const broke = `env > ${dir}/break.env; cat > ${dir}/break.json; exit 3`
  const {status, result, stderr} = await run(
    ...['--export-command', command, '--metrics-file', metrics, '--on-break-command', broke],
    ...['--heartbeat', 'http://127.0.0.1:9/ping', '--log-json'],
  )
  expect(status).toBe(7)
  const [exported, seen] = ['export', 'break'].map((name) => readFileSync(join(dir, `${name}.env`), 'utf8'))
  expect(exported).toContain('HISAB_DAY=2026-11-20')
  expect(exported).toContain('EXPORT_PASSWORD=of-their-own')
  expect(seen).toContain('HISAB_BREAKS=2')
  expect(seen).not.toContain('of-their-own')
  for (const text of [exported, seen]) expect(text).not.toContain(sandboxCredentials.apiSecret)
  expect(JSON.parse(readFileSync(join(dir, 'break.json'), 'utf8'))).toMatchObject({exitStatus: 7})
  // What could not be done is told, and changes nothing.
  expect(result.notDone).toEqual([
    '--heartbeat (start): no connection (ECONNREFUSED).',
    '--on-break-command: it ended with status 3.',
    '--heartbeat (fail): no connection (ECONNREFUSED).',
  ])
  for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({day: '2026-11-20'})
  const text = readFileSync(metrics, 'utf8')
  expect(text).toContain('# TYPE hisab_nightly_breaks gauge\nhisab_nightly_breaks{profile="sandbox"} 2\n')
  expect(statSync(metrics).mode & 0o777).toBe(0o644)
  const [posted] = asked
  expect([posted?.url, posted?.headers['x-scope']]).toEqual(['/v1/metrics', 'finance team'])
  const body = JSON.parse(posted?.body ?? '') as {
    resourceMetrics: {scopeMetrics: {metrics: {name: string}[]}[]}[]
  }
  const names = body.resourceMetrics[0]?.scopeMetrics[0]?.metrics.map(({name}) => name)
  expect(names).toEqual([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
})

test('an export that fails, and figures that nobody can keep', async () => {
  const {named, run} = await openNight()
  const failed = await run('--export-command', 'echo out of order >&2; exit 4')
  expect([failed.status, failed.result.error?.message]).toEqual([
    8,
    expect.stringContaining('--export-command failed: it ended with status 4'),
  ])
  expect(failed.stderr).toContain('out of order')
  const lost = await run(...named, '--metrics-file', '/proc/hisab.prom')
  expect([lost.status, lost.result.exitStatus, lost.result.run?.breaks]).toEqual([8, 8, 2])
})

test('the mail goes to stdout, also of a night that reconciled nothing', async () => {
  const {shell, dir, named} = await openNight()
  const mail = async (...args: string[]) => await shell.run(Nightly, ...day, '--mail-to-stdout', ...args)
  const reconciled = await mail(...named)
  expect([reconciled.status, reconciled.stdout]).toEqual([
    7,
    expect.stringContaining('\r\nSubject: hisab sandbox 2026-11-20: 2 breaks, BDT 500.00\r\n'),
  ])
  const missing = await mail('--ledger', join(dir, 'none.csv'))
  expect([missing.status, missing.stdout]).toEqual([
    8,
    expect.stringContaining('\r\nSubject: hisab sandbox 2026-11-20: NOT RECONCILED, status 8\r\n'),
  ])
})

test('two at once: the second one names the first, and tells no monitoring', async () => {
  const {shell, named, asked, url, run} = await openNight()
  const account = {merchantId: sandboxMerchantId, environment: 'sandbox'} as const
  const lock = acquireNightLock(shell.dataDir, account, 'process 42 on shop-1 since 02:30')
  const second = await run(...named, '--heartbeat', url)
  lock.release()
  expect([second.status, second.result.error?.message]).toEqual([
    9,
    expect.stringContaining('process 42 on shop-1 since 02:30'),
  ])
  expect(asked).toEqual([])
  expect((await run(...named)).status).toBe(7)
})

test('what a person must mend ends it before it waits, and the monitoring knows', async () => {
  const {dir, asked, url, run} = await openNight()
  const {status, result} = await run(
    '--ledger',
    join(dir, '{day}.csv'),
    '--wait-for',
    '9h',
    '--heartbeat',
    url,
  )
  expect([status, result.error?.message]).toEqual([2, expect.stringContaining('{day} is no part of a date')])
  expect(asked.map((one) => one.url)).toEqual(['/fail'])
  expect(existsSync(join(dir, '{day}.csv'))).toBe(false)
})
