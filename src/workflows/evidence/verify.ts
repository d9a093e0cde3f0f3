import {hostname} from 'node:os'
import {join} from 'node:path'

import {escapeInvisible} from '../../core/text.ts'
import {
  type CheckedFolder,
  checkFolder,
  documentFacts,
  type EvidenceFault,
  runFolders,
} from '../../evidence/read.ts'
import {type EvidenceRow, lastSealed} from '../../journal/evidence.ts'

/**
 * `changed`, `removed`, `added`: a file. `rewritten`: the whole folder, with matching checksums. `renamed`: it is
 * another run's. `gone`: the folder is missing. `put_between`: the journal does not know the run, or two runs name the
 * same predecessor. `gap`: its predecessor is missing. `unfinished`: the run did not finish writing it.
 */
export const evidenceProblems = [
  ...['changed', 'removed', 'added', 'renamed', 'rewritten', 'gone', 'put_between', 'gap', 'unfinished'],
] as const
export type EvidenceProblemName = (typeof evidenceProblems)[number]

export interface EvidenceProblem {
  /** The name of its folder: the run's ID, with a number added if the run was resumed. */
  readonly run: string
  readonly what: EvidenceProblemName
  readonly file: string | null
  /** The place in the file; null for the whole file. */
  readonly place: string | null
  readonly says: string
}

export interface VerifiedEvidence {
  readonly dir: string
  /** Whether it was compared with the journal's checksums: without them a chain that was rebuilt is not found. */
  readonly comparedWithJournal: boolean
  readonly runs: number
  readonly bytes: number
  /** Number of runs whose files were removed by age; their manifests were checked. */
  readonly removedByAge: number
  /** Folders of runs that were stopped and resumed: the later folder has the evidence. */
  readonly stopped: readonly string[]
  /** Runs in the journal whose evidence is on another machine or in another folder. */
  readonly elsewhere: readonly Pick<EvidenceRow, 'runId' | 'host' | 'dir'>[]
  /** The first run, if a copy begins in the middle of the chain. */
  readonly beginsWith: string | null
  /** The checksum of the last manifest, which covers all runs. */
  readonly last: {readonly run: string; readonly sha256: string} | null
  readonly problems: readonly EvidenceProblem[]
}

export interface Verification {
  /** The journal's rows; null without a journal. */
  readonly rows: readonly EvidenceRow[] | null
  /** The runs to check; without it all of them, and their order. */
  readonly only?: ReadonlySet<string>
  /** The checksum of a manifest that a person noted. */
  readonly sum?: string
}

const runOf = (folder: string) => folder.replace(/\.\d+$/, '')

export function verifyEvidence(dir: string, {rows, only, sum}: Verification): VerifiedEvidence {
  const problems: EvidenceProblem[] = []
  const say: Say = (run, what, says, found) => {
    const {file = null, place = null} = found ?? {}
    problems.push({run: escapeInvisible(run, 80), what, file, place, says})
  }
  const isAsked = (run: string) => !only || only.has(run) || only.has(runOf(run))
  const {runs: all, others} = runFolders(dir)
  const {here, elsewhere} = placesOf(
    dir,
    all,
    (rows ?? []).filter(({folder}) => isAsked(folder)),
  )
  const facts = new Map(rows === null ? all.map((run) => [run, documentFacts(join(dir, run))]) : [])
  const isNamed = (sum: string, run: string) =>
    facts.entries().some(([other, said]) => other !== run && said?.previous === sum)
  const removed = new Set(facts.values().flatMap((said) => said?.removed ?? []))

  const checked = new Map<string, CheckedFolder>()
  for (const run of all.filter(isAsked)) {
    const row = here.get(run)
    const folder = checkFolder(join(dir, run), {
      isKnown: (known) => (rows === null ? isNamed(known, run) : known === row?.sha256),
      mayLack: rows === null ? removed.has(run) : (row?.removedAtMs ?? null) !== null,
    })
    checked.set(run, folder)
    for (const found of folder.faults) say(run, found.what, faultText(found), found)
    if (folder.facts !== null && folder.facts.folder !== run)
      say(run, 'renamed', `This folder has the evidence of ${escapeInvisible(folder.facts.folder, 60)}`)
    if (rows !== null) compareWithRow(run, folder, row, say)
  }
  const isSealed = (run: string) => {
    const {sha256 = null, isPending = false, faults = []} = checked.get(run) ?? {}
    if (rows !== null) return (here.get(run)?.sha256 ?? null) !== null
    return sha256 === null ? faults.length > 0 : !isPending || isNamed(sha256, run)
  }
  const known = new Set([...checked.keys(), ...here.keys()])
  const stopped: string[] = []
  for (const run of [...known].sort()) {
    if (isSealed(run)) {
      if (!checked.has(run)) say(run, 'gone', 'The journal has this run. Its folder is missing')
      continue
    }
    const wasGoneOnWith = [...known].some((one) => runOf(one) === runOf(run) && isSealed(one))
    if (wasGoneOnWith) stopped.push(run)
    else if (!problems.some((problem) => problem.run === run && problem.what === 'put_between'))
      say(
        run,
        'unfinished',
        'The run was stopped before its evidence was complete, so this folder proves nothing. The other runs are not affected',
      )
  }
  if (!only)
    for (const name of others) say(name, 'added', 'This is not the folder of a run. Somebody added it')
  const sealed = new Map([...checked].filter(([run]) => isSealed(run)))
  const beginsWith = rows === null && !only ? checkChain(sealed, say) : null
  if (sum !== undefined && ![...sealed.values()].some(({sha256}) => sha256 === sum.toLowerCase()))
    say('', 'rewritten', 'No run has the sum that you gave. Its evidence was written again, or removed')
  return {
    ...{dir, comparedWithJournal: rows !== null, runs: sealed.size},
    bytes: [...checked.values()].reduce((sum, {bytes}) => sum + bytes, 0),
    removedByAge: [...sealed.keys()].filter((run) => here.get(run)?.removedAtMs != null || removed.has(run))
      .length,
    ...{stopped, beginsWith, problems},
    elsewhere: elsewhere.map(({runId, host, dir}) => ({runId, host, dir})),
    last: lastOf(sealed, rows === null ? null : [...here.values()]),
  }
}

type Say = (run: string, what: EvidenceProblemName, says: string, found?: EvidenceFault) => void

/**
 * The runs of the journal that should be in a folder: those that this machine wrote there, and those of any machine
 * with at least one there. Containers may change their machine name, and a folder may be a copy.
 */
function placesOf(dir: string, folders: readonly string[], rows: readonly EvidenceRow[]) {
  const present = new Set(folders)
  const placeOf = ({host, dir}: Pick<EvidenceRow, 'host' | 'dir'>) => `${host} ${dir}`
  const places = new Set(rows.filter(({folder}) => present.has(folder)).map(placeOf))
  places.add(placeOf({host: hostname(), dir}))
  const isHere = (row: EvidenceRow) => places.has(placeOf(row))
  return {
    here: new Map(rows.filter(isHere).map((row) => [row.folder, row])),
    elsewhere: rows.filter((row) => !isHere(row)),
  }
}

function faultText({file, what, place}: EvidenceFault): string {
  if (what === 'removed') return `${file} is missing`
  if (what === 'added') return `${file} is not a file of this run. Somebody added it`
  return `${file} was changed${place === null ? '' : ` (${place})`}`
}

function compareWithRow(run: string, folder: CheckedFolder, row: EvidenceRow | undefined, say: Say): void {
  const {sha256, facts, faults, isPending} = folder
  if (!row) {
    // A run killed before the journal had it leaves a folder without checksums.
    if (sha256 !== null && !isPending) say(run, 'put_between', 'The journal does not know this run')
  } else if (row.sha256 === null) {
    if (sha256 !== null && !isPending)
      say(run, 'added', 'SHA256SUMS is not a file of this run. Somebody added it', {
        file: 'SHA256SUMS',
        what: 'added',
        place: null,
      })
  } else if (sha256 === null) {
    if (faults.length === 0)
      say(run, 'removed', 'SHA256SUMS is missing', {file: 'SHA256SUMS', what: 'removed', place: null})
  } else if (sha256 !== row.sha256) {
    say(run, 'rewritten', 'The journal has another sum of SHA256SUMS. The evidence was written again', {
      file: 'SHA256SUMS',
      what: 'changed',
      place: null,
    })
  } else if (facts && facts.previous !== row.previous) {
    say(run, 'rewritten', 'Its run before is not the one that the journal has')
  }
}

/** Each run names its predecessor, and no two the same. Returns the first run of a copy that lacks earlier ones. */
function checkChain(sealed: ReadonlyMap<string, CheckedFolder>, say: Say): string | null {
  const chain = [...sealed].flatMap(([run, {sha256, facts}]) =>
    facts ? [{run, sha256, previous: facts.previous}] : [],
  )
  const sums = new Set([...sealed.values()].map(({sha256}) => sha256))
  const followed = new Map<string | null, string>()
  for (const {run, previous} of chain) {
    const other = followed.get(previous)
    if (other !== undefined)
      say(
        run,
        'put_between',
        `This run and ${other} both name the same run before them. One of them was put between`,
      )
    followed.set(previous, run)
  }
  const begins = chain.filter(({previous}) => !sums.has(previous))
  const lasts = chain.filter(({sha256}) => !followed.has(sha256)).slice(0, -1)
  const suspects = lasts.length > 0 ? `, or ${lasts.map(({run}) => run).join(' or ')} was written again` : ''
  for (const {run} of begins.slice(1))
    say(run, 'gap', `The run before it is not in the folder. It was removed or never copied${suspects}`)
  const [first] = begins
  return first && first.previous !== null ? first.run : null
}

function lastOf(
  sealed: ReadonlyMap<string, CheckedFolder>,
  rows: readonly EvidenceRow[] | null,
): VerifiedEvidence['last'] {
  const followed = new Set([...sealed.values()].map(({facts}) => facts?.previous))
  const run =
    rows === null
      ? [...sealed].findLast(([, {sha256}]) => !followed.has(sha256))?.[0]
      : lastSealed(rows.filter(({folder}) => sealed.has(folder)))?.folder
  const sha256 = run === undefined ? undefined : sealed.get(run)?.sha256
  return run === undefined || !sha256 ? null : {run, sha256}
}
