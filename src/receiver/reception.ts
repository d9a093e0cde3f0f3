import type {IncomingHttpHeaders} from 'node:http'

import {Failure} from '../core/failure.ts'
import type {ForwardAnswer, Forwarder} from './forwarder.ts'
import type {Inbox, Taken} from './inbox.ts'
import {judgeWebhook, type Refusal, type WireWebhook} from './judge.ts'
import type {OnNotice} from './notice.ts'
import type {Rules} from './rules.ts'
import type {Webhook} from './webhook.ts'
import {whyNot} from './why-not.ts'

export interface ReceptionParts {
  readonly rules: Rules
  readonly inbox: Inbox
  /** Null: hisab's own answer is the answer. */
  readonly forwarder: Forwarder | null
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly onNotice: OnNotice
}

/** What the sender is told. */
export interface Reply {
  readonly httpStatus: number
  readonly contentType: string
  readonly body: string | Uint8Array
}

/** One webhook as it came, and from where. */
export interface Arrival extends WireWebhook {
  readonly headers: IncomingHttpHeaders
  readonly from: string | null
}

/** Anybody can send a wrong signature, and looking for its mistake costs as much as many good ones. */
const whyNotEveryMs = 5_000

/** Decides on each webhook: judge, store, and only then answer or forward (P23). */
export class Reception {
  private readonly parts: ReceptionParts
  private readonly forwards = new Map<number, Promise<ForwardAnswer>>()
  private nextWhyNotAtMs = 0

  constructor(parts: ReceptionParts) {
    this.parts = parts
  }

  async receive(arrival: Arrival): Promise<Reply> {
    const {rules, inbox, forwarder, now, onNotice} = this.parts
    const verdict = judgeWebhook(arrival, rules)
    if (verdict.kind === 'refused') return this.refuse(verdict, arrival)
    const {webhook} = verdict
    let taken: Taken
    try {
      taken = await inbox.take(webhook, now())
    } catch (error) {
      onNotice({type: 'unstored', atMs: now(), webhook, failure: mustBeFailure(error)})
      return say(503, {error: 'not_stored', message: 'The event could not be stored. Send it again later.'})
    }
    if (taken.novelty === 'conflict') return this.answer(webhook, taken, conflictReply)
    if (forwarder === null || taken.isAcknowledged) {
      return this.answer(webhook, taken, taken.novelty === 'new' ? acceptedReply : duplicateReply)
    }
    return await this.forward(forwarder, arrival, webhook, taken)
  }

  private answer(webhook: Webhook, taken: Taken, reply: Reply): Reply {
    const {now, onNotice} = this.parts
    const isSettling = reply === acceptedReply
    const {httpStatus} = reply
    onNotice({type: 'received', atMs: now(), webhook, taken, httpStatus, forward: null, isSettling})
    return reply
  }

  /** One at a time for an event: a retry that comes meanwhile gets the answer of the one under way. */
  private async forward(
    forwarder: Forwarder,
    {headers, body}: Arrival,
    webhook: Webhook,
    taken: Taken,
  ): Promise<Reply> {
    const {now, onNotice} = this.parts
    const {id} = taken
    const underWay = this.forwards.get(id)
    const sending =
      underWay ??
      forwarder
        .send(headers, body)
        .then((answer) => this.record(answer, webhook, taken))
        .finally(() => this.forwards.delete(id))
    this.forwards.set(id, sending)
    const forward = await sending
    const reply = replyOf(forward)
    const {httpStatus} = reply
    const isSettling = !underWay && isAcknowledgement(forward)
    onNotice({type: 'received', atMs: now(), webhook, taken, httpStatus, forward, isSettling})
    return reply
  }

  private async record(forward: ForwardAnswer, webhook: Webhook, {id}: Taken): Promise<ForwardAnswer> {
    const {inbox, now, onNotice} = this.parts
    const httpStatus = forward.kind === 'answered' ? forward.httpStatus : null
    const acknowledgedAtMs = isAcknowledgement(forward) ? now() : null
    try {
      await inbox.recordForward(id, {httpStatus, acknowledgedAtMs})
    } catch (error) {
      // The event itself is stored and its answer stands; what is lost is that it need not be asked again.
      onNotice({type: 'unrecorded', atMs: now(), webhook, failure: mustBeFailure(error)})
    }
    return forward
  }

  private refuse(refusal: Refusal, arrival: Arrival): Reply {
    const {rules, now, onNotice} = this.parts
    const {httpStatus, reason, message} = refusal
    const isExplained = reason === 'mismatch' && now() >= this.nextWhyNotAtMs
    if (isExplained) this.nextWhyNotAtMs = now() + whyNotEveryMs
    // Once the answer is out: the sender need not wait for what only the reader of this terminal is told.
    setImmediate(() => {
      const why = isExplained ? explain(arrival, rules) : null
      onNotice({type: 'refused', atMs: now(), httpStatus, reason, message, why, from: arrival.from})
    })
    return replyOfRefusal(refusal)
  }
}

/** Null where the search fails: what strangers send must not stop the receiver by way of its explanation. */
function explain(arrival: Arrival, rules: Rules): string | null {
  try {
    return whyNot(arrival, rules)
  } catch {
    return null
  }
}

export function replyOfRefusal({httpStatus, reason, message}: Refusal): Reply {
  return say(httpStatus, {error: reason, message})
}

function isAcknowledgement(forward: ForwardAnswer): boolean {
  return forward.kind === 'answered' && forward.httpStatus >= 200 && forward.httpStatus < 300
}

/** The merchant's own answer, or why there is none; what a redirect points to was not asked. */
function replyOf(forward: ForwardAnswer): Reply {
  if (forward.kind === 'unanswered') {
    return say(forward.isTimeout ? 504 : 502, {
      error: 'not_acknowledged',
      message: `The event is stored; the server behind did not take it: ${forward.problem}.`,
    })
  }
  const {httpStatus, contentType, body} = forward
  if (httpStatus >= 200 && (httpStatus < 300 || httpStatus >= 400)) {
    return {httpStatus, contentType: contentType ?? 'application/octet-stream', body}
  }
  return say(502, {
    error: 'not_acknowledged',
    message: `The event is stored; the server behind answered with a redirect (HTTP ${httpStatus}), which is not followed.`,
  })
}

function say(httpStatus: number, body: object): Reply {
  return {httpStatus, contentType: 'application/json', body: `${JSON.stringify(body)}\n`}
}

export const replyOfDefect = say(500, {error: 'defect', message: 'The receiver failed on this request.'})

const acceptedReply = say(200, {received: true})
const duplicateReply = say(200, {received: true, duplicate: true})
/** Not 200: the service must not be told that this content was taken, for the first one stands. */
const conflictReply = say(409, {
  error: 'conflict',
  message: 'This event was received before with another content. Both are kept; the first one stands.',
})

function mustBeFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  throw error
}
