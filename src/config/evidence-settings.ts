import {isAbsolute} from 'node:path'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {parseSpan} from '../core/time.ts'
import type {ProfileSettings} from './schema.ts'

export interface EvidenceKeeping {
  /** Null: none is written. */
  readonly keepMs: number | null
  readonly runs: number
  /** Null: in the data directory. */
  readonly dir: string | null
}

const dayMs = 86_400_000
const keepDefaultMs = 400 * dayMs
const runsDefault = 400

export function evidenceOf(
  given: ProfileSettings['evidence'],
  place: (key: string) => string,
): EvidenceKeeping {
  const {keep, runs = runsDefault, dir = null} = given ?? {}
  const keepMs = keep === undefined ? keepDefaultMs : keep === 'off' ? null : parseSpan(keep)
  if (keep !== undefined && keep !== 'off' && (keepMs ?? 0) < dayMs)
    throw invalid(place('evidence.keep'), keep, 'is no time of a day or more', 'Write it as 400d, or "off".')
  const count = Number(runs)
  if (!/^\d{1,6}$/.test(String(runs)) || count < 1)
    throw invalid(
      place('evidence.runs'),
      String(runs),
      'is no number of runs',
      'Write a whole number, 1 or more.',
    )
  if (dir !== null && !isAbsolute(dir))
    throw invalid(place('evidence.dir'), dir, 'is not an absolute path', 'Write it from the root on.')
  return {keepMs, runs: count, dir}
}

function invalid(place: string, text: string, what: string, hint: string): Failure {
  return new Failure('config_invalid', `${place}: "${escapeInvisible(text, 60)}" ${what}.`, hint)
}
