import {Failure} from '../core/failure.ts'
import type {Timeouts} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'
import type {ProfileSettings} from './schema.ts'

const unitMs: Readonly<Record<string, number>> = {ms: 1, s: 1_000, m: 60_000}
/** Longer is a typing error: a nightly job would hang on it. */
const longestMs = 10 * 60_000

/** How long one try may take, where the profile says so. Throws `config_invalid` for what is no such time. */
export function timeoutsOf(
  given: ProfileSettings['timeouts'],
  place: (key: string) => string,
): {timeouts?: Timeouts} {
  if (given === undefined) return {}
  const read = (name: 'connect' | 'answer' | 'total') => {
    const text = given[name]
    return text === undefined ? null : readTimeoutMs(text, place(`timeouts.${name}`))
  }
  return {timeouts: {connectMs: read('connect'), answerMs: read('answer'), totalMs: read('total')}}
}

function readTimeoutMs(text: string, place: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})(ms|s|m)$/.exec(text) ?? []
  const ms = Number(count) * (unitMs[unit] ?? 0)
  if (ms > 0 && ms <= longestMs) return ms
  throw new Failure(
    'config_invalid',
    `${place}: "${escapeInvisible(text, 40)}" is not a time above 0 and up to 10m.`,
    'Write it as 500ms, 5s or 1m.',
  )
}
