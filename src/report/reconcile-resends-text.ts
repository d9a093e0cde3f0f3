import {formatTaka} from '../core/money.ts'
import type {Finding, ResendState} from '../core/reconcile/finding.ts'
import {amountInvolved} from '../core/reconcile/verdict-facts.ts'
import {escapeInvisible} from '../core/text.ts'
import {Orders} from './orders-sum.ts'
import type {ReconcileFacts} from './reconcile-report.ts'
import type {Style} from './table.ts'
import {labelled, wrapText} from './wrap.ts'

export function plannedResendsLine(
  {findings, plannedResends}: ReconcileFacts,
  style: Style,
  width = Number.POSITIVE_INFINITY,
): string {
  if (plannedResends === 0) return 'Nothing to resend.'
  const planned = new Orders()
  const hosts = new Set<string>()
  for (const finding of findings) {
    if (!isPlanned(finding)) continue
    planned.add(finding)
    hosts.add(hostOf(finding.delivery?.url ?? ''))
  }
  const where = hosts.size > 3 ? `${hosts.size} hosts` : [...hosts].join(', ')
  return labelled(
    `${style('bold', 'Plan:')} `,
    `resend order.completed of ${planned} to ${where}, once each.`,
    width,
  )
}

const listedMax = 20

export function toBeSent(
  {findings, plannedResends}: ReconcileFacts,
  width = Number.POSITIVE_INFINITY,
): string {
  if (plannedResends === 0) return ''
  const orders: string[] = []
  let left = 0
  for (const finding of findings) {
    if (!isPlanned(finding)) continue
    const amount = amountInvolved(finding)
    const money = amount === null ? '' : ` BDT ${formatTaka(amount)}`
    if (orders.length === listedMax) left += 1
    else orders.push(`${escapeInvisible(finding.orderNo ?? '', 40)}${money}`)
  }
  const more = left > 0 ? `, and ${left} more in findings.csv` : ''
  return `\n${wrapText(`${orders.join(', ')}${more}`, width, '  ')}`
}

function isPlanned({action, resend}: Finding): boolean {
  return action === 'resend' && (resend === null || resend.state === 'planned')
}

const endStates: readonly (readonly [state: ResendState, label: string, text: string])[] = [
  ['delivered', 'Delivered', 'your server took the webhook.'],
  ['still_failing', 'Failed', 'resent, and your server refused again.'],
  ['sent', 'Waiting', 'resent, no result yet.'],
  [
    'unknown',
    'Unknown',
    'the answer was lost, so the webhook may have been delivered. hisab does not resend it by itself.',
  ],
  ['refused', 'Refused', 'the service refused the resend.'],
  ['skipped', 'Not sent', ''],
  ['planned', 'Planned', 'nothing was sent.'],
]

export function deliveredText(
  {findings, plannedResends, resendsMax, resumeCommand, notSent}: ReconcileFacts,
  style: Style,
  width: number,
): string {
  const more = plannedResends > resendsMax ? ` --max-resends ${plannedResends}` : ''
  const byState = new Map<ResendState, Orders>()
  for (const finding of findings) {
    const state = finding.resend?.state
    if (!state) continue
    const orders = byState.get(state) ?? new Orders()
    orders.add(finding)
    byState.set(state, orders)
  }
  return endStates
    .flatMap(([state, label, text]) => {
      const orders = byState.get(state)
      if (!orders) return []
      const why = state === 'skipped' ? escapeInvisible(orders.first?.resend?.why ?? '') : text
      const next = state === 'planned' ? ` To send: ${notSent?.next ?? `${resumeCommand}${more} --yes`}` : ''
      const color = state === 'delivered' ? 'green' : state === 'planned' ? 'cyan' : 'yellow'
      return [labelled(style(color, label.padEnd(11)), `${orders}: ${why}${next}`, width)]
    })
    .join('\n')
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unknown host'
}
