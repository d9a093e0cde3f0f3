import type {SQLInputValue} from 'node:sqlite'

import {attempt, type Database} from './sqlite.ts'

export class RowBuffer {
  private readonly db: Database
  private readonly width: number
  private readonly one: string
  private readonly many: string
  private values: SQLInputValue[] = []

  constructor(db: Database, table: string, width: number) {
    this.db = db
    this.width = width
    const places = `(${Array(width).fill('?').join()})`
    this.one = `INSERT INTO ${table} VALUES ${places}`
    this.many = `INSERT INTO ${table} VALUES ${Array(rowsAtOnce).fill(places).join()}`
  }

  /** The row is in the table after the next `flush` at the latest. */
  add(row: readonly SQLInputValue[]): void {
    this.values.push(...row)
    if (this.values.length === this.width * rowsAtOnce) this.run(this.many, this.take())
  }

  flush(): void {
    if (this.values.length === 0) return
    const values = this.take()
    for (let at = 0; at < values.length; at += this.width) {
      this.run(this.one, values.slice(at, at + this.width))
    }
  }

  private take(): SQLInputValue[] {
    const {values} = this
    this.values = []
    return values
  }

  private run(text: string, values: readonly SQLInputValue[]): void {
    const statement = this.db.statements.of(text)
    attempt(this.db, () => statement.run(...values))
  }
}

const rowsAtOnce = 32
