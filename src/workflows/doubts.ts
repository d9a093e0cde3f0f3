import type {OrderAnswer, ServiceClient} from '../api/client.ts'
import {Failure} from '../core/failure.ts'
import type {OrderKind} from '../core/order.ts'
import {visible} from '../core/text.ts'
import type {Journal} from '../journal/journal.ts'
import {isInDoubt, type RequestRow} from '../journal/rows.ts'
import {askQuietly, type Confirmation, compareOrder, differsFromRow, lookOf} from './confirm-order.ts'
import {queryCommand, resolveCommand} from './doubt-commands.ts'

type DoubtJournal = Pick<Journal, 'findRequest' | 'settleRequest' | 'recordLook' | 'fingerprintPayee'>

/** A create nobody knows the outcome of, with the command that may end it. */
export interface OpenDoubt
  extends Pick<
    RequestRow,
    'kind' | 'orderNo' | 'state' | 'amount' | 'channel' | 'maskedAccount' | 'intentAtMs'
  > {
  readonly why: string
  readonly next: string
}

/** What is in doubt, oldest first: intents of a killed process, lost answers, and orders that look like older ones. */
export function openDoubts(journal: Pick<Journal, 'requestsInDoubt'>, profileName: string): OpenDoubt[] {
  return journal.requestsInDoubt().map((row) => {
    const {kind, orderNo, state, amount, channel, maskedAccount, intentAtMs} = row
    const command = state === 'accepted' ? resolveCommand : queryCommand
    const next = command(kind, orderNo, profileName)
    return {kind, orderNo, state, amount, channel, maskedAccount, intentAtMs, why: whyOf(row), next}
  })
}

function whyOf({state, confirmation, confirmationWhy, serviceCode}: RequestRow): string {
  if (confirmation === 'contradicted') return confirmationWhy ?? 'it looks like an older order'
  if (state === 'intent') return 'it was about to be sent, and how that ended was not written down'
  const said = serviceCode === null ? '' : `; the service said ${visible(serviceCode, 64)}`
  return `it was sent, and whether it was carried out is not known${said}`
}

/** How a query ended a doubt. */
export interface DoubtEnd {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly confirmation: Confirmation
}

/** A client whose queries end the doubts of the journal: an order that is found, and is the one sent, was accepted. */
export function endingDoubts(
  client: Pick<ServiceClient, 'queryOrder'>,
  journal: DoubtJournal,
  now: () => number,
  onEnd: (end: DoubtEnd) => void,
): Pick<ServiceClient, 'queryOrder'> {
  return {
    queryOrder: async (kind, orderNo) => {
      const answer = await client.queryOrder(kind, orderNo)
      const row = journal.findRequest(kind, orderNo)
      const confirmation = row && endDoubt(row, answer, journal, now)
      if (confirmation) onEnd({kind, orderNo, confirmation})
      return answer
    },
  }
}

/**
 * Takes down what an answer says of a create that was not known to be accepted, or not confirmed. A refusal that an
 * order contradicts was none. Null where it says nothing new.
 */
function endDoubt(
  row: RequestRow,
  answer: OrderAnswer,
  journal: DoubtJournal,
  now: () => number,
): Confirmation | null {
  const {id, kind, orderNo, amount, state, confirmation: before} = row
  if (!answer.found || (state === 'accepted' && before !== null && before !== 'unanswered')) return null
  const {platformOrderNo} = answer.order
  const differingField = differsFromRow(row, journal.fingerprintPayee)
  const asked = {kind, orderNo, platformOrderNo: row.platformOrderNo, amount, differingField}
  const confirmation = compareOrder(answer, asked, row, false)
  // What was refused, and whose number another order has now, stays refused.
  if (state === 'refused' && !confirmation.confirmed) return null
  if (state !== 'accepted') journal.settleRequest(id, 'accepted', {settledAtMs: now(), platformOrderNo})
  journal.recordLook(id, lookOf(confirmation, false))
  return confirmation
}

export interface ResolvePorts {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: DoubtJournal & Pick<Journal, 'resolveRequest'>
  readonly profileName: string
  readonly now: () => number
}

export interface PersonsWord {
  readonly happened: boolean
  readonly by: string
  readonly reason: string
}

/**
 * Ends a doubt by a person's word. Where the word is no, the service is asked once more: an order that it shows was
 * made, whatever a person says. Returned is why it could not be asked, or null.
 *
 * Throws `not_found` for a number the journal does not have, `usage` where it is not in doubt, `order_exists`.
 */
export async function resolveDoubt(
  kind: OrderKind,
  orderNo: string,
  word: PersonsWord,
  {client, journal, profileName, now}: ResolvePorts,
): Promise<string | null> {
  const number = visible(orderNo, 80)
  const row = journal.findRequest(kind, orderNo)
  const list = `See \`hisab ${kind} list --in-doubt\`.`
  if (!row) throw new Failure('not_found', `This journal never sent the ${kind} ${number}.`, list)
  if (!isInDoubt(row))
    throw new Failure('usage', `The ${kind} ${number} is not in doubt: it is ${row.state}.`, list)
  let unasked: string | null = null
  // An order that looks like an older one is there; what it is, is what the person says.
  if (!word.happened && row.state !== 'accepted') {
    const answer = await askQuietly(client, kind, orderNo)
    if (answer instanceof Failure) unasked = answer.clause
    else {
      const confirmation = endDoubt(row, answer, journal, now)
      const isAnother =
        confirmation?.confirmed === false && confirmation.because === 'contradicted' && confirmation.isAnother
      // The number is another order's: this one was not made, and that is written down.
      if (isAnother) return null
      if (confirmation) {
        throw new Failure(
          'order_exists',
          `The service shows the ${kind} ${number}, so it was made; it is accepted in the journal now.`,
          `See it with \`${queryCommand(kind, orderNo, profileName)}\`.`,
        )
      }
    }
  }
  journal.resolveRequest(row.id, {...word, atMs: now()})
  return unasked
}
