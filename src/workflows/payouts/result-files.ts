import {statSync} from 'node:fs'
import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatInstant} from '../../core/time.ts'
import {readIfThere, removeFile, writeFileAtomically} from '../../files/private-files.ts'
import {
  interimPayoutsCsv,
  leftOfPayoutsCsv,
  numbersOfPayoutsCsv,
  payoutsCsv,
} from '../../report/payouts-csv.ts'
import type {PayoutLine} from '../../report/payouts-report.ts'

/**
 * The files beside `payouts.csv`: `payouts.result.partial.csv` during a run and after a kill, and
 * `payouts.result.csv` when it is over. Each row is in one of them; rows of an earlier result without a row in this
 * run are kept in a file named after its time.
 */
export class ResultFiles {
  private readonly base: string
  private isBegun = false
  private isOver = false

  constructor(payoutsPath: string) {
    this.base = payoutsPath.replace(/\.csv$/i, '')
  }

  /** The one that holds what is known now. */
  get path(): string {
    return this.isOver ? this.final : this.partial
  }

  /** A file in the place of a result that hisab did not write there is not replaced. Throws `usage`. */
  refuseForeign(): void {
    for (const path of [this.final, this.partial]) {
      const text = readIfThere(path)?.toString()
      if (text === undefined || leftOfPayoutsCsv(text, []) !== undefined) continue
      throw new Failure(
        'usage',
        `The result file ${escapeInvisible(path)} exists, but hisab did not write it. Nothing was sent.`,
        'Move that file away, or rename the payout file.',
      )
    }
  }

  /** The numbers that earlier runs of the file paid, or tried to. */
  numbers(): Set<string> {
    const texts = [this.final, this.partial].map((path) => readIfThere(path)?.toString() ?? '')
    return new Set(texts.flatMap(numbersOfPayoutsCsv))
  }

  /** Throws `storage_failed`. */
  save(lines: readonly PayoutLine[], isOver: boolean): void {
    if (!this.isBegun) this.keepLeftOf(this.partial, lines)
    if (!isOver || !this.isBegun) writeFileAtomically(this.partial, interimPayoutsCsv(lines))
    if (!this.isBegun && this.keepLeftOf(this.final, lines)) removeFile(this.final)
    this.isBegun = true
    if (!isOver) return
    writeFileAtomically(this.final, payoutsCsv(lines))
    this.isOver = true
    removeFile(this.partial)
  }

  private get final(): string {
    return `${this.base}.result.csv`
  }

  private get partial(): string {
    return `${this.base}.result.partial.csv`
  }

  /** Whether there was a result. Of its rows those are kept which `lines` say nothing of. */
  private keepLeftOf(path: string, lines: readonly PayoutLine[]): boolean {
    const text = readIfThere(path)?.toString()
    if (text === undefined) return false
    const left = leftOfPayoutsCsv(text, lines)
    // What is no result any more is kept whole.
    if (left !== null) writeFileAtomically(this.freeNameFor(path), left ?? text)
    return true
  }

  /** `payouts.result.2026-11-22T093000Z.csv`, by the time of the result; a second one of a second has a number. */
  private freeNameFor(path: string): string {
    const time = formatInstant(statSync(path).mtimeMs).slice(0, 19).replaceAll(':', '')
    for (let nth = 1; ; nth += 1) {
      const name = path.replace(/\.csv$/, `.${time}Z${nth === 1 ? '' : `-${nth}`}.csv`)
      if (statSync(name, {throwIfNoEntry: false}) === undefined) return name
    }
  }
}
