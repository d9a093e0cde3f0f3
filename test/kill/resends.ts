import type {FakeService} from '../fake-service/service.ts'
import type {Left} from './left.ts'

/** What the service saw of resends, and what of it the merchant got. */
export class Resends {
  readonly #service: FakeService
  /** How often each record had been tried before the scene began. */
  readonly #triesBefore: ReadonlyMap<string, number>

  constructor(service: FakeService) {
    this.#service = service
    this.#triesBefore = new Map(service.book.records.map(({fields}) => [fields.id, fields.attempts]))
  }

  /** P3: what was sent is in the journal, whenever the process died. */
  whyNotRecorded({resends}: Left): string[] {
    const recorded = new Set(resends.map(({deliveryId}) => deliveryId))
    return this.#service.calls
      .of('resend')
      .filter(({target}) => !recorded.has(target))
      .map(({target}) => `${target} was resent, and the journal does not know`)
  }

  /** P4, over all runs: each order's event at most once, whichever record it went by. */
  whyTwice(): string[] {
    const times = new Map<string, number>()
    for (const {target} of this.#service.calls.of('resend')) {
      const fields = this.#service.book.records.find((record) => record.fields.id === target)?.fields
      const event = `${fields?.event} of ${fields?.merchant_order_id}`
      times.set(event, (times.get(event) ?? 0) + 1)
    }
    return [...times]
      .filter(([, count]) => count > 1)
      .map(([event, count]) => `${event} was resent ${count} times`)
  }

  /** Order numbers whose resend the journal left as an intent, and whether a new attempt shows on the record. */
  doubtful({resends}: Left): Map<string, 'moved' | 'unmoved'> {
    const intents = new Set(resends.filter(({state}) => state === 'intent').map(({deliveryId}) => deliveryId))
    return new Map(
      this.#service.book.records
        .filter(({fields}) => intents.has(fields.id))
        .map(({fields}) => [
          fields.merchant_order_id,
          fields.attempts > (this.#triesBefore.get(fields.id) ?? 0) ? 'moved' : 'unmoved',
        ]),
    )
  }

  /** Whether a webhook of the order has been taken. */
  isDelivered(orderNo: string): boolean {
    return this.#service.book.records.some(
      ({fields}) => fields.merchant_order_id === orderNo && fields.status === 'success',
    )
  }
}
