import {deserialize, serialize} from 'node:v8'
import {type Finding, type Findings, isUnremarkable} from '../core/reconcile/finding.ts'
import type {CountedOrder} from '../core/reconcile/tie-out.ts'
import {Answers} from './answers.ts'
import {LedgerRows} from './ledger-rows.ts'
import {Records} from './records.ts'
import {StagingDatabase} from './staging-database.ts'
import {UnexplainedRows} from './unexplained-rows.ts'

/**
 * The scratch store of one reconciliation: rows, answers, delivery records and findings, which may exceed memory. It
 * is gone with the process; lasting data is in the journal.
 *
 * Every method may throw `storage_failed`: the temporary folder is full.
 */
export class Staging {
  readonly ledger: LedgerRows
  readonly answers: Answers
  readonly records: Records
  readonly findings: FindingRows
  readonly balances: Balances
  readonly unexplained: UnexplainedRows
  private readonly db = new StagingDatabase()

  constructor() {
    const {db} = this
    this.ledger = new LedgerRows(db)
    this.answers = new Answers(db, this.ledger)
    this.records = new Records(db, this.answers)
    this.findings = new FindingRows(db)
    this.balances = new Balances(db)
    this.unexplained = new UnexplainedRows(db)
  }

  close(): void {
    this.db.close()
  }
}

/** After every file and line: an order that no row names. */
const nowhere = 1_000_000_000_000

/** The findings of a run, in the order of the files' lines. Each walk reads them again. */
class FindingRows implements Findings {
  private readonly db: StagingDatabase
  private isSorted = false

  constructor(db: StagingDatabase) {
    this.db = db
  }

  /** No finding is put after the first walk in the order of the lines. */
  put(finding: Finding): void {
    if (this.isSorted) throw new Error('a finding was put after the first walk, which would never show it')
    const {file, line} = finding
    const says = isUnremarkable(finding) ? 0 : 1
    this.db.put('findings', [null, file ?? nowhere, line ?? nowhere, says, serialize(finding)])
  }

  /** Removes the finding of its row, before the first walk. */
  remove({file, line}: Finding): void {
    this.db.run('DELETE FROM findings WHERE file = ? AND line = ?', file, line)
  }

  [Symbol.iterator](): Iterator<Finding> {
    return this.inPlaces('says = 1')
  }

  get all(): Iterable<Finding> {
    return {[Symbol.iterator]: () => this.inPlaces('TRUE')}
  }

  /** Findings that say something, in the order they were put. */
  asDecided(): Generator<Finding> {
    return this.db.pages(
      'SELECT id, finding FROM findings WHERE id > ? AND says = 1 ORDER BY id',
      [],
      ([, finding]) => deserialize(finding as Uint8Array) as Finding,
    )
  }

  private inPlaces(where: string): Generator<Finding> {
    if (!this.isSorted) this.db.exec(sortByPlace)
    this.isSorted = true
    return this.db.pages(
      `SELECT place, finding FROM places JOIN findings USING (id) WHERE place > ? AND ${where} ORDER BY place`,
      [],
      ([, finding]) => deserialize(finding as Uint8Array) as Finding,
    )
  }
}

const sortByPlace = `
  INSERT INTO places SELECT row_number() OVER (ORDER BY file, line, id), id FROM findings;
`

/** Orders of a statement that are not yet final in the journal; the last put of an order counts. */
class Balances implements Iterable<CountedOrder> {
  private readonly db: StagingDatabase

  constructor(db: StagingDatabase) {
    this.db = db
  }

  put(order: CountedOrder): void {
    this.db.put('balances', [null, serialize(order)])
  }

  putNone({kind, orderNo}: Pick<CountedOrder, 'kind' | 'orderNo'>): void {
    const nothing = {ledger: 0n, service: 0n, difference: 0n, verdict: null, cause: null}
    this.put({kind, orderNo, ...nothing, isNotCounted: true})
  }

  [Symbol.iterator](): Iterator<CountedOrder> {
    return this.db.pages(
      'SELECT id, counted FROM balances WHERE id > ? ORDER BY id',
      [],
      ([, counted]) => deserialize(counted as Uint8Array) as CountedOrder,
    )
  }
}
