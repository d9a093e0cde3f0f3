import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'

import type {LoadedProfile} from '../../src/config/load-profile.ts'
import {openSharedJournal} from '../../src/journal/postgres/journal.ts'
import {readAddress} from '../../src/journal/postgres/settings.ts'
import {sharedJournalChecks} from '../../src/workflows/doctor/shared-journal.ts'
import {profileAt} from '../api/fixture.ts'
import {PostgresServer, whyNoPostgres} from '../journal/postgres/server.ts'
import {tempDir} from '../temp-dir.ts'

const profile = profileAt('https://pay.example')

/** What the doctor says of the journal at a URL, and the secrets that it was told to hide. */
async function look(url: string, dataDir = tempDir()) {
  const secrets: string[] = []
  const setting = {url: async () => url, place: 'HISAB_JOURNAL'} as NonNullable<
    LoadedProfile['sharedJournal']
  >
  const checks = await sharedJournalChecks(
    setting,
    {profile} as LoadedProfile,
    dataDir,
    (secret) => void secrets.push(secret),
  )
  return {checks, secrets, of: (name: string) => checks.find((check) => check.name === name)}
}

test('a shared journal that cannot be asked is failed, its lock is not known, and its password is hidden', async () => {
  const {checks, secrets} = await look('postgres://hisab:s3cret@127.0.0.1:9/hisab')
  expect(checks).toMatchObject([
    {
      ...{name: 'journal', status: 'failed', code: 'storage_failed'},
      why: expect.stringContaining('takes no connections at that port'),
    },
    {name: 'lock', status: 'ok', why: 'not known'},
  ])
  expect(secrets).toEqual(['s3cret'])
})

test('a URL that is none is failed as the setting that it is', async () => {
  const {checks} = await look('mysql://127.0.0.1/hisab')
  expect(checks).toMatchObject([{name: 'journal', status: 'failed', code: 'config_invalid'}, {name: 'lock'}])
})

describe.skipIf(whyNoPostgres !== null)('a shared journal at work', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.migrate()
  }, 60_000)
  afterAll(() => server?.stop())

  test('who is at work on it is said, and what is this machine’s alone', async () => {
    const dataDir = tempDir()
    const url = server.url('hisab')
    const user = {dataDir, account: profile, addresses: ['https://pay.example'], profileName: 'live'}
    const idle = await look(url, dataDir)
    expect(idle.of('lock')).toMatchObject({status: 'ok', why: 'nobody is at work'})
    expect(idle.secrets).toEqual([])
    const journal = await openSharedJournal(
      dataDir,
      readAddress(url, 'HISAB_JOURNAL'),
      {...user, isEnvironmentNamed: true},
      {author: 'rahima'},
    )
    onTestFinished(() => journal.close())
    const lease = await journal.takeLease()
    const busy = await look(url, dataDir)
    expect(busy.of('lock')).toMatchObject({status: 'ok', why: expect.stringMatching(/^rahima@/)})
    expect(busy.of('journal')).toMatchObject({
      status: 'ok',
      why: expect.stringContaining('the primary, fsync on'),
    })
    expect(busy.of('payee_key')).toMatchObject({why: 'none yet; made with the first payout'})
    expect(busy.of('journal_addresses')).toMatchObject({status: 'ok'})
    await lease.release()
  })
})
