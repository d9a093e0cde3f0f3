import type {SQLInputValue} from 'node:sqlite'

import {Failure} from '../core/failure.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import {type Part, part, type Query, sql} from './query.ts'
import type {ResendRowState} from './rows.ts'

export type Row = Readonly<Record<string, unknown>>

/** What differs in the SQL of the two engines, SQLite and PostgreSQL. In conditions, `r` is the row they are about. */
export interface Engine {
  /** A table by its full name. */
  readonly table: (name: string) => Part
  /** That a row belongs to the same account as `r`. */
  readonly same: (alias: string) => Part
  /** What tells rows of `requests_dropped` apart. */
  readonly droppedId: string
  readonly resend: Readonly<Record<'state' | 'by' | 'isOnItsWay', string>>
  /** What a resend that comes to a state has in its columns. */
  readonly resendState: (state: ResendRowState) => Row
  readonly request: Readonly<Record<'sentBy' | 'isOnItsWay', string>>
  /** The digest of a field that was sent, as the index has it. */
  readonly fingerprintOf: (field: string) => string
  /** What a create that has an outcome has in its columns besides. */
  readonly requestEnded: Row
  /** What one that hisab refused has in its columns besides. */
  readonly requestRefused: Row
  readonly run: Readonly<Record<'machine' | 'isAlive', string>>
  /** Runs with the column `totals`. */
  readonly runsWithTotals: Part
}

/** The steps of one transaction: it hands out its statements and is handed their rows. Either engine goes through them. */
export type Steps<T> = Generator<Query, T, readonly Row[]>

/** How statements name the rows of one account. */
export interface Names {
  readonly engine: Engine
  /** In a WHERE: a row of this account. */
  readonly mine: (alias: string) => Part
  /** The head of an INSERT, with `first` before its other values. */
  readonly into: (table: string, columns: string) => Part
  readonly first: Part
  /** Begins the columns of a key. */
  readonly owner: Part
  /** Rows, or values, given as one parameter; `columns` are their names, all of them texts. */
  readonly given: (rows: readonly Row[], columns: readonly string[]) => Query
}

/** The rows of one account, in either engine. A statement that both understand is written once, for a store. */
export interface Store extends Names {
  all(query: Query): Promise<readonly Row[]>
  /** In one transaction, on the disk when this resolves. Returns how many rows the last one changed. May be repeated. */
  run(...queries: readonly Query[]): Promise<number>
  /** Changes one row. Throws `bug` with `otherwise` where there is none. */
  change(query: Query, otherwise: string): Promise<void>
}

export const sqliteEngine: Engine = {
  table: part,
  same: () => part('TRUE'),
  droppedId: 'rowid',
  // `not_sent` is stored as `refused` with a mark of its own (schema.ts).
  resend: {
    state: `CASE WHEN r.never_left = 1 THEN 'not_sent' ELSE r.state END`,
    by: 'NULL',
    isOnItsWay: 'FALSE',
  },
  resendState: (state) => ({
    state: state === 'not_sent' ? 'refused' : state,
    never_left: Number(state === 'not_sent'),
  }),
  request: {sentBy: 'NULL', isOnItsWay: 'FALSE'},
  fingerprintOf: (field) => `sent_fields ->> '$.${field}.fingerprint'`,
  requestEnded: {},
  requestRefused: {},
  run: {machine: 'NULL', isAlive: 'NULL'},
  runsWithTotals: part('(SELECT * FROM runs LEFT JOIN run_totals ON run_id = id)'),
}

export const sqliteNames: Names = {
  engine: sqliteEngine,
  mine: () => part('TRUE'),
  into: (table, columns) => part(`${table} (${columns})`),
  first: part(''),
  owner: part(''),
  given(rows, columns) {
    const cells = part(columns.map((name) => `value ->> '${name}' AS ${name}`).join(', '))
    return sql`(SELECT ${cells} FROM json_each(${JSON.stringify(rows)}))`
  },
}

export function storeOf(db: Database): Store {
  return {
    ...sqliteNames,
    all: async (query) => attempt(db, () => rowsOf(db, query)),
    run: async (...queries) => write(db, () => queries.map((query) => changedBy(db, query)).at(-1) ?? 0),
    change: async (query, otherwise) =>
      write(db, () => {
        if (changedBy(db, query) !== 1) throw unchanged(otherwise)
      }),
  }
}

/** Goes through the steps of a transaction. */
export function walk<T>(db: Database, steps: Steps<T>): T {
  return write(db, () => {
    let step = steps.next([])
    while (!step.done) step = steps.next(rowsOf(db, step.value))
    return step.value
  })
}

export function unchanged(otherwise: string): Failure {
  return new Failure('bug', otherwise, 'Please report this with the command you ran.')
}

function rowsOf({statements}: Database, query: Query): Row[] {
  return statements
    .of(textOf(query))
    .all(...valuesOf(query))
    .map((row) => ({...row}))
}

function changedBy({statements}: Database, query: Query): number {
  return Number(statements.of(textOf(query)).run(...valuesOf(query)).changes)
}

/** SQLite numbers its parameters with a question mark. */
function textOf({text}: Query): string {
  return text.replace(/\$(\d+)/g, '?$1')
}

function valuesOf({values}: Query): SQLInputValue[] {
  return values.map((value) => (value ?? null) as SQLInputValue)
}
