import type {ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import {formatTaka, type Paisa, sumPaisa} from '../../core/money.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import {isAsSent} from './as-sent.ts'
import {askQuietly} from './confirm.ts'
import {statusShown} from './doubts.ts'
import {type PlacesJournal, type PlaceTaken, placesOf} from './places-taken.ts'

/**
 * Why a payout may be paid twice: it had failed, or counted as not paid, when another was sent in its place, or took the place of
 * such a one, and now neither has failed. Null if nothing says so, and where a person has closed the item about it.
 */
export type WhyPaidTwice = (
  order: Pick<ServiceOrder, 'kind' | 'orderNo' | 'status' | 'amount'>,
  /** Whether another payout is examined too: then the failed one has the item. */
  isExamined?: (orderNo: string) => boolean,
) => Promise<PaidTwice | null>

/** As sentences. `isKnown` is false where the service gives no answer for the failed one now. */
export interface PaidTwice {
  readonly why: string
  readonly isKnown: boolean
}

export type PaidTwiceJournal = Pick<
  Journal,
  | 'replacedPayouts'
  | 'payoutsOfPayee'
  | 'findingsOf'
  | 'findRequest'
  | 'fingerprint'
  | 'numberWithPlatformOrder'
  | 'recordLook'
>

type Status = ServiceOrder['status'] | null

export function paidTwiceBy(
  journal: PaidTwiceJournal,
  client: Pick<ServiceClient, 'queryOrder'>,
): WhyPaidTwice {
  let reading: ReturnType<Journal['replacedPayouts']> | undefined
  const statusOf = async (orderNo: string, isAnew: boolean): Promise<Status> => {
    const row = await journal.findRequest('payout', orderNo)
    if (row && isAnew) return (await statusShown(row, client, journal)) ?? 'unknown_status'
    const answer = await askQuietly(client, 'payout', orderNo)
    if (answer instanceof Failure) return null
    if (!answer.found) return row?.isDeclaredMade ? 'completed' : 'failed'
    // An older order may have the number of one that was refused.
    const isOther = row?.state === 'refused' && !isAsSent(row, answer, journal)
    return isOther ? 'failed' : answer.order.status
  }
  return async ({kind, orderNo, status, amount}, isExamined = () => false) => {
    if (kind !== 'payout' || status === 'failed') return null
    reading ??= journal.replacedPayouts()
    const places = await placesOf(orderNo, await reading, journal)
    const own = places.length === 0 ? null : await journal.findRequest('payout', orderNo)
    for (const place of places) {
      const {failed, anew} = place
      if ((failed !== orderNo && isExamined(failed)) || (await isPairClosed([failed, ...anew], journal)))
        continue
      const statuses = new Map<string, Status>(own?.state === 'refused' ? [] : [[orderNo, status]])
      for (const number of [failed, ...anew]) {
        if (!statuses.has(number)) statuses.set(number, await statusOf(number, number !== failed))
        if (statuses.get(number) === 'failed') break
      }
      if ([...statuses.values()].includes('failed')) continue
      const rows = await Promise.all(anew.map((number) => journal.findRequest('payout', number)))
      const paid = rows.map((row) => row?.amount ?? amount)
      return told(place, await hadFailed(failed, journal), statuses, paid)
    }
    return null
  }
}

/** What its first state was, in words. */
async function hadFailed(failed: string, journal: Pick<Journal, 'findRequest'>): Promise<string> {
  const row = await journal.findRequest('payout', failed)
  return row?.wasRefused ? 'counted as not paid' : 'had failed'
}

function told(
  {failed, anew}: PlaceTaken,
  was: string,
  statuses: ReadonlyMap<string, Status>,
  paid: readonly (Paisa | null)[],
) {
  const shown = (number: string) => escapeInvisible(number, 80)
  const taka = paid.some((amount) => amount === null)
    ? 'unknown'
    : formatTaka(sumPaisa(paid.map((amount) => amount ?? 0n)))
  const sent = `${shown(failed)} ${was}, and ${anew.map(shown).join(' and ')} ${wereSent(anew)} in its place, BDT ${taka}.`
  const is = statuses.get(failed)
  if (is == null) {
    const why = `${sent} The service gives no answer for ${shown(failed)} now, so it is unknown whether the player has the money twice.`
    return {why, isKnown: false}
  }
  const are = anew.map((number) => `${shown(number)} is ${wordOf(statuses.get(number) ?? 'unknown_status')}`)
  const now = `Now the service has ${shown(failed)} as ${wordOf(is)}, and ${are.join(', and ')}. The player may have the money twice.`
  return {why: `${sent} ${now}`, isKnown: true}
}

function wereSent(anew: readonly string[]): string {
  return anew.length === 1 ? 'was sent' : 'were sent'
}

/** Whether a person closed the item about one of these payouts. */
export async function isPairClosed(
  numbers: readonly string[],
  journal: Pick<Journal, 'findingsOf'>,
): Promise<boolean> {
  const items = await journal.findingsOf(numbers.map((orderNo) => ({kind: 'payout', orderNo})))
  return items.some(({cause, closedMs}) => cause === 'paid_after_all' && closedMs !== null)
}

/** A sentence for each pair that a run found, and that nobody has closed since. */
export async function openPairNotes(
  journal: PlacesJournal & Pick<Journal, 'findingsOf' | 'payoutsBesideFailed'>,
): Promise<string[]> {
  const recorded = await journal.replacedPayouts()
  const numbers = [
    ...recorded.flatMap(({failed, anew}) => [failed, anew]),
    ...(await journal.payoutsBesideFailed()),
  ]
  const asked = [...new Set(numbers)].map((orderNo) => ({kind: 'payout', orderNo}) as const)
  const items = await journal.findingsOf(asked)
  const notes = new Set<string>()
  for (const {orderNo, cause, closedMs} of items) {
    if (cause !== 'paid_after_all' || closedMs !== null) continue
    for (const {failed, anew} of await placesOf(orderNo, recorded, journal)) {
      const [one, ...others] = [failed, ...anew].map((number) => quoteForShell(escapeInvisible(number, 80)))
      notes.add(
        `warning: ${one} ${await hadFailed(failed, journal)}, and ${others.join(' and ')} ${wereSent(anew)} in its place. A run found that neither has failed: hisab payout query ${[one, ...others].join(' ')}`,
      )
    }
  }
  return [...notes]
}

export function paidTwiceNote({why, isKnown}: PaidTwice): string {
  return `warning: ${why} ${isKnown ? 'Look in your books.' : 'Query both again later.'}`
}

function wordOf(status: ServiceOrder['status']): string {
  return status === 'unknown_status' ? 'not known to have failed' : status
}
