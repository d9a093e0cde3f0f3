import {randomUUID} from 'node:crypto'

import {Failure} from '../../core/failure.ts'
import type {Paisa} from '../../core/money.ts'
import {refuseOverCeiling, repeatedPayout} from '../../core/payout-limits.ts'
import {noDoubt, resolving, selectResolvable} from '../doubts.ts'
import type {Journal} from '../interface.ts'
import {beingSent} from '../lock.ts'
import {part, sql} from '../query.ts'
import {requestRowOf} from '../request-row.ts'
import {
  lateEnd,
  numberReused,
  paidOf,
  refuseMove,
  repeatsAmong,
  rowFor,
  selectPaidSince,
  selectPayoutsTo,
  selectRequest,
} from '../requests.ts'
import {type Claim, type NumberClaim, type PayoutGuard, type RequestRow, tableOf} from '../rows.ts'
import {clocks, type Held, holdAccount, type Shared} from './account.ts'
import type {Transaction} from './database.ts'
import type {Lease} from './lease.ts'
import {namesOf} from './store.ts'
import {keepOrTakeBack, type Seen, type SharedWitness} from './witness.ts'

const at = (id: number) => part(`hisab.${tableOf(id)}`)

type Requests = Pick<Journal, 'claimNumber' | 'stateCeiling' | 'recordRequestOutcome' | 'resolveRequest'>

/** Creates on their way are over by then: each call, try and wait has an end. */
const sendingMaxMs = 5 * 60_000

/** `sender`: `person@machine`. */
export function sharedRequests(
  {db, accountId}: Shared,
  witness: SharedWitness,
  lease: Lease,
  sender: string,
): Requests {
  const store = namesOf(accountId)
  const write = <T>(work: (tx: Transaction, held: Held) => Promise<T>) =>
    db.write(async (tx) => await work(tx, await holdAccount(tx, accountId)), 'repeat')
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
      refuseOverCeiling(
        claim.amount,
        paidOf(await tx.all(selectPaidSince(store, guard.dayStartMs, claim.orderNo))),
        ceiling,
      )
    const payouts = await tx.all(selectPayoutsTo(store, claim))
    const found = repeatsAmong(payouts, claim, guard.duplicatesSinceMs)
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
    const row = rowFor(await tx.all(selectRequest(store, claim)), claim)
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
    stateCeiling: (stated) => write((tx, {nowMs}) => ceilingOf(tx, stated, nowMs)),
    recordRequestOutcome: record,
    resolveRequest: ({id, kind}, resolution) =>
      write(async (tx, {nowMs}) => {
        const sending = await tx.one(
          sql`SELECT 1 FROM hisab.requests WHERE account_id = ${accountId} AND sending_until_ms > ${nowMs}`,
        )
        if (sending) throw beingSent(await accountNow(tx, accountId))
        const row = await tx.one(selectResolvable(store, id, resolution))
        if (row === undefined) throw noDoubt(kind)
        for (const query of resolving(store, requestRowOf(row), {...resolution, atMs: nowMs}))
          await tx.run(query)
      }),
  }
}

async function accountNow(tx: Transaction, id: number): Promise<{merchantId: string; environment: string}> {
  const row = await tx.one(sql`SELECT merchant_id, environment FROM hisab.account WHERE id = ${id}`)
  if (!row) throw new Failure('bug', 'The account has no row.', 'Please report this.')
  return {merchantId: String(row.merchant_id), environment: String(row.environment)}
}
