import {randomUUID} from 'node:crypto'

import {Failure} from '../../core/failure.ts'
import type {Paisa} from '../../core/money.ts'
import type {OrderKind} from '../../core/order.ts'
import {refuseOverCeiling, repeatedPayout} from '../../core/payout-limits.ts'
import {columnsFor} from '../../files/sqlite.ts'
import {noDoubt} from '../doubts.ts'
import type {Journal} from '../interface.ts'
import {beingSent} from '../lock.ts'
import {requestRowOf} from '../request-row.ts'
import {lateEnd, numberReused, refuseMove, repeatsAmong} from '../requests.ts'
import {
  type Claim,
  type NumberClaim,
  type Payee,
  type PayoutGuard,
  type RequestRow,
  type RequestTable,
  tableOf,
} from '../rows.ts'
import {clocks, type Held, holdAccount, type Shared} from './account.ts'
import type {Reader, Row, Transaction} from './database.ts'
import {isOnItsWay, isOpen} from './doubts.ts'
import type {Lease} from './lease.ts'
import {part, type Query, sql} from './sql.ts'
import {keepOrTakeBack, type Seen, type SharedWitness} from './witness.ts'

const inDoubt = part(isOpen.create)
const lastWord = `(SELECT said.happened FROM hisab.resolutions AS said WHERE said.account_id = r.account_id
  AND said.kind = r.kind AND said.order_no = r.order_no AND said.body_digest = r.body_digest ORDER BY said.id DESC LIMIT 1)`
export const declaredMade = `(coalesce(${lastWord}, 0) = 1)`
const onlySaid = {
  made: part(`(r.state = 'accepted' AND r.confirmation IS DISTINCT FROM 'confirmed' AND ${lastWord} = 1)`),
  notMade: part(`(r.state = 'refused' AND ${lastWord} = 0)`),
}

const columnsOf = (table: RequestTable) =>
  columnsFor<RequestRow>({
    ...{
      id: table === 'requests' ? 'r.id' : '-r.id',
      kind: 'r.kind',
      orderNo: 'r.order_no',
      bodyDigest: 'r.body_digest',
    },
    ...{intentDigest: 'r.intent_digest', returnUrl: 'r.return_url', amount: 'r.amount_paisa::text'},
    ...{channel: 'r.channel', state: 'r.state', maskedAccount: 'r.masked_account'},
    ...{platformOrderNo: 'r.platform_order_no', serviceCode: 'r.service_code'},
    ...{payeeFingerprint: 'r.payee_fingerprint', absentBefore: 'r.absent_before'},
    ...{isDeclaredMade: `(${declaredMade})::int`, confirmation: 'r.confirmation'},
    ...{confirmationWhy: 'r.confirmation_why', claims: 'r.claims', intentAtMs: 'r.intent_at_ms'},
    ...{claimedAtMs: 'r.claimed_at_ms', outcomeAtMs: 'r.settled_at_ms', repeatsAllowed: 'r.repeats_allowed'},
    sentFields: 'r.sent_fields',
    ...{sentBy: 'r.sent_by', isOnItsWay: `(${isOnItsWay.create})::int`},
  })

export const requestOf = (row: Row): RequestRow => requestRowOf(row as Parameters<typeof requestRowOf>[0])

/** The rows of an account's requests that a condition names. */
function selectRequests(
  accountId: number,
  where: Query,
  tables: readonly RequestTable[] = ['requests'],
): Query {
  const shifted = where.text.replace(/\$(\d+)/g, (_, at) => `$${Number(at) + 1}`)
  const selects = tables.map(
    (table) => `SELECT ${columnsOf(table)} FROM hisab.${table} AS r WHERE r.account_id = $1 AND ${shifted}`,
  )
  return {text: selects.join(' UNION ALL '), values: [accountId, ...where.values]}
}

/** The same of what an import did not keep. */
export function selectBoth(accountId: number, where: Query, order: string): Query {
  const {text, values} = selectRequests(accountId, where, ['requests', 'requests_dropped'])
  return {text: `${text} ORDER BY ${order}`, values}
}

const at = (id: number) => part(`hisab.${tableOf(id)}`)

type Requests = Pick<
  Journal,
  | 'claimNumber'
  | 'checkNumber'
  | 'findDuplicates'
  | 'sumPayouts'
  | 'stateCeiling'
  | 'recordRequestOutcome'
  | 'recordLook'
  | 'numberWithPlatformOrder'
  | 'requestsInDoubt'
  | 'listRequests'
  | 'resolveRequest'
  | 'findRequest'
>

/** Creates on their way are over by then: each call, try and wait has an end. */
const sendingMaxMs = 5 * 60_000

/** `sender`: `person@machine`. */
export function sharedRequests(
  {db, accountId}: Shared,
  witness: SharedWitness,
  lease: Lease,
  sender: string,
): Requests {
  const rows = async (reader: Reader, where: Query, table?: RequestTable) =>
    (await reader.all(selectRequests(accountId, where, table && [table]))).map(requestOf)
  const write = <T>(work: (tx: Transaction, held: Held) => Promise<T>) =>
    db.write(async (tx) => await work(tx, await holdAccount(tx, accountId)), 'repeat')
  const checked = async (
    reader: Reader,
    {kind, orderNo, bodyDigest, intentDigest}: Parameters<Journal['checkNumber']>[0],
  ): Promise<RequestRow | null> => {
    const [row] = await rows(reader, sql`r.kind = ${kind} AND r.order_no = ${orderNo}`)
    if (row === undefined) return null
    const isSame =
      row.intentDigest === null ? row.bodyDigest === bodyDigest : row.intentDigest === intentDigest
    if (isSame) return row
    if (row.state === 'refused') return null
    throw numberReused(row, row.intentDigest === null)
  }
  const duplicates = async (reader: Reader, payee: Payee, sinceMs: number): Promise<RequestRow[]> => {
    const {orderNo, amount, maskedAccount} = payee
    const where = sql`r.kind = 'payout' AND r.masked_account = ${maskedAccount} AND (r.amount_paisa = ${amount} OR ${inDoubt})
        AND r.state <> 'refused' AND r.order_no <> ${orderNo}`
    const known = await reader.all(selectBoth(accountId, where, '"claimedAtMs", id'))
    return repeatsAmong(known.map(requestOf), payee, sinceMs)
  }
  const sum = async (reader: Reader, sinceMs: number, except: string): Promise<Paisa> => {
    const [row] = await reader.all(
      sql`SELECT coalesce(sum(paisa), 0)::text AS paisa FROM (
          SELECT r.amount_paisa AS paisa FROM hisab.requests AS r
          WHERE r.account_id = ${accountId} AND r.kind = 'payout' AND r.state <> 'refused' AND r.order_no <> ${except}
            AND r.claimed_at_ms >= ${sinceMs}
          UNION ALL SELECT r.amount_paisa FROM hisab.requests AS r
          WHERE r.account_id = ${accountId} AND r.kind = 'payout' AND r.order_no <> ${except}
            AND r.claimed_at_ms < ${sinceMs} AND ${inDoubt}
          UNION ALL SELECT r.amount_paisa FROM hisab.requests_dropped AS r
          WHERE r.account_id = ${accountId} AND r.kind = 'payout' AND r.state <> 'refused' AND r.order_no <> ${except}
            AND (r.claimed_at_ms >= ${sinceMs} OR ${inDoubt})) AS every`,
    )
    return BigInt(String(row?.paisa))
  }
  const ceilingOf = async (tx: Transaction, stated: Paisa | null, nowMs: number): Promise<Paisa | null> => {
    const row = await tx.one(
      sql`SELECT paisa::text AS paisa FROM hisab.daily_ceilings WHERE account_id = ${accountId} ORDER BY id DESC LIMIT 1`,
    )
    const last = row === undefined ? null : BigInt(String(row.paisa))
    if (stated === null || stated === last) return last
    await tx.run(
      sql`INSERT INTO hisab.daily_ceilings (account_id, paisa, stated_at_ms) VALUES (${accountId}, ${stated}, ${nowMs})`,
    )
    // An older copy lets more out than was allowed.
    await witness.record(tx, randomUUID(), nowMs)
    return stated
  }
  const holdToGuard = async (tx: Transaction, claim: NumberClaim, guard: PayoutGuard): Promise<string[]> => {
    const ceiling = await ceilingOf(tx, guard.dailyCeiling, claim.intentAtMs)
    if (ceiling !== null && claim.amount !== null)
      refuseOverCeiling(claim.amount, await sum(tx, guard.dayStartMs, claim.orderNo), ceiling)
    const found = await duplicates(tx, claim, guard.duplicatesSinceMs)
    const unseen = found.find(({orderNo}) => !guard.duplicatesAllowed.has(orderNo))
    if (unseen) throw repeatedPayout(claim.orderNo, claim.amount, unseen)
    return found.map(({orderNo}) => orderNo)
  }
  const claimIn = async (
    tx: Transaction,
    asked: NumberClaim,
    guard: PayoutGuard | undefined,
    token: string,
  ): Promise<{claim: Claim; seen: Seen | null}> => {
    const {nowMs} = await witness.hold(tx)
    await lease.check(tx)
    const aheadMs = (asked.claimedAtMs ?? asked.intentAtMs) - asked.intentAtMs
    const claim = {...asked, intentAtMs: nowMs, claimedAtMs: nowMs + aheadMs}
    const row = await checked(tx, claim)
    const {kind, orderNo} = claim
    if (row && row.state !== 'refused' && row.bodyDigest !== claim.bodyDigest) throw numberReused(row, false)
    if (row?.state === 'accepted') {
      await tx.run(sql`UPDATE hisab.requests SET claims = claims + least(claims, 1) WHERE id = ${row.id}`)
      return {claim: {fresh: false, row}, seen: null}
    }
    const repeats = guard ? await holdToGuard(tx, claim, guard) : []
    const {bodyDigest, intentDigest, returnUrl, amount, channel, maskedAccount, payeeFingerprint} = claim
    const [absent, sentFields] = [Number(claim.absentBefore), JSON.stringify(claim.sentFields)]
    const until = nowMs + sendingMaxMs
    if (row)
      await tx.run(
        sql`UPDATE hisab.requests SET claims = claims + 1, claim_token = ${token}, sending_until_ms = ${until}, sent_by = ${sender},
            claimed_at_ms = greatest(claimed_at_ms, ${claim.claimedAtMs}), sent_fields = ${sentFields},
            intent_at_ms = CASE state WHEN 'refused' THEN ${nowMs} ELSE intent_at_ms END,
            body_digest = CASE state WHEN 'refused' THEN ${bodyDigest} ELSE body_digest END,
            return_url = CASE state WHEN 'refused' THEN ${returnUrl} ELSE return_url END,
            absent_before = greatest(absent_before, ${absent}),
            state = CASE state WHEN 'refused' THEN 'intent' ELSE 'unknown' END WHERE id = ${row.id}`,
      )
    const made =
      row ??
      (await tx.one(
        sql`INSERT INTO hisab.requests (account_id, claim_token, sending_until_ms, kind, order_no, body_digest,
            intent_digest, return_url, amount_paisa, channel, masked_account, payee_fingerprint, sent_fields, absent_before, state,
            intent_at_ms, claimed_at_ms, sent_by)
          VALUES (${accountId}, ${token}, ${until}, ${kind}, ${orderNo}, ${bodyDigest}, ${intentDigest}, ${returnUrl},
            ${amount}, ${channel}, ${maskedAccount}, ${payeeFingerprint}, ${sentFields}, ${absent}, 'intent', ${nowMs}, ${claim.claimedAtMs}, ${sender})
          ON CONFLICT (account_id, kind, order_no) DO UPDATE SET claim_token = excluded.claim_token, sent_by = excluded.sent_by,
            sending_until_ms = excluded.sending_until_ms, body_digest = excluded.body_digest,
            intent_digest = excluded.intent_digest, return_url = excluded.return_url,
            amount_paisa = excluded.amount_paisa, channel = excluded.channel, masked_account = excluded.masked_account,
            payee_fingerprint = excluded.payee_fingerprint, sent_fields = excluded.sent_fields, absent_before = excluded.absent_before, state = 'intent',
            intent_at_ms = excluded.intent_at_ms, claimed_at_ms = excluded.claimed_at_ms, claims = requests.claims + 1,
            settled_at_ms = NULL, platform_order_no = NULL, service_code = NULL, confirmation = NULL,
            confirmation_why = NULL WHERE requests.state = 'refused'
          RETURNING id`,
      ))
    const id = Number(made?.id)
    if (repeats.length > 0)
      await tx.run(
        sql`UPDATE hisab.requests SET repeats_allowed = ${JSON.stringify(repeats)} WHERE id = ${id}`,
      )
    if (claim.madeElsewhere) {
      const {platformOrderNo, why} = claim.madeElsewhere
      await tx.run(
        sql`UPDATE hisab.requests SET state = 'accepted', claims = 0, settled_at_ms = ${nowMs}, sending_until_ms = NULL,
          platform_order_no = ${platformOrderNo}, confirmation = 'contradicted', confirmation_why = ${why} WHERE id = ${id}`,
      )
    }
    return {
      claim: row ? {fresh: false, row} : {fresh: true, id},
      seen: await witness.record(tx, token, nowMs),
    }
  }
  const record: Requests['recordRequestOutcome'] = (id, state, outcome) => {
    const {platformOrderNo = null, serviceCode = null} = outcome
    return write(async (tx, {nowMs}) => {
      const from = (await tx.one(sql`SELECT state FROM ${at(id)} WHERE id = ${Math.abs(id)}`))?.state as
        | RequestRow['state']
        | undefined
      if (tx.isRepeat && from === state) return
      if (lateEnd(from, state)) return
      refuseMove(from, state)
      await tx.run(
        sql`UPDATE ${at(id)} SET state = ${state}, settled_at_ms = ${nowMs}, sending_until_ms = NULL,
            platform_order_no = coalesce(${platformOrderNo}, platform_order_no), service_code = ${serviceCode}
            WHERE id = ${Math.abs(id)} AND account_id = ${accountId}`,
      )
    })
  }
  return {
    async claimNumber(asked, guard) {
      const token = randomUUID()
      let claimed: Awaited<ReturnType<typeof claimIn>> | undefined
      let since = clocks()
      const work = async (tx: Transaction) => {
        claimed = await claimIn(tx, asked, guard, token)
        since = clocks()
        return claimed
      }
      const {claim, seen} = await db.write(work, async (tx) => {
        await holdAccount(tx, accountId)
        const landed = await tx.one(
          sql`SELECT id FROM hisab.requests WHERE account_id = ${accountId} AND claim_token = ${token}`,
        )
        return landed ? claimed : undefined
      })
      await keepOrTakeBack(witness, seen, since, async () => {
        // A claim of what another may have sent takes nothing of that back.
        if (claim.fresh) await record(claim.id, 'refused', {outcomeAtMs: Date.now()})
      })
      return claim
    },
    checkNumber: (asked) => checked(db, asked),
    findDuplicates: (payee, sinceMs) => duplicates(db, payee, sinceMs),
    sumPayouts: (sinceMs) => sum(db, sinceMs, ''),
    stateCeiling: (stated) => write((tx, {nowMs}) => ceilingOf(tx, stated, nowMs)),
    recordRequestOutcome: record,
    recordLook: (id, {confirmation, why, isFound}) =>
      write(async (tx) => {
        const mine = part(`r.id = ${Math.abs(id)} AND r.account_id = ${accountId}`)
        if (isFound === true)
          await tx.run(sql`UPDATE ${at(id)} AS r SET state = 'accepted' WHERE ${mine} AND state = 'unknown'`)
        if (isFound === false)
          await tx.run(
            sql`UPDATE ${at(id)} AS r SET state = 'unknown', confirmation = coalesce(confirmation, 'unanswered')
              WHERE ${mine} AND state = 'accepted' AND confirmation IS DISTINCT FROM 'contradicted' AND NOT ${part(declaredMade)}`,
          )
        const weight = part(
          `CASE r.confirmation WHEN 'contradicted' THEN 2 WHEN 'confirmed' THEN 1 ELSE 0 END`,
        )
        const own = confirmation === 'contradicted' ? 2 : confirmation === 'confirmed' ? 1 : 0
        await tx.run(
          sql`UPDATE ${at(id)} AS r SET confirmation = ${confirmation}, confirmation_why = ${why}
            WHERE ${mine} AND ${own} >= ${weight} AND NOT (${own} = 2 AND ${part(declaredMade)})`,
        )
      }),
    async numberWithPlatformOrder(kind, orderNo, platformOrderNo) {
      const [row] = await rows(
        db,
        sql`r.platform_order_no = ${platformOrderNo} AND r.kind = ${kind} AND r.order_no <> ${orderNo}
          AND r.state <> 'refused' AND r.confirmation IS DISTINCT FROM 'contradicted'
          AND (NOT ${part(declaredMade)} OR r.id < (SELECT mine.id FROM hisab.requests AS mine
            WHERE mine.account_id = r.account_id AND mine.kind = r.kind AND mine.order_no = ${orderNo})) LIMIT 1`,
      )
      return row?.orderNo ?? null
    },
    requestsInDoubt: async () =>
      (await db.all(selectBoth(accountId, sql`${inDoubt}`, '"intentAtMs", id'))).map(requestOf),
    listRequests: (kind, rowsMax) =>
      rows(db, sql`r.kind = ${kind} ORDER BY r.intent_at_ms DESC, r.id DESC LIMIT ${rowsMax}`),
    resolveRequest: ({id, kind}, {happened, by, reason}) =>
      write(async (tx, {nowMs}) => {
        const sending = await tx.one(
          sql`SELECT 1 FROM hisab.requests WHERE account_id = ${accountId} AND sending_until_ms > ${nowMs}`,
        )
        if (sending) throw beingSent(await accountNow(tx, accountId))
        const said = happened ? onlySaid.notMade : onlySaid.made
        const [row] = await rows(tx, sql`r.id = ${Math.abs(id)} AND (${inDoubt} OR ${said})`, tableOf(id))
        if (row === undefined) throw noDoubt(kind)
        await tx.run(
          sql`INSERT INTO hisab.resolutions (account_id, kind, order_no, body_digest, happened, state_before, by, reason, at_ms)
            VALUES (${accountId}, ${row.kind}, ${row.orderNo}, ${row.bodyDigest}, ${Number(happened)}, ${row.state}, ${by}, ${reason}, ${nowMs})`,
        )
        await tx.run(
          sql`UPDATE ${at(id)} SET state = ${happened ? 'accepted' : 'refused'}, settled_at_ms = ${nowMs},
            confirmation = NULL, confirmation_why = CASE WHEN ${happened} THEN confirmation_why END
            WHERE id = ${Math.abs(id)} AND account_id = ${accountId}`,
        )
      }),
    async findRequest(kind: OrderKind, orderNo) {
      const [row] = await rows(db, sql`r.kind = ${kind} AND r.order_no = ${orderNo}`)
      return row ?? null
    },
  }
}

async function accountNow(tx: Transaction, id: number): Promise<{merchantId: string; environment: string}> {
  const row = await tx.one(sql`SELECT merchant_id, environment FROM hisab.account WHERE id = ${id}`)
  if (!row) throw new Failure('bug', 'The account has no row.', 'Please report this.')
  return {merchantId: String(row.merchant_id), environment: String(row.environment)}
}
