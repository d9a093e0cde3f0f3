import type {Paisa} from '../money.ts'
import {amountInvolved, type Finding} from './finding.ts'
import type {Action, Cause, Severity, Verdict} from './verdict.ts'

/** The findings of one verdict, cause and action, in figures. */
export interface TallyGroup {
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly action: Action
  readonly severity: Severity
  readonly findings: number
  /** Of those that state an amount; null where none does. */
  readonly amount: Paisa | null
}

/** Counts findings as they are decided, those too of which nothing else is kept. */
export class Tally {
  private readonly groups = new Map<string, TallyGroup>()

  add(finding: Finding): void {
    const {verdict, cause, action, severity} = finding
    const key = `${verdict} ${cause} ${action}`
    const before = this.groups.get(key)
    const amount = amountInvolved(finding)
    const sum = before?.amount ?? null
    this.groups.set(key, {
      ...{verdict, cause, action, severity},
      findings: (before?.findings ?? 0) + 1,
      amount: amount === null ? sum : (sum ?? 0n) + amount,
    })
  }

  result(): TallyGroup[] {
    return [...this.groups.values()]
  }
}
