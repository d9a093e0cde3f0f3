import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {describe, expect, onTestFinished, test} from 'vitest'

import type {Account} from '../../src/core/account.ts'
import {addressesOf, sandboxMerchantId} from '../../src/core/profile.ts'
import {ownedFileName} from '../../src/files/owned-database.ts'
import {inspectJournal} from '../../src/journal/inspect.ts'
import {type Journal, type JournalOptions, openJournal} from '../../src/journal/journal.ts'
import type {NumberClaim} from '../../src/journal/rows.ts'
import {tempDir} from '../temp-dir.ts'
import {
  breakOf,
  claimed,
  duplicatesIn,
  earlierJournal,
  exhaustedDelivery,
  expectDoubtOf,
  live,
  nightlyRun,
  orderId,
  payout,
} from './sample.ts'

const payHost = 'https://pay.example'
const sandbox = {...live, environment: 'sandbox'}

function open(dir: string, account: Account = live, options: JournalOptions = {}): Journal {
  const journal = openJournal(dir, account, options)
  onTestFinished(() => journal.close())
  return journal
}

/** What the profile `name` did with a version before: one run, one resend, one payout. */
function didBefore(
  dir: string,
  name: string,
  {orderNo = 'P-1', digest = 'same', state = 'accepted', atMs = 1} = {},
) {
  const sql = earlierJournal(dir, name)
  runOf(sql, `${name}-run`, atMs, `${payHost}/v1`)
  sql.exec(`
    INSERT INTO resends (run_id, delivery_id, order_id, event, state, intent_at_ms, baseline_attempts, baseline_status, overrides)
      VALUES ('${name}-run', 'd', '${orderId}', 'order.completed', 'healed', ${atMs}, 5, 'failed', '[]');
    INSERT INTO requests (kind, order_no, body_digest, amount_paisa, channel, masked_account, state, intent_at_ms, claimed_at_ms)
      VALUES ('payout', '${orderNo}', '${digest}', 50000, 'BKASH', '017****5678', '${state}', ${atMs}, ${atMs})`)
  sql.close()
}

function runOf(sql: DatabaseSync, id: string, atMs: number, service: string): void {
  const options = JSON.stringify({service: [service, service]})
  sql
    .prepare(`INSERT INTO runs (id, command, merchant_id, started_at_ms, status, options, exit_status)
      VALUES (?, 'reconcile', ?, ?, 'finished', ?, 7)`)
    .run(id, live.merchantId, atMs, options)
}

/** A person says that it is the one that was last at work. */
function takeOver(dir: string, options: JournalOptions = {}, account: Account = live): Journal {
  return open(dir, account, {...options, isLossAccepted: true})
}

describe('journals that were kept by the name of a profile', () => {
  test('one is taken over, with what it sent', async () => {
    const dir = tempDir()
    didBefore(dir, 'environment')
    const journal = takeOver(dir)
    expect(await journal.findRequest('payout', 'P-1')).toMatchObject({state: 'accepted'})
    expect((await journal.resendHistory()).earlier(orderId, 'order.completed', null)).toMatchObject({
      state: 'delivered',
    })
    expect(readdirSync(join(dir, 'journal')).filter((name) => name.endsWith('.db'))).toEqual([
      ownedFileName(live),
    ])
  })

  test.each([
    ['environment', 5, 2],
    ['live', 2, 5],
  ])(
    'two that agree become one: both payouts count, the newest is that of %s',
    async (newest, first, second) => {
      const dir = tempDir()
      didBefore(dir, 'environment', {orderNo: 'P-1', atMs: first})
      didBefore(dir, 'live', {orderNo: 'P-2', atMs: second})
      const journal = takeOver(dir)
      expect(journal.merged).toHaveLength(1)
      expect(await journal.sumPayouts(0)).toBe(100_000n)
      const runs = (await journal.listRuns(9)).map(({id}) => id)
      expect(runs).toEqual([`${newest}-run`, `${newest === 'live' ? 'environment' : 'live'}-run`])
      const history = await journal.resendHistory()
      expect(history.earlier(orderId, 'order.completed', `${newest}-run`)?.atMs).toBe(2)
      expect(history.earlier(orderId, 'order.completed', null)?.atMs).toBe(5)
      await journal.close()
      expect(open(dir).merged).toEqual([])
    },
  )

  test('of two that become one, what either found final is known, and the list of records is read whole again', async () => {
    const dir = tempDir()
    for (const [n, name] of ['environment', 'live'].entries()) {
      didBefore(dir, name, {orderNo: `P-${n}`})
      const sql = earlierJournal(dir, name, null)
      sql.exec(`INSERT INTO settlements VALUES (1, 'deposit', 'completed', 'Paid', '${name}-run', 1);
        INSERT INTO settled VALUES (0, 'D-${n}', 1, 50000, 50000, 'PL-${n}');
        INSERT INTO list_mark VALUES (1, 'newest_first', 3, 'd', '${name}-run')`)
      sql.close()
    }
    const journal = takeOver(dir)
    const final = await journal.findFinalOrders('deposit', ['D-0', 'D-1'])
    expect(final.map(({orderNo, runId}) => [orderNo, runId])).toEqual([
      ['D-0', 'environment-run'],
      ['D-1', 'live-run'],
    ])
    expect(await journal.listMark()).toBeNull()
  })

  test('of two that become one, each word about an item is of its own item, and one that both know is there once', async () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'journal'))
    const atMs = 5_000
    const keptBy = async (name: string, orderNos: readonly string[], say: (journal: Journal) => unknown) => {
      const apart = tempDir()
      const journal = openJournal(apart, live)
      await journal.startRun({...nightlyRun, id: name})
      await journal.recordRun({
        ...{runId: name, nowMs: 1, closed: [], listMark: null, totals: '{}', balances: []},
        seen: orderNos.map((orderNo) => breakOf(orderNo)),
      })
      await say(journal)
      await journal.close()
      const sql = new DatabaseSync(pathIn(apart))
      sql.prepare('DELETE FROM account').run()
      sql.prepare('INSERT OR REPLACE INTO owner VALUES (1, ?, ?)').run(name, live.merchantId)
      sql.close()
      copyFileSync(pathIn(apart), join(dir, 'journal', `${name}-${live.merchantId}.db`))
    }
    const closeAll = async (journal: Journal, orderNos: readonly string[]) =>
      await journal.closeItems(
        (await journal.openFindings()).filter(({orderNo}) => orderNos.includes(orderNo)),
        {reason: 'repaid in cash', by: 'rahima', atMs},
      )
    await keptBy('environment', ['D-1', 'D-2'], (one) => closeAll(one, ['D-1', 'D-2']))
    await keptBy('live', ['D-3', 'D-2', 'D-4'], async (one) => {
      await closeAll(one, ['D-2'])
      const [finding] = await one.openFindings()
      const ignore = {findingId: finding?.id ?? 0, atRisk: 5n, reason: 'known', atMs, expiresAtMs: 9_000}
      for (const by of ['karim', 'zara']) {
        const id = await one.addIgnore({...ignore, by})
        if (by === 'zara') await one.removeIgnore(id, 'rahima', atMs)
      }
      await one.recordItemEvents([{kind: 'deposit', orderNo: 'D-3'}], {
        ...{what: 'assigned', text: 'karim', by: 'rahima', atMs},
      })
    })
    const journal = takeOver(dir)
    const told = (await journal.listIgnores()).map(({orderNo, by, atRisk, snapshot}) => [
      ...[orderNo, by, atRisk, snapshot],
    ])
    expect(told).toEqual([
      ['D-1', 'rahima', 100n, 'as D-1 stood'],
      ['D-2', 'rahima', 200n, 'as D-2 stood'],
      ['D-3', 'karim', 5n, 'as D-3 stood'],
    ])
    const items = await journal.listItems()
    expect(items.map(({orderNo, closedBy, owner = null}) => [orderNo, closedBy, owner]).sort()).toEqual([
      ['D-1', 'person', null],
      ['D-2', 'person', null],
      ['D-3', null, 'karim'],
      ['D-4', null, null],
    ])
    expect((await journal.itemEvents('deposit', 'D-2')).map(({what}) => what)).toEqual(['closed'])
  })

  test.each([
    ['refused', 'unknown', 'unknown'],
    ['accepted', 'refused', 'accepted'],
    ['intent', 'accepted', 'accepted'],
  ])('of one number, %s here and %s there, what may have been paid counts', async (one, other, state) => {
    const dir = tempDir()
    didBefore(dir, 'environment', {state: one, digest: one === 'refused' ? 'another' : 'same'})
    didBefore(dir, 'live', {state: other})
    expect(await takeOver(dir).findRequest('payout', 'P-1')).toMatchObject({state})
  })

  test('two that sent one number with other parameters are refused, unchanged, until somebody says which is right', async () => {
    const dir = tempDir()
    didBefore(dir, 'environment', {digest: 'one'})
    didBefore(dir, 'live', {digest: 'other'})
    for (const _ of 'twice') {
      expect(() => takeOver(dir)).toThrow(
        expect.objectContaining({
          code: 'file_unreadable',
          message: expect.stringMatching(/payout P-1 .*different parameters/),
          hint: expect.stringContaining('hisab journal merge --keep'),
        }),
      )
    }
    expect(await open(dir, live, {keep: 'other'}).findRequest('payout', 'P-1')).toMatchObject({
      bodyDigest: 'other',
    })
    expect(await open(dir).findRequest('payout', 'P-1')).toMatchObject({bodyDigest: 'other'})
  })

  test.each([
    [5, /They sent payout P-1, (deposit N-\d, ){3}deposit N-4 with different parameters/],
    [7, /They sent payout P-1, (deposit N-\d, ){3}deposit N-4 and 2 more with different parameters/],
  ])(
    'of %d numbers that both sent otherwise five are named; of a deposit neither amount nor account is known',
    async (count, named) => {
      const dir = tempDir()
      for (const digest of ['environment', 'live']) {
        didBefore(dir, digest, {digest})
        const sql = earlierJournal(dir, digest, null)
        for (let n = 1; n < count; n++)
          sql.exec(`INSERT INTO requests (kind, order_no, body_digest, state, intent_at_ms, claimed_at_ms)
          VALUES ('deposit', 'N-${n}', '${digest}', 'unknown', 1, 1)`)
        sql.close()
      }
      expect(() => takeOver(dir)).toThrow(named)
      const {dropped} = open(dir, live, {keep: 'this'})
      expect(dropped).toHaveLength(count)
      expect(dropped.at(-1)).toMatchObject({
        kind: 'deposit',
        amount: null,
        maskedAccount: null,
        isNeverMade: false,
      })
    },
  )

  describe('of a number that both sent with other parameters', () => {
    /** 500.00 in the journal of `environment`, 900.00 in that of `live`, to the same account. */
    const journals = (mine: [state: string, sentMs: number], theirs: [state: string, sentMs: number]) => {
      const dir = tempDir()
      for (const [name, digest, [state, atMs], amount] of [
        ['environment', 'one', mine, 50_000],
        ['live', 'other', theirs, 90_000],
      ] as const) {
        didBefore(dir, name, {digest, state, atMs})
        const sql = earlierJournal(dir, name, null)
        sql.exec(`UPDATE requests SET amount_paisa = ${amount}, platform_order_no = 'PL-1',
          settled_at_ms = CASE state WHEN 'accepted' THEN intent_at_ms + 1 END`)
        sql.close()
      }
      return dir
    }
    const paidTo = async (journal: Journal, amount: bigint) =>
      (
        await duplicatesIn(journal, {...payout, orderNo: 'P-9', amount, payeeFingerprint: 'other.key'}, 1_000)
      ).map(({orderNo}) => orderNo)

    test.each([
      ['one', ['accepted', 5], ['accepted', 9], 90_000n],
      ['one', ['accepted', 5], ['unknown', 9], 90_000n],
      ['one', ['accepted', 5], ['intent', 9], 90_000n],
      ['other', ['accepted', 9], ['accepted', 5], 50_000n],
      ['other', ['unknown', 9], ['accepted', 5], 50_000n],
    ] as const)(
      'the one accepted before the other was sent is right: %s',
      async (digest, mine, theirs, amount) => {
        const journal = takeOver(journals([...mine], [...theirs]))
        expect(await journal.findRequest('payout', 'P-1')).toMatchObject({
          state: 'accepted',
          bodyDigest: digest,
        })
        expect(journal.dropped).toMatchObject([{kind: 'payout', orderNo: 'P-1', amount, isNeverMade: true}])
        expect(await paidTo(journal, amount)).toEqual([])
      },
    )

    test.each([
      ['in doubt, then accepted', ['unknown', 5], ['accepted', 9]],
      ['both in doubt', ['unknown', 5], ['intent', 9]],
      ['at once', ['accepted', 5], ['accepted', 6]],
    ] as const)(
      '%s: a person says, and the other may have been paid all the same',
      async (_what, mine, theirs) => {
        for (const keep of ['this', 'other'] as const) {
          const dir = journals([...mine], [...theirs])
          expect(() => takeOver(dir)).toThrow(/contradict each other: .*payout P-1 /)
          const journal = open(dir, live, {keep})
          const [kept, lost] = keep === 'this' ? [50_000n, 90_000n] : [90_000n, 50_000n]
          expect(await journal.findRequest('payout', 'P-1')).toMatchObject({amount: kept})
          expect(journal.dropped).toMatchObject([{orderNo: 'P-1', amount: lost, isNeverMade: false}])
          // The kept row too, where it is in doubt.
          expect(await paidTo(journal, lost)).toContain('P-1')
          expect(await journal.sumPayouts(0)).toBe(140_000n)
          await journal.close()
          const later = open(dir)
          expect([later.dropped, await paidTo(later, lost)]).toEqual([[], expect.arrayContaining(['P-1'])])
          await expectDoubtOf(later, lost)
        }
      },
    )

    test('each of two is right about one: both payouts count, and nobody is asked', async () => {
      const dir = tempDir()
      for (const [name, own, foreign] of [
        ['environment', 'P-1', 'P-2'],
        ['live', 'P-2', 'P-1'],
      ] as const) {
        didBefore(dir, name, {orderNo: own, digest: `${name} own`, atMs: 5})
        const sql = earlierJournal(dir, name, null)
        sql.exec(`INSERT INTO requests (kind, order_no, body_digest, amount_paisa, state, intent_at_ms, claimed_at_ms)
          VALUES ('payout', '${foreign}', '${name} foreign', 1, 'unknown', 9, 9);
          UPDATE requests SET settled_at_ms = intent_at_ms + 1`)
        sql.close()
      }
      const journal = takeOver(dir)
      const kept = await Promise.all(['P-1', 'P-2'].map((no) => journal.findRequest('payout', no)))
      expect(kept.map((row) => row?.bodyDigest)).toEqual(['environment own', 'live own'])
      expect(journal.dropped.map(({orderNo}) => orderNo).sort()).toEqual(['P-1', 'P-2'])
      expect(await journal.sumPayouts(0)).toBe(100_000n)
    })
  })

  test('a payout of a version before is compared whole, its return address included, and the refusal says so', async () => {
    const dir = tempDir()
    didBefore(dir, 'live', {orderNo: payout.orderNo, digest: payout.bodyDigest})
    const journal = takeOver(dir)
    expect(await journal.claimNumber(payout)).toMatchObject({fresh: false})
    await expect(journal.checkNumber({...payout, bodyDigest: 'of another return address'})).rejects.toThrow(
      /by an earlier hisab.*give the one of then with --return-url/,
    )
  })

  test('one of the sandbox is not the live one, nor the other way round', async () => {
    const dir = tempDir()
    didBefore(dir, 'live')
    const sql = earlierJournal(dir, 'sandbox')
    runOf(sql, 'rehearsal', 1, 'http://127.0.0.1:4010/v1')
    sql.close()
    expect(await open(dir, sandbox).listRuns(9)).toMatchObject([{id: 'rehearsal'}])
    expect(await takeOver(dir).listRuns(9)).toMatchObject([{id: 'live-run'}])
  })
})

test('a journal whose entry in accounts/ cannot be written claims nothing, and is no copy once it can', async () => {
  const dir = tempDir()
  const accounts = join(dir, 'accounts')
  symlinkSync('/proc/nothing', accounts)
  const journal = open(dir)
  await expect(journal.claimNumber(payout)).rejects.toThrow(expect.objectContaining({code: 'storage_failed'}))
  await journal.close()
  rmSync(accounts)
  expect(await open(dir).claimNumber(payout)).toMatchObject({fresh: true})
})

test('a merchant is one in either spelling of its id', async () => {
  const dir = tempDir()
  await open(dir).claimNumber(payout)
  const shouted = open(dir, {...live, merchantId: live.merchantId.toUpperCase()})
  expect(await shouted.findRequest('payout', payout.orderNo)).toMatchObject({state: 'intent'})
})

describe('addresses of a merchant', () => {
  const moved = 'https://moved.example'
  const refused = (text: RegExp, hint = 'hisab journal link') =>
    expect.objectContaining({
      code: 'config_invalid',
      message: expect.stringMatching(text),
      hint: expect.stringContaining(hint),
    })
  const at = (dir: string, address: string, environment = 'live', merchantId = live.merchantId) =>
    open(dir, {merchantId, environment}, {addresses: [address], profileName: 'live'})
  const link = async (dir: string, address: string, environment = 'live') => {
    await open(dir, {...live, environment}, {addresses: [address], isLinking: true}).linkAddresses()
  }

  test('a journal that remembers nothing takes any; one that sent takes its own, and what was linked', async () => {
    const dir = tempDir()
    at(dir, 'https://typo.example')
    await at(dir, payHost).claimNumber(payout)
    expect(await at(dir, payHost).findRequest('payout', payout.orderNo)).toMatchObject({state: 'intent'})
    for (const other of [moved, 'https://typo.example']) {
      for (const _ of 'twice')
        expect(() => at(dir, other)).toThrow(refused(/does not have the address https:/))
    }
    await link(dir, moved)
    expect(await at(dir, moved).requestsInDoubt()).toHaveLength(1)
    expect(await at(dir, payHost).requestsInDoubt()).toHaveLength(1)
  })

  test('an address of another environment is refused, until it is linked here', async () => {
    const dir = tempDir()
    await at(dir, payHost, 'live').claimNumber(payout)
    for (const word of ['production', 'sandbox']) {
      expect(() => at(dir, payHost, word)).toThrow(
        refused(new RegExp(`"live".*"${word}"`), 'HISAB_ENVIRONMENT=live'),
      )
      expect(existsSync(join(dir, 'journal', ownedFileName({...live, environment: word})))).toBe(false)
    }
    await at(dir, moved, 'production').claimNumber(payout)
    expect(() => at(dir, payHost, 'production')).toThrow(refused(/"live".*"production"/))
    await link(dir, payHost, 'production')
    expect(await at(dir, payHost, 'production').requestsInDoubt()).toHaveLength(1)
    expect(() => at(dir, moved, 'live')).toThrow(refused(/"production".*"live"/))
  })

  test('a link names the other environments that know the address, and those beside which a memory begins', async () => {
    const dir = tempDir()
    await at(dir, payHost, 'live').claimNumber(payout)
    const linked = async (address: string) =>
      await open(
        dir,
        {...live, environment: 'staging'},
        {addresses: [address], isLinking: true},
      ).linkAddresses()
    expect(await linked('https://staging.example')).toEqual([{environment: 'live', isShared: false}])
    await at(dir, 'https://staging.example', 'staging').claimNumber(payout)
    expect(await linked('https://other.example')).toEqual([])
    expect(await linked(payHost)).toEqual([{environment: 'live', isShared: true}])
  })

  test('of two environments that begin at one address at once, the second to send does not', async () => {
    const dir = tempDir()
    const [one, other] = [at(dir, payHost, 'live'), at(dir, payHost, 'sandbox')]
    await one.claimNumber(payout)
    await expect(other.claimNumber(payout)).rejects.toThrow(refused(/"live".*"sandbox"/))
    expect(await other.requestsInDoubt()).toEqual([])
    await one.claimNumber({...payout, orderNo: 'P-2'})
  })

  test('what was not sent keeps nobody out', async () => {
    const dir = tempDir()
    const one = at(dir, payHost, 'live')
    const guard = {
      dailyCeiling: 1n,
      dayStartMs: 0,
      duplicatesSinceMs: 0,
      duplicatesAllowed: new Set<string>(),
    }
    await expect(one.claimNumber(payout, guard)).rejects.toThrow(
      expect.objectContaining({code: 'payout_over_limit'}),
    )
    await at(dir, payHost, 'production').claimNumber(payout)
    await expect(one.claimNumber(payout)).rejects.toThrow(refused(/"production".*"live"/))
  })

  test.each([
    ['removed', removed],
    ['emptied', emptied],
  ] as const)('the address of a journal that was %s is still its own', async (_how, lose) => {
    const dir = tempDir()
    await at(dir, payHost, 'live').claimNumber(payout)
    lose(pathIn(dir))
    expect(() => at(dir, payHost, 'production')).toThrow(refused(/"live".*"production"/))
    await at(dir, moved, 'production').claimNumber(payout)
  })

  test('names of this machine are one address', () => {
    const own = (url: string) => addressesOf({baseUrl: `${url}/v1`, applyUrl: '', legacyUrl: url})
    expect(own('http://localhost:4010')).toEqual(own('http://127.0.0.1:4010'))
    expect(own('http://[::1]:4010')).toEqual(own('http://localhost:4010'))
    expect(own('https://pay.example.')).toEqual(own('https://PAY.example:443'))
    expect(own('https://pay.example')).not.toEqual(own('http://pay.example'))
  })

  test('the sandbox’s own merchant follows the sandbox, but not away from a doubt', async () => {
    const dir = tempDir()
    const play = (port: number) => at(dir, `http://127.0.0.1:${port}`, 'sandbox', sandboxMerchantId)
    const recordOutcome = async (journal: Journal) =>
      await journal.recordRequestOutcome((await journal.requestsInDoubt())[0]?.id ?? 0, 'accepted', {
        outcomeAtMs: 2,
      })
    const first = play(1)
    await first.claimNumber(payout)
    expect(() => play(2)).toThrow(refused(/does not have the address/))
    await recordOutcome(first)
    await play(2).claimNumber({...payout, orderNo: 'P-2'})
    expect(() => play(1)).toThrow(refused(/does not have the address/))
    await recordOutcome(play(2))
    play(1)
    // A merchant of its own may be behind a tunnel.
    const own = tempDir()
    await at(own, 'http://127.0.0.1:1', 'sandbox').claimNumber(payout)
    expect(() => at(own, 'http://127.0.0.1:2', 'sandbox')).toThrow(refused(/does not have the address/))
  })

  test('those of runs of a version before are known', async () => {
    const dir = tempDir()
    didBefore(dir, 'live')
    await takeOver(dir).close()
    expect(() => at(dir, 'https://other.example')).toThrow(refused(/does not have the address/))
    at(dir, payHost)
    expect(() => at(dir, payHost, 'staging')).toThrow(refused(/"live".*"staging"/))
  })

  describe('creates of a version before, which says nothing of where', () => {
    test('are where the service is when a person speaks for them', async () => {
      const dir = tempDir()
      const sql = earlierJournal(dir, 'live')
      sql.exec(`INSERT INTO requests (kind, order_no, body_digest, state, intent_at_ms)
        VALUES ('payout', 'P-1', 'x', 'unknown', 1)`)
      sql.close()
      await takeOver(dir, {addresses: [payHost]}).close()
      expect(() => at(dir, moved)).toThrow(refused(/does not have the address/))
    })

    test('are where the runs beside them were', async () => {
      const dir = tempDir()
      didBefore(dir, 'live', {state: 'unknown'})
      await takeOver(dir).close()
      expect(await at(dir, payHost).requestsInDoubt()).toHaveLength(1)
    })
  })

  describe('an environment that is but the default of its address', () => {
    const byDefault = (
      dir: string,
      address: string,
      environment: string,
      {
        merchantId = live.merchantId,
        ...more
      }: {merchantId?: string; isLinking?: boolean; isLossAccepted?: boolean} = {},
    ) => {
      const options = {addresses: [address], profileName: 'live', isEnvironmentNamed: false, ...more}
      return open(dir, {merchantId, environment}, options)
    }
    const tunnel = 'http://127.0.0.1:8443'

    test('is no second memory of a merchant that is known here, until it is named', async () => {
      const dir = tempDir()
      await byDefault(dir, tunnel, 'sandbox').claimNumber(payout)
      for (const word of [{}, {}, {isLinking: true}, {isLinking: true, isLossAccepted: true}, {}]) {
        expect(() => byDefault(dir, payHost, 'live', word)).toThrow(
          refused(
            /known here as environment "sandbox" at http:\/\/127.0.0.1:8443/,
            'HISAB_ENVIRONMENT=sandbox',
          ),
        )
      }
      expect(await byDefault(dir, tunnel, 'sandbox').requestsInDoubt()).toHaveLength(1)
      await link(dir, payHost)
      expect(() => byDefault(dir, payHost, 'live')).toThrow(refused(/known here as environment "sandbox"/))
      await at(dir, payHost, 'live').claimNumber(payout)
      byDefault(dir, payHost, 'live')
      await at(dir, 'https://staging.example', 'staging').claimNumber(payout)
      // What a word let in stays.
      byDefault(dir, 'https://staging.example', 'staging')
    })

    test('is none where the link came before the other one sent', async () => {
      const dir = tempDir()
      await byDefault(dir, tunnel, 'sandbox', {isLinking: true}).linkAddresses()
      const linked = byDefault(dir, tunnel, 'sandbox')
      await byDefault(dir, payHost, 'live').claimNumber(payout)
      for (const sender of [async () => linked, async () => byDefault(dir, tunnel, 'sandbox')])
        await expect(sender().then((one) => one.claimNumber(payout))).rejects.toThrow(
          refused(/known here as environment "live"/),
        )
    })

    test.each([
      ['removed', removed],
      ['emptied', emptied],
    ] as const)('is none beside a journal that was %s', async (_how, lose) => {
      const dir = tempDir()
      await byDefault(dir, tunnel, 'sandbox').claimNumber(payout)
      lose(join(dir, 'journal', ownedFileName(sandbox)))
      expect(() => byDefault(dir, payHost, 'live')).toThrow(refused(/environment "sandbox"/))
    })

    test('is asked nothing of where another one that never sent is gone', async () => {
      const dir = tempDir()
      await byDefault(dir, tunnel, 'sandbox').close()
      removed(join(dir, 'journal', ownedFileName(sandbox)))
      await byDefault(dir, payHost, 'live').claimNumber(payout)
    })

    test('is asked nothing of where the others remember nothing, nor of the demonstration merchant', async () => {
      const dir = tempDir()
      byDefault(dir, tunnel, 'sandbox')
      await byDefault(dir, payHost, 'live').claimNumber(payout)
      const demo = tempDir()
      await at(demo, payHost, 'live', sandboxMerchantId).claimNumber(payout)
      await byDefault(demo, tunnel, 'sandbox', {merchantId: sandboxMerchantId}).claimNumber(payout)
    })
  })
})

describe('a journal that forgot', () => {
  const lost = expect.objectContaining({
    code: 'file_unreadable',
    hint: expect.stringContaining('hisab journal link --start-over'),
  })

  const losses: [what: string, lose: (path: string) => void][] = [
    ['was removed', removed],
    ['was emptied', emptied],
    ['was removed with its folder', (path) => rmSync(join(path, '..'), {recursive: true})],
  ]
  test.each(losses)('one that %s is missed, and begins again at a person’s word', async (_what, lose) => {
    const dir = tempDir()
    await sendOne(dir)
    lose(pathIn(dir))
    for (const _ of 'twice') expect(() => openJournal(dir, live)).toThrow(lost)
    expect(await open(dir, live, {isLossAccepted: true}).findRequest('payout', payout.orderNo)).toBeNull()
    expect(await open(dir).findRequest('payout', payout.orderNo)).toBeNull()
  })

  describe('an older copy that takes its place is missed', () => {
    const other: NumberClaim = {...payout, orderNo: 'P-2'}
    const end = async (journal: Journal, state: 'refused' | 'unknown') =>
      await journal.recordRequestOutcome((await journal.findRequest('payout', 'P-2'))?.id ?? 0, state, {
        outcomeAtMs: 2,
      })
    const cases: [what: string, before: (one: Journal) => unknown, after: (one: Journal) => unknown][] = [
      ['of fewer sends', () => undefined, (one) => one.claimNumber(other)],
      [
        'of as many numbers, one of which was refused and sent again since',
        async (one) => {
          await one.claimNumber(other)
          await end(one, 'refused')
        },
        async (one) => {
          await one.claimNumber(other)
          await end(one, 'unknown')
        },
      ],
      [
        'of as many numbers, one of which was said to be not paid and sent again since',
        async (one) => {
          await one.claimNumber(other)
          await end(one, 'unknown')
          const doubt = (await one.requestsInDoubt()).find(({orderNo}) => orderNo === 'P-2')
          if (doubt) await one.resolveRequest(doubt, {happened: false, by: 'a', reason: 'b', atMs: 3})
        },
        (one) => one.claimNumber(other),
      ],
      ['from before a ceiling was stated', () => undefined, (one) => one.stateCeiling(100_000n, 2)],
      ['of fewer resends', (one) => one.startRun(nightlyRun), (one) => claimed(one, exhaustedDelivery)],
      [
        'of a resend that never left, and was sent since',
        async (one) => {
          await one.startRun(nightlyRun)
          await one.recordResendOutcome(await claimed(one, exhaustedDelivery), 'not_sent', {})
        },
        (one) => claimed(one, exhaustedDelivery),
      ],
    ]
    for (const end of ['closed', 'killed'] as const) {
      test.each(cases)(`${end}: %s`, async (_what, before, after) => {
        const dir = tempDir()
        await sendOne(dir)
        const first = openJournal(dir, live)
        await before(first)
        await first.close()
        const copy = join(dir, 'copy.db')
        copyFileSync(pathIn(dir), copy)
        const journal = open(dir)
        await after(journal)
        if (end === 'closed') await journal.close()
        removed(pathIn(dir))
        copyFileSync(copy, pathIn(dir))
        expect(() => openJournal(dir, live)).toThrow(lost)
      })
    }

    test('killed, and what SQLite had not taken in is lost', async () => {
      const dir = tempDir()
      await sendOne(dir)
      await open(dir).claimNumber(other)
      const after = tempDir()
      cpSync(dir, after, {recursive: true})
      removed(pathIn(after), '-wal', '-shm')
      expect(() => openJournal(after, live)).toThrow(lost)
    })
  })

  test('one that went on elsewhere from the same copy is missed, though it knows as many or more', async () => {
    for (const more of [1, 2]) {
      const [here, there] = [tempDir(), tempDir()]
      await sendOne(here)
      cpSync(here, there, {recursive: true})
      const send = async (dir: string, orderNo: string) => {
        const journal = openJournal(dir, live)
        await journal.claimNumber({...payout, orderNo})
        await journal.close()
      }
      await send(here, 'P-2')
      for (let n = 0; n < more; n += 1) await send(there, `Q-${n}`)
      removed(pathIn(here))
      copyFileSync(pathIn(there), pathIn(here))
      expect(() => openJournal(here, live)).toThrow(lost)
    }
  })

  test('the earlier one is missed where it turns up after a new beginning', async () => {
    const dir = tempDir()
    await sendOne(dir)
    const [copy, original] = [join(dir, 'copy.db'), join(dir, 'original.db')]
    copyFileSync(pathIn(dir), copy)
    const journal = openJournal(dir, live)
    await journal.claimNumber({...payout, orderNo: 'P-2'})
    await journal.close()
    copyFileSync(pathIn(dir), original)
    copyFileSync(copy, pathIn(dir))
    const again = openJournal(dir, live, {isLossAccepted: true})
    await again.claimNumber({...payout, orderNo: 'P-3'})
    await again.close()
    copyFileSync(original, pathIn(dir))
    expect(() => openJournal(dir, live)).toThrow(lost)
  })

  test('one whose process was killed before it could send what it had claimed is whole', async () => {
    const dir = tempDir()
    await sendOne(dir)
    const before = join(dir, 'accounts-before')
    cpSync(join(dir, 'accounts'), before, {recursive: true})
    const journal = openJournal(dir, live)
    await journal.claimNumber({...payout, orderNo: 'P-2'})
    await journal.close()
    cpSync(before, join(dir, 'accounts'), {recursive: true})
    expect(await open(dir).requestsInDoubt()).toHaveLength(2)
  })

  test('where accounts/ cannot be written nothing is promised, and nothing that was not sent is in doubt', async () => {
    const dir = tempDir()
    const journal = open(dir)
    await journal.startRun(nightlyRun)
    await journal.claimNumber(payout)
    rmSync(join(dir, 'accounts'), {recursive: true})
    writeFileSync(join(dir, 'accounts'), '')
    const storageFailed = expect.objectContaining({code: 'storage_failed'})
    await expect(journal.claimNumber({...payout, orderNo: 'P-2'})).rejects.toThrow(storageFailed)
    await expect(claimed(journal, exhaustedDelivery)).rejects.toThrow(storageFailed)
    expect(await journal.requestsInDoubt()).toMatchObject([{orderNo: payout.orderNo}])
    expect(await journal.resendsInDoubt()).toEqual([])
  })

  test('one that is removed while a killed process never closed it is missed', async () => {
    const dir = tempDir()
    const journal = open(dir)
    await journal.startRun(nightlyRun)
    await claimed(journal, exhaustedDelivery)
    removed(pathIn(dir))
    expect(() => openJournal(dir, live)).toThrow(lost)
  })

  describe('a copy that is put back without what says how much it knew', () => {
    const restored = async () => {
      const dir = tempDir()
      const one = openJournal(dir, live)
      await one.claimNumber(payout)
      await one.close()
      const other = tempDir()
      mkdirSync(join(other, 'journal'))
      return {pathThere: pathIn(other), other, put: () => copyFileSync(pathIn(dir), pathIn(other))}
    }
    const alone = expect.objectContaining({
      message: expect.stringContaining('like a restored copy'),
      hint: expect.stringContaining('hisab journal link --start-over'),
    })

    test('on an empty disk', async () => {
      const {other, put} = await restored()
      put()
      for (const _ of 'twice') expect(() => openJournal(other, live)).toThrow(alone)
      const journal = open(other, live, {isLossAccepted: true})
      expect(await journal.findRequest('payout', payout.orderNo)).toMatchObject({state: 'intent'})
      await journal.close()
      open(other)
    })

    test('where hisab was at work before it was put back, and had sent nothing', async () => {
      const {other, put, pathThere} = await restored()
      await openJournal(other, live).close()
      removed(pathThere)
      put()
      expect(() => openJournal(other, live)).toThrow(alone)
    })
  })

  test('one of a version before may be a copy from before an upgrade: a person says that it is not, once', async () => {
    for (const isUsed of [false, true]) {
      const dir = tempDir()
      if (isUsed) await open(dir).close()
      removed(pathIn(dir))
      didBefore(dir, 'live')
      const user = {dataDir: dir, account: live, addresses: [], profileName: 'live', isEnvironmentNamed: true}
      expect(inspectJournal(user)).toMatchObject({state: 'refused'})
      for (const _ of 'twice') {
        expect(() => openJournal(dir, live)).toThrow(
          expect.objectContaining({message: expect.stringContaining('is of an earlier version')}),
        )
      }
      await takeOver(dir).close()
      expect(await open(dir).findRequest('payout', 'P-1')).toMatchObject({state: 'accepted'})
    }
  })

  test('one of a version before that was taken over is missed like any other', async () => {
    const dir = tempDir()
    didBefore(dir, 'live')
    await takeOver(dir).close()
    expect(await open(dir).findRequest('payout', 'P-1')).toMatchObject({state: 'accepted'})
    rmSync(join(dir, 'accounts'), {recursive: true})
    expect(() => openJournal(dir, live)).toThrow(lost)
  })

  test('one that sent nothing may go', async () => {
    const dir = tempDir()
    await openJournal(dir, live).close()
    removed(pathIn(dir))
    open(dir)
    expect(existsSync(pathIn(dir))).toBe(true)
  })
})

function pathIn(dir: string): string {
  return join(dir, 'journal', ownedFileName(live))
}

function removed(path: string, ...ends: readonly string[]): void {
  for (const end of ends.length > 0 ? ends : ['', '-wal', '-shm']) rmSync(`${path}${end}`, {force: true})
}

function emptied(path: string): void {
  removed(path, '-wal', '-shm')
  truncateSync(path)
}

async function sendOne(dir: string): Promise<void> {
  const journal = openJournal(dir, live)
  await journal.claimNumber(payout)
  await journal.close()
}
