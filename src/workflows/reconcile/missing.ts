import {inBatches} from '../../core/batches.ts'
import {formatPaisa, formatTaka, type Paisa, parsePaisa} from '../../core/money.ts'
import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import {mayBeSameOrderNo} from '../../core/order-no-fold.ts'
import type {LedgerContents, Profile} from '../../core/profile.ts'
import type {RememberedFinding} from '../../core/reconcile/history.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {hadBookedRow} from '../../core/reconcile/snapshot.ts'
import {summedBy} from '../../core/reconcile/summed-amounts.ts'
import type {Action} from '../../core/reconcile/verdict.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import type {FinalOrder} from '../../journal/memory-rows.ts'
import type {LedgerFile} from '../../ledger/ledger.ts'
import type {Staging} from '../../staging/staging.ts'
import {isUnread, type LikeRow, placeOf, type UnexplainedRow} from '../../staging/unexplained-rows.ts'
import {storedRuns} from '../stored-run.ts'
import type {CoveredTimes} from './covered-times.ts'
import {askedAtOnce, sameServiceAs} from './final-orders.ts'
import type {MissingOrder} from './query-missing.ts'
import {doubtfulTotals, holdsCredits, isCutOff, isUnpaid, unreadableNumbers} from './seen-rows.ts'

type EarlierJournal = Pick<Journal, 'findFinalOrders' | 'findFinalOrdersOf' | 'findRun' | 'findingsOf'>

/** What earlier runs know of orders without a row in this ledger. */
export class EarlierRows {
  /** Orders completed in an earlier ledger and unchanged at the service, by the run that matched them. */
  readonly booked = new Map<string, string>()
  private readonly matched = new Map<string, FinalOrder>()
  /** Matched orders of ledgers that may have been misread, and whose time this ledger covers. */
  private readonly denied = new Set<FinalOrder>()
  private readonly inRows = new Map<string, RememberedFinding>()
  private readonly own: MaybeWindow
  private readonly storedRun: ReturnType<typeof storedRuns>
  private readonly isSameService: ReturnType<typeof sameServiceAs>

  static async read(
    missingOrders: readonly MissingOrder[],
    journal: EarlierJournal,
    profile: Pick<Profile, 'dialect' | 'baseUrl' | 'applyUrl'>,
    own: MaybeWindow,
  ): Promise<EarlierRows> {
    const rows = new EarlierRows(journal, profile, own)
    await rows.readOf(missingOrders, journal)
    return rows
  }

  private constructor(
    journal: EarlierJournal,
    profile: Pick<Profile, 'dialect' | 'baseUrl' | 'applyUrl'>,
    own: MaybeWindow,
  ) {
    this.own = own
    this.storedRun = storedRuns(journal)
    this.isSameService = sameServiceAs(profile, journal)
  }

  private async readOf(missingOrders: readonly MissingOrder[], journal: EarlierJournal): Promise<void> {
    const completed = missingOrders.flatMap(({side}) =>
      side.is === 'found' && side.order.status === 'completed' ? side.order : [],
    )
    for (const some of inBatches(completed, askedAtOnce)) {
      for (const [kind, orders] of Map.groupBy(some, (order) => order.kind)) {
        const byNumber = new Map(orders.map((order) => [order.orderNo, order]))
        for (const final of await journal.findFinalOrders(kind, [...byNumber.keys()])) {
          const order = byNumber.get(final.orderNo)
          if (order) await this.take(order, final)
        }
      }
      // Its row may have used another number.
      const byPlatform = Map.groupBy(some, ({platformOrderNo}) => platformOrderNo)
      const platformOrderNos = [...byPlatform.keys()].filter((number) => number !== '')
      for (const final of platformOrderNos.length > 0
        ? await journal.findFinalOrdersOf(platformOrderNos)
        : []) {
        const orders = byPlatform.get(final.platformOrderNo) ?? []
        for (const order of orders) if (order.kind === final.kind) await this.take(order, final)
      }
      for (const one of await journal.findingsOf(some))
        if (hadBookedRow(one) && !this.inRows.has(orderKey(one))) this.inRows.set(orderKey(one), one)
    }
  }

  /** An earlier match that this ledger contradicts holds the order back, and is reported. */
  private async take(order: ServiceOrder, final: FinalOrder): Promise<void> {
    if (final.status !== 'completed' || this.booked.has(orderKey(order))) return
    this.matched.set(orderKey(order), final)
    if (await this.isDenied(final)) this.denied.add(final)
    else if (!final.isTakenBack && isStill(order, final) && (await this.isSameService(final.runId)))
      this.booked.set(orderKey(order), final.runId)
  }

  /**
   * Whether this ledger covers all the time of a ledger that only a dry run saw, or whose status column was not read:
   * without the row here, that ledger may have been misread.
   */
  private async isDenied({runId}: FinalOrder): Promise<boolean> {
    const {own} = this
    const {weak} = await this.storedRun(runId)
    return weak !== undefined && own.ok && own.fromMs <= weak.fromMs && weak.toMs <= own.toMs
  }

  /** Why an order is not missing for certain: an earlier ledger has its row. Null if none has. */
  reasonAgainst(order: ServiceOrder): string | null {
    const final = this.matched.get(orderKey(order))
    if (final) {
      const amount = final.serviceAmount === null ? '' : ` over BDT ${formatTaka(final.serviceAmount)}`
      if (this.denied.has(final) && isStill(order, final)) {
        return `Run ${final.runId} matched it with a row of its ledger${amount}, and this ledger covers the same time and has no such row: find out which is right.`
      }
      return `Run ${final.runId} matched this number with a row of its ledger${amount}. Since then the order, its amount or its status at the service changed. Find out what was booked.`
    }
    const earlier = this.inRows.get(orderKey(order))
    if (!earlier) return null
    return `Run ${earlier.lastRunId} found a row of its ledger with this number (${earlier.verdict}), so it may be booked already. Resolve that first.`
  }
}

/** Whether the order is unchanged at the service since an earlier run found it final. */
function isStill({platformOrderNo, amount}: ServiceOrder, final: FinalOrder): boolean {
  return platformOrderNo === final.platformOrderNo && amount === final.serviceAmount
}

export interface MissingInput {
  readonly earlier: EarlierRows
  readonly times: Pick<CoveredTimes, 'isOfLaterDay' | 'reasonAgainst' | 'wouldShow'>
  readonly files: readonly LedgerFile[]
  /** Whether the service has the row's own order as completed; false if not queried. */
  readonly paid: (row: Pick<UnexplainedRow, 'kind' | 'orderNo'>) => boolean
  readonly holds: LedgerContents | null
  readonly includeMissing: boolean
}

/**
 * Holds back the resend of an order without a row if it may be booked after all. This verdict is the least certain, and
 * its resend the most costly (docs/resending.md#when-an-order-is-missing-for-certain).
 */
export class MissingOrders {
  /** Sentences about the ledger as a whole. */
  readonly notes: readonly string[] = []
  private readonly staging: Staging
  private readonly input: MissingInput
  /** For each kind, why the ledger does not prove that an order is missing. */
  private readonly foreign = new Map<OrderKind, string>()
  /** Rows whose amount is the sum of missing orders, by the amount of one such order. */
  private readonly sums = new Map<OrderKind, ReadonlyMap<Paisa, UnexplainedRow>>()

  constructor(staging: Staging, missing: readonly ServiceOrder[], input: MissingInput) {
    this.staging = staging
    this.input = input
    if (missing.length === 0) return
    staging.unexplained.fill(
      () => unexplainedRows(staging, input),
      missing.map(({orderNo}) => orderNo),
    )
    for (const [kind, orders] of Map.groupBy(missing, (order) => order.kind)) {
      this.sums.set(kind, this.sumsOf(kind, orders))
      const {known, unknown} = staging.answers.countKnown(kind)
      if (known >= unknown) continue
      const who = `The service knows ${known} of the ${known + unknown} ${kind}s of this ledger`
      this.foreign.set(kind, who)
    }
    this.notes = [...this.foreign.values()].map(
      (who) =>
        `${who}: is it the ledger of this merchant, environment and kind? No order missing in it is resent.`,
    )
  }

  /** As in `CoveredTimes`. */
  isOfLaterDay(takenMs: number): boolean {
    return this.input.times.isOfLaterDay(takenMs)
  }

  /** Whether a row would show what a webhook of this kind booked at that time. */
  wouldShow(kind: OrderKind, takenMs: number): boolean {
    const {known, unknown} = this.staging.answers.countKnown(kind)
    return known > unknown && this.input.times.wouldShow(kind, takenMs)
  }

  weigh(order: ServiceOrder, action: Action) {
    const rows = this.staging.unexplained.like(order)
    const earlier = this.input.earlier.reasonAgainst(order)
    const uncovered = this.rowlessKindText(order) ?? this.input.times.reasonAgainst(order)
    const reasons = [
      ...(rows.length > 0 ? [this.rowsText(rows, order)] : this.wholeText(order)),
      ...(earlier === null ? [] : [earlier]),
      ...this.totalsText(),
      ...(uncovered === null ? [] : [uncovered]),
    ]
    const ofKind = reasons.length === 0 && action === 'resend' ? this.reasonByKind() : null
    if (ofKind !== null) reasons.push(ofKind)
    return {
      action: action === 'resend' && reasons.length > 0 ? 'review' : action,
      reasons,
      isInRow: rows.some(({isBooked}) => isBooked),
    }
  }

  private sumsOf(kind: OrderKind, orders: readonly ServiceOrder[]): ReadonlyMap<Paisa, UnexplainedRow> {
    const rows = new Map<Paisa, UnexplainedRow>()
    for (const row of unexplainedRows(this.staging, this.input)) {
      const amount = row.anyOrder?.amount ?? '~'
      if (isUnread(amount) || !(row.isOfAnyKind || row.kind === kind)) continue
      const paisa = parsePaisa(amount)
      if (paisa !== null) rows.set(paisa, row)
    }
    const parts = summedBy(
      orders.flatMap(({amount}) => amount ?? []),
      new Set(rows.keys()),
    )
    return new Map(
      [...parts].flatMap(([amount, total]) => {
        const row = rows.get(total)
        return row ? [[amount, row]] : []
      }),
    )
  }

  private wholeText({kind, amount}: ServiceOrder): string[] {
    const foreign = this.foreign.get(kind)
    if (foreign !== undefined) return [`Not missing for certain: ${foreign}. Check the profile and --kind.`]
    const row = amount === null ? undefined : this.sums.get(kind)?.get(amount)
    if (!row) return []
    return [
      `Not missing for certain: ${placeOf(row, this.fileOf(row))} has the amount of this order and others together, so it may be all of them. Correct the row and run again; do not book it twice.`,
    ]
  }

  private fileOf({file}: Pick<UnexplainedRow, 'file'>): string {
    const {files} = this.input
    return files.length > 1 ? ` of ${escapeInvisible(files[file]?.path ?? '')}` : ''
  }

  private rowlessKindText({kind}: ServiceOrder): string | null {
    if (this.staging.ledger.kinds.has(kind)) return null
    return `Not missing for certain: the ledger has no row of a ${kind}, so it may not cover ${kind}s. Run hisab with the ledger that does; if none was booked, send it with hisab webhooks resend --include-delivered.`
  }

  /** A file with a total above the sum of its rows has lost rows, and one of them may be this order. */
  private totalsText(): string[] {
    return this.input.files.flatMap(({path, totals}) => {
      const short = totals.find(
        ({agrees, amount, sum}) => agrees === false && amount !== null && amount > sum,
      )
      if (!short) return []
      return `It may not be missing: the total on line ${short.line} of ${escapeInvisible(path)} is more than its rows, so rows may be missing. Export the file again.`
    })
  }

  private reasonByKind(): string | null {
    const {files, holds, includeMissing} = this.input
    if (includeMissing || holdsCredits(files, holds)) return null
    const why =
      holds === null
        ? 'the ledger has a status column, so it is read as a list of orders'
        : 'the profile has ledger.holds = "orders"'
    return `Not resent: ${why}, and the export may have left out this order. If it was not booked, run again with --include-missing.`
  }

  private rowsText(rows: readonly LikeRow[], order: ServiceOrder): string {
    const places = rows.map((row) => placeOf(row, this.fileOf(row)))
    const how = rows.some(({isLost}) => isLost)
      ? ': no payment of its own explains it, and its number or its amount may be those of this order'
      : rows.some((row) => mayBeSameOrderNo(row.orderNo, order.orderNo))
        ? ' under a damaged number'
        : ' by its platform order number'
    return `It may not be missing: ${places.join(' and ')} may be this order${how}. Correct the row and run again. Do not book it twice.`
  }
}

function* unexplainedRows(
  staging: Staging,
  {files, paid, holds}: Pick<MissingInput, 'files' | 'paid' | 'holds'>,
): Generator<UnexplainedRow> {
  const hasCredits = holdsCredits(files, holds)
  for (const {entry, side, isShared} of staging.answers.unexplained()) {
    const {line, file, kind, orderNo, platformOrderNo, status, amount} = entry
    const isBeginning = isCutOff(files, {file, line})
    const isKnown = side?.is === 'found'
    const isExplained = isKnown ? !isUnpaid(entry, side.order, isShared, hasCredits) : status === 'failed'
    const anyOrder = isExplained ? undefined : {amount: amount === null ? null : formatPaisa(amount)}
    const isOfAnyKind = !isKnown
    const isBooked = status === 'completed'
    yield {line, file, kind, isOfAnyKind, orderNo, platformOrderNo, isBooked, anyOrder, isBeginning}
  }
  yield* doubtfulTotals(files)
  for (const row of unreadableNumbers(staging)) {
    // If its own order is paid, and only its amount or kind is unknown, it cannot be another order.
    const isOwn = row.anyOrder && (row.kind === null || isUnread(row.anyOrder.amount)) && paid(row)
    yield isOwn ? {...row, anyOrder: undefined, isOfAnyKind: false} : row
  }
}
