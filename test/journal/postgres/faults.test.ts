import {setTimeout as delay} from 'node:timers/promises'
import {afterAll, beforeAll, describe, expect, onTestFinished, test, vi} from 'vitest'

import type {Account} from '../../../src/core/account.ts'
import {SharedDatabase} from '../../../src/journal/postgres/database.ts'
import {openSharedJournal, type SharedJournal} from '../../../src/journal/postgres/journal.ts'
import {readAddress} from '../../../src/journal/postgres/settings.ts'
import {sql} from '../../../src/journal/query.ts'
import {minutesAgo} from '../../acceptance/ledger.ts'
import {hurried, Machine} from '../../acceptance/machine.ts'
import {startFakeService} from '../../fake-service/service.ts'
import {tempDir} from '../../temp-dir.ts'
import {exhaustedDelivery, nightlyRun, payout} from '../sample.ts'
import {openProxy} from './proxy.ts'
import {PostgresServer, whyNoPostgres} from './server.ts'

let server: PostgresServer
let accounts = 0

const time = {nowMs: Date.now(), skewMs: 0}
const resend = {...exhaustedDelivery, intentAtMs: Date.now()}
const pay = {...payout, intentAtMs: Date.now()}
const event = (n: number | string) => ({...resend, orderId: `order-${n}`, orderNo: `D-${n}`})
const newAccount = (): Account => ({
  merchantId: `0d9e4c1a-7f43-4f0e-9a52-${String(++accounts).padStart(12, '0')}`,
  environment: 'live',
})

async function open(account: Account, port = server.port, runId = 'run-1'): Promise<SharedJournal> {
  const user = {account, addresses: ['https://pay.example'], profileName: 'live', isEnvironmentNamed: true}
  const dataDir = tempDir()
  const address = {...readAddress(server.url('hisab', port), 'HISAB_JOURNAL'), answerWithinMs: 1_000}
  const journal = await openSharedJournal(dataDir, address, {...user, dataDir})
  onTestFinished(() => journal.close())
  await journal.startRun({...nightlyRun, id: runId})
  return journal
}

async function proxied() {
  const proxy = await openProxy(server.port)
  onTestFinished(() => proxy.close())
  return proxy
}

const failing = (code: string, what: RegExp) =>
  expect.objectContaining({code, message: expect.stringMatching(what), hint: expect.stringMatching(/\w/)})

describe.skipIf(whyNoPostgres !== null)('what goes wrong on the way to a shared journal', () => {
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.migrate()
  }, 60_000)
  afterAll(() => server?.stop())

  test('a network that swallows everything ends a claim, and the other machine goes on', async () => {
    const [account, proxy] = [newAccount(), await proxied()]
    const mine = await open(account, proxy.port)
    const lease = await mine.takeLease()
    expect((await mine.claimResend(event(1), time)).claimed).toBe(true)
    const connections = proxy.taken()
    proxy.swallow(true)
    const swallowed = failing('storage_failed', /The connection to the journal \S+ broke/)
    await expect(mine.claimResend(event(2), time)).rejects.toThrow(swallowed)
    // One opening is waited for, not one for each use.
    for (const use of [
      () => mine.claimResend(event(2), time),
      () => mine.claimNumber(pay),
      () => mine.resendsOfRun('run-1'),
      () => mine.finishRun('run-1', {status: 'finished', finishedAtMs: Date.now(), exitStatus: 8}),
    ])
      await expect(use()).rejects.toThrow(swallowed)
    expect(proxy.taken()).toBe(connections + 1)
    const theirs = await open(account, server.port, 'run-2')
    await expect(theirs.takeLease()).rejects.toThrow(failing('locked', /at work/))
    // Nobody renews it: a minute later it is over.
    const id = `(SELECT id FROM hisab.account WHERE merchant_id = '${account.merchantId}')`
    server.sql(`UPDATE hisab.lease SET expires_at = now() WHERE account_id = ${id}`, 'hisab')
    const next = await theirs.takeLease()
    expect(await theirs.claimResend({...event(1), runId: 'run-2'}, time)).toMatchObject({claimed: false})
    expect((await theirs.claimResend({...event(2), runId: 'run-2'}, time)).claimed).toBe(true)
    proxy.swallow(false)
    await expect(mine.claimResend(event(3), time)).rejects.toThrow(swallowed)
    const now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 60_000)
    onTestFinished(() => clock.mockRestore())
    await expect(mine.claimResend(event(3), time)).rejects.toThrow(failing('locked', /lost its place/))
    clock.mockRestore()
    await lease.release()
    await next.release()
  }, 60_000)

  test('a network that swallows everything from the beginning is tried once', async () => {
    const [account, proxy] = [newAccount(), await proxied()]
    proxy.swallow(true)
    await expect(open(account, proxy.port)).rejects.toThrow(failing('storage_failed', /broke/))
    expect(proxy.taken()).toBe(1)
  }, 60_000)

  test('a network that swallows everything keeps no command from its end', async () => {
    const [account, proxy] = [newAccount(), await proxied()]
    const journals = [await open(account, proxy.port), await open(account, proxy.port, 'run-2')]
    await journals[0]?.takeLease()
    proxy.swallow(true)
    await Promise.all(journals.map((journal) => journal.close()))
  }, 60_000)

  test('a claim that is acknowledged later than 5 seconds is not sent, and is free again', async () => {
    const [account, proxy] = [newAccount(), await proxied()]
    const user = {account, addresses: ['https://pay.example'], profileName: 'live', isEnvironmentNamed: true}
    const dataDir = tempDir()
    const address = readAddress(server.url('hisab', proxy.port), 'HISAB_JOURNAL')
    const journals = await Promise.all(
      [1, 2].map(() => openSharedJournal(dataDir, address, {...user, dataDir})),
    )
    const [one, other] = journals as [SharedJournal, SharedJournal]
    onTestFinished(() => Promise.all(journals.map((journal) => journal.close())).then(() => undefined))
    await one.startRun(nightlyRun)
    proxy.delayCommits(5_200)
    const late = failing('storage_failed', /too late/)
    const resent = expect(one.claimResend(resend, time)).rejects.toThrow(late)
    await delay(300)
    const paid = expect(other.claimNumber(pay)).rejects.toThrow(late)
    await delay(5_500)
    proxy.delayCommits(0)
    await Promise.all([resent, paid])
    expect(await one.resendsOfRun('run-1')).toMatchObject([{state: 'not_sent'}])
    expect(await one.findRequest('payout', pay.orderNo)).toMatchObject({state: 'refused'})
    expect((await one.claimResend(resend, time)).claimed).toBe(true)
  }, 60_000)

  test('a claim whose answer is lost, and whose number another machine claims before it is looked for, is no fresh one', async () => {
    const [account, proxy] = [newAccount(), await proxied()]
    const [mine, theirs] = [await open(account, proxy.port), await open(account, server.port, 'run-2')]
    // What each saw of the account before is one place.
    expect(await theirs.claimNumber({...pay, orderNo: 'W-1'})).toMatchObject({fresh: true})
    for (const number of ['W-1', 'W-2']) {
      const cut = Promise.withResolvers<void>()
      proxy.loseCommits(1, () => {
        proxy.swallow(true)
        cut.resolve()
      })
      const claim = mine.claimNumber({...pay, orderNo: number})
      await cut.promise
      expect(await theirs.claimNumber({...pay, orderNo: number})).toMatchObject({fresh: false})
      proxy.swallow(false)
      expect(await claim).toMatchObject({fresh: false, row: {orderNo: number, state: 'unknown'}})
    }
  }, 60_000)

  test('cut after any message: what nobody acknowledged is claimed once, or nobody sends it', async () => {
    const [account, proxy] = [newAccount(), await proxied()]
    const mine = await open(account, proxy.port)
    const sent = new Set<string>()
    for (let messages = 0; messages < 16; messages++) {
      proxy.cutAfter(messages)
      const claim = await mine.claimResend(event(messages), time).catch(() => null)
      if (claim?.claimed) sent.add(`order-${messages}`)
    }
    // The connection that was open broke, and nothing was said on it.
    expect(sent).toContain('order-0')
    proxy.cutAfter(-1)
    const theirs = await open(account, server.port, 'run-2')
    for (let n = 0; n < 16; n++) {
      const claim = await theirs.claimResend({...event(n), runId: 'run-2'}, time)
      if (claim.claimed) expect(sent).not.toContain(`order-${n}`)
    }
    expect(sent.size).toBeGreaterThan(1)
  }, 60_000)

  test('of two transactions that wait for each other, the one that the database ends is done again, whole', async () => {
    server.sql('CREATE TABLE kept (name text); GRANT INSERT ON kept TO hisab', 'hisab')
    const address = {...readAddress(server.url('hisab'), 'HISAB_JOURNAL'), answerWithinMs: 10_000}
    const tries = new Map<string, number>()
    const bothHaveOne = Promise.withResolvers<void>()
    let waiting = 0
    const takesBoth = async (name: string, first: number, second: number) => {
      const db = new SharedDatabase(address, async () => undefined)
      onTestFinished(() => db.close())
      await db.write(async (tx) => {
        tries.set(name, (tries.get(name) ?? 0) + 1)
        await tx.run(sql`INSERT INTO public.kept VALUES (${name})`)
        await tx.all(sql`SELECT pg_advisory_xact_lock(${first})`)
        if (++waiting === 2) bothHaveOne.resolve()
        await bothHaveOne.promise
        await tx.all(sql`SELECT pg_advisory_xact_lock(${second})`)
      })
    }
    await Promise.all([takesBoth('one', 1, 2), takesBoth('other', 2, 1)])
    expect([...tries.values()].sort()).toEqual([1, 2])
    expect(server.sql('SELECT name FROM kept ORDER BY name', 'hisab').trim().split('\n')).toEqual([
      'one',
      'other',
    ])
  })

  test('SIGKILL of the server in the middle of claims loses nothing that was acknowledged', async () => {
    const account = newAccount()
    const journals = await Promise.all([1, 2, 3].map((n) => open(account, server.port, `run-${n}`)))
    const acknowledged = new Set<string>()
    for (let round = 0; round < 3; round++) {
      let isOver = false
      const claims = journals.map(async (journal, at) => {
        for (let n = 0; !isOver; n++) {
          const one = event(`${round}-${at}-${n}`)
          const claim = await journal.claimResend({...one, runId: `run-${at + 1}`}, time).catch(() => null)
          if (claim === null) return
          if (claim.claimed) acknowledged.add(one.orderId)
        }
      })
      const before = acknowledged.size
      await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(before + round), {timeout: 15_000})
      await server.kill()
      isOver = true
      await Promise.all(claims)
      await server.upAgain()
    }
    const rows = await journals[0]?.resendsInDoubt()
    const there = new Set(rows?.map(({orderId}) => orderId))
    expect([...acknowledged].filter((id) => !there.has(id))).toEqual([])
    expect(acknowledged.size).toBeGreaterThan(2)
  }, 60_000)

  test('the database’s clock counts: a machine that is minutes off sends nothing, one that is a minute off changes nothing', async () => {
    const account = newAccount()
    const [mine, theirs] = [await open(account), await open(account, server.port, 'run-2')]
    const real = Date.now
    const clock = vi.spyOn(Date, 'now')
    onTestFinished(() => clock.mockRestore())
    for (const minutes of [-3, 3, 600]) {
      clock.mockImplementation(() => real() + minutes * 60_000)
      await expect(mine.claimResend(event(1), time)).rejects.toThrow(failing('config_invalid', /minutes/))
      await expect(mine.claimNumber(pay)).rejects.toThrow(failing('config_invalid', /minutes/))
    }
    clock.mockImplementation(() => real() + 90_000)
    expect((await mine.claimResend(event(1), {nowMs: Date.now(), skewMs: 0})).claimed).toBe(true)
    clock.mockRestore()
    const [row] = await theirs.resendsOfRun('run-1')
    expect(Math.abs((row?.intentAtMs ?? 0) - Date.now())).toBeLessThan(30_000)
  })

  test('a laptop that sleeps while a claim is acknowledged does not send it', async () => {
    const [account, proxy] = [newAccount(), await proxied()]
    const mine = await open(account, proxy.port)
    const real = Date.now
    const clock = vi.spyOn(Date, 'now')
    onTestFinished(() => clock.mockRestore())
    proxy.delayCommits(600)
    const claim = expect(mine.claimResend(event(1), time)).rejects.toThrow(
      failing('storage_failed', /too late/),
    )
    await delay(200)
    clock.mockImplementation(() => real() + 3 * 3_600_000)
    await claim
    clock.mockRestore()
    proxy.delayCommits(0)
    expect(await mine.resendsOfRun('run-1')).toMatchObject([{state: 'not_sent'}])
  })

  test('a database that goes away in the middle: what was sent is watched and listed, and the next run sends the others', async () => {
    const service = await startFakeService()
    onTestFinished(() => service[Symbol.asyncDispose]())
    const machine = new Machine(service)
    onTestFinished(() => machine[Symbol.asyncDispose]())
    const proxy = await proxied()
    Object.assign(machine.env, hurried, {HISAB_JOURNAL: server.url('hisab', proxy.port)})
    const ids = [1, 2, 3, 4].map((n) => {
      const order = service.book.addOrder({
        kind: 'deposit',
        number: `D-${n}`,
        status: 'completed',
        amount: '500.00',
      })
      return service.book.addRecord({order, created_at: minutesAgo(900), sent_at: minutesAgo(600)}).id
    })
    let calls = 0
    service.on('resend', (act) => {
      calls += 1
      if (calls === 2) proxy.cutAll(true)
      return act()
    })
    const resendAll = ['webhooks', 'resend', '--status', 'failed', '--yes', '--wait', '1s', '--json']
    const gone = await machine.run(resendAll)
    const {records, error} = JSON.parse(gone.stdout)
    expect(error).toBeUndefined()
    expect(records.map(({state}: {state: string}) => state)).toEqual([
      'delivered',
      'delivered',
      'skipped',
      'skipped',
    ])
    expect(records[1].why).toMatch(/The journal does not have this result/)
    expect(records[2].why).toMatch(/^Not sent: /)
    expect(gone.status).toBe(8)
    expect(gone.stderr).toMatch(/error: .*\n {2}try: .*--resume/)
    expect(gone.stderr).not.toContain('Nothing was sent')
    proxy.cutAll(false)
    const id = `(SELECT id FROM hisab.account WHERE merchant_id = '${service.merchant.id}')`
    server.sql(`UPDATE hisab.lease SET expires_at = now() WHERE account_id = ${id}`, 'hisab')
    const again = await machine.run(resendAll)
    expect(again.status).toBe(0)
    expect(ids.map((one) => service.calls.resendsOf(one))).toEqual([1, 1, 1, 1])
  }, 60_000)
})
