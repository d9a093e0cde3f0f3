import {randomInt} from 'node:crypto'
import {parseArgs} from 'node:util'

import {randomFrom, shuffled} from '../random.ts'
import {nights} from './nights.ts'
import {fullNameOf, play, pointsOf, type Verdict} from './play.ts'
import {kinds, type Point} from './points.ts'
import type {KillNight} from './scene.ts'

// Kills hisab at every point of every night: `npm run campaign:kills [-- POINTS] [--seed N] [--only TEXT]`, POINTS of
// them that the seed chooses, TEXT to be found in a point's name.
const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {seed: {type: 'string'}, only: {type: 'string', default: ''}},
})
const seed = Number(values.seed ?? randomInt(1, 2 ** 31))
const pointsMax = Number(positionals[0] ?? Number.POSITIVE_INFINITY)
const atOnce = 2

interface Played {
  readonly night: KillNight
  readonly point: Point
  readonly verdict: Verdict
}

const startedMs = Date.now()
const all: Pick<Played, 'night' | 'point'>[] = []
// To list a night's points it has to be played: one that cannot be meant is not.
const [nightWanted = '', isPointWanted] = values.only.split(': ')
for (const night of nights) {
  if (isPointWanted && !night.name.endsWith(nightWanted)) continue
  all.push(...(await pointsOf(night)).map((point) => ({night, point})))
}
const wanted = all.filter(({night, point}) => fullNameOf(night, point).includes(values.only))
const chosen = shuffled(wanted, randomFrom(seed)).slice(0, pointsMax)
console.error(`${chosen.length} of ${wanted.length} points, --seed ${seed}`)
if (chosen.length === 0) throw new Error(`no point has "${values.only}" in its name`)

const played: Played[] = []
const queue = chosen.values()
await Promise.all(Array.from({length: atOnce}, work))
print()

async function work(): Promise<void> {
  for (const {night, point} of queue) {
    const verdict = await play(night, point)
    played.push({night, point, verdict})
    for (const problem of verdict.problems) console.log(`WRONG  ${fullNameOf(night, point)}: ${problem}`)
    if (played.length % 50 === 0) tellProgress()
  }
}

function tellProgress(): void {
  const secondsEach = (Date.now() - startedMs) / 1_000 / played.length
  const minutesLeft = Math.ceil((secondsEach * (chosen.length - played.length)) / 60)
  const wrong = played.filter(isWrong).length
  console.error(
    `${played.length} of ${chosen.length}, ${wrong} wrong, ${secondsEach.toFixed(2)} s each, about ${minutesLeft} min left`,
  )
}

function isWrong({verdict}: Played): boolean {
  return verdict.problems.length > 0
}

function print(): void {
  console.log(`\n| Night | ${kinds.join('s / ')}s | As if never killed | In doubt | Not reached | Wrong |`)
  console.log('| --- | --- | --- | --- | --- | --- |')
  for (const night of nights) {
    const those = played.filter((one) => one.night === night)
    if (those.length > 0) console.log(`| ${night.name} | ${countsOf(those)} |`)
  }
  console.log(`| all ${played.length} | ${countsOf(played)} |`)
  const seconds = Math.round((Date.now() - startedMs) / 1_000)
  console.log(`\n${seconds} s, --seed ${seed}`)
  process.exitCode = played.some(isWrong) ? 1 : 0
}

function countsOf(those: readonly Played[]): string {
  const points = kinds.map((kind) => those.filter(({point}) => point.kind === kind).length).join(' / ')
  const right = those.filter((one) => !isWrong(one))
  const ended = (end: Verdict['end']) => right.filter(({verdict}) => verdict.end === end).length
  const ends = [ended('equal'), ended('in doubt'), ended('not reached'), those.length - right.length]
  return [points, ...ends].join(' | ')
}
