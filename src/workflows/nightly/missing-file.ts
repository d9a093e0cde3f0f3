import {basename, dirname, join, resolve} from 'node:path'

import {type BusinessDay, pathOfDay} from './business-day.ts'

/** The text that each `*` in a file name stands for in a path, or null if the path does not fit. */
export function fitOf(pattern: string, path: string): readonly string[] | null {
  if (dirname(pattern) !== dirname(path)) return null
  const name = basename(pattern).split('*').map(RegExp.escape).join('(.*)')
  return new RegExp(`^${name}$`, 's').exec(basename(path))?.slice(1) ?? null
}

const nightsSeen = 3
/** A date, a time or a counter, which may be another one each night. */
const numbers = /\d[\d_.-]{4,}\d/g

/**
 * A file that each of the last nights had and this one has not: `ledger-{date}-*.csv` was a file of each wallet, and one is
 * late. Its bookings would be missing. A file that was there now and then is not waited for.
 */
export function missingFile(
  patterns: readonly string[],
  paths: readonly string[],
  runs: readonly {readonly night: string | null; readonly paths: readonly string[]}[],
  {date}: Pick<BusinessDay, 'date'>,
): string | null {
  const nights = [...new Set(runs.flatMap(({night}) => (night !== null && night < date ? [night] : [])))]
  const last = nights.sort().slice(-nightsSeen)
  if (last.length < nightsSeen) return null
  for (const pattern of patterns.filter((one) => basename(one).includes('*'))) {
    const tonight = resolve(pathOfDay(pattern, {date}))
    /** How many files of each name there are, each called as tonight's would be. */
    const namesOf = (night: string, files: Iterable<string>) => {
      const ofNight = resolve(pathOfDay(pattern, {date: night}))
      const names = [...new Set(files)].flatMap((file) => {
        const texts = fitOf(ofNight, file)
        const [first = '', ...rest] = basename(tonight).split('*')
        const named = texts && rest.map((part, at) => texts[at]?.replaceAll(numbers, '*') + part).join('')
        return named === null ? [] : [join(dirname(tonight), first + named)]
      })
      return Map.groupBy(names, (name) => name)
    }
    const now = namesOf(date, paths)
    const before = last.map((night) =>
      namesOf(
        night,
        runs.flatMap((run) => (run.night === night ? run.paths : [])),
      ),
    )
    for (const name of before[0]?.keys() ?? []) {
      const usual = Math.min(...before.map((names) => names.get(name)?.length ?? 0))
      if ((now.get(name)?.length ?? 0) < usual) return name
    }
  }
  return null
}
