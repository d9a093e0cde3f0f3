import {createHash} from 'node:crypto'
import {globSync, readFileSync, writeFileSync} from 'node:fs'

import {Instrumenter} from '@stryker-mutator/instrumenter'

import {fromSource, sharedFile} from './rooms.ts'

/** What Stryker says of one change it could make. */
export interface Change {
  readonly fileName: string
  readonly mutatorName: string
  readonly replacement: string
  readonly location: {readonly start: Place; readonly end: Place}
}

interface Place {
  readonly line: number
  readonly column: number
}

type InstrumenterParts = ConstructorParameters<typeof Instrumenter>
type Options = Parameters<InstanceType<typeof Instrumenter>['instrument']>[1]

/** What a person reads is held by the transcripts, in docs/ and test/snapshot/, which do not play here. */
export const mutator = {plugins: null, excludedMutations: ['StringLiteral']}

const silent = Object.fromEntries(
  ['Trace', 'Debug', 'Info', 'Warn', 'Error', 'Fatal'].flatMap((level) => [
    [`is${level}Enabled`, (): boolean => false],
    [level.toLowerCase(), (): void => undefined],
  ]),
) as unknown as InstrumenterParts[0]

/**
 * The same ones for a seed, and how many a room could have. They are chosen before
 * Stryker begins: source with every change in it is slow, and what each test reaches of it is more than a process can be told.
 */
export async function chooseSample(
  rooms: readonly string[],
  size: number,
  seed: string,
): Promise<{readonly changes: readonly Change[]; readonly possible: Readonly<Record<string, number>>}> {
  const instrumenter = new Instrumenter(silent)
  const changes: Change[] = []
  const possible: Record<string, number> = {}
  for (const room of rooms) {
    const files = globSync(`src/${room}/**/*.ts`).map((name) => ({
      ...{name, mutate: true, content: readFileSync(name, 'utf8')},
    }))
    const {mutants} = await instrumenter.instrument(files, {
      ...mutator,
      ignorers: [],
      noHeader: true,
    } as Options)
    const of = mutants.filter(({mutatorName}) => !mutator.excludedMutations.includes(mutatorName))
    possible[room] = of.length
    const inOrder = of.map((change) => ({change, key: keyOf(change, seed)}))
    inOrder.sort((a, b) => (a.key < b.key ? -1 : 1))
    changes.push(...inOrder.slice(0, size).map(({change}) => change))
  }
  return {changes, possible}
}

/** Of the changes those that are played from now on, as Stryker wants their places. */
export function placesOf(changes: readonly Change[]): string[] {
  writeFileSync(sharedFile('sample'), JSON.stringify(changes.map((change) => keyOf(change))))
  const files = new Set(changes.map(({fileName}) => fromSource(`/${fileName}`)))
  writeFileSync(sharedFile('files'), JSON.stringify([...files]))
  return changes.map(({fileName, location: {start, end}}) => {
    return `${fileName}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`
  })
}

/** Stryker counts from 0 before it plays a change, and from 1 in what it says of it. */
export function isOneOf(change: Change, results: readonly Change[]): boolean {
  const from0 = ({line, column}: Place): Place => ({line: line - 1, column: column - 1})
  const ofResult = ({location: {start, end}, ...result}: Change) =>
    keyOf({...result, location: {start: from0(start), end: from0(end)}})
  return results.some((result) => ofResult(result) === keyOf(change))
}

/** By a digest, so that the seed decides and a change elsewhere moves few. */
function keyOf({fileName, location: {start, end}, mutatorName, replacement}: Change, seed = ''): string {
  const place = [start.line, start.column, end.line, end.column]
  return createHash('sha256')
    .update([seed, `/${fromSource(fileName)}`, ...place, mutatorName, replacement].join('\n'))
    .digest('hex')
}

/** Rejects, as code that does not compile would be, what a chosen place contains besides the change that was chosen. */
class Sample {
  private readonly chosen = new Set<string>()

  async init(): Promise<void> {
    for (const key of JSON.parse(readFileSync(sharedFile('sample'), 'utf8'))) this.chosen.add(key)
  }

  async group(changes: readonly (Change & {readonly id: string})[]): Promise<string[][]> {
    return [changes.map(({id}) => id)]
  }

  async check(changes: readonly (Change & {readonly id: string})[]) {
    return Object.fromEntries(
      changes.map((change) => [
        change.id,
        {status: this.chosen.has(keyOf(change)) ? 'passed' : 'compileError', reason: ''},
      ]),
    )
  }
}

/** A measurement takes long: what survives is printed as it is found, before the compiler has seen it. */
class AsFound {
  onMutantTested({fileName, location: {start}, mutatorName, replacement, status}: Change & {status: string}) {
    if (status === 'Survived' || status === 'NoCoverage')
      console.log(
        `${fromSource(fileName)}:${start.line}:${start.column} ${mutatorName} ${status}: ${replacement}`,
      )
  }
}

export const strykerPlugins = [
  {kind: 'Checker', name: 'sample', injectableClass: Sample},
  {kind: 'Reporter', name: 'as-found', injectableClass: AsFound},
]
