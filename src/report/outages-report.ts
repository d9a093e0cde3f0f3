import {formatPaisa, formatTaka, type Paisa, parsePaisa, sumPaisa} from '../core/money.ts'
import type {Outage} from '../core/outages.ts'
import {escapeInvisible} from '../core/text.ts'
import {formatInstant} from '../core/time.ts'
import {counted} from './figures.ts'
import type {ListColumn} from './list-text.ts'
import type {Style} from './table.ts'

/** Times are ISO 8601 in the profile's time zone. */
export interface OutageView {
  /** For `webhooks resend --outage`. */
  readonly id: string
  readonly host: string
  readonly from: string
  /** The last known failed attempt. */
  readonly to: string
  /** When the host next took a webhook, or null. */
  readonly upAt: string | null
  /** Nothing was taken since: as far as the records show, the host is still down. */
  readonly ongoing: boolean
  readonly takenMeanwhile: number
  readonly orders: number
  readonly webhooks: number
  readonly codes: readonly {readonly code: string; readonly webhooks: number}[]
  readonly scheduled: number
  /** Of the orders with a read payload; null if none was read. */
  readonly amount: string | null
  readonly amountUnknown: number
  readonly resendWith: string
  readonly records: readonly string[]
}

export function viewOutage(
  outage: Outage,
  amounts: {readonly known: Paisa; readonly unknownOrders: number; readonly isRead: boolean},
  resendWith: string,
  timeZone: string,
): OutageView {
  const time = (ms: number) => formatInstant(ms, timeZone)
  const {host, orders, codes, scheduled, taken, records} = outage
  return {
    id: outage.id,
    host,
    from: time(outage.fromMs),
    to: time(outage.toMs),
    upAt: outage.upAtMs === null ? null : time(outage.upAtMs),
    ongoing: outage.upAtMs === null,
    takenMeanwhile: taken,
    orders,
    webhooks: records.length,
    codes,
    scheduled,
    amount: amounts.isRead ? formatPaisa(amounts.known) : null,
    amountUnknown: amounts.unknownOrders,
    resendWith,
    records: records.map(({id}) => id),
  }
}

export interface OutagesTotal
  extends Pick<OutageView, 'orders' | 'webhooks' | 'scheduled' | 'amount' | 'amountUnknown' | 'resendWith'> {
  readonly outages: number
}

export function totalOf(
  outages: readonly Outage[],
  views: readonly OutageView[],
  resendWith: string,
): OutagesTotal {
  const sum = (number: (view: OutageView) => number) => views.reduce((total, view) => total + number(view), 0)
  const amounts = views.map(({amount}) => amount)
  return {
    outages: views.length,
    orders: new Set(outages.flatMap(({records}) => records.map(({orderId}) => orderId))).size,
    webhooks: sum(({webhooks}) => webhooks),
    scheduled: sum(({scheduled}) => scheduled),
    amount: amounts.includes(null)
      ? null
      : formatPaisa(sumPaisa(amounts.map((amount) => parsePaisa(amount ?? '') ?? 0n))),
    amountUnknown: sum(({amountUnknown}) => amountUnknown),
    resendWith,
  }
}

export const outageColumns: readonly ListColumn<OutageView>[] = [
  {name: 'host', kind: 'text', value: ({host}) => host},
  {name: 'from', kind: 'text', value: ({from}) => from},
  {name: 'to', kind: 'text', value: ({to}) => to},
  {name: 'up_at', kind: 'text', value: ({upAt}) => upAt},
  {name: 'ongoing', kind: 'text', value: ({ongoing}) => ongoing},
  {name: 'taken_meanwhile', kind: 'number', value: ({takenMeanwhile}) => takenMeanwhile},
  {name: 'orders', kind: 'number', value: ({orders}) => orders},
  {name: 'webhooks', kind: 'number', value: ({webhooks}) => webhooks},
  {
    name: 'codes',
    kind: 'text',
    value: ({codes}) => codes.map(({code, webhooks}) => `${code} ×${webhooks}`).join(' '),
  },
  {name: 'scheduled', kind: 'number', value: ({scheduled}) => scheduled},
  {name: 'amount', kind: 'number', value: ({amount}) => amount},
  {name: 'amount_unknown', kind: 'number', value: ({amountUnknown}) => amountUnknown},
  {name: 'resend_with', kind: 'text', value: ({resendWith}) => resendWith},
  {name: 'id', kind: 'text', value: ({id}) => id},
]

/** What happened, what it cost, and the command that repairs it. */
export function outagesText(outages: readonly OutageView[], total: OutagesTotal, style: Style): string {
  if (outages.length === 0) return 'No webhook is failed: no outage to mend.'
  const texts = outages.map((outage) => outageText(outage, style))
  return [...texts, ...(outages.length > 1 ? [totalText(total, style)] : [])].join('\n\n')
}

function totalText(total: OutagesTotal, style: Style): string {
  const {outages, orders, webhooks, scheduled, resendWith} = total
  const more = webhooks === orders ? '' : ` (${webhooks} webhooks)`
  const title = `all ${outages} outages: ${counted(orders, 'order', 'orders')}${more}${moneyOf(total)}`
  const due =
    scheduled > 0
      ? [`  ${style('dim', 'due again  ')}  ${scheduled} of ${webhooks} by the service itself`]
      : []
  return [
    style('bold', title),
    ...due,
    `  ${style('dim', 'resend with')}  ${escapeInvisible(resendWith)}`,
  ].join('\n')
}

function outageText(outage: OutageView, style: Style): string {
  const {from, to, upAt, scheduled, webhooks, orders, takenMeanwhile, resendWith} = outage
  const more = webhooks === orders ? '' : ` (${webhooks} webhooks)`
  const span = clock(from) === clock(to) ? `at ${clock(from)}` : `${clock(from)} to ${clock(to, from)}`
  const title = `down ${span}, ${counted(orders, 'order', 'orders')}${more}${moneyOf(outage)}`
  const lines: [name: string, text: string][] = [
    ['host', escapeInvisible(outage.host, 120)],
    ['answered', outage.codes.map(({code, webhooks}) => `${codeText(code)} (${webhooks})`).join(', ')],
    [
      'up again',
      upAt === null
        ? style('red', 'not seen: nothing was taken since')
        : `${clock(upAt, from)}, when it took the next webhook`,
    ],
  ]
  if (takenMeanwhile > 0)
    lines.push(['flapping', `${counted(takenMeanwhile, 'webhook', 'webhooks')} taken in between`])
  if (scheduled > 0)
    lines.push(['due again', `${scheduled} of ${webhooks} by the service itself: left out of a resend`])
  lines.push(['resend with', escapeInvisible(resendWith)])
  return [
    style('bold', title),
    ...lines.map(([name, text]) => `  ${style('dim', name.padEnd(11))}  ${text}`),
  ].join('\n')
}

function moneyOf({amount, amountUnknown}: Pick<OutageView, 'amount' | 'amountUnknown'>): string {
  if (amount === null) return ''
  const known = parsePaisa(amount) ?? 0n
  if (amountUnknown === 0) return `, BDT ${formatTaka(known)}`
  return known === 0n
    ? ', amount unknown'
    : `, BDT ${formatTaka(known)} and ${amountUnknown} of unknown amount`
}

function codeText(code: string): string {
  return code === 'none' ? 'nothing' : `HTTP ${code}`
}

/** `2026-11-20 01:10`, without the day if it is that of `other`. */
function clock(time: string, other = ''): string {
  const [day, hour] = [time.slice(0, 10), time.slice(11, 16)]
  return other.startsWith(day) ? hour : `${day} ${hour}`
}
