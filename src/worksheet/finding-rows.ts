import type {StatementSync} from 'node:sqlite'
import {deserialize, serialize} from 'node:v8'

import {type Finding, type Findings, saysNothing} from '../core/reconcile/finding.ts'
import {attempt, type Database} from '../files/sqlite.ts'

/** Behind every file and line: an order that no row names. */
const nowhere = Number.MAX_SAFE_INTEGER

/** The findings of a run, read in the order of the files' lines. Walking them again reads them again. */
export class FindingRows implements Findings {
  private readonly db: Database
  private readonly insert: StatementSync
  private isSorted = false

  constructor(db: Database) {
    this.db = db
    this.insert = attempt(db, (sql) => sql.prepare('INSERT INTO findings VALUES (NULL, ?, ?, ?, ?)'))
  }

  put(finding: Finding): void {
    const {file, line} = finding
    const says = saysNothing(finding) ? 0 : 1
    attempt(this.db, () => this.insert.run(file ?? nowhere, line ?? nowhere, says, serialize(finding)))
  }

  [Symbol.iterator](): Iterator<Finding> {
    return this.walk('says = 1')
  }

  get all(): Iterable<Finding> {
    return {[Symbol.iterator]: () => this.walk('TRUE')}
  }

  /** Those that say something, in the order they were put. */
  *asDecided(): Generator<Finding> {
    const select = attempt(this.db, (sql) =>
      sql.prepare(
        `SELECT id, finding FROM findings WHERE id > ? AND says = 1 ORDER BY id LIMIT ${pageFindings}`,
      ),
    )
    for (let after = 0; ; ) {
      const from = after
      const page = attempt(this.db, () => select.all(from))
      for (const {finding} of page) yield deserialize(finding as Uint8Array) as Finding
      after = Number(page.at(-1)?.id)
      if (page.length < pageFindings) return
    }
  }

  private *walk(where: string): Generator<Finding> {
    const select = attempt(this.db, (sql) => {
      if (!this.isSorted) sql.exec('CREATE INDEX findings_by_place ON findings (file, line, id)')
      this.isSorted = true
      return sql.prepare(
        `SELECT id, file, line, finding FROM findings WHERE (file, line, id) > (?, ?, ?) AND ${where}
         ORDER BY file, line, id LIMIT ${pageFindings}`,
      )
    })
    let after: [file: number, line: number, id: number] = [-1, -1, -1]
    for (;;) {
      const from = after
      const page = attempt(this.db, () => select.all(...from))
      for (const {finding} of page) yield deserialize(finding as Uint8Array) as Finding
      const last = page.at(-1)
      after = [Number(last?.file), Number(last?.line), Number(last?.id)]
      if (page.length < pageFindings) return
    }
  }
}

const pageFindings = 200
