import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'
import {parseArgs} from 'node:util'

import {Stryker} from '@stryker-mutator/core'

import {refusedByCompiler} from './compiled.ts'
import {roomOf, rooms, sharedFile, tests} from './rooms.ts'
import {type Change, chooseSample, isOneOf, mutator, placesOf} from './sample.ts'

// `npm run mutation -- --room core --sample 60 --seed 1`: changes by Stryker's operators, chosen by the seed, each
// against the tests that reach it: first those of `--tests` (its room's own), then, for what they do not notice and the
// compiler takes, the others (`--rest`). What survives is printed; docs/reliability.md says what came of it.
const {values} = parseArgs({
  options: {
    room: {type: 'string', default: ''},
    tests: {type: 'string', default: ''},
    rest: {type: 'string', default: tests.join(',')},
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
const near = values.tests === '' ? chosen : values.tests.split(',')
const far = values.rest.split(',').filter((folder) => folder !== '' && !near.includes(folder))
const tempDir = mkdtempSync(join(tmpdir(), 'hisab-mutation-'))
process.once('exit', () => rmSync(tempDir, {recursive: true, force: true}))
Object.assign(process.env, {
  MUTATION_FOLDER: tempDir,
  ...{HISAB_PROPERTY_RUNS: '100', HISAB_FUZZ_SEED: '1'},
})
const began = Date.now()
const {changes, possible} = await chooseSample(chosen, Number(sample), seed)
const first = await play(changes, near)
const unnoticed = first.filter(isUnnoticed)
const refused = refusedByCompiler(unnoticed, mkdtempSync(join(tempDir, 'types-')))
const left = unnoticed.filter((change) => !refused.has(change))
const second =
  far.length > 0 && left.length > 0
    ? await play(
        changes.filter((change) => isOneOf(change, left)),
        far,
      )
    : left
const survived = second.filter(isUnnoticed)
console.log('What no test noticed:')
for (const {fileName, location, mutatorName, replacement, status} of survived) {
  const place = `${relative(process.cwd(), fileName)}:${location.start.line}:${location.start.column}`
  console.log(`${place} ${mutatorName} ${status}: ${replacement}`)
}
if (existsSync(sharedFile('failed'))) {
  console.log(
    `Tests that fail without a change, and did not play:\n${readFileSync(sharedFile('failed'), 'utf8')}`,
  )
}
for (const name of chosen) {
  const ofRoom = (those: typeof first) => those.filter(({fileName}) => roomOf(fileName) === name).length
  const all = ofRoom(first)
  console.log(
    `${name}, seed ${seed}: ${all - ofRoom(survived)} of ${all} noticed, ${all - ofRoom(left)} of them by its own tests, of ${possible[name]} that could be made.`,
  )
}
console.log(`By the compiler alone: ${refused.size} of those noticed.`)
console.log(`${Math.round((Date.now() - began) / 60_000)} minutes.`)

async function play(those: readonly Change[], folders: readonly string[]) {
  process.env.MUTATION_TESTS = folders.join(',')
  const results = await new Stryker({
    testRunner: 'nearest-first',
    plugins: ['@stryker-mutator/vitest-runner', ...['sample.ts', 'nearest-first.ts'].map(pathHere)],
    checkers: ['sample'],
    mutate: placesOf(those),
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
    ...{tempDirName: join(tempDir, 'sandbox'), allowConsoleColors: false},
    reporters: ['progress-append-only', 'as-found'],
  }).runMutationTest()
  return results.filter(({status}) => status !== 'CompileError' && status !== 'Ignored')
}

function isUnnoticed({status}: {readonly status: string}): boolean {
  return status === 'Survived' || status === 'NoCoverage'
}

function pathHere(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
