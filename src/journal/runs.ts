import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import type {NewRun, RunEnd, RunRow} from './rows.ts'

const columns = `id, command, merchant_id AS merchantId, started_at_ms AS startedAtMs,
  finished_at_ms AS finishedAtMs, status, options, exit_status AS exitStatus, report_dir AS reportDir`

export function startRun(db: Database, merchantId: string, run: NewRun): void {
  write(db, (sql) =>
    sql
      .prepare(
        `INSERT INTO runs (id, command, merchant_id, started_at_ms, status, options, report_dir)
         VALUES (?, ?, ?, ?, 'running', ?, ?)`,
      )
      .run(run.id, run.command, merchantId, run.startedAtMs, run.options, run.reportDir),
  )
}

export function resumeRun(db: Database, id: string): void {
  changeOne(
    db,
    `UPDATE runs SET status = 'running', finished_at_ms = NULL, exit_status = NULL WHERE id = ?`,
    [id],
    `There is no run ${escapeInvisible(id)} to resume.`,
  )
}

export function finishRun(db: Database, id: string, end: RunEnd): void {
  changeOne(
    db,
    `UPDATE runs SET status = ?, finished_at_ms = ?, exit_status = ?,
       report_dir = CASE WHEN ? THEN ? ELSE report_dir END
     WHERE id = ? AND status = 'running'`,
    [
      end.status,
      end.finishedAtMs,
      end.exitStatus,
      end.reportDir === undefined ? 0 : 1,
      end.reportDir ?? null,
      id,
    ],
    `The run ${escapeInvisible(id)} is not running, so it cannot end.`,
  )
}

export function findRun(db: Database, id: string): RunRow | null {
  const row = attempt(db, (sql) => sql.prepare(`SELECT ${columns} FROM runs WHERE id = ?`).get(id))
  return row === undefined ? null : ({...row} as unknown as RunRow)
}

export function listRuns(db: Database, rowsMax: number): RunRow[] {
  const rows = attempt(db, (sql) =>
    sql.prepare(`SELECT ${columns} FROM runs ORDER BY seq DESC LIMIT ?`).all(rowsMax),
  )
  return rows.map((row) => ({...row}) as unknown as RunRow)
}

function changeOne(
  db: Database,
  update: string,
  values: (string | number | null)[],
  otherwise: string,
): void {
  write(db, (sql) => {
    if (sql.prepare(update).run(...values).changes === 1) return
    throw new Failure('bug', otherwise, 'Please report this with the command you ran.')
  })
}
