import {type Paisa, sumPaisa} from '../money.ts'
import type {OrderKind, ServiceOrder} from '../order.ts'
import type {BookedRow} from './entry.ts'
import type {Finding} from './finding.ts'
import type {Cause, Verdict} from './verdict.ts'

/** Sums in paisa over completed orders: `tieOut` of the report (contract §4.4). */
export interface TieOutSums {
  readonly ledgerCompleted: Paisa
  readonly providerCompleted: Paisa
  /** `ledgerCompleted - providerCompleted`. */
  readonly difference: Paisa
  /** The same difference, summed from the findings. */
  readonly explained: Paisa
  readonly unexplained: Paisa
  /** Orders left out of every sum because a completed side has no amount. */
  readonly amountUnknown: number
  /** Orders without an answer, and what the ledger completed of them. */
  readonly unanswered: number
  readonly unansweredAmount: Paisa
}

/**
 * The sums of all orders and of each kind. An `unexplained` amount of either kind makes the run incomplete. Money in
 * and money out are no balance: differences of the two kinds never cancel.
 */
export interface TieOut extends TieOutSums {
  readonly byKind: Readonly<Record<OrderKind, TieOutSums>>
  readonly reconciling: Readonly<Record<OrderKind, readonly ReconcilingItem[]>>
}

/** Orders of one result and cause on which the sides differ; plus and minus are never netted. */
export interface ReconcilingItem {
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly orders: number
  /** What the service has more than the ledger. */
  readonly plus: Paisa
  /** What the ledger has more than the service. */
  readonly minus: Paisa
}

/** The completed sums of a kind, from rows and answers, not from findings. */
export interface CompletedSums {
  readonly ledger: Paisa
  readonly service: Paisa
}

/** One order's amounts on both sides in paisa, and the difference by its findings. */
export interface OrderBalance {
  readonly ledger: Paisa
  readonly service: Paisa
  /** Ledger minus service. */
  readonly difference: Paisa
  readonly verdict: Verdict | null
  readonly cause: Cause | null
}

export interface CountedOrder extends OrderBalance {
  readonly kind: OrderKind
  readonly orderNo: string
  /**
   * Not counted, even if an earlier run counted it: a new export lacks its rows, or they belong to another number of
   * the order.
   */
  readonly isNotCounted: boolean
}

/** The orders that a run was the last to count, of one result and cause; null where both sides agreed. */
export interface BalanceOfRun {
  readonly runId: string
  readonly kind: OrderKind
  readonly verdict: Verdict | null
  readonly cause: Cause | null
  readonly orders: number
  readonly ledger: Paisa
  readonly service: Paisa
  /** The orders on which the sides differ, gross. */
  readonly differing: number
  readonly plus: Paisa
  readonly minus: Paisa
}

export interface TiedOrder {
  readonly kind: OrderKind
  readonly entries: readonly Pick<BookedRow, 'status' | 'amount'>[]
  readonly service: Pick<ServiceOrder, 'status' | 'amount'> | null
  readonly findings: readonly Pick<Finding, 'verdict' | 'cause' | 'ledger' | 'service'>[]
}

/**
 * Compares the totals from rows and answers with the difference from the findings: two ways to one figure, so that a
 * lost order shows.
 *
 * An order that one side completed without an amount, while the other side has one, is counted in neither.
 */
export class TieOutBuilder {
  private readonly groups: Record<
    OrderKind,
    {-readonly [Key in keyof ReconcilingItem]: ReconcilingItem[Key]}[]
  > = {
    deposit: [],
    payout: [],
  }
  private readonly unanswered = {deposit: {orders: 0, amount: 0n}, payout: {orders: 0, amount: 0n}}
  private readonly leftOut = {
    deposit: {ledger: 0n, service: 0n, orders: 0},
    payout: {ledger: 0n, service: 0n, orders: 0},
  }

  /**
   * Adds an order with all its findings; `by` is -1n to take an answered one back. Null if the other side is unknown.
   */
  add({kind, entries, service, findings}: TiedOrder, by: 1n | -1n = 1n): OrderBalance | null {
    const booked = entries.filter(({status}) => status === 'completed')
    const bookedSum = sumPaisa(booked.map(({amount}) => amount ?? 0n))
    if (findings.some(isUnanswered)) {
      // The other side is unknown: nothing is explained.
      this.unanswered[kind].orders += 1
      this.unanswered[kind].amount += bookedSum
      return null
    }
    const paid = service?.status === 'completed' ? service : null
    if (isTied(booked, paid)) {
      const {verdict = null, cause = null} =
        findings.find((one) => one.verdict !== 'matched') ?? findings[0] ?? {}
      const difference = explain(findings)
      const balance = {ledger: bookedSum, service: paid?.amount ?? 0n, difference, verdict, cause}
      this.addDifference(kind, balance, by)
      return balance
    }
    const out = this.leftOut[kind]
    out.ledger += by * bookedSum
    out.service += by * (paid?.amount ?? 0n)
    out.orders += Number(by)
    return {ledger: 0n, service: 0n, difference: 0n, verdict: null, cause: null}
  }

  private addDifference(kind: OrderKind, {difference, verdict, cause}: OrderBalance, by: 1n | -1n): void {
    if (difference === 0n || verdict === null) return
    let group = this.groups[kind].find((one) => one.verdict === verdict && one.cause === cause)
    if (!group) {
      group = {verdict, cause, orders: 0, plus: 0n, minus: 0n}
      this.groups[kind].push(group)
    }
    group.orders += Number(by)
    if (difference > 0n) group.minus += by * difference
    else group.plus -= by * difference
  }

  build(sums: Readonly<Record<OrderKind, CompletedSums>>): TieOut {
    const of = (kind: OrderKind): TieOutSums => {
      const {ledger, service, orders: amountUnknown} = this.leftOut[kind]
      const ledgerCompleted = sums[kind].ledger - ledger
      const providerCompleted = sums[kind].service - service
      const difference = ledgerCompleted - providerCompleted
      const explained = sumPaisa(this.groups[kind].map(({plus, minus}) => minus - plus))
      const unexplained = difference - explained
      const {orders: unanswered, amount: unansweredAmount} = this.unanswered[kind]
      const tied = {ledgerCompleted, providerCompleted, difference, explained, unexplained}
      return {...tied, amountUnknown, unanswered, unansweredAmount}
    }
    const byKind = {deposit: of('deposit'), payout: of('payout')}
    const {deposit, payout} = byKind
    const both = (name: 'ledgerCompleted' | 'providerCompleted' | 'unansweredAmount') =>
      deposit[name] + payout[name]
    const apart = (name: 'difference' | 'explained' | 'unexplained') => addApart(deposit[name], payout[name])
    return {
      ledgerCompleted: both('ledgerCompleted'),
      providerCompleted: both('providerCompleted'),
      difference: apart('difference'),
      explained: apart('explained'),
      unexplained: apart('unexplained'),
      amountUnknown: deposit.amountUnknown + payout.amountUnknown,
      unanswered: deposit.unanswered + payout.unanswered,
      unansweredAmount: both('unansweredAmount'),
      byKind,
      reconciling: this.groups,
    }
  }
}

/** Sums amounts of both kinds without letting a shortage cancel a surplus. */
function addApart(one: Paisa, other: Paisa): Paisa {
  if (one < 0n === other < 0n || one === 0n || other === 0n) return one + other
  return (one < 0n ? -one : one) + (other < 0n ? -other : other)
}

function isUnanswered({verdict, cause}: Pick<Finding, 'verdict' | 'cause'>): boolean {
  if (verdict === 'query_failed') return true
  return verdict === 'duplicate_in_ledger' && (cause === 'query_failed' || cause === 'not_asked')
}

// A blank amount on both sides, or alone on its side, changes no sum.
function isTied(
  booked: readonly {readonly amount: Paisa | null}[],
  paid: {readonly amount: Paisa | null} | null,
): boolean {
  if (booked.length === 0 || paid === null) return true
  return (paid.amount === null) === booked.every(({amount}) => amount === null)
}

/** The difference of one order. Its answer counts once, however many rows name it. */
function explain(findings: TiedOrder['findings']): Paisa {
  let difference = 0n
  let isAnswered = false
  for (const {ledger, service} of findings) {
    if (ledger?.status === 'completed') difference += ledger.amount ?? 0n
    if (isAnswered || service?.status !== 'completed') continue
    difference -= service.amount ?? 0n
    isAnswered = true
  }
  return difference
}
