import {formatTaka, type Paisa} from '../core/money.ts'
import {escapeInvisible} from '../core/text.ts'
import {formatInstant} from '../core/time.ts'
import {renderTable, type Style} from './table.ts'

interface Gap {
  readonly orders: number
  readonly amount: Paisa
}

export interface DemoFacts {
  readonly before: Gap
  readonly after: Gap
  readonly bookedTwice: number
  readonly reportDir: string
  readonly ledger: string
}

export function demoProofText(
  {before, after, bookedTwice, reportDir, ledger}: DemoFacts,
  style: Style,
): string {
  const row = (label: string, gap: Gap) => [label, String(gap.orders), formatTaka(gap.amount)]
  const table = renderTable(
    [
      {title: "DONE AT THE SERVICE, NOT IN THE MERCHANT'S BOOKS"},
      {title: 'ORDERS', align: 'right'},
      {title: 'BDT', align: 'right'},
    ],
    [
      row('before', before),
      row('after', after),
      [
        style('green', 'delivered'),
        style('green', String(before.orders - after.orders)),
        style('green', formatTaka(before.amount - after.amount)),
      ],
    ],
    style,
  )
  const left =
    after.orders === 0
      ? ''
      : `\n\nLeft for a person, beside the breaks above with NEXT "review": the merchant's server took ${after.orders === 1 ? 'a webhook' : 'webhooks'} and did not book ${after.orders === 1 ? 'it' : 'them'}.`
  return `${table}\n\nBooked twice: ${bookedTwice}.${left}\n\n${style('bold', 'Report')}   ${escapeInvisible(reportDir)}/report.html\n${style('bold', 'Ledger')}   ${escapeInvisible(ledger)}`
}

export function outageText({fromMs, toMs}: {fromMs: number; toMs: number}, timeZone: string): string {
  const at = (ms: number) => formatInstant(ms, timeZone).slice(11, 16)
  return `${formatInstant(fromMs, timeZone).slice(0, 10)}, ${at(fromMs)} to ${at(toMs)}`
}
