import type {SQLInputValue, SQLOutputValue} from 'node:sqlite'

import {RowBuffer} from '../files/row-buffer.ts'
import {openScratchDatabase} from '../files/scratch-database.ts'
import {attempt, type Database, Statements} from '../files/sqlite.ts'
import {stagingSchema} from './schema.ts'

/** Rows fetched at once, so that no statement stays open while somebody writes. */
const pageRows = 500

type Cells = readonly SQLOutputValue[]

/** The tables of the staging store. Whole numbers are read as `bigint`: amounts do not fit a number. */
export class StagingDatabase {
  private readonly db: Database
  private readonly statements: Statements
  private readonly buffers = new Map<string, RowBuffer>()

  constructor() {
    this.db = openScratchDatabase(stagingSchema)
    this.statements = new Statements(this.db)
  }

  /** A row for a table, with a value for each of its columns, seen by whatever is asked after it. */
  put(table: string, row: readonly SQLInputValue[]): void {
    let buffer = this.buffers.get(table)
    if (!buffer) {
      buffer = new RowBuffer(this.db, this.statements, table, row.length)
      this.buffers.set(table, buffer)
    }
    buffer.add(row)
  }

  exec(text: string): void {
    this.flush()
    attempt(this.db, (sql) => sql.exec(text))
  }

  /** Returns how many rows were changed. */
  run(text: string, ...values: readonly SQLInputValue[]): number {
    this.flush()
    const statement = this.statements.of(text)
    return attempt(this.db, () => Number(statement.run(...values).changes))
  }

  ask(text: string, ...values: readonly SQLInputValue[]): readonly Cells[] {
    this.flush()
    const statement = this.statements.of(text, 'cells')
    return attempt(this.db, () => statement.all(...values) as unknown as readonly Cells[])
  }

  /** A long answer, a page at a time: its first parameter is the first column of the row before, which it is ordered by. */
  *pages<T>(text: string, values: readonly SQLInputValue[], read: (cells: Cells) => T): Generator<T> {
    for (let after: SQLInputValue = 0; ; ) {
      const page = this.ask(`${text} LIMIT ${pageRows}`, after, ...values)
      for (const cells of page) yield read(cells)
      if (page.length < pageRows) return
      after = page.at(-1)?.[0] ?? 0
    }
  }

  private flush(): void {
    for (const buffer of this.buffers.values()) buffer.flush()
  }

  close(): void {
    this.db.sql.close()
  }
}
