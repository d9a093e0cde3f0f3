import type {ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import type {OrderKind} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import {isInDoubt, type RequestRow} from '../../journal/rows.ts'
import {askQuietly} from './confirm.ts'
import {queryCommand, resolveWords} from './doubt-commands.ts'
import {type DoubtJournal, droppedDoubts, droppedNote, endDoubt} from './doubts.ts'
import {inPlaceOf} from './places-taken.ts'

export interface ResolvePorts {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: DoubtJournal &
    Pick<Journal, 'resolveRequest' | 'requestsInDoubt' | 'trace' | 'payoutsOfPayee' | 'recordSeenFailed'>
  readonly profileName: string
  readonly now: () => number
}

export interface Resolution {
  readonly happened: boolean
  readonly by: string
  readonly reason: string
  /** Index of a row that a merge did not keep; null for the row that was kept. */
  readonly dropped: number | null
}

export interface ResolvedBy {
  /** About the service's answer and the number's other doubts, or null. */
  readonly remark: string | null
  /** The service was asked and gave no answer. */
  readonly isUnanswered: boolean
}

/**
 * Ends a doubt by a person's statement, or takes the opposite statement back; nothing is sent. Before "not made" the
 * service is asked once more: an order that it shows was made. Without an answer the person's word counts as well.
 *
 * Throws `not_found` if the journal does not have the number, `usage` if it is not in doubt, `order_exists`.
 */
export async function resolveDoubt(
  kind: OrderKind,
  orderNo: string,
  word: Resolution,
  {client, journal, profileName, now}: ResolvePorts,
): Promise<ResolvedBy> {
  const number = escapeInvisible(orderNo, 80)
  const {dropped, ...said} = word
  const row =
    dropped === null
      ? await journal.findRequest(kind, orderNo)
      : (await journal.trace(orderNo)).requests.find(
          (one) => one.kind === kind && one.orderNo === orderNo && one.id === -dropped,
        )
  const others = dropped === null ? await droppedDoubts(journal)(kind, orderNo) : []
  const list = [
    ...others.map((one) => droppedNote(one, profileName)),
    `To list doubts, run \`hisab ${kind} list --in-doubt\`.`,
  ].join(' ')
  if (!row)
    throw new Failure(
      'not_found',
      `The journal has no ${kind} ${number}${dropped === null ? '' : ` with --dropped ${dropped}`}.`,
      list,
    )
  // A person may be mistaken, so a state that only a person decided can be taken back.
  const {state, isDeclaredMade} = row
  const isTakenBack = word.happened ? state === 'refused' : state === 'accepted' && isDeclaredMade
  if (!isInDoubt(row) && !isTakenBack)
    throw new Failure('usage', `The ${kind} ${number} is not in doubt: ${standingOf(row)}.`, list)
  let remark: string | null = null
  let isUnanswered = false
  // An order that is shown with other values exists; the person decides what it is.
  if (!word.happened && !(state === 'accepted' && isInDoubt(row))) {
    const answer = await askQuietly(client, kind, orderNo)
    isUnanswered = answer instanceof Failure
    if (answer instanceof Failure) {
      const query = queryCommand(kind, orderNo, profileName)
      remark = `the service could not be asked: ${answer.clause}. Query it before it is ${kind === 'payout' ? 'paid' : 'made'} under another number: \`${query}\``
    } else if (!answer.found)
      remark =
        'the service does not find it now, which does not prove that it was not made: a request may arrive late, and a gateway that lost its route says the same'
    else {
      const confirmation = await endDoubt(row, answer, journal, now)
      const isContradicted = confirmation?.confirmed === false && confirmation.because === 'contradicted'
      if (isContradicted && isTakenBack) {
        // A person decided about it before, so the journal keeps no doubt that a second run could end.
        remark = `the service shows a ${kind} under ${number}: ${confirmation.why}`
      } else if (confirmation) {
        throw new Failure(
          'order_exists',
          isContradicted
            ? `The service shows a ${kind} under ${number}: ${confirmation.why}. It stays in doubt.`
            : `The service shows the ${kind} ${number}, so it exists. The journal now has it as accepted.`,
          `See it with \`${queryCommand(kind, orderNo, profileName)}\`.${isContradicted ? ' If it is another one, run the same command again.' : ''}`,
        )
      }
    }
  }
  // Another that was sent in its place meanwhile is a second payment, which the journal could not tell once it is accepted.
  const isTakenUp = kind === 'payout' && state === 'refused' && dropped === null
  const isPaidTwice = isTakenUp && (await inPlaceOf(row, journal)).length > 0
  if (isPaidTwice && row.seenFailedMs !== null) await journal.recordSeenFailed(orderNo, row.seenFailedMs)
  try {
    await journal.resolveRequest(row, {...said, atMs: now()})
  } catch (error) {
    const isNoDoubt = error instanceof Failure && error.code === 'usage' && state === 'refused'
    if (!isNoDoubt) throw error
    // Only a person's word can be taken back by another.
    throw new Failure('usage', `The ${kind} ${number} is not in doubt: the service refused it.`, list)
  }
  const left = others.map((one) => droppedNote(one, profileName))
  const remarks = [...(remark === null ? [] : [remark]), ...left]
  return {remark: remarks.length === 0 ? null : remarks.join(' '), isUnanswered}
}

/** What the journal knows of an order that is not in doubt, as a clause. */
function standingOf({kind, state, seenFailedMs, isDeclaredNotMade}: RequestRow): string {
  if (isDeclaredNotMade) return `it is recorded as ${resolveWords[kind].no.replace('-', ' ')}`
  if (state === 'refused') return 'the service refused it'
  if (state !== 'accepted' || seenFailedMs === null) return `it is ${state}`
  return `it was accepted, and counted as failed first at ${formatMinute(seenFailedMs, 'UTC')} UTC`
}
