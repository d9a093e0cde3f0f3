import {createColumns} from '../../src/report/creates-list.ts'
import {recordColumns} from '../../src/report/delivery-list.ts'
import {doubtColumns} from '../../src/report/doubts-list.ts'
import {findingsCsv} from '../../src/report/findings-csv.ts'
import {ignoreColumns} from '../../src/report/ignores-text.ts'
import {orderColumns} from '../../src/report/orders-list.ts'
import {outageColumns} from '../../src/report/outages-report.ts'
import {payoutsCsv} from '../../src/report/payouts-csv.ts'
import {storedColumns} from '../../src/report/received-text.ts'
import {buildReport} from '../../src/report/reconcile-report.ts'
import {resendColumns} from '../../src/report/resend-report.ts'
import {runColumns} from '../../src/report/runs-text.ts'
import {trendColumns} from '../../src/report/trend-text.ts'
import {facts, paths} from '../report/sample.ts'

/** The columns of every CSV that hisab writes, first to last. */
export function describeColumns(): Record<string, string> {
  const zone = 'Asia/Dhaka'
  const lists = {
    'deposit query, payout query': orderColumns,
    'deposit list, payout list': createColumns(zone),
    'deposit list, payout list --in-doubt': doubtColumns(zone),
    'events list': storedColumns,
    'ignores list': ignoreColumns,
    'runs list': runColumns,
    'runs trend': trendColumns,
    'webhooks list': recordColumns(zone),
    'webhooks list --outages': outageColumns,
    'webhooks resend': resendColumns,
  }
  const columns = Object.entries(lists).map(([of, all]) => [of, all.map(({name}) => name).join(',')])
  const [findings = ''] = findingsCsv(buildReport(facts([]), paths))
  return {
    ...Object.fromEntries(columns),
    'findings.csv': headOf(findings),
    'payouts.result.csv': headOf(payoutsCsv([])),
  }
}

function headOf(csv: string): string {
  return csv.replace('\ufeff', '').split('\r\n')[0] ?? ''
}
