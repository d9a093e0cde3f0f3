import {setTimeout as delay} from 'node:timers/promises'

import {type ForwardAnswer, type Forwarder, isAcknowledgement} from '../../receiver/forwarder.ts'
import {Handover} from '../../receiver/handover.ts'
import type {Inbox} from '../../receiver/inbox.ts'
import type {OnNotice} from '../../receiver/notice.ts'
import {signedPosting} from '../../receiver/posting.ts'
import type {Rules} from '../../receiver/rules.ts'
import {standsFor} from '../../receiver/same-event.ts'
import type {EventFilter, StoredEvent} from '../../receiver/stored-events.ts'
import {eventKeyOf} from '../../receiver/webhook.ts'

export interface PendingParts {
  readonly inbox: Inbox
  readonly forwarder: Forwarder
  readonly rules: Rules
  /** The path that the service posts to: a header's signature may cover it. */
  readonly path: string
  readonly now: () => number
  readonly onNotice: OnNotice
  /** Why an event waits for a person, as a clause; null if it does not. */
  readonly whyHeld: (event: StoredEvent) => Promise<string | null>
}

export interface HandedOn {
  readonly event: StoredEvent
  /** Why it was not handed on. */
  readonly whyHeld: string | null
  /** Null if another process handed it on and did not end in time. */
  readonly forward: ForwardAnswer | null
  readonly isAcknowledged: boolean
}

/**
 * Hands on what no server has acknowledged, oldest first. Each content once: an order that failed and then completed
 * under one name is handed on as both.
 */
export async function* forwardPending(
  {rules, path, whyHeld, ...parts}: PendingParts,
  chosen: Pick<EventFilter, 'orderNo' | 'pending'>,
): AsyncGenerator<HandedOn> {
  const {inbox, now} = parts
  const handover = new Handover(parts)
  const tried = new Set<number>()
  for (;;) {
    const latest = latestOfEach(inbox.list({...chosen, rowsMax: -1}))
    const isOther = (event: StoredEvent) => latest.some((one) => standsFor(one, event, rules.dialect.status))
    const events = latest.filter((event) => !tried.has(event.id) && !isOther(event))
    if (events.length === 0) return
    for (const listed of events) {
      tried.add(listed.id)
      const event = await afterItsForward(listed, parts)
      if (event.forward === 'closed') continue
      const why = await whyHeld(event)
      if (why !== null) {
        yield {event, whyHeld: why, forward: null, isAcknowledged: false}
        continue
      }
      const posting = signedPosting(event.content, rules, path, now())
      const {taken, forward} = await handover.handOn(event, posting, chosen.pending === 'conflicts')
      // A person closed it meanwhile.
      if (forward === null && asStored(event, inbox).forward === 'closed') continue
      if (forward === null && taken.novelty === 'conflict' && chosen.pending !== 'conflicts') {
        yield {event, whyHeld: contradiction, forward, isAcknowledged: false}
        continue
      }
      const isAcknowledged = taken.isAcknowledged || (forward !== null && isAcknowledgement(forward))
      yield {event, whyHeld: null, forward, isAcknowledged}
    }
  }
}

const contradiction = 'it contradicts an event that your server acknowledged: `hisab events show` has both'

/** The event as it is now, when no other process forwards it any more. One whose process was killed is let go of after two seconds. */
async function afterItsForward(
  event: StoredEvent,
  {inbox, forwarder, now}: Pick<PendingParts, 'inbox' | 'forwarder' | 'now'>,
): Promise<StoredEvent> {
  const giveUpAtMs = performance.now() + forwarder.timeoutMs
  while (event.forward === 'unknown' && inbox.isUnderWay(event, now()) && performance.now() < giveUpAtMs)
    await delay(100)
  return asStored(event, inbox)
}

function asStored(event: StoredEvent, inbox: Inbox): StoredEvent {
  return inbox.list({about: event.orderId, rowsMax: -1}).find(({id}) => id === event.id) ?? event
}

/**
 * Stored newest first; returns of each event the latest content of those that say most, oldest event first: what says less
 * is answered by it.
 */
function latestOfEach(stored: readonly StoredEvent[]): StoredEvent[] {
  const latest = new Map<string, StoredEvent>()
  for (const event of stored) {
    const key = JSON.stringify([event.orderId.toLowerCase(), eventKeyOf(event)])
    const known = latest.get(key)
    if (!known || saysMore(event, known)) latest.set(key, event)
  }
  return [...latest.values()].sort((a, b) => a.id - b.id)
}

/** Nothing else, and more: an event whose player was missing before, say. */
function saysMore(one: StoredEvent, other: StoredEvent): boolean {
  const fieldsOf = ({playerRef, orderNo, amount, status}: StoredEvent) =>
    [playerRef, orderNo, amount, status].map((value) => value ?? '')
  const [own, others] = [fieldsOf(one), fieldsOf(other)]
  return own.join() !== others.join() && others.every((value, at) => value === '' || value === own[at])
}
