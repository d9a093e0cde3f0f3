import {readdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, test} from 'vitest'

import {acquireRunLock} from '../../src/journal/lock.ts'
import {modeOf, tempDir} from '../temp-dir.ts'
import {kill, startChild} from './run-child.ts'
import {live} from './sample.ts'

const refusal = expect.objectContaining({code: 'locked', exitStatus: 9, hint: expect.stringMatching(/Wait/)})

describe('one run per merchant and environment (P14)', () => {
  test('while another process holds the lock nobody gets it; its SIGKILL frees it', async () => {
    const dir = tempDir()
    const {child} = await startChild('lock', dir)
    expect(() => acquireRunLock(dir, live)).toThrow(refusal)
    // A refused try must not have dropped the lock of the one who holds it.
    expect(() => acquireRunLock(dir, live)).toThrow(/merchant 0d9e4c1a.*\(live\)/)
    await kill(child)
    acquireRunLock(dir, live).release()
  })

  test('a refused try in the same process does not drop the lock it holds', async () => {
    const dir = tempDir()
    const lock = acquireRunLock(dir, live)
    expect(() => acquireRunLock(dir, live)).toThrow(refusal)
    const other = await startOther(dir)
    expect(other).toMatchObject({code: 'locked'})
    lock.release()
  })

  test('released, it is free at once, and releasing twice is harmless', () => {
    const dir = tempDir()
    const lock = acquireRunLock(dir, live)
    lock.release()
    lock.release()
    const next = acquireRunLock(dir, live)
    lock.release()
    expect(() => acquireRunLock(dir, live)).toThrow(refusal)
    next.release()
  })

  test('environments do not lock each other out, however alike their names', () => {
    const dir = tempDir()
    const locks = ['live', 'Live', 'live/2', 'live 2', '../live'].map((environment) =>
      acquireRunLock(dir, {...live, environment}),
    )
    for (const lock of locks) lock.release()
    expect(readdirSync(dir)).toEqual(['locks'])
  })

  test('a lock that is damaged is no other run at work', () => {
    const dir = tempDir()
    acquireRunLock(dir, live).release()
    const [name = ''] = readdirSync(join(dir, 'locks'))
    writeFileSync(join(dir, 'locks', name), 'x'.repeat(9_000))
    expect(() => acquireRunLock(dir, live)).toThrow(expect.objectContaining({code: 'storage_failed'}))
  })

  test('the file is 0600 in a folder of 0700', () => {
    const dir = tempDir()
    acquireRunLock(dir, live).release()
    const [name = ''] = readdirSync(join(dir, 'locks'))
    expect([modeOf(join(dir, 'locks')), modeOf(join(dir, 'locks', name))]).toEqual(['700', '600'])
  })
})

async function startOther(dir: string): Promise<unknown> {
  const {child, said} = await startChild('try-lock', dir)
  if (child.exitCode === null) child.kill('SIGKILL')
  return said
}
