import {mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {expect} from 'vitest'
import type {Journal} from '../../src/journal/journal.ts'
import type {SeenFinding} from '../../src/journal/memory-rows.ts'
import {repeatsAmong} from '../../src/journal/requests.ts'
import type {NewResend, NewRun, NumberClaim, Payee, RequestRow} from '../../src/journal/rows.ts'
import {journalSteps} from '../../src/journal/schema.ts'

/** What the journal's tests write, with one order, one run and one payout a reader can follow. */
export const live = {environment: 'live', merchantId: '0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01'}
export const orderId = 'a3f0c6d2-1111-4222-8333-944445555666'

export const nightlyRun: NewRun = {
  id: 'run-1',
  command: 'reconcile',
  startedAtMs: 1_763_000_000_000,
  options: '{"dryRun":false}',
  reportDir: null,
}

export const exhaustedDelivery: NewResend = {
  runId: 'run-1',
  deliveryId: 'd1c7f8aa-2222-4333-8444-955556666777',
  orderId,
  event: 'order.completed',
  kind: 'deposit',
  orderNo: 'D-1001',
  intentAtMs: 1_763_000_001_000,
  baselineAttempts: 5,
  baselineSentAt: '2025-11-13T02:14:05+06:00',
  baselineStatus: 'failed',
  baselineNextRetryAt: null,
  baselineResponseCode: 503,
  overrides: [],
  cause: 'delivery_exhausted',
}

/** What a run remembers of D-1: 1.00 at risk. */
export function breakOf(orderNo: string): SeenFinding {
  return {
    ...{
      kind: 'deposit',
      orderNo,
      verdict: 'missing_completion',
      cause: 'delivery_exhausted',
      severity: 'high',
    },
    ...{atRisk: BigInt(orderNo.slice(2)) * 100n, orderedAtMs: null, snapshot: `as ${orderNo} stood`},
  }
}

/** Claims a resend that nothing speaks against: its id. */
export async function claimed(journal: Journal, intent: NewResend): Promise<number> {
  const claim = await journal.claimResend(intent, {nowMs: intent.intentAtMs, skewMs: 0})
  if (!claim.claimed) throw new Error(`not claimed: ${claim.because}`)
  return claim.id
}

export const payout: NumberClaim = {
  kind: 'payout',
  orderNo: 'P-1001',
  bodyDigest: 'd'.repeat(64),
  intentDigest: 'f'.repeat(64),
  returnUrl: 'https://shop.example/hook',
  amount: 500_000n,
  channel: 'BKASH',
  maskedAccount: '017****5678',
  payeeFingerprint: 'key-id-0.mac-of-account-and-amount',
  sentFields: {userName: {fingerprint: 'key-id-0.mac-of-a-name'}},
  absentBefore: true,
  intentAtMs: 1_763_000_002_000,
}

/** The row of P-1's number, or P-1001's, that a merge did not keep is in doubt until a person ends it; the kept one stays. */
export async function expectDoubtOf(journal: Journal, amount: bigint): Promise<void> {
  const find = async () =>
    (await journal.requestsInDoubt()).find((row) => row.id < 0 && row.amount === amount)
  const row = await find()
  if (!row) throw new Error(`no doubt of ${amount}`)
  const {kind, orderNo} = row
  const kept = await journal.findRequest(kind, orderNo)
  const before = await journal.sumPayouts(Number.MAX_SAFE_INTEGER)
  await journal.resolveRequest(row, {happened: false, by: 'zara', reason: 'asked', atMs: 1})
  expect([await find(), await journal.findRequest(kind, orderNo)]).toEqual([undefined, kept])
  expect(before - (await journal.sumPayouts(Number.MAX_SAFE_INTEGER))).toBe(amount)
  await journal.resolveRequest(row, {happened: true, by: 'zara', reason: 'asked again', atMs: 2})
  const {requests} = await journal.trace(orderNo)
  expect(requests.find(({id}) => id === row.id)).toMatchObject({
    amount,
    state: 'accepted',
    isDeclaredMade: true,
  })
  expect(await journal.findRequest(kind, orderNo)).toEqual(kept)
}

/** A journal as versions before kept it: by the name of a profile, of a schema of so many steps; null: it is there. */
export function earlierJournal(dataDir: string, profileName: string, steps: number | null = 7): DatabaseSync {
  mkdirSync(join(dataDir, 'journal'), {recursive: true})
  const sql = new DatabaseSync(join(dataDir, 'journal', `${profileName}-${live.merchantId}.db`))
  if (steps === null) return sql
  sql.exec('PRAGMA journal_mode = WAL')
  for (const step of journalSteps.slice(0, steps)) sql.exec(step)
  sql.exec(`PRAGMA user_version = ${steps}`)
  sql.prepare('INSERT INTO owner VALUES (1, ?, ?)').run(profileName, live.merchantId)
  return sql
}

/** Payouts that one may repeat, as a create asks for them. */
export async function duplicatesIn(journal: Journal, payee: Payee, sinceMs: number): Promise<RequestRow[]> {
  return repeatsAmong(await journal.payoutsTo(payee), payee, sinceMs)
}
