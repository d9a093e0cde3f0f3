import type {ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import {formatTaka} from '../../core/money.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import {askQuietly} from './confirm.ts'
import {statusShown} from './doubts.ts'

/**
 * Why a payout may be paid twice, as sentences: it had failed when another was sent in its place, or took the place of such a
 * one, and now neither has failed. Null if nothing says so, and where a person has closed the item about it.
 */
export type WhyPaidTwice = (
  order: Pick<ServiceOrder, 'kind' | 'orderNo' | 'status' | 'amount'>,
  /** Whether another payout is examined too: then the failed one has the item. */
  isExamined?: (orderNo: string) => boolean,
) => Promise<string | null>

export function paidTwiceBy(
  journal: Pick<
    Journal,
    | 'replacedPayouts'
    | 'findingsOf'
    | 'findRequest'
    | 'fingerprint'
    | 'numberWithPlatformOrder'
    | 'recordLook'
  >,
  client: Pick<ServiceClient, 'queryOrder'>,
): WhyPaidTwice {
  let reading: ReturnType<Journal['replacedPayouts']> | undefined
  const statusOf = async (orderNo: string, isAnew: boolean) => {
    const row = isAnew ? await journal.findRequest('payout', orderNo) : null
    if (row) return (await statusShown(row, client, journal)) ?? 'unknown_status'
    const answer = await askQuietly(client, 'payout', orderNo)
    return answer instanceof Failure || !answer.found ? 'failed' : answer.order.status
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
      const [was, is] = [failed === orderNo ? status : its, failed === orderNo ? its : status].map(wordOf)
      const money = amount === null ? 'unknown' : formatTaka(amount)
      return `${one} had failed, and ${two} was sent in its place, BDT ${money}. Now the service has ${one} as ${was}, and ${two} is ${is}. The player may have the money twice.`
    }
    return null
  }
}

function wordOf(status: ServiceOrder['status']): string {
  return status === 'unknown_status' ? 'not known to have failed' : status
}
