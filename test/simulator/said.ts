import type {Try} from './network.ts'
import type {Reply} from './service.ts'
import {stateIn, type Tongue} from './tongue.ts'
import {keyOf, type State} from './world.ts'

/** What an answer to a query said, read from its text; null where there is no such order. */
export interface SaidOrder {
  readonly word: string
  /** What the word means by the profile (A3); null: nothing that can be relied on. */
  readonly state: State | null
  readonly platformNo: string
  /** `500.00`, or null where the answer states none. */
  readonly amount: string | null
}

/** A record as an answer showed it. */
export interface SaidRecord {
  readonly id: string
  readonly orderId: string
  readonly orderNo: string
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
    const order = readBy(made.told, reply)
    if (order !== undefined) said.set(keyOf(request.kind, request.subject), order)
  }
  return said
}

/** As the profile reads it; undefined: it says nothing that a profile like this understands. */
function readBy(told: Tongue, {status, body}: Reply): SaidOrder | null | undefined {
  const {absence, fields} = told
  const {code, data} = JSON.parse(body) as {code: unknown; data?: Readonly<Record<string, unknown>>}
  if (code === absence.code || (status === absence.status && status >= 400)) return null
  const [number, platformNo, word] = [fields.orderNo, fields.platformNo, fields.status].map(
    (name) => data?.[name],
  )
  if (status !== 200 || typeof number !== 'string') return undefined
  if (typeof platformNo !== 'string' || typeof word !== 'string') return undefined
  const amount = new RegExp(`"${fields.amount}":"?(\\d+\\.\\d\\d)`).exec(body)?.[1] ?? null
  return {word, platformNo, amount, state: stateIn(told, word)}
}

/** The records one believable answer showed: a page of the list, or one by its id. */
export function saidRecords(made: Try): SaidRecord[] {
  const {request, reply} = made
  // A page that lies of the others shows its own records all the same.
  if (!made.isHeard || made.hears !== 'yes' || reply?.status !== 200) return []
  if (request.name !== 'list' && request.name !== 'get') return []
  const {data} = JSON.parse(reply.body) as {data: Record<string, unknown>}
  const shown = request.name === 'get' ? [data] : (data.data as Record<string, unknown>[])
  return shown.map((record) => recordIn(record, made.told))
}

function recordIn(shown: Record<string, unknown>, {fields}: Tongue): SaidRecord {
  const time = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : null)
  const payload = shown.payload as Readonly<Record<string, string>> | undefined
  return {
    ...{
      id: String(shown.id),
      orderId: String(shown.order_id),
      orderNo: String(shown.merchant_order_id),
      event: String(shown.event),
    },
    ...{status: String(shown.status), attempts: Number(shown.attempts)},
    ...{nextRetryMs: time(shown.next_retry_at), sentMs: time(shown.sent_at)},
    ...{createdMs: time(shown.created_at) ?? 0, pays: payload?.[fields.amount] || null},
  }
}
