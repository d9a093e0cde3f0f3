import {cpSync, globSync, rmSync, truncateSync} from 'node:fs'
import {createRequire} from 'node:module'
import {join, resolve} from 'node:path'
import type {Script} from 'node:vm'
import {afterAll, describe, expect, it} from 'vitest'

import {OwnHome, root} from './own-home.ts'

interface Loader {
  readonly load: (file: string) => unknown
  readonly loaded: ReadonlyMap<string, {readonly script: Script}>
}

/** A start compiles nothing that the build has compiled (`bin/load.cjs`), and without the build's code it does. */
describe('the code that the build keeps', () => {
  const home = new OwnHome({HISAB_API_SECRET: 'sandbox-secret-not-for-live-use'})
  afterAll(() => home.remove())

  it('is accepted by the Node of the build, for each file of the program', () => {
    const {load, loaded}: Loader = createRequire(import.meta.url)('../../bin/load.cjs')
    const files = globSync(join(root, 'dist/{.,libraries}/*.cjs')).map((file) => resolve(file))
    for (const file of files) load(file)
    expect(files.length).toBeGreaterThan(40)
    for (const file of files) expect.soft(loaded.get(file)?.script.cachedDataRejected, file).toBe(false)
  })

  it.each<[string, (codeDir: string) => void]>([
    ['is missing, as under another Node', (codeDir) => rmSync(codeDir, {recursive: true})],
    [
      'was written by half',
      (codeDir) => codeFiles(codeDir).forEach((file) => void truncateSync(file, 20_000)),
    ],
    ['is empty', (codeDir) => codeFiles(codeDir).forEach((file) => void truncateSync(file, 0))],
  ])('may be lost: where it %s, everything is as before', async (what, lose) => {
    const copy = join(home.dir, what)
    for (const part of ['bin', 'dist', 'package.json', 'oclif.manifest.json']) {
      cpSync(join(root, part), join(copy, part), {recursive: true})
    }
    lose(join(copy, 'dist/code'))
    for (const args of [
      ['sign', 'a=b'],
      ['deposit', '--help'],
      ['sign', '--scheme', 'md6'],
    ]) {
      const [whole, lost] = await Promise.all([
        home.run(args),
        home.run(args, {bin: join(copy, 'bin/run.js')}),
      ])
      expect(lost).toEqual(whole)
    }
  })
})

function codeFiles(codeDir: string): string[] {
  return globSync(join(codeDir, '*/*.bin'))
}
