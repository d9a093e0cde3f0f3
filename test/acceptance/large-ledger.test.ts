import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it, onTestFinished} from 'vitest'

import {formatPaisa} from '../../src/core/money.ts'
import {openFastService} from './fast-service.ts'
import {breaks, playLargeRun} from './large-run.ts'
import {OwnHome} from './own-home.ts'

// `node test/bench/growing-list.bench.ts` plays 100,000.
const rowsMax = 20_000

it(`${rowsMax} rows: every verdict, every count and every paisa`, {timeout: 400_000}, async () => {
  const scenario = playLargeRun(rowsMax)
  const service = await openFastService(scenario.orders, scenario.records)
  const home = new OwnHome({
    HISAB_PROFILE: 'sandbox',
    HISAB_BASE_URL: `${service.url}/v1`,
    HISAB_LEGACY_URL: service.url,
  })
  onTestFinished(async () => {
    await service.close()
    home.remove()
  })
  home.write('ledger.csv', scenario.csv)
  const peakFile = join(home.dir, 'peak-kib')
  // Linux starts `maxRSS` with that of the parent, here a process with many tests behind it.
  const peak =
    "existsSync('/proc/self/status')?/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1]:process.resourceUsage().maxRSS"
  const nodeArgs = [
    '--import',
    `data:text/javascript,import{existsSync,readFileSync,writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(${JSON.stringify(peakFile)},String(${peak})))`,
  ]
  const run = await home.reconcile(['ledger.csv', '--dry-run', '--include-missing'], {nodeArgs})
  const {report} = run

  expect(run.status, run.stderr).toBe(7)
  expect(
    tally(report.findings.map(({verdict, cause, action}) => `${verdict} ${cause ?? ''} ${action}`)),
  ).toEqual(
    Object.fromEntries(
      breaks.filter(({said}) => !said.startsWith('in_flight')).map(({said, count}) => [said, count]),
    ),
  )
  expect(report.counts).toMatchObject({
    rows: rowsMax,
    matched: scenario.matched,
    missing_completion: 150,
    amount_mismatch: 60,
    status_mismatch: 55,
    missing_at_provider: 50,
    unknown_status: 15,
    in_flight: 35,
    missing_in_ledger: 9,
    unreadable_row: 12,
    query_failed: 0,
    duplicate_in_ledger: 0,
  })
  expect(report).toMatchObject({
    complete: true,
    resends: {planned: 99, sent: 0},
    tieOut: {
      ledgerCompleted: formatPaisa(scenario.ledgerCompleted),
      providerCompleted: formatPaisa(scenario.serviceCompleted),
      difference: formatPaisa(scenario.ledgerCompleted - scenario.serviceCompleted),
      unexplained: '0.00',
    },
    amountUnknown: 0,
  })
  // Each row that can be read is asked for once, and each order that no row names.
  expect(service.queries).toBe(rowsMax - 12 + 9)
  expect(service.resends).toBe(0)
  expect(run.written).toEqual(report)

  const peakKib = Number(readFileSync(peakFile, 'utf8'))
  process.stdout.write(`  peak memory of hisab on ${rowsMax} rows: ${Math.round(peakKib / 1024)} MiB\n`)
  expect(peakKib).toBeLessThan(384 * 1024)
})

function tally(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}
