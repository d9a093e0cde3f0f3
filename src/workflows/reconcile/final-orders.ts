import {inBatches} from '../../core/batches.ts'
import {readStatus} from '../../core/dialect.ts'
import {orderKinds, type ServiceOrder} from '../../core/order.ts'
import type {Profile} from '../../core/profile.ts'
import {namesAnother, type ServiceSide, type TakenAnswers} from '../../core/reconcile/classify.ts'
import type {BookedRow} from '../../core/reconcile/entry.ts'
import {isDuplicate, type LedgerOrder} from '../../core/reconcile/orders.ts'
import type {Journal} from '../../journal/journal.ts'
import type {FinalAnswer, FinalOrder, NonFinalOrder} from '../../journal/memory-rows.ts'
import {storedRuns} from '../stored-run.ts'

type AskingProfile = Pick<Profile, 'dialect' | 'baseUrl' | 'applyUrl'>

/** The addresses that a run queries, as the journal stores them. */
export function serviceOf({baseUrl, applyUrl}: Pick<Profile, 'baseUrl' | 'applyUrl'>): readonly string[] {
  return [baseUrl, applyUrl]
}

// A profile may be changed to another service, and answers of a test service mean nothing for the books.
export function sameServiceAs(
  profile: AskingProfile,
  journal: Pick<Journal, 'findRun'>,
): (runId: string) => Promise<boolean> {
  const storedRun = storedRuns(journal)
  const here = serviceOf(profile)
  return async (runId) => {
    const {service} = await storedRun(runId)
    return service?.length === here.length && here.every((address, at) => address === service[at])
  }
}

/** A resumed run queries orders again whose answer is older. */
const ownAnswersMs = 24 * 60 * 60_000

interface Taking {
  readonly nowMs: number
  readonly runId: string
  readonly skipFinal: boolean
  readonly hasLedgerAmounts: boolean
}

/**
 * The orders that need no new query: they matched, were final on both sides, and their row is unchanged. From this
 * run's earlier processes for a day (`--resume`), from earlier runs only with `--skip-final`. `take` gets each with the
 * answer to use. Returns how many came from each earlier run.
 */
export async function takeFinalOrders<Order extends LedgerOrder>(
  orders: Iterable<Order>,
  journal: Pick<Journal, 'findFinalOrders' | 'findRun'>,
  profile: AskingProfile,
  {runId, skipFinal, hasLedgerAmounts, nowMs}: Taking,
  take: (order: Order, side: ServiceSide) => void,
): Promise<ReadonlyMap<string, TakenAnswers>> {
  const isSameService = sameServiceAs(profile, journal)
  const fromRuns = new Map<string, TakenAnswers>()
  const stands = async (order: Order, final: FinalOrder) =>
    !final.isSeenOnly &&
    !final.isTakenBack &&
    isUnchanged(order, final) &&
    (final.status === 'failed' || isAmountFinal(final, hasLedgerAmounts)) &&
    readStatus(profile.dialect, order.kind, final.rawStatus) === final.status &&
    (final.runId === runId ? nowMs - final.askedAtMs < ownAnswersMs : skipFinal) &&
    (await isSameService(final.runId))
  for (const some of inBatches(orders, askedAtOnce)) {
    for (const kind of orderKinds) {
      const asked = new Map(
        some.filter((order) => order.kind === kind).map((order) => [order.orderNo, order]),
      )
      for (const final of await journal.findFinalOrders(kind, [...asked.keys()])) {
        const order = asked.get(final.orderNo)
        if (!order || !(await stands(order, final))) continue
        take(order, sideOf(final))
        const known = fromRuns.get(final.runId)
        fromRuns.set(final.runId, {
          orders: (known?.orders ?? 0) + 1,
          oldestMs: Math.min(known?.oldestMs ?? final.askedAtMs, final.askedAtMs),
        })
      }
    }
  }
  return fromRuns
}

/** Looked up in batches, because a million single look-ups would take too long. */
export const askedAtOnce = 5_000

/** Records final orders during the run, so that a killed run does not query them again. */
export class FinalOrderRecorder {
  private readonly journal: Pick<Journal, 'recordFinalOrders'>
  private readonly runId: string
  private readonly now: () => number
  private readonly isSeenOnly: boolean
  private waiting: FinalAnswer[] = []
  private nonFinal: NonFinalOrder[] = []

  /** `isSeenOnly`: for a dry run, whose answers are not used later. */
  constructor(
    journal: Pick<Journal, 'recordFinalOrders'>,
    runId: string,
    now: () => number,
    isSeenOnly: boolean,
  ) {
    this.journal = journal
    this.runId = runId
    this.now = now
    this.isSeenOnly = isSeenOnly
  }

  /** An answer that is not final revokes an earlier final one. No answer changes nothing. */
  take(order: LedgerOrder, side: ServiceSide): Promise<void> | void {
    const [entry] = order.entries
    if (side.is === 'no_answer' || !entry) return
    if (side.is === 'found' && !isDuplicate(order) && isFinal(entry, side.order)) {
      this.waiting.push({ledgerAmount: entry.amount, order: side.order})
    } else if (!this.isSeenOnly) {
      const {kind, orderNo} = order
      const isPaid = side.is === 'found' && side.order.status === 'completed'
      const isUnbooked = entry.status !== 'completed' && !isDuplicate(order)
      this.nonFinal.push({kind, orderNo, paid: isPaid && isUnbooked ? side.order : null})
    }
    return this.flushIfMany()
  }

  /** A record contradicts the final answer, so it is queried again. */
  revoke({kind, orderNo}: Pick<NonFinalOrder, 'kind' | 'orderNo'>): Promise<void> | void {
    if (!this.isSeenOnly) this.nonFinal.push({kind, orderNo, paid: null})
    return this.flushIfMany()
  }

  private flushIfMany(): Promise<void> | void {
    if (this.waiting.length + this.nonFinal.length >= waitingMax) return this.flush()
  }

  async flush(): Promise<void> {
    // Taken before the write, because answers arrive during it.
    const {waiting, nonFinal} = this
    this.waiting = []
    this.nonFinal = []
    if (waiting.length + nonFinal.length === 0) return
    await this.journal.recordFinalOrders(this.runId, this.now(), waiting, nonFinal, this.isSeenOnly)
  }
}

/** One sync for this many answers: a kill costs as many calls again. */
const waitingMax = 1_000

/** Whether both sides agree on a final state, so that a run remembers it for ledgers without the row. */
export function isFinal(entry: BookedRow, order: ServiceOrder): boolean {
  const {status, amount, sentAmount} = order
  if (sentAmount !== undefined || status !== entry.status || namesAnother(entry, order)) return false
  if (status === 'failed') return true
  return status === 'completed' && (entry.amount === null || amount === null || entry.amount === amount)
}

/** If only one side has an amount, the delivered payload may decide: query again. */
function isAmountFinal({ledgerAmount, serviceAmount}: FinalOrder, hasLedgerAmounts: boolean): boolean {
  if (ledgerAmount === null) return serviceAmount === null || !hasLedgerAmounts
  return ledgerAmount === serviceAmount
}

function isUnchanged(order: LedgerOrder, final: FinalOrder): boolean {
  const [entry] = order.entries
  if (!entry || isDuplicate(order) || namesAnother(entry, final)) return false
  return entry.status === final.status && entry.amount === final.ledgerAmount
}

function sideOf(final: FinalOrder): ServiceSide {
  const {kind, orderNo, platformOrderNo, status, rawStatus, serviceAmount: amount, runId} = final
  const order = {kind, orderNo, platformOrderNo, status, rawStatus, amount}
  return {is: 'found', order, takenFrom: {runId, askedAtMs: final.askedAtMs}}
}
