import type {Paisa} from '../money.ts'
import type {OrderKind} from '../order.ts'
import type {Finding} from './finding.ts'
import type {Action, Cause, Severity, Verdict} from './verdict.ts'
import {amountInvolved} from './verdict-facts.ts'

export interface TallyGroup {
  readonly verdict: Verdict
  /** Null for rows whose kind cannot be read. */
  readonly kind: OrderKind | null
  readonly cause: Cause | null
  readonly action: Action
  readonly severity: Severity
  readonly findings: number
  /** Of those with an amount, or null. What failed on both sides adds nothing. */
  readonly amount: Paisa | null
}

/** Counts findings as they are decided, including those not kept. */
export class Tally {
  private readonly groups: {-readonly [Key in keyof TallyGroup]: TallyGroup[Key]}[] = []

  /** `by` is -1 to take it back. */
  add(finding: Finding, by: 1 | -1 = 1): void {
    const {verdict, kind, cause, action, severity} = finding
    let group = this.groups.find(
      (one) => one.verdict === verdict && one.kind === kind && one.cause === cause && one.action === action,
    )
    if (!group) {
      group = {verdict, kind, cause, action, severity, findings: 0, amount: null}
      this.groups.push(group)
    }
    group.findings += by
    const amount = movedNothing(finding) ? null : amountInvolved(finding)
    if (amount !== null) group.amount = (group.amount ?? 0n) + amount * BigInt(by)
  }

  result(): readonly TallyGroup[] {
    return this.groups.filter(({findings}) => findings > 0)
  }
}

/** Failed in the ledger, and failed or unknown at the service: the tally agrees with the tie-out. */
function movedNothing({verdict, ledger}: Finding): boolean {
  return verdict === 'matched' && ledger?.status !== 'completed'
}
