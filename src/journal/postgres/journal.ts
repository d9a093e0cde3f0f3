import {hostname} from 'node:os'

import {type Account, accountKey, accountOf} from '../../core/account.ts'
import {Failure} from '../../core/failure.ts'
import {newSkew} from '../clock.ts'
import type {Journal, JournalOptions} from '../journal.ts'
import {commonParts} from '../parts.ts'
import {payeeKeyOf} from '../payee-key.ts'
import {sql} from '../query.ts'
import {noRun} from '../runs.ts'
import type {JournalUser} from '../witness.ts'
import {holdAccount, type Shared} from './account.ts'
import {SharedDatabase} from './database.ts'
import {type HeldLease, Lease, type LeaseState} from './lease.ts'
import {sharedMemory} from './memory.ts'
import {addOrigins, refusalAt, sharedElsewhere} from './origins.ts'
import {Presence, soon} from './presence.ts'
import {sharedRequests} from './requests.ts'
import {sharedResends} from './resends.ts'
import {readVersion, sharedSteps} from './schema.ts'
import type {DatabaseAddress} from './settings.ts'
import {sharedStore} from './store.ts'
import {type Restored, recordSetting, SharedWitness} from './witness.ts'

/** A journal of many machines, and what orders their runs. */
export interface SharedJournal extends Journal {
  /** The right of one run to the account. Throws `locked`, with who has it. */
  takeLease(): Promise<HeldLease>
  /** Who has it now, and how often it was taken. */
  leaseState(): Promise<LeaseState>
  /** Where the database was restored or failed over, as far as this machine can tell; else null. */
  readonly restored: Restored | null
}

/** Opens the connection, and refuses what is no journal of this version, or may not keep what it is given. */
export async function openShared(address: DatabaseAddress): Promise<SharedDatabase> {
  const db = new SharedDatabase(address, async (reader) => {
    const [server] = await reader.all(
      sql`SELECT pg_is_in_recovery() AS replica, current_setting('fsync') AS fsync`,
    )
    if (server?.replica === true)
      throw new Failure(
        'storage_failed',
        `The journal ${address.name} is a replica, which takes no writes. Nothing was sent.`,
        'Give the address of the primary.',
      )
    if (server?.fsync !== 'on')
      throw new Failure(
        'storage_failed',
        `The journal ${address.name} may not survive a power cut: fsync is ${String(server?.fsync)}.`,
        'Set fsync = on in the database.',
      )
    const [{version = 0} = {}] = await reader.all(readVersion)
    if (Number(version) === sharedSteps.length) return
    const isNewer = Number(version) > sharedSteps.length
    throw new Failure(
      'config_invalid',
      `The journal ${address.name} has schema ${version}; this hisab knows ${sharedSteps.length}. Nothing was changed.`,
      isNewer ? 'Install the newer hisab.' : 'Run, as the owner of the schema: hisab journal migrate.',
    )
  })
  try {
    await db.all(sql`SELECT 1`)
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}

/** The journal of an account in a shared database. Throws as `openJournal` does. */
export async function openSharedJournal(
  dataDir: string,
  address: DatabaseAddress,
  user: JournalUser,
  {
    author = null,
    doing = 'hisab',
    timeZone = 'UTC',
    isLinking = false,
    isLossAccepted = false,
  }: JournalOptions = {},
): Promise<SharedJournal> {
  recordSetting(user)
  const db = await openShared(address)
  try {
    const accountId = await accountIdOf(db, user.account)
    if (!isLinking) {
      const refusal = await refusalAt(db, accountId, user)
      if (refusal) throw refusal
    }
    const shared = {db, accountId}
    const witness = await SharedWitness.open(shared, user, isLossAccepted)
    return journalOf(dataDir, shared, witness, user, {author, doing, timeZone})
  } catch (error) {
    await db.close()
    throw error
  }
}

export async function accountIdOf(db: SharedDatabase, account: Account): Promise<number> {
  const {merchantId, environment} = accountOf(accountKey(account))
  const known = await accountIfAny(db, account)
  if (known !== null) return known
  await db.write(
    (tx) =>
      tx.run(
        sql`INSERT INTO hisab.account (merchant_id, environment) VALUES (${merchantId}, ${environment}) ON CONFLICT DO NOTHING`,
      ),
    'repeat',
  )
  return Number(await accountIfAny(db, account))
}

/** Null where it never was at work. */
export async function accountIfAny(db: SharedDatabase, account: Account): Promise<number | null> {
  const {merchantId, environment} = accountOf(accountKey(account))
  const [row] = await db.all(
    sql`SELECT id FROM hisab.account WHERE merchant_id = ${merchantId} AND environment = ${environment}`,
  )
  return row ? Number(row.id) : null
}

function journalOf(
  dataDir: string,
  shared: Shared,
  witness: SharedWitness,
  user: JournalUser,
  {author, doing, timeZone}: Required<Pick<JournalOptions, 'author' | 'doing' | 'timeZone'>>,
): SharedJournal {
  const {db, accountId} = shared
  const own = new Set<string>()
  const payeeKey = payeeKeyOf(dataDir)
  const machine = hostname()
  const by = `${author ?? 'hisab'}@${machine}`
  const lease = new Lease(shared, user.account, {by, doing}, timeZone)
  const presence = new Presence(shared)
  const store = sharedStore(shared)
  const parts = commonParts(store, own, (...values) => payeeKey().fingerprint(...values))
  return {
    ...sharedRequests(shared, witness, lease, by),
    ...sharedResends(shared, witness, lease),
    ...sharedMemory(shared, lease),
    ...parts,
    async startRun({id, command, startedAtMs, options, reportDir}) {
      const stored = author === null ? options : JSON.stringify({...JSON.parse(options), by: author})
      await db.write((tx) =>
        tx.run(
          sql`INSERT INTO hisab.runs (account_id, id, command, merchant_id, started_at_ms, status, options, report_dir, machine, alive_until)
              VALUES (${accountId}, ${id}, ${command}, ${user.account.merchantId}, ${startedAtMs}, 'running', ${stored}, ${reportDir}, ${machine}, ${soon})`,
        ),
      )
      own.add(id)
      presence.begin(id)
    },
    async resumeRun(id) {
      await store.change(
        sql`UPDATE hisab.runs SET status = 'running', finished_at_ms = NULL, exit_status = NULL,
          machine = ${machine}, alive_until = ${soon} WHERE account_id = ${accountId} AND id = ${id}`,
        noRun(id),
      )
      own.add(id)
      presence.begin(id)
    },
    async finishRun(id, end) {
      presence.end(id)
      await parts.finishRun(id, end)
    },
    async recordSkew(skewMs) {
      const kept = newSkew(await skewOf(shared), skewMs)
      if (kept === undefined) return
      await db.write(
        (tx) => tx.run(sql`UPDATE hisab.account SET skew_ms = ${kept} WHERE id = ${accountId}`),
        'repeat',
      )
    },
    lastSkew: () => skewOf(shared),
    async linkAddresses() {
      await db.write(async (tx) => {
        await holdAccount(tx, accountId)
        await addOrigins(tx, accountId, user.addresses, true)
      }, 'repeat')
      return await sharedElsewhere(shared, user)
    },
    restored: witness.restored,
    merged: [],
    dropped: [],
    takeLease: () => lease.take(),
    leaseState: () => lease.state(),
    async close() {
      presence.stop()
      await db.close()
    },
  }
}

async function skewOf({db, accountId}: Shared): Promise<number | null> {
  const [row] = await db.all(sql`SELECT skew_ms AS skew FROM hisab.account WHERE id = ${accountId}`)
  return row?.skew == null ? null : Number(row.skew)
}
