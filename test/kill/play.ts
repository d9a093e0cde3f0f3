import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {listFiles} from '../acceptance/machine.ts'
import {isDraft, lookAtLeft} from './left.ts'
import {nameOf, type Point, trapped} from './points.ts'
import type {KillNight, MadeCall, Scene} from './scene.ts'
import {readSystemCalls, struckAt, underStrace} from './strace.ts'

export interface Verdict {
  readonly problems: readonly string[]
  readonly end: 'equal' | 'in doubt' | 'not reached'
}

/** A night that nobody interrupts: what it comes to, and every point at which it can be killed. */
interface Uninterrupted {
  readonly whole: unknown
  readonly points: readonly Point[]
}

const played = new Map<KillNight, Promise<Uninterrupted>>()

export async function pointsOf(night: KillNight): Promise<readonly Point[]> {
  return (await uninterrupted(night)).points
}

/** Kills the night at the point, goes on, and says what is wrong then. */
export async function play(night: KillNight, point: Point): Promise<Verdict> {
  const {whole} = await uninterrupted(night)
  try {
    await using scene = await night.begin()
    const isKilled = await kill(scene, point)
    const left = await lookAtLeft(scene.machine.dir)
    const {problems, doubts} = await scene.recover(whole, left)
    const end = isKilled ? (doubts > 0 ? 'in doubt' : 'equal') : 'not reached'
    return {
      end,
      problems: [
        ...left.problems.map((problem) => `after the kill: ${problem}`),
        ...problems,
        ...(await whatIsLeftOver(scene)),
      ],
    }
  } catch (error) {
    return {end: 'equal', problems: [error instanceof Error ? error.message : String(error)]}
  }
}

function uninterrupted(night: KillNight): Promise<Uninterrupted> {
  const known = played.get(night) ?? playWhole(night)
  played.set(night, known)
  return known
}

async function playWhole(night: KillNight): Promise<Uninterrupted> {
  const dir = mkdtempSync(join(tmpdir(), 'hisab-points-'))
  try {
    await using scene = await night.begin()
    const [listTo, straceTo] = [join(dir, 'steps'), join(dir, 'system-calls')]
    const running = scene.start({env: trapped({listTo}), under: underStrace(straceTo)})
    const whole = await scene.readWhole(await running.ended)
    const steps = readFileSync(listTo, 'utf8').trim().split('\n')
    return {
      whole,
      points: [
        ...callPoints(scene.callsMade()),
        ...writePoints(steps),
        ...readSystemCalls(straceTo, scene.machine.dir),
      ],
    }
  } finally {
    rmSync(dir, {recursive: true})
  }
}

/** False where the process came to its end before the point. */
async function kill(scene: Scene<unknown>, point: Point): Promise<boolean> {
  switch (point.kind) {
    case 'call': {
      const held = scene.holdCall(point.call, point.nth, point.moment)
      const running = scene.start({env: trapped()})
      await Promise.race([held.seen, running.ended])
      const {status} = await running.end('SIGKILL')
      held.letGo(point.moment === 'before acting')
      return status === null
    }
    case 'write':
      return (await scene.start({env: trapped({at: point})}).ended).status === null
    case 'system call':
      return (await scene.start({env: trapped(), under: struckAt(point)}).ended).status === null
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
export function fullNameOf(night: KillNight, point: Point): string {
  return `${night.name}: ${nameOf(point)}`
}
