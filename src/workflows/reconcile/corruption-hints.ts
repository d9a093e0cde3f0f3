import {
  describeNumbers,
  explainCorruption,
  hintForNumber,
  type NumberColumn,
} from '../../core/reconcile/corruption.ts'
import type {Corruption, LedgerEntry} from '../../core/reconcile/entry.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {LedgerFile} from '../../ledger/ledger.ts'

export interface HintSources {
  readonly files: readonly Pick<LedgerFile, 'endsMidLine' | 'lastLine'>[]
  readonly numbers: () => Iterable<Pick<LedgerEntry, 'orderNo'>>
  /** Numbers of missing orders that this row may have in a damaged form. */
  readonly missingLike: (place: {readonly file: number; readonly line: number}) => readonly string[]
}

/**
 * Explains what a spreadsheet may have done to rows that do not agree. It uses only known facts and queries no guessed
 * number.
 */
export class CorruptionHints {
  private readonly sources: HintSources
  private column: NumberColumn | null = null

  constructor(sources: HintSources) {
    this.sources = sources
  }

  /** Returns the finding unchanged if there is no hint. */
  addTo(finding: Finding): Finding {
    const corruption = this.hintFor(finding)
    return corruption
      ? {
          ...finding,
          corruption,
          explanation: `${finding.explanation} ${escapeInvisible(explainCorruption(corruption))}`.trimEnd(),
        }
      : finding
  }

  private hintFor(finding: Finding): Corruption | null {
    const {verdict, orderNo, file, line} = finding
    if (verdict === 'missing_in_ledger' || file === null || line === null) return null
    const missing = this.sources.missingLike({file, line})
    if (missing.length > 0) {
      const corruption = hintForNumber(orderNo ?? '', () => this.describe(), missing)
      // An impossible number already shows what damaged it.
      return corruption && finding.corruption ? {...corruption, what: finding.corruption.what} : corruption
    }
    if (orderNo === null || (verdict !== 'missing_at_provider' && verdict !== 'amount_mismatch')) return null
    const ofNumber =
      verdict === 'missing_at_provider' ? hintForNumber(orderNo, () => this.describe(), []) : null
    return ofNumber ?? this.cutOff(finding)
  }

  // Computed on demand, because most ledgers have no such row.
  private describe(): NumberColumn {
    this.column ??= describeNumbers(this.sources.numbers())
    return this.column
  }

  private cutOff({file, line}: Finding): Corruption | null {
    const its = file === null ? undefined : this.sources.files[file]
    return its?.endsMidLine && its.lastLine === line
      ? {what: 'cut_off', repair: null, isCertain: false}
      : null
  }
}
