import type {FakeService} from '../fake-service/service.ts'
import type {Left} from './left.ts'
import type {Judgement} from './scene.ts'
import type {WayOn} from './service-scene.ts'

/** What the service saw of resends, and what of it the merchant got. */
export class Resends {
  readonly #service: FakeService
  /** How often each record had been tried before the scene began. */
  readonly #triesBefore: ReadonlyMap<string, number>
  /** Ids of records whose resend a kill left as an intent. */
  readonly #intents = new Set<string>()

  constructor(service: FakeService) {
    this.#service = service
    this.#triesBefore = new Map(service.book.records.map(({fields}) => [fields.id, fields.attempts]))
  }

  /** P3: what was sent is in the journal, whenever the process died; and of one at a time no more than one is open. */
  lookAfterKill({resends}: Left): string[] {
    const recorded = new Set(resends.map(({deliveryId}) => deliveryId))
    const unrecorded = this.#service.calls.of('resend').filter(({target}) => !recorded.has(target))
    const intents = resends.filter(({state}) => state === 'intent')
    for (const {deliveryId} of intents) this.#intents.add(deliveryId)
    return [
      ...unrecorded.map(({target}) => `${target} was resent, and the journal does not know`),
      ...(intents.length > 1 ? [`${intents.length} resends are open at once`] : []),
    ]
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

  /** Numbers of orders whose resend a kill left as an intent, and whose record shows no new attempt. */
  #inDoubt(): Set<string> {
    const unmoved = this.#service.book.records.filter(
      ({fields: {id, attempts}}) => this.#intents.has(id) && attempts === this.#triesBefore.get(id),
    )
    return new Set(unmoved.map(({fields}) => fields.merchant_order_id))
  }

  /**
   * How each order's resend ended without a kill and with some. What a kill left as an intent must be unknown
   * where its record shows no new attempt, for then nobody knows; where it shows one, the record tells.
   */
  compareStates(
    whole: ReadonlyMap<string, string | undefined>,
    found: ReadonlyMap<string, string | undefined>,
  ): Judgement {
    const inDoubt = this.#inDoubt()
    const problems: string[] = []
    let doubts = 0
    for (const orderNo of new Set([...whole.keys(), ...found.keys()])) {
      const [state, wholeState] = [found.get(orderNo), whole.get(orderNo)]
      const due = inDoubt.has(orderNo) ? 'unknown' : wholeState
      if (state !== due) problems.push(`${orderNo}: "${state}" in place of "${due}"`)
      else if (due !== wholeState) doubts += 1
    }
    return {problems, doubts}
  }

  /** Whether the journal says that the service accepted a resend of the order. */
  isAccepted(orderNo: string, {resends}: Left): boolean {
    const accepted = resends.flatMap(({state, deliveryId}) => (state === 'accepted' ? [deliveryId] : []))
    return this.#service.book.records.some(
      ({fields}) => fields.merchant_order_id === orderNo && accepted.includes(fields.id),
    )
  }

  /** Whether a webhook of the order has been taken. */
  isDelivered(orderNo: string): boolean {
    return this.#service.book.records.some(
      ({fields}) => fields.merchant_order_id === orderNo && fields.status === 'success',
    )
  }
}
