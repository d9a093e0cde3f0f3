import type {MeasuredTime} from '../../core/clocks.ts'
import type {Dialect} from '../../core/dialect.ts'
import {mayBeSameEvent, mayCredit, stateOfEvent} from '../../core/event-state.ts'
import type {Delivery, OrderKind, ServiceOrder} from '../../core/order.ts'
import {isDueAgain} from '../../core/reconcile/evidence.ts'
import {whyNoOwnId} from '../../core/reconcile/join.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Orphans} from './orphans.ts'
import {eventAgainst, type Received, sentenceOf, type WhyReceived} from './received.ts'

/** An event that is to be sent or handed on again, and the records of its order. */
export interface Asked {
  /** Of the event; the first says what it means. */
  readonly names: readonly [string, ...string[]]
  readonly order: Pick<ServiceOrder, 'orderNo' | 'platformOrderNo'> &
    Partial<Pick<ServiceOrder, 'amount'>> & {readonly kind: OrderKind | null}
  /** The record that is to be sent, or when the event was made; null if nothing has it. */
  readonly record: Delivery | Pick<Delivery, 'event' | 'createdAt'> | null
  readonly records: readonly Delivery[]
  /** Those with the record's `order_id`. */
  readonly sharing: readonly Delivery[]
  /** When the order was made. */
  readonly sinceMs: number | null
}

export interface Sources {
  readonly dialect: Dialect
  /** Why another record of the event speaks against it. */
  readonly whyOther: (record: Delivery) => string | null
  readonly isUsual?: ((event: string) => boolean) | undefined
  readonly received?: WhyReceived | undefined
  readonly orphans: (() => Orphans) | null
}

/** Where nobody knows which events most orders have, names of other words say nothing: `payment.received`. */
const ofEnd =
  /complet|success|succeed|paid|settl|done|confirm|finish|clos|credit|approv|accept|terminal|final/i

type Rule = (asked: Asked, sources: Sources) => string | null | Promise<string | null>

/** What speaks against sending an event again, in this order, each as sentences. */
const rules = {
  /** Another record of the event may have credited the player, or may still. */
  other: ({names, record, records}, {dialect, whyOther}) => {
    const isSame = ({event}: Delivery) => names.some((name) => mayBeSameEvent(event, name, dialect))
    return whyOneOf(records.filter(isSame), record, whyOther)
  },
  /** So may what the merchant's server took under a name that says it in other words: `orderCompleted`, `order.settled`. */
  otherName: ({names: [name], record, records}, {dialect, whyOther, isUsual}) => {
    const mayComplete = (event: string) =>
      stateOfEvent(event, dialect) === null &&
      mayCredit(event, dialect) &&
      (isUsual ? !isUsual(event) : ofEnd.test(event))
    const isNamed = stateOfEvent(name, dialect) === 'completed'
    if (!isNamed && !mayComplete(name)) return null
    const others = records.filter(({event, status}) =>
      stateOfEvent(event, dialect) === 'completed'
        ? !isNamed
        : isNamed && status === 'success' && mayComplete(event),
    )
    return whyOneOf(others, record, whyOther)
  },
  event: ({record, records}, {dialect, isUsual}) => {
    const event = eventAgainst(record, records, dialect, isUsual)
    return event === null ? null : recordOf(event)
  },
  sharedId: ({record, sharing}) => {
    const why = record && 'id' in record ? whyNoOwnId(record, sharing) : null
    return why && `${why} Ask the service.`
  },
  /** The merchant's server took it from hisab: nothing is left to do. */
  handedOn: (asked, sources) => receivedOf(asked, sources, (found) => found.takenAtMs !== null),
  received: (asked, sources) => receivedOf(asked, sources, (found) => found.takenAtMs === null),
  orphan: ({order, names: [event], sinceMs}, {dialect, orphans}) =>
    stateOfEvent(event, dialect) === 'completed' ? (orphans?.().whyOf(order, sinceMs) ?? null) : null,
} as const satisfies Record<string, Rule>

function receivedOf(
  {order, names: [event], record}: Asked,
  {received, isUsual}: Sources,
  counts: (found: Received) => boolean,
): string | null {
  const found = received?.(order, {...record, event, isUsual})
  return found && counts(found) ? sentenceOf(found) : null
}

function whyOneOf(
  others: readonly Delivery[],
  record: Asked['record'],
  whyOther: Sources['whyOther'],
): string | null {
  const own = record && 'id' in record ? record.id : null
  for (const other of others) {
    const why = other.id === own ? null : whyOther(other)
    if (why !== null) return why
  }
  return null
}

export type Against = {readonly by: keyof typeof rules; readonly why: string}

/** What a person may know better. */
export const overridable: readonly Against['by'][] = ['otherName', 'event', 'handedOn', 'received', 'orphan']

/**
 * The one rule for what speaks against sending or handing on an event again: other records of its order, what the own receiver
 * has of it, and records of no known order. What ledgers and people say of it is asked for beside this (`reconciledBy`).
 */
export async function whatIsAgainst(
  asked: Asked,
  sources: Sources,
  overridden: readonly Against['by'][] = [],
): Promise<Against | null> {
  for (const by of Object.keys(rules) as Against['by'][]) {
    const why = overridden.includes(by) ? null : await rules[by](asked, sources)
    if (why !== null) return {by, why}
  }
  return null
}

export function recordOf(event: string): string {
  return `It has a record of ${escapeInvisible(event, 40)}. Ask the service.`
}

/** Another record of the event that the service is still sending. */
export function whySending(record: Delivery, time: MeasuredTime): string | null {
  return isDueAgain(record, time) ? `The service is still sending another record of it: ${record.id}.` : null
}
