import {formatTaka, type Paisa} from '../../core/money.ts'
import {type Finding, isBreak} from '../../core/reconcile/finding.ts'

/** Limits for the breaks of a usual night; null: no limit. */
export interface Gates {
  readonly maxBreaks: number | null
  readonly maxBreakAmount: Paisa | null
}

export type BreakSum = ReturnType<typeof sumBreaks>

export function sumBreaks(findings: Iterable<Finding>) {
  let [breaks, amount, amountUnknown] = [0, 0n, 0]
  for (const finding of findings) {
    if (!isBreak(finding)) continue
    breaks += 1
    amount += finding.atRisk ?? 0n
    if (finding.atRisk === null) amountUnknown += 1
  }
  return {breaks, amount, amountUnknown}
}

/** What is above its limit, as clauses. An unknown amount is above every limit. */
export function gatesExceeded(
  {maxBreaks, maxBreakAmount}: Gates,
  {breaks, amount, amountUnknown}: BreakSum,
): string[] {
  const over: string[] = []
  if (maxBreaks !== null && breaks > maxBreaks) over.push(`${breaks} breaks are more than ${maxBreaks}`)
  if (maxBreakAmount === null) return over
  if (amount > maxBreakAmount)
    over.push(`breaks of BDT ${formatTaka(amount)} are more than BDT ${formatTaka(maxBreakAmount)}`)
  if (amountUnknown > 0) over.push(`of ${amountUnknown} breaks the amount is unknown`)
  return over
}
