import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {expect, test} from 'vitest'

import {ownedFileName} from '../../src/files/owned-database.ts'
import {holdMemory} from '../../src/journal/forget.ts'
import {beginReceiving, inspectJournal, isLockHeld} from '../../src/journal/inspect.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {acquireRunLock} from '../../src/journal/lock.ts'
import {tempDir} from '../temp-dir.ts'
import {claimed, earlierJournal, exhaustedDelivery, live, nightlyRun, payout} from './sample.ts'

const pathIn = (dir: string, account = live) => join(dir, 'journal', ownedFileName(account))
const userOf = (dataDir: string, addresses: readonly string[] = []) => ({
  ...{dataDir, account: live, addresses, profileName: 'live', isEnvironmentNamed: true},
})
const none = {runs: 0, resendsInDoubt: 0, createsInDoubt: {deposit: 0, payout: 0}}

/** A run, a resend and two payouts in doubt, a deposit in doubt, and a payout that was refused. */
async function atWork(dir: string, account = live, addresses: readonly string[] = []) {
  const journal = openJournal(dir, account, {addresses})
  await journal.startRun(nightlyRun)
  await claimed(journal, exhaustedDelivery)
  const claim = async (n: number, kind: 'deposit' | 'payout') => {
    const one = await journal.claimNumber({
      ...payout,
      kind,
      orderNo: `O-${n}`,
      bodyDigest: `${n}`,
      intentDigest: `${n}`,
    })
    return one.fresh ? one.id : 0
  }
  await claim(1, 'payout')
  await claim(2, 'payout')
  await claim(3, 'deposit')
  await journal.recordRequestOutcome(await claim(4, 'payout'), 'refused', {outcomeAtMs: 1})
  await journal.close()
}

const inUse = {runs: 1, resendsInDoubt: 1, createsInDoubt: {deposit: 1, payout: 2}}

test.each<[what: string, make: (dir: string) => Promise<void> | void, expected: object]>([
  ['none', () => {}, {state: 'absent'}],
  ['one at work', (dir) => atWork(dir), {state: 'ok', ...inUse}],
  [
    'one of which a merge dropped a payout in doubt',
    async (dir) => {
      await atWork(dir)
      const sql = new DatabaseSync(pathIn(dir))
      sql.exec(`INSERT INTO requests_dropped SELECT * FROM requests WHERE kind = 'payout'`)
      sql.close()
    },
    {state: 'ok', ...inUse, createsInDoubt: {deposit: 1, payout: 4}},
  ],
  [
    'a file that was made and never written to',
    (dir) => {
      mkdirSync(join(dir, 'journal'))
      writeFileSync(pathIn(dir), '')
    },
    {state: 'ok', ...none},
  ],
  [
    'one that is gone',
    async (dir) => {
      await atWork(dir)
      rmSync(pathIn(dir))
    },
    {state: 'refused', failure: {message: expect.stringContaining('is gone or empty')}},
  ],
  [
    'one that was emptied',
    async (dir) => {
      await atWork(dir)
      truncateSync(pathIn(dir))
    },
    {state: 'refused', failure: {message: expect.stringContaining('is gone or empty')}},
  ],
  [
    'another one of the same merchant in its place',
    async (dir) => {
      await atWork(dir)
      const other = tempDir()
      await atWork(other)
      copyFileSync(pathIn(other), pathIn(dir))
    },
    {state: 'refused', failure: {message: expect.stringContaining('is another journal')}},
  ],
  [
    'one of another environment in its place',
    async (dir) => {
      const account = {...live, environment: 'staging'}
      await atWork(dir, account)
      copyFileSync(pathIn(dir, account), pathIn(dir))
    },
    {state: 'unreadable', why: 'it belongs to another merchant or environment'},
  ],
  [
    'one of addresses that are not the profile’s',
    (dir) => atWork(dir, live, ['https://other.example']),
    {state: 'refused', failure: {message: expect.stringContaining('does not have the address')}},
  ],
  [
    'one of a newer hisab',
    async (dir) => {
      await atWork(dir)
      const sql = new DatabaseSync(pathIn(dir))
      sql.exec('PRAGMA user_version = 999')
      sql.close()
    },
    {state: 'unreadable', why: 'it was written by a newer hisab (schema 999)'},
  ],
  [
    'one of an older hisab that sent nothing, at whatever address',
    (dir) => earlierJournal(dir, 'live').close(),
    {state: 'ok', ...none},
  ],
  [
    'one with damaged pages',
    async (dir) => {
      await atWork(dir)
      const bytes = readFileSync(pathIn(dir))
      bytes.fill(0x5a, 4096 * 2, 4096 * 6)
      writeFileSync(pathIn(dir), bytes)
    },
    {state: 'unreadable'},
  ],
  [
    'no database at all',
    (dir) => {
      mkdirSync(join(dir, 'journal'))
      writeFileSync(
        pathIn(dir),
        'this is a text of more than a hundred bytes, as a person may put it there by mistake. '.repeat(9),
      )
    },
    {state: 'unreadable', why: expect.stringContaining(': not a database')},
  ],
])('the journal as doctor finds it: %s', async (_what, make, expected) => {
  const dir = tempDir()
  await make(dir)
  const addresses = JSON.stringify(expected).includes('address') ? ['https://pay.example'] : []
  expect(inspectJournal(userOf(dir, addresses))).toMatchObject(expected)
})

test('no receiver begins beside a journal that nobody can read', () => {
  const dir = tempDir()
  mkdirSync(join(dir, 'journal'))
  writeFileSync(pathIn(dir), 'x'.repeat(9_000))
  const begun: string[] = []
  const begin = (at: string) => beginReceiving(userOf(at), () => void begun.push(at))
  expect(() => begin(dir)).toThrow(expect.objectContaining({code: 'storage_failed'}))
  // One of an older hisab says nothing that a receiver could know.
  const [older, none] = [tempDir(), tempDir()]
  const earlier = earlierJournal(older, 'live')
  const path = String(earlier.location())
  earlier.close()
  renameSync(path, pathIn(older))
  begin(older)
  begin(none)
  expect(begun).toEqual([older, none])
})

test('the lock of a run is seen while it is held, and looking at it takes nothing', () => {
  const dir = tempDir()
  expect(isLockHeld(dir, live)).toBe(false)
  const lock = acquireRunLock(dir, live)
  expect([isLockHeld(dir, live), isLockHeld(dir, {...live, environment: 'staging'})]).toEqual([true, false])
  lock.release()
  lock.release()
  expect(isLockHeld(dir, live)).toBe(false)
  acquireRunLock(dir, live).release()
  // What is no file at all locks nobody out.
  const other = tempDir()
  for (const name of readdirSync(join(dir, 'locks'))) mkdirSync(join(other, 'locks', name), {recursive: true})
  expect(isLockHeld(other, live)).toBe(false)
})

test('what is remembered of an account is forgotten whole, and not while a command uses it', async () => {
  const dir = tempDir()
  expect(holdMemory(dir, live)).toBeNull()
  await atWork(dir)
  const journal = openJournal(dir, live)
  await journal.findRun('run-1')
  expect(() => holdMemory(dir, live)).toThrow(
    expect.objectContaining({
      code: 'locked',
      message: expect.stringMatching(/^A command is using .*Nothing was deleted\.$/),
    }),
  )
  await journal.close()
  const kept = holdMemory(dir, live)
  expect(kept?.bytes).toBeGreaterThan(0)
  expect(kept?.files.some((path) => path.endsWith('.json'))).toBe(true)
  kept?.release()
  await openJournal(dir, live).close()
  holdMemory(dir, live)?.remove()
  expect(holdMemory(dir, live)).toBeNull()
  expect(inspectJournal(userOf(dir))).toMatchObject({state: 'absent'})
})
