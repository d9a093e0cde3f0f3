import {readFileSync} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, test} from 'vitest'

import {root} from './pages.ts'
import {listReferringFiles, type Reference, readReferences} from './references.ts'

/** Every number, section, page, link and file that a comment or a page cites is in the repository. */
const found = listReferringFiles()
  .filter((path) => path !== 'test/docs/references.test.ts')
  .flatMap((path) =>
    readReferences(path, readFileSync(join(root, path), 'utf8')).map((reference) => ({path, ...reference})),
  )

test('every reference resolves', () => {
  const wrong = found.filter((reference) => reference.wrong !== null)
  expect(wrong.map(({path, text, wrong: why}) => `${path}: ${text}: ${why}`)).toEqual([])
})

test.each<[kind: Reference['kind'], atLeast: number]>([
  ['number', 500],
  ['section', 60],
  ['page', 5],
  ['link', 100],
  ['file', 80],
  ['decision', 1],
  ['history', 1],
])('it sees references: %s', (kind, atLeast) => {
  expect(found.filter((reference) => reference.kind === kind).length).toBeGreaterThan(atLeast)
})

describe('an invented one is found', () => {
  test.each([
    ['src/a.ts', '/** What holds (P99). */'],
    ['src/a.ts', '// by A77'],
    ['src/a.ts', '/** As I99 says. */'],
    ['src/a.ts', '/** Every one of them (service\n * §4.9). */'],
    ['src/a.ts', '/** An answer (service §4.1, §4.9). */'],
    ['src/a.ts', "const text = 'flat fields only (document §5.9)'"],
    ['src/a.ts', '/** An answer (contract §9). */'],
    ['src/a.ts', '/** An answer (§4.1). */'],
    ['src/a.ts', '/** See docs/nowhere.md. */'],
    ['src/a.ts', '/** See docs/service.md#nowhere. */'],
    ['src/a.ts', '/** As in src/core/nowhere.ts. */'],
    ['src/a.ts', '// For decision 0999.'],
    ['test/simulator/a.ts', '// History C9.9 plays it.'],
    ['test/a.test.ts', "it('is refused (P99)', () => {})"],
    ['test/a.ts', "breaks: 'P99',"],
    ['docs/a.md', 'It is unknown (P99).'],
    ['docs/a.md', '[the service](nowhere.md)'],
    ['docs/a.md', '[the service](service.md#nowhere)'],
    ['docs/a.md', '| holds | `test/nowhere.test.ts` |'],
    ['docs/a.md', '`nowhere.ts` decides'],
    ['docs/decisions/a.md', '[verdicts](verdicts.md)'],
    ['.ci/run', '# as service §77 has it'],
  ])('%s: %s', (path, text) => {
    expect(readReferences(path, text).filter(({wrong}) => wrong !== null)).not.toEqual([])
  })
})

test.each([
  ['src/a.ts', '/** What holds (P6b, A5b), by service §4.5 and §4.6. */'],
  ['src/a.ts', "const orders = ['P1234', 'P-99', 'A-77']"],
  ['src/a.ts', '/** A header of one connection (RFC 9110 §7.6.1). */'],
  ['src/a.ts', '/** By docs/verdicts.md#the-window. */'],
  ['docs/a.md', '[what it is](service.md#23-delivery-record), `test/docs/`, `pages.ts`'],
  ['docs/decisions/a.md', '[verdicts](../verdicts.md#the-window)'],
])('nothing is wrong with %s: %s', (path, text) => {
  expect(readReferences(path, text).filter(({wrong}) => wrong !== null)).toEqual([])
})
