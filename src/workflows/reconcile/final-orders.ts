import {readStatus} from '../../core/dialect.ts'
import {orderKinds, type ServiceOrder} from '../../core/order.ts'
import type {Profile} from '../../core/profile.ts'
import {namesAnother, type ServiceSide, type TakenAnswers} from '../../core/reconcile/classify.ts'
import type {BookedRow} from '../../core/reconcile/entry.ts'
import {isDuplicate, type LedgerOrder} from '../../core/reconcile/orders.ts'
import type {Journal} from '../../journal/journal.ts'
import type {SettledOrder, Settling, UnsettledOrder} from '../../journal/memory-rows.ts'
import {inBatches} from '../bounded.ts'

type AskingProfile = Pick<Profile, 'dialect' | 'baseUrl' | 'applyUrl'>

/** Where a run asks for its orders, as its row of the journal keeps it. */
export function serviceOf({baseUrl, applyUrl}: Pick<Profile, 'baseUrl' | 'applyUrl'>): readonly string[] {
  return [baseUrl, applyUrl]
}

// A profile can be pointed at another service, and a test service's word is nothing in the books.
export function sameServiceAs(
  profile: AskingProfile,
  journal: Pick<Journal, 'findRun'>,
): (runId: string) => boolean {
  const known = new Map<string, boolean>()
  const here = JSON.stringify(serviceOf(profile))
  const isSame = (runId: string) => {
    const options = journal.findRun(runId)?.options
    return options !== undefined && JSON.stringify(JSON.parse(options).service) === here
  }
  return (runId) => {
    const is = known.get(runId) ?? isSame(runId)
    known.set(runId, is)
    return is
  }
}

/** A resumed run asks again for what it was told longer ago. */
const ownAnswersMs = 24 * 60 * 60_000

interface Taking {
  readonly nowMs: number
  readonly runId: string
  readonly skipFinal: boolean
  /** Whether any row of this ledger states an amount. */
  readonly hasLedgerAmounts: boolean
}

/**
 * The orders that need not be asked for again: they matched and were at an end on both sides, and their row says what
 * it said then. Of this run's own earlier processes for a day (`--resume`), of earlier runs only with `--skip-final`.
 * Each is handed to `take` with the answer that stands in; returned is how many came from which earlier run.
 */
export function takeSettled<Order extends LedgerOrder>(
  orders: Iterable<Order>,
  journal: Pick<Journal, 'findSettled' | 'findRun'>,
  profile: AskingProfile,
  {runId, skipFinal, hasLedgerAmounts, nowMs}: Taking,
  take: (order: Order, side: ServiceSide) => void,
): ReadonlyMap<string, TakenAnswers> {
  const isSameService = sameServiceAs(profile, journal)
  const fromRuns = new Map<string, TakenAnswers>()
  const stands = (order: Order, settled: SettledOrder) =>
    !settled.isSeenOnly &&
    isUnchanged(order, settled) &&
    (settled.status === 'failed' || isAmountFinal(settled, hasLedgerAmounts)) &&
    isSameService(settled.runId) &&
    readStatus(profile.dialect, settled.rawStatus) === settled.status &&
    (settled.runId === runId ? nowMs - settled.settledAtMs < ownAnswersMs : skipFinal)
  for (const some of inBatches(orders, askedAtOnce)) {
    for (const kind of orderKinds) {
      const asked = new Map(
        some.filter((order) => order.kind === kind).map((order) => [order.orderNo, order]),
      )
      for (const settled of journal.findSettled(kind, [...asked.keys()])) {
        const order = asked.get(settled.orderNo)
        if (!order || !stands(order, settled)) continue
        take(order, sideOf(settled))
        const known = fromRuns.get(settled.runId)
        fromRuns.set(settled.runId, {
          orders: (known?.orders ?? 0) + 1,
          oldestMs: Math.min(known?.oldestMs ?? settled.settledAtMs, settled.settledAtMs),
        })
      }
    }
  }
  return fromRuns
}

/** Looked for in the journal together: a million searches by themselves would take longer than they are worth. */
export const askedAtOnce = 5_000

/** Writes settled orders down while the run goes on, so that a killed one does not ask for them again. */
export class SettledRecorder {
  private readonly journal: Pick<Journal, 'recordSettled'>
  private readonly runId: string
  private readonly now: () => number
  private readonly isSeenOnly: boolean
  private waiting: Settling[] = []
  private unsettled: UnsettledOrder[] = []

  /** `isSeenOnly`: by a dry run, whose word stands in for no question. */
  constructor(
    journal: Pick<Journal, 'recordSettled'>,
    runId: string,
    now: () => number,
    isSeenOnly: boolean,
  ) {
    this.journal = journal
    this.runId = runId
    this.now = now
    this.isSeenOnly = isSeenOnly
  }

  /** An answer that settles nothing takes back what an earlier one settled; no answer says nothing. */
  take(order: LedgerOrder, side: ServiceSide): void {
    const [entry] = order.entries
    if (side.is === 'no_answer' || !entry) return
    if (side.is === 'found' && !isDuplicate(order) && isSettled(entry, side.order)) {
      this.waiting.push({ledgerAmount: entry.amount, order: side.order})
    } else if (!this.isSeenOnly) {
      const {kind, orderNo} = order
      const isPaid = side.is === 'found' && side.order.status === 'completed'
      const isUnbooked = entry.status !== 'completed' && !isDuplicate(order)
      this.unsettled.push({kind, orderNo, paid: isPaid && isUnbooked ? side.order : null})
    }
    if (this.waiting.length + this.unsettled.length >= waitingMax) this.flush()
  }

  flush(): void {
    if (this.waiting.length + this.unsettled.length > 0) {
      this.journal.recordSettled(this.runId, this.now(), this.waiting, this.unsettled, this.isSeenOnly)
    }
    this.waiting = []
    this.unsettled = []
  }
}

/** A sync for so many answers: what a kill loses is asked for again, and costs that many calls. */
const waitingMax = 1_000

/** Matched, and at an end on both sides: what a run remembers of an order whose row may not be in the next ledger. */
export function isSettled(entry: BookedRow, order: ServiceOrder): boolean {
  const {status, amount} = order
  if (status !== entry.status || namesAnother(entry, order)) return false
  if (status === 'failed') return true
  return status === 'completed' && (entry.amount === null || amount === null || entry.amount === amount)
}

/** Where one side alone states an amount, the delivered payload may have the last word: it is asked for again. */
function isAmountFinal({ledgerAmount, serviceAmount}: SettledOrder, hasLedgerAmounts: boolean): boolean {
  if (ledgerAmount === null) return serviceAmount === null || !hasLedgerAmounts
  return ledgerAmount === serviceAmount
}

function isUnchanged(order: LedgerOrder, settled: SettledOrder): boolean {
  const [entry] = order.entries
  if (!entry || isDuplicate(order) || namesAnother(entry, settled)) return false
  return entry.status === settled.status && entry.amount === settled.ledgerAmount
}

function sideOf(settled: SettledOrder): ServiceSide {
  const {kind, orderNo, platformOrderNo, status, rawStatus, serviceAmount: amount, runId} = settled
  const order = {kind, orderNo, platformOrderNo, status, rawStatus, amount}
  return {is: 'found', order, takenFrom: {runId, askedAtMs: settled.settledAtMs}}
}
