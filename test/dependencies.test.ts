import {readFileSync} from 'node:fs'

import {expect, test} from 'vitest'

interface Locked {
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly integrity?: string
  readonly bin?: Readonly<Record<string, string>>
  readonly os?: string
  readonly cpu?: string
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>
}

const {packages} = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
) as Lockfile
const installed = Object.entries(packages).filter(([path]) => path !== '')

test('users install no package but hisab (P26)', () => {
  expect(installed.length).toBeGreaterThan(50)
  expect(
    installed.filter(([path, {dev}]) => !dev && path !== 'node_modules/node-of-hisab').map(([path]) => path),
  ).toEqual([])
})

test('what is installed is what is locked: each package has its hash, and the Node of the build is one of them', () => {
  const ours = ['build/node', 'node_modules/node-of-hisab']
  const unhashed = installed.filter(([, {integrity}]) => !integrity?.startsWith('sha512-'))
  expect(unhashed.map(([path]) => path)).toEqual(ours)
  const nodes = installed.filter(([, {bin}]) => bin?.node !== undefined)
  expect(nodes.map(([, {os, cpu}]) => `${os} ${cpu}`).sort()).toEqual([
    'darwin arm64',
    'darwin x64',
    'linux arm64',
    'linux x64',
    'win32 x64',
  ])
  expect(nodes.filter(([, {hasInstallScript}]) => hasInstallScript)).toEqual([])
})
