import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'

import type {EvidenceRow} from '../../../src/journal/evidence.ts'
import {type VerifiedEvidence, verifyEvidence} from '../../../src/workflows/evidence/verify.ts'

/** Evidence of many runs, as it was written. */
export interface Month {
  readonly dir: string
  readonly rows: readonly EvidenceRow[]
}

export interface Attacks {
  tried: number
  /** What was not found, or not named. */
  readonly missed: string[]
}

const filesOf = (dir: string) => readdirSync(dir).sort()

/**
 * Changes single bytes of every file: each of a file of `wholeMax` bytes or fewer, else one in `stride`, and the first and
 * the last. Each must be named with its run and its file: with the journal, and in a copy that has only the run and the next.
 */
export function changeBytes(
  {dir, rows}: Month,
  {stride, wholeMax}: {readonly stride: number; readonly wholeMax: number},
  runs = filesOf(dir),
): Attacks {
  const attacks: Attacks = {tried: 0, missed: []}
  const all = filesOf(dir)
  for (const run of runs) {
    const at = all.indexOf(run)
    const copy = copyOf(dir, all.slice(at, at + 2))
    const row = rows.filter(({folder}) => folder === run)
    for (const file of filesOf(join(copy, run))) {
      const path = join(copy, run, file)
      const content = readFileSync(path)
      const step = content.length <= wholeMax ? 1 : stride
      const places = new Set([0, content.length - 1])
      for (let place = at % step; place < content.length; place += step) places.add(place)
      for (const place of places) {
        const bad = Buffer.from(content)
        bad[place] = (bad[place] ?? 0) ^ (1 + ((place * 7_919 + at) % 255))
        writeFileSync(path, bad)
        attacks.tried += 1
        const seen = [
          verifyEvidence(copy, {rows: row, only: new Set([run])}),
          verifyEvidence(copy, {rows: null}),
        ]
        if (!seen.every(({problems}) => names(problems, run, file)))
          attacks.missed.push(
            `${run}/${file} at ${place}: ${JSON.stringify(seen.map(({problems}) => problems))}`,
          )
      }
      writeFileSync(path, content)
    }
    rmSync(dirname(copy), {recursive: true})
  }
  return attacks
}

/** Only the run, and its file among others. */
function names(problems: VerifiedEvidence['problems'], run: string, file: string): boolean {
  return problems.every((problem) => problem.run === run) && problems.some((problem) => problem.file === file)
}

interface Attack {
  readonly what: string
  readonly work: (dir: string) => void
  /** What must be named: a run, or a run and its file. */
  readonly named: string
  /** What a copy without its journal shows; undefined: the same; null: nothing, but the sum of the last run does. */
  readonly alone?: string | null
}

/** Removes, adds, renames and exchanges files and runs. */
export function changeFolders({dir, rows}: Month, runs = filesOf(dir)): Attacks {
  const attacks: Attacks = {tried: 0, missed: []}
  const all = filesOf(dir)
  const last = rows.findLast(({sha256}) => sha256 !== null)?.sha256 ?? ''
  for (const run of runs) {
    const at = all.indexOf(run)
    const [before, after] = [all[at - 1], all[at + 1]]
    const near = all.slice(Math.max(0, at - 1), at + 2)
    const nearRows = rows.filter(({folder}) => near.includes(folder))
    for (const {what, work, named, alone = named} of [
      ...ofFiles(run, filesOf(join(dir, run)), before),
      ...ofRuns(run, before, after),
    ]) {
      const copy = copyOf(dir, near)
      work(copy)
      const withJournal = shown(verifyEvidence(copy, {rows: nearRows}))
      const alones =
        alone === null && after === undefined
          ? shown(verifyEvidence(copy, {rows: null, sum: last}))
          : shown(verifyEvidence(copy, {rows: null}))
      if (!withJournal.includes(named))
        attacks.missed.push(`${run} ${what}: ${withJournal.join()} has no ${named}`)
      if (!alones.includes(alone ?? ''))
        attacks.missed.push(`${run} ${what}, alone: ${alones.join()} has no ${alone}`)
      attacks.tried += 1
      rmSync(dirname(copy), {recursive: true})
    }
  }
  return attacks
}

function shown({problems, beginsWith}: VerifiedEvidence): string[] {
  return [
    ...problems.flatMap(({run, file}) => (file === null ? [run] : [run, `${run}/${file}`])),
    ...(beginsWith === null ? [] : [`begins with ${beginsWith}`]),
  ]
}

function ofFiles(run: string, files: readonly string[], other: string | undefined): Attack[] {
  return files.flatMap((file): Attack[] => {
    const path = (dir: string) => join(dir, run, file)
    const named = `${run}/${file}`
    const [isManifest, isDocument] = [file === 'SHA256SUMS', file === 'evidence.json']
    return [
      {what: `${file} removed`, work: (dir) => rmSync(path(dir)), named, ...(isManifest && {alone: run})},
      {what: `${file} emptied`, work: (dir) => truncateSync(path(dir)), named},
      {what: `${file} with a byte more`, work: (dir) => appendFileSync(path(dir), 'x'), named},
      {
        what: `${file} cut by a byte`,
        work: (dir) => truncateSync(path(dir), readFileSync(path(dir)).length - 1),
        named,
      },
      {
        what: `${file} renamed`,
        work: (dir) => renameSync(path(dir), `${path(dir)}.old`),
        named: isManifest ? named : `${named}.old`,
        ...(isManifest && {alone: run}),
      },
      {
        what: `${file} as a link`,
        work: (dir) => {
          renameSync(path(dir), join(dir, '..', `${run}-${file}`))
          symlinkSync(join(dir, '..', `${run}-${file}`), path(dir))
        },
        named,
      },
      {
        what: `${file} as a folder`,
        work: (dir) => {
          rmSync(path(dir))
          mkdirSync(path(dir))
        },
        named,
      },
      // Some are the same in every run.
      ...(other === undefined || !(isManifest || isDocument)
        ? []
        : [
            {
              what: `${file} of ${other}`,
              work: (dir: string) => cpSync(join(dir, other, file), path(dir)),
              named,
            },
          ]),
    ]
  })
}

function ofRuns(run: string, before: string | undefined, after: string | undefined): Attack[] {
  const exchange = (dir: string, other: string) => {
    renameSync(join(dir, run), join(dir, 'x'))
    renameSync(join(dir, other), join(dir, run))
    renameSync(join(dir, 'x'), join(dir, other))
  }
  const inTheMidst = before !== undefined && after !== undefined
  return [
    {
      what: 'removed',
      work: (dir) => rmSync(join(dir, run), {recursive: true}),
      named: run,
      alone: inTheMidst ? after : after === undefined ? null : `begins with ${after}`,
    },
    {
      what: 'renamed',
      work: (dir) => renameSync(join(dir, run), join(dir, `${run}.2`)),
      named: run,
      alone: `${run}.2`,
    },
    {
      what: 'with one more file',
      work: (dir) => writeFileSync(join(dir, run, 'more'), ''),
      named: `${run}/more`,
    },
    {
      what: 'twice',
      work: (dir) => cpSync(join(dir, run), join(dir, `${run}-copy`), {recursive: true}),
      named: `${run}-copy`,
    },
    {what: 'a file beside it', work: (dir) => writeFileSync(join(dir, 'note.txt'), ''), named: 'note.txt'},
    {
      what: 'as a link',
      work: (dir) => {
        renameSync(join(dir, run), join(dir, '..', 'there'))
        symlinkSync(join(dir, '..', 'there'), join(dir, run))
      },
      named: run,
    },
    ...(after === undefined
      ? []
      : [{what: `exchanged with ${after}`, work: (dir: string) => exchange(dir, after), named: run}]),
  ]
}

function copyOf(dir: string, runs: readonly string[]): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'hisab-test-attack-')), 'evidence')
  for (const run of runs) cpSync(join(dir, run), join(copy, run), {recursive: true})
  return copy
}
