import {DatabaseSync} from 'node:sqlite'

import {journalSteps} from '../../src/journal/schema.ts'

/** What all steps of the journal's schema come to, as statements. */
export function wholeSchema(steps: Iterable<string>): string {
  const sql = new DatabaseSync(':memory:')
  for (const step of steps) sql.exec(step)
  const made = sql.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid').all()
  sql.close()
  return made.map(({sql}) => sql).join(';\n')
}

/*
 * Loaded before each test file: a new journal takes all steps at once. The tests make thousands of journals, and to change
 * a table takes SQLite longer than to make it. An older journal takes its steps one by one, as ever.
 */
const {slice} = Array.prototype
if (!Object.hasOwn(journalSteps, 'slice')) {
  const whole = [wholeSchema(journalSteps)]
  const value = (from: number, to?: number) =>
    from === 0 && to === undefined ? whole : slice.call(journalSteps, from, to)
  Object.defineProperty(journalSteps, 'slice', {value})
}
