import {describe, expect, it} from 'vitest'
import {fullNameOf, play, playAndList, pointsOf, type Verdict} from './play.ts'
import {kinds, type Point} from './points.ts'
import {samplePoint} from './sample.ts'
import {scenarios} from './scenarios.ts'
import type {KillScenario} from './scene.ts'

/** The same points each time; `HISAB_KILL_SEED=N` plays others, and `campaign.ts` all of them. */
const seed = Number(process.env.HISAB_KILL_SEED ?? 20261121)

/** A second point takes three more runs, so every fourth scenario has one. */
const isTwice = (index: number) => (index + seed) % 4 === 0

/** Every kind of point first, each kind after it: there are enough scenarios for all pairs. */
describe.concurrent(`SIGKILL in ${scenarios.length} scenarios, every fourth one killed twice, HISAB_KILL_SEED=${seed}`, () => {
  for (const [index, scenario] of scenarios.entries()) {
    it(scenario.name, async () => {
      const kindAt = (turn: number) => kinds[turn % kinds.length] ?? 'write'
      const first = samplePoint(await pointsOf(scenario), kindAt(index), seed + index)
      if (!first) throw new Error(`${scenario.name} has no points`)
      const once = await (isTwice(index) ? playAndList(scenario, first) : play(scenario, [first]))
      if (!('next' in once)) return expect(told(scenario, [first], once)).toEqual([])
      const second = samplePoint(once.next, kindAt(Math.floor(index / kinds.length)), seed + index)
      const twice = second ? told(scenario, [first, second], await play(scenario, [first, second])) : []
      expect([...told(scenario, [first], once.verdict), ...twice]).toEqual([])
    }, 300_000)
  }
})

function told(scenario: KillScenario, points: readonly Point[], {problems}: Verdict): readonly string[] {
  if (problems.length === 0) return []
  return [`npm run campaign:kills -- --only "${fullNameOf(scenario, points)}"`, ...problems]
}
