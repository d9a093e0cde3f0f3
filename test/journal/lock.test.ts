import {mkdirSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'

import {describe, expect, test} from 'vitest'

import {acquireNightLock, acquireRunLock} from '../../src/journal/lock.ts'
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

  test('of two nights the second is told what the first is at, and a run is not kept out by either', () => {
    const dir = tempDir()
    const night = acquireNightLock(dir, live, 'process 7 on desk-a,\u001b[2J ledger of 2026-11-21')
    const told = (what: string) =>
      expect.objectContaining({
        code: 'locked',
        message: `hisab nightly is at work for merchant ${live.merchantId} (live): ${what}.`,
      })
    expect(() => acquireNightLock(dir, live, 'mine')).toThrow(
      told('process 7 on desk-a,\\u{1b}[2J ledger of 2026-11-21'),
    )
    acquireRunLock(dir, live).release()
    acquireNightLock(dir, {...live, environment: 'staging'}, 'mine').release()
    const [note = ''] = readdirSync(join(dir, 'locks')).filter((name) => name.endsWith('.txt'))
    rmSync(join(dir, 'locks', note))
    expect(() => acquireNightLock(dir, live, 'mine')).toThrow(told('a process that has just begun'))
    night.release()
    acquireNightLock(dir, live, 'mine').release()
  })

  test('a night that cannot say what it is at has no lock', () => {
    const dir = tempDir()
    acquireNightLock(dir, live, 'first').release()
    const [note = ''] = readdirSync(join(dir, 'locks')).filter((name) => name.endsWith('.txt'))
    rmSync(join(dir, 'locks', note))
    mkdirSync(join(dir, 'locks', note))
    for (const _ of 'twice')
      expect(() => acquireNightLock(dir, live, 'mine')).toThrow(
        expect.objectContaining({code: expect.not.stringMatching('locked')}),
      )
    rmSync(join(dir, 'locks', note), {recursive: true})
    acquireNightLock(dir, live, 'mine').release()
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
