import {chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {describe, expect, onTestFinished, test} from 'vitest'

import {ownedFileName} from '../../src/files/owned-database.ts'
import {type Journal, openJournal} from '../../src/journal/journal.ts'
import {resendKey} from '../../src/journal/resends.ts'
import {
  type RequestState,
  type ResendState,
  requestMoves,
  requestStates,
  resendMoves,
  resendStates,
} from '../../src/journal/rows.ts'
import {modeOf, tempDir} from '../temp-dir.ts'
import {earlierJournal, exhaustedDelivery, live, nightlyRun, orderId, payout} from './sample.ts'

function open(dataDir = tempDir(), profile = live): Journal {
  const journal = openJournal(dataDir, profile)
  onTestFinished(() => journal.close())
  return journal
}

function openWithRun(dataDir?: string): Journal {
  const journal = open(dataDir)
  journal.startRun(nightlyRun)
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
  test('a run is found as it was started, ended, resumed and ended again', () => {
    const journal = openWithRun()
    expect(journal.findRun('run-1')).toEqual({
      ...nightlyRun,
      merchantId: live.merchantId,
      status: 'running',
      finishedAtMs: null,
      exitStatus: null,
    })
    journal.finishRun('run-1', {status: 'interrupted', finishedAtMs: 1, exitStatus: 130, reportDir: '/r'})
    expect(journal.findRun('run-1')).toMatchObject({
      status: 'interrupted',
      finishedAtMs: 1,
      exitStatus: 130,
      reportDir: '/r',
    })
    journal.resumeRun('run-1')
    expect(journal.findRun('run-1')).toMatchObject({
      status: 'running',
      finishedAtMs: null,
      exitStatus: null,
      reportDir: '/r',
    })
    journal.finishRun('run-1', {status: 'finished', finishedAtMs: 2, exitStatus: 0})
    expect(journal.findRun('run-1')).toMatchObject({status: 'finished', exitStatus: 0, reportDir: '/r'})
  })

  test('what cannot be: the same id twice, the end of a run that is over, the resume of one that never was', () => {
    const journal = openWithRun()
    const end = {status: 'finished', finishedAtMs: 1, exitStatus: 0} as const
    expect(() => journal.startRun(nightlyRun)).toThrow(bug)
    journal.finishRun('run-1', end)
    expect(() => journal.finishRun('run-1', end)).toThrow(bug)
    expect(() => journal.resumeRun('run-2')).toThrow(bug)
    expect(journal.findRun('run-2')).toBeNull()
  })

  test('the list is newest first and bounded', () => {
    const journal = openWithRun()
    journal.startRun({...nightlyRun, id: 'run-2', command: 'resend'})
    journal.startRun({...nightlyRun, id: 'a-later-run'})
    expect(journal.listRuns(2).map(({id}) => id)).toEqual(['a-later-run', 'run-2'])
  })
})

describe('resends', () => {
  test('an intent is found with its baseline and the words that let it through', () => {
    const journal = openWithRun()
    const id = journal.recordIntent({...exhaustedDelivery, overrides: ['ignore-cooldown', 'retry-unknown']})
    expect(journal.resendsOfRun('run-1')).toEqual([
      {
        ...exhaustedDelivery,
        id,
        state: 'intent',
        sentAtMs: null,
        responseCode: null,
        detail: null,
        overrides: ['ignore-cooldown', 'retry-unknown'],
      },
    ])
  })

  test('at most one per order and event in a run, whatever became of it (P4)', () => {
    const journal = openWithRun()
    const id = journal.recordIntent(exhaustedDelivery)
    expect(() => journal.recordIntent(exhaustedDelivery)).toThrow(/second resend/)
    journal.settleResend(id, 'refused', {})
    expect(() => journal.recordIntent({...exhaustedDelivery, deliveryId: 'another'})).toThrow(bug)
    journal.recordIntent({...exhaustedDelivery, event: 'order.failed'})
    journal.recordIntent({...exhaustedDelivery, orderId: 'another order'})
    expect(journal.resendsOfRun('run-1')).toHaveLength(3)
  })

  test('no intent without a run that is running', () => {
    const journal = openWithRun()
    expect(() => journal.recordIntent({...exhaustedDelivery, runId: 'run-9'})).toThrow(bug)
    journal.finishRun('run-1', {status: 'finished', finishedAtMs: 1, exitStatus: 0})
    expect(() => journal.recordIntent(exhaustedDelivery)).toThrow(/not running/)
  })

  const wayTo: Record<ResendState, ResendState[]> = {
    intent: [],
    accepted: ['accepted'],
    refused: ['refused'],
    not_sent: ['not_sent'],
    unknown: ['unknown'],
    delivered: ['accepted', 'delivered'],
    still_failing: ['unknown', 'still_failing'],
  }
  const moves = resendStates.flatMap((from) =>
    resendStates.map((to) => ({from, to, isLegal: resendMoves[from].includes(to)})),
  )
  test.each(moves)('$from → $to: legal $isLegal', ({from, to, isLegal}) => {
    const journal = openWithRun()
    const id = journal.recordIntent(exhaustedDelivery)
    for (const step of wayTo[from]) journal.settleResend(id, step, {})
    const move = () => journal.settleResend(id, to, {sentAtMs: 7, responseCode: 200, detail: 'seen'})
    if (isLegal) move()
    else expect(move).toThrow(bug)
    expect(journal.resendsOfRun('run-1')[0]).toMatchObject(
      isLegal
        ? {state: to, sentAtMs: 7, responseCode: 200, detail: 'seen'}
        : {state: from, sentAtMs: null, responseCode: null, detail: null},
    )
  })

  test('the table of legal moves is the one that was agreed', () => {
    expect(moves.filter(({isLegal}) => isLegal).map(({from, to}) => `${from} → ${to}`)).toEqual([
      'intent → accepted',
      'intent → refused',
      'intent → not_sent',
      'intent → unknown',
      'accepted → delivered',
      'accepted → still_failing',
      'unknown → delivered',
      'unknown → still_failing',
    ])
  })

  test('what an earlier move said stays where a later one says nothing', () => {
    const journal = openWithRun()
    const id = journal.recordIntent(exhaustedDelivery)
    journal.settleResend(id, 'accepted', {sentAtMs: 5, responseCode: 202})
    journal.settleResend(id, 'still_failing', {detail: 'answered 503 again'})
    expect(journal.resendsOfRun('run-1')[0]).toMatchObject({
      sentAtMs: 5,
      responseCode: 202,
      detail: 'answered 503 again',
    })
  })

  test.each(['refused', 'not_sent'] as const)(
    'the latest resend of an order is of any run, and one that was %s does not hide an earlier one (P5)',
    (nobody) => {
      const journal = openWithRun()
      journal.startRun({...nightlyRun, id: 'run-2'})
      journal.startRun({...nightlyRun, id: 'run-3'})
      const first = journal.recordIntent(exhaustedDelivery)
      journal.settleResend(first, 'unknown', {})
      const second = journal.recordIntent({...exhaustedDelivery, runId: 'run-2'})
      journal.settleResend(second, 'accepted', {})
      const third = journal.recordIntent({...exhaustedDelivery, runId: 'run-3'})
      journal.settleResend(third, nobody, {})
      const other = journal.recordIntent({...exhaustedDelivery, event: 'order.failed'})

      expect(journal.latestResend(orderId, 'order.completed')?.id).toBe(second)
      expect(journal.latestResend('nobody', 'order.completed')).toBeNull()
      const all = journal.latestResends()
      expect(all.size).toBe(2)
      expect(all.get(resendKey(orderId, 'order.completed'))?.id).toBe(second)
      expect(all.get(resendKey(orderId, 'order.failed'))?.id).toBe(other)
    },
  )
})

describe('numbers of creates (P1, P2)', () => {
  test('a new number is fresh; the same request again is not, and shows what became of it', () => {
    const journal = open()
    const claim = journal.claimNumber(payout)
    if (!claim.fresh) throw new Error('a new number must be fresh')
    journal.settleRequest(claim.id, 'accepted', {settledAtMs: 9, platformOrderNo: 'PO-1'})
    expect(journal.claimNumber(payout)).toEqual({
      fresh: false,
      row: {
        ...payout,
        id: claim.id,
        state: 'accepted',
        platformOrderNo: 'PO-1',
        serviceCode: null,
        confirmation: null,
        confirmationWhy: null,
        claims: 1,
        claimedAtMs: payout.intentAtMs,
        settledAtMs: 9,
        repeatsAllowed: [],
      },
    })
    expect(journal.findRequest('payout', 'P-1001')?.claims).toBe(2)
  })

  test('the same number for something else is refused, and the record of the first stays', () => {
    const journal = open()
    journal.claimNumber(payout)
    expect(() =>
      journal.claimNumber({
        ...payout,
        amount: 50_000n,
        bodyDigest: 'e'.repeat(64),
        intentDigest: 'e'.repeat(64),
      }),
    ).toThrow(
      expect.objectContaining({code: 'number_reused', exitStatus: 2, hint: expect.stringMatching(/P-1001/)}),
    )
    expect(journal.findRequest('payout', 'P-1001')).toMatchObject({amount: 500_000n, claims: 1})
  })

  test('a number with another return address is the same request, and its first bytes alone may be sent (P1)', () => {
    const journal = open()
    const moved = {...payout, bodyDigest: 'e'.repeat(64), returnUrl: 'https://shop.example/moved'}
    const claimed = journal.claimNumber(payout)
    expect(journal.checkNumber(moved)).toMatchObject({
      returnUrl: payout.returnUrl,
      bodyDigest: payout.bodyDigest,
    })
    expect(() => journal.claimNumber(moved)).toThrow(expect.objectContaining({code: 'number_reused'}))
    if (claimed.fresh) journal.settleRequest(claimed.id, 'refused', {settledAtMs: 9})
    // What was refused is sent to the address of now, and in those bytes from then on.
    expect(journal.claimNumber(moved)).toMatchObject({fresh: false})
    expect(journal.checkNumber(payout)).toMatchObject({
      returnUrl: moved.returnUrl,
      bodyDigest: moved.bodyDigest,
    })
  })

  test('the command that shows the first may be pasted into a shell (P24)', () => {
    const journal = open()
    const orderNo = 'P-1; $(touch x)'
    journal.claimNumber({...payout, orderNo})
    expect(() =>
      journal.checkNumber({
        kind: 'payout',
        orderNo,
        bodyDigest: 'e'.repeat(64),
        intentDigest: 'e'.repeat(64),
      }),
    ).toThrow(
      expect.objectContaining({hint: expect.stringContaining("hisab payout query 'P-1; $(touch x)'")}),
    )
  })

  test('deposits and payouts count their numbers apart, byte for byte (P13)', () => {
    const journal = open()
    for (const [kind, orderNo] of [
      ['payout', 'P-1'],
      ['deposit', 'P-1'],
      ['payout', 'p-1'],
      ['payout', 'P-1 '],
    ] as const) {
      expect(journal.claimNumber({...payout, kind, orderNo})).toMatchObject({fresh: true})
    }
    expect(journal.findRequest('deposit', 'p-1')).toBeNull()
  })

  test.each([null, 0n, 1n, 9_007_199_254_740_993n, 99_999_999_999_999_999n])(
    'an amount of %s paisa comes back exactly (P12)',
    (amount) => {
      const journal = open()
      journal.claimNumber({...payout, amount})
      expect(journal.findRequest('payout', 'P-1001')?.amount).toBe(amount)
    },
  )

  test('a refused request that is sent again is an intent again', () => {
    const journal = open()
    const claim = journal.claimNumber(payout)
    if (!claim.fresh) throw new Error('a new number must be fresh')
    journal.settleRequest(claim.id, 'refused', {settledAtMs: 1, serviceCode: 'INSUFFICIENT_BALANCE'})
    expect(journal.claimNumber(payout)).toMatchObject({
      fresh: false,
      row: {state: 'refused', serviceCode: 'INSUFFICIENT_BALANCE'},
    })
    expect(journal.findRequest('payout', 'P-1001')?.state).toBe('intent')
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
  )('$from → $to: legal $isLegal', ({from, to, isLegal}) => {
    const journal = open()
    const claim = journal.claimNumber(payout)
    if (!claim.fresh) throw new Error('a new number must be fresh')
    for (const step of wayTo[from]) journal.settleRequest(claim.id, step, {settledAtMs: 1})
    const move = () => journal.settleRequest(claim.id, to, {settledAtMs: 2})
    // The refusal, or the lost answer, of one process that comes after another one claimed the same number.
    const isLate =
      (to === 'refused' && (from === 'unknown' || from === 'accepted')) ||
      (to === 'unknown' && from === 'accepted')
    if (isLegal || isLate) move()
    else expect(move).toThrow(bug)
    expect(journal.findRequest('payout', 'P-1001')?.state).toBe(isLegal ? to : from)
  })
})

describe('the file', () => {
  test('database, -wal and -shm are 0600 in a folder of 0700, also where they were open before (P25)', () => {
    const dir = tempDir()
    mkdirSync(join(dir, 'journal'))
    chmodSync(join(dir, 'journal'), 0o755)
    openWithRun(dir).close()
    chmodSync(join(dir, 'journal', ownedFileName(live)), 0o644)
    openWithRunAgain(dir)
    const names = readdirSync(join(dir, 'journal')).sort()
    expect(names).toEqual(['', '-shm', '-wal'].map((end) => `${ownedFileName(live)}${end}`))
    expect(names.map((name) => modeOf(join(dir, 'journal', name)))).toEqual(['600', '600', '600'])
    expect(modeOf(join(dir, 'journal'))).toBe('700')
  })

  test('two environments, and two merchants of one environment, never share a journal', () => {
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
      expect(open(dir, account).claimNumber(payout)).toMatchObject({fresh: true})
    }
  })

  test.each([
    ['environment', {...live, environment: 'staging'}],
    ['merchant', {...live, merchantId: '0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c02'}],
  ])('a journal that was renamed into the place of another %s is not believed', (_, other) => {
    const dir = tempDir()
    open(dir).close()
    renameSync(join(dir, 'journal', ownedFileName(live)), join(dir, 'journal', ownedFileName(other)))
    expect(() => openJournal(dir, other)).toThrow(/belongs to 0d9e4c1a.*@live/)
  })

  test('a schema of a newer hisab is refused, and left as it is', () => {
    const dir = tempDir()
    open(dir).close()
    rawJournal(dir).exec('PRAGMA user_version = 99')
    expect(() => openJournal(dir, live)).toThrow(
      expect.objectContaining({code: 'file_unreadable', message: expect.stringContaining('schema 99')}),
    )
    expect(rawJournal(dir).prepare('PRAGMA user_version').get()).toEqual({user_version: 99})
  })

  test('a journal of an earlier hisab learns to tell what never left, and keeps its rows as they were', () => {
    const dir = tempDir()
    const sql = earlierJournal(dir, 'live', 2)
    sql.exec(`
      INSERT INTO runs VALUES (1, 'run-0', 'resend', '${live.merchantId}', 1, 2, 'finished', '{}', 7, NULL);
      INSERT INTO resends (run_id, delivery_id, order_id, event, state, intent_at_ms, baseline_attempts, baseline_status, overrides)
        VALUES ('run-0', 'd', 'o', 'order.completed', 'refused', 1, 5, 'failed', '[]')`)
    sql.close()
    const journal = openWithRun(dir)
    expect(journal.resendsOfRun('run-0')).toMatchObject([{state: 'refused'}])
    journal.settleResend(journal.recordIntent(exhaustedDelivery), 'not_sent', {detail: 'refused'})
    expect(journal.resendsOfRun('run-1')).toMatchObject([{state: 'not_sent', detail: 'refused'}])
  })

  test('rows are never deleted', () => {
    const dir = tempDir()
    const journal = openWithRun(dir)
    journal.recordIntent(exhaustedDelivery)
    journal.claimNumber(payout)
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

  function openWithRunAgain(dir: string): void {
    const journal = open(dir)
    journal.resumeRun('run-1')
  }
})
