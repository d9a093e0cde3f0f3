import {createHash} from 'node:crypto'

import {Failure} from '../../core/failure.ts'
import {type Finding, isBreak} from '../../core/reconcile/finding.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant} from '../../core/time.ts'
import {checkFolder} from '../../evidence/read.ts'
import {findingsCsv} from '../../report/findings-csv.ts'
import type {Staging} from '../../staging/staging.ts'
import {type RunResult, runReconcile} from '../reconcile/run.ts'
import {replayOf} from './replay.ts'

export interface RunAgain extends RunResult {
  /** The checksum of the manifest of the evidence that was replayed. */
  readonly sha256: string
  readonly hisab: string
  /** Whether its findings equal those of the run, byte for byte. */
  readonly isSame: boolean
}

/**
 * Replays a run from its evidence alone. Throws `file_unreadable` if the evidence was changed or not finished,
 * `incomplete` if the run was interrupted, or asks something that it did not ask then.
 */
export async function runAgain(dir: string, staging: Staging, reportDir: string): Promise<RunAgain> {
  const {sha256, isPending, faults} = checkFolder(dir)
  const [fault] = faults
  if (fault || sha256 === null || isPending) {
    const what = fault
      ? `${fault.file} was ${fault.what}${fault.place ? `, ${fault.place}` : ''}`
      : 'SHA256SUMS is missing'
    throw new Failure(
      'file_unreadable',
      `The evidence in ${escapeInvisible(dir)} is not whole: ${what}.`,
      'Take it from a copy, and check that: hisab runs verify DIR.',
    )
  }
  const replay = replayOf(dir, staging, reportDir)
  try {
    const result = await runReconcile(replay.request, {
      ...replay.ports,
      sealEvidence: async () => ({dir, sha256}),
    })
    const sum = createHash('sha256')
    for (const text of findingsCsv(result.report)) sum.update(text)
    const isSame = sum.digest('hex') === replay.document.findingsSha256
    return {...result, sha256, hisab: replay.document.hisab, isSame}
  } finally {
    replay.close()
  }
}

/** An order counts as later if its row or a webhook of it was made later. */
export function cutOff(findings: Iterable<Finding>, cutoffMs: number) {
  const [remaining, vanished]: [Finding[], Finding[]] = [[], []]
  let untimed = 0
  for (const finding of findings) {
    if (!isBreak(finding)) continue
    const times = [finding.orderedAtMs ?? null, parseInstant(finding.delivery?.createdAt ?? '')]
    const known = times.filter((ms) => ms !== null)
    if (known.length === 0) untimed += 1
    if (known.some((ms) => ms >= cutoffMs)) vanished.push(finding)
    else remaining.push(finding)
  }
  return {remaining, vanished, untimed}
}
