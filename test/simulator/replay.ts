import {playHistory} from './history.ts'
import {prepare} from './scene.ts'

// One history, printed step by step: `npm run --silent replay:simulator -- SEED`.
const seed = Number(process.argv[2])
const ground = await prepare()
const {lines, problems, hash} = await playHistory(seed, ground.root, true)
ground.remove()
console.log(lines.join('\n'))
console.log(
  `\nseed ${seed}, trace ${hash}: ${problems.length === 0 ? 'all is well' : `${problems.length} wrong`}`,
)
process.exitCode = problems.length === 0 ? 0 : 1
