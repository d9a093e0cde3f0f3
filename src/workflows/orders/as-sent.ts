import type {OrderAnswer} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {isJsonObject, type JsonValue} from '../../core/json.ts'
import type {Paisa} from '../../core/money.ts'
import type {OrderKind} from '../../core/order.ts'
import {amountOfPayload, readPayload} from '../../core/payload.ts'
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

/** Whether nothing that the service shows of a found order is otherwise than it was sent. */
export function isAsSent(
  row: RequestRow,
  {order, raw}: FoundOrder,
  {fingerprint}: Pick<Journal, 'fingerprint'>,
): boolean {
  const isAmount = order.amount === null || row.amount === null || order.amount === row.amount
  return isAmount && echoOfRow(row, fingerprint)(raw).differs === null
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
