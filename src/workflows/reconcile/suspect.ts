import {
  type Damage,
  describeNumbers,
  explainDamage,
  suspectNumber,
  UnnamedNumbers,
} from '../../core/reconcile/damage.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import type {Ledger} from '../../ledger/ledger.ts'

/**
 * Names what a spreadsheet may have done to the rows that do not agree. Only what is known already is used: no guessed
 * number is asked for.
 */
export function suspectDamage(findings: readonly Finding[], ledger: Ledger): readonly Finding[] {
  if (!findings.some(isSuspect)) return findings
  const column = describeNumbers(ledger.entries)
  const unnamed = new UnnamedNumbers(
    findings.flatMap(({verdict, orderNo}) =>
      verdict === 'missing_in_ledger' && orderNo !== null ? [orderNo] : [],
    ),
  )
  return findings.map((finding) => {
    if (!isSuspect(finding) || finding.orderNo === null) return finding
    const damage =
      (finding.verdict === 'missing_at_provider' ? suspectNumber(finding.orderNo, column, unnamed) : null) ??
      cutOff(finding, ledger)
    return damage
      ? {...finding, damage, explanation: `${finding.explanation} ${explainDamage(damage)}`}
      : finding
  })
}

function isSuspect({verdict}: Finding): boolean {
  return verdict === 'missing_at_provider' || verdict === 'amount_mismatch'
}

function cutOff({file, line}: Finding, ledger: Ledger): Damage | null {
  const its = file === null ? undefined : ledger.files[file]
  return its?.endsMidLine && its.lastLine === line ? {what: 'cut_off', repair: null, isCertain: false} : null
}
