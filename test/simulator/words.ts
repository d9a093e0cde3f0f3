import type {FindingView} from '../../src/report/reconcile-report.ts'
import {taka} from './world.ts'

/** A person's word to leave a finding alone for a while, as it was given. */
export interface Word {
  /** As `hisab ignores list` shows it. */
  readonly id: number
  readonly kind: string
  readonly orderNo: string
  readonly verdict: string
  /** `500.00`; null where nobody states an amount. */
  readonly atRisk: string | null
  readonly fromMs: number
  readonly untilMs: number
  /** When somebody took it back; infinity while nobody has. */
  takenBackMs: number
}

type Trouble = Pick<Word, 'kind' | 'orderNo' | 'verdict'>

/** Whether they are about one trouble of one order. */
export function isSameTrouble(
  one: Trouble,
  {kind, orderNo, verdict}: {[Key in keyof Trouble]: string | null},
): boolean {
  return one.kind === kind && one.orderNo === orderNo && one.verdict === verdict
}

/** All that one trouble of an order puts at risk in a report: of several rows their sum, null where one does not say. */
export function atRiskOf(findings: readonly FindingView[], trouble: Trouble): string | null | undefined {
  const amounts = findings
    .filter((finding) => isSameTrouble(trouble, finding))
    .map(({amountAtRisk}) => amountAtRisk)
  if (amounts.length === 0) return undefined
  if (amounts.includes(null)) return null
  return taka(amounts.reduce((sum, amount) => sum + BigInt((amount ?? '').replace('.', '')), 0n))
}

export function endOf({untilMs, takenBackMs}: Word): number {
  return Math.min(untilMs, takenBackMs)
}
