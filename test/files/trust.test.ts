import {execFileSync} from 'node:child_process'
import {chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, onTestFinished, test} from 'vitest'

import {readConfigFile} from '../../src/config/config-file.ts'
import {environmentOfOthers} from '../../src/config/others-environment.ts'
import {readSecret} from '../../src/config/secrets.ts'
import {isLoopback} from '../../src/core/loopback.ts'
import {hasOtherMembers} from '../../src/files/group-members.ts'
import {ensurePrivateFile, makeOwnDir} from '../../src/files/private-files.ts'
import {weakPlaceOf} from '../../src/files/trust.ts'
import {modeOf, tempDir} from '../temp-dir.ts'

const stranger = 54_321
const isRoot = process.getuid?.() === 0

/** A file in a folder in a folder, each of this user's alone. */
function ownPlace() {
  const dir = tempDir()
  const folder = join(dir, 'folder')
  const file = join(folder, 'config.toml')
  mkdirSync(folder, {mode: 0o700})
  writeFileSync(file, 'default_profile = "sandbox"\n', {mode: 0o600})
  return {dir, folder, file}
}

type Place = ReturnType<typeof ownPlace>

const weakenings: readonly (readonly [what: string, weaken: (place: Place) => void, isForRoot?: boolean])[] =
  [
    ['the file can be changed by all', ({file}) => chmodSync(file, 0o606)],
    ['the file can be changed by its group', ({file}) => chmodSync(file, 0o620)],
    ['its folder can be changed by all', ({folder}) => chmodSync(folder, 0o707)],
    ['the folder above can be changed by all', ({dir}) => chmodSync(dir, 0o777)],
    ['the file is a stranger’s', ({file}) => chownSync(file, stranger, stranger), true],
    ['its folder is a stranger’s', ({folder}) => chownSync(folder, stranger, stranger), true],
    [
      'its folder’s group is a stranger’s',
      ({folder}) => {
        chownSync(folder, 0, stranger)
        chmodSync(folder, 0o770)
      },
      true,
    ],
    ['the folder above is a stranger’s', ({dir}) => chownSync(dir, stranger, stranger), true],
  ]

describe('what another user could change is not used (P25)', () => {
  test('what is this user’s alone is, a folder with the sticky bit above it as well', async () => {
    const {dir, folder, file} = ownPlace()
    chmodSync(dir, 0o1777)
    expect([weakPlaceOf(file), weakPlaceOf(join(folder, 'not/there'))]).toEqual([null, null])
    expect(await readConfigFile(file)).toMatchObject({defaultProfile: 'sandbox'})
  })

  test.each(
    weakenings.filter(([, , isForRoot]) => isRoot || !isForRoot).map(([what, weaken]) => ({what, weaken})),
  )('$what', async ({weaken}) => {
    const place = ownPlace()
    const {dir, folder, file} = place
    weaken(place)
    // vitest's own clean-up must get in.
    onTestFinished(() => chmodSync(dir, 0o700))
    const refused = expect.objectContaining({code: 'config_invalid'})
    await expect(readConfigFile(file)).rejects.toEqual(refused)
    const source = {place: 'api_secret', way: 'file', path: file, isExact: false} as const
    await expect(readSecret(source, {}, {warnings: [], notes: []})).rejects.toEqual(refused)
    const data = join(folder, 'data')
    expect(weakPlaceOf(data) ?? weakPlaceOf(file)).not.toBeNull()
    if (weakPlaceOf(data)) expect(() => makeOwnDir(data)).toThrow(refused)
  })

  test.runIf(isRoot)('a link is followed, and whose it is counts', () => {
    const {dir, folder, file} = ownPlace()
    const link = join(dir, 'link')
    symlinkSync(folder, link)
    expect(weakPlaceOf(join(link, 'config.toml'))).toBeNull()
    chownSync(folder, stranger, stranger)
    expect(weakPlaceOf(join(link, 'config.toml'))?.path).toBe(folder)
    chownSync(folder, 0, 0)
    chownSync(file, stranger, stranger)
    expect(weakPlaceOf(join(link, 'config.toml'))?.path).toBe(file)
  })

  test.runIf(isRoot).each(['', '-wal'])(
    'a stranger’s database%s in a folder that was open once is refused',
    (end) => {
      const {folder} = ownPlace()
      const path = join(folder, 'a.db')
      writeFileSync(path, '')
      writeFileSync(`${path}${end}`, '')
      chownSync(`${path}${end}`, stranger, stranger)
      expect(() => ensurePrivateFile(path)).toThrow(expect.objectContaining({code: 'config_invalid'}))
    },
  )

  test.runIf(isRoot)('a stranger’s link changes the mode of no folder it leads to', () => {
    const {dir, folder} = ownPlace()
    chmodSync(folder, 0o755)
    const link = join(dir, 'journal')
    symlinkSync(folder, link)
    lchownSync(link, stranger, stranger)
    expect(() => makeOwnDir(link)).toThrow(expect.objectContaining({code: 'config_invalid'}))
    expect(modeOf(folder)).toBe('755')
  })

  test.runIf(isRoot)('a stranger’s pipe in the place of the configuration holds nothing up', async () => {
    const pipe = join(tempDir(), 'config.toml')
    execFileSync('mkfifo', [pipe])
    chownSync(pipe, stranger, stranger)
    await expect(readConfigFile(pipe)).rejects.toMatchObject({code: 'config_invalid'})
  })

  test('a link that leads to itself ends', () => {
    const link = join(tempDir(), 'link')
    symlinkSync(link, link)
    expect(weakPlaceOf(link)).toBeNull()
  })
})

test.each([
  ['nobody, for the system does not know it', 1000, 'x:x:1001:100::/:/bin/sh', 'users:x:100:x', false],
  [
    'this user and root',
    1000,
    'me:x:1000:1000::/:/bin/sh\nroot:x:0:0::/:/bin/sh',
    'me:x:1000:me,root',
    false,
  ],
  ['a member', 1000, 'me:x:1000:100::/:/bin/sh\nbob:x:1001:100::/:/bin/sh', 'devs:x:1000:me,bob\r', true],
  ['one whose first group it is', 1000, 'bob:x:1001:1000::/:/bin/sh', '', true],
  ['a member of root’s', 0, 'bob:x:1001:1001::/:/bin/sh', 'root:x:0:bob', true],
  ['an account of the system, in root’s', 0, 'sync:x:4:0::/bin:/bin/sync', 'root:x:0:', false],
])('who is in a group: %s', (_who, gid, passwd, group, has) => {
  expect(hasOtherMembers(gid, 1000, {passwd, group})).toBe(has)
})

test('a program that is not hisab’s gets no variable of hisab’s (P20)', () => {
  const env = {
    PATH: '/bin',
    DISPLAY: ':0',
    HISAB_API_SECRET: 's',
    MY_SECRET: 's',
    NODE_OPTIONS: '--require=x',
  }
  expect(environmentOfOthers(env)).toEqual({PATH: '/bin', DISPLAY: ':0'})
})

test.each([
  ['http://127.1/', true],
  ['http://[::1]:80', true],
  ['http://LOCALHOST', true],
  ['http://x.localhost', false],
  ['http://localhost.', false],
  ['http://127.0.0.1.example.com', false],
  ['http://0.0.0.0', false],
  ['not an address', false],
])('whether %s is this machine: %s', (url, is) => {
  expect(isLoopback(url)).toBe(is)
})
