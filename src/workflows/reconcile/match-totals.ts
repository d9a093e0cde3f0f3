import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import {type Finding, saysNothing} from '../../core/reconcile/finding.ts'
import type {LedgerOrder} from '../../core/reconcile/orders.ts'
import {Tally, type TallyGroup} from '../../core/reconcile/tally.ts'
import {type CompletedSums, type TieOut, TieOutBook} from '../../core/reconcile/tie-out.ts'
import type {Worksheet} from '../../staging/staging.ts'

/** Whom findings are about: an order of the ledger, one that no row names, or null where a row cannot be read. */
export type Subject = (Pick<LedgerOrder, 'kind' | 'entries'> & {readonly service: ServiceOrder | null}) | null

/**
 * Takes every finding once it is final: counts it, ties it out, and keeps it where it says something. Of what agrees
 * only figures are kept, unless all is to be listed.
 */
export class Books {
  private readonly sheet: Worksheet
  private readonly keepsAll: boolean
  private readonly tally = new Tally()
  private readonly tie = new TieOutBook()
  /** Completed orders that no row names, by kind: the answers of the sheet do not have them. */
  private readonly unnamed: Record<OrderKind, bigint> = {deposit: 0n, payout: 0n}

  constructor(sheet: Worksheet, keepsAll: boolean) {
    this.sheet = sheet
    this.keepsAll = keepsAll
  }

  /** All the findings of one order together. */
  enter(subject: Subject, findings: readonly Finding[]): void {
    for (const finding of findings) {
      this.tally.add(finding)
      // What a payload was read for cannot be told again from the answer.
      const isToldByPayload = finding.deliveredAmount !== undefined
      if (this.keepsAll || isToldByPayload || !saysNothing(finding)) this.sheet.findings.put(finding)
    }
    if (subject === null) return
    this.tie.add({...subject, findings})
  }

  noteUnnamed({kind, status, amount}: ServiceOrder): void {
    if (status === 'completed') this.unnamed[kind] += amount ?? 0n
  }

  groups(): readonly TallyGroup[] {
    return this.tally.result()
  }

  /** The sums are asked of the sheet anew, past everything that was entered here. */
  tieOut(): TieOut {
    const {ledger, answers} = this.sheet
    const sums = (kind: OrderKind): CompletedSums => ({
      ledger: ledger.completed(kind),
      service: answers.completed(kind) + this.unnamed[kind],
    })
    return this.tie.close({deposit: sums('deposit'), payout: sums('payout')})
  }
}
