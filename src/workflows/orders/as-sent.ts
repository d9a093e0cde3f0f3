import type {OrderAnswer} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {isJsonObject, type JsonValue} from '../../core/json.ts'
import type {Paisa} from '../../core/money.ts'
import type {OrderKind} from '../../core/order.ts'
import {amountOfPayload, readPayload} from '../../core/payload.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {otherAmount} from './confirm.ts'
import {echoOfRow} from './echo.ts'

export type FoundOrder = Extract<OrderAnswer, {found: true}>

/** What a found order has otherwise than this machine sent, unless a person recorded the order as made with that. */
export function otherThanSent(
  row: RequestRow,
  {order, raw}: FoundOrder,
  journal: Pick<Journal, 'fingerprint'>,
): {readonly differs: string | null; readonly sentAmount: Paisa | null} {
  const isKnown = (why: string) => row.isDeclaredMade && row.confirmationWhy?.startsWith(why)
  const {differs} = echoOfRow(row, journal.fingerprint)(raw)
  const isOther = row.amount !== null && order.amount !== null && row.amount !== order.amount
  return {
    differs:
      differs === null || isKnown(`the service shows another ${differs} `)
        ? null
        : `the service shows another ${differs} than this machine sent`,
    sentAmount: isOther && !isKnown(otherAmount(order.amount, row.amount)) ? row.amount : null,
  }
}

/**
 * Why neither the service's order nor its webhook is what this machine sent under its number, as a clause; null if nothing
 * differs. The webhook counts where the service shows less.
 */
export async function whyNotAsSent(
  kind: OrderKind,
  answer: FoundOrder,
  payload: JsonValue | undefined,
  journal: Pick<Journal, 'findRequest' | 'fingerprint'>,
  dialect?: Dialect,
): Promise<string | null> {
  const {orderNo, amount} = answer.order
  const row = await journal.findRequest(kind, orderNo)
  if (!row || row.state === 'refused') return null
  const {differs, sentAmount} = otherThanSent(row, answer, journal)
  if (differs !== null) return differs
  if (sentAmount !== null && amount !== null) return otherAmount(amount, sentAmount)
  const body = readPayload(payload)
  if (row.isDeclaredMade || !isJsonObject(body)) return null
  const read = echoOfRow(row, journal.fingerprint)
  const other = [body, body.data].flatMap((fields) =>
    isJsonObject(fields) ? (read(fields).differs ?? []) : [],
  )[0]
  if (other !== undefined) return `the webhook has another ${other} than this machine sent`
  const named = dialect ? amountOfPayload(body, dialect) : null
  if (row.amount === null || named === null || named === row.amount) return null
  return `the webhook has another amount than this machine sent`
}

/**
 * Why the money of a failed payout may not be given back, as a clause: a person said that it was paid, or another payout may
 * have taken its place. `failedAt`: when the service made the record of its failure.
 */
export function keptBack(
  journal: Pick<Journal, 'findRequest' | 'listRequests' | 'fingerprint'>,
): (answer: FoundOrder, failedAt: string) => Promise<string | null> {
  let reading: Promise<readonly RequestRow[]> | undefined
  return async ({order, raw}, failedAt) => {
    const {kind, orderNo, amount} = order
    if (kind !== 'payout') return null
    const row = await journal.findRequest(kind, orderNo)
    if (row?.isDeclaredMade) return 'a person recorded it as made'
    reading ??= journal.listRequests('payout', Number.MAX_SAFE_INTEGER)
    const sinceMs = row?.intentAtMs ?? (parseInstant(failedAt) ?? 0) - madeBeforeMs
    const isSame = (other: RequestRow) =>
      other.amount === amount &&
      raw.account !== undefined &&
      echoOfRow(other, journal.fingerprint)(raw).differs === null
    const other = (await reading).find(
      (one) =>
        one.state !== 'refused' &&
        one.orderNo !== orderNo &&
        (one.repeatsAllowed.includes(orderNo) ||
          isNumberWithMark(one.orderNo, orderNo) ||
          (one.claimedAtMs > sinceMs && isSame(one))),
    )
    return other ? `it may have been paid anew as ${escapeInvisible(other.orderNo, 80)}` : null
  }
}

/** A payout that this machine did not send was made at most so long before it failed. */
const madeBeforeMs = 72 * 60 * 60_000

/** `W-501-2` and `W-501R` of `W-501`, but not `W-5012`. */
function isNumberWithMark(text: string, orderNo: string): boolean {
  return text.startsWith(orderNo) && /^[^\p{N}]/u.test(text.slice(orderNo.length))
}
