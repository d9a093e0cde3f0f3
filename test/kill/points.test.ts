import {describe, expect, it} from 'vitest'

import {nights} from './nights.ts'
import {fullNameOf, play, pointsOf} from './play.ts'
import {samplePoints} from './sample.ts'

/** The same points each time; `HISAB_KILL_SEED=N` plays others, and `campaign.ts` all of them. */
const seed = Number(process.env.HISAB_KILL_SEED ?? 20261121)
const pointsMin = 100
const pointsEach = Math.ceil(pointsMin / nights.length)

describe.concurrent(`SIGKILL at ${pointsEach * nights.length} points, HISAB_KILL_SEED=${seed}`, () => {
  for (const [index, night] of nights.entries()) {
    it(night.name, async () => {
      const wrong: string[] = []
      for (const point of samplePoints(await pointsOf(night), pointsEach, seed + index)) {
        const {problems} = await play(night, point)
        if (problems.length > 0) wrong.push(`npm run campaign:kills -- --only "${fullNameOf(night, point)}"`)
        wrong.push(...problems)
      }
      expect(wrong).toEqual([])
    }, 300_000)
  }
})
