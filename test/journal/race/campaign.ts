import {randomInt} from 'node:crypto'
import {parseArgs} from 'node:util'

import {race} from './race.ts'

// Processes of one merchant against each other, the network and the database: `npm run campaign:race -- [EVENTS] [--seed N]
// [--minutes N] [--on-disk]`. As root they run in four network namespaces.
const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {seed: {type: 'string'}, minutes: {type: 'string', default: '1440'}, 'on-disk': {type: 'boolean'}},
})
const seed = Number(values.seed ?? randomInt(1, 2 ** 31))
const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort())
const startedMs = Date.now()
const events = Number(positionals[0] ?? 100_000)
console.error(`${events} events, seed ${seed}`)
const {counts, wrong, networks} = await race({
  ...{
    seed,
    events,
    isOnDisk: values['on-disk'] ?? false,
    signal: stopped.signal,
    untilMs: startedMs + Number(values.minutes) * 60_000,
  },
  onRound: ({events: played = 0}) =>
    console.error(`${played} events, ${((played * 1_000) / (Date.now() - startedMs)).toFixed(1)} a second`),
})
for (const one of wrong) console.log(one)
console.log('| What occurred | Times |\n| --- | ---: |')
for (const [what, times] of Object.entries(counts)) console.log(`| ${what} | ${times} |`)
const seconds = Math.round((Date.now() - startedMs) / 1_000)
console.log(
  `\n${counts.events ?? 0} events of seed ${seed}, ${networks} network namespaces, ${wrong.length} wrong, ${seconds} s.`,
)
process.exitCode = wrong.length === 0 ? 0 : 1
