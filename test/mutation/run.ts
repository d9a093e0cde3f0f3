import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'
import {parseArgs} from 'node:util'

import {Stryker} from '@stryker-mutator/core'

import {refusedByCompiler} from './compiled.ts'
import {roomOf, rooms, sharedFile, tests} from './rooms.ts'
import {chooseSample, mutator} from './sample.ts'

// `npm run mutation -- --room core --sample 60 --seed 1`: changes by Stryker's operators, chosen by the seed, each
// against the tests that reach it. What survives is printed; docs/reliability.md says what came of it.
const {values} = parseArgs({
  options: {
    room: {type: 'string', default: ''},
    tests: {type: 'string', default: tests.join(',')},
    sample: {type: 'string', default: '60'},
    seed: {type: 'string', default: '1'},
  },
})
const {room, sample, seed} = values
const chosen = room === 'all' ? rooms : rooms.filter((name) => room.split(',').includes(name))
if (chosen.length === 0) {
  console.error(`There is no room "${room}" here. Give --room all, or some of: ${rooms.join(',')}.`)
  process.exit(2)
}
const tempDir = mkdtempSync(join(tmpdir(), 'hisab-mutation-'))
process.once('exit', () => rmSync(tempDir, {recursive: true, force: true}))
Object.assign(process.env, {
  ...{MUTATION_FOLDER: tempDir, MUTATION_TESTS: values.tests},
  ...{HISAB_PROPERTY_RUNS: '100', HISAB_FUZZ_SEED: '1'},
})
const began = Date.now()
const {places, possible} = await chooseSample(chosen, Number(sample), seed)
const results = await new Stryker({
  testRunner: 'nearest-first',
  plugins: ['@stryker-mutator/vitest-runner', ...['sample.ts', 'nearest-first.ts'].map(pathHere)],
  checkers: ['sample'],
  mutate: [...places],
  mutator,
  coverageAnalysis: 'perTest',
  // Processes, not threads: a thread has no umask and no working folder of its own.
  vitest: {configFile: 'test/mutation/vitest.config.ts', related: false, pool: 'forks'},
  concurrency: 1,
  // Far above what a busy machine needs: a change counts as noticed where its tests never end.
  ...{timeoutMS: 60_000, timeoutFactor: 3, dryRunTimeoutMinutes: 120},
  // TypeScript 7 has no parser of its configuration that Stryker could call, and no test needs the file.
  tsconfigFile: 'none.json',
  disableTypeChecks: false,
  ...{
    tempDirName: join(tempDir, 'sandbox'),
    reporters: ['progress-append-only', 'as-found'],
    allowConsoleColors: false,
  },
}).runMutationTest()

const played = results.filter(({status}) => status !== 'CompileError' && status !== 'Ignored')
const unnoticed = played.filter(({status}) => status === 'Survived' || status === 'NoCoverage')
const refused = refusedByCompiler(unnoticed, mkdtempSync(join(tempDir, 'types-')))
const survived = unnoticed.filter((change) => !refused.has(change))
for (const {fileName, location, mutatorName, replacement, status} of survived) {
  const place = `${relative(process.cwd(), fileName)}:${location.start.line}:${location.start.column}`
  console.log(`${place} ${mutatorName} ${status}: ${replacement}`)
}
if (existsSync(sharedFile('failed'))) {
  console.log(
    `Tests that fail without a change, and did not play:\n${readFileSync(sharedFile('failed'), 'utf8')}`,
  )
}
const ends = Object.entries(Object.groupBy(played, ({status}) => status))
console.log(ends.map(([end, those]) => `${end} ${those?.length}`).join(', '))
for (const name of chosen) {
  const ofRoom = (those: typeof results) => those.filter(({fileName}) => roomOf(fileName) === name).length
  const [all, left] = [ofRoom(played), ofRoom(survived)]
  console.log(
    `${name}, seed ${seed}: ${all - left} of ${all} noticed, of ${possible[name]} that could be made.`,
  )
}
console.log(`By the compiler alone: ${refused.size} of those noticed.`)
console.log(`${Math.round((Date.now() - began) / 60_000)} minutes.`)

function pathHere(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
