import {parseArgs} from 'node:util'

import {runCampaign, tellFailed} from './campaign-run.ts'

// Many histories on all processors: `npm run campaign:simulator -- [HISTORIES] [--seed N]`.
const {values, positionals} = parseArgs({allowPositionals: true, options: {seed: {type: 'string'}}})
const histories = Number(positionals[0] ?? 10_000)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
const startedMs = Date.now()
let toldMs = startedMs
console.error(`${histories} histories, seed ${seed}`)
// Ctrl-C ends it with the figures of what was played.
const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort())
const tellProgress = (done: number, bad: number) => {
  if (Date.now() - toldMs < 5_000) return
  toldMs = Date.now()
  const perSecond = done / ((toldMs - startedMs) / 1_000)
  const left = perSecond > 0 ? `, ${Math.ceil((histories - done) / perSecond)} s left` : ''
  console.error(`${done} of ${histories}, ${bad} wrong, ${perSecond.toFixed(0)} a second${left}`)
}
const {played, failed, counts} = await runCampaign(histories, seed, tellProgress, stopped.signal)
for (const one of failed) console.log(`${tellFailed(one)}\n`)
console.log('| What occurred | Times |\n| --- | ---: |')
for (const [name, times] of counts) console.log(`| ${name} | ${times} |`)
const seconds = Math.round((Date.now() - startedMs) / 1_000)
console.log(`\n${played} histories of seed ${seed}, ${failed.length} wrong, ${seconds} s.`)
process.exitCode = failed.length === 0 ? 0 : 1
