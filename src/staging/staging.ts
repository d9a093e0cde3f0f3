import {Answers} from './answers.ts'
import {FindingRows} from './finding-rows.ts'
import {LedgerRows} from './ledger-rows.ts'
import {Records} from './records.ts'
import {StagingDatabase} from './staging-database.ts'
import {UnexplainedRows} from './unexplained-rows.ts'

/**
 * The working papers of one reconciliation: rows, answers, delivery records and findings, of which there may be more
 * than memory holds. Gone with the process; what has to last is the journal's.
 *
 * Every method may throw `storage_failed`: the temporary folder is full.
 */
export class Staging {
  readonly ledger: LedgerRows
  readonly answers: Answers
  readonly records: Records
  readonly findings: FindingRows
  readonly unexplained: UnexplainedRows
  private readonly db = new StagingDatabase()

  constructor() {
    const {db} = this
    this.ledger = new LedgerRows(db)
    this.answers = new Answers(db, this.ledger)
    this.records = new Records(db, this.answers)
    this.findings = new FindingRows(db)
    this.unexplained = new UnexplainedRows(db)
  }

  close(): void {
    this.db.close()
  }
}
