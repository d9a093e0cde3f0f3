import type {LedgerColumn} from '../core/profile.ts'
import type {Header} from './header.ts'
import {quoteCell} from './quotation.ts'

/** Words of a header that speaks of a column, in English and Bangla. */
const words: readonly (readonly [column: LedgerColumn, what: string, pattern: RegExp])[] = [
  ['status', 'a status', /^(?:.*status|state|result|outcome|অবস্থা|স্ট্যাটাস|স্থিতি)$/],
  ['amount', 'an amount', /^(?:.*amount|amt|value|sum|total|price|taka|tk|bdt|৳|টাকা|পরিমাণ|মূল্য|অঙ্ক|অ্যামাউন্ট)$/],
  ['created_at', 'a date', /^(?:.*date|.*time|.*timestamp|created|updated|paid|day|তারিখ|সময়|দিন)$/],
]

/**
 * A sentence for each header that looks like a status, an amount or a date where no such column is read. A renamed header
 * must not switch a check off in silence (docs/verdicts.md#the-window).
 */
export function unreadHeaders({cells, at}: Header): string[] {
  const read = new Set(Object.values(at))
  const unread = cells.filter((_, index) => !read.has(index))
  return words.flatMap(([column, what, pattern]) => {
    if (at[column] !== undefined) return []
    const like = unread.filter((cell) => wordsOf(cell).some((word) => pattern.test(word)))
    const [first] = like
    if (first === undefined) return []
    const names = like.map(quoteCell).join(', ')
    return [
      `${names} ${like.length > 1 ? 'look' : 'looks'} like ${what} and ${like.length > 1 ? 'are' : 'is'} not read: --column ${column}=${quoteCell(first)} reads it as ${column}`,
    ]
  })
}

function wordsOf(header: string): string[] {
  return header
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}\p{Sc}]+/u)
}
