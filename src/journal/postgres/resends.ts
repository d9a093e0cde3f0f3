import {randomUUID} from 'node:crypto'

import type {MeasuredTime} from '../../core/clocks.ts'
import {isRecent} from '../../core/reconcile/evidence.ts'
import {parseInstant} from '../../core/time.ts'
import type {Journal} from '../interface.ts'
import {sql} from '../query.ts'
import {insertIntent, recordingResend, weighingResend} from '../resends.ts'
import type {NewResend, ResendClaim} from '../rows.ts'
import {clocks, holdAccount, type Shared} from './account.ts'
import type {Transaction} from './database.ts'
import type {Lease} from './lease.ts'
import {namesOf, walkIn} from './store.ts'
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
  return isRecent(atMs, time) ? atMs : null
}

export function sharedResends({db, accountId}: Shared, witness: SharedWitness, lease: Lease): Resends {
  const names = namesOf(accountId)
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
    const {refusal} = await walkIn(tx, weighingResend(names, intent, time))
    if (refusal) return refusal
    const deliveredAtMs = held.isRecentlyRestored ? recentDelivery(intent, time) : null
    if (deliveredAtMs !== null)
      return {claimed: false, because: 'journal_restored', atMs: deliveredAtMs, by: null}
    const made = await tx.one(insertIntent(names, intent, time, {claim_token: token}))
    return {claimed: true, id: Number(made?.id), seen: await witness.record(tx, token, nowMs)}
  }
  const record: Resends['recordResendOutcome'] = (id, state, {sentAtMs, ...outcome}) =>
    db.write(async (tx) => {
      const {nowMs} = await holdAccount(tx, accountId)
      const update = sentAtMs === undefined ? outcome : {...outcome, sentAtMs: nowMs}
      await walkIn(tx, recordingResend(names, id, state, update, tx.isRepeat))
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
