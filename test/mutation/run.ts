import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'
import {parseArgs} from 'node:util'

import {Stryker} from '@stryker-mutator/core'

import {rooms} from './rooms.ts'

// `npm run mutation -- --room core --sample 60 --seed 1`: changes by Stryker's operators, chosen by the seed, each
// against the tests that reach it. What survives is printed; docs/reliability.md says what came of it.
const {values} = parseArgs({
  options: {
    room: {type: 'string', default: ''},
    sample: {type: 'string', default: '60'},
    seed: {type: 'string', default: '1'},
  },
})
const {room, sample, seed} = values
if (!rooms[room]) {
  console.error(`There is no room "${room}" here. Give --room, one of: ${Object.keys(rooms).join(', ')}.`)
  process.exit(2)
}
Object.assign(process.env, {
  ...{HISAB_MUTATION_ROOM: room, HISAB_MUTATION_SAMPLE: sample, HISAB_MUTATION_SEED: seed},
  ...{HISAB_PROPERTY_RUNS: '300', HISAB_FUZZ_SEED: '1'},
})

const tempDir = mkdtempSync(join(tmpdir(), 'hisab-mutation-'))
process.once('exit', () => rmSync(tempDir, {recursive: true, force: true}))
const results = await new Stryker({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', fileURLToPath(new URL('sample.ts', import.meta.url))],
  checkers: ['sample'],
  mutate: [`src/${room}/**/*.ts`],
  // What a person reads is held by the transcripts, in docs/ and test/snapshot/, which do not play here.
  mutator: {plugins: null, excludedMutations: ['StringLiteral']},
  coverageAnalysis: 'perTest',
  // Processes, not threads: a thread has no umask and no working folder of its own.
  vitest: {configFile: 'test/mutation/vitest.config.ts', related: false, pool: 'forks'},
  concurrency: 1,
  // Far above what a busy machine needs: a change counts as noticed where its tests never end.
  ...{timeoutMS: 60_000, timeoutFactor: 3, dryRunTimeoutMinutes: 30},
  // TypeScript 7 has no parser of its configuration that Stryker could call, and no test needs the file.
  tsconfigFile: 'none.json',
  disableTypeChecks: false,
  ...{tempDirName: tempDir, reporters: ['progress-append-only'], allowConsoleColors: false},
}).runMutationTest()

const played = results.filter(({status}) => status !== 'CompileError' && status !== 'Ignored')
const survived = played.filter(({status}) => status === 'Survived' || status === 'NoCoverage')
for (const {fileName, location, mutatorName, replacement, status} of survived) {
  const place = `${relative(process.cwd(), fileName)}:${location.start.line}:${location.start.column}`
  console.log(`${place} ${mutatorName} ${status}: ${replacement}`)
}
const ends = Object.entries(Object.groupBy(played, ({status}) => status))
console.log(ends.map(([end, those]) => `${end} ${those?.length}`).join(', '))
const killed = played.length - survived.length
console.log(
  `${room}, seed ${seed}: ${killed} of ${played.length} noticed, of ${results.length} that could be made.`,
)
