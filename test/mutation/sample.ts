import {createHash} from 'node:crypto'
import {writeFileSync} from 'node:fs'

import {fromSource, roomOf, sharedFile} from './rooms.ts'

/** What Stryker says of one change it could make. */
interface Change {
  readonly id: string
  readonly fileName: string
  readonly mutatorName: string
  readonly replacement: string
  readonly location: {readonly start: Place; readonly end: Place}
}

interface Place {
  readonly line: number
  readonly column: number
}

/**
 * Lets a sample through and rejects the rest, as code that does not compile would be. Stryker's own choice of places
 * is by line, which would take a change together with all that it contains.
 */
class Sample {
  private readonly chosen = new Set<string>()

  async init(): Promise<void> {}

  /** Called once, with every change there is; as many of each room are chosen. */
  async group(changes: readonly Change[]): Promise<string[][]> {
    const bySource = Object.groupBy(changes, ({fileName}) => fromSource(fileName))
    const ids = Object.entries(bySource).map(([source, those = []]) => [source, those.map(({id}) => id)])
    writeFileSync(sharedFile('changes'), JSON.stringify(Object.fromEntries(ids)))
    for (const ofRoom of Object.values(Object.groupBy(changes, ({fileName}) => roomOf(fileName)))) {
      const inOrder = (ofRoom ?? []).map((change) => ({id: change.id, place: placeOf(change)}))
      inOrder.sort((a, b) => (a.place < b.place ? -1 : 1))
      for (const {id} of inOrder.slice(0, Number(process.env.HISAB_MUTATION_SAMPLE))) this.chosen.add(id)
    }
    return [changes.map(({id}) => id)]
  }

  async check(changes: readonly Change[]) {
    return Object.fromEntries(
      changes.map(({id}) => [id, {status: this.chosen.has(id) ? 'passed' : 'compileError', reason: ''}]),
    )
  }
}

/** By a digest, so that the seed decides and a change elsewhere moves few. */
function placeOf({fileName, location, mutatorName, replacement}: Change): string {
  const {start, end} = location
  const words = [
    process.env.HISAB_MUTATION_SEED,
    `/${fromSource(fileName)}`,
    start.line,
    start.column,
    end.line,
    end.column,
  ]
  return createHash('sha256')
    .update([...words, mutatorName, replacement].join('\n'))
    .digest('hex')
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
