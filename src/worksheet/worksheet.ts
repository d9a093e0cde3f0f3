import {openScratchDatabase} from '../files/scratch-database.ts'
import type {Database} from '../files/sqlite.ts'
import {Answers} from './answers.ts'
import {FindingRows} from './finding-rows.ts'
import {LedgerRows} from './ledger-rows.ts'
import {Records} from './records.ts'
import {worksheetSchema} from './schema.ts'

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
  private readonly db: Database

  constructor() {
    this.db = openScratchDatabase(worksheetSchema)
    this.ledger = new LedgerRows(this.db)
    this.answers = new Answers(this.db, this.ledger)
    this.records = new Records(this.db, this.answers)
    this.findings = new FindingRows(this.db)
  }

  close(): void {
    this.db.sql.close()
  }
}
