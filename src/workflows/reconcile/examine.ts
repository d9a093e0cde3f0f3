import {orderKinds, type ServiceOrder} from '../../core/order.ts'
import {classifyOrder, type ServiceSide} from '../../core/reconcile/classify.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {isDuplicate, LedgerOrders, orderKey} from '../../core/reconcile/orders.ts'
import {tieOut} from '../../core/reconcile/tie-out.ts'
import {chooseWindow, type MaybeWindow} from '../../core/reconcile/window.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import {earlierResends} from '../resend-memory.ts'
import {type DecisionInput, decideDuplicate, decideOrder, decideUnnamed, decideUnreadable} from './decide.ts'
import {Deliveries} from './deliveries.ts'
import {whyIncomplete, windowGiven} from './incomplete.ts'
import {RunResends} from './memory.ts'
import {Nights} from './night.ts'
import {weighPayloads} from './payloads.ts'
import {planOf} from './plan.ts'
import {queryOrders} from './queries.ts'
import type {ReconcileOptions, ReconcilePorts, Reconciliation} from './reconcile.ts'
import {SettledRecorder, takeSettled} from './settled.ts'
import {suspectDamage} from './suspect.ts'
import {queryUnnamed, type Unnamed} from './unnamed.ts'

/**
 * Reads both sides and decides: every order queried once, the delivery records read as far as it takes, a verdict on
 * each row and on each order no row names. Sends nothing (P10). Once stopped it asks nothing more and decides on what
 * it has: what was not asked for is `not_asked`.
 */
export async function examine(
  ledger: Ledger,
  options: ReconcileOptions,
  ports: ReconcilePorts,
): Promise<Reconciliation> {
  const {client, journal, runId, signal} = ports
  const orders = new LedgerOrders(ledger.entries, ledger.unreadable, options.kind)
  const window = chooseWindow(ledger.window, options.sinceMs, options.untilMs)
  const {answers, takenFrom, queriesPerSecond} = await askForOrders(orders, window, options, ports)
  const known = foundAmong(answers.values())
  const deliveries = await readDeliveries(orders, answers, known, window, options, ports)
  const unnamed = window.ok
    ? await queryUnnamed(deliveries.completions(), window, orders, known, client, {
        ...{width: options.concurrency, signal},
      })
    : []
  // Stopped before all of them were asked for, the report must not say that it looked.
  const isLookedFor = !signal.aborted
  const found = foundAmong(unnamed.map(({side}) => side))
  // Another order may have the number, whose platform id nobody knows: one without an answer, or one of another row.
  const shared = unnamed.filter(
    ({order: {orderNo}, side}) =>
      side.is === 'no_answer' || orderKinds.some((kind) => orders.names({kind, orderNo})),
  )
  await deliveries.addOrders(
    found.filter(({status}) => status === 'completed'),
    shared.map(({order}) => order.orderNo),
  )

  const decided = await decideAll(ledger, orders, answers, unnamed, deliveries, options, ports)
  const nights = new Nights(journal, {runId, nowMs: ports.now(), timeZone: ports.profile.ledger.timeZone})
  const findings = nights.recall(decided).sort(byPlace)
  const tied = tieOut(ledger.entries, [...known, ...found], findings)
  const answered = new Set(unnamed.map(({order}) => orderKey(order)))
  return {
    findings,
    tieOut: tied,
    reading: deliveries.reading,
    window: isLookedFor ? windowGiven(window, deliveries.reading) : interruptedWindow,
    planned: RunResends.of(journal, runId).planned(findings, ports.profile.dialect),
    ...{takenFrom, queriesPerSecond},
    notFoundAgain: nights.compare(findings, (order) => {
      const side = answers.get(orderKey(order))
      return side ? side.is !== 'no_answer' : answered.has(orderKey(order))
    }),
    incompleteBecause: whyIncomplete(findings, tied, deliveries.reading, window),
    calls: {...client.calls},
    clockSkewMs: client.clockSkewMs,
  }
}

async function askForOrders(
  orders: LedgerOrders,
  window: MaybeWindow,
  options: ReconcileOptions,
  {client, profile, journal, runId, signal, now, resumes, onPlan, onProgress}: ReconcilePorts,
) {
  const {skipSettled = false, concurrency: width} = options
  const taken =
    skipSettled || resumes
      ? takeSettled(orders.all, journal, profile, {runId, skipSettled})
      : {sides: new Map<string, ServiceSide>(), fromRuns: new Map<string, number>()}
  onPlan?.(planOf(orders, taken.sides.size, window, options, journal, runId))
  const asked =
    taken.sides.size > 0 ? orders.all.filter((order) => !taken.sides.has(orderKey(order))) : orders.all
  const recorder = new SettledRecorder(journal, runId, now, orders.hasAmounts)
  const startedMs = now()
  const answers = await queryOrders(client, asked, {
    ...{width, signal},
    onProgress: (done, total) => onProgress?.('query', done, total),
    onAnswer: (index, side) => {
      const order = asked[index]
      if (order) recorder.take(order, side)
    },
  })
  recorder.flush()
  const seconds = (now() - startedMs) / 1_000
  const queriesPerSecond = seconds >= 1 && answers.size > 0 ? answers.size / seconds : null
  for (const [key, side] of taken.sides) answers.set(key, side)
  return {answers, takenFrom: taken.fromRuns, queriesPerSecond}
}

function readDeliveries(
  orders: LedgerOrders,
  answers: ReadonlyMap<string, ServiceSide>,
  known: readonly ServiceOrder[],
  window: MaybeWindow,
  options: ReconcileOptions,
  {client, profile, journal, runId, signal, onProgress}: ReconcilePorts,
): Promise<Deliveries> {
  return Deliveries.read(client, profile.dialect.deliveryJoin, {
    ...{candidates: candidatesOf(orders, answers), known, runId, signal},
    shared: orders.all.filter(({orderNo}) => orders.isShared(orderNo)).map(({orderNo}) => orderNo),
    window: window.ok ? window : null,
    mark: options.wholeList ? null : journal.listMark(),
    skip: options.skipDeliveries,
    width: options.concurrency,
    onProgress: (stage, done, total) => onProgress?.(stage, done, total),
  })
}

/** Every finding with its verdict, weighed by the payload where that settles something. */
async function decideAll(
  ledger: Ledger,
  orders: LedgerOrders,
  answers: ReadonlyMap<string, ServiceSide>,
  unnamed: readonly Unnamed[],
  deliveries: Deliveries,
  options: ReconcileOptions,
  {client, profile, journal, runId, signal, now}: ReconcilePorts,
): Promise<readonly Finding[]> {
  const run = RunResends.of(journal, runId)
  const input: DecisionInput = {
    deliveries,
    earlierResend: earlierResends(journal, runId),
    overrides: options.overrides,
    nowMs: now(),
    timeZone: profile.ledger.timeZone,
  }
  const decided = [
    ...ledger.unreadable.map(decideUnreadable),
    ...orders.all.flatMap((order) => decideNamed(order, answers, input)),
    ...unnamed.flatMap(({order, side}) => decideUnnamed(order, side, input) ?? []),
  ].map((finding) => run.restore(finding, profile.ledger.timeZone))
  const weighed = await weighPayloads(decided, client, deliveries, {
    dialect: profile.dialect,
    hasLedgerAmounts: orders.hasAmounts,
    ...{width: options.concurrency, signal},
  })
  return suspectDamage(weighed, ledger)
}

/** Orders whose finding a delivery record decides or settles: completed at the service, and not the same in the ledger. */
function candidatesOf(orders: LedgerOrders, answers: ReadonlyMap<string, ServiceSide>): ServiceOrder[] {
  return orders.all.flatMap((order) => {
    const side = answers.get(orderKey(order))
    const [entry] = order.entries
    if (side?.is !== 'found' || side.order.status !== 'completed' || !entry || isDuplicate(order)) return []
    return classifyOrder(entry, side)?.verdict === 'matched' ? [] : [side.order]
  })
}

function foundAmong(sides: Iterable<ServiceSide>): ServiceOrder[] {
  const found: ServiceOrder[] = []
  for (const side of sides) if (side.is === 'found') found.push(side.order)
  return found
}

const interruptedWindow: MaybeWindow = {ok: false, because: 'the run was interrupted'}
const notAsked: ServiceSide = {is: 'no_answer', code: 'interrupted', because: 'the run was interrupted'}

function decideNamed(
  order: LedgerOrders['all'][number],
  answers: ReadonlyMap<string, ServiceSide>,
  input: DecisionInput,
): Finding[] {
  const side = answers.get(orderKey(order)) ?? notAsked
  const [entry] = order.entries
  if (isDuplicate(order) || !entry) return decideDuplicate(order, side)
  return [decideOrder(entry, side, input)]
}

function byPlace(a: Finding, b: Finding): number {
  const last = Number.MAX_SAFE_INTEGER
  return (a.file ?? last) - (b.file ?? last) || (a.line ?? last) - (b.line ?? last)
}
