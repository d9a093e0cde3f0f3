import type {
  CallCounts,
  DeliveryFilter,
  DeliveryPage,
  OrderAnswer,
  QuotedDelivery,
  ResendAnswer,
} from '../../src/api/client.ts'
import {Failure} from '../../src/core/failure.ts'
import type {JsonValue} from '../../src/core/json.ts'
import type {Delivery, OrderKind, ServiceOrder} from '../../src/core/order.ts'
import {orderKey} from '../../src/core/reconcile/orders.ts'
import {nowMs} from '../core/reconcile/sample.ts'

/**
 * What a resend of a record does, and after a comma what hisab hears of it: nothing more where it is accepted, `lost`
 * where the answer is lost, `refused` where it is a no. `late`: the record moves only after that many milliseconds.
 */
export type ResendEffect =
  | 'delivers'
  | 'fails'
  | 'nothing'
  | 'lost, delivers'
  | 'lost, fails'
  | 'lost'
  | 'refused'
  | 'refused, delivers'
  | 'refused, fails'
  | 'says no in 200'
  | 'says no in 200, delivers'
  | 'unreachable'
  | {readonly lateMs: number; readonly fails?: true; readonly hears?: 'refused'}

/** A clock that moves only when somebody sleeps. What the machine's own clock shows may be set at any time. */
export class FakeClock {
  ms = nowMs
  setByMs = 0
  readonly slept: number[] = []
  readonly now = (): number => this.ms + this.setByMs
  readonly monotonic = (): number => this.ms - nowMs
  readonly sleep = async (ms: number): Promise<void> => {
    this.slept.push(ms)
    this.ms += Math.max(0, ms)
  }
}

/** A service in memory: orders, delivery records, and what goes wrong. `log` is what was asked of it, in order. */
export class FakeClient {
  readonly clock: FakeClock
  readonly log: string[] = []
  /** Numbers that a 404 without a word of an order answers. */
  readonly bare = new Set<string>()
  readonly orders = new Map<string, ServiceOrder | Failure>()
  /** By id, in the order of the list. */
  readonly records = new Map<string, Delivery>()
  readonly effects = new Map<string, ResendEffect>()
  /** What a record's webhook says, where a test says. */
  readonly payloads = new Map<string, JsonValue>()
  readonly pending: {readonly atMs: number; readonly id: string; readonly fails: boolean}[] = []
  clockSkewMs: number | null = 0
  pageSize = 100
  /** What the merchant's server says besides its status. */
  answerLine: string | null = null
  /** Runs before each call; may change the records, or throw what the call is to reject with. */
  before: (call: string) => void = () => {}
  private readonly counts = {query: 0, list: 0, get: 0, resend: 0}

  constructor(clock: FakeClock) {
    this.clock = clock
  }

  get calls(): CallCounts {
    return {create: 0, ...this.counts}
  }

  async queryOrder(kind: OrderKind, orderNo: string): Promise<OrderAnswer> {
    this.counts.query += 1
    this.note(`query ${kind} ${orderNo}`)
    const order = this.orders.get(orderKey({kind, orderNo}))
    if (order instanceof Failure) throw order
    if (this.bare.has(orderNo)) return {found: false, isBare: true}
    return order ? {found: true, order, raw: {}} : {found: false}
  }

  async listDeliveries({status, orderId, page = 1, limit = 20}: DeliveryFilter): Promise<DeliveryPage> {
    this.counts.list += 1
    this.note(`list${orderId === undefined ? '' : ` of ${orderId}`} page ${page}`)
    const all = [...this.records.values()].filter(
      (record) =>
        (status === undefined || record.status === status) &&
        (orderId === undefined || record.orderId === orderId),
    )
    const size = Math.min(limit, this.pageSize)
    const records = all.slice((page - 1) * size, page * size)
    return {
      records,
      page,
      limit: size,
      total: all.length,
      totalPages: Math.ceil(all.length / size),
      odd: [],
      answeredAt: null,
    }
  }

  async getDelivery(id: string): Promise<QuotedDelivery | null> {
    this.counts.get += 1
    this.note(`get ${id}`)
    for (const {atMs, id: late, fails} of this.pending.splice(0)) {
      if (late === id && atMs <= this.clock.ms) this.move(id, !fails)
      else this.pending.push({atMs, id: late, fails})
    }
    const delivery = this.records.get(id)
    return delivery
      ? {
          delivery,
          payload: this.payloads.get(id),
          responseBody: undefined,
          raw: {},
          answerLine: this.answerLine,
        }
      : null
  }

  async resendDelivery(id: string, checkInTime: () => void): Promise<ResendAnswer> {
    checkInTime()
    this.counts.resend += 1
    this.note(`resend ${id}`)
    const effect = this.effects.get(id) ?? 'delivers'
    if (typeof effect === 'object') {
      this.pending.push({atMs: this.clock.ms + effect.lateMs, id, fails: effect.fails ?? false})
      return effect.hears === 'refused' ? refusal : {is: 'accepted', but: null}
    }
    if (effect === 'unreachable') throw failure('service_unreachable', 'The service could not be reached')
    if (effect.endsWith('delivers')) this.move(id, true)
    if (effect.endsWith('fails')) this.move(id, false)
    if (effect.startsWith('lost')) return {is: 'lost', but: 'The connection broke.'}
    if (effect.startsWith('refused')) return refusal
    return {is: 'accepted', but: effect.startsWith('says no') ? refusal.but : null}
  }

  private move(id: string, delivered: boolean): void {
    const record = this.records.get(id)
    if (!record) return
    const status = delivered ? 'success' : 'failed'
    const sentAt = new Date(this.clock.ms).toISOString()
    const responseCode = delivered ? 200 : 503
    this.records.set(id, {...record, status, responseCode, attempts: record.attempts + 1, sentAt})
  }

  private note(call: string): void {
    this.log.push(call)
    this.before(call)
  }
}

const refusal: ResendAnswer = {is: 'refused', but: 'The service refused the resend.'}

export function failure(code: Failure['code'], message: string): Failure {
  return new Failure(code, `${message}.`, 'Look at the service.')
}
