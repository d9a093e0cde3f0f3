import type {FakeService} from '../fake-service/service.ts'
import type {Left} from './left.ts'
import type {Judgement} from './scene.ts'
import type {WayOn} from './service-scene.ts'

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

  /**
   * P4, over all runs: each order's event at most once, whichever record it went by. One that the service refused
   * reached nobody, and a run of its own may try it again.
   */
  whyTwice(way: WayOn): string[] {
    const times = new Map<string, number>()
    for (const {target} of this.#service.calls.of('resend')) {
      const record = this.#service.book.records.find(({fields}) => fields.id === target)
      if (way === 'run again' && record?.outcomes[0]?.leadsTo === 'refused') continue
      const event = `${record?.fields.event} of ${record?.fields.merchant_order_id}`
      times.set(event, (times.get(event) ?? 0) + 1)
    }
    return [...times]
      .filter(([, count]) => count > 1)
      .map(([event, count]) => `${event} was resent ${count} times`)
  }

  /** Order numbers whose resend the journal left as an intent, and whether a new attempt shows on the record. */
  #doubtful({resends}: Left): Map<string, 'moved' | 'unmoved'> {
    const intents = new Set(
      resends.flatMap(({state, deliveryId}) => (state === 'intent' ? [deliveryId] : [])),
    )
    return new Map(
      this.#service.book.records
        .filter(({fields}) => intents.has(fields.id))
        .map(({fields: {id, merchant_order_id, attempts}}) => [
          merchant_order_id,
          attempts > (this.#triesBefore.get(id) ?? 0) ? 'moved' : 'unmoved',
        ]),
    )
  }

  /**
   * How each order's resend ended without a kill and with one. What the journal left as an intent may be unknown;
   * it must be where its record shows no new attempt, for then nobody knows.
   */
  compareStates(
    whole: ReadonlyMap<string, string | undefined>,
    found: ReadonlyMap<string, string | undefined>,
    left: Left,
  ): Judgement {
    const doubtful = this.#doubtful(left)
    const problems: string[] = []
    let doubts = 0
    for (const orderNo of new Set([...whole.keys(), ...found.keys()])) {
      const [state, doubt] = [found.get(orderNo), doubtful.get(orderNo)]
      const isInDoubt = doubt !== undefined && state === 'unknown'
      if (isInDoubt && whole.get(orderNo) !== 'unknown') doubts += 1
      if (isInDoubt || (doubt !== 'unmoved' && state === whole.get(orderNo))) continue
      problems.push(
        `${orderNo}: "${state}" in place of "${doubt === 'unmoved' ? 'unknown' : whole.get(orderNo)}"`,
      )
    }
    return {problems, doubts}
  }

  /** Whether a webhook of the order has been taken. */
  isDelivered(orderNo: string): boolean {
    return this.#service.book.records.some(
      ({fields}) => fields.merchant_order_id === orderNo && fields.status === 'success',
    )
  }
}
