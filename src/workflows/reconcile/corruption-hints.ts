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
  /** The numbers of missing orders that the row of this place may be under a damaged number. */
  readonly missingLike: (place: {readonly file: number; readonly line: number}) => readonly string[]
}

/**
 * Names what a spreadsheet may have done to the rows that do not agree. Only what is known already is used: no guessed
 * number is asked for.
 */
export class CorruptionHints {
  private readonly sources: HintSources
  private column: NumberColumn | null = null

  constructor(sources: HintSources) {
    this.sources = sources
  }

  /** The finding as it was, where there is no hint. */
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
      // What cannot be a number says by itself what happened to it.
      return corruption && finding.corruption ? {...corruption, what: finding.corruption.what} : corruption
    }
    if (orderNo === null || (verdict !== 'missing_at_provider' && verdict !== 'amount_mismatch')) return null
    const ofNumber =
      verdict === 'missing_at_provider' ? hintForNumber(orderNo, () => this.describe(), []) : null
    return ofNumber ?? this.cutOff(finding)
  }

  // Most ledgers have no such row, and are not walked for it.
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
