import {existsSync} from 'node:fs'
import {afterAll, describe, expect, test} from 'vitest'

import {seededRandom} from '../../src/core/prng.ts'
import {readPage} from '../docs/pages.ts'
import {promises, rules} from './mutant.ts'
import {mutants} from './mutants.ts'
import {applyMutant, soundText, Workshop} from './workshop.ts'

describe('each mutant', () => {
  test('has a name of its own', () => {
    const names = mutants.map(({name}) => name)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  test('and together they break every promise and rule', () => {
    const broken = new Set<string>(mutants.map(({breaks}) => breaks))
    expect(
      [...promises, ...Object.keys(rules)].filter((broke) => !broken.has(broke)),
      'plant a bug that breaks it',
    ).toEqual([])
  })

  test('and every promise of the page can be broken', () => {
    const listed = [...readPage('docs/promises.md').matchAll(/^\| (P\d+[a-z]?) \|/gm)].map(
      ([, number]) => number,
    )
    expect(listed.filter((number) => number !== 'P6b' && number !== 'P26')).toEqual([...promises])
  })

  test.each(mutants.map((bug) => [bug.name, bug] as const))('%s changes the file it names', (_, bug) => {
    expect(applyMutant(bug, soundText(bug))).not.toBe(soundText(bug))
    expect(bug.caughtBy.filter((path) => !existsSync(path))).toEqual([])
  })
})

/** `HISAB_MUTANTS_SEED=2 npx vitest …` plays others; `npm run campaign:mutants` plays them all. */
const seed = Number(process.env.HISAB_MUTANTS_SEED ?? 1)
/** One proves that planting works and that a red test is noticed. What each mutant proves, the campaign does. */
const sampleSize = 1
/** Rooms whose tests take a second or two. */
const quick = /^test\/(?:core|ledger|report)\//

describe(`one of ${mutants.length} mutants, seed ${seed}`, () => {
  const workshop = new Workshop()
  afterAll(() => workshop.close())
  const random = seededRandom(seed)
  const sample = mutants
    .filter(({caughtBy, needsBuild}) => !needsBuild && caughtBy.every((path) => quick.test(path)))
    .map((bug) => ({bug, place: random()}))
    .sort((a, b) => a.place - b.place)
    .slice(0, sampleSize)

  test.each(sample.map(({bug}) => [bug.name, bug] as const))(
    '%s is caught',
    async (_, bug) => {
      const {end, alsoRed} = await workshop.play(bug)
      expect(end, `${bug.thought} ${alsoRed.join('\n')}`).toBe('caught')
    },
    120_000,
  )
})
