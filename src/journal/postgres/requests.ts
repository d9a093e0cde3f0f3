import {randomUUID} from 'node:crypto'

import {Failure} from '../../core/failure.ts'
import {statingCeiling} from '../ceiling.ts'
import {resolving} from '../doubts.ts'
import type {Journal} from '../interface.ts'
import {beingSent} from '../lock.ts'
import {sql} from '../query.ts'
import {claiming, recordingOutcome} from '../requests.ts'
import type {Claim, NumberClaim, PayoutGuard} from '../rows.ts'
import {clocks, type Held, holdAccount, type Shared} from './account.ts'
import type {Transaction} from './database.ts'
import type {Lease} from './lease.ts'
import {namesOf, walkIn} from './store.ts'
import {keepOrTakeBack, type Seen, type SharedWitness} from './witness.ts'

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
  const names = namesOf(accountId)
  const write = <T>(work: (tx: Transaction, held: Held) => Promise<T>) =>
    db.write(async (tx) => await work(tx, await holdAccount(tx, accountId)), 'repeat')
  const claimIn = async (
    tx: Transaction,
    asked: NumberClaim,
    guard: PayoutGuard | undefined,
    token: string,
  ): Promise<{claim: Claim; seen: Seen | null}> => {
    const {nowMs} = await witness.hold(tx)
    await lease.check(tx)
    const aheadMs = (asked.claimedAtMs ?? asked.intentAtMs) - asked.intentAtMs
    const timed = {...asked, intentAtMs: nowMs, claimedAtMs: nowMs + aheadMs}
    const kept = {claim_token: token, sending_until_ms: nowMs + sendingMaxMs, sent_by: sender}
    const claim = await walkIn(tx, claiming(names, timed, guard ?? null, kept))
    const isAnswered = !claim.fresh && claim.row.state === 'accepted'
    return {claim, seen: isAnswered ? null : await witness.record(tx, token, nowMs)}
  }
  const record: Requests['recordRequestOutcome'] = (id, state, outcome) =>
    write((tx, {nowMs}) =>
      walkIn(tx, recordingOutcome(names, id, state, {...outcome, outcomeAtMs: nowMs}, tx.isRepeat)),
    )
  return {
    async claimNumber(asked, guard) {
      let token = ''
      let claimed: Awaited<ReturnType<typeof claimIn>> | undefined
      let since = clocks()
      const work = async (tx: Transaction) => {
        // A token for each try: the one before may be recorded, and its number be claimed by another process since.
        token = randomUUID()
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
    stateCeiling: (stated) =>
      write(async (tx, {nowMs}) => {
        const {ceiling, isNew} = await walkIn(tx, statingCeiling(names, stated, nowMs))
        // An older copy lets more out than was allowed.
        if (isNew) await witness.record(tx, randomUUID(), nowMs)
        return ceiling
      }),
    recordRequestOutcome: record,
    resolveRequest: (request, resolution) =>
      write(async (tx, {nowMs}) => {
        const sending = await tx.one(
          sql`SELECT 1 FROM hisab.requests WHERE account_id = ${accountId} AND sending_until_ms > ${nowMs}`,
        )
        if (sending) throw beingSent(await accountNow(tx, accountId))
        await walkIn(tx, resolving(names, request, {...resolution, atMs: nowMs}))
      }),
  }
}

async function accountNow(tx: Transaction, id: number): Promise<{merchantId: string; environment: string}> {
  const row = await tx.one(sql`SELECT merchant_id, environment FROM hisab.account WHERE id = ${id}`)
  if (!row) throw new Failure('bug', 'The account has no row.', 'Please report this.')
  return {merchantId: String(row.merchant_id), environment: String(row.environment)}
}
