import {headerOf} from './answer.ts'
import type {Answer} from './transport.ts'

const comparedMax = 65_536

/**
 * An answer without what changes between requests: times, ids, counters, and the given words (the path, the order
 * number). Answers of one shape come from one program.
 */
export function answerShape({status, headers, body}: Answer, words: readonly string[]): string {
  const [type = ''] = headerOf(headers, 'content-type').split(';')
  let text = Buffer.from(body.subarray(0, comparedMax)).toString('utf8')
  for (const word of words) if (word !== '') text = text.replaceAll(word, '')
  const bare = text
    .replaceAll(/[0-9a-f]{8,}(?:-[0-9a-f]{4,}){0,4}/gi, '#')
    .replaceAll(/\d+/g, '0')
    .replaceAll(/\s+/g, ' ')
  return `${status} ${type.trim().toLowerCase()} ${bare.trim()}`
}
