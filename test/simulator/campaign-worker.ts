import {writeSync} from 'node:fs'

import {seedOf, type Told} from './campaign-run.ts'
import {Counts} from './counts.ts'
import {makeGround} from './ground.ts'
import {playHistory} from './history.ts'

// One process of a campaign: every nth history, told in lines of JSON on stdout.
const tellEvery = 100
const [campaignSeed = 0, first = 0, stride = 1, share = 0] = process.argv.slice(2).map(Number)
const ground = makeGround()
const counts = new Counts()
process.on('SIGTERM', () => {
  ground.remove()
  process.exit(0)
})
let untold = 0
for (let nth = 0; nth < share; nth++) {
  const seed = seedOf(campaignSeed, first + nth * stride)
  const end = await playHistory(seed, ground)
  counts.take(end.counts.of)
  untold += 1
  if (untold === tellEvery) tell({is: 'played', histories: untold})
  untold %= tellEvery
  if (end.problems.length === 0) continue
  const {lines, problems} = await playHistory(seed, ground, true)
  tell({is: 'failed', seed, problems: problems.length > 0 ? problems : end.problems, lines})
}
tell({is: 'played', histories: untold})
tell({is: 'counts', counts: [...counts.of]})
ground.remove()

function tell(told: Told): void {
  writeSync(1, `${JSON.stringify(told)}\n`)
}
