import type {Dialect} from '../dialect.ts'
import {isJsonObject, type JsonValue} from '../json.ts'
import type {Paisa} from '../money.ts'
import type {ServiceOrder} from '../order.ts'
import {amountOfPayload, readPayload} from '../payload.ts'
import type {Finding} from './finding.ts'
import type {AmountCause} from './verdict.ts'

/**
 * The amount a delivered webhook stated (document §6: it carries at least the amount and the platform's id), or null
 * where it states none that can be read, or is about another order. The rest of its shape is not documented, so that
 * only what is surely there is believed.
 */
export function deliveredAmount(
  payload: JsonValue | undefined,
  order: Pick<ServiceOrder, 'orderNo' | 'platformOrderNo'>,
  dialect: Dialect,
): Paisa | null {
  const body = readPayload(payload)
  if (!isJsonObject(body)) return null
  const {response} = dialect
  const numbers = response.orderNo.flatMap((name) => body[name] ?? [])
  const isAnother =
    (body[response.platformOrderNo] ?? order.platformOrderNo) !== order.platformOrderNo ||
    numbers.some((number) => number !== order.orderNo)
  return isAnother ? null : amountOfPayload(body, dialect)
}

/** Whether the payload that was delivered would settle something of this finding; it is fetched for no other. */
export function isSettledByPayload(
  {verdict, cause, ledger, service}: Finding,
  hasLedgerAmounts: boolean,
): boolean {
  if (verdict === 'amount_mismatch') return true
  if (cause === 'delivered_not_booked') return service?.amount != null
  if (verdict !== 'matched' || ledger?.status !== 'completed' || service?.status !== 'completed') return false
  return service.amount === null ? ledger.amount !== null : ledger.amount === null && hasLedgerAmounts
}

/** What the amount that was delivered makes of a finding: the third leg beside the ledger and the service's word of now. */
export function causeByDelivered({verdict, ledger, service}: Finding, delivered: Paisa): AmountCause | null {
  const ours = ledger?.amount ?? null
  const theirs = service?.amount ?? null
  const isBooked = ours === null || ours === delivered
  const isTheirs = theirs === null || theirs === delivered
  if (verdict === 'matched' || verdict === 'amount_mismatch') {
    if (isBooked && isTheirs) return null
    if (isTheirs) return 'booked_amount_differs'
    return isBooked ? 'delivered_amount_differs' : 'all_amounts_differ'
  }
  return isTheirs ? null : 'delivered_amount_differs'
}
