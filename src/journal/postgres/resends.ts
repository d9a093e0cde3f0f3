import {randomUUID} from 'node:crypto'

import {mayBeSameEvent} from '../../core/event-state.ts'
import {isCoolingDown, type MeasuredTime} from '../../core/reconcile/evidence.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant} from '../../core/time.ts'
import type {Journal} from '../interface.ts'
import {sql} from '../query.ts'
import {defect, earlierOf, resendOf, selectResendsOf, whyNot} from '../resends.ts'
import {type LeftAlone, type NewResend, type ResendClaim, type ResendRowState, resendMoves} from '../rows.ts'
import {clocks, holdAccount, type Shared} from './account.ts'
import type {Transaction} from './database.ts'
import type {Lease} from './lease.ts'
import {namesOf} from './store.ts'
import {keepOrTakeBack, type Seen, type SharedWitness} from './witness.ts'

type Claimed =
  | Exclude<ResendClaim, {claimed: true}>
  | {readonly claimed: true; readonly id: number; readonly seen: Seen}

type Resends = Pick<Journal, 'claimResend' | 'recordResendOutcome'>

/** When the record shows a delivery that a restored journal may not know of; null where its time is long past. */
function recentDelivery(
  {baselineAttempts, baselineSentAt, overrides}: NewResend,
  time: MeasuredTime,
): number | null {
  if (overrides.includes('ignore-cooldown') || (baselineAttempts === 0 && baselineSentAt === null))
    return null
  const sentMs = baselineSentAt === null ? null : parseInstant(baselineSentAt)
  const atMs = sentMs === null ? time.nowMs : sentMs - (time.skewMs ?? 0)
  return isCoolingDown({atMs, skewMs: 0}, time) ? atMs : null
}

export function sharedResends({db, accountId}: Shared, witness: SharedWitness, lease: Lease): Resends {
  const store = namesOf(accountId)
  const claimIn = async (
    tx: Transaction,
    asked: NewResend,
    skewMs: number | null,
    token: string,
  ): Promise<Claimed> => {
    const held = await witness.hold(tx)
    const {nowMs, behindMs} = held
    await lease.check(tx)
    // The record's times are the service's: how far it is ahead of the one clock of all machines.
    const time = {nowMs, skewMs: skewMs === null ? null : Math.round(skewMs - behindMs)}
    const intent = {...asked, intentAtMs: nowMs}
    const {runId, orderId, event, orderNo, kind} = intent
    const beside = await tx.one(
      sql`SELECT alone.*, EXISTS (SELECT 1 FROM hisab.runs WHERE account_id = ${accountId} AND id = ${runId} AND status = 'running') AS "isRunning",
          EXISTS (SELECT 1 FROM hisab.findings WHERE account_id = ${accountId} AND order_no = ${orderNo}
            AND coalesce(kind = ${kind}, true) AND healed_ms IS NULL AND said LIKE '%"book %') AS "isToBook"
        FROM (SELECT 1) AS this LEFT JOIN LATERAL (
          SELECT i.id AS word, i.ignored_by AS by, i.reason, i.ignored_at_ms AS "atMs", i.expires_at_ms AS "expiresAtMs"
          FROM hisab.ignores AS i JOIN hisab.findings AS f ON f.id = i.finding_id
          WHERE i.account_id = ${accountId} AND f.order_no = ${orderNo} AND coalesce(f.kind = ${kind}, true)
            AND i.id > ${intent.wordsKnown ?? 0} AND i.removed_at_ms IS NULL AND i.expires_at_ms > ${nowMs}
          ORDER BY i.id DESC LIMIT 1) AS alone ON true`,
    )
    if (beside?.isRunning !== true) throw defect(`The run ${escapeInvisible(runId)} is not running.`)
    const known = (await tx.all(selectResendsOf(store, intent)))
      .map(resendOf)
      .filter((row) => mayBeSameEvent(row.event, event))
    const ofRun = known.filter((row) => row.runId === runId && row.state !== 'not_sent')
    if (ofRun.some((row) => row.orderId === orderId && row.event === event))
      throw defect(
        `A second resend of ${escapeInvisible(event)} for order ${escapeInvisible(orderId)} in one run.`,
      )
    const [other] = ofRun
    if (other) return {claimed: false, because: 'recently_resent', atMs: other.intentAtMs, by: other.by}
    const {word, isRunning, isToBook, ...alone} = beside
    if (word !== null) return {...alone, claimed: false, because: 'left_alone'} as unknown as LeftAlone
    if (isToBook === true && !intent.overrides.includes('include-delivered'))
      return {claimed: false, because: 'to_book', by: null}
    const against = whyNot(earlierOf(known), intent, time)
    if (against) return against
    const deliveredAtMs = held.isRecentlyRestored ? recentDelivery(intent, time) : null
    if (deliveredAtMs !== null)
      return {claimed: false, because: 'journal_restored', atMs: deliveredAtMs, by: null}
    const made = await tx.one(
      sql`INSERT INTO hisab.resends (account_id, claim_token, run_id, delivery_id, order_id, event, kind, order_no, state,
          intent_at_ms, skew_ms, baseline_attempts, baseline_sent_at, baseline_status, baseline_next_retry_at,
          baseline_response_code, overrides, cause)
        VALUES (${accountId}, ${token}, ${runId}, ${intent.deliveryId}, ${orderId}, ${event}, ${kind}, ${orderNo},
          'intent', ${nowMs}, ${time.skewMs}, ${intent.baselineAttempts}, ${intent.baselineSentAt},
          ${intent.baselineStatus}, ${intent.baselineNextRetryAt}, ${intent.baselineResponseCode},
          ${JSON.stringify(intent.overrides)}, ${intent.cause}) RETURNING id`,
    )
    return {claimed: true, id: Number(made?.id), seen: await witness.record(tx, token, nowMs)}
  }
  const record: Resends['recordResendOutcome'] = (
    id,
    state,
    {responseCode = null, detail = null, sentAtMs},
  ) =>
    db.write(async (tx) => {
      const {nowMs} = await holdAccount(tx, accountId)
      const row = await tx.one(
        sql`SELECT state FROM hisab.resends WHERE id = ${id} AND account_id = ${accountId}`,
      )
      if (row === undefined) throw defect(`There is no resend ${id}.`)
      const from = row.state as ResendRowState
      if (tx.isRepeat && from === state) return
      if (!resendMoves[from].includes(state))
        throw defect(`A resend that is "${from}" cannot become "${state}".`)
      await tx.run(
        sql`UPDATE hisab.resends SET state = ${state}, sent_at_ms = coalesce(${sentAtMs === undefined ? null : nowMs}, sent_at_ms),
          response_code = coalesce(${responseCode}, response_code), detail = coalesce(${detail}, detail)
          WHERE id = ${id}`,
      )
    }, 'repeat')
  return {
    async claimResend(intent, {skewMs}) {
      const token = randomUUID()
      let since = clocks()
      let made: Claimed | undefined
      const claim = await db.write(
        async (tx) => {
          made = await claimIn(tx, intent, skewMs, token)
          since = clocks()
          return made
        },
        async (tx) => {
          await holdAccount(tx, accountId)
          return (await tx.one(sql`SELECT 1 FROM hisab.resends WHERE claim_token = ${token}`)) && made
        },
      )
      if (!claim.claimed) return claim
      const {id, seen} = claim
      await keepOrTakeBack(witness, seen, since, () => record(id, 'not_sent', {}))
      return {claimed: true, id}
    },
    recordResendOutcome: record,
  }
}
