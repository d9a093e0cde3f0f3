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

  /** P3: what was sent is in the journal, whenever the process died; and each kill leaves no more than one open. */
  lookAfterKill({resends}: Left): string[] {
    const recorded = new Set(resends.map(({deliveryId}) => deliveryId))
    const unrecorded = this.#service.calls.of('resend').filter(({target}) => !recorded.has(target))
    const intents = resends.filter(
      ({state, deliveryId}) => state === 'intent' && !this.#intents.has(deliveryId),
    )
    for (const {deliveryId} of intents) this.#intents.add(deliveryId)
    return [
      ...unrecorded.map(({target}) => `${target} was resent, and the journal does not know`),
      ...(intents.length > 1 ? [`${intents.length} resends are open at once`] : []),
    ]
  }

  /**
   * P4, over all runs: each order's event reaches the merchant at most once, whichever record it went by, and is not asked
   * for again once it did. What reached nobody a run of its own may try again.
   */
  whyTwice(way: WayOn): string[] {
    const events = Map.groupBy(
      this.#service.book.records,
      ({fields: {event, merchant_order_id: orderNo}}) => `${event} of ${orderNo}`,
    )
    return [...events].flatMap(([event, records]) => {
      const arrivals = records.reduce((sum, record) => sum + record.arrivals, 0)
      const sent = this.#service.calls
        .of('resend')
        .filter(({target}) => records.some(({fields}) => fields.id === target)).length
      const problems = arrivals > 1 ? [`${event} arrived ${arrivals} times`] : []
      const mayBeTriedAgain = way !== 'resumed' && arrivals === 0
      return sent > 1 && !mayBeTriedAgain ? [...problems, `${event} was resent ${sent} times`] : problems
    })
  }

  /** What is said of an order's resend and is not so, by the merchant's count. */
  whyFalse(states: ReadonlyMap<string, string | undefined>): string[] {
    return [...states].flatMap(([orderNo, state]) => {
      const records = this.#service.book.records.filter(({fields}) => fields.merchant_order_id === orderNo)
      const arrived = records.some(({arrivals}) => arrivals > 0)
      const isFalse =
        (state === 'delivered' && !this.isDelivered(orderNo)) ||
        (arrived && (state === 'refused' || state === 'planned'))
      return isFalse ? [`${orderNo} is called ${state}, and it ${arrived ? 'arrived' : 'never arrived'}`] : []
    })
  }

  /** How many webhooks the merchant's server took by a resend. */
  get taken(): number {
    return this.#service.book.records.filter(
      ({arrivals, fields}) => arrivals > 0 && fields.status === 'success',
    ).length
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
    const problems = this.whyFalse(found)
    let doubts = 0
    for (const orderNo of new Set([...whole.keys(), ...found.keys()])) {
      const [state, wholeState] = [found.get(orderNo), whole.get(orderNo)]
      // A "no" that a kill came after is no more than a lost answer.
      const isLostNo = wholeState === 'refused' && state === 'unknown'
      const due = inDoubt.has(orderNo) || isLostNo ? 'unknown' : wholeState
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
