import {spawnSync} from 'node:child_process'
import {cpSync, globSync, rmSync, truncateSync} from 'node:fs'
import {join, resolve} from 'node:path'
import {afterAll, describe, expect, it} from 'vitest'

import {OwnHome, root} from './own-home.ts'

/** A start compiles nothing that the build has compiled (`bin/load.cjs`), and without the build's code it does. */
describe('the code that the build keeps', () => {
  const home = new OwnHome({HISAB_API_SECRET: 'sandbox-secret-not-for-live-use'})
  afterAll(() => home.remove())

  it('is accepted by the Node of the build, for each file of the program', () => {
    const files = globSync(join(root, 'dist/{.,libraries}/*.cjs')).map((file) => resolve(file))
    expect(files.length).toBeGreaterThan(40)
    // In a process of its own: other flags of V8 have other code.
    const rejected = `const {load, loaded} = require('./bin/load.cjs')
      for (const file of process.argv.slice(1)) load(file)
      console.log(process.argv.slice(1).filter((file) => loaded.get(file)?.script.cachedDataRejected !== false).join())`
    const {stdout, stderr} = spawnSync(process.execPath, ['-e', rejected, '--', ...files], {
      cwd: root,
      encoding: 'utf8',
    })
    expect([stdout, stderr]).toEqual(['\n', ''])
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
