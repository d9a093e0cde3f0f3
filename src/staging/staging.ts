import {Answers} from './answers.ts'
import {DamagedRows} from './damaged-rows.ts'
import {FindingRows} from './finding-rows.ts'
import {LedgerRows} from './ledger-rows.ts'
import {Records} from './records.ts'
import {Sheet} from './sheet.ts'

/**
 * The working papers of one reconciliation: rows, answers, delivery records and findings, of which there may be more
 * than memory holds. Gone with the process; what has to last is the journal's.
 *
 * Every method may throw `storage_failed`: the temporary folder is full.
 */
export class Worksheet {
  readonly ledger: LedgerRows
  readonly answers: Answers
  readonly records: Records
  readonly findings: FindingRows
  readonly damaged: DamagedRows
  private readonly sheet = new Sheet()

  constructor() {
    const {sheet} = this
    this.ledger = new LedgerRows(sheet)
    this.answers = new Answers(sheet, this.ledger)
    this.records = new Records(sheet, this.answers)
    this.findings = new FindingRows(sheet)
    this.damaged = new DamagedRows(sheet)
  }

  close(): void {
    this.sheet.close()
  }
}
