import {describe, expect, it} from 'vitest'
import {fullNameOf, play, playAndList, pointsOf, type Verdict} from './play.ts'
import {kinds, type Point} from './points.ts'
import {samplePoint, samplePoints} from './sample.ts'
import {scenarios} from './scenarios.ts'
import type {KillScenario} from './scene.ts'

/** The same points each time; `HISAB_KILL_SEED=N` plays others, and `campaign.ts` all of them. */
const seed = Number(process.env.HISAB_KILL_SEED ?? 20261121)
/** Of each night, one of which is killed again when it is gone on with. */
const pointsEach = 3
const sizes = `${pointsEach * scenarios.length} points, ${scenarios.length} of them once more on the way on`

describe.concurrent(`SIGKILL at ${sizes}, HISAB_KILL_SEED=${seed}`, () => {
  for (const [index, scenario] of scenarios.entries()) {
    it(scenario.name, async () => {
      const points = samplePoints(await pointsOf(scenario), pointsEach, seed + index)
      const [twice] = points.splice(index % pointsEach, 1)
      const wrong = [...(await whyWrongTwice(scenario, twice, index))]
      for (const point of points) wrong.push(...told(scenario, [point], await play(scenario, [point])))
      expect(wrong).toEqual([])
    }, 300_000)
  }
})

/** The point by itself, and then one of what goes on after it; each kind of point gets its turn. */
async function whyWrongTwice(
  scenario: KillScenario,
  first: Point | undefined,
  index: number,
): Promise<readonly string[]> {
  if (!first) return [`${scenario.name} has no points`]
  const {verdict, next} = await playAndList(scenario, first)
  const second = samplePoint(next, kinds[index % kinds.length] ?? 'write', seed + index)
  const once = told(scenario, [first], verdict)
  return second ? [...once, ...told(scenario, [first, second], await play(scenario, [first, second]))] : once
}

function told(scenario: KillScenario, points: readonly Point[], {problems}: Verdict): readonly string[] {
  if (problems.length === 0) return []
  return [`npm run campaign:kills -- --only "${fullNameOf(scenario, points)}"`, ...problems]
}
