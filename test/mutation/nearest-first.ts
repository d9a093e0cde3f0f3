import {existsSync, readFileSync, writeFileSync} from 'node:fs'

import {strykerPlugins as ofVitest} from '@stryker-mutator/vitest-runner'

import {fromSource, sharedFile} from './rooms.ts'

type Plugin = NonNullable<(typeof ofVitest)[0]>
interface WithConfig {
  readonly config: {bail: number}
}
type Runner = ReturnType<Plugin['factory']> & {
  readonly ctx: WithConfig & {readonly projects: readonly WithConfig[]}
}
type Method<Name extends 'dryRun' | 'mutantRun'> = Runner[Name]
type Answer<Name extends 'dryRun' | 'mutantRun'> = Awaited<ReturnType<Method<Name>>>

/** How long each test took in the run without a change. */
type Times = Readonly<Record<string, number>>

/** Milliseconds of tests, as they took without a change: most changes are noticed within the first part. */
const parts = [2000, 15_000, Number.POSITIVE_INFINITY]
const failed = 1

/** Vitest's runner; a change meets the tests of its room first, then the others that reach it, the quick ones first. */
class NearestFirst {
  private times: Times | null = null
  private readonly inner: Runner

  constructor(inner: Runner) {
    this.inner = inner
  }

  capabilities() {
    return this.inner.capabilities()
  }

  async init(): Promise<void> {
    await this.inner.init?.()
  }

  async dispose(): Promise<void> {
    await this.inner.dispose?.()
  }

  /** A test that fails without a change cannot notice one: it is named, and does not play. */
  async dryRun(options: Parameters<Method<'dryRun'>>[0]): Promise<Answer<'dryRun'>> {
    this.endAtFirst(0)
    const end = await this.inner.dryRun(options)
    this.endAtFirst(1)
    if (end.status !== 'complete') return end
    const {mutantCoverage: covered} = end
    for (const {id, status} of end.tests) {
      if (Number(status) !== failed) continue
      writeFileSync(sharedFile('failed'), `${id}\n`, {flag: 'a'})
      if (covered) delete covered.perTest[id]
    }
    const tests = end.tests.filter(({status}) => Number(status) !== failed)
    this.times = Object.fromEntries(tests.map(({id, timeSpentMs}) => [id, timeSpentMs]))
    writeFileSync(sharedFile('times'), JSON.stringify(this.times))
    return {...end, tests}
  }

  /** Stryker's runner ends at the first test that fails, in the run without a change as well. */
  private endAtFirst(bail: number): void {
    for (const {config} of [this.inner.ctx, ...this.inner.ctx.projects]) config.bail = bail
  }

  async mutantRun(options: Parameters<Method<'mutantRun'>>[0]): Promise<Answer<'mutantRun'>> {
    const source = fromSource(options.sandboxFileName)
    let last: Answer<'mutantRun'> | null = null
    // What a module does when it is loaded, any test may notice.
    const reaching = options.testFilter ?? Object.keys(this.known())
    for (const testFilter of this.inParts(reaching, source)) {
      last = await this.inner.mutantRun({...options, testFilter})
      if (last.status !== 'survived') return last
    }
    if (!last) throw new Error(`no test reaches ${source}`)
    return last
  }

  private inParts(ids: readonly string[], source: string): string[][] {
    const ms = this.known()
    const room = source.split('/')[1]
    const files = Object.entries(Object.groupBy(ids, (id) => id.slice(0, id.indexOf('#')))).map(
      ([file, of = []]) => ({
        of,
        ms: of.reduce((sum, id) => sum + (ms[id] ?? 0), 0),
        isFar: file.startsWith(`test/${room}/`) ? 0 : 1,
      }),
    )
    files.sort((a, b) => a.isFar - b.isFar || a.ms - b.ms)
    const made: string[][] = parts.map(() => [])
    let spent = 0
    for (const {of, ms: time} of files) {
      made[parts.findIndex((limit) => spent <= limit)]?.push(...of)
      spent += time
    }
    return made.filter((part) => part.length > 0)
  }

  /** The process may be another one than that of the run without a change: one that hung was ended. */
  private known(): Times {
    if (!this.times && existsSync(sharedFile('times')))
      this.times = JSON.parse(readFileSync(sharedFile('times'), 'utf8'))
    return this.times ?? {}
  }
}

function create(injector: Parameters<Plugin['factory']>[0] & object) {
  const [vitest] = ofVitest
  if (!vitest) throw new Error("the plug-in of vitest's runner is empty")
  return new NearestFirst(vitest.factory(injector) as Runner)
}
create.inject = ['$injector']

export const strykerPlugins = [{kind: 'TestRunner', name: 'nearest-first', factory: create}]
