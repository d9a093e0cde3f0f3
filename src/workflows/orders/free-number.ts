import type {OrderAnswer, PreparedRequest, ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import {formatTaka} from '../../core/money.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import type {NumberClaim} from '../../journal/rows.ts'
import {askQuietly} from './confirm.ts'
import {isUnreachable} from './create-doubt.ts'
import {queryCommand, resolveCommand} from './doubt-commands.ts'
import {echoOfRequest} from './echo.ts'
import {numberOf} from './first-sent.ts'

interface AskPorts {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<Journal, 'claimNumber'>
  readonly profileName: string
  readonly now: () => number
}

/** What the journal keeps of a create besides its number. */
export type CreateDetails = Pick<NumberClaim, 'amount' | 'channel' | 'maskedAccount' | 'payeeFingerprint'>

/**
 * Asks for a number this journal has never sent (P2): one that the service knows belongs to an older order, however
 * equal it looks. False where the service does not say (A5): the number may be sent, and what comes of it is confirmed
 * only by what tells it from an older order.
 */
export async function isAbsent(
  prepared: PreparedRequest,
  asked: CreateDetails,
  ports: AskPorts,
): Promise<boolean> {
  const {kind, orderNo} = prepared
  const {client, profileName} = ports
  const answer = await askQuietly(client, kind, orderNo)
  if (answer instanceof Failure) {
    if (isUnreachable(answer)) throw answer
    return false
  }
  if (!answer.found) return true
  const {rawStatus, amount} = answer.order
  const shown = `${escapeInvisible(rawStatus, 40)}${amount === null ? '' : `, BDT ${formatTaka(amount)}`}`
  const query = queryCommand(kind, orderNo, profileName)
  if (mayBeThisVeryOne(answer, prepared, asked)) {
    keepFound(answer, prepared, asked, ports)
    throw new Failure(
      'number_reused',
      `The service has this very ${kind} already: ${escapeInvisible(orderNo, 80)} (${shown}), equal to what was asked, and nothing says that this journal made it. Nothing was sent. It counts as in doubt from now on.`,
      `See it with \`${query}\`. Do not pay it under another number before the service says that it is an older one. Then end the doubt: \`${resolveCommand(kind, orderNo, profileName)}\`.`,
    )
  }
  throw new Failure(
    'number_reused',
    `The service already knows the ${kind} number ${escapeInvisible(orderNo, 80)} (${shown}), and nothing says that this journal made it. Nothing was sent.`,
    `See the old one with \`${query}\`. If it is another ${kind}, give this one a new number.`,
  )
}

/** Whether what the service has under the number is shown as it was asked, by its amount or its payee. */
function mayBeThisVeryOne(
  {order, raw}: OrderAnswer & {readonly found: true},
  prepared: PreparedRequest,
  {amount}: CreateDetails,
): boolean {
  const {differs, identifies} = echoOfRequest(prepared)(raw)
  if (amount === null || differs !== null) return false
  return order.amount === null ? identifies : order.amount === amount
}

/**
 * Keeps a payout that was made from elsewhere, as one with a lost journal was: the guard and the ceiling count it as they
 * count what is in doubt, until a person says what it is.
 */
function keepFound(
  {order: {platformOrderNo}}: OrderAnswer & {readonly found: true},
  prepared: PreparedRequest,
  asked: CreateDetails,
  {journal, now}: AskPorts,
): void {
  const why = `the service had it before this journal sent it: it is this very ${prepared.kind}, made from elsewhere, or an older one`
  journal.claimNumber({
    ...{...numberOf(prepared), ...asked},
    ...{absentBefore: false, intentAtMs: now(), madeElsewhere: {platformOrderNo, why}},
  })
}
