import type {DatabaseSync} from 'node:sqlite'

import {Failure} from '../core/failure.ts'
import type {Paisa} from '../core/money.ts'
import type {RequestState} from '../core/order.ts'
import {mayBeOneAs} from '../core/order-no-readings.ts'
import {refuseOverCeiling, repeatedPayout} from '../core/payout-limits.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import {type Database, write} from '../files/sqlite.ts'
import {ceilingOf} from './ceiling.ts'
import type {Journal} from './interface.ts'
import {areOfOneKey} from './payee-key.ts'
import {part, type Query, sql} from './query.ts'
import {inDoubtCondition, mayBeMade, requestRowOf, selectBoth, selectRequests} from './request-row.ts'
import {
  type Claim,
  isInDoubt,
  isUnlookedAt,
  type NumberClaim,
  type Payee,
  type PayoutGuard,
  type RequestOutcome,
  type RequestRow,
  type RequestTable,
  requestMoves,
  tableOf,
} from './rows.ts'
import {type Row, rowsOf, type Store, storeOf} from './store.ts'

export function claimNumber(db: Database, claim: NumberClaim, guard: PayoutGuard | null): Claim {
  const store = storeOf(db)
  return write(db, (sqlite): Claim => {
    const row = rowFor(rowsOf(sqlite, selectRequest(store, claim)), claim)
    // Another process has claimed it since, with another return address.
    if (row && row.state !== 'refused' && row.bodyDigest !== claim.bodyDigest) throw numberReused(row, false)
    if (row?.state === 'accepted') {
      sqlite.prepare('UPDATE requests SET claims = claims + min(claims, 1) WHERE id = ?').run(row.id)
      return {fresh: false, row}
    }
    const repeats = guard ? holdToGuard(sqlite, store, claim, guard) : []
    const id = row?.id ?? reuseRefused(sqlite, claim) ?? insertClaim(sqlite, claim)
    if (row) claimAgain(sqlite, id, claim)
    if (repeats.length > 0) recordRepeats(sqlite, id, repeats)
    // In the same commit: an intent left by itself would be sent by the next command.
    if (claim.madeElsewhere) recordMadeElsewhere(sqlite, id, claim.intentAtMs, claim.madeElsewhere)
    return row ? {fresh: false, row} : {fresh: true, id}
  })
}

/** Of no claim: it was never sent from here, and is not when it is asked for again. */
function recordMadeElsewhere(
  sqlite: DatabaseSync,
  id: number,
  atMs: number,
  {platformOrderNo, why}: NonNullable<NumberClaim['madeElsewhere']>,
): void {
  sqlite
    .prepare(
      `UPDATE requests SET state = 'accepted', claims = 0, settled_at_ms = :atMs, platform_order_no = :platformOrderNo,
         confirmation = 'contradicted', confirmation_why = :why WHERE id = :id`,
    )
    .run({id, atMs, platformOrderNo, why})
}

type AskedNumber = Pick<NumberClaim, 'kind' | 'orderNo' | 'bodyDigest' | 'intentDigest'>
type Rows = Pick<Store, 'engine' | 'mine'>

/** The row of a number. */
export function selectRequest(store: Rows, {kind, orderNo}: Pick<RequestRow, 'kind' | 'orderNo'>): Query {
  return selectRequests(store, sql`r.kind = ${kind} AND r.order_no = ${orderNo}`)
}

/** The row that a request may take up, of those of its number. Throws `number_reused` where it is another request's. */
export function rowFor([found]: readonly Row[], {bodyDigest, intentDigest}: AskedNumber): RequestRow | null {
  if (found === undefined) return null
  const row = requestRowOf(found)
  const isSame = row.intentDigest === null ? row.bodyDigest === bodyDigest : row.intentDigest === intentDigest
  if (isSame) return row
  // Nothing came of what was refused, so its number is free; whoever sends it asks the service first.
  if (row.state === 'refused') return null
  throw numberReused(row, row.intentDigest === null)
}

/** Of other numbers to the same masked account, those that `repeatsAmong` looks at. */
export function selectPayoutsTo(store: Rows, {orderNo, amount, maskedAccount}: Payee): Query {
  return sql`${selectBoth(
    store,
    sql`r.kind = 'payout' AND r.masked_account = ${maskedAccount} AND (r.amount_paisa = ${amount} OR ${part(inDoubtCondition)})
      AND ${part(mayBeMade)} AND r.order_no <> ${orderNo}`,
  )} ORDER BY "claimedAtMs", id`
}

/** What may have been paid out since then, but for one number; what is in doubt counts at any age. */
export function selectPaidSince({engine, mine}: Rows, sinceMs: number, exceptOrderNo: string): Query {
  const [isSince, isInDoubt] = [sql`r.claimed_at_ms >= ${sinceMs}`, part(inDoubtCondition)]
  const paid = (table: RequestTable, where: Query) =>
    sql`SELECT r.amount_paisa AS paisa FROM ${engine.table(table)} AS r WHERE ${mine('r')} AND r.kind = 'payout'
      AND ${part(mayBeMade)} AND r.order_no <> ${exceptOrderNo} AND ${where}`
  // In two parts, because the sum of amounts of 15 digits is soon more than 64 bits. Each condition has its index.
  return sql`SELECT CAST(coalesce(sum(paisa / 1000000000), 0) AS TEXT) AS high,
      CAST(coalesce(sum(paisa % 1000000000), 0) AS TEXT) AS low FROM (
        ${paid('requests', isSince)} UNION ALL ${paid('requests', sql`NOT ${isSince} AND ${isInDoubt}`)}
        UNION ALL ${paid('requests_dropped', sql`(${isSince} OR ${isInDoubt})`)}) AS every`
}

export function paidOf([sum]: readonly Row[]): Paisa {
  return BigInt(String(sum?.high)) * 1_000_000_000n + BigInt(String(sum?.low))
}

/** Looks at what was sent, without claiming anything. */
export function requestLooks(store: Store): Pick<Journal, 'checkNumber' | 'findDuplicates' | 'sumPayouts'> {
  const {all} = store
  return {
    checkNumber: async (asked) => rowFor(await all(selectRequest(store, asked)), asked),
    findDuplicates: async (payee, sinceMs) =>
      repeatsAmong(await all(selectPayoutsTo(store, payee)), payee, sinceMs),
    sumPayouts: async (sinceMs) => paidOf(await all(selectPaidSince(store, sinceMs, ''))),
  }
}

/** The row of a number that was refused, for a request with other parameters; null where there is none. */
function reuseRefused(sqlite: DatabaseSync, claim: NumberClaim): number | null {
  const {kind, orderNo, bodyDigest, amount, channel, maskedAccount, payeeFingerprint, intentAtMs} = claim
  const {claimedAtMs = intentAtMs, sentFields} = claim
  const row = sqlite
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

function insertClaim(sqlite: DatabaseSync, claim: NumberClaim): number {
  const {kind, orderNo, bodyDigest, amount, channel, maskedAccount, payeeFingerprint, intentAtMs} = claim
  const {claimedAtMs = intentAtMs, sentFields, intentDigest, returnUrl} = claim
  const {lastInsertRowid} = sqlite
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
function claimAgain(sqlite: DatabaseSync, id: number, claim: NumberClaim): void {
  const {intentAtMs: atMs, claimedAtMs = atMs, bodyDigest, returnUrl, sentFields} = claim
  sqlite
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
function holdToGuard(sqlite: DatabaseSync, store: Store, claim: NumberClaim, guard: PayoutGuard): string[] {
  const {dailyCeiling, dayStartMs, duplicatesSinceMs, duplicatesAllowed} = guard
  const ceiling = ceilingOf(sqlite, dailyCeiling, claim.intentAtMs)
  if (ceiling !== null && claim.amount !== null) {
    const paid = paidOf(rowsOf(sqlite, selectPaidSince(store, dayStartMs, claim.orderNo)))
    refuseOverCeiling(claim.amount, paid, ceiling)
  }
  const duplicates = repeatsAmong(rowsOf(sqlite, selectPayoutsTo(store, claim)), claim, duplicatesSinceMs)
  const unseen = duplicates.find(({orderNo}) => !duplicatesAllowed.has(orderNo))
  if (unseen) throw repeatedPayout(claim.orderNo, claim.amount, unseen)
  return duplicates.map(({orderNo}) => orderNo)
}

/** Whose word it was is whoever ran the command; what it was given for stays with the payout. */
function recordRepeats(sqlite: DatabaseSync, id: number, orderNos: readonly string[]): void {
  sqlite.prepare('UPDATE requests SET repeats_allowed = ? WHERE id = ?').run(JSON.stringify(orderNos), id)
}

/** Payouts among `rows`, the oldest first, that this one may repeat: those in doubt first (P6). */
export function repeatsAmong(rows: readonly Row[], payee: Payee, sinceMs: number): RequestRow[] {
  const {doubts = [], others = []} = Object.groupBy(
    rows.map(requestRowOf).filter(repeatsOf(payee, sinceMs)),
    (row) => (isInDoubt(row) ? 'doubts' : 'others'),
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

export function recordRequestOutcome(
  db: Database,
  id: number,
  state: RequestState,
  outcome: RequestOutcome,
): void {
  write(db, (sqlite) => {
    const table = tableOf(id)
    const rowid = Math.abs(id)
    const from = sqlite.prepare(`SELECT state FROM ${table} WHERE rowid = ?`).get(rowid)?.state as
      | RequestState
      | undefined
    if (lateEnd(from, state)) return
    refuseMove(from, state)
    sqlite
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
