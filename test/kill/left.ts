import {cpSync, existsSync, mkdtempSync, rmSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {basename, dirname, join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {parse} from 'csv-parse/sync'

import {type EvidenceRow, evidenceColumns} from '../../src/journal/evidence.ts'
import {verifyEvidence} from '../../src/workflows/evidence/verify.ts'
import {listFiles} from '../acceptance/machine.ts'
import {earlierRunId} from './earlier-run.ts'

/** What a process left on the disk, read from copies: looking must not mend what the next process has to mend. */
export interface Left {
  readonly runs: readonly {readonly id: string; readonly status: string}[]
  readonly resends: readonly {readonly deliveryId: string; readonly state: string}[]
  readonly requests: readonly {readonly orderNo: string; readonly state: string}[]
  /** What a listener has stored. */
  readonly events: readonly {
    readonly orderNo: string
    readonly content: string
    readonly isConflict: number
  }[]
  /** Files that are half written, databases that are not whole. */
  readonly problems: readonly string[]
}

const queries = {
  runs: `SELECT id, status FROM runs WHERE id <> '${earlierRunId}' ORDER BY seq`,
  resends: 'SELECT delivery_id AS deliveryId, state FROM resends ORDER BY id',
  requests: 'SELECT order_no AS orderNo, state FROM requests ORDER BY id',
  events: 'SELECT order_no AS orderNo, content, is_conflict AS isConflict FROM events ORDER BY id',
} as const

export async function lookAtLeft(dir: string): Promise<Left> {
  const files = await listFiles(dir)
  const left = {runs: [], resends: [], requests: [], events: [], problems: []} as {
    -readonly [Name in keyof Left]: Left[Name][number][]
  }
  for (const path of files.filter((file) => file.endsWith('.db'))) {
    readCopy(path, (sql) => {
      const [health] = sql.prepare('PRAGMA integrity_check').all()
      if (health?.integrity_check !== 'ok') left.problems.push(`${basename(path)}: ${JSON.stringify(health)}`)
      for (const [name, query] of Object.entries(queries)) {
        const table = query.split(' FROM ')[1]?.split(' ')[0] ?? ''
        if (!sql.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table)) continue
        left[name as keyof typeof queries].push(...(sql.prepare(query).all() as never[]))
      }
      if (path.includes('/journal/')) left.problems.push(...whyFalseEvidence(path, sql))
    })
  }
  for (const path of files) left.problems.push(...(await whyHalf(path)))
  return left
}

/** A run that was killed has unfinished evidence; nothing else is said of it or of another run, with its journal or without. */
function whyFalseEvidence(journal: string, sql: DatabaseSync): string[] {
  const dir = join(dirname(dirname(journal)), 'evidence', basename(journal, '.db'))
  if (!existsSync(dir) || !sql.prepare("SELECT 1 FROM sqlite_master WHERE name = 'evidence'").get()) return []
  const rows = sql
    .prepare(`SELECT ${evidenceColumns} FROM evidence ORDER BY id`)
    .all() as never as EvidenceRow[]
  return [rows, null].flatMap((known) =>
    verifyEvidence(dir, {rows: known})
      .problems.filter(({what}) => what !== 'unfinished')
      .map(({run, says}) => `evidence ${known ? '' : 'without its journal '}${run}: ${says}`),
  )
}

/** Runs `read` on a copy of a database with all that belongs to it; the original is not opened. */
function readCopy(path: string, read: (sql: DatabaseSync) => void): void {
  const dir = mkdtempSync(join(tmpdir(), 'hisab-left-'))
  for (const suffix of ['', '-wal', '-journal']) {
    if (existsSync(path + suffix)) cpSync(path + suffix, join(dir, `copy.db${suffix}`))
  }
  const sql = new DatabaseSync(join(dir, 'copy.db'))
  try {
    read(sql)
  } finally {
    sql.close()
    rmSync(dir, {recursive: true})
  }
}

/** A report is the old one or the new one, and either is whole (P16). */
async function whyHalf(path: string): Promise<string[]> {
  const name = basename(path)
  if (isDraft(path) || !/\.(json|csv|html)$/.test(name)) return []
  const text = await readFile(path, 'utf8')
  try {
    if (name.endsWith('.json')) JSON.parse(text)
    else if (name.endsWith('.csv')) parse(text, {bom: true})
    else if (!text.trimEnd().endsWith('</html>')) return [`${name} has no end`]
  } catch (error) {
    return [`${name} is half written: ${String(error)}`]
  }
  return text.endsWith('\n') ? [] : [`${name} ends in the middle of a line`]
}

/** What a file is written to before it takes its name. */
export function isDraft(path: string): boolean {
  return basename(path).endsWith('.tmp')
}
