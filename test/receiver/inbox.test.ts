import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, onTestFinished, test, vi} from 'vitest'

import {openInbox} from '../../src/receiver/inbox.ts'
import {verifyWebhook} from '../../src/receiver/verify-webhook.ts'
import type {Webhook} from '../../src/receiver/webhook.ts'
import type {Fields} from '../sandbox/acting-merchant.ts'
import {modeOf, tempDir} from '../temp-dir.ts'
import {account, openTestInbox, openTestReceiver, sortedRules, webhookBody} from './fixture.ts'

function webhook(fields: Fields = {}): Webhook {
  const wire = {headers: {}, path: '/webhook', body: Buffer.from(webhookBody(fields))}
  const verdict = verifyWebhook(wire, sortedRules)
  if (verdict.kind !== 'genuine') throw new Error(verdict.message)
  return verdict.webhook
}

/** Everything SQLite is told while the test runs, and every connection it is told on. */
function watchDatabase() {
  const statements: string[] = []
  const connections = new Set<DatabaseSync>()
  const {exec} = DatabaseSync.prototype
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    connections.add(this)
    statements.push(sql)
    exec.call(this, sql)
  })
  onTestFinished(() => spy.mockRestore())
  return {connections, count: (sql: string) => statements.filter((text) => text === sql).length}
}

describe('durability (P3, P23)', () => {
  test('every connection is WAL with synchronous=FULL, after opening and after use', async () => {
    const {connections} = watchDatabase()
    const dataDir = tempDir()
    for (const amount of ['500.00', '900.00']) {
      const inbox = openTestInbox(dataDir)
      await inbox.take(webhook({amount}), 1, null)
    }
    // The first one is made while no other process may make it, which takes a lock for the moment.
    const stores = [...connections].filter((sql) => sql.isOpen)
    expect(stores).toHaveLength(2)
    for (const sql of stores) {
      expect(sql.prepare('PRAGMA synchronous').get()).toEqual({synchronous: 2})
      expect(sql.prepare('PRAGMA journal_mode').get()).toEqual({journal_mode: 'wal'})
    }
  })

  test('what arrives together is one commit, and nobody is answered before it', async () => {
    const inbox = openTestInbox()
    const {count} = watchDatabase()
    const answered: string[] = []
    const taking = Array.from({length: 200}, (_, n) =>
      inbox
        .take(webhook({platformOrderNo: `PF-${n}`, orderNo: `D-${n}`}), n, null)
        .then(({novelty}) => answered.push(novelty)),
    )
    await Promise.resolve()
    expect(answered).toEqual([])
    await Promise.all(taking)
    expect(count('COMMIT')).toBe(1)
    expect(answered).toEqual(Array.from({length: 200}, () => 'new'))
  })

  test('twice in one commit is once', async () => {
    const inbox = openTestInbox()
    const taken = await Promise.all([1, 2, 3].map((nowMs) => inbox.take(webhook(), nowMs, null)))
    expect(taken.map(({novelty}) => novelty)).toEqual(['new', 'duplicate', 'duplicate'])
    expect(inbox.list({rowsMax: 9})).toHaveLength(1)
  })

  test('a commit that fails leaves nothing, and everybody in it hears so', async () => {
    const inbox = openTestInbox()
    const {exec} = DatabaseSync.prototype
    const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
      this: DatabaseSync,
      sql,
    ) {
      if (sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), {errcode: 10})
      exec.call(this, sql)
    })
    const taking = ['PF-1', 'PF-2'].map((platformOrderNo) => inbox.take(webhook({platformOrderNo}), 1, null))
    const results = await Promise.allSettled(taking)
    spy.mockRestore()
    expect(results).toMatchObject([1, 2].map(() => ({status: 'rejected', reason: {code: 'storage_failed'}})))
    expect(inbox.list({rowsMax: 9})).toEqual([])
    expect((await inbox.take(webhook(), 2, null)).novelty).toBe('new')
  })

  test('it is remembered over a restart, with when it came first', async () => {
    const dataDir = tempDir()
    const before = openTestInbox(dataDir)
    await before.take(webhook(), 1_000, null)
    before.close()
    const after = openTestInbox(dataDir)
    expect(await after.take(webhook(), 2_000, null)).toMatchObject({novelty: 'duplicate', firstAtMs: 1_000})
    expect(await after.take(webhook({amount: '1.00'}), 3_000, null)).toMatchObject({
      novelty: 'conflict',
      firstAtMs: 1_000,
    })
  })

  test('what was acknowledged once stays so, whoever fails afterwards', async () => {
    const inbox = openTestInbox()
    const {id, claim} = await inbox.take(webhook(), 1, 1_000)
    if (claim === null) throw new Error('the first has the claim')
    await inbox.recordForward(id, claim, {httpStatus: 200, acknowledgedAtMs: 2})
    await inbox.recordForward(id, claim, {httpStatus: 503, acknowledgedAtMs: null})
    expect(inbox.list({rowsMax: 9})).toMatchObject([{forwards: 1, forwardStatus: 503, acknowledgedAtMs: 2}])
    expect(await inbox.take(webhook(), 3, 1_000)).toMatchObject({isAcknowledged: true, claim: null})
  })

  test('rows are never deleted, files are private, and the signature is in none of them (P20, P25)', async () => {
    const inbox = openTestInbox()
    await inbox.take(webhook(), 1, null)
    const sql = new DatabaseSync(inbox.path)
    onTestFinished(() => sql.close())
    expect(() => sql.exec('DELETE FROM events')).toThrow(/never deleted/)
    expect([inbox.path, `${inbox.path}-wal`].map(modeOf)).toEqual(['600', '600'])
    const {signature} = JSON.parse(webhookBody()) as {signature: string}
    expect(JSON.stringify(sql.prepare('SELECT * FROM events').all())).not.toContain(signature)
  })

  test('where the service was is kept from the first event on, once, and in turn with other processes', async () => {
    const begun: string[] = []
    const addresses = ['https://pay1.example', 'https://pay2.example']
    const inbox = openInbox({
      ...{dataDir: tempDir(), account, addresses},
      inTurn(begin) {
        begun.push(JSON.stringify(inbox.list({rowsMax: 9})))
        begin()
      },
    })
    onTestFinished(() => inbox.close())
    expect(begun).toEqual([])
    for (const nowMs of [1, 2]) await inbox.take(webhook(), nowMs, null)
    expect(begun).toEqual(['[]'])
    const sql = new DatabaseSync(inbox.path)
    onTestFinished(() => sql.close())
    expect(sql.prepare('SELECT origin FROM addresses ORDER BY origin').all()).toMatchObject(
      addresses.map((origin) => ({origin})),
    )
  })

  test('what stands beside it is written once a minute, and when it is closed', async () => {
    const dataDir = tempDir()
    const inbox = openTestInbox(dataDir)
    const seen: unknown[] = []
    const look = async () => {
      const [file = ''] = await readdir(join(dataDir, 'accounts'))
      const {id} = JSON.parse(await readFile(join(dataDir, 'accounts', file), 'utf8')) as {id: number}
      seen.push(id)
    }
    for (const [n, nowMs] of [0, 59_999, 60_000, 119_999, 60_001, 1].entries()) {
      await inbox.take(webhook({platformOrderNo: `PF-${n}`}), nowMs, null)
      await look()
    }
    await inbox.take(webhook({platformOrderNo: 'PF-9'}), 2, null)
    inbox.close()
    await look()
    expect(seen).toEqual([1, 1, 3, 3, 3, 3, 7])
  })

  test('two environments have two stores', async () => {
    const dataDir = tempDir()
    await openTestInbox(dataDir).take(webhook(), 1, null)
    const other = openInbox({dataDir, account: {...account, environment: 'staging'}})
    onTestFinished(() => other.close())
    expect(other.list({rowsMax: 9})).toEqual([])
  })
})

describe('a full disk (P16)', () => {
  test('503 until there is room, never 200 for what is not stored, and nothing that was promised is lost', async () => {
    const dataDir = tempDir()
    const small = openTestInbox(dataDir, 40)
    const {post, notices, drain} = await openTestReceiver({inbox: small})
    const statuses = new Map<string, number>()
    for (let n = 0; n < 200; n += 1) {
      const platformOrderNo = `PF-${n}`
      const {status} = await post(
        webhookBody({platformOrderNo, orderNo: `D-${n}`, playerRef: 'x'.repeat(400)}),
      )
      statuses.set(platformOrderNo, status)
      if (status === 503) break
    }
    expect([...statuses.values()].slice(0, 3)).toEqual([200, 200, 200])
    expect([...statuses.values()].at(-1)).toBe(503)
    expect(notices.at(-1)).toMatchObject({type: 'unstored', failure: {code: 'storage_failed'}})
    // What is known already needs no room.
    expect(
      (await post(webhookBody({platformOrderNo: 'PF-0', orderNo: 'D-0', playerRef: 'x'.repeat(400)}))).status,
    ).toBe(200)
    await drain()
    small.close()

    const roomy = openTestInbox(dataDir)
    const promised = [...statuses].filter(([, status]) => status === 200).map(([order]) => order)
    expect(
      roomy
        .list({rowsMax: 999})
        .map(({orderId}) => orderId)
        .reverse(),
    ).toEqual(promised)
  })
})
