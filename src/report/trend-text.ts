import {formatPaisa, parsePaisa} from '../core/money.ts'
import type {ReceiverRecords} from '../core/reconcile/receiver-records.ts'
import {counted, grouped} from './figures.ts'
import {type ListColumn, takaColumn} from './list-text.ts'
import {renderTable, type Style} from './table.ts'

/** Age steps of open items in days; each lasts until the next. */
export const ageSteps = [0, 1, 4, 8, 31] as const
const ageTitles = ['today', '1-3 days', '4-7 days', '8-30 days', 'older'] as const

/** What the runs of one business day found. */
export interface TrendDay {
  readonly day: string
  /** The runs that count: the last one for each combination of ledger kinds. Breaks and amount at risk are the last run's. */
  readonly runIds: readonly string[]
  readonly complete: boolean
  readonly breaks: number
  readonly newBreaks: number
  readonly closed: number
  readonly atRisk: string
  readonly resends: {readonly sent: number; readonly delivered: number}
  /** Records that were read, and delivered ones; 0 of 0 if the run did not count them. */
  readonly webhooks: {readonly records: number; readonly delivered: number}
  /** Between 0 and 1; null if no record was counted. */
  readonly deliveryRate: number | null
  /** Most undelivered records first. */
  readonly receivers: readonly ReceiverRecords[]
  /** Items open at the end of the last run, by `ageSteps`. */
  readonly openByAge: readonly number[]
  readonly oldestDays: number
}

const openOf = ({openByAge}: TrendDay) => openByAge.reduce((sum, count) => sum + count, 0)
const percent = (rate: number | null) => (rate === null ? '' : `${Math.floor(rate * 1_000) / 10} %`)

export const trendColumns: readonly ListColumn<TrendDay>[] = [
  {name: 'day', title: 'DAY', kind: 'text', value: ({day}) => day},
  {name: 'breaks', title: 'BREAKS', kind: 'number', value: ({breaks}) => breaks},
  {name: 'new', title: 'NEW', kind: 'number', value: ({newBreaks}) => newBreaks, dropRank: 2},
  {name: 'closed', title: 'CLOSED', kind: 'number', value: ({closed}) => closed, dropRank: 1},
  {name: 'open', title: 'OPEN', kind: 'number', value: openOf},
  {name: 'oldest_days', title: 'OLDEST', kind: 'number', value: ({oldestDays}) => oldestDays, dropRank: 3},
  {
    ...{name: 'delivery_rate', title: 'DELIVERED', kind: 'number', value: ({deliveryRate}) => deliveryRate},
    shown: ({deliveryRate}) => percent(deliveryRate),
  },
  takaColumn('at_risk', ({atRisk}) => atRisk, 'BDT AT RISK'),
  {name: 'complete', kind: 'text', value: ({complete}) => complete},
  {name: 'runs', kind: 'text', value: ({runIds}) => runIds.join(' ')},
]

/** `hasBars`: the screen shows block characters. */
export function trendText(days: readonly TrendDay[], style: Style, hasBars: boolean): string {
  const last = days.at(-1)
  if (!last) return 'No run of these days is in the journal. Dry runs are not counted.'
  const line = (title: string, of: (day: TrendDay) => number | null, shown: (value: number) => string) => {
    const values = days.map(of)
    const known = values.filter((value) => value !== null)
    if (known.length === 0) return []
    const [most, least] = [Math.max(...known), Math.min(...known)]
    const bars = hasBars ? `${sparkline(values)}  ` : ''
    const now = values.at(-1) ?? null
    const parts = [
      now === null ? 'last unknown' : `last ${shown(now)}`,
      `least ${shown(least)}`,
      `most ${shown(most)}`,
    ]
    return [`${style('bold', title.padEnd(15))}${bars}${parts.join(', ')}`]
  }
  const ages = last.openByAge.map((count, at) => `${ageTitles[at]} ${count}`)
  return [
    `${counted(days.length, 'day', 'days')} with a run, ${days[0]?.day} to ${last.day}`,
    ...line('Breaks', ({breaks}) => breaks, String),
    ...line('Open items', openOf, String),
    ...line('Oldest, days', ({oldestDays}) => oldestDays, String),
    ...line('Delivery rate', ({deliveryRate}) => deliveryRate, percent),
    ...line(
      'BDT at risk',
      ({atRisk}) => Number(parsePaisa(atRisk) ?? 0n),
      (paisa) => grouped(formatPaisa(BigInt(paisa))),
    ),
    `${style('bold', 'Age of items   ')}${ages.join(', ')}`,
  ].join('\n')
}

/** Over all days; nothing if no record was counted. */
export function receiversText(receivers: readonly ReceiverRecords[], style: Style): string {
  if (receivers.length === 0) return ''
  const columns = [
    {title: 'UNDELIVERED', align: 'right'},
    {title: 'RECORDS', align: 'right'},
    {title: 'DELIVERED', align: 'right'},
    {title: 'RECEIVER'},
  ] as const
  const rows = receivers.map(({host, records, delivered}) => [
    ...[`${records - delivered}`, `${records}`, percent(records === 0 ? null : delivered / records)],
    host === '' ? '(no address)' : host,
  ])
  return renderTable(columns, rows, style)
}

/** Adds up the receivers of days or runs; worst first. */
export function sumReceivers(parts: readonly (readonly ReceiverRecords[])[]): ReceiverRecords[] {
  const sums = new Map<string, ReceiverRecords>()
  for (const {host, records, delivered} of parts.flat()) {
    const sum = sums.get(host) ?? {host, records: 0, delivered: 0}
    sums.set(host, {host, records: sum.records + records, delivered: sum.delivered + delivered})
  }
  return [...sums.values()].sort((a, b) => b.records - b.delivered - (a.records - a.delivered))
}

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** A bar for each value, from 0 to the greatest; a space if it is unknown. */
export function sparkline(values: readonly (number | null)[]): string {
  const most = Math.max(0, ...values.map((value) => value ?? 0))
  return values
    .map((value) => {
      if (value === null) return ' '
      return bars[most === 0 ? 0 : Math.round((value / most) * (bars.length - 1))]
    })
    .join('')
}
