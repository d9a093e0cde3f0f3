import type {Try} from './network.ts'
import {keyOf} from './world.ts'

/** What an answer to a query said, read from its text; null where there is no such order. */
export interface SaidOrder {
  readonly word: string
  readonly platformNo: string
  /** `500.00`, or null where the answer states none. */
  readonly amount: string | null
}

/** A record as an answer showed it. */
export interface SaidRecord {
  readonly id: string
  readonly orderId: string
  readonly event: string
  readonly status: string
  readonly attempts: number
  readonly nextRetryMs: number | null
  readonly sentMs: number | null
  readonly createdMs: number
  /** `500.00`; only where a single record was asked for. */
  readonly pays: string | null
}

/** Whether hisab got an answer to this try that it may believe. */
export function isBelievable({hears, fault, isHeard}: Try): boolean {
  return isHeard && hears === 'yes' && fault === null
}

/** The last believable answer to each order's query, in the tries of one process; null where it said "no such order". */
export function saidOrders(tries: readonly Try[]): Map<string, SaidOrder | null> {
  const said = new Map<string, SaidOrder | null>()
  for (const made of tries) {
    const {request, reply} = made
    if (request.name !== 'query' || !isBelievable(made) || !reply) continue
    said.set(keyOf(request.kind, request.subject), reply.status === 200 ? orderIn(reply.body) : null)
  }
  return said
}

function orderIn(body: string): SaidOrder {
  const {data} = JSON.parse(body) as {data: {status: string; platformOrderNo: string}}
  return {
    word: data.status,
    platformNo: data.platformOrderNo,
    amount: /"amount":"?(\d+\.\d\d)/.exec(body)?.[1] ?? null,
  }
}

/** The records one believable answer showed: a page of the list, or one by its id. */
export function saidRecords(made: Try): SaidRecord[] {
  const {request, reply} = made
  // A page that lies of the others shows its own records all the same.
  if (!made.isHeard || made.hears !== 'yes' || reply?.status !== 200) return []
  if (request.name !== 'list' && request.name !== 'get') return []
  const {data} = JSON.parse(reply.body) as {data: Record<string, unknown>}
  const shown = request.name === 'get' ? [data] : (data.data as Record<string, unknown>[])
  return shown.map(recordIn)
}

function recordIn(shown: Record<string, unknown>): SaidRecord {
  const time = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : null)
  const payload = shown.payload as {amount?: string} | undefined
  return {
    ...{id: String(shown.id), orderId: String(shown.order_id), event: String(shown.event)},
    ...{status: String(shown.status), attempts: Number(shown.attempts)},
    ...{nextRetryMs: time(shown.next_retry_at), sentMs: time(shown.sent_at)},
    ...{createdMs: time(shown.created_at) ?? 0, pays: payload?.amount || null},
  }
}
