import {existsSync, readdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {afterAll, beforeAll, describe, expect, onTestFinished, test, vi} from 'vitest'

import type {Account} from '../../../src/core/account.ts'
import {type Journal, openJournal} from '../../../src/journal/journal.ts'
import {allMerchants} from '../../../src/journal/postgres/all-merchants.ts'
import {importJournal} from '../../../src/journal/postgres/import.ts'
import {inspectShared} from '../../../src/journal/postgres/inspect.ts'
import {openSharedJournal, type SharedJournal} from '../../../src/journal/postgres/journal.ts'
import {readAddress} from '../../../src/journal/postgres/settings.ts'
import {tempDir} from '../../temp-dir.ts'
import {contractOf} from '../contract.ts'
import {breakOf, claimed, exhaustedDelivery, expectDoubtOf, nightlyRun, payout} from '../sample.ts'
import {openProxy} from './proxy.ts'
import {PostgresServer, whereIsPooler, whyNoPostgres} from './server.ts'

let server: PostgresServer
let accounts = 0

const nowMs = Date.now()
const time = {nowMs, skewMs: 0}
const resend = {...exhaustedDelivery, intentAtMs: nowMs}
const pay = {...payout, intentAtMs: nowMs}
const newAccount = (): Account => ({
  merchantId: `0d9e4c1a-7f43-4f0e-9a52-${String(++accounts).padStart(12, '0')}`,
  environment: 'live',
})

async function open(
  account: Account,
  {
    url = server.url('hisab'),
    dataDir = tempDir(),
    author = 'rahima',
    addresses = ['https://pay.example'],
    isEnvironmentNamed = true,
  } = {},
): Promise<SharedJournal> {
  const user = {dataDir, account, addresses, profileName: 'live', isEnvironmentNamed}
  const journal = await openSharedJournal(dataDir, readAddress(url, 'HISAB_JOURNAL'), user, {author})
  onTestFinished(() => journal.close())
  return journal
}

const failing = (code: string, what: RegExp) =>
  expect.objectContaining({code, message: expect.stringMatching(what), hint: expect.stringMatching(/\w/)})

describe.skipIf(whyNoPostgres !== null)('a journal in PostgreSQL', () => {
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.migrate()
  }, 60_000)
  afterAll(() => server?.stop())

  contractOf('PostgreSQL', async () => {
    const account = newAccount()
    return [await open(account), await open(account)]
  }, ['takeLease', 'leaseState'])

  test('of eight connections that claim the same events at once, one wins each', async () => {
    const account = newAccount()
    const journals = await Promise.all(Array.from({length: 8}, () => open(account)))
    for (const [n, journal] of journals.entries()) await journal.startRun({...nightlyRun, id: `run-${n}`})
    const events = Array.from({length: 25}, (_, n) => ({...resend, orderId: `order-${n}`, orderNo: `D-${n}`}))
    const wins = await Promise.all(
      journals.map(async (journal, n) => {
        let won = 0
        for (const event of events)
          if ((await journal.claimResend({...event, runId: `run-${n}`}, time)).claimed) won += 1
        return won
      }),
    )
    expect(wins.reduce((all, one) => all + one, 0)).toBe(events.length)
    expect(await journals[0]?.resendsInDoubt()).toHaveLength(events.length)
  })

  test('a claim reads few rows, however many claims there were', async () => {
    const account = newAccount()
    const journal = await open(account)
    await journal.startRun(nightlyRun)
    await claimed(journal, resend)
    const id = server.sql(`SELECT id FROM hisab.account WHERE merchant_id = '${account.merchantId}'`, 'hisab')
    const before = `FROM generate_series(1, 20000) AS n`
    for (const rows of [
      `hisab.generations (account_id, number, token, at_ms) SELECT ${id}, 1000 + n, gen_random_uuid(), n ${before}`,
      `hisab.resends (account_id, claim_token, run_id, delivery_id, order_id, event, kind, order_no, state, intent_at_ms,
        baseline_attempts, baseline_status, overrides, cause) SELECT ${id}, gen_random_uuid(), 'run-1', n, 'before-' || n,
        'order.completed', 'deposit', 'before-' || n, 'delivered', n, 5, 'failed', '[]', 'delivery_exhausted' ${before}`,
      `hisab.requests (account_id, claim_token, kind, order_no, body_digest, intent_digest, amount_paisa, masked_account, state,
        intent_at_ms, claimed_at_ms) SELECT ${id}, gen_random_uuid(), 'payout', 'before-' || n, 'd', 'f', 100, n, 'accepted',
        n, n ${before}`,
    ])
      server.sql(`INSERT INTO ${rows}`, 'hisab')
    server.sql('ANALYZE', 'hisab')
    const read = () =>
      Number(
        server.sql(
          `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables
            WHERE relname IN ('generations', 'resends', 'requests')`,
          'hisab',
        ),
      )
    const at = read()
    await claimed(journal, {...resend, orderId: 'now', orderNo: 'D-now'})
    await journal.claimNumber(pay, {
      ...{dailyCeiling: 1_000_000n, dayStartMs: nowMs - 3_600_000, duplicatesSinceMs: nowMs - 3_600_000},
      duplicatesAllowed: new Set(),
    })
    // What a connection did is counted when it ends.
    await journal.close()
    await expect.poll(read, {timeout: 60_000}).toBeGreaterThan(at)
    expect(read() - at).toBeLessThan(500)
  })

  test('only a claim that may be sent is one that a restored journal would miss', async () => {
    const account = newAccount()
    const journal = await open(account)
    const claims = () =>
      server.sql(
        `SELECT count(*) FROM hisab.generations WHERE account_id =
          (SELECT id FROM hisab.account WHERE merchant_id = '${account.merchantId}')`,
        'hisab',
      )
    const {id} = await journal.claimNumber(pay).then((claim) => (claim.fresh ? claim : claim.row))
    expect(claims()).toBe('1')
    await journal.recordRequestOutcome(id, 'unknown', {outcomeAtMs: nowMs})
    expect(await journal.claimNumber(pay)).toMatchObject({fresh: false})
    expect(claims()).toBe('2')
    await journal.recordRequestOutcome(id, 'accepted', {outcomeAtMs: nowMs})
    expect(await journal.claimNumber(pay)).toMatchObject({fresh: false, row: {state: 'accepted'}})
    expect(claims()).toBe('2')
  })

  test('eight connections that pay at once stay below the ceiling, to the paisa', async () => {
    const account = newAccount()
    const journals = await Promise.all(Array.from({length: 8}, () => open(account)))
    const guard = {
      ...{dailyCeiling: 20n * 500_000n + 1n, dayStartMs: nowMs - 3_600_000, duplicatesSinceMs: 0},
      duplicatesAllowed: new Set<string>(),
    }
    const made = await Promise.allSettled(
      Array.from({length: 48}, (_, n) =>
        journals[n % 8]?.claimNumber({...pay, orderNo: `P-${n}`, payeeFingerprint: `key-id-0.${n}`}, guard),
      ),
    )
    expect(made.filter(({status}) => status === 'fulfilled')).toHaveLength(20)
    const why = made.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(new Set(why)).toEqual(new Set(['payout_over_limit']))
    expect(await journals[0]?.sumPayouts(0)).toBe(20n * 500_000n)
    // A ceiling that was stated before is not written down again.
    const id = `(SELECT id FROM hisab.account WHERE merchant_id = '${account.merchantId}')`
    expect(server.sql(`SELECT count(*) FROM hisab.daily_ceilings WHERE account_id = ${id}`, 'hisab')).toBe(
      '1',
    )
  })

  test('a claim whose COMMIT was answered to nobody is found by its token, and not made twice', async () => {
    const proxy = await openProxy(server.port)
    onTestFinished(() => proxy.close())
    const account = newAccount()
    const journal = await open(account, {url: server.url('hisab', proxy.port)})
    await journal.startRun(nightlyRun)
    proxy.loseCommits(1)
    expect(await journal.claimResend(resend, time)).toMatchObject({claimed: true})
    expect(await journal.resendsOfRun('run-1')).toHaveLength(1)
    proxy.loseCommits(1)
    expect(await journal.claimNumber(pay)).toMatchObject({fresh: true})
    expect(await journal.findRequest('payout', pay.orderNo)).toMatchObject({claims: 1})
    // Where nobody hears the second answer either, nothing is sent, and the claim is in doubt.
    proxy.loseCommits(2)
    const other = {...resend, orderId: 'another', orderNo: 'D-2'}
    await expect(journal.claimResend(other, time)).rejects.toThrow(
      failing('storage_failed', /not known whether/),
    )
    expect(await journal.resendsInDoubt()).toHaveLength(2)
  })

  test('what was acknowledged is there after the server was killed, and reading goes on by itself', async () => {
    const account = newAccount()
    const journal = await open(account)
    await journal.startRun(nightlyRun)
    const acknowledged: string[] = []
    for (let n = 0; n < 20; n++) {
      const {claimed: isClaimed} = await journal.claimResend(
        {...resend, orderId: `o-${n}`, orderNo: `D-${n}`},
        time,
      )
      if (isClaimed) acknowledged.push(`o-${n}`)
    }
    server.down('immediate')
    await expect(journal.claimResend({...resend, orderId: 'o-x', orderNo: 'D-x'}, time)).rejects.toThrow(
      failing('storage_failed', /takes no connections|broke|shutting down/),
    )
    server.up()
    const rows = await journal.resendsOfRun('run-1')
    expect(rows.map(({orderId}) => orderId)).toEqual(acknowledged)
    expect((await journal.claimResend({...resend, orderId: 'o-x', orderNo: 'D-x'}, time)).claimed).toBe(true)
  }, 60_000)

  test('one run at a time has the lease, the next is told whose it is, and who lost it claims nothing', async () => {
    const account = newAccount()
    const [mine, theirs] = [await open(account), await open(account, {author: 'karim'})]
    await mine.startRun(nightlyRun)
    expect(await mine.leaseState()).toEqual({fence: 0, holder: null})
    const lease = await mine.takeLease()
    await expect(theirs.takeLease()).rejects.toThrow(failing('locked', /rahima@.*: hisab, since 20/))
    await claimed(mine, resend)
    expect(await theirs.resendsInDoubt()).toMatchObject([{isOnItsWay: true}])
    // The machine slept: a minute is over, and another run began.
    const id = `(SELECT id FROM hisab.account WHERE merchant_id = '${account.merchantId}')`
    server.sql(`UPDATE hisab.lease SET expires_at = now() WHERE account_id = ${id}`, 'hisab')
    expect(await theirs.resendsInDoubt()).toMatchObject([{isOnItsWay: false}])
    const next = await theirs.takeLease()
    expect(await theirs.resendsInDoubt()).toMatchObject([{isOnItsWay: false}])
    const lost = failing('locked', /lost its place/)
    await expect(mine.claimResend(resend, time)).rejects.toThrow(lost)
    await expect(mine.claimNumber(pay)).rejects.toThrow(lost)
    // What a later run found is not written over, either.
    const found = {
      runId: nightlyRun.id,
      nowMs,
      seen: [],
      closed: [],
      balances: [],
      totals: '{}',
      listMark: null,
    }
    await expect(mine.recordRun(found)).rejects.toThrow(lost)
    await lease.release()
    expect(await mine.leaseState()).toMatchObject({fence: 2, holder: {by: expect.stringMatching(/^karim@/)}})
    await next.release()
    expect(await mine.leaseState()).toEqual({fence: 2, holder: null})
  })

  test.skipIf(!existsSync(whereIsPooler))(
    'a pooler that gives each transaction another connection changes nothing',
    async () => {
      const pooler = await server.pooler()
      onTestFinished(pooler.stop)
      const account = newAccount()
      const url = server.url('hisab', pooler.port)
      await expect.poll(() => open(account, {url}).then(() => 'open', String)).toBe('open')
      const journals = await Promise.all(Array.from({length: 6}, () => open(account, {url})))
      const lease = await journals[0]?.takeLease()
      await expect(journals[1]?.takeLease()).rejects.toThrow(failing('locked', /rahima@/))
      for (const [n, journal] of journals.entries()) await journal.startRun({...nightlyRun, id: `run-${n}`})
      const claims = await Promise.all(
        journals.map((journal, n) => journal.claimResend({...resend, runId: `run-${n}`}, time)),
      )
      expect(claims.filter((claim) => claim.claimed)).toHaveLength(1)
      await lease?.release()
    },
  )

  test('a COMMIT that no standby confirmed is not sent, though the primary has it', async () => {
    const journal = await open(newAccount())
    await journal.startRun(nightlyRun)
    const waitFor = (names: string) => {
      server.sql(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
      server.sql('SELECT pg_reload_conf()')
    }
    waitFor('ghost')
    try {
      const claim = expect(journal.claimResend(resend, time)).rejects.toThrow(
        failing('storage_failed', /a standby did not confirm it/),
      )
      const cancel = `SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
      await expect.poll(() => server.sql(cancel)).toBe('1')
      await claim
    } finally {
      waitFor('')
    }
    expect(await journal.resendsInDoubt()).toHaveLength(1)
  })

  test('a replica takes no part, and where it is promoted nothing is sent until a person has compared', async () => {
    const account = newAccount()
    const journal = await open(account)
    await journal.startRun(nightlyRun)
    await claimed(journal, resend)
    const standby = await server.standby()
    onTestFinished(() => standby.stop())
    const url = standby.url('hisab')
    await expect(open(account, {url})).rejects.toThrow(failing('storage_failed', /is a replica/))
    server.down('immediate')
    onTestFinished(() => server.up())
    standby.promote()
    const promoted = await open(account, {url})
    const other = {...resend, orderId: 'another', orderNo: 'D-2'}
    await expect(promoted.claimResend(other, time)).rejects.toThrow(failing('file_unreadable', /failed over/))
    await expect(promoted.claimNumber(pay)).rejects.toThrow(failing('file_unreadable', /failed over/))
    const user = {account, addresses: ['https://pay.example'], profileName: 'live', isEnvironmentNamed: true}
    const dataDir = tempDir()
    const address = readAddress(url, 'HISAB_JOURNAL')
    const told = await openSharedJournal(dataDir, address, {...user, dataDir}, {isLossAccepted: true})
    onTestFinished(() => told.close())
    expect((await told.claimResend(other, time)).claimed).toBe(true)
  }, 60_000)

  test('another environment’s address, and one that was never seen, are refused until they are linked', async () => {
    const account = newAccount()
    await (await open(account)).claimNumber(pay)
    await expect(open({...account, environment: 'staging'})).rejects.toThrow(
      failing('config_invalid', /known as environment "live"/),
    )
    await expect(open(account, {addresses: ['https://other.example']})).rejects.toThrow(
      failing('config_invalid', /does not have the address https:\/\/other.example/),
    )
  })

  test('of two environments that open at one address, the one that sends first has it', async () => {
    const account = newAccount()
    const [live, staging] = [await open(account), await open({...account, environment: 'staging'})]
    await live.claimNumber(pay)
    const theirs = failing('config_invalid', /known as environment "live"/)
    await expect(staging.claimNumber(pay)).rejects.toThrow(theirs)
    await staging.startRun(nightlyRun)
    await expect(staging.claimResend(resend, time)).rejects.toThrow(theirs)
    expect(await staging.linkAddresses()).toEqual([{environment: 'live', isShared: true}])
    expect(await staging.claimNumber(pay)).toMatchObject({fresh: true})
  })

  test('an environment that is but a default is told the addresses of the one that is known, and of no other', async () => {
    const account = newAccount()
    const at = (environment: string, address: string, isEnvironmentNamed: boolean) =>
      open({...account, environment}, {addresses: [address], isEnvironmentNamed})
    await (await at('live', 'https://one.example', true)).claimNumber(pay)
    await (await at('live', 'https://one.example', true)).linkAddresses()
    await (await at('staging', 'https://two.example', true)).claimNumber(pay)
    await expect(at('sandbox', 'https://three.example', false)).rejects.toThrow(
      failing(
        'config_invalid',
        /known here as environment "(live" at https:\/\/one|staging" at https:\/\/two)\.example\./,
      ),
    )
    await at('sandbox', 'https://three.example', true)
    // Alone here, a default is as good as a name.
    await open(newAccount(), {isEnvironmentNamed: false})
  })

  test('who damages what a machine keeps of the journal keeps it from sending', async () => {
    const account = newAccount()
    const user = {account, addresses: ['https://pay.example'], profileName: 'live', isEnvironmentNamed: true}
    const dataDir = tempDir()
    const address = readAddress(server.url('hisab'), 'HISAB_JOURNAL')
    const open = async () => {
      const journal = await openSharedJournal(dataDir, address, {...user, dataDir})
      onTestFinished(() => journal.close())
      return journal
    }
    await (await open()).claimNumber(pay)
    const folder = join(dataDir, 'accounts')
    const path = join(folder, readdirSync(folder).find((name) => name.endsWith('.shared')) ?? '')
    const {token, ...seen} = JSON.parse(readFileSync(path, 'utf8'))
    for (const changed of [`${token}0`, `0${token}`, 'no token']) {
      writeFileSync(path, JSON.stringify({...seen, token: changed}))
      expect((await open()).restored).toMatchObject({isStopped: true})
    }
  })

  test('a machine that only read misses what another sent before it', async () => {
    const account = newAccount()
    const dataDir = tempDir()
    const user = {dataDir, account, addresses: ['https://pay.example'], profileName: 'live'}
    const look = async () => {
      const address = readAddress(server.url('hisab'), 'HISAB_JOURNAL')
      const journal = await openSharedJournal(
        dataDir,
        address,
        {...user, isEnvironmentNamed: true},
        {author: null},
      )
      await journal.close()
      return journal.restored
    }
    const sender = await open(account)
    await sender.claimNumber(pay)
    expect(await look()).toBeNull()
    const id = `(SELECT id FROM hisab.account WHERE merchant_id = '${account.merchantId}')`
    server.sql(`DELETE FROM hisab.generations WHERE account_id = ${id}`, 'hisab')
    expect(await look()).toMatchObject({
      isStopped: true,
      text: expect.stringMatching(/lacks what this machine sent or saw/),
    })
  })

  test('the doctor sees who is at work and what is in doubt, and nothing of an account that never was', async () => {
    const account = newAccount()
    const journal = await open(account)
    await journal.startRun(nightlyRun)
    await claimed(journal, resend)
    for (const one of [
      pay,
      {...pay, kind: 'deposit', payeeFingerprint: null, maskedAccount: null} as const,
    ]) {
      const claim = await journal.claimNumber(one)
      if (claim.fresh) await journal.recordRequestOutcome(claim.id, 'unknown', {outcomeAtMs: nowMs})
    }
    const lease = await journal.takeLease()
    const look = (one: Account) =>
      inspectShared(readAddress(server.url('hisab'), 'HISAB_JOURNAL'), {
        ...{dataDir: tempDir(), account: one, addresses: ['https://pay.example']},
        ...{profileName: 'live', isEnvironmentNamed: true},
      })
    const nothing = {canDelete: false, standbys: 0, asyncStandbys: [], hiddenStandbys: 0, restored: null}
    expect(await look(account)).toMatchObject({
      ...{...nothing, commitOfWrites: 'on', synchronousCommit: 'off', refusal: null, resendsInDoubt: 1},
      ...{createsInDoubt: {deposit: 1, payout: 1}, payeeKeys: new Map([['key-id-0', 1]])},
      holder: {by: expect.stringMatching(/^rahima@/)},
    })
    expect(await look(newAccount())).toMatchObject({
      ...{...nothing, refusal: null, resendsInDoubt: 0, createsInDoubt: {deposit: 0, payout: 0}},
      ...{payeeKeys: new Map(), holder: null},
    })
    await lease.release()
    server.sql(`UPDATE hisab.account SET place = 'x/1' WHERE merchant_id = '${account.merchantId}'`, 'hisab')
    expect((await look(account)).restored).toMatchObject({
      text: expect.stringMatching(/restored from a copy/),
    })
  })

  test('who sees the database sees each merchant: its last run, what is open and in doubt, and who is at work', async () => {
    const [busy, idle] = [newAccount(), newAccount()]
    const journal = await open(busy)
    await open(idle)
    for (const id of ['run-1', 'run-2', 'run-dry']) {
      await journal.startRun({...nightlyRun, id})
      await journal.recordRun({
        ...{runId: id, nowMs, closed: [], listMark: null, balances: []},
        totals: JSON.stringify({dryRun: id === 'run-dry', of: id}),
        seen:
          id === 'run-1'
            ? [
                ...[breakOf('D-1'), breakOf('D-2')],
                // The same order under another name, and one that is open on both sides.
                {...breakOf('D-2'), verdict: 'amount_mismatch' as const, cause: null},
                {...breakOf('D-3'), verdict: 'in_flight' as const, cause: null, severity: 'none' as const},
              ]
            : [],
      })
    }
    await journal.finishRun('run-1', {status: 'finished', finishedAtMs: nowMs, exitStatus: 7})
    await journal.startRun({...nightlyRun, id: 'by hand', command: 'resend'})
    await journal.recordResendOutcome(await claimed(journal, {...resend, runId: 'by hand'}), 'unknown', {})
    const lease = await journal.takeLease()
    const all = await allMerchants(readAddress(server.url('hisab'), 'HISAB_JOURNAL'))
    const of = ({merchantId}: Account) => all.filter((one) => one.merchantId === merchantId)
    const mine = expect.stringMatching(/^rahima@/)
    expect(of(busy)).toMatchObject([
      {
        ...{environment: 'live', openItems: 2, inDoubt: 1, atWork: mine},
        run: {id: 'run-2', status: 'running', exitStatus: null, by: mine, isAlive: true},
        totals: expect.stringContaining('run-2'),
      },
    ])
    expect(of(idle)).toEqual([{...idle, run: null, totals: null, openItems: 0, inDoubt: 0, atWork: null}])
    await lease.release()
  })

  test('an account that was exchanged while a command ran sends nothing', async () => {
    const account = newAccount()
    const journal = await open(account)
    await journal.claimNumber(pay)
    server.sql(
      `UPDATE hisab.account SET environment = 'gone' WHERE merchant_id = '${account.merchantId}'`,
      'hisab',
    )
    await expect(journal.claimNumber({...pay, orderNo: 'P-2'})).rejects.toThrow(
      failing('file_unreadable', /was replaced while this command ran/),
    )
  })

  test('what is being sent is no doubt that a person could end', async () => {
    const journal = await open(newAccount())
    const claim = await journal.claimNumber(pay)
    const id = claim.fresh ? claim.id : 0
    const word = {happened: false, by: 'me', reason: 'asked', atMs: nowMs}
    await expect(journal.resolveRequest({id, kind: 'payout'}, word)).rejects.toThrow(
      failing('locked', /is sending an order/),
    )
    await journal.recordRequestOutcome(id, 'unknown', {outcomeAtMs: nowMs})
    await journal.resolveRequest({id, kind: 'payout'}, word)
    expect(await journal.findRequest('payout', pay.orderNo)).toMatchObject({state: 'refused'})
  })

  describe('a restored journal that a person accepted', () => {
    const hourMs = 3_600_000
    /** Accepted so long ago. */
    const accepted = async (hours: number, sentHours?: number) => {
      const account = newAccount()
      const first = await open(account)
      await first.startRun(nightlyRun)
      await claimed(first, {...resend, orderId: 'before', orderNo: 'D-0'})
      const at = `(extract(epoch FROM now()) * 1000)::bigint - ${Math.round(hours * hourMs)}`
      server.sql(
        `UPDATE hisab.account SET accepted_at_ms = ${at} WHERE merchant_id = '${account.merchantId}'`,
        'hisab',
      )
      if (sentHours !== undefined)
        server.sql(
          `UPDATE hisab.generations SET at_ms = ${nowMs - sentHours * hourMs} WHERE account_id =
            (SELECT id FROM hisab.account WHERE merchant_id = '${account.merchantId}')`,
          'hisab',
        )
      return await open(account)
    }

    test.each([
      [0.1, /^A person accepted a restored journal at .* UTC\. It may lack what was sent before then$/],
      [23.9, /^A person accepted a restored journal/],
      [24.1, null],
    ])('%d hours ago: it is told for a day, and stops nothing', async (hours, text) => {
      const {restored} = await accepted(hours)
      expect(restored).toEqual(
        text && {
          isStopped: false,
          text: expect.stringMatching(text),
          hint: expect.stringMatching(/^For 8 hours/),
        },
      )
    })

    test('what was sent last before that is named', async () => {
      const {restored} = await accepted(1, 3)
      expect(restored?.text).toMatch(/what was sent between \d{4}-\d\d-\d\d [\d:]+ UTC and then$/)
    })

    const ago = (hours: number) => new Date(nowMs - hours * hourMs).toISOString()
    test.each<
      [what: string, hours: number, asked: Partial<typeof resend>, skewHours: number, expected: string]
    >([
      ['delivered an hour ago', 1, {baselineSentAt: ago(1)}, 0, 'journal_restored'],
      ['delivered 7 hours ago', 1, {baselineSentAt: ago(7)}, 0, 'journal_restored'],
      ['delivered 9 hours ago', 1, {baselineSentAt: ago(9)}, 0, 'claimed'],
      [
        'delivered 9 hours ago by a clock that is 2 hours behind',
        1,
        {baselineSentAt: ago(9)},
        -2,
        'journal_restored',
      ],
      ['never tried', 1, {baselineAttempts: 0, baselineSentAt: null}, 0, 'claimed'],
      ['tried, nobody knows when', 1, {baselineAttempts: 1, baselineSentAt: null}, 0, 'journal_restored'],
      [
        'counted as never tried, with a time',
        1,
        {baselineAttempts: 0, baselineSentAt: ago(1)},
        0,
        'journal_restored',
      ],
      ['a person says so', 1, {baselineSentAt: ago(1), overrides: ['ignore-cooldown']}, 0, 'claimed'],
      ['8 hours later', 8.1, {baselineSentAt: ago(1)}, 0, 'claimed'],
    ])('%s, accepted %d hours ago', async (_what, hours, asked, skewHours, expected) => {
      const journal = await accepted(hours)
      const claim = await journal.claimResend({...resend, ...asked}, {nowMs, skewMs: skewHours * hourMs})
      expect(claim.claimed ? 'claimed' : claim.because).toBe(expected)
    })
  })

  test('a run and its lease are renewed while they are at work, and only they', async () => {
    const account = newAccount()
    const id = `(SELECT id FROM hisab.account WHERE merchant_id = '${account.merchantId}')`
    vi.useFakeTimers({toFake: ['setInterval', 'clearInterval']})
    onTestFinished(() => void vi.useRealTimers())
    const journal = await open(account)
    await journal.startRun(nightlyRun)
    await journal.startRun({...nightlyRun, id: 'run-2'})
    await journal.finishRun('run-2', {status: 'finished', finishedAtMs: nowMs, exitStatus: 0})
    const lease = await journal.takeLease()
    const soonOver = "now() + interval '30 seconds'"
    server.sql(`UPDATE hisab.runs SET alive_until = ${soonOver} WHERE account_id = ${id}`, 'hisab')
    server.sql(`UPDATE hisab.lease SET expires_at = ${soonOver} WHERE account_id = ${id}`, 'hisab')
    await vi.advanceTimersByTimeAsync(10_000)
    const isLong = (table: string, column: string, which = '') =>
      server.sql(
        `SELECT ${column} > now() + interval '40 seconds' FROM hisab.${table} WHERE account_id = ${id} ${which}`,
        'hisab',
      )
    await expect.poll(() => isLong('lease', 'expires_at')).toBe('t')
    await expect.poll(() => isLong('runs', 'alive_until', "AND id = 'run-1'")).toBe('t')
    expect(isLong('runs', 'alive_until', "AND id = 'run-2'")).toBe('f')
    await lease.release()
    await lease.release()
    expect(await journal.leaseState()).toEqual({fence: 1, holder: null})
  })

  test('the journal of a machine is moved in whole, once, and is gone from its place', async () => {
    const account = newAccount()
    const dir = tempDir()
    const local = openJournal(dir, account, {addresses: ['https://pay.example']})
    await local.startRun(nightlyRun)
    await claimed(local, resend)
    await local.claimNumber(pay)
    await local.recordRefused({...pay, bodyDigest: 'e'.repeat(64)}, pay.orderNo)
    await local.close()
    const path = join(dir, 'journal', `${account.merchantId}@live.db`)
    const file = new DatabaseSync(path)
    file.exec(`INSERT INTO run_totals (run_id, totals) VALUES ('run-1', '{"records":{"pagesTotal":3}}')`)
    file.close()
    const address = readAddress(server.url('hisab'), 'HISAB_JOURNAL')
    expect(await importJournal(path, address, account)).toMatchObject({
      rows: {requests: 1, resends: 1, runs: 1},
    })
    expect(await (await open(account)).findTotals('run-1')).toBe('{"records":{"pagesTotal":3}}')
    expect([existsSync(path), existsSync(`${path}.imported`)]).toEqual([false, true])
    const shared = await open(account)
    expect(await shared.resendsInDoubt()).toMatchObject([{orderId: resend.orderId, state: 'intent'}])
    expect(await shared.findRequest('payout', pay.orderNo)).toMatchObject({amount: 500_000n, state: 'intent'})
    expect(await shared.refusedPayouts()).toMatchObject([
      {orderNo: pay.orderNo, repeatsAllowed: [pay.orderNo]},
    ])
    // This machine alone would begin anew: it is refused.
    expect(() => openJournal(dir, account)).toThrow(failing('file_unreadable', /gone or empty/))
  })

  test('a machine that has worked with it begins no journal of its own without a person’s word', async () => {
    const account = newAccount()
    const dataDir = tempDir()
    await (await open(account, {dataDir})).close()
    const isRefused = failing('file_unreadable', /was set to the shared journal/)
    expect(() => openJournal(dataDir, account)).toThrow(isRefused)
    expect(() => openJournal(dataDir, {...account, environment: 'staging'}).close()).not.toThrow()
    const shared = await open(account, {dataDir})
    await shared.startRun(nightlyRun)
    await claimed(shared, resend)
    await shared.close()
    expect(() => openJournal(dataDir, account)).toThrow(isRefused)
    await openJournal(dataDir, account, {isLossAccepted: true}).close()
    expect(() => openJournal(dataDir, account).close()).not.toThrow()
  })

  test('nor one that could never reach it', async () => {
    const account = newAccount()
    const dataDir = tempDir()
    const unreached = server.url('hisab', 9)
    await expect(open(account, {dataDir, url: unreached})).rejects.toThrow(failing('storage_failed', /./))
    expect(() => openJournal(dataDir, account)).toThrow(failing('file_unreadable', /was set to the shared/))
    await (await open(account, {dataDir})).close()
  })

  test('what people said of items moves with them, each word of its own item, and a second import adds none', async () => {
    const account = newAccount()
    const dir = tempDir()
    const local = openJournal(dir, account, {addresses: ['https://pay.example']})
    await local.startRun(nightlyRun)
    await local.recordRun({
      ...{runId: 'run-1', nowMs, closed: [], listMark: null, totals: '{}', balances: []},
      seen: ['D-1', 'D-2', 'D-3'].map((orderNo) => breakOf(orderNo)),
    })
    const [one, two, three] = await local.openFindings()
    if (!one || !two || !three) throw new Error('three breaks were recorded')
    // Two are closed by one word, the third is ignored for a while by two people at the same time.
    await local.closeItems([one, two], {reason: 'repaid in cash', by: 'rahima', atMs: nowMs})
    const ignore = {findingId: three.id, atRisk: three.atRisk, atMs: nowMs, expiresAtMs: nowMs + 60_000}
    for (const by of ['karim', 'rahima']) await local.addIgnore({...ignore, reason: 'known', by})
    const removed = await local.addIgnore({...ignore, reason: 'a slip', by: 'zara'})
    await local.removeIgnore(removed, 'zara', nowMs)
    await local.recordItemEvents([one], {what: 'assigned', text: 'karim', by: 'rahima', atMs: nowMs})
    await local.signOff('run-1', {by: 'karim', note: 'checked', isAlone: false, atMs: nowMs})
    const told = async (journal: Journal) => ({
      ignores: (await journal.listIgnores()).map(({id: _, ...ignored}) => ignored),
      items: (await journal.listItems()).map(({id: _, ...item}) => item),
      events: await journal.itemEvents('deposit', 'D-1'),
      signOffs: await journal.signOffsOf('run-1'),
    })
    const before = await told(local)
    await local.close()
    const path = join(dir, 'journal', `${account.merchantId}@live.db`)
    const address = readAddress(server.url('hisab'), 'HISAB_JOURNAL')
    expect((await importJournal(path, address, account)).rows).toMatchObject({findings: 3, ignores: 5})
    const shared = await open(account)
    expect(await told(shared)).toEqual(before)
    renameSync(`${path}.imported`, path)
    expect((await importJournal(path, address, account)).rows).toMatchObject({findings: 0, ignores: 0})
    expect(await told(shared)).toEqual(before)
  })

  test.each([
    ['the file’s', 500_000n, 900_000n, {settledMs: nowMs - 60_000, sentMs: nowMs - 61_000}],
    ['the shared journal’s', 900_000n, 500_000n, {settledMs: null, sentMs: nowMs + 3_600_000}],
  ] as const)(
    'of a number sent twice otherwise, the one accepted before the other was sent is right: %s',
    async (_whose, kept, lost, {settledMs, sentMs}) => {
      const account = newAccount()
      const dir = tempDir()
      const local = openJournal(dir, account, {addresses: ['https://pay.example']})
      const mine = await local.claimNumber({...pay, intentAtMs: sentMs})
      const state = settledMs === null ? 'unknown' : 'accepted'
      if (mine.fresh) await local.recordRequestOutcome(mine.id, state, {outcomeAtMs: settledMs ?? sentMs})
      await local.close()
      const path = join(dir, 'journal', `${account.merchantId}@live.db`)
      const shared = await open(account)
      const other = {...pay, bodyDigest: 'other', intentDigest: 'other', amount: 900_000n}
      const theirs = await shared.claimNumber(other)
      if (theirs.fresh)
        await shared.recordRequestOutcome(theirs.id, settledMs === null ? 'accepted' : 'unknown', {
          outcomeAtMs: 1,
        })
      const address = readAddress(server.url('hisab'), 'HISAB_JOURNAL')
      expect(await importJournal(path, address, account)).toMatchObject({
        dropped: [{orderNo: 'P-1001', amount: lost, isNeverMade: true}],
      })
      expect(await shared.findRequest('payout', pay.orderNo)).toMatchObject({amount: kept, state: 'accepted'})
      expect((await shared.trace(pay.orderNo)).requests).toHaveLength(1)
    },
  )

  test.each([
    ['this', 500_000n, 900_000n],
    ['other', 900_000n, 500_000n],
  ] as const)(
    'of a number sent twice otherwise, --keep %s says whose row is right, and both count',
    async (keep, kept, lost) => {
      const account = newAccount()
      const dir = tempDir()
      const local = openJournal(dir, account, {addresses: ['https://pay.example']})
      await local.startRun(nightlyRun)
      // A deposit of the same number is another order.
      const noPayee = {amount: null, channel: null, maskedAccount: null, payeeFingerprint: null}
      await local.claimNumber({...pay, ...noPayee, kind: 'deposit'})
      await local.claimNumber(pay)
      await local.close()
      const path = join(dir, 'journal', `${account.merchantId}@live.db`)
      const file = new DatabaseSync(path)
      // What an earlier merge dropped, and what a run that was stopped did not put in its place.
      file.exec(`INSERT INTO requests_dropped SELECT * FROM requests WHERE kind = 'payout';
      UPDATE requests_dropped SET order_no = 'P-0', amount_paisa = 70000;
      INSERT INTO settlements VALUES (1, 'payout', 'completed', 'completed', 'run-1', 1, 0);
      INSERT INTO settling (kind, order_no, settlement, platform_order_no) VALUES (1, 'P-7', 1, 'PL-7')`)
      file.close()
      const shared = await open(account)
      const digests = {bodyDigest: 'other', intentDigest: 'other'}
      const claim = await shared.claimNumber({...pay, ...digests, amount: 900_000n})
      const address = readAddress(server.url('hisab'), 'HISAB_JOURNAL')
      await expect(importJournal(path, address, account, keep)).rejects.toThrow(
        failing('locked', /is sending an order/),
      )
      if (claim.fresh) await shared.recordRequestOutcome(claim.id, 'unknown', {outcomeAtMs: nowMs})
      await expect(importJournal(path, address, account)).rejects.toThrow(
        failing('file_unreadable', /contradict each other: they sent payout P-1001 with different/),
      )
      expect(await shared.sumPayouts(0)).toBe(900_000n)
      expect(await importJournal(path, address, account, keep)).toMatchObject({
        rows: {requests_dropped: 1, settled: 1},
        dropped: [{orderNo: 'P-1001', amount: lost, isNeverMade: false}],
      })
      const {sentFields} = pay
      expect(await shared.findRequest('payout', pay.orderNo)).toMatchObject({amount: kept, sentFields})
      const {requests} = await shared.trace(pay.orderNo)
      const payouts = requests.filter(({kind}) => kind === 'payout')
      expect([requests.length, payouts]).toMatchObject([3, [{sentFields}, {sentFields}]])
      expect(await shared.findRequest('deposit', pay.orderNo)).toMatchObject({amount: null, state: 'intent'})
      expect(await shared.sumPayouts(0)).toBe(1_470_000n)
      for (const [amount, orderNo, allowed] of [
        [lost, pay.orderNo, 'P-0'],
        [70_000n, 'P-0', ''],
        // What was dropped in doubt stays a doubt to its account, at any amount.
        [60_000n, 'P-0', pay.orderNo],
      ] as const) {
        const guard = {
          dailyCeiling: null,
          dayStartMs: 0,
          duplicatesSinceMs: nowMs,
          duplicatesAllowed: new Set<string>([allowed]),
        }
        const again = {...pay, orderNo: 'P-9', amount, payeeFingerprint: 'other.key'}
        await expect(shared.claimNumber(again, guard)).rejects.toThrow(
          expect.objectContaining({code: 'payout_repeated', message: expect.stringContaining(orderNo)}),
        )
      }
      await expectDoubtOf(shared, lost)
    },
  )

  test('no role of hisab may delete, and rows of another account are not this one’s', async () => {
    expect(() => server.sql('SET ROLE hisab; DELETE FROM hisab.resends', 'hisab')).toThrow(
      /permission denied/,
    )
    const [mine, theirs] = [await open(newAccount()), await open(newAccount())]
    await mine.claimNumber(pay)
    expect(await theirs.findRequest('payout', pay.orderNo)).toBeNull()
    expect((await theirs.claimNumber(pay)).fresh).toBe(true)
  })

  describe('what cannot be used says what, where and what next', () => {
    const at = (url: string) => open(newAccount(), {url})
    test.each([
      [
        'a port nobody is at',
        () => 'postgres://hisab@127.0.0.1:1/hisab',
        'storage_failed',
        /takes no connections/,
      ],
      [
        'an unknown host',
        () => 'postgres://hisab@nowhere.invalid/hisab?sslmode=verify-full',
        'storage_failed',
        /host name/,
      ],
      [
        'no such database',
        () => server.url('hisab').replace(/hisab$/, 'nothing'),
        'config_invalid',
        /no such database/,
      ],
      ['an unknown user', () => server.url('nobody-here'), 'config_invalid', /refused the user/],
      ['no TLS', () => `${server.url('hisab')}?sslmode=verify-full`, 'config_invalid', /offers no TLS/],
      [
        'no certificate check',
        () => 'postgres://hisab@db.example/hisab',
        'config_invalid',
        /without a certificate check/,
      ],
      [
        'sslmode=require',
        () => 'postgres://hisab@db.example/hisab?sslmode=require',
        'config_invalid',
        /sslmode=require/,
      ],
      ['no URL', () => 'db.example', 'config_invalid', /is not the URL/],
      [
        'no user',
        () => 'postgresql://127.0.0.1/hisab',
        'config_invalid',
        /lacks a host, a user or a database/,
      ],
      [
        'no database',
        () => 'postgres://hisab@127.0.0.1/',
        'config_invalid',
        /lacks a host, a user or a database/,
      ],
      ['another scheme', () => 'mysql://hisab@127.0.0.1/hisab', 'config_invalid', /is not the URL/],
      [
        'a parameter of another program',
        () => 'postgres://hisab@127.0.0.1/hisab?pool=3',
        'config_invalid',
        /has the parameter pool, which hisab does not know/,
      ],
      [
        'no file of the authority',
        () => 'postgres://hisab@db.example/hisab?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
        'config_invalid',
        /sslrootcert \/nowhere\/ca\.pem cannot be read/,
      ],
      [
        'a password that is not encoded',
        () => 'postgres://hisab:5%ZZ@127.0.0.1/hisab',
        'config_invalid',
        /a % that stands for nothing/,
      ],
    ])('%s', async (_, url, code, what) => {
      await expect(at(url())).rejects.toThrow(failing(code, what))
    })

    test.each([
      ['no schema', 'SELECT 1', 'config_invalid', /no journal of this version/],
      [
        'an older one',
        'CREATE SCHEMA hisab; CREATE TABLE hisab.schema_version AS SELECT 0 AS version',
        'config_invalid',
        /schema 0/,
      ],
      [
        'a newer one',
        'CREATE SCHEMA hisab; CREATE TABLE hisab.schema_version AS SELECT 99 AS version',
        'config_invalid',
        /schema 99/,
      ],
    ])('%s', async (_, made, code, what) => {
      const name = `other_${++accounts}`
      server.sql(`CREATE DATABASE ${name}`)
      server.sql(made, name)
      await expect(at(server.url('owner').replace(/hisab$/, name))).rejects.toThrow(failing(code, what))
    })

    test('a role without its privileges', async () => {
      server.sql('CREATE ROLE bare LOGIN')
      await expect(at(server.url('bare'))).rejects.toThrow(
        failing('config_invalid', /does not let this user/),
      )
    })
  })
})
