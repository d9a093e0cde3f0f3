import {spawnSync} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {expect, it} from 'vitest'

import {oldNode} from './old-node.ts'
import {binary} from './own-home.ts'

it.skipIf(oldNode === undefined).each([['--version'], ['demo'], ['reconcile', 'ledger.csv', '--json']])(
  'an older Node is told in one sentence what is needed (skipped where none is on the PATH): hisab %s',
  (...args) => {
    const {status, stdout, stderr} = spawnSync(oldNode ?? '', [binary, ...args], {encoding: 'utf8'})
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^hisab needs Node 24 or newer, and this is Node \d+\.\d+\.\d+\.\n$/)
  },
)

it('bin/run.js checks the version before anything is loaded, in words that an old Node can parse', () => {
  const source = readFileSync(binary, 'utf8')
  const code = source.replaceAll(/^#!.*$|\/\/.*$/gm, '')
  expect(code).not.toMatch(/^\s*(import|export)\b(?!\s*\()/m)
  expect(code.indexOf('load(')).toBeGreaterThan(code.indexOf('major < 24'))
  // Newer than Node 14, each of them a syntax error there: class fields, ??=, #private, top-level await.
  expect(code).not.toMatch(/\?\?=|\|\|=|&&=|#\w|^\s*await\b|\bstatic\s*\{/m)
})
