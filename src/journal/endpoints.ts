import {attempt, type Database, write} from '../files/sqlite.ts'

/** Whether an order was ever found at this address: only then does its JSON 404 say that there is none (A5). */
export function knewAnOrder(db: Database, address: string): boolean {
  return (
    attempt(db, (sql) => sql.prepare('SELECT 1 FROM endpoints WHERE address = ?').get(address)) !== undefined
  )
}

export function recordKnewAnOrder(db: Database, address: string, atMs: number): void {
  write(db, (sql) => sql.prepare('INSERT OR IGNORE INTO endpoints VALUES (?, ?)').run(address, atMs))
}
