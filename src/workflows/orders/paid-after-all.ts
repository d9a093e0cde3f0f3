import type {ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import {formatTaka} from '../../core/money.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import {askQuietly} from './confirm.ts'
import {statusShown} from './doubts.ts'

/**
 * Why a payout may be paid twice: it had failed when another was sent in its place, or took the place of such a
 * one, and now neither has failed. Null if nothing says so, and where a person has closed the item about it.
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
  'replacedPayouts' | 'findingsOf' | 'findRequest' | 'fingerprint' | 'numberWithPlatformOrder' | 'recordLook'
>

export function paidTwiceBy(
  journal: PaidTwiceJournal,
  client: Pick<ServiceClient, 'queryOrder'>,
): WhyPaidTwice {
  let reading: ReturnType<Journal['replacedPayouts']> | undefined
  const statusOf = async (orderNo: string, isAnew: boolean) => {
    const row = isAnew ? await journal.findRequest('payout', orderNo) : null
    if (row) return (await statusShown(row, client, journal)) ?? 'unknown_status'
    const answer = await askQuietly(client, 'payout', orderNo)
    return answer instanceof Failure ? null : answer.found ? answer.order.status : 'failed'
  }
  return async ({kind, orderNo, status, amount}, isExamined = () => false) => {
    if (kind !== 'payout' || status === 'failed') return null
    reading ??= journal.replacedPayouts()
    for (const {failed, anew} of await reading) {
      const other = failed === orderNo ? anew : failed
      if (failed !== orderNo && (anew !== orderNo || isExamined(failed))) continue
      const items = await journal.findingsOf([failed, anew].map((number) => ({kind, orderNo: number})))
      if (items.some(({cause, closedMs}) => cause === 'paid_after_all' && closedMs !== null)) continue
      const its = await statusOf(other, other === anew)
      if (its === 'failed') continue
      const [one, two] = [failed, anew].map((number) => escapeInvisible(number, 80))
      const paid = (await journal.findRequest('payout', anew))?.amount ?? amount
      const sent = `${one} had failed, and ${two} was sent in its place, BDT ${paid === null ? 'unknown' : formatTaka(paid)}.`
      if (its === null)
        return {
          why: `${sent} The service gives no answer for ${one} now, so it is unknown whether the player has the money twice.`,
          isKnown: false,
        }
      const [was, is] = [failed === orderNo ? status : its, failed === orderNo ? its : status].map(wordOf)
      const now = `Now the service has ${one} as ${was}, and ${two} is ${is}. The player may have the money twice.`
      return {why: `${sent} ${now}`, isKnown: true}
    }
    return null
  }
}

/** A sentence for each pair that a run found, and that nobody has closed since. */
export async function openPairNotes(
  journal: Pick<Journal, 'replacedPayouts' | 'findingsOf'>,
): Promise<string[]> {
  const notes: string[] = []
  for (const {failed, anew} of await journal.replacedPayouts()) {
    const items = await journal.findingsOf([failed, anew].map((orderNo) => ({kind: 'payout', orderNo})))
    const isOpen = items.some(({cause, closedMs}) => cause === 'paid_after_all' && closedMs === null)
    const [one, two] = [failed, anew].map((number) => quoteForShell(escapeInvisible(number, 80)))
    if (isOpen)
      notes.push(
        `warning: ${one} had failed, and ${two} was sent in its place. A run found that neither has failed: hisab payout query ${one} ${two}`,
      )
  }
  return notes
}

export function paidTwiceNote({why, isKnown}: PaidTwice): string {
  return `warning: ${why} ${isKnown ? 'Look in your books.' : 'Query both again later.'}`
}

function wordOf(status: ServiceOrder['status']): string {
  return status === 'unknown_status' ? 'not known to have failed' : status
}
