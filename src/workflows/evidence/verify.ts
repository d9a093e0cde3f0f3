import {join} from 'node:path'
import {escapeInvisible} from '../../core/text.ts'
import {type CheckedFolder, checkFolder, runFolders} from '../../evidence/read.ts'
import type {EvidenceRow} from '../../journal/evidence.ts'

/**
 * What is wrong with a run's evidence. `changed`, `removed`, `added`: a file of it; `rewritten`: all of it, with sums that
 * fit; `renamed`: it is another run's; `gone`: its folder; `put_between`: no run of the journal, or two runs that name one before; `gap`: the run before it is
 * not there; `unfinished`: the run did not finish writing it.
 */
export const evidenceProblems = [
  ...['changed', 'removed', 'added', 'renamed', 'rewritten', 'gone', 'put_between', 'gap', 'unfinished'],
] as const
export type EvidenceProblemName = (typeof evidenceProblems)[number]

export interface EvidenceProblem {
  /** The name of its folder: the run's, and a number where it was gone on with. */
  readonly run: string
  readonly what: EvidenceProblemName
  readonly file: string | null
  /** Where in the file; null where it is the whole. */
  readonly place: string | null
  readonly says: string
}

export interface VerifiedEvidence {
  readonly dir: string
  /** Whether the journal's own sums were compared: without it a chain that was made anew is not found. */
  readonly comparedWithJournal: boolean
  readonly runs: number
  readonly bytes: number
  /** Runs whose files were removed by age; their manifests are proven. */
  readonly removedByAge: number
  /** The sum that proves all of them: of the last manifest. */
  readonly last: {readonly run: string; readonly sha256: string} | null
  readonly problems: readonly EvidenceProblem[]
}

/** `rows`: what the journal knows of the folder, null where there is none; `only`: the runs to look at; `sum`: a manifest's, written down. */
export function verifyEvidence(
  dir: string,
  rows: readonly EvidenceRow[] | null,
  only: ReadonlySet<string> | null = null,
  sum?: string,
): VerifiedEvidence {
  const problems: EvidenceProblem[] = []
  const isAsked = (run: string) => only === null || only.has(run) || only.has(run.replace(/\.\d+$/, ''))
  const known = new Map((rows ?? []).map((row) => [row.folder, row]))
  const checked = new Map<string, CheckedFolder>()
  const say = (
    run: string,
    what: EvidenceProblemName,
    says: string,
    file: string | null = null,
    place: string | null = null,
  ) => problems.push({run: escapeInvisible(run, 80), what, file, place, says})
  for (const run of runFolders(dir).filter(isAsked)) {
    const row = known.get(run)
    const folder = checkFolder(join(dir, run), rows === null || (row?.removedAtMs ?? null) !== null)
    checked.set(run, folder)
    for (const {file, what, place} of folder.faults)
      say(run, what, `${file} was ${what}${place === null ? '' : `, ${place}`}`, file, place)
    if (folder.runId !== null && folder.runId !== run.replace(/\.\d+$/, ''))
      say(run, 'renamed', `it is the evidence of ${escapeInvisible(folder.runId, 60)}`)
    if (rows === null) {
      if (folder.sha256 === null) say(run, 'unfinished', 'the run did not finish writing its evidence')
    } else if (!row) say(run, 'put_between', 'the journal has no such run in this folder')
    else if (row.sha256 !== null && folder.sha256 === null)
      say(run, 'removed', 'SHA256SUMS was removed', 'SHA256SUMS')
    else if (row.sha256 !== null && folder.sha256 !== row.sha256)
      say(run, 'rewritten', 'its manifest is not the one that the journal has: it was written again')
    else if (
      folder.previous !== undefined &&
      folder.sha256 !== null &&
      row.sha256 !== null &&
      folder.previous !== row.previous
    )
      say(run, 'rewritten', 'it names another run before it than the journal does')
  }
  for (const [run, row] of known) {
    if (!isAsked(run)) continue
    if (row.sha256 === null) {
      const wasFinished = (rows ?? []).some((one) => one.runId === row.runId && one.sha256 !== null)
      if (!wasFinished) say(run, 'unfinished', 'the run did not finish writing its evidence')
    } else if (!checked.has(run)) say(run, 'gone', `its folder is not in ${escapeInvisible(dir)}`)
  }
  if (only === null) problems.push(...chainProblems(checked, rows))
  if (sum !== undefined && ![...checked.values()].some(({sha256}) => sha256 === sum.toLowerCase()))
    say('', 'rewritten', 'no run has the sum that was given: it was written again, or removed')
  const sealed = [...checked].filter(([, {sha256}]) => sha256 !== null)
  const removedByAge = (rows ?? []).filter(
    ({folder, removedAtMs}) => removedAtMs !== null && checked.has(folder),
  )
  return {
    dir,
    comparedWithJournal: rows !== null,
    runs: sealed.length,
    bytes: [...checked.values()].reduce((sum, {bytes}) => sum + bytes, 0),
    removedByAge: removedByAge.length,
    last: lastOf(sealed),
    problems,
  }
}

/** Each run names the one before it, whose sum no other names. */
function chainProblems(
  checked: ReadonlyMap<string, CheckedFolder>,
  rows: readonly EvidenceRow[] | null,
): EvidenceProblem[] {
  const sums = new Map([...checked].flatMap(([run, {sha256}]) => (sha256 === null ? [] : [[sha256, run]])))
  const named = new Map<string | null, string>()
  const problems: EvidenceProblem[] = []
  const elsewhere = new Set((rows ?? []).map(({sha256}) => sha256))
  for (const [run, {previous}] of [...checked].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (previous === undefined) continue
    const other = named.get(previous)
    const base = {run, file: null, place: null}
    if (other !== undefined)
      problems.push({
        ...base,
        what: 'put_between',
        says: `it and ${other} name the same run before them: one was put between`,
      })
    named.set(previous, run)
    // A run of the journal that is not here is said to be gone by itself; without one, a copy begins somewhere.
    const isFirst = rows === null && named.size === 1
    if (previous === null || sums.has(previous) || elsewhere.has(previous) || isFirst) continue
    problems.push({
      ...base,
      what: 'gap',
      says: 'the run before it is not in the folder: it was removed, or never copied',
    })
  }
  return problems
}

function lastOf(sealed: readonly (readonly [string, CheckedFolder])[]): VerifiedEvidence['last'] {
  const named = new Set(sealed.map(([, {previous}]) => previous))
  const [run, folder] = sealed.findLast(([, {sha256}]) => !named.has(sha256)) ?? []
  return run === undefined || !folder?.sha256 ? null : {run, sha256: folder.sha256}
}
