import {chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {describe, expect, onTestFinished, test} from 'vitest'

import {type RequestState, requestStates} from '../../src/core/order.ts'
import {ownedFileName} from '../../src/files/owned-database.ts'
import {type Journal, openJournal} from '../../src/journal/journal.ts'
import {
  isInDoubt,
  isLost,
  isLostAfterShown,
  isUnlookedAt,
  type NewResend,
  type ResendRowState,
  requestMoves,
  resendMoves,
  resendRowStates,
  type StoredConfirmation,
} from '../../src/journal/rows.ts'
import {journalSteps} from '../../src/journal/schema.ts'
import {modeOf, tempDir} from '../temp-dir.ts'
import {claimed, earlierJournal, exhaustedDelivery, live, nightlyRun, orderId, payout} from './sample.ts'
import {wholeSchema} from './schema-at-once.ts'

function open(dataDir = tempDir(), profile = live): Journal {
  const journal = openJournal(dataDir, profile)
  onTestFinished(() => journal.close())
  return journal
}

async function openWithRun(dataDir?: string): Promise<Journal> {
  const journal = open(dataDir)
  await journal.startRun(nightlyRun)
  return journal
}

/** A journal of an earlier time, as a plain connection sees it. */
function rawJournal(dataDir: string): DatabaseSync {
  const sql = new DatabaseSync(join(dataDir, 'journal', ownedFileName(live)))
  onTestFinished(() => sql.close())
  return sql
}

const bug = expect.objectContaining({code: 'bug'})

describe('runs', () => {
  test('the list is newest first and bounded', async () => {
    const journal = await openWithRun()
    await journal.startRun({...nightlyRun, id: 'run-2', command: 'resend'})
    await journal.startRun({...nightlyRun, id: 'a-later-run'})
    expect((await journal.listRuns(2)).map(({id}) => id)).toEqual(['a-later-run', 'run-2'])
  })
})

describe('resends', () => {
  test('an intent is found with its baseline and the words that let it through', async () => {
    const journal = await openWithRun()
    const id = await claimed(journal, {...exhaustedDelivery, overrides: ['ignore-cooldown', 'retry-unknown']})
    expect(await journal.resendsOfRun('run-1')).toEqual([
      {
        ...exhaustedDelivery,
        id,
        isOnItsWay: false,
        state: 'intent',
        skewMs: 0,
        sentAtMs: null,
        responseCode: null,
        detail: null,
        overrides: ['ignore-cooldown', 'retry-unknown'],
        by: null,
      },
    ])
  })

  test('at most one per order and event in a run, whatever became of it (P4)', async () => {
    const journal = await openWithRun()
    const id = await claimed(journal, exhaustedDelivery)
    await expect(claimed(journal, exhaustedDelivery)).rejects.toThrow(/second resend/)
    await journal.recordResendOutcome(id, 'unknown', {})
    await journal.recordResendOutcome(id, 'refused', {})
    await expect(claimed(journal, {...exhaustedDelivery, deliveryId: 'another'})).rejects.toThrow(bug)
    await claimed(journal, {...exhaustedDelivery, event: 'order.failed'})
    await claimed(journal, {...exhaustedDelivery, orderId: 'another order', orderNo: 'D-2'})
    expect(await journal.resendsOfRun('run-1')).toHaveLength(3)
  })

  const moves = resendRowStates.flatMap((from) =>
    resendRowStates.map((to) => ({from, to, isLegal: resendMoves[from].includes(to)})),
  )
  test('the table of legal moves is the one that was agreed', () => {
    expect(moves.filter(({isLegal}) => isLegal).map(({from, to}) => `${from} → ${to}`)).toEqual([
      'intent → accepted',
      'intent → not_sent',
      'intent → unknown',
      'accepted → delivered',
      'accepted → still_failing',
      'unknown → refused',
      'unknown → delivered',
      'unknown → still_failing',
      'delivered → delivered',
      'still_failing → delivered',
      'still_failing → still_failing',
    ])
  })

  test('what an earlier move said stays where a later one says nothing', async () => {
    const journal = await openWithRun()
    const id = await claimed(journal, exhaustedDelivery)
    await journal.recordResendOutcome(id, 'accepted', {sentAtMs: 5, responseCode: 202})
    await journal.recordResendOutcome(id, 'still_failing', {detail: 'answered 503 again'})
    expect((await journal.resendsOfRun('run-1'))[0]).toMatchObject({
      sentAtMs: 5,
      responseCode: 202,
      detail: 'answered 503 again',
    })
  })

  test('what never left is claimed again in the same run, as the newest', async () => {
    const journal = await openWithRun()
    const first = await claimed(journal, exhaustedDelivery)
    await journal.recordResendOutcome(first, 'not_sent', {sentAtMs: 5, detail: 'no connection'})
    await claimed(journal, {...exhaustedDelivery, orderId: 'another order', orderNo: 'D-2'})
    const again = await claimed(journal, {...exhaustedDelivery, baselineAttempts: 6})
    expect(again).toBeGreaterThan(first)
    expect(await journal.resendsOfRun('run-1')).toMatchObject([
      {orderId: 'another order'},
      {id: again, state: 'intent', baselineAttempts: 6, sentAtMs: null, detail: null},
    ])
  })
})

describe('a resend is claimed against what every other run resent (P4, P5)', () => {
  const hour = 3_600_000
  const wayTo: Record<Exclude<ResendRowState, 'not_sent'>, ResendRowState[]> = {
    intent: [],
    accepted: ['accepted'],
    unknown: ['unknown'],
    refused: ['unknown', 'refused'],
    delivered: ['accepted', 'delivered'],
    still_failing: ['accepted', 'still_failing'],
  }
  const inDoubt = 'resend_in_doubt'
  const recent = 'recently_resent'
  test.each<
    [
      earlier: keyof typeof wayTo,
      hours: number,
      words: NewResend['overrides'],
      /** Attempts made since: the record tells how the earlier one ended. */
      since: number,
      expected: string,
    ]
  >([
    ['accepted', 1 / 3600, [], 0, recent],
    ['accepted', 7.99, [], 0, recent],
    ['accepted', 8, [], 0, 'claimed'],
    ['refused', 1, [], 0, recent],
    ['refused', 8, [], 0, 'claimed'],
    ['delivered', 1, [], 1, recent],
    ['still_failing', 1, [], 1, recent],
    ['still_failing', 1, ['ignore-cooldown'], 1, 'claimed'],
    ['still_failing', 1, ['retry-unknown'], 1, recent],
    ['still_failing', -1, [], 1, recent],
    ['intent', 1 / 3600, [], 0, inDoubt],
    ['intent', 1000, [], 0, inDoubt],
    ['unknown', 1000, [], 0, inDoubt],
    ['unknown', 1, ['ignore-cooldown'], 0, inDoubt],
    ['unknown', 1, ['retry-unknown'], 0, 'claimed'],
    ['unknown', 1, [], 1, recent],
    ['unknown', 9, [], 1, 'claimed'],
  ])(
    '%s, %d h ago, with %j and %d attempts since: %s',
    async (earlier, hours, overrides, since, expected) => {
      const journal = await openWithRun()
      await journal.startRun({...nightlyRun, id: 'run-2'})
      const first = await claimed(journal, exhaustedDelivery)
      for (const state of wayTo[earlier]) await journal.recordResendOutcome(first, state, {})
      const nowMs = exhaustedDelivery.intentAtMs + hours * hour
      const intent = {
        ...{...exhaustedDelivery, runId: 'run-2', intentAtMs: nowMs, overrides},
        baselineAttempts: exhaustedDelivery.baselineAttempts + since,
      }
      const claim = await journal.claimResend(intent, {nowMs, skewMs: 0})
      expect(claim.claimed ? 'claimed' : claim.because).toBe(expected)
      expect(await journal.resendsOfRun('run-2')).toHaveLength(expected === 'claimed' ? 1 : 0)
    },
  )

  // The machine's clock was wrong at the first resend, and is right at the second.
  test.each([
    [-10, 0, false],
    [-10, 7, false],
    [-10, 9, true],
    [10, 0, false],
    [10, 9, false],
    [0, 7, false],
    [0, 9, true],
  ])('a clock %d h off at the first, right %d h later: claimed %s', async (off, later, isClaimed) => {
    const journal = await openWithRun()
    await journal.startRun({...nightlyRun, id: 'run-2'})
    const nowMs = exhaustedDelivery.intentAtMs
    const wrongMs = nowMs + off * hour
    const claim = await journal.claimResend(
      {...exhaustedDelivery, intentAtMs: wrongMs},
      {nowMs: wrongMs, skewMs: -off * hour},
    )
    if (claim.claimed) await journal.recordResendOutcome(claim.id, 'accepted', {sentAtMs: wrongMs})
    const laterMs = nowMs + later * hour
    const again = {...exhaustedDelivery, runId: 'run-2', intentAtMs: laterMs}
    expect((await journal.claimResend(again, {nowMs: laterMs, skewMs: 0})).claimed).toBe(isClaimed)
  })

  test.each([
    ['moved an hour ago', 7, 1, false],
    ['moved 8 hours ago', 0, 1, true],
    ['never moved', null, 0, false],
  ])(
    'a clock 10 h slow at the first, which nobody could check; the record %s',
    async (_what, movedAfter, attempts, isClaimed) => {
      const journal = await openWithRun()
      await journal.startRun({...nightlyRun, id: 'run-2'})
      const {intentAtMs: nowMs, baselineAttempts} = exhaustedDelivery
      const wrongMs = nowMs - 10 * hour
      const claim = await journal.claimResend(
        {...exhaustedDelivery, intentAtMs: wrongMs},
        {nowMs: wrongMs, skewMs: null},
      )
      if (claim.claimed) await journal.recordResendOutcome(claim.id, 'accepted', {sentAtMs: wrongMs})
      const laterMs = nowMs + 8 * hour
      const again = {
        ...exhaustedDelivery,
        ...{runId: 'run-2', intentAtMs: laterMs, baselineAttempts: baselineAttempts + attempts},
        ...(movedAfter === null ? {} : {baselineSentAt: new Date(nowMs + movedAfter * hour).toISOString()}),
      }
      expect((await journal.claimResend(again, {nowMs: laterMs, skewMs: 0})).claimed).toBe(isClaimed)
    },
  )

  test('two connections to one journal: the second in the same second is refused', async () => {
    const dir = tempDir()
    const one = await openWithRun(dir)
    const other = openJournal(dir, live)
    await other.startRun({...nightlyRun, id: 'run-2'})
    const at = {nowMs: exhaustedDelivery.intentAtMs, skewMs: 0}
    expect(await one.claimResend(exhaustedDelivery, at)).toMatchObject({claimed: true})
    expect(await other.claimResend({...exhaustedDelivery, runId: 'run-2'}, at)).toMatchObject({
      claimed: false,
      because: inDoubt,
    })
  })

  test.each<[later: ResendRowState[], expected: string | undefined]>([
    [['not_sent'], 'unknown'],
    [['unknown', 'refused'], 'unknown'],
    [['accepted'], 'accepted'],
    [['accepted', 'still_failing'], 'still_failing'],
  ])(
    'a doubt that a person sent again, and which then went %j, is remembered as %s',
    async (later, expected) => {
      const journal = await openWithRun()
      await journal.startRun({...nightlyRun, id: 'run-2'})
      await journal.recordResendOutcome(await claimed(journal, exhaustedDelivery), 'unknown', {})
      const again = {...exhaustedDelivery, runId: 'run-2', overrides: ['retry-unknown']} as const
      const second = await claimed(journal, again)
      for (const state of later) await journal.recordResendOutcome(second, state, {})
      expect((await journal.resendHistory()).earlier(orderId, 'order.completed', null)?.state).toBe(expected)
      expect((await journal.resendHistory()).earlier('nobody', 'order.completed', null)).toBeNull()
    },
  )
})

describe('numbers of creates (P1, P2)', () => {
  test('a new number is fresh; the same request again is not, and shows what became of it', async () => {
    const journal = open()
    const claim = await journal.claimNumber(payout)
    if (!claim.fresh) throw new Error('a new number must be fresh')
    await journal.recordRequestOutcome(claim.id, 'accepted', {outcomeAtMs: 9, platformOrderNo: 'PO-1'})
    expect(await journal.claimNumber(payout)).toEqual({
      fresh: false,
      row: {
        ...payout,
        id: claim.id,
        state: 'accepted',
        platformOrderNo: 'PO-1',
        serviceCode: null,
        isDeclaredMade: false,
        isDeclaredNotMade: false,
        confirmation: null,
        confirmationWhy: null,
        claims: 1,
        claimedAtMs: payout.intentAtMs,
        outcomeAtMs: 9,
        repeatsAllowed: [],
        replaces: [],
        seenFailedMs: null,
        seenCompletedMs: null,
        wasRefused: false,
        sentBy: null,
        isOnItsWay: false,
      },
    })
    expect((await journal.findRequest('payout', 'P-1001'))?.claims).toBe(2)
  })

  test('the same number for something else is refused, and the record of the first stays', async () => {
    const journal = open()
    await journal.claimNumber(payout)
    await expect(
      journal.claimNumber({
        ...payout,
        amount: 50_000n,
        bodyDigest: 'e'.repeat(64),
        intentDigest: 'e'.repeat(64),
      }),
    ).rejects.toThrow(
      expect.objectContaining({code: 'number_reused', exitStatus: 2, hint: expect.stringMatching(/P-1001/)}),
    )
    expect(await journal.findRequest('payout', 'P-1001')).toMatchObject({amount: 500_000n, claims: 1})
  })

  test('a number with another return address is the same request, and its first bytes alone may be sent (P1)', async () => {
    const journal = open()
    const moved = {...payout, bodyDigest: 'e'.repeat(64), returnUrl: 'https://shop.example/moved'}
    const claimed = await journal.claimNumber(payout)
    expect(await journal.checkNumber(moved)).toMatchObject({
      returnUrl: payout.returnUrl,
      bodyDigest: payout.bodyDigest,
    })
    await expect(journal.claimNumber(moved)).rejects.toThrow(expect.objectContaining({code: 'number_reused'}))
    if (claimed.fresh) await journal.recordRequestOutcome(claimed.id, 'refused', {outcomeAtMs: 9})
    // What was refused is sent to the address of now, and in those bytes from then on.
    expect(await journal.claimNumber(moved)).toMatchObject({fresh: false})
    expect(await journal.checkNumber(payout)).toMatchObject({
      returnUrl: moved.returnUrl,
      bodyDigest: moved.bodyDigest,
    })
  })

  test('the command that shows the first may be pasted into a shell (P24)', async () => {
    const journal = open()
    const orderNo = 'P-1; $(touch x)'
    await journal.claimNumber({...payout, orderNo})
    await expect(
      journal.checkNumber({
        kind: 'payout',
        orderNo,
        bodyDigest: 'e'.repeat(64),
        intentDigest: 'e'.repeat(64),
      }),
    ).rejects.toThrow(
      expect.objectContaining({hint: expect.stringContaining("hisab payout query 'P-1; $(touch x)'")}),
    )
  })

  test('deposits and payouts count their numbers apart, byte for byte (P13)', async () => {
    const journal = open()
    for (const [kind, orderNo] of [
      ['payout', 'P-1'],
      ['deposit', 'P-1'],
      ['payout', 'p-1'],
      ['payout', 'P-1 '],
    ] as const) {
      expect(await journal.claimNumber({...payout, kind, orderNo})).toMatchObject({fresh: true})
    }
    expect(await journal.findRequest('deposit', 'p-1')).toBeNull()
  })

  test.each([null, 0n, 1n, 9_007_199_254_740_993n, 99_999_999_999_999_999n])(
    'an amount of %s paisa comes back exactly (P12)',
    async (amount) => {
      const journal = open()
      await journal.claimNumber({...payout, amount})
      expect((await journal.findRequest('payout', 'P-1001'))?.amount).toBe(amount)
    },
  )

  test('a refused request that is sent again is an intent again', async () => {
    const journal = open()
    const claim = await journal.claimNumber(payout)
    if (!claim.fresh) throw new Error('a new number must be fresh')
    await journal.recordRequestOutcome(claim.id, 'refused', {
      outcomeAtMs: 1,
      serviceCode: 'INSUFFICIENT_BALANCE',
    })
    expect(await journal.claimNumber(payout)).toMatchObject({
      fresh: false,
      row: {state: 'refused', serviceCode: 'INSUFFICIENT_BALANCE'},
    })
    expect((await journal.findRequest('payout', 'P-1001'))?.state).toBe('intent')
  })

  const wayTo: Record<RequestState, RequestState[]> = {
    intent: [],
    accepted: ['accepted'],
    refused: ['refused'],
    unknown: ['unknown'],
  }
  test.each(
    requestStates.flatMap((from) =>
      requestStates.map((to) => ({from, to, isLegal: requestMoves[from].includes(to)})),
    ),
  )('$from → $to: legal $isLegal', async ({from, to, isLegal}) => {
    const journal = open()
    const claim = await journal.claimNumber(payout)
    if (!claim.fresh) throw new Error('a new number must be fresh')
    for (const step of wayTo[from]) await journal.recordRequestOutcome(claim.id, step, {outcomeAtMs: 1})
    const move = () => journal.recordRequestOutcome(claim.id, to, {outcomeAtMs: 2})
    // The refusal, or the lost answer, of one process that comes after another one claimed the same number.
    const isLate =
      (to === 'refused' && (from === 'unknown' || from === 'accepted')) ||
      (to === 'unknown' && from === 'accepted')
    if (isLegal || isLate) await move()
    else await expect(move()).rejects.toThrow(bug)
    expect((await journal.findRequest('payout', 'P-1001'))?.state).toBe(isLegal ? to : from)
  })
})

describe('the file', () => {
  test('database, -wal and -shm are 0600 in a folder of 0700, also where they were open before (P25)', async () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'journal'))
    chmodSync(join(dir, 'journal'), 0o755)
    await (await openWithRun(dir)).close()
    chmodSync(join(dir, 'journal', ownedFileName(live)), 0o644)
    await openWithRunAgain(dir)
    const names = readdirSync(join(dir, 'journal')).sort()
    expect(names).toEqual(['', '-shm', '-wal'].map((end) => `${ownedFileName(live)}${end}`))
    expect(names.map((name) => modeOf(join(dir, 'journal', name)))).toEqual(['600', '600', '600'])
    expect(modeOf(join(dir, 'journal'))).toBe('700')
  })

  test('two environments, and two merchants of one environment, never share a journal', async () => {
    const dir = tempDir()
    const sandboxOne = {environment: 'sandbox', merchantId: '5a9db0c5-0000-4000-8000-000000000001'}
    const sandboxTwo = {environment: 'sandbox', merchantId: '5a9db0c5-0000-4000-8000-000000000002'}
    const accounts = [
      live,
      {...live, environment: 'Live'},
      {...live, environment: 'live/'},
      sandboxOne,
      sandboxTwo,
    ]
    for (const account of accounts) {
      expect(await open(dir, account).claimNumber(payout)).toMatchObject({fresh: true})
    }
  })

  test.each([
    ['environment', {...live, environment: 'staging'}],
    ['merchant', {...live, merchantId: '0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c02'}],
  ])('a journal that was renamed into the place of another %s is not believed', async (_, other) => {
    const dir = tempDir()
    await open(dir).close()
    renameSync(join(dir, 'journal', ownedFileName(live)), join(dir, 'journal', ownedFileName(other)))
    expect(() => openJournal(dir, other)).toThrow(/belongs to 0d9e4c1a.*@live/)
  })

  test('a new journal of the tests, made at once, is what the steps of its schema come to', async () => {
    const dir = tempDir()
    await open(dir).close()
    const found = rawJournal(dir).prepare(
      'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid',
    )
    expect(
      found
        .all()
        .map(({sql}) => sql)
        .join(';\n'),
    ).toBe(wholeSchema(journalSteps))
    const rows = rawJournal(dir).prepare(
      'SELECT (SELECT count(*) FROM account) AS account, user_version AS steps FROM pragma_user_version',
    )
    expect(rows.get()).toEqual({account: 1, steps: journalSteps.length})
  })

  test('a schema of a newer hisab is refused, and left as it is', async () => {
    const dir = tempDir()
    await open(dir).close()
    rawJournal(dir).exec('PRAGMA user_version = 99')
    expect(() => openJournal(dir, live)).toThrow(
      expect.objectContaining({code: 'file_unreadable', message: expect.stringContaining('schema 99')}),
    )
    expect(rawJournal(dir).prepare('PRAGMA user_version').get()).toEqual({user_version: 99})
  })

  test('a journal of an earlier hisab learns to tell what never left, and keeps its rows as they were', async () => {
    const dir = tempDir()
    const sql = earlierJournal(dir, 'live', 2)
    sql.exec(`
      INSERT INTO runs VALUES (1, 'run-0', 'resend', '${live.merchantId}', 1, 2, 'finished', '{}', 7, NULL);
      INSERT INTO resends (run_id, delivery_id, order_id, event, state, intent_at_ms, baseline_attempts, baseline_status, overrides)
        VALUES ('run-0', 'd', 'o', 'order.completed', 'refused', 1, 5, 'failed', '[]')`)
    sql.close()
    await openJournal(dir, live, {isLossAccepted: true}).close()
    const journal = await openWithRun(dir)
    expect(await journal.resendsOfRun('run-0')).toMatchObject([{state: 'refused'}])
    await journal.recordResendOutcome(await claimed(journal, exhaustedDelivery), 'not_sent', {
      detail: 'refused',
    })
    expect(await journal.resendsOfRun('run-1')).toMatchObject([{state: 'not_sent', detail: 'refused'}])
  })

  test('rows are never deleted', async () => {
    const dir = tempDir()
    const journal = await openWithRun(dir)
    await claimed(journal, exhaustedDelivery)
    await journal.claimNumber(payout)
    for (const table of ['resends', 'requests', 'runs']) {
      expect(() => rawJournal(dir).exec(`DELETE FROM ${table}`)).toThrow(/never deleted/)
    }
  })

  test.each([
    ['a file that is no database', (path: string) => writeFileSync(path, 'x'.repeat(4096)), /not a database/],
    ['a folder in its place', (path: string) => mkdirSync(path), /not a regular file/],
    ['a link in its place', (path: string) => symlinkSync('/dev/null', path), /not a regular file/],
  ])('%s is a storage failure that names the path', (_, spoil, message) => {
    const dir = tempDir()
    mkdirSync(join(dir, 'journal'))
    spoil(join(dir, 'journal', ownedFileName(live)))
    const failed = expect.objectContaining({code: 'storage_failed', message: expect.stringMatching(message)})
    expect(() => openJournal(dir, live)).toThrow(failed)
    expect(() => openJournal(dir, live)).toThrow(ownedFileName(live))
  })

  async function openWithRunAgain(dir: string): Promise<void> {
    const journal = open(dir)
    await journal.resumeRun('run-1')
  }
})

test.each<[state: RequestState, confirmation: StoredConfirmation | null, what: string]>([
  ['intent', null, 'in doubt'],
  ['unknown', null, 'in doubt'],
  ['unknown', 'unanswered', 'in doubt, lost'],
  ['unknown', 'contradicted', 'in doubt, lost'],
  ['unknown', 'confirmed', 'in doubt, lost, lost after it was shown'],
  ['accepted', null, ''],
  ['accepted', 'unanswered', 'not looked at'],
  ['accepted', 'not_shown', ''],
  ['accepted', 'confirmed', ''],
  ['accepted', 'contradicted', 'in doubt'],
  ['refused', null, ''],
  ['refused', 'confirmed', ''],
])('a request that is %s, its last query %s, is: %s', (state, confirmation, what) => {
  const row = {state, confirmation}
  const is = [
    isInDoubt(row) && 'in doubt',
    isLost(row) && 'lost',
    isLostAfterShown(row) && 'lost after it was shown',
    isUnlookedAt(row) && 'not looked at',
  ]
  expect(is.filter(Boolean).join(', ')).toBe(what)
})
