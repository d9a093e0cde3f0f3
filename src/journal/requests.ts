import type {DatabaseSync} from 'node:sqlite'

import {Failure} from '../core/failure.ts'
import type {Paisa} from '../core/money.ts'
import type {OrderKind, RequestState} from '../core/order.ts'
import {mayBeOneAs} from '../core/order-no-readings.ts'
import {refuseOverCeiling, repeatedPayout} from '../core/payout-limits.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import {ceilingOf} from './ceiling.ts'
import {areOfOneKey} from './payee-key.ts'
import {inDoubtCondition, requestRowOf, selectBoth, selectRequest} from './request-row.ts'
import {
  type Claim,
  isInDoubt,
  isUnlookedAt,
  type NumberClaim,
  type Payee,
  type PayoutGuard,
  type RequestOutcome,
  type RequestRow,
  requestMoves,
  tableOf,
} from './rows.ts'

/** It may have been carried out, whatever the service shows under the number. */
const mayBeMade = `state <> 'refused'`

export function claimNumber(db: Database, claim: NumberClaim, guard: PayoutGuard | null): Claim {
  return write(db, (sql): Claim => {
    const row = checkRow(sql, claim)
    // Another process has claimed it since, with another return address.
    if (row && row.state !== 'refused' && row.bodyDigest !== claim.bodyDigest) throw numberReused(row, false)
    if (row?.state === 'accepted') {
      sql.prepare('UPDATE requests SET claims = claims + min(claims, 1) WHERE id = ?').run(row.id)
      return {fresh: false, row}
    }
    const repeats = guard ? holdToGuard(sql, claim, guard) : []
    const id = row?.id ?? reuseRefused(sql, claim) ?? insertClaim(sql, claim)
    if (row) claimAgain(sql, id, claim)
    if (repeats.length > 0) recordRepeats(sql, id, repeats)
    // In the same commit: an intent left by itself would be sent by the next command.
    if (claim.madeElsewhere) recordMadeElsewhere(sql, id, claim.intentAtMs, claim.madeElsewhere)
    return row ? {fresh: false, row} : {fresh: true, id}
  })
}

/** Of no claim: it was never sent from here, and is not when it is asked for again. */
function recordMadeElsewhere(
  sql: DatabaseSync,
  id: number,
  atMs: number,
  {platformOrderNo, why}: NonNullable<NumberClaim['madeElsewhere']>,
): void {
  sql
    .prepare(
      `UPDATE requests SET state = 'accepted', claims = 0, settled_at_ms = :atMs, platform_order_no = :platformOrderNo,
         confirmation = 'contradicted', confirmation_why = :why WHERE id = :id`,
    )
    .run({id, atMs, platformOrderNo, why})
}

export function checkNumber(db: Database, asked: AskedNumber): RequestRow | null {
  return attempt(db, (sql) => checkRow(sql, asked))
}

export function findDuplicates(db: Database, payee: Payee, sinceMs: number): RequestRow[] {
  return attempt(db, (sql) => duplicatesOf(sql, payee, sinceMs))
}

export function sumPayouts(db: Database, sinceMs: number): Paisa {
  return attempt(db, (sql) => sumSince(sql, sinceMs, ''))
}

type AskedNumber = Pick<NumberClaim, 'kind' | 'orderNo' | 'bodyDigest' | 'intentDigest'>

function checkRow(
  sql: DatabaseSync,
  {kind, orderNo, bodyDigest, intentDigest}: AskedNumber,
): RequestRow | null {
  const found = sql.prepare(`${selectRequest} WHERE kind = ? AND order_no = ?`).get(kind, orderNo)
  if (found === undefined) return null
  const row = requestRowOf(found)
  const isSame = row.intentDigest === null ? row.bodyDigest === bodyDigest : row.intentDigest === intentDigest
  if (isSame) return row
  // Nothing came of what was refused, so its number is free; whoever sends it asks the service first.
  if (row.state === 'refused') return null
  throw numberReused(row, row.intentDigest === null)
}

/** The row of a number that was refused, for a request with other parameters; null where there is none. */
function reuseRefused(sql: DatabaseSync, claim: NumberClaim): number | null {
  const {kind, orderNo, bodyDigest, amount, channel, maskedAccount, payeeFingerprint, intentAtMs} = claim
  const {claimedAtMs = intentAtMs, sentFields} = claim
  const row = sql
    .prepare(
      `UPDATE requests SET body_digest = ?, amount_paisa = ?, channel = ?, masked_account = ?,
         payee_fingerprint = ?, sent_fields = ?, intent_digest = ?, return_url = ?, absent_before = ?, intent_at_ms = ?,
         claimed_at_ms = ?, claims = claims + 1, state = 'intent', settled_at_ms = NULL,
         platform_order_no = NULL, service_code = NULL, confirmation = NULL, confirmation_why = NULL
       WHERE kind = ? AND order_no = ? AND state = 'refused' RETURNING id`,
    )
    .get(
      ...[bodyDigest, amount, channel, maskedAccount, payeeFingerprint, JSON.stringify(sentFields)],
      ...[claim.intentDigest, claim.returnUrl, Number(claim.absentBefore)],
      ...[intentAtMs, claimedAtMs, kind, orderNo],
    )
  return row === undefined ? null : Number(row.id)
}

function insertClaim(sql: DatabaseSync, claim: NumberClaim): number {
  const {kind, orderNo, bodyDigest, amount, channel, maskedAccount, payeeFingerprint, intentAtMs} = claim
  const {claimedAtMs = intentAtMs, sentFields, intentDigest, returnUrl} = claim
  const {lastInsertRowid} = sql
    .prepare(
      `INSERT INTO requests (kind, order_no, body_digest, amount_paisa, channel, masked_account,
         payee_fingerprint, sent_fields, intent_digest, return_url, absent_before, state, intent_at_ms, claimed_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'intent', ?, ?)`,
    )
    .run(
      ...[kind, orderNo, bodyDigest, amount, channel, maskedAccount, payeeFingerprint],
      ...[JSON.stringify(sentFields), intentDigest, returnUrl, Number(claim.absentBefore)],
      ...[intentAtMs, claimedAtMs],
    )
  return Number(lastInsertRowid)
}

/**
 * A refused request that is sent again is an intent again, and a new one, with the return address of now: it may be
 * accepted this time. An intent that is claimed again is unknown: whoever claimed it first is dead, or sends the same at this moment.
 */
function claimAgain(sql: DatabaseSync, id: number, claim: NumberClaim): void {
  const {intentAtMs: atMs, claimedAtMs = atMs, bodyDigest, returnUrl, sentFields} = claim
  sql
    .prepare(
      `UPDATE requests SET claims = claims + 1, claimed_at_ms = max(claimed_at_ms, :claimedAtMs), sent_fields = :sentFields,
         intent_at_ms = CASE state WHEN 'refused' THEN :atMs ELSE intent_at_ms END,
         body_digest = CASE state WHEN 'refused' THEN :bodyDigest ELSE body_digest END,
         return_url = CASE state WHEN 'refused' THEN :returnUrl ELSE return_url END,
         absent_before = max(absent_before, :absent),
         state = CASE state WHEN 'refused' THEN 'intent' ELSE 'unknown' END WHERE id = :id`,
    )
    .run({
      ...{id, atMs, claimedAtMs, bodyDigest, returnUrl, absent: Number(claim.absentBefore)},
      sentFields: JSON.stringify(sentFields),
    })
}

/** The payouts this one repeats on somebody's word, or because they failed. */
function holdToGuard(sql: DatabaseSync, claim: NumberClaim, guard: PayoutGuard): string[] {
  const {dailyCeiling, dayStartMs, duplicatesSinceMs, duplicatesAllowed} = guard
  const ceiling = ceilingOf(sql, dailyCeiling, claim.intentAtMs)
  if (ceiling !== null && claim.amount !== null) {
    refuseOverCeiling(claim.amount, sumSince(sql, dayStartMs, claim.orderNo), ceiling)
  }
  const duplicates = duplicatesOf(sql, claim, duplicatesSinceMs)
  const unseen = duplicates.find(({orderNo}) => !duplicatesAllowed.has(orderNo))
  if (unseen) throw repeatedPayout(claim.orderNo, claim.amount, unseen)
  return duplicates.map(({orderNo}) => orderNo)
}

/** Whose word it was is whoever ran the command; what it was given for stays with the payout. */
function recordRepeats(sql: DatabaseSync, id: number, orderNos: readonly string[]): void {
  sql.prepare('UPDATE requests SET repeats_allowed = ? WHERE id = ?').run(JSON.stringify(orderNos), id)
}

function duplicatesOf(sql: DatabaseSync, payee: Payee, sinceMs: number): RequestRow[] {
  const {orderNo, amount, maskedAccount} = payee
  const rows = sql
    .prepare(
      `${selectBoth(`kind = 'payout' AND masked_account = :maskedAccount AND (amount_paisa = :amount OR ${inDoubtCondition})
         AND ${mayBeMade} AND order_no <> :orderNo`)} ORDER BY "claimedAtMs", id`,
    )
    .all({maskedAccount, amount, orderNo})
  return repeatsAmong(rows.map(requestRowOf), payee, sinceMs)
}

/** Payouts among `rows`, the oldest first, that this one may repeat: those in doubt first (P6). */
export function repeatsAmong(rows: readonly RequestRow[], payee: Payee, sinceMs: number): RequestRow[] {
  const {doubts = [], others = []} = Object.groupBy(rows.filter(repeatsOf(payee, sinceMs)), (row) =>
    isInDoubt(row) ? 'doubts' : 'others',
  )
  return [...doubts, ...others]
}

/**
 * Whether a payout to the same masked account may be the one that is to be made: one of the same amount since `sinceMs`, and
 * of any age where it is in doubt, no query showed it, or its number may be this one, damaged; one of another amount where it
 * is in doubt, because a corrected amount is no other payment. Where the fingerprints were not made with one key, the masked
 * account has to do: a warning too many is the lesser fault.
 */
function repeatsOf(payee: Payee, sinceMs: number): (row: RequestRow) => boolean {
  const {orderNo, amount, payeeFingerprint: own, fingerprintWith} = payee
  if (own === null) return () => false
  const mayBeThis = mayBeOneAs(orderNo)
  const isTo = ({payeeFingerprint: known, amount: paid}: RequestRow) => {
    if (known === null || !areOfOneKey(known, own)) return true
    return paid === amount ? known === own : paid === null || known === (fingerprintWith?.(paid) ?? known)
  }
  return (row) => {
    const isOpen = isInDoubt(row)
    if (row.amount !== amount) return isOpen && isTo(row)
    return (row.claimedAtMs >= sinceMs || isOpen || isUnlookedAt(row) || mayBeThis(row.orderNo)) && isTo(row)
  }
}

/** What may have been paid out since then, but for one number; what is in doubt counts at any age. */
function sumSince(sql: DatabaseSync, sinceMs: number, exceptOrderNo: string): Paisa {
  const row = sql
    .prepare(
      // In two parts, because the sum of amounts of 15 digits is soon more than 64 bits.
      `SELECT CAST(coalesce(sum(paisa / 1000000000), 0) AS TEXT) AS high,
         CAST(coalesce(sum(paisa % 1000000000), 0) AS TEXT) AS low FROM (
           SELECT amount_paisa AS paisa FROM requests
           WHERE id IN (SELECT id FROM requests WHERE kind = 'payout' AND claimed_at_ms >= :since
                        UNION SELECT id FROM requests WHERE kind = 'payout' AND ${inDoubtCondition})
             AND ${mayBeMade} AND order_no <> :except
           UNION ALL SELECT amount_paisa FROM requests_dropped
           WHERE kind = 'payout' AND (claimed_at_ms >= :since OR ${inDoubtCondition}) AND ${mayBeMade} AND order_no <> :except)`,
    )
    .get({since: sinceMs, except: exceptOrderNo})
  return BigInt(String(row?.high)) * 1_000_000_000n + BigInt(String(row?.low))
}

export function recordRequestOutcome(
  db: Database,
  id: number,
  state: RequestState,
  outcome: RequestOutcome,
): void {
  write(db, (sql) => {
    const table = tableOf(id)
    const rowid = Math.abs(id)
    const from = sql.prepare(`SELECT state FROM ${table} WHERE rowid = ?`).get(rowid)?.state as
      | RequestState
      | undefined
    if (lateEnd(from, state)) return
    refuseMove(from, state)
    sql
      .prepare(
        `UPDATE ${table} SET state = :state, settled_at_ms = :outcomeAtMs,
           platform_order_no = coalesce(:platformOrderNo, platform_order_no), service_code = :serviceCode
         WHERE rowid = :rowid`,
      )
      .run({
        rowid,
        state,
        outcomeAtMs: outcome.outcomeAtMs,
        platformOrderNo: outcome.platformOrderNo ?? null,
        serviceCode: outcome.serviceCode ?? null,
      })
  })
}

/** Another process claimed the number meanwhile, and may have been heard: this one's end takes nothing back of it. */
export function lateEnd(from: RequestState | undefined, to: RequestState): boolean {
  return (
    (to === 'refused' && (from === 'unknown' || from === 'accepted')) ||
    (to === 'unknown' && from === 'accepted')
  )
}

export function refuseMove(from: RequestState | undefined, to: RequestState): void {
  if (from !== undefined && requestMoves[from].includes(to)) return
  throw new Failure(
    'bug',
    `A request that is "${from ?? 'not in the journal'}" cannot become "${to}".`,
    'Query the order first, and please report this.',
  )
}

export function findRequest(db: Database, kind: OrderKind, orderNo: string): RequestRow | null {
  const row = attempt(db, (sql) =>
    sql.prepare(`${selectRequest} WHERE kind = ? AND order_no = ?`).get(kind, orderNo),
  )
  return row === undefined ? null : requestRowOf(row)
}

/** `isOld`: of a version that kept one digest of the whole request, the return address included. */
export function numberReused(row: RequestRow, isOld: boolean): Failure {
  const {kind} = row
  const orderNo = escapeInvisible(row.orderNo)
  const old = isOld
    ? ' It was sent by an earlier hisab, for which another return address is another request: if that alone changed, give the one of then with --return-url.'
    : ''
  const query = `hisab ${kind} query ${quoteForShell(orderNo)}`
  const isOpen = isInDoubt(row)
  const doubt = isOpen ? ` It is in doubt, so it may have been made: \`${query}\`.` : ''
  return new Failure(
    'number_reused',
    `The ${kind} number ${orderNo} is already in the journal with other parameters.${doubt} The service would answer with the old order.${old} Nothing was sent.`,
    isOpen
      ? `End the doubt first: \`${query}\`. Until then a ${kind} under a new number could be a second one.`
      : `Give the new ${kind} a new number. To see the old one, run \`${query}\`.`,
  )
}
