import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import {type Finding, isUnremarkable} from '../../core/reconcile/finding.ts'
import type {LedgerOrder} from '../../core/reconcile/orders.ts'
import {Tally, type TallyGroup} from '../../core/reconcile/tally.ts'
import {type CompletedSums, type TieOut, TieOutBuilder} from '../../core/reconcile/tie-out.ts'
import type {Staging} from '../../staging/staging.ts'
import {isFinal} from './final-orders.ts'

/** What findings are about: an order with or without a row, or null for an unreadable row. */
export type Subject = (Pick<LedgerOrder, 'kind' | 'entries'> & {readonly service: ServiceOrder | null}) | null

/**
 * Receives every final finding: counts it, adds it to the statement, and keeps it if it reports anything. Of findings
 * that agree only figures are kept, unless all are listed.
 */
export class MatchTotals {
  private readonly staging: Staging
  private readonly keepsAll: boolean
  private readonly tally = new Tally()
  private readonly tie = new TieOutBuilder()
  /** Sums of completed orders without a row, by kind: the staged answers do not have them. */
  private readonly missing: Record<OrderKind, bigint> = {deposit: 0n, payout: 0n}

  constructor(staging: Staging, keepsAll: boolean) {
    this.staging = staging
    this.keepsAll = keepsAll
  }

  /** To be called once for each order, with all its findings. */
  add(subject: Subject, findings: readonly Finding[]): void {
    for (const finding of findings) {
      this.tally.add(finding)
      // An amount read from a payload cannot be rebuilt from the answer.
      const isStatedByPayload = finding.deliveredAmount !== undefined
      if (this.keepsAll || isStatedByPayload || !isUnremarkable(finding)) this.staging.findings.put(finding)
    }
    if (subject === null) return
    const balance = this.tie.add({...subject, findings})
    if (balance === null || isFinalAgreed(subject, findings)) return
    const [orderNo, ...others] = new Set(findings.flatMap((finding) => finding.orderNo ?? []))
    const {balances} = this.staging
    const {kind} = subject
    if (orderNo !== undefined) balances.put({kind, orderNo, ...balance, isNotCounted: false})
    // Rows of one order count under the first of their numbers.
    for (const other of others) balances.putNone({kind, orderNo: other})
  }

  /** Removes an agreed order: it is the same order as another, or a record contradicts it. */
  takeBack(subject: NonNullable<Subject>, finding: Finding): void {
    this.tally.add(finding, -1)
    this.tie.add({...subject, findings: [finding]}, -1n)
    if (this.keepsAll) this.staging.findings.remove(finding)
  }

  addMissing({kind, status, amount}: ServiceOrder): void {
    if (status === 'completed') this.missing[kind] += amount ?? 0n
  }

  groups(): readonly TallyGroup[] {
    return this.tally.result()
  }

  /** The sums come from the staging store, independently of what was added here. */
  tieOut(): TieOut {
    const {ledger, answers} = this.staging
    const sums = (kind: OrderKind): CompletedSums => ({
      ledger: ledger.completed(kind),
      service: answers.completed(kind) + this.missing[kind],
    })
    return this.tie.build({deposit: sums('deposit'), payout: sums('payout')})
  }
}

/** Whether the journal's final order has everything that the statement needs. */
function isFinalAgreed({entries, service}: NonNullable<Subject>, findings: readonly Finding[]): boolean {
  const [entry, ...others] = entries
  const isAgreed = findings.every(({verdict}) => verdict === 'matched')
  return isAgreed && entry !== undefined && others.length === 0 && service !== null && isFinal(entry, service)
}
