import {mkdirSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {expect, test} from 'vitest'

import {type Account, accountKey} from '../../src/core/account.ts'
import {ownedFileName} from '../../src/files/owned-database.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {hasReceived, isOfEnvironment, memoriesElsewhere} from '../../src/journal/memories.ts'
import {tempDir} from '../temp-dir.ts'
import {earlierJournal, live, payout} from './sample.ts'

const pay = 'https://pay.example'
const staging = 'https://staging.example'
const local = 'http://127.0.0.1:4010'

test.each<
  [profile: string, runsAt: readonly string[], environment: string, at: readonly string[], isIts: boolean]
>([
  // Without any run it is the environment's that comes first, but for the profile of the sandbox.
  ['shop', [], 'live', [pay], true],
  ['shop', [], 'staging', [pay], true],
  ['shop', [], 'sandbox', [local], true],
  ['sandbox', [], 'sandbox', [local], true],
  ['sandbox', [], 'live', [pay], false],
  // What ran on this machine alone is the sandbox's, and whose address it is.
  ['shop', [local], 'sandbox', [], true],
  ['shop', [local], 'live', [pay], false],
  ['shop', [local], 'live', [local], true],
  // What ran elsewhere is the live one's, or another's with that address; never the sandbox's.
  ['shop', [pay], 'live', [], true],
  ['sandbox', [pay], 'live', [], true],
  ['shop', [pay], 'staging', [staging], false],
  ['shop', [pay, staging], 'staging', [staging], true],
  ['shop', [pay], 'sandbox', [pay], false],
  ['shop', [pay, local], 'sandbox', [local], false],
])(
  'a journal of the profile %s that ran at %j is of %s at %j: %s',
  (profile, runsAt, environment, at, isIts) => {
    const sql = earlierJournal(tempDir(), profile)
    for (const [n, service] of runsAt.entries())
      sql
        .prepare(`INSERT INTO runs (id, command, merchant_id, started_at_ms, status, options, exit_status)
        VALUES (?, 'reconcile', ?, 1, 'finished', ?, 0)`)
        .run(`run-${n}`, live.merchantId, JSON.stringify({service: [service]}))
    expect(isOfEnvironment(sql, profile, environment, at)).toBe(isIts)
    sql.close()
  },
)

/** What a receiver of an environment keeps, as far as it is asked here. */
function received(dataDir: string, environment: string, events: number, addresses: readonly string[]): void {
  const account = {...live, environment}
  mkdirSync(join(dataDir, 'received'), {recursive: true})
  const sql = new DatabaseSync(join(dataDir, 'received', ownedFileName(account)))
  sql.exec(`CREATE TABLE account (id INTEGER, key TEXT, token TEXT); CREATE TABLE events (id INTEGER);
    CREATE TABLE addresses (origin TEXT)`)
  sql.prepare('INSERT INTO account VALUES (1, ?, ?)').run(accountKey(account), 'token')
  for (let n = 0; n < events; n++) sql.exec('INSERT INTO events VALUES (1)')
  for (const address of addresses) sql.prepare('INSERT INTO addresses VALUES (?)').run(address)
  sql.close()
}
const userAt = (dataDir: string, addresses: readonly string[]) => ({
  ...{dataDir, account: live, addresses, profileName: 'live', isEnvironmentNamed: true},
})

test.each<[what: string, events: number, at: readonly string[], own: readonly string[], has: boolean]>([
  ['nothing, nowhere', 0, [], [pay], false],
  ['nothing yet, here', 0, [pay], [pay], true],
  ['an event, before receivers wrote down where', 1, [], [pay], true],
  ['an event here', 1, [pay], [pay], true],
  ['an event elsewhere', 1, [staging], [pay], false],
  ['an event at one of two addresses', 1, [pay], [pay, staging], false],
  ['an event at more than its address', 1, [pay, staging], [pay], true],
])('whether an environment received events: %s', (_, events, at, own, has) => {
  const dir = tempDir()
  expect(hasReceived(userAt(dir, own))).toBe(false)
  received(dir, 'live', events, at)
  expect(hasReceived(userAt(dir, own))).toBe(has)
})

test.each<[what: string, events: number, at: readonly string[], known: object]>([
  ['nothing, nowhere', 0, [], {addresses: new Set(), isKnown: false}],
  ['nothing yet', 0, [staging], {addresses: new Set([staging]), isKnown: true}],
  ['events, before receivers wrote down where', 2, [], {addresses: new Set(), isKnown: true}],
  ['events', 2, [staging, pay], {addresses: new Set([staging, pay]), isKnown: true}],
])('what another environment received is known of it: %s', (_, events, at, known) => {
  const dir = tempDir()
  received(dir, 'staging', events, at)
  received(dir, 'live', 1, [pay])
  expect(memoriesElsewhere(userAt(dir, [pay]))).toEqual([{environment: 'staging', ...known}])
  const stranger = {...live, merchantId: '0d9e4c1a-7f43-4f0e-9a52-000000000099'}
  expect(memoriesElsewhere({...userAt(dir, [pay]), account: stranger})).toEqual([])
})

/** A journal that sent a payout there. */
async function sent(dataDir: string, account: Account, address: string): Promise<void> {
  const journal = openJournal(dataDir, account, {addresses: [address]})
  await journal.claimNumber(payout)
  await journal.close()
}

/** One of the profile `name`, by a version before; it ran there, where that is given. */
function ofProfile(dataDir: string, name: string, address: string | null): void {
  const sql = earlierJournal(dataDir, name)
  sql
    .prepare(`INSERT INTO runs (id, command, merchant_id, started_at_ms, status, options, exit_status)
      VALUES ('run-1', 'reconcile', ?, 1, 'finished', ?, 0)`)
    .run(live.merchantId, JSON.stringify(address === null ? {} : {service: [address]}))
  sql.close()
}

const ofStaging = {...live, environment: 'staging'}
const another = {merchantId: '0d9e4c1a-7f43-4f0e-9a52-000000000099', environment: 'staging'}
const fileOf = (dataDir: string, account: Account) => join(dataDir, 'journal', ownedFileName(account))

test.each<[what: string, happened: (dataDir: string) => Promise<void> | void, known: readonly string[]]>([
  ['nothing', () => undefined, []],
  ['it sent something', (dir) => sent(dir, ofStaging, staging), [`staging at ${staging}, known`]],
  [
    'its journal was opened, and sent nothing',
    (dir) => openJournal(dir, ofStaging, {addresses: [staging]}).close(),
    ['staging at , not known'],
  ],
  [
    'it sent something, and its journal is lost',
    async (dir) => {
      await sent(dir, ofStaging, staging)
      rmSync(fileOf(dir, ofStaging))
    },
    [`staging at ${staging}, known`],
  ],
  [
    'its journal is lost, and a receiver of it is here',
    async (dir) => {
      await sent(dir, ofStaging, staging)
      rmSync(fileOf(dir, ofStaging))
      received(dir, 'staging', 1, [pay])
    },
    [`staging at ${pay}, known`, `staging at ${staging}, known`],
  ],
  ['another merchant sent something', (dir) => sent(dir, another, staging), []],
  [
    'another merchant sent something, and its journal is lost',
    async (dir) => {
      await sent(dir, another, staging)
      rmSync(fileOf(dir, another))
    },
    [],
  ],
  ['this environment itself sent something', (dir) => sent(dir, live, pay), []],
  [
    'this environment itself, and its journal is lost',
    async (dir) => {
      await sent(dir, live, pay)
      rmSync(fileOf(dir, live))
    },
    [],
  ],
  [
    'a profile on this machine, by a version before',
    (dir) => ofProfile(dir, 'shop', local),
    [`sandbox at ${local}, known`],
  ],
  ['a profile that is this environment’s to take over', (dir) => ofProfile(dir, 'shop', pay), []],
  ['a profile that ran nowhere', (dir) => ofProfile(dir, 'sandbox', null), ['sandbox at , known']],
  [
    'files of others',
    (dir) => {
      mkdirSync(join(dir, 'journal'), {recursive: true})
      writeFileSync(join(dir, 'journal', 'notes.txt'), 'none of hisab')
      writeFileSync(join(dir, 'journal', 'photos.db'), '')
      writeFileSync(join(dir, 'journal', `${ownedFileName(another)}`), '')
    },
    [],
  ],
])('what the other environments of a merchant know: %s', async (_what, happened, known) => {
  const dir = tempDir()
  await happened(dir)
  const found = memoriesElsewhere(userAt(dir, [pay]))
  expect(
    found.map(
      ({environment, addresses, isKnown}) =>
        `${environment} at ${[...addresses].join(' ')}, ${isKnown ? 'known' : 'not known'}`,
    ),
  ).toEqual(known)
})
