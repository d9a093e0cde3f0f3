import {posix} from 'node:path'
import {describe, expect, test} from 'vitest'

import {importsOf, type SourceFile, sourceFiles, sourceFolders} from './source-files.ts'

/**
 * Who may import whom: a folder imports folders of the levels below its own, and nothing else. A new folder
 * needs a place here and in docs/ARCHITECTURE.md.
 */
const levels: readonly (readonly string[])[] = [
  ['commands'],
  ['cli'],
  ['workflows'],
  ['api', 'config', 'evidence', 'ledger', 'journal', 'receiver', 'report', 'sandbox', 'staging'],
  ['files'],
  ['core'],
]

/** Core decides and does nothing else: of Node it takes digests, and of packages none. */
const outsideOfCore = ['node:crypto']

/** The library for merchants' own servers: signing, and nothing that would come along with it. */
const library = 'index.ts'

const known = levels.flat()
const levelOf = (folder: string) => levels.findIndex((level) => level.includes(folder))

/** What is wrong with the imports of these files, a sentence each. */
function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap(({path, text}) => importsOf(text).flatMap((target) => violation(path, target) ?? []))
}

function violation(path: string, target: string): string | null {
  const [folder = ''] = path.split('/')
  if (!target.startsWith('.')) {
    if (folder !== 'core' || outsideOfCore.includes(target)) return null
    return `${path} imports ${target}: core has no I/O, no clock and no packages. Hand the value in.`
  }
  const [goal = ''] = posix.normalize(posix.join(posix.dirname(path), target)).split('/')
  if (goal === folder || (folder === library && goal === 'core')) return null
  if (folder === library) return `${path} imports ${target}: the library is made of core alone`
  if (!known.includes(goal)) return `${path} imports ${target}, which is in no folder of the table`
  if (levelOf(goal) > levelOf(folder)) return null
  const way = levelOf(goal) === levelOf(folder) ? 'sideways' : 'upwards'
  return `${path} imports ${target}: ${way}. Move what both need down, or the code that needs it up.`
}

describe('the rooms', () => {
  const {folders, files} = sourceFolders()

  test.each(folders)('src/%s has a place in the table', (folder) => {
    expect(known).toContain(folder)
  })

  test.each(known)('%s of the table is there', (folder) => {
    expect(folders).toContain(folder)
  })

  test('nothing stands loose in src but the library', () => {
    expect(files).toEqual([library, 'tsconfig.json'])
  })
})

test('imports point down, never sideways, never up', () => {
  const files = sourceFiles()
  // Guards the guard: a reader that finds no imports would find no violations.
  expect(files.flatMap(({text}) => importsOf(text)).length).toBeGreaterThan(files.length)
  expect(violations(files)).toEqual([])
})

describe('the test sees', () => {
  const wrong: readonly (readonly [what: string, path: string, text: string])[] = [
    ['an upward import', 'core/a.ts', `import {a} from '../api/client.ts'`],
    ['an upward type import', 'report/a.ts', `import type {A} from '../workflows/resend.ts'`],
    ['a sideways import', 'sandbox/a.ts', `import {a} from '../api/client.ts'`],
    ['a sideways type import', 'api/a.ts', `import {type A} from '../journal/rows.ts'`],
    ['an export from above', 'files/a.ts', `export * from '../config/schema.ts'`],
    ['an import inside a function', 'ledger/a.ts', `const a = await import('../report/table.ts')`],
    ['an import for its effect', 'api/a.ts', `import '../cli/start.ts'`],
    ['an import over many lines', 'api/a.ts', `import {\n  a,\n  b,\n} from '../cli/flags.ts'`],
    ['a type inside a type', 'core/a.ts', `let a: import('../api/client.ts').A`],
    ['a deep file', 'core/reconcile/a.ts', `import {a} from '../../api/client.ts'`],
    ['commands from the workflows', 'workflows/a.ts', `import {a} from '../commands/demo.ts'`],
    ['cli from the workflows', 'workflows/a.ts', `import {a} from '../cli/flags.ts'`],
    ['a folder nobody knows', 'api/a.ts', `import {a} from '../helpers/a.ts'`],
    ['a file outside', 'core/a.ts', `import {a} from '../../test/a.ts'`],
    ['the disk in core', 'core/a.ts', `import {readFileSync} from 'node:fs'`],
    ['more than core in the library', 'index.ts', `export {a} from './api/client.ts'`],
    ['a package in core', 'core/a.ts', `import {z} from 'zod'`],
  ]

  test.each(wrong)('%s', (_what, path, text) => {
    expect(violations([{path, text}])).toHaveLength(1)
  })

  test.each([
    ['core/reconcile/a.ts', `import {a} from '../money.ts'\nimport {md5} from 'node:crypto'`],
    ['journal/a.ts', `import {a} from '../files/private-files.ts'\nimport {b} from './rows.ts'`],
    ['commands/a.ts', `import {a} from '../workflows/resend.ts'`],
    ['api/a.ts', `// once: import {a} from '../cli/flags.ts'\nconst b = 1`],
  ])('nothing wrong in %s', (path, text) => {
    expect(violations([{path, text}])).toEqual([])
  })
})
