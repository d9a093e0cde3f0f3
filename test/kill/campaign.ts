import {randomInt} from 'node:crypto'
import {parseArgs} from 'node:util'

import {randomFrom, shuffled} from '../random.ts'
import {fullNameOf, play, playAndList, pointsOf, thenAt, type Verdict} from './play.ts'
import {kinds, nameOf, type Point} from './points.ts'
import {samplePoint} from './sample.ts'
import {scenarios} from './scenarios.ts'
import type {KillScenario} from './scene.ts'

// Kills hisab at every point of every scenario, and after some of them again at a point of the next run:
// `npm run campaign:kills [-- POINTS] [--twice N] [--seed N] [--only TEXT]`, POINTS of them that the seed chooses, the
// first N of these twice (one in five where nothing is said), TEXT to be found in a point's name.
const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {seed: {type: 'string'}, twice: {type: 'string'}, only: {type: 'string', default: ''}},
})
const seed = Number(values.seed ?? randomInt(1, 2 ** 31))
const pointsMax = Number(positionals[0] ?? Number.POSITIVE_INFINITY)
const [only = '', secondOnly] = values.only.split(thenAt)
const atOnce = 2

interface Chosen {
  readonly scenario: KillScenario
  readonly point: Point
}

interface Played {
  readonly scenario: KillScenario
  readonly points: readonly Point[]
  readonly verdict: Verdict
}

const startedMs = Date.now()
const chosen = await choosePoints()
const twiceMax =
  secondOnly === undefined ? Number(values.twice ?? Math.ceil(chosen.length / 5)) : chosen.length
console.error(`${chosen.length} points, ${Math.min(twiceMax, chosen.length)} of them twice, --seed ${seed}`)
if (chosen.length === 0) throw new Error(`no point has "${only}" in its name`)

const played: Played[] = []
const queue = chosen.entries()
await Promise.all(Array.from({length: atOnce}, work))
print()

async function choosePoints(): Promise<Chosen[]> {
  const all: Chosen[] = []
  // To list the points of a scenario it has to be played, so one that is not asked for is skipped.
  const [scenarioWanted = '', isPointWanted] = only.split(': ')
  for (const scenario of scenarios) {
    if (isPointWanted && !scenario.name.endsWith(scenarioWanted)) continue
    all.push(...(await pointsOf(scenario)).map((point) => ({scenario, point})))
  }
  const named = (isIt: (name: string) => boolean) =>
    all.filter(({scenario, point}) => isIt(fullNameOf(scenario, [point])))
  const exact = named((name) => name === only)
  const wanted = exact.length > 0 ? exact : named((name) => name.includes(only))
  return shuffled(wanted, randomFrom(seed)).slice(0, pointsMax)
}

async function work(): Promise<void> {
  for (const [index, {scenario, point}] of queue) {
    const once = [point]
    if (index >= twiceMax) {
      take({scenario, points: once, verdict: await play(scenario, once)})
      continue
    }
    const {verdict, next} = await playAndList(scenario, point)
    take({scenario, points: once, verdict})
    for (const second of chooseNext(next, index)) {
      const twice = [point, second]
      take({scenario, points: twice, verdict: await play(scenario, twice)})
    }
  }
}

/** What goes on is killed at one point, of each kind in turn. */
function chooseNext(points: readonly Point[], index: number): readonly Point[] {
  if (secondOnly !== undefined) {
    const named = points.filter((point) => nameOf(point) === secondOnly)
    if (named.length === 0) throw new Error(`what goes on has no point "${secondOnly}"`)
    return named
  }
  const second = samplePoint(points, kinds[index % kinds.length] ?? 'write', seed + index)
  return second ? [second] : []
}

function take(one: Played): void {
  played.push(one)
  for (const problem of one.verdict.problems) {
    console.log(`WRONG  ${fullNameOf(one.scenario, one.points)}: ${problem}`)
  }
  if (played.length % 50 === 0) tellProgress()
}

function tellProgress(): void {
  const plays = chosen.length + Math.min(twiceMax, chosen.length)
  const secondsEach = (Date.now() - startedMs) / 1_000 / played.length
  const minutesLeft = Math.ceil((secondsEach * (plays - played.length)) / 60)
  const wrong = played.filter(isWrong).length
  console.error(
    `${played.length} of ${plays}, ${wrong} wrong, ${secondsEach.toFixed(2)} s each, about ${minutesLeft} min left`,
  )
}

function isWrong({verdict}: Played): boolean {
  return verdict.problems.length > 0
}

function print(): void {
  const points = `${kinds.join('s / ')}s`
  console.log(
    `\n| Scenario | Once: ${points} | Then again | As if never killed | In doubt | Not reached | Wrong |`,
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  for (const scenario of scenarios) {
    const those = played.filter((one) => one.scenario === scenario)
    if (those.length > 0) console.log(`| ${scenario.name} | ${countsOf(those)} |`)
  }
  console.log(`| all ${played.length} | ${countsOf(played)} |`)
  const seconds = Math.round((Date.now() - startedMs) / 1_000)
  console.log(`\n${seconds} s, --seed ${seed}`)
  process.exitCode = played.some(isWrong) ? 1 : 0
}

function countsOf(those: readonly Played[]): string {
  const lastPoints = (kills: number) => {
    const last = those.flatMap(({points}) => (points.length === kills ? points.slice(-1) : []))
    return kinds.map((kind) => last.filter((point) => point.kind === kind).length).join(' / ')
  }
  const right = those.filter((one) => !isWrong(one))
  const ended = (end: Verdict['end']) => right.filter(({verdict}) => verdict.end === end).length
  const ends = [ended('equal'), ended('in doubt'), ended('not reached'), those.length - right.length]
  return [lastPoints(1), lastPoints(2), ...ends].join(' | ')
}
