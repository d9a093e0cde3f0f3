import {hash} from 'node:crypto'

import {JsonNumber, type JsonObject, type JsonValue} from '../core/json.ts'
import {namesAnOrder, type OrderKind} from '../core/order.ts'
import {canonicalize} from '../core/signing/request.ts'
import type {Rules} from './rules.ts'

/** What a genuine webhook states (service §6). Texts are unchanged; null if absent. */
export interface Webhook {
  /** `platformOrderNo`, which identifies repetitions (service §6); without it, the order number and its name. */
  readonly orderId: string
  /** The event's name (service §2.3); if empty, the status takes its place. */
  readonly event: string
  readonly orderNo: string | null
  readonly status: string | null
  readonly amount: string | null
  readonly playerRef: string | null
  /** The body's fields as compact JSON without the signature, numbers as in their source (P20). */
  readonly content: string
  /**
   * Distinguishes contents, not spellings. Only of what the signature covers: anybody with a genuine body can change
   * the rest, such as a null.
   */
  readonly digest: string
}

/** Reads a genuine body. Null if it does not say which order it is about. */
export function readWebhook(body: JsonObject, {dialect}: Rules): Webhook | null {
  const {orderNo, platformOrderNo, status, amount} = dialect.response
  const named = orderNo.find((name) => body[name] !== undefined && body[name] !== null)
  const number = named === undefined ? null : textOf(body[named])
  // A deposit and a payout may share a number, so its name belongs to it.
  const platformId = textOf(body[platformOrderNo]) ?? ''
  const orderId = number && !namesAnOrder(platformId) ? `${named}=${number}` : platformId
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

/** Distinguishes the events of one order. */
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
