import {describe, expect, it} from 'vitest'

import {nights} from './nights.ts'
import {fullNameOf, play, playAndList, pointsOf, type Verdict} from './play.ts'
import {kinds, type Point} from './points.ts'
import {samplePoint, samplePoints} from './sample.ts'
import type {KillNight} from './scene.ts'

/** The same points each time; `HISAB_KILL_SEED=N` plays others, and `campaign.ts` all of them. */
const seed = Number(process.env.HISAB_KILL_SEED ?? 20261121)
/** Of each night, one of which is killed again when it is gone on with. */
const pointsEach = 3
const sizes = `${pointsEach * nights.length} points, ${nights.length} of them once more on the way on`

describe.concurrent(`SIGKILL at ${sizes}, HISAB_KILL_SEED=${seed}`, () => {
  for (const [index, night] of nights.entries()) {
    it(night.name, async () => {
      const points = samplePoints(await pointsOf(night), pointsEach, seed + index)
      const [twice] = points.splice(index % pointsEach, 1)
      const wrong = [...(await whyWrongTwice(night, twice, index))]
      for (const point of points) wrong.push(...told(night, [point], await play(night, [point])))
      expect(wrong).toEqual([])
    }, 300_000)
  }
})

/** The point by itself, and then one of what goes on after it; each kind of point gets its turn. */
async function whyWrongTwice(
  night: KillNight,
  first: Point | undefined,
  index: number,
): Promise<readonly string[]> {
  if (!first) return [`${night.name} has no points`]
  const {verdict, next} = await playAndList(night, first)
  const second = samplePoint(next, kinds[index % kinds.length] ?? 'write', seed + index)
  const once = told(night, [first], verdict)
  return second ? [...once, ...told(night, [first, second], await play(night, [first, second]))] : once
}

function told(night: KillNight, points: readonly Point[], {problems}: Verdict): readonly string[] {
  if (problems.length === 0) return []
  return [`npm run campaign:kills -- --only "${fullNameOf(night, points)}"`, ...problems]
}
