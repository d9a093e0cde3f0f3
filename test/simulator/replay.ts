import {makeGround} from './ground.ts'
import {playHistory} from './history.ts'

// One history, told step by step: `npm run --silent replay:simulator -- SEED`.
const seed = Number(process.argv[2])
const ground = makeGround()
const {lines, problems, hash} = await playHistory(seed, ground, true)
ground.remove()
console.log(lines.join('\n'))
console.log(
  `\nseed ${seed}, trace ${hash}: ${problems.length === 0 ? 'all is well' : `${problems.length} wrong`}`,
)
process.exitCode = problems.length === 0 ? 0 : 1
