import {bdtWord} from '../currency.ts'
import {type Dialect, readStatus} from '../dialect.ts'
import {isJsonObject, JsonNumber, type JsonValue} from '../json.ts'
import {formatTaka, type Paisa, parsePaisa} from '../money.ts'
import type {ServiceOrder} from '../order.ts'
import {amountOfPayload, readPayload} from '../payload.ts'
import {maskPhones} from '../personal.ts'
import {escapeInvisible} from '../text.ts'
import type {Finding} from './finding.ts'
import type {Judged} from './verdict.ts'

/**
 * The amount of a delivered webhook; null if it has no readable one or is about another order. Only the amount and
 * the service's id are documented (service §6), so nothing else is used.
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

/**
 * Why a webhook must not be sent again, as a sentence, or null: it is about another order, or would credit another
 * amount than the service has. Its shape is not documented, so nested objects are searched too, and the fields
 * nearest to the top count. If the service states no amount, the ledger's counts.
 */
export function whyAnotherWebhook(
  payload: JsonValue | undefined,
  order: Omit<ServiceOrder, 'rawStatus'>,
  dialect: Dialect,
  ours: Paisa | null = null,
): string | null {
  const {response} = dialect
  const body = readPayload(payload)
  const numbers = nearest(body, [...response.orderNo, 'merchant_order_id']).flatMap(textOf)
  const ids = nearest(body, [response.platformOrderNo]).flatMap(textOf)
  const other =
    numbers.find((number) => number !== order.orderNo) ?? ids.find((id) => id !== order.platformOrderNo)
  if (other !== undefined) {
    return `Not sent: the webhook is about the order ${escapeInvisible(other, 80)}. Ask the service whose payment it is.`
  }
  const word = nearest(body, [response.status]).flatMap(textOf)[0] ?? ''
  const state = readStatus(dialect, order.kind, word)
  if (state !== 'unknown_status' && state !== order.status) {
    return `Not sent: the webhook has the status "${escapeInvisible(word, 60)}", but the service has the order as ${order.status}. Ask the service which is right.`
  }
  return whyAnotherPlayer(payload, order) ?? whyAnotherAmount(body, order, response.amount, ours)
}

/** The merchant's server would credit whom the webhook names. */
export function whyAnotherPlayer(
  payload: JsonValue | undefined,
  {playerRef}: Pick<ServiceOrder, 'playerRef'>,
): string | null {
  const named = nearest(readPayload(payload), ['playerRef']).flatMap(textOf)
  const other = playerRef === undefined ? undefined : named.find((one) => one !== playerRef)
  if (other === undefined) return null
  return `Not sent: the webhook is for the player ${escapeInvisible(maskPhones(other), 80)}, but the service has the player ${escapeInvisible(maskPhones(playerRef ?? ''), 80)}. Ask the service whose payment it is.`
}

/** Whether a webhook may be of an order whose number it need not state: it names no other one, and no other amount. */
export function mayBeWebhookOf(
  payload: JsonValue | undefined,
  order: Pick<ServiceOrder, 'amount'>,
  {response}: Dialect,
  names: (number: string) => boolean,
): boolean {
  const body = readPayload(payload)
  const numbers = nearest(body, [...response.orderNo, 'merchant_order_id']).flatMap(textOf)
  if (numbers.length > 0 && !numbers.some(names)) return false
  return whyAnotherAmount(body, order, response.amount, null) === null
}

/** An unreadable amount may be any amount. */
function whyAnotherAmount(
  body: JsonValue | undefined,
  order: Pick<ServiceOrder, 'amount'>,
  name: string,
  ours: Paisa | null,
): string | null {
  const known = order.amount ?? ours
  const named = nearest(body, [name])
  const stated = (named.length > 0 ? named : nearest(body, /amount$/i)).map((value) => ({
    value,
    amount: textOf(value).map(plainAmount).map(parsePaisa)[0] ?? null,
  }))
  const [first] = stated
  if (first === undefined || known === null || stated.some(({amount}) => amount === known)) return null
  const says =
    first.amount === null
      ? `an amount that cannot be read (${escapeInvisible(textOf(first.value)[0] ?? 'no number', 40)})`
      : `BDT ${formatTaka(first.amount)}`
  const who = order.amount === null ? 'your ledger has' : 'the service now has'
  return `Not sent: the webhook has ${says}, but ${who} BDT ${formatTaka(known)}. Ask the service which amount was paid.`
}

const aroundAmount = new RegExp(String.raw`^${bdtWord}\s*|\s*${bdtWord}$`, 'giu')

/** As people write it: with a currency and commas by thousands or by lakh. */
function plainAmount(text: string): string {
  const plain = text.trim().replace(aroundAmount, '')
  return /^\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d{1,2})?$/.test(plain) ? plain.replaceAll(',', '') : plain
}

/** The values with these names in the objects nearest to the top that have one. */
function nearest(body: JsonValue | undefined, names: readonly string[] | RegExp): JsonValue[] {
  const isNamed = (name: string) => (names instanceof RegExp ? names.test(name) : names.includes(name))
  let level = [body]
  while (level.length > 0) {
    level = level.map(readPayload)
    const objects = level.filter((value) => isJsonObject(value))
    const found = objects.flatMap((fields) =>
      Object.entries(fields).flatMap(([name, value]) =>
        isNamed(name) && value !== null && value !== '' ? [value] : [],
      ),
    )
    if (found.length > 0) return found
    level = level.flatMap((value) =>
      Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [],
    )
  }
  return []
}

function textOf(value: JsonValue | undefined): string[] {
  if (value instanceof JsonNumber) return [value.source]
  return typeof value === 'string' && value !== '' ? [value] : []
}

/** Whether the delivered payload would decide something about this finding; it is fetched for no other. */
export function isDecidedByPayload(
  {verdict, cause, ledger, service, snapshot}: Finding,
  hasLedgerAmounts: boolean,
): boolean {
  // An earlier run read it.
  if (snapshot !== undefined) return false
  if (verdict === 'amount_mismatch') return cause !== 'sent_amount_differs'
  if (cause === 'delivered_not_booked' || cause === 'delivered') return service?.amount != null
  if (verdict !== 'matched' || ledger?.status !== 'completed' || service?.status !== 'completed') return false
  return service.amount === null ? ledger.amount !== null : ledger.amount === null && hasLedgerAmounts
}

/** Three-way match: compares the webhook's amount with the ledger and the service. */
export function judgeByDelivered(
  {verdict, ledger, service}: Finding,
  delivered: Paisa,
): Judged<'amount_mismatch' | 'missing_completion' | 'missing_in_ledger'> | null {
  const ours = ledger?.amount ?? null
  const theirs = service?.amount ?? null
  const isBooked = ours === null || ours === delivered
  const isTheirs = theirs === null || theirs === delivered
  if (verdict === 'missing_completion' || verdict === 'missing_in_ledger') {
    return isTheirs ? null : {verdict, cause: 'delivered_amount_differs'}
  }
  if (isBooked && isTheirs) return null
  if (isTheirs) return {verdict: 'amount_mismatch', cause: 'booked_amount_differs'}
  return {verdict: 'amount_mismatch', cause: isBooked ? 'delivered_amount_differs' : 'all_amounts_differ'}
}
