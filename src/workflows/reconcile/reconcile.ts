import type {CallCounts, ServiceClient} from '../../api/client.ts'
import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import type {Profile} from '../../core/profile.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import type {ResendOverrides} from '../../core/reconcile/evidence.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {isDuplicate, LedgerOrders, orderKey} from '../../core/reconcile/orders.ts'
import {type TieOut, tieOut} from '../../core/reconcile/tie-out.ts'
import {chooseWindow, type MaybeWindow} from '../../core/reconcile/window.ts'
import type {Journal} from '../../journal/journal.ts'
import type {Ledger} from '../../ledger/read-ledger.ts'
import {type ResendJob, runResends} from '../resend.ts'
import {overrideWordsOf, refuseTooMany} from '../resend-limits.ts'
import {earlierResends} from '../resend-memory.ts'
import {type DecisionInput, decideDuplicate, decideOrder, decideUnnamed, decideUnreadable} from './decide.ts'
import {Deliveries, type DeliveryReading} from './deliveries.ts'
import {RunResends} from './memory.ts'
import {queryOrders} from './queries.ts'
import {queryUnnamed} from './unnamed.ts'

export interface ReconcileOptions {
  /** How the ledger was said to be read: kept with the run, so that a resumed one reads it the same way. */
  readonly reading?: {
    readonly columns: readonly string[]
    readonly delimiter: 'comma' | 'semicolon' | 'tab' | 'pipe' | null
  }
  readonly kind: OrderKind | null
  readonly sinceMs: number | null
  readonly untilMs: number | null
  readonly overrides: ResendOverrides
  readonly skipDeliveries: boolean
  /** Orders asked for at once; the client finds how many the service bears. */
  readonly concurrency: number
  readonly resendsPerSecond: number
  readonly settleMs: number
  readonly resendsMax: number
}

export interface ReconcilePorts {
  readonly profile: Profile
  readonly client: Pick<
    ServiceClient,
    'queryOrder' | 'listDeliveries' | 'getDelivery' | 'resendDelivery' | 'calls' | 'clockSkewMs'
  >
  readonly journal: Journal
  readonly runId: string
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly signal: AbortSignal
  readonly onProgress?: (stage: ReconcileStage, done: number, total: number) => void
}

export type ReconcileStage = 'query' | 'sweep' | 'look-ups' | 'resend' | 'settle'

/** What is known and decided before anything is sent. */
export interface Reconciliation {
  readonly findings: readonly Finding[]
  readonly tieOut: TieOut
  readonly reading: DeliveryReading
  /** The window of `missing_in_ledger`, or why that verdict is not given. */
  readonly window: MaybeWindow
  readonly planned: readonly ResendJob[]
  readonly incompleteBecause: readonly string[]
  readonly calls: CallCounts
  readonly clockSkewMs: number | null
}

/**
 * Reads both sides and decides: every order queried once, the delivery records read to their end, a verdict on
 * each row and on each order no row names. Sends nothing (P10).
 */
export async function examine(
  ledger: Ledger,
  options: ReconcileOptions,
  ports: ReconcilePorts,
): Promise<Reconciliation> {
  const {client, profile, onProgress} = ports
  const orders = new LedgerOrders(ledger.entries, ledger.unreadable, options.kind)
  const answers = await queryOrders(client, orders.all, options.concurrency, (done, total) =>
    onProgress?.('query', done, total),
  )
  const window = chooseWindow(ledger.window, options.sinceMs, options.untilMs)
  const known = [...answers.values()].flatMap((side) => (side.is === 'found' ? [side.order] : []))
  const deliveries = await Deliveries.read(client, profile.dialect.deliveryJoin, {
    candidates: candidatesOf(orders, answers),
    known,
    wantWhole: window.ok,
    skip: options.skipDeliveries,
    width: options.concurrency,
    onProgress: (stage, done, total) => onProgress?.(stage, done, total),
  })
  const unnamed = window.ok
    ? await queryUnnamed(deliveries.completions(), window, orders, known, options.concurrency, client)
    : []
  for (const {side} of unnamed) if (side.is === 'found') deliveries.addOrder(side.order)

  const run = RunResends.of(ports.journal, ports.runId)
  const input: DecisionInput = {
    deliveries,
    earlierResend: earlierResends(ports.journal, ports.runId),
    overrides: options.overrides,
    nowMs: ports.now(),
    timeZone: profile.ledger.timeZone,
  }
  const findings = [
    ...ledger.unreadable.map(decideUnreadable),
    ...orders.all.flatMap((order) => decideNamed(order, answers, input)),
    ...unnamed.flatMap(({order, side}) => decideUnnamed(order, side, input) ?? []),
  ]
    .map((finding) => run.restore(finding, profile.ledger.timeZone))
    .sort(byPlace)
  const found = unnamed.flatMap(({side}) => (side.is === 'found' ? [side.order] : []))
  const tied = tieOut(ledger.entries, [...known, ...found], findings)
  return {
    findings,
    tieOut: tied,
    reading: deliveries.reading,
    window: windowGiven(window, deliveries.reading),
    planned: run.planned(findings),
    incompleteBecause: whyIncomplete(findings, tied, deliveries.reading, window),
    calls: {...client.calls},
    clockSkewMs: client.clockSkewMs,
  }
}

/** Carries out the plan of an examination and says how each resend ended. */
export async function heal(
  examined: Reconciliation,
  options: ReconcileOptions,
  ports: ReconcilePorts,
): Promise<Reconciliation> {
  refuseTooMany(examined.planned.length, options.resendsMax)
  const run = RunResends.of(ports.journal, ports.runId)
  const {outcomes, incompleteBecause} = await runResends(
    examined.planned,
    {
      client: ports.client,
      journal: ports.journal,
      runId: ports.runId,
      now: ports.now,
      sleep: ports.sleep,
      ratePerSecond: options.resendsPerSecond,
      settleMs: options.settleMs,
      overrides: overrideWordsOf(options.overrides),
      signal: ports.signal,
      onProgress: (stage, done, total) => ports.onProgress?.(stage, done, total),
    },
    run.unsettled(examined.findings),
  )
  const findings = examined.findings.map((finding) => {
    const outcome = finding.delivery && outcomes.get(finding.delivery.id)
    return outcome ? {...finding, resend: outcome} : finding
  })
  return {
    ...examined,
    findings,
    incompleteBecause: [...examined.incompleteBecause, ...incompleteBecause],
    calls: {...ports.client.calls},
    clockSkewMs: ports.client.clockSkewMs,
  }
}

/** An examination whose plan was not carried out: what would have been resent stays `planned`. */
export function leavePlanned(examined: Reconciliation): Reconciliation {
  const planned = new Set(examined.planned.map(({delivery}) => delivery.id))
  const findings = examined.findings.map((finding) =>
    finding.action === 'resend' &&
    finding.resend === null &&
    finding.delivery &&
    planned.has(finding.delivery.id)
      ? {...finding, resend: {state: 'planned' as const, sentAtMs: null, responseCode: null, why: null}}
      : finding,
  )
  return {...examined, findings}
}

function candidatesOf(orders: LedgerOrders, answers: ReadonlyMap<string, ServiceSide>): ServiceOrder[] {
  return orders.all.flatMap((order) => {
    const side = answers.get(orderKey(order))
    const isCandidate =
      side?.is === 'found' && side.order.status === 'completed' && order.entries[0]?.status !== 'completed'
    return isCandidate && !isDuplicate(order) ? [side.order] : []
  })
}

function decideNamed(
  order: LedgerOrders['all'][number],
  answers: ReadonlyMap<string, ServiceSide>,
  input: DecisionInput,
): Finding[] {
  const side = answers.get(orderKey(order)) ?? {
    is: 'no_answer',
    code: 'incomplete',
    because: 'it was not asked for',
  }
  const [entry] = order.entries
  if (isDuplicate(order) || !entry) return decideDuplicate(order, side)
  return [decideOrder(entry, side, input)]
}

function windowGiven(window: MaybeWindow, reading: DeliveryReading): MaybeWindow {
  if (!window.ok || reading.sweptWhole) return window
  return {ok: false, because: reading.because ?? 'the delivery records were not read'}
}

function whyIncomplete(
  findings: readonly Finding[],
  {unexplained}: TieOut,
  reading: DeliveryReading,
  window: MaybeWindow,
): string[] {
  const count = (is: (finding: Finding) => boolean) => findings.filter(is).length
  const unanswered = count(({verdict}) => verdict === 'query_failed')
  const unread = count(({cause}) => cause === 'delivery_unknown')
  const reasons: string[] = []
  if (unanswered > 0) reasons.push(`${unanswered} orders got no trustworthy answer`)
  if (unread > 0) reasons.push(`the delivery records of ${unread} orders could not be read`)
  if (window.ok && !reading.sweptWhole && !reading.unavailable) {
    reasons.push(
      `orders missing in the ledger could not be looked for: ${reading.because ?? 'the list was not read'}`,
    )
  }
  if (unexplained !== 0n) reasons.push('the totals do not tie out')
  return reasons
}

function byPlace(a: Finding, b: Finding): number {
  const last = Number.MAX_SAFE_INTEGER
  return (a.file ?? last) - (b.file ?? last) || (a.line ?? last) - (b.line ?? last)
}
