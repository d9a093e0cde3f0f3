import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {listFiles} from '../acceptance/machine.ts'
import {killed, type Outcome, type Running, type RunOptions} from '../acceptance/own-home.ts'
import {isDraft, type Left, lookAtLeft} from './left.ts'
import {nameOf, type Point, trapped} from './points.ts'
import type {KillScenario, MadeCall, Scene} from './scene.ts'
import {readSystemCalls, struckAt, underStrace} from './strace.ts'

export interface Verdict {
  readonly problems: readonly string[]
  readonly end: 'equal' | 'in doubt' | 'not reached'
}

/** A run that nobody interrupts: its results, and every point at which it can be killed. */
interface Uninterrupted {
  readonly whole: unknown
  readonly points: readonly Point[]
}

type Begin = (options: RunOptions) => Running

/** By the story. */
const played = new Map<string, Promise<Uninterrupted>>()

export async function pointsOf(scenario: KillScenario): Promise<readonly Point[]> {
  return (await uninterrupted(scenario)).points
}

/** Kills the run at the first point and the run after it at the next one, then runs to the end. Returns what is wrong. */
export async function play(scenario: KillScenario, points: readonly Point[]): Promise<Verdict> {
  return await playTo(scenario, points, (_, begin) => begin({env: trapped()}).ended)
}

/** Kills the run at the point and continues it. Lists the points at which the second run can be killed. */
export async function playAndList(
  scenario: KillScenario,
  point: Point,
): Promise<{readonly verdict: Verdict; readonly next: readonly Point[]}> {
  let next: readonly Point[] = []
  const verdict = await playTo(scenario, [point], async (scene, begin) => {
    const listed = await runListing(scene, begin)
    next = listed.points
    return listed.outcome
  })
  return {verdict, next}
}

async function playTo(
  scenario: KillScenario,
  points: readonly Point[],
  end: (scene: Scene<unknown>, begin: Begin) => Promise<Outcome>,
): Promise<Verdict> {
  const {whole} = await uninterrupted(scenario)
  const problems: string[] = []
  try {
    await using scene = await scenario.begin()
    let left: Left | null = null
    const begin: Begin = (options) => (left ? scene.goOn(left, options) : scene.start(options))
    let areReached = true
    for (const point of points) {
      areReached = (await kill(scene, begin, point)) && areReached
      left = await lookAtLeft(scene.machine.dir)
      problems.push(...left.problems.map((problem) => `after a kill: ${problem}`))
      problems.push(...(await scene.lookAfterKill(left)))
    }
    if (!left) throw new Error('nothing was to be killed')
    const judged = await scene.judge(whole, await end(scene, begin), left)
    problems.push(...judged.problems, ...(await whatIsLeftOver(scene)))
    return {end: areReached ? (judged.doubts > 0 ? 'in doubt' : 'equal') : 'not reached', problems}
  } catch (error) {
    return {end: 'equal', problems: [...problems, error instanceof Error ? error.message : String(error)]}
  }
}

function uninterrupted(scenario: KillScenario): Promise<Uninterrupted> {
  const known = played.get(scenario.story) ?? playWhole(scenario)
  played.set(scenario.story, known)
  return known
}

async function playWhole(scenario: KillScenario): Promise<Uninterrupted> {
  await using scene = await scenario.begin()
  const {outcome, points} = await runListing(scene, (options) => scene.start(options))
  return {whole: await scene.readWhole(outcome), points}
}

/** Runs a process to its end, and lists every point at which it could have been killed. */
async function runListing(
  scene: Scene<unknown>,
  begin: Begin,
): Promise<{readonly outcome: Outcome; readonly points: readonly Point[]}> {
  const dir = mkdtempSync(join(tmpdir(), 'hisab-points-'))
  try {
    const [listTo, straceTo] = [join(dir, 'steps'), join(dir, 'system-calls')]
    const outcome = await begin({env: trapped({listTo}), under: underStrace(straceTo)}).ended
    const steps = readFileSync(listTo, 'utf8').trim().split('\n')
    const systemCalls = readSystemCalls(straceTo, scene.machine.dir)
    return {outcome, points: [...callPoints(scene.callsMade()), ...writePoints(steps), ...systemCalls]}
  } finally {
    rmSync(dir, {recursive: true})
  }
}

/** False where the process came to its end before the point. */
async function kill(scene: Scene<unknown>, begin: Begin, point: Point): Promise<boolean> {
  switch (point.kind) {
    case 'call': {
      const held = scene.holdCall(point.call, point.nth, point.moment)
      const running = begin({env: trapped()})
      await Promise.race([held.seen, running.ended])
      const {status} = await running.end('SIGKILL')
      held.letGo(point.moment === 'before acting')
      return status === killed
    }
    case 'write':
      return (await begin({env: trapped({at: point})}).ended).status === killed
    case 'system call':
      return (await begin({env: trapped(), under: struckAt(point)}).ended).status === killed
  }
}

/** What stays in the folder of a killed run that nobody resumed is cleared away when somebody does. */
async function whatIsLeftOver({machine}: Scene<unknown>): Promise<string[]> {
  const {runs, problems} = await lookAtLeft(machine.dir)
  const isOfKilled = (path: string) => runs.some(({id, status}) => status === 'running' && path.includes(id))
  const drafts = (await listFiles(machine.dir)).filter((path) => isDraft(path) && !isOfKilled(path))
  return [
    ...drafts.map((path) => `a draft stays: ${path.slice(machine.dir.length)}`),
    ...problems.map((problem) => `in the end: ${problem}`),
  ]
}

function callPoints(made: readonly MadeCall[]): Point[] {
  const nthOf = counter()
  return made.flatMap(({call, moments}) => {
    const nth = nthOf(call)
    return moments.map((moment): Point => ({kind: 'call', call, nth, moment}))
  })
}

function writePoints(steps: readonly string[]): Point[] {
  const nthOf = counter()
  return steps.map((step) => ({kind: 'write', step, nth: nthOf(step)}))
}

/** Counts each name by itself, from 1. */
function counter(): (name: string) => number {
  const counts = new Map<string, number>()
  return (name) => {
    const nth = (counts.get(name) ?? 0) + 1
    counts.set(name, nth)
    return nth
  }
}

/** As `--only` takes it. */
export function fullNameOf(scenario: KillScenario, points: readonly Point[]): string {
  return `${scenario.name}: ${points.map(nameOf).join(thenAt)}`
}

/** Between the names of two points that are played one after the other. */
export const thenAt = '; then '
