import type {DeliveryFilter, DeliveryPage} from '../../src/api/client.ts'
import type {Delivery} from '../../src/core/order.ts'
import {delivery, nowMs} from '../core/reconcile/sample.ts'
import {randomFrom} from '../random.ts'

/** What happens at the service between two answers. */
export type Happening = (list: LiveList) => void

/**
 * The service's side of a list of delivery records that lives while it is read. It keeps its own books: which records
 * stood in it at the first answer, and which did all the while.
 */
export class LiveList {
  records: Delivery[]
  answers = 0
  private readonly random: () => number
  /** What stood in the list at the first answer. */
  atFirst: readonly Delivery[] = []
  /** Every record that never left it. */
  readonly stayed: Set<string>
  clockMs = nowMs
  limitMax = 100
  /** Does what the hour does, before each answer but the first. */
  happening: Happening = () => {}
  /** How many turns an answer waits for others that were asked for later. */
  turnsMax = 0
  private made = 0

  constructor(total: number, seed = 1) {
    this.random = randomFrom(seed)
    this.records = Array.from({length: total}, () => this.make())
    this.records.reverse()
    this.clockMs += 60_000
    this.stayed = new Set(this.records.map(({id}) => id))
  }

  below(max: number): number {
    return Math.floor(this.random() * max)
  }

  /** A record made now. */
  make(): Delivery {
    this.made += 1
    this.clockMs += 100
    const id = `00000000-0000-4000-8000-${String(this.made).padStart(12, '0')}`
    return delivery({id, orderId: `p-${this.made}`, createdAt: new Date(this.clockMs).toISOString()})
  }

  arriveFirst(): void {
    this.records.unshift(this.make())
  }

  arriveLast(): void {
    this.records.push(this.make())
  }

  arriveAnywhere(): void {
    this.records.splice(this.below(this.records.length + 1), 0, this.make())
  }

  /** One that was made before all others enters at the end: in a list by status, say. */
  comesIn(sentAt: string | null = null): void {
    const made = this.make()
    const createdAt = new Date(nowMs - 86_400_000).toISOString()
    this.records.push({...made, createdAt, sentAt: sentAt ?? made.sentAt})
  }

  leave(index: number): void {
    for (const {id} of this.records.splice(index, 1)) this.stayed.delete(id)
  }

  /** One arrives and pushes the oldest out. */
  roll(newest: 'first' | 'last'): void {
    if (newest === 'first') this.arriveFirst()
    else this.arriveLast()
    this.leave(newest === 'first' ? this.records.length - 1 : 0)
  }

  /** A record changes its place: where the list is ordered by the last try, say. */
  jump(from: number, to: number): void {
    const moved = this.records.splice(from, 1)
    this.records.splice(to, 0, ...moved)
  }

  async listDeliveries({page = 1, limit = 20}: DeliveryFilter): Promise<DeliveryPage> {
    for (let turn = this.below(this.turnsMax + 1); turn > 0; turn--) await Promise.resolve()
    this.answers += 1
    this.clockMs += 20
    if (this.answers > 1) this.happening(this)
    const size = Math.min(limit, this.limitMax)
    const records = this.records.slice((page - 1) * size, page * size)
    const {length: total} = this.records
    if (this.answers === 1) this.atFirst = [...this.records]
    const answeredAt = new Date(this.clockMs).toISOString()
    return {records, odd: [], page, limit: size, total, totalPages: Math.ceil(total / size), answeredAt}
  }
}
