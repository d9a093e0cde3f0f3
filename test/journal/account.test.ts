import {copyFileSync, existsSync, readdirSync, rmSync, truncateSync} from 'node:fs'
import {join} from 'node:path'
import type {DatabaseSync} from 'node:sqlite'

import {describe, expect, onTestFinished, test} from 'vitest'

import type {Account} from '../../src/core/account.ts'
import {ownedFileName} from '../../src/files/owned-database.ts'
import {type Journal, type JournalOptions, openJournal} from '../../src/journal/journal.ts'
import {tempDir} from '../temp-dir.ts'
import {claimed, earlierJournal, exhaustedDelivery, live, nightlyRun, orderId, payout} from './sample.ts'

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

describe('journals that were kept by the name of a profile', () => {
  test('one is taken over, with what it sent', () => {
    const dir = tempDir()
    didBefore(dir, 'environment')
    const journal = open(dir)
    expect(journal.findRequest('payout', 'P-1')).toMatchObject({state: 'accepted'})
    expect(journal.earlierResend(orderId, 'order.completed', null)).toMatchObject({state: 'delivered'})
    expect(readdirSync(join(dir, 'journal')).filter((name) => name.endsWith('.db'))).toEqual([
      ownedFileName(live),
    ])
  })

  test('two that agree become one: both payouts count, the newest resend is the newest', () => {
    const dir = tempDir()
    didBefore(dir, 'environment', {orderNo: 'P-1', atMs: 5})
    didBefore(dir, 'live', {orderNo: 'P-2', atMs: 2})
    const journal = open(dir)
    expect(journal.merged).toHaveLength(1)
    expect(journal.sumPayouts(0)).toBe(100_000n)
    expect(journal.listRuns(9).map(({id}) => id)).toEqual(['environment-run', 'live-run'])
    expect(journal.earlierResend(orderId, 'order.completed', 'environment-run')?.atMs).toBeLessThan(
      journal.earlierResend(orderId, 'order.completed', null)?.atMs ?? 0,
    )
    journal.close()
    expect(open(dir).merged).toEqual([])
  })

  test.each([
    ['refused', 'unknown', 'unknown'],
    ['accepted', 'refused', 'accepted'],
    ['intent', 'accepted', 'accepted'],
  ])('of one number, %s here and %s there, what may have been paid counts', (one, other, state) => {
    const dir = tempDir()
    didBefore(dir, 'environment', {state: one, digest: one === 'refused' ? 'another' : 'same'})
    didBefore(dir, 'live', {state: other})
    expect(open(dir).findRequest('payout', 'P-1')).toMatchObject({state})
  })

  test('two that sent one number with other parameters are refused, unchanged, until somebody says which is right', () => {
    const dir = tempDir()
    didBefore(dir, 'environment', {digest: 'one'})
    didBefore(dir, 'live', {digest: 'other'})
    for (const _ of 'twice') {
      expect(() => openJournal(dir, live)).toThrow(
        expect.objectContaining({
          code: 'file_unreadable',
          message: expect.stringMatching(/payout P-1 .*other parameters/),
          hint: expect.stringContaining('hisab journal merge --keep'),
        }),
      )
    }
    expect(open(dir, live, {keep: 'other'}).findRequest('payout', 'P-1')).toMatchObject({bodyDigest: 'other'})
    expect(open(dir).findRequest('payout', 'P-1')).toMatchObject({bodyDigest: 'other'})
  })

  test('one of the sandbox is not the live one, nor the other way round', () => {
    const dir = tempDir()
    didBefore(dir, 'live')
    const sql = earlierJournal(dir, 'sandbox')
    runOf(sql, 'rehearsal', 1, 'http://127.0.0.1:4010/v1')
    sql.close()
    expect(open(dir, sandbox).listRuns(9)).toMatchObject([{id: 'rehearsal'}])
    expect(open(dir).listRuns(9)).toMatchObject([{id: 'live-run'}])
  })
})

test('a merchant is one in either spelling of its id', () => {
  const dir = tempDir()
  open(dir).claimNumber(payout)
  const shouted = open(dir, {...live, merchantId: live.merchantId.toUpperCase()})
  expect(shouted.findRequest('payout', payout.orderNo)).toMatchObject({state: 'intent'})
})

describe('addresses of a merchant', () => {
  test('a new one is unknown once something was sent, and known once it was linked', () => {
    const journal = open(tempDir())
    expect(journal.unknownAddresses([payHost])).toEqual([])
    journal.addAddresses([payHost], 1)
    expect(journal.unknownAddresses(['https://moved.example'])).toEqual([])
    journal.claimNumber(payout)
    expect(journal.unknownAddresses([payHost])).toEqual([])
    expect(journal.unknownAddresses([payHost, 'https://moved.example'])).toEqual(['https://moved.example'])
    journal.addAddresses(['https://moved.example'], 2)
    expect(journal.unknownAddresses(['https://moved.example'])).toEqual([])
  })

  test('those of runs of a version before are known', () => {
    const dir = tempDir()
    didBefore(dir, 'live')
    expect(open(dir).unknownAddresses([payHost, 'https://other.example'])).toEqual(['https://other.example'])
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
  test.each(losses)('one that %s is missed, and begins again at a person’s word', (_what, lose) => {
    const dir = tempDir()
    sendOne(dir)
    lose(pathIn(dir))
    for (const _ of 'twice') expect(() => openJournal(dir, live)).toThrow(lost)
    expect(open(dir, live, {isLossAccepted: true}).findRequest('payout', payout.orderNo)).toBeNull()
    expect(open(dir).findRequest('payout', payout.orderNo)).toBeNull()
  })

  test('an older copy in its place is missed', () => {
    const dir = tempDir()
    sendOne(dir)
    const copy = join(dir, 'copy.db')
    copyFileSync(pathIn(dir), copy)
    const journal = openJournal(dir, live)
    journal.claimNumber({...payout, orderNo: 'P-2'})
    journal.close()
    removed(pathIn(dir))
    copyFileSync(copy, pathIn(dir))
    expect(() => openJournal(dir, live)).toThrow(lost)
  })

  test('one that is removed while a killed process never closed it is missed', () => {
    const dir = tempDir()
    const journal = open(dir)
    journal.startRun(nightlyRun)
    claimed(journal, exhaustedDelivery)
    removed(pathIn(dir))
    expect(() => openJournal(dir, live)).toThrow(lost)
  })

  test('one that sent nothing may go', () => {
    const dir = tempDir()
    openJournal(dir, live).close()
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

function sendOne(dir: string): void {
  const journal = openJournal(dir, live)
  journal.claimNumber(payout)
  journal.close()
}
