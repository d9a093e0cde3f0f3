import {Failure} from '../core/failure.ts'
import {feeMax, mayBeOneAmount, type Paisa} from '../core/money.ts'
import type {RequestState} from '../core/order.ts'
import {mayBeOneAs} from '../core/order-no-readings.ts'
import {refuseOverCeiling, repeatedPayout} from '../core/payout-limits.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import {statingCeiling} from './ceiling.ts'
import type {Journal} from './interface.ts'
import {mayBeOnePayee} from './payee-key.ts'
import {assigned, listed, part, type Query, sql} from './query.ts'
import {
  inDoubtCondition,
  isRow,
  mayBeMade,
  refusedDigest,
  requestRowOf,
  selectBoth,
  selectRequests,
  wasNeverSent,
} from './request-row.ts'
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
import type {Names, Row, Steps, Store} from './store.ts'

/** What an engine keeps of a claim besides, by column. */
type Sender = Readonly<Record<string, unknown>>

/** Claims a number in the transaction that checks it (P2). */
export function* claiming(
  names: Names,
  claim: NumberClaim,
  guard: PayoutGuard | null,
  sender: Sender = {},
): Steps<Claim> {
  const requests = names.engine.table('requests')
  const row = rowFor(yield selectRequest(names, claim), claim)
  // Another process has claimed it since, with another return address.
  if (row && row.state !== 'refused' && row.bodyDigest !== claim.bodyDigest) throw numberReused(row, false)
  if (row?.state === 'accepted') {
    yield sql`UPDATE ${requests} AS r SET claims = claims + 1 WHERE ${isRow(names, row.id)} AND claims > 0`
    return {fresh: false, row}
  }
  const replaces = guard?.replaces ?? []
  const allowed = guard ? yield* holdingTo(names, claim, guard) : []
  const repeats = [
    ...[...new Set([...allowed, ...(guard?.besides ?? [])])].filter((one) => !replaces.includes(one)),
    ...replaces.map((failed) => ({failed})),
  ]
  const [made] = yield row ? claimAgain(names, row.id, claim, sender) : insertClaim(names, claim, sender)
  const id = row?.id ?? Number(made?.id)
  // Whose word it was is whoever ran the command; what it was given for stays with the payout.
  if (repeats.length > 0)
    yield sql`UPDATE ${requests} AS r SET repeats_allowed = ${JSON.stringify(repeats)} WHERE ${isRow(names, id)}`
  // In the same commit: an intent left by itself would be sent by the next command.
  if (claim.madeElsewhere) yield madeElsewhere(names, id, claim.intentAtMs, claim.madeElsewhere)
  return row ? {fresh: false, row} : {fresh: true, id}
}

/** Of no claim: it was never sent from here, and is not when it is asked for again. */
function madeElsewhere(
  names: Names,
  id: number,
  atMs: number,
  {platformOrderNo, why}: NonNullable<NumberClaim['madeElsewhere']>,
): Query {
  const values = {
    ...{state: 'accepted', claims: 0, settled_at_ms: atMs, platform_order_no: platformOrderNo},
    ...{confirmation: 'contradicted', confirmation_why: why, ...names.engine.requestEnded},
  }
  return sql`UPDATE ${names.engine.table('requests')} AS r SET ${assigned(values)} WHERE ${isRow(names, id)}`
}

type AskedNumber = Pick<NumberClaim, 'kind' | 'orderNo' | 'bodyDigest' | 'intentDigest'>
type Rows = Pick<Names, 'engine' | 'mine'>

/** The row of a number. */
function selectRequest(store: Rows, {kind, orderNo}: Pick<RequestRow, 'kind' | 'orderNo'>): Query {
  return selectRequests(store, sql`r.kind = ${kind} AND r.order_no = ${orderNo}`)
}

/** The row that a request may take up, of those of its number. Throws `number_reused` where it is another request's. */
function rowFor([found]: readonly Row[], {bodyDigest, intentDigest}: AskedNumber): RequestRow | null {
  if (found === undefined) return null
  const row = requestRowOf(found)
  const isSame = row.intentDigest === null ? row.bodyDigest === bodyDigest : row.intentDigest === intentDigest
  if (isSame) return row
  // Nothing came of what was refused, so its number is free; whoever sends it asks the service first.
  if (row.state === 'refused') return null
  throw numberReused(row, row.intentDigest === null)
}

/** Of other numbers to the same masked account, those in doubt and those of nearly the amount. */
function selectPayoutsTo(store: Rows, {orderNo, amount, maskedAccount}: Payee): Query {
  const [from, to] = amount === null ? [0n, 0n] : [amount - 2n * feeMax(amount), amount + 2n * feeMax(amount)]
  return sql`${selectBoth(
    store,
    sql`r.kind = 'payout' AND r.masked_account = ${maskedAccount} AND (r.amount_paisa BETWEEN ${from} AND ${to} OR ${part(inDoubtCondition)})
      AND ${part(mayBeMade)} AND r.order_no <> ${orderNo}`,
  )} ORDER BY "claimedAtMs", id`
}

/** What may have been paid out since then, but for one number; what is in doubt counts at any age. */
function selectPaidSince({engine, mine}: Rows, sinceMs: number, exceptOrderNo: string): Query {
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

function paidOf([sum]: readonly Row[]): Paisa {
  return BigInt(String(sum?.high)) * 1_000_000_000n + BigInt(String(sum?.low))
}

/** Looks at what was sent, and keeps what was refused, without claiming anything. */
export function requestLooks(
  store: Store,
): Pick<Journal, 'checkNumber' | 'payoutsTo' | 'sumPayouts' | 'recordRefused' | 'refusedPayouts'> {
  const {engine, all, run} = store
  return {
    checkNumber: async (asked) => rowFor(await all(selectRequest(store, asked)), asked),
    async payoutsTo(payee) {
      const isTo = isToAccountOf(payee)
      const isNear = (row: RequestRow) => mayBeOneAmount(row.amount ?? 0n, payee.amount ?? 0n)
      const rows = (await all(selectPayoutsTo(store, payee))).map(requestRowOf)
      return rows.filter((row) => isTo(row) && (isInDoubt(row) || isNear(row)))
    },
    sumPayouts: async (sinceMs) => paidOf(await all(selectPaidSince(store, sinceMs, ''))),
    async recordRefused(claim, earlier) {
      const values = {
        ...{...valuesOf(claim), state: 'refused', claims: 0, repeats_allowed: JSON.stringify([earlier])},
        ...{body_digest: `${refusedDigest}${claim.bodyDigest}`, ...engine.requestRefused},
      }
      const columns = Object.keys(values).join(', ')
      await run(sql`INSERT INTO ${store.into('requests_dropped', columns)}
        VALUES (${store.first}${listed(Object.values(values))}) ON CONFLICT (${store.owner}kind, order_no, body_digest)
        DO UPDATE SET claimed_at_ms = excluded.claimed_at_ms, repeats_allowed = excluded.repeats_allowed`)
    },
    async refusedPayouts() {
      const isMadeSince = sql`EXISTS (SELECT 1 FROM ${engine.table('requests')} AS made WHERE ${engine.same('made')}
        AND made.kind = r.kind AND made.order_no = r.order_no AND made.state <> 'refused'
        AND r.body_digest = ${refusedDigest} || made.body_digest)`
      const where = sql`r.kind = 'payout' AND ${part(wasNeverSent)} AND NOT ${isMadeSince}`
      const rows = sql`${selectRequests(store, where, 'requests_dropped')} ORDER BY r.claimed_at_ms DESC`
      return (await all(rows)).map(requestRowOf)
    },
  }
}

/** A number that was refused may be another request's now; what came of the one before is gone. */
function insertClaim({into, first, owner}: Names, claim: NumberClaim, sender: Sender): Query {
  const values = {...valuesOf(claim), ...sender}
  const columns = Object.keys(values)
  const replaced = part(
    columns
      .slice(2)
      .map((name) => `${name} = excluded.${name}`)
      .join(', '),
  )
  return sql`INSERT INTO ${into('requests', columns.join(', '))} VALUES (${first}${listed(Object.values(values))})
    ON CONFLICT (${owner}kind, order_no) DO UPDATE SET ${replaced}, claims = requests.claims + 1, settled_at_ms = NULL,
      platform_order_no = NULL, service_code = NULL, confirmation = NULL, confirmation_why = NULL
    WHERE requests.state = 'refused' RETURNING id`
}

function valuesOf(claim: NumberClaim) {
  const {intentAtMs, claimedAtMs = intentAtMs} = claim
  return {
    ...{kind: claim.kind, order_no: claim.orderNo, body_digest: claim.bodyDigest},
    ...{intent_digest: claim.intentDigest, return_url: claim.returnUrl, amount_paisa: claim.amount},
    ...{channel: claim.channel, masked_account: claim.maskedAccount},
    ...{payee_fingerprint: claim.payeeFingerprint, sent_fields: JSON.stringify(claim.sentFields)},
    ...{absent_before: Number(claim.absentBefore), state: 'intent', intent_at_ms: intentAtMs},
    claimed_at_ms: claimedAtMs,
  }
}

/**
 * A refused request that is sent again is an intent again, and a new one, with the return address of now: it may be
 * accepted this time. An intent that is claimed again is unknown: whoever claimed it first is dead, or sends the same at this moment.
 */
function claimAgain(names: Names, id: number, claim: NumberClaim, sender: Sender): Query {
  const {intentAtMs: atMs, claimedAtMs = atMs, bodyDigest, returnUrl} = claim
  const absent = Number(claim.absentBefore)
  return sql`UPDATE ${names.engine.table('requests')} AS r
    SET ${assigned({sent_fields: JSON.stringify(claim.sentFields), ...sender})}, claims = claims + 1,
      claimed_at_ms = CASE WHEN claimed_at_ms < ${claimedAtMs} THEN ${claimedAtMs} ELSE claimed_at_ms END,
      intent_at_ms = CASE state WHEN 'refused' THEN ${atMs} ELSE intent_at_ms END,
      body_digest = CASE state WHEN 'refused' THEN ${bodyDigest} ELSE body_digest END,
      return_url = CASE state WHEN 'refused' THEN ${returnUrl} ELSE return_url END,
      absent_before = CASE WHEN ${absent} = 1 THEN 1 ELSE absent_before END,
      state = CASE state WHEN 'refused' THEN 'intent' ELSE 'unknown' END WHERE ${isRow(names, id)}`
}

/** The payouts this one repeats on somebody's word, or because they failed. */
function* holdingTo(names: Names, claim: NumberClaim, guard: PayoutGuard): Steps<string[]> {
  const {dailyCeiling, dayStartMs, duplicatesSinceMs, duplicatesAllowed, timeZone} = guard
  const {ceiling} = yield* statingCeiling(names, dailyCeiling, claim.intentAtMs)
  if (ceiling !== null && claim.amount !== null) {
    const paid = paidOf(yield selectPaidSince(names, dayStartMs, claim.orderNo))
    refuseOverCeiling(claim.amount, paid, ceiling)
  }
  const rows = (yield selectPayoutsTo(names, claim)).map(requestRowOf)
  const duplicates = repeatsAmong(rows, claim, duplicatesSinceMs)
  const unseen = duplicates.find(({orderNo}) => !duplicatesAllowed.has(orderNo))
  if (unseen) throw repeatedPayout(claim.orderNo, claim.amount, unseen, timeZone)
  return duplicates.map(({orderNo}) => orderNo)
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
  const {orderNo, amount} = payee
  const mayBeThis = mayBeOneAs(orderNo)
  const isTo = isToAccountOf(payee)
  return (row) => {
    const isOpen = isInDoubt(row)
    if (row.amount !== amount) return isOpen && isTo(row)
    return (row.claimedAtMs >= sinceMs || isOpen || isUnlookedAt(row) || mayBeThis(row.orderNo)) && isTo(row)
  }
}

/** Whether a payout to the same masked account went to the account, as far as the fingerprints tell. */
function isToAccountOf({
  amount,
  payeeFingerprint: own,
  fingerprintWith,
}: Payee): (row: RequestRow) => boolean {
  return ({payeeFingerprint: known, amount: paid}) =>
    own !== null &&
    mayBeOnePayee(known, paid === amount ? own : paid === null ? null : (fingerprintWith?.(paid) ?? null))
}

/** `isRepeat`: it may be recorded already. */
export function* recordingOutcome(
  names: Names,
  id: number,
  state: RequestState,
  {outcomeAtMs, platformOrderNo = null, serviceCode = null}: RequestOutcome,
  isRepeat = false,
): Steps<void> {
  const [table, which] = [names.engine.table(tableOf(id)), isRow(names, id)]
  const [row] = yield sql`SELECT state, service_code AS code FROM ${table} AS r WHERE ${which}`
  const from = row?.state as RequestState | undefined
  if ((isRepeat && from === state) || isLateEnd(from, state)) return
  refuseMove(from, state)
  // One that was made after all, and not sent again: another may have been made since it was refused.
  const isAfterAll = from === 'refused' && state === 'accepted' && tableOf(id) === 'requests'
  if (isAfterAll) yield keepingRefusal(names, id)
  const code = isAfterAll ? (serviceCode ?? row?.code ?? null) : serviceCode
  const values = {state, settled_at_ms: outcomeAtMs, service_code: code, ...names.engine.requestEnded}
  yield sql`UPDATE ${table} AS r SET ${assigned(values)}, platform_order_no = coalesce(${platformOrderNo}, platform_order_no)
    WHERE ${which}`
}

/** Keeps since when a payout counted as not made, which its row does not tell once it is accepted. */
function keepingRefusal(names: Names, id: number): Query {
  return sql`INSERT INTO ${names.into('payouts_failed', 'order_no, seen_ms')}
    SELECT ${names.first}r.order_no, r.settled_at_ms FROM ${names.engine.table(tableOf(id))} AS r WHERE ${isRow(names, id)}
      AND r.kind = 'payout' AND r.state = 'refused' AND r.settled_at_ms IS NOT NULL ON CONFLICT DO NOTHING`
}

/** Another process claimed the number meanwhile, and may have been heard: this one's end takes nothing back of it. */
function isLateEnd(from: RequestState | undefined, to: RequestState): boolean {
  return (
    (to === 'refused' && (from === 'unknown' || from === 'accepted')) ||
    (to === 'unknown' && from === 'accepted')
  )
}

function refuseMove(from: RequestState | undefined, to: RequestState): void {
  if (from !== undefined && requestMoves[from].includes(to)) return
  throw new Failure(
    'bug',
    `A request that is "${from ?? 'not in the journal'}" cannot become "${to}".`,
    'Query the order first, and please report this.',
  )
}

/** `isOld`: of a version that kept one digest of the whole request, the return address included. */
function numberReused(row: RequestRow, isOld: boolean): Failure {
  const {kind} = row
  const orderNo = escapeInvisible(row.orderNo)
  const old = isOld
    ? ' It was sent by an earlier hisab, for which another return address is another request: if that alone changed, give the one of then with --return-url.'
    : ''
  const number = quoteForShell(orderNo)
  const query = `hisab ${kind} query ${number}`
  const isOpen = isInDoubt(row)
  // A query that showed another order ends no doubt: a person decides.
  const word = kind === 'payout' ? 'paid' : 'made'
  const resolve = `\`hisab ${kind} resolve ${number} --reason TEXT --${word}\`, or … --not-${word}`
  const end = row.state === 'accepted' ? resolve : `\`${query}\``
  const stands = isOpen
    ? `. It is in doubt, so it may have been made: ${end}.`
    : ` and accepted. For a different ${kind}, use a new number. This one under a new number would be a second ${kind}.`
  return new Failure(
    'number_reused',
    `The ${kind} ${orderNo} was already sent with other values${stands}${old} Nothing was sent.`,
    isOpen
      ? `End the doubt first: \`${end}\`. Until then a ${kind} under a new number could be a second one.`
      : `See it: \`${query}\`.`,
  )
}
