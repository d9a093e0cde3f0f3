import type {IncomingHttpHeaders} from 'node:http'
import {setTimeout as delay} from 'node:timers/promises'

import {asFailure} from '../core/failure.ts'
import {type ForwardAnswer, type Forwarder, isAcknowledgement} from './forwarder.ts'
import type {Inbox, Taken} from './inbox.ts'
import type {OnNotice} from './notice.ts'
import {lineOf} from './same-event.ts'
import type {Webhook} from './webhook.ts'

export interface HandoverParts {
  readonly inbox: Inbox
  readonly forwarder: Forwarder
  readonly now: () => number
  readonly onNotice: OnNotice
}

export interface Handed {
  readonly taken: Taken
  /** Null if it was not handed on: a conflict, already acknowledged, or another forward did not end. */
  readonly forward: ForwardAnswer | null
  /** The answer belongs to another delivery of the same content that was under way. */
  readonly isShared: boolean
}

export interface Posting {
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

interface UnderWay {
  readonly id: number
  readonly answer: Promise<ForwardAnswer>
}

/** How long a claim outlives its process, and how often it is renewed: a kill must not block the next delivery. */
const claimForMs = 2_000
const renewEveryMs = 500
const lookAgainMs = 100

/**
 * Hands events to the merchant's own server until it acknowledges one content of each; one forward of an event at a
 * time, over all processes. At least once: an interrupted forward may have arrived (P23).
 */
export class Handover {
  private readonly parts: HandoverParts
  private readonly underWay = new Map<string, UnderWay>()

  constructor(parts: HandoverParts) {
    this.parts = parts
  }

  /**
   * Stores the content and hands it on when no other forward of its event is under way. Throws like `Inbox.take`,
   * which explains `isForced`.
   */
  async handOn(webhook: Webhook, posting: Posting, isForced = false): Promise<Handed> {
    const {inbox, forwarder, now} = this.parts
    const key = lineOf(webhook)
    const giveUpAtMs = performance.now() + forwarder.timeoutMs
    let first: Taken | null = null
    for (;;) {
      const taken = await inbox.take(webhook, now(), claimForMs, isForced)
      first ??= taken
      // It was just stored, so a second look would call it a duplicate.
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
    // If it cannot be renewed, another process may hand the event on too: at least once.
    const renewal = setInterval(() => {
      inbox.renewClaim(claim, now() + claimForMs).catch(() => undefined)
    }, renewEveryMs)
    const forward = await forwarder.send(headers, body).finally(() => clearInterval(renewal))
    const httpStatus = forward.kind === 'answered' ? forward.httpStatus : null
    const acknowledgedAtMs = isAcknowledgement(forward) ? now() : null
    try {
      await inbox.recordForward(id, claim, {httpStatus, acknowledgedAtMs})
    } catch (error) {
      // The event is stored, but its acknowledgement is not.
      onNotice({type: 'unrecorded', atMs: now(), webhook, failure: asFailure(error)})
    }
    return forward
  }
}
