import {writeSync} from 'node:fs'

import {seedOf, type WorkerMessage} from './campaign-run.ts'
import {Counts} from './counts.ts'
import {playHistory} from './history.ts'
import {prepare} from './scene.ts'

// One process of a campaign: every nth history, written in lines of JSON on stdout.
const tellEvery = 100
const [campaignSeed = 0, first = 0, stride = 1, share = 0] = process.argv.slice(2).map(Number)
const ground = await prepare()
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    ground.remove()
    process.exit(0)
  })
}
let counts = new Counts()
let untold = 0
for (let nth = 0; nth < share; nth++) {
  const seed = seedOf(campaignSeed, first + nth * stride)
  const end = await playHistory(seed, ground.root)
  counts.take(end.counts.of)
  untold += 1
  if (untold === tellEvery || nth === share - 1) {
    send({is: 'played', histories: untold, counts: [...counts.of]})
    counts = new Counts()
    untold = 0
  }
  if (end.problems.length === 0) continue
  const {lines, problems} = await playHistory(seed, ground.root, true)
  send({is: 'failed', seed, problems: problems.length > 0 ? problems : end.problems, lines})
}
ground.remove()

function send(message: WorkerMessage): void {
  writeSync(1, `${JSON.stringify(message)}\n`)
}
