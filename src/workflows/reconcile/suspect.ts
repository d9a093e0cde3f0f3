import {
  type Damage,
  describeNumbers,
  explainDamage,
  type NumberColumn,
  suspectNumber,
  UnnamedNumbers,
} from '../../core/reconcile/damage.ts'
import type {LedgerEntry} from '../../core/reconcile/entry.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import type {LedgerFile} from '../../ledger/ledger.ts'

/** What a suspicion is drawn from. */
export interface SuspectSources {
  readonly files: readonly Pick<LedgerFile, 'endsMidLine' | 'lastLine'>[]
  /** The order numbers of all rows. */
  readonly numbers: () => Iterable<Pick<LedgerEntry, 'orderNo'>>
  /** Those of orders the service completed and no row names. */
  readonly missingNumbers: () => Iterable<string>
}

/**
 * Names what a spreadsheet may have done to the rows that do not agree. Only what is known already is used: no guessed
 * number is asked for.
 */
export class Suspicion {
  private readonly sources: SuspectSources
  private column: NumberColumn | null = null
  private unnamed: UnnamedNumbers | null = null

  constructor(sources: SuspectSources) {
    this.sources = sources
  }

  /** The finding as it was, where nothing is suspected. */
  name(finding: Finding): Finding {
    const {verdict, orderNo} = finding
    if (orderNo === null || (verdict !== 'missing_at_provider' && verdict !== 'amount_mismatch'))
      return finding
    const damage = (verdict === 'missing_at_provider' ? this.ofNumber(orderNo) : null) ?? this.cutOff(finding)
    return damage
      ? {...finding, damage, explanation: `${finding.explanation} ${explainDamage(damage)}`}
      : finding
  }

  // Most ledgers have no such row, and are not walked for it.
  private ofNumber(orderNo: string): Damage | null {
    this.column ??= describeNumbers(this.sources.numbers())
    this.unnamed ??= new UnnamedNumbers(this.sources.missingNumbers())
    return suspectNumber(orderNo, this.column, this.unnamed)
  }

  private cutOff({file, line}: Finding): Damage | null {
    const its = file === null ? undefined : this.sources.files[file]
    return its?.endsMidLine && its.lastLine === line
      ? {what: 'cut_off', repair: null, isCertain: false}
      : null
  }
}
