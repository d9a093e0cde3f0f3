import {createdMsOf, hostOf} from '../../core/delivery-filter.ts'
import type {Paisa} from '../../core/money.ts'
import type {Delivery, OrderKind} from '../../core/order.ts'
import {findOutages} from '../../core/outages.ts'
import {asksAPerson, type Finding, isBreak, type ResendState} from '../../core/reconcile/finding.ts'
import {ageDays} from '../../core/reconcile/history.ts'
import type {Action, Cause, Severity, Verdict} from '../../core/reconcile/verdict.ts'
import {severities} from '../../core/reconcile/verdict.ts'
import {amountInvolved} from '../../core/reconcile/verdict-facts.ts'
import type {ReconcileFacts} from '../reconcile-report.ts'
import {ageSteps} from '../trend-text.ts'

/** Who or what must act next on the findings of a group. */
export type Asked = 'person' | 'send' | 'run' | 'wait' | 'nobody'

export interface Group {
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly kind: OrderKind | null
  readonly action: Action
  readonly severity: Severity
  readonly resend: ResendState | null
  readonly isIgnored: boolean
  readonly asks: Asked
  orders: number
  amount: Paisa | null
  atRisk: Paisa
}

/** Open items of one result and cause. */
export interface AgedCause extends Pick<Group, 'verdict' | 'cause' | 'kind'> {
  readonly steps: {orders: number; atRisk: Paisa}[]
}

export const webhookStates = ['lost', 'retried', 'delivered', 'taken'] as const
export type WebhookState = (typeof webhookStates)[number]

/** Webhooks that the service made in one minute for one host. */
export interface WebhookMinute {
  readonly host: string
  readonly atMs: number
  readonly counts: Record<WebhookState, number>
}

export interface Down {
  readonly host: string
  readonly fromMs: number
  readonly toMs: number
  readonly counts: Readonly<WebhookMinute['counts']>
}

const webhookDays = 14
const dayMs = 86_400_000
const asksRank: readonly Asked[] = ['person', 'send', 'run', 'wait', 'nobody']
const severityRank = severities.toReversed()

export type Digest = ReturnType<typeof digestOf>

export function digestOf(facts: ReconcileFacts) {
  const {findings, finishedAtMs, notExamined} = facts
  const groups = new Map<string, Group>()
  const ages = new Map<string, AgedCause>()
  const minutes = new Map<string, WebhookMinute & {readonly sample: Delivery}>()
  const delivered = {orders: 0, amount: 0n}
  let outside = 0
  for (const finding of findings) {
    addTo(groups, finding)
    // Of an order without an answer, the item that stays open counts.
    if (isBreak(finding) && !finding.keepsItem) {
      const opened = finding.history?.openedMs ?? finishedAtMs
      age(ages, finding, ageDays(opened, finishedAtMs))
    }
    if (finding.resend?.state === 'delivered') {
      delivered.orders += 1
      delivered.amount += amountInvolved(finding) ?? 0n
    }
    if (finding.delivery) outside += note(minutes, finding.delivery, finding, finishedAtMs)
  }
  for (const item of notExamined)
    if (item.severity !== 'none') age(ages, item, ageDays(item.openedMs, finishedAtMs))
  const webhooks = [...minutes.values()].sort((a, b) => a.atMs - b.atMs)
  return {
    ...{delivered, webhooks, webhooksOutside: outside, downs: downsOf(webhooks, finishedAtMs)},
    /** Gravest first. */
    groups: [...groups.values()].sort(byGravity),
    ages: [...ages.values()].sort((a, b) => compare(riskOf(b), riskOf(a))),
  }
}

function addTo(groups: Map<string, Group>, finding: Finding): void {
  const of = groupOf(finding)
  const key = Object.values(of).join()
  const amount = amountInvolved(finding)
  const group = groups.get(key) ?? {...of, orders: 0, amount: null, atRisk: 0n}
  groups.set(key, group)
  group.orders += 1
  if (amount !== null) group.amount = (group.amount ?? 0n) + amount
  if (of.resend !== 'delivered' && of.cause !== 'delivered') group.atRisk += finding.atRisk ?? 0n
}

/** What the findings of a group share. */
export function groupOf(finding: Finding): Omit<Group, 'orders' | 'amount' | 'atRisk'> {
  const {verdict, cause, kind, action, severity, resend, ignored} = finding
  const isIgnored = ignored !== undefined
  return {
    ...{verdict, cause, kind, action, severity, resend: resend?.state ?? null},
    ...{isIgnored, asks: askedOf(finding)},
  }
}

function askedOf(finding: Finding): Asked {
  if (asksAPerson(finding)) return 'person'
  if (finding.resend?.state === 'delivered') return 'nobody'
  if (finding.resend?.state === 'planned') return 'send'
  if (isBreak(finding)) return 'run'
  const isPending = finding.action === 'wait' || finding.cause === 'delivered' || finding.resend !== null
  return isPending ? 'wait' : 'nobody'
}

/** What needs a person comes first, the gravest of it first. */
export function gravity({asks, severity}: Pick<Group, 'asks' | 'severity'>): number {
  return asksRank.indexOf(asks) * severityRank.length + severityRank.indexOf(severity)
}

function byGravity(a: Group, b: Group): number {
  return gravity(a) - gravity(b) || compare(b.atRisk, a.atRisk) || b.orders - a.orders
}

function compare(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function age(
  ages: Map<string, AgedCause>,
  {verdict, cause, kind, atRisk}: Pick<Finding, 'verdict' | 'cause' | 'kind' | 'atRisk'>,
  days: number,
): void {
  const key = [verdict, cause, kind].join()
  const row = ages.get(key) ?? {verdict, cause, kind, steps: ageSteps.map(() => ({orders: 0, atRisk: 0n}))}
  ages.set(key, row)
  const step = row.steps[ageSteps.findLastIndex((from) => days >= from)]
  if (!step) return
  step.orders += 1
  step.atRisk += atRisk ?? 0n
}

function riskOf({steps}: AgedCause): Paisa {
  return steps.reduce((sum, {atRisk}) => sum + atRisk, 0n)
}

export function noWebhooks(): WebhookMinute['counts'] {
  return {lost: 0, retried: 0, delivered: 0, taken: 0}
}

/** Counted by minute, so that memory grows with the time span and not with the number of records. */
function note(
  minutes: Map<string, WebhookMinute & {readonly sample: Delivery}>,
  delivery: Delivery,
  {resend}: Finding,
  nowMs: number,
): 0 | 1 {
  const ms = createdMsOf(delivery)
  if (ms < nowMs - webhookDays * dayMs || ms > nowMs + dayMs) return 1
  const atMs = Math.floor(ms / 60_000) * 60_000
  const host = hostOf(delivery)
  const key = `${atMs} ${host}`
  const known = minutes.get(key) ?? {
    ...{host, atMs, counts: noWebhooks()},
    sample: {...delivery, status: 'failed' as const, sentAt: null},
  }
  minutes.set(key, known)
  known.counts[stateOf(delivery, resend?.state === 'delivered')] += 1
  return 0
}

function stateOf({status, nextRetryAt}: Delivery, isDelivered: boolean): WebhookState {
  if (isDelivered) return 'delivered'
  if (status === 'success') return 'taken'
  return nextRetryAt === null ? 'lost' : 'retried'
}

const anything = {
  ...{sinceMs: null, untilMs: null, event: null, merchantOrderId: null},
  ...{codes: [], host: null, urlStart: null},
}

/** The rule of `webhooks outages`, on the records of this run's findings, one for each minute. */
function downsOf(webhooks: readonly (WebhookMinute & {readonly sample: Delivery})[], nowMs: number): Down[] {
  const ofSample = new Map(webhooks.map((minute) => [minute.sample, minute.counts]))
  const failed = webhooks.filter(({counts}) => counts.lost + counts.retried + counts.delivered > 0)
  const samples = failed.map(({sample}) => sample)
  return findOutages(samples, anything, nowMs).map(({host, fromMs, toMs, records}) => {
    const counts = noWebhooks()
    for (const record of records)
      for (const state of webhookStates) counts[state] += ofSample.get(record)?.[state] ?? 0
    return {host, fromMs, toMs, counts}
  })
}
