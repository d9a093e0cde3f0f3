import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {askedAfterClosingMs} from '../../core/reconcile/item.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import type {Staging} from '../../staging/staging.ts'
import {bookedBeforeResent} from './booked-before-resent.ts'
import {refuseOtherDateSystem} from './date-system.ts'
import {Deliveries} from './deliveries.ts'
import {mayHaveOtherRow} from './earlier-runs.ts'
import {MatchTotals} from './match-totals.ts'
import {RunResends} from './memory.ts'
import {type OpenLedger, placeWindow} from './place-window.ts'
import {askContradictedFinals, askForOrders, withdrawBareAbsences} from './query-ledger.ts'
import {refuseOpenDay} from './rest-of-day.ts'
import {holdsCredits, rememberRows} from './seen-rows.ts'
import type {ExamineOptions, ReconcileOptions, ReconcilePorts} from './types.ts'

export type Sides = Awaited<ReturnType<typeof readSides>>

/** Queries every order of the ledger once, and reads the delivery records as far as needed. */
export async function readSides(open: OpenLedger, options: ExamineOptions, ports: ReconcilePorts) {
  const {ledger, staging} = open
  const {client, journal, runId, profile} = ports
  const {holds, timeZone} = profile.ledger
  const placed = await placeWindow(open, options, ports)
  ports.onWindow?.(placed.meetings)
  const matchTotals = new MatchTotals(staging, options.keepsAll)
  const resends = await RunResends.of(journal, runId)
  const bookedBefore = await bookedBeforeResent(journal, staging.ledger)
  const replaced = new Set(
    [
      ...(await journal.replacedPayouts()).flatMap(({failed, anew}) => [failed, anew]),
      ...(await journal.payoutsBesideFailed()),
    ].map((orderNo) => orderKey({kind: 'payout', orderNo})),
  )
  const {items, openItems} = await readItems(ports)
  const withOtherRows = new Set(openItems.filter(mayHaveOtherRow).map(orderKey))
  const known = {resends, bookedBefore, replaced, withOtherRows}
  const {window} = placed
  const {players, ...asking} = await askForOrders(
    staging,
    matchTotals,
    {window, items, ...known},
    options,
    ports,
  )
  if (options.businessDay !== null) {
    const time = {nowMs: ports.now(), skewMs: client.clockSkewMs}
    refuseOpenDay(options.businessDay, timeZone, time)
  }
  // Before the list is read, so that a kill does not lose what the ledger showed as booked.
  const {startedAtMs: nowMs, untilMs} = options
  await rememberRows({ledger, staging, untilMs, holds, runId, nowMs}, journal)
  const deliveries = await readDeliveries(staging, window, options, ports)
  refuseOtherDateSystem(staging.records, placed.own, ledger.files, ports.now())
  withdrawBareAbsences(staging, matchTotals, known)
  await askContradictedFinals(staging, matchTotals, {deliveries, ...known}, options, ports)
  const isOfCredits = holdsCredits(ledger.files, holds)
  return {placed, matchTotals, known, items, openItems, players, asking, deliveries, isOfCredits}
}

/** Read once: what a person closes meanwhile is asked about again before its resend. */
async function readItems({journal, runId, now}: ReconcilePorts): Promise<{
  /** The open ones, and what a person closed lately. */
  readonly items: readonly RememberedFinding[]
  readonly openItems: readonly RememberedFinding[]
}> {
  const items = await journal.openFindings(runId, now() - askedAfterClosingMs)
  const openItems = items.filter(({closedMs, closedRunId}) => closedMs === null || closedRunId === runId)
  return {items, openItems}
}

async function readDeliveries(
  staging: Staging,
  window: MaybeWindow,
  options: ReconcileOptions,
  {client, profile, journal, runId, signal, onProgress}: ReconcilePorts,
): Promise<Deliveries> {
  return Deliveries.read(client, staging, {
    join: profile.dialect.deliveryJoin,
    ...{runId, signal},
    window: window.ok ? window : null,
    mark: options.wholeList ? null : await journal.listMark(),
    skip: options.skipDeliveries,
    width: options.concurrency,
    onProgress,
  })
}
