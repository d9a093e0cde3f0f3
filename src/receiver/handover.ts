import type {IncomingHttpHeaders} from 'node:http'
import {setTimeout as delay} from 'node:timers/promises'

import {Failure} from '../core/failure.ts'
import {type ForwardAnswer, type Forwarder, isAcknowledgement} from './forwarder.ts'
import type {Inbox, Taken} from './inbox.ts'
import type {OnNotice} from './notice.ts'
import {lineOf} from './same-event.ts'
import type {Webhook} from './webhook.ts'

export interface HandoverParts {
  readonly inbox: Inbox
  readonly forwarder: Forwarder
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly onNotice: OnNotice
}

/** What came of handing one content on. */
export interface Handed {
  readonly taken: Taken
  /** Null where it was not handed on: it is a conflict, was acknowledged before, or another forward did not end. */
  readonly forward: ForwardAnswer | null
  /** The answer is that of another delivery of the same content, which was under way. */
  readonly isShared: boolean
}

/** What is posted: the bytes that are signed, and the headers that go with them. */
export interface Posting {
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

interface UnderWay {
  readonly id: number
  readonly answer: Promise<ForwardAnswer>
}

/** What a claim outlives its process by, and how often it is renewed: a kill must not hold the next delivery up. */
const claimForMs = 2_000
const renewEveryMs = 500
const lookAgainMs = 100

/**
 * Hands events to the merchant's own server, until it has acknowledged one content of each; one forward of an event at
 * a time, over all processes. At least once: a forward that was cut off may have arrived (P23).
 */
export class Handover {
  private readonly parts: HandoverParts
  private readonly underWay = new Map<string, UnderWay>()

  constructor(parts: HandoverParts) {
    this.parts = parts
  }

  /** Stores the content and hands it on, as soon as no other forward of its event is under way. Throws as `Inbox.take`, which explains `isForced`. */
  async handOn(webhook: Webhook, posting: Posting, isForced = false): Promise<Handed> {
    const {inbox, forwarder, now} = this.parts
    const key = lineOf(webhook)
    const giveUpAtMs = performance.now() + forwarder.timeoutMs
    let first: Taken | null = null
    for (;;) {
      const taken = await inbox.take(webhook, now(), claimForMs, isForced)
      first ??= taken
      // Its own first storing makes every later look at it a duplicate.
      const seen = {...taken, novelty: taken.novelty === 'conflict' ? taken.novelty : first.novelty}
      const ended = {taken: seen, forward: null, isShared: false}
      if (taken.claim !== null) {
        const answer = this.send(webhook, posting, taken.id, taken.claim).finally(() =>
          this.underWay.delete(key),
        )
        this.underWay.set(key, {id: taken.id, answer})
        return {...ended, forward: await answer}
      }
      if ((taken.novelty === 'conflict' && !isForced) || taken.isAcknowledged) return ended
      const other = this.underWay.get(key)
      if (other?.id === taken.id) return {...ended, forward: await other.answer, isShared: true}
      if (performance.now() >= giveUpAtMs) return ended
      await (other ? other.answer : delay(lookAgainMs))
    }
  }

  private async send(
    webhook: Webhook,
    {headers, body}: Posting,
    id: number,
    claim: string,
  ): Promise<ForwardAnswer> {
    const {inbox, forwarder, now, onNotice} = this.parts
    // Where it cannot be renewed, another process may hand the event on as well: at least once.
    const renewal = setInterval(() => {
      inbox.renewClaim(claim, now() + claimForMs).catch(() => undefined)
    }, renewEveryMs)
    const forward = await forwarder.send(headers, body).finally(() => clearInterval(renewal))
    const httpStatus = forward.kind === 'answered' ? forward.httpStatus : null
    const acknowledgedAtMs = isAcknowledgement(forward) ? now() : null
    try {
      await inbox.recordForward(id, claim, {httpStatus, acknowledgedAtMs})
    } catch (error) {
      // The event itself is stored and its answer stands; what is lost is that it need not be asked again.
      onNotice({type: 'unrecorded', atMs: now(), webhook, failure: mustBeFailure(error)})
    }
    return forward
  }
}

export function mustBeFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  throw error
}
