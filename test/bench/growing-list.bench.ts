/**
 * A whole reconciliation of 100,000 rows on a service whose list of delivery records grows by ten a second while it is
 * read, newest first: every page shifts. The built binary, with a dry run; the service stands in this process and keeps
 * its own books, by which the end is judged: exit status, completeness, and every break that was put there.
 */
import {randomUUID} from 'node:crypto'

import {openFastService} from '../acceptance/fast-service.ts'
import {breaks, playLargeRun} from '../acceptance/large-run.ts'
import {OwnHome} from '../acceptance/own-home.ts'

const perSecond = 10
const rowsMax = 100_000
const night = playLargeRun(rowsMax)
const service = await openFastService(night.orders, night.records)
const home = new OwnHome({
  HISAB_PROFILE: 'sandbox',
  HISAB_BASE_URL: `${service.url}/v1`,
  HISAB_LEGACY_URL: service.url,
})
home.write('ledger.csv', night.csv)
const before = night.records.length
const arrivals = setInterval(() => {
  night.records.unshift({
    ...{id: randomUUID(), order_id: randomUUID(), merchant_order_id: `arriving-${night.records.length}`},
    ...{status: 'success', response_code: 200, attempts: 1, created_at: new Date().toISOString()},
  })
}, 1_000 / perSecond)
const startedMs = performance.now()
const {status, report, stderr} = await home.reconcile(['ledger.csv', '--dry-run', '--include-missing'], {})
const seconds = (performance.now() - startedMs) / 1_000
clearInterval(arrivals)
await service.close()
home.remove()

const wanted = breaks
  .filter(({said}) => !said.startsWith('in_flight'))
  .reduce((sum, {count}) => sum + count, 0)
console.log(
  `reconcile ${rowsMax} rows, ${before} delivery records and ${perSecond} more a second (${night.records.length - before} came): ${seconds.toFixed(1)} s, ${report.calls.query} queries and ${report.calls.list} pages asked for, exit ${status}, complete ${report.complete}, ${report.findings.length} of ${wanted} breaks named`,
)
if (status !== 7 || !report.complete || report.findings.length !== wanted) throw new Error(stderr)
