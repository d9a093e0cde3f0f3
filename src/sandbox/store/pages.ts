import type {DatabaseSync, SQLInputValue, StatementSync} from 'node:sqlite'

/** Where a page of a list begins: before or after this line. */
export type Cursor = {readonly beforeSeq: number} | {readonly afterSeq: number}

export interface Page<Line> {
  /** Newest first. */
  readonly lines: readonly Line[]
  readonly hasOlder: boolean
  readonly hasNewer: boolean
}

export const topCursor: Cursor = {beforeSeq: Number.MAX_SAFE_INTEGER}

/** Reads the lines of a page, and one more if there is more. A column whose value is null may have any. */
export function openPages(db: DatabaseSync, select: string, seq = 'seq') {
  const prepared = prepareOnce(db)
  return (where: Readonly<Record<string, SQLInputValue>>, cursor: Cursor, limit: number) => {
    const given = Object.entries(where).filter(([, value]) => value !== null)
    const [from, order, start] =
      'afterSeq' in cursor ? ['>', 'ASC', cursor.afterSeq] : ['<', 'DESC', cursor.beforeSeq]
    const conditions = [...given.map(([column]) => `${column} = ?`), `${seq} ${from} ?`]
    const text = `${select} WHERE ${conditions.join(' AND ')} ORDER BY ${seq} ${order} LIMIT ?`
    return prepared(text).all(...given.map(([, value]) => value), start, limit + 1)
  }
}

/** `found` has one line more than the page if there is more; older lines come newest first, newer ones oldest first. */
export function pageOf<Line>(found: readonly Line[], limit: number, cursor: Cursor): Page<Line> {
  const hasMore = found.length > limit
  const lines = found.slice(0, limit)
  return 'afterSeq' in cursor
    ? {lines: lines.reverse(), hasOlder: true, hasNewer: hasMore}
    : {lines, hasOlder: hasMore, hasNewer: cursor !== topCursor}
}

export function prepareOnce(db: DatabaseSync) {
  const known = new Map<string, StatementSync>()
  return (sql: string): StatementSync => {
    const statement = known.get(sql) ?? db.prepare(sql)
    known.set(sql, statement)
    return statement
  }
}
