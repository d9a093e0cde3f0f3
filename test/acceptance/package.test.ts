import {execFileSync, spawnSync} from 'node:child_process'
import {globSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, expect, test} from 'vitest'

import {oldNode} from './old-node.ts'
import {root} from './own-home.ts'
import {pack} from './packed.ts'

const dir = mkdtempSync(join(tmpdir(), 'hisab-package-'))
afterAll(() => rmSync(dir, {recursive: true}))
const packed = pack(dir)
execFileSync('tar', ['xzf', packed.tarball], {cwd: dir})
const installed = join(dir, 'package')
const run = (node: string, args: readonly string[]) => {
  const env = {PATH: '/usr/bin:/bin', HOME: dir, HISAB_API_SECRET: 'sandbox-secret-not-for-live-use'}
  const {status, stdout, stderr} = spawnSync(node, args, {cwd: installed, env, encoding: 'utf8'})
  return {status, stdout, stderr}
}

test('the package holds what is used: no sources, no tests, no code of one Node', () => {
  const {paths} = packed
  expect(paths).toEqual(
    expect.arrayContaining([
      'README.md',
      'LICENSE',
      'SECURITY.md',
      'docs/configuration.md',
      'dist/THIRD-PARTY.txt',
    ]),
  )
  expect(paths.filter((path) => !/^(bin|dist|docs)\/|^LICENSE$|^[\w.]+\.(md|json)$/.test(path))).toEqual([])
  expect(paths.filter((path) => path.startsWith('dist/code'))).toEqual([])
  expect([packed.size < 3.2e6, paths.length < 265]).toEqual([true, true])
})

test('it runs without any other package: the program, the library and the sandbox', () => {
  expect(run(process.execPath, ['bin/run.js', 'sign', 'a=b'])).toMatchObject({status: 0, stderr: ''})
  const sandbox =
    "const {startSandbox} = await import('hisab/sandbox'); await using s = await startSandbox(); console.log(s.baseUrl)"
  expect(run(process.execPath, ['--input-type=module', '-e', sandbox])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('http://127'),
  })
})

test.runIf(oldNode)('the library runs on the older Node of this machine, too', () => {
  const use = `const {sign, verify} = await import('hisab'); const body = {orderNo: 'D-1', count: 3}
    const text = JSON.stringify({...body, signature: sign(body, 'secret-123')})
    console.log(verify(text, 'secret-123').isValid, verify(text, 'secret-124').reason)`
  writeFileSync(join(installed, 'use.mjs'), use)
  expect(run(oldNode ?? '', ['use.mjs'])).toMatchObject({status: 0, stdout: 'true mismatch\n'})
})

test('each package whose code was taken in is named with its licence, and none is a dependency as well (P26)', () => {
  const scripts = globSync(join(installed, 'dist/**/*.{js,cjs,mjs}')).map((file) =>
    readFileSync(file, 'utf8'),
  )
  const taken = new Set(
    scripts.flatMap((text) =>
      [...text.matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name]) => name),
    ),
  )
  const texts = readFileSync(join(installed, 'dist/THIRD-PARTY.txt'), 'utf8')
  expect(taken.size).toBeGreaterThan(20)
  expect([...taken].filter((name) => !texts.includes(`\n  ${name}@`))).toEqual([])
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object
  expect(Object.keys(pjson)).not.toContain('dependencies')
})
