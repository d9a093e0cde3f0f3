import {spawnSync} from 'node:child_process'
import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import {tempDir} from '../temp-dir.ts'
import {readFences, root} from './pages.ts'

const files = readFences('docs/testing.md').filter(({info}) => info !== '')
const handlers = readFences('docs/signing.md').filter(({language}) => language === 'ts')

/** A merchant's own project, with hisab among its packages as npm would put it there. */
function makeProject(): string {
  const project = tempDir()
  const packages = join(project, 'node_modules')
  mkdirSync(join(packages, '@types'), {recursive: true})
  symlinkSync(root, join(packages, 'hisab'))
  for (const name of ['vitest', 'typescript', '@types/node', 'expect']) {
    symlinkSync(join(root, 'node_modules', name), join(packages, name))
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify({type: 'module'}))
  for (const {info, lines} of [...files, ...handlers]) writeFileSync(join(project, info), lines.join('\n'))
  return project
}

function run(project: string, ...args: string[]) {
  const {status, stdout, stderr} = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: 'utf8',
    env: {PATH: process.env.PATH ?? '', HOME: project, NO_COLOR: '1'},
  })
  return {status, said: stdout + stderr}
}

test('the example runs in a project of its own', () => {
  expect(files.map(({info}) => info)).toEqual([
    ...['receiver.ts', 'receiver.test.ts', 'matchers.ts', 'vitest.setup.ts', 'matchers.test.ts'],
    ...['jest.setup.js', 'orders.node.ts'],
  ])
  const {status, said} = run(makeProject(), 'node_modules/vitest/vitest.mjs', 'run')
  expect(status, said).toBe(0)
  expect(said).toMatch(/Tests +6 passed/)
}, 60_000)

test('the matchers hold in node:test and in the expect of jest, and say what was not delivered', () => {
  const project = makeProject()
  const node = run(project, '--test', 'orders.node.ts')
  expect(node.status, node.said).toBe(0)
  // jest itself puts its `expect` there for the files of its setup.
  const jest = `
    import {expect} from 'expect'
    import {startSandbox} from 'hisab/sandbox'
    globalThis.expect = expect
    await import('./jest.setup.js')
    await using sandbox = await startSandbox()
    expect(sandbox).toHaveRefusedNothing()
    expect(() => expect(sandbox).toHaveDelivered('D-1')).toThrow('The webhooks of D-1:')`
  const {status, said} = run(project, '--input-type=module', '--eval', jest)
  expect(status, said).toBe(0)
}, 60_000)

test('and its types hold there, strictly', () => {
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['esnext'],
    types: ['node'],
    allowImportingTsExtensions: true,
  }
  const project = makeProject()
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({compilerOptions: options}))
  const {status, said} = run(project, 'node_modules/typescript/bin/tsc', '-p', '.')
  expect(said.trim()).toBe('')
  expect(status).toBe(0)
}, 60_000)
