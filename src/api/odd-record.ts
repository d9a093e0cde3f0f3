import {createHash} from 'node:crypto'

import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts'
import {isUuid, type OddDelivery} from '../core/order.ts'
import {parseInstant} from '../core/time.ts'

/** One odd record does not take the others away: it is kept by what of it can be read. */
export function oddOf(value: unknown, at: number, why: string): OddDelivery {
  const raw = isJsonObject(value as JsonValue) ? (value as JsonObject) : {}
  const textOf = (name: string) => {
    const text = raw[name]
    return typeof text === 'string' && text !== '' ? text : null
  }
  const id = textOf('id')
  const createdAt = textOf('created_at')
  return {
    id: id !== null && isUuid(id) ? id : idOfContent(JSON.stringify(value)),
    orderId: textOf('order_id'),
    merchantOrderId: textOf('merchant_order_id'),
    event: textOf('event'),
    createdAt: createdAt !== null && parseInstant(createdAt) !== null ? createdAt : null,
    status: textOf('status'),
    ...{why, at},
  }
}

function idOfContent(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}
