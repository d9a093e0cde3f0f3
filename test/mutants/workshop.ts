import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {basename, join, relative} from 'node:path'
import {text} from 'node:stream/consumers'
import {fileURLToPath} from 'node:url'

import type {Mutant} from './mutant.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The built program comes along: some tests of commands look at it. */
const leftOut = new Set(['node_modules', '.git', 'coverage'])
/** Enough to catch what is planted; the tests themselves are many. */
const propertyRuns = '2000'
const testTimeoutMs = 20_000
/** For a loop that a mutant made endless, which no timeout of a test can end. */
const runTimeoutMs = 180_000

/** How one mutant fared. */
export interface Played {
  /** `unclear`: something is red, and no test says why: what was planted does not even load. */
  readonly end: 'caught' | 'survived' | 'unclear'
  /** Tests that failed by what they assert, as `file: name`. */
  readonly caughtBy: readonly string[]
  /** What was red besides; for somebody who looks into it. */
  readonly alsoRed: readonly string[]
}

/** A copy of the tree to plant bugs in, one after the other: the working tree is never touched. */
export class Workshop {
  private readonly dir: string

  constructor() {
    this.dir = mkdtempSync(join(tmpdir(), 'hisab-mutants-'))
    cpSync(root, this.dir, {recursive: true, filter: (path) => !leftOut.has(basename(path))})
    symlinkSync(join(root, 'node_modules'), join(this.dir, 'node_modules'))
  }

  /** The tests as they fare without a bug: what is red then would catch anything. */
  async playNone(bugs: readonly Mutant[]): Promise<Played> {
    return await this.runTests([...new Set(bugs.flatMap(({caughtBy}) => caughtBy))])
  }

  /** Plants the bug, runs the tests that are to notice, and takes it out again. */
  async play(bug: Mutant): Promise<Played> {
    const path = join(this.dir, bug.file)
    const sound = readFileSync(path, 'utf8')
    writeFileSync(path, applyMutant(bug, sound))
    try {
      if (bug.needsBuild) await this.build()
      return await this.runTests(bug.caughtBy)
    } finally {
      writeFileSync(path, sound)
      if (bug.needsBuild) await this.build()
    }
  }

  close(): void {
    rmSync(this.dir, {recursive: true, force: true})
  }

  private async runTests(files: readonly string[]): Promise<Played> {
    const report = join(this.dir, 'report.json')
    rmSync(report, {force: true})
    const {output} = await this.run(process.execPath, [
      'node_modules/vitest/vitest.mjs',
      ...['run', '--config', 'test/vitest.config.ts', `--testTimeout=${testTimeoutMs}`],
      ...['--reporter=json', `--outputFile=${report}`, ...files],
    ])
    const read = readReport(report)
    if (read) return judge(read, this.dir)
    return {end: 'unclear', caughtBy: [], alsoRed: [`the tests never ended: ${output.trim().slice(-500)}`]}
  }

  private async build(): Promise<void> {
    const {isWell, output} = await this.run('npm', ['run', '--silent', 'build'])
    if (!isWell) throw new Error(`It does not build:\n${output}`)
  }

  /** Runs a program in the copy. Whatever it started ends with it. */
  private async run(command: string, args: readonly string[]) {
    const child = spawn(command, args, {
      ...{cwd: this.dir, detached: true, stdio: ['ignore', 'pipe', 'pipe']},
      env: {...ownEnvironment(), HISAB_PROPERTY_RUNS: propertyRuns, HISAB_FUZZ_SEED: '1'},
    })
    const end = () => process.kill(-(child.pid ?? 0), 'SIGKILL')
    const timer = setTimeout(end, runTimeoutMs)
    process.once('exit', end)
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    process.removeListener('exit', end)
    clearTimeout(timer)
    return {isWell: child.exitCode === 0, output: out + err}
  }
}

/** The text with the bug in it. Throws where its place is not there exactly once. */
export function applyMutant({name, file, find, put, also}: Mutant, text: string): string {
  return [{find, put}, ...(also ? [also] : [])].reduce((mutated, change) => {
    const places = mutated.split(change.find).length - 1
    if (places === 1) return mutated.replace(change.find, () => change.put)
    throw new Error(
      `The mutant "${name}" looks for a text that stands ${places} times in ${file}, and must stand there once. ` +
        `Give it the line that does the same today, in test/mutants/bugs/:\n${change.find}`,
    )
  }, text)
}

/** The file a bug is planted in, as it is. */
export function soundText({file}: Mutant): string {
  return readFileSync(join(root, file), 'utf8')
}

interface TestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

function readReport(path: string): TestReport | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as TestReport) : null
}

/** Red without a word on the bug: code that does not run, or never ends. */
const brokenOrHung = /^(?:ReferenceError|SyntaxError|TypeError)|^Error: (?:Test|Hook) timed out/

function judge({testResults}: TestReport, dir: string): Played {
  const caughtBy: string[] = []
  const alsoRed: string[] = []
  for (const {name, status, message, assertionResults} of testResults) {
    const file = relative(dir, name)
    if (status === 'failed' && assertionResults.length === 0) alsoRed.push(`${file}: ${firstLine(message)}`)
    for (const {fullName, status: ended, failureMessages} of assertionResults) {
      if (ended !== 'failed') continue
      const [why = ''] = failureMessages
      if (brokenOrHung.test(why)) alsoRed.push(`${file}: ${fullName}: ${firstLine(why)}`)
      else caughtBy.push(`${file}: ${fullName}`)
    }
  }
  const end = caughtBy.length > 0 ? 'caught' : alsoRed.length > 0 ? 'unclear' : 'survived'
  return {end, caughtBy, alsoRed}
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 200) ?? ''
}

/** Ours without what tells a vitest inside another which worker it is. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:VITEST|HISAB_)/.test(name) && name !== 'NODE_ENV'),
  )
}
