import {hash} from 'node:crypto'

import {JsonNumber, type JsonObject, type JsonValue} from '../core/json.ts'
import type {OrderKind} from '../core/order.ts'
import {canonicalize} from '../core/signing/request.ts'
import type {Rules} from './rules.ts'

/** What a genuine webhook states (service §6). Texts are as they were written; null where the body has none. */
export interface Webhook {
  /** `platformOrderNo`, by which repetitions are recognised (service §6); without it, the order number with its name. */
  readonly orderId: string
  /** The name of the event (service §2.3); empty where the body names none, and then the status takes its place. */
  readonly event: string
  readonly orderNo: string | null
  readonly status: string | null
  readonly amount: string | null
  readonly playerRef: string | null
  /** The body's fields as compact JSON, numbers by their source text, without the signature (P20). */
  readonly content: string
  /**
   * Tells two contents apart, and not two ways of writing one. Of what the signature covers: what it does not, as a
   * null, anybody who holds a genuine body can change.
   */
  readonly digest: string
}

/** Reads the fields of a genuine body. Null where it does not say which order it is about. */
export function readWebhook(body: JsonObject, {dialect}: Rules): Webhook | null {
  const {orderNo, platformOrderNo, status, amount} = dialect.response
  const named = orderNo.find((name) => body[name] !== undefined && body[name] !== null)
  const number = named === undefined ? null : textOf(body[named])
  // A deposit and a payout may have one number, so that its name belongs to it.
  const orderId = textOf(body[platformOrderNo]) || (number ? `${named}=${number}` : '')
  if (orderId === '') return null
  const isHmac = dialect.webhookSignature.scheme === 'hmac'
  const content = isHmac ? body : withoutSignature(body)
  const signed = isHmac ? sortedJson(body) : canonicalize(body, dialect.requestSignature).text
  return {
    orderId,
    event: textOf(body.event) ?? '',
    orderNo: number,
    status: textOf(body[status]),
    amount: textOf(body[amount]),
    playerRef: textOf(body.playerRef),
    content: JSON.stringify(content),
    digest: hash('sha256', signed, 'hex'),
  }
}

/** Only a deposit has a player (service §6). */
export function kindOf({playerRef}: Pick<Webhook, 'playerRef'>): OrderKind {
  return (playerRef ?? '') === '' ? 'payout' : 'deposit'
}

/** What tells the events of one order apart. */
export function eventKeyOf({event, status}: Pick<Webhook, 'event' | 'status'>): string {
  return event === '' ? (status ?? '') : event
}

function withoutSignature({signature: _, ...fields}: JsonObject): JsonObject {
  return fields
}

function textOf(value: JsonValue | undefined): string | null {
  if (value instanceof JsonNumber) return value.source
  return typeof value === 'string' ? value : null
}

function sortedJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object' || value instanceof JsonNumber) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${sortedJson(inner)}`).join()}}`
}
