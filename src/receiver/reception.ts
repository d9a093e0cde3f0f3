import type {IncomingHttpHeaders} from 'node:http'
import {asFailure} from '../core/failure.ts'
import {type ForwardAnswer, type Forwarder, isAcknowledgement} from './forwarder.ts'
import {type Handed, Handover, type Posting} from './handover.ts'
import type {Inbox, Taken} from './inbox.ts'
import type {OnNotice} from './notice.ts'
import type {Rules} from './rules.ts'
import {
  type GenuineWebhook,
  refuseStale,
  verifyWebhook,
  type WebhookRefusal,
  type WireWebhook,
} from './verify-webhook.ts'
import {whyNot} from './why-not.ts'

export interface ReceptionParts {
  readonly rules: Rules
  readonly inbox: Inbox
  /** Null: hisab answers itself. */
  readonly forwarder: Forwarder | null
  readonly now: () => number
  readonly onNotice: OnNotice
}

/** The answer to the sender. */
export interface Reply {
  readonly httpStatus: number
  readonly contentType: string
  readonly body: string | Uint8Array
}

/** One webhook as it came, and its sender. */
export interface Arrival extends WireWebhook {
  readonly headers: IncomingHttpHeaders
  readonly from: string | null
}

/** Anybody can send a wrong signature, and the search for its mistake costs as much as many good webhooks. */
const whyNotEveryMs = 5_000

/** Checks and stores each webhook, and only then answers or hands it on (P23). */
export class Reception {
  private readonly parts: ReceptionParts
  private readonly handover: Handover | null
  private nextWhyNotAtMs = 0

  constructor(parts: ReceptionParts) {
    this.parts = parts
    const {forwarder, ...rest} = parts
    this.handover = forwarder && new Handover({...rest, forwarder})
  }

  async receive(arrival: Arrival): Promise<Reply> {
    const {rules, inbox, now, onNotice} = this.parts
    const verdict = verifyWebhook(arrival, rules)
    if (verdict.kind === 'refused') return this.refuse(verdict, arrival)
    const stale = refuseStale(arrival, rules, now())
    if (stale) return this.refuse(stale, arrival)
    const {webhook} = verdict
    try {
      if (this.handover)
        return this.answerHanded(verdict, await this.handover.handOn(webhook, postingOf(arrival, rules)))
      const taken = await inbox.take(webhook, now(), null)
      return this.answer(verdict, taken, taken.novelty === 'new' || taken.novelty === 'changed')
    } catch (error) {
      onNotice({type: 'unstored', atMs: now(), webhook, failure: asFailure(error)})
      return say(503, {error: 'not_stored', message: 'The event could not be stored. Send it again later.'})
    }
  }

  /** Without a server, hisab's own answer counts. */
  private answer({webhook, undocumented}: GenuineWebhook, taken: Taken, isHandled: boolean): Reply {
    const {now, onNotice} = this.parts
    const reply = taken.novelty === 'conflict' ? conflictReply : isHandled ? acceptedReply : duplicateReply
    const {httpStatus} = reply
    onNotice({
      type: 'received',
      atMs: now(),
      webhook,
      undocumented,
      taken,
      httpStatus,
      forward: null,
      isHandled,
    })
    return reply
  }

  private answerHanded({webhook, undocumented}: GenuineWebhook, {taken, forward, isShared}: Handed): Reply {
    const {now, onNotice} = this.parts
    const reply =
      taken.novelty === 'conflict'
        ? conflictReply
        : forward
          ? replyOf(forward)
          : taken.isAcknowledged
            ? duplicateReply
            : busyReply
    const {httpStatus} = reply
    const isHandled = forward !== null && !isShared && isAcknowledgement(forward)
    onNotice({type: 'received', atMs: now(), webhook, undocumented, taken, httpStatus, forward, isHandled})
    return reply
  }

  private refuse(refusal: WebhookRefusal, arrival: Arrival): Reply {
    const {rules, now, onNotice} = this.parts
    const {httpStatus, reason, message} = refusal
    const isExplained = reason === 'mismatch' && performance.now() >= this.nextWhyNotAtMs
    if (isExplained) this.nextWhyNotAtMs = performance.now() + whyNotEveryMs
    setImmediate(async () => {
      const why = isExplained ? await explain(arrival, rules) : null
      onNotice({type: 'refused', atMs: now(), httpStatus, reason, message, why, from: arrival.from})
    })
    return replyOfRefusal(refusal)
  }
}

/** The merchant's server gets only the headers that the body and its signature need. */
function postingOf({headers, body}: Arrival, {dialect}: Rules): Posting {
  const {header, timestampHeader} = dialect.webhookSignature
  const names = ['content-type', 'user-agent', header.toLowerCase(), timestampHeader.toLowerCase()]
  return {
    headers: Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []))),
    body,
  }
}

/** Null if the search fails: a stranger's input must not stop the receiver. */
async function explain(arrival: Arrival, rules: Rules): Promise<string | null> {
  try {
    return await whyNot(arrival, rules)
  } catch {
    return null
  }
}

export function replyOfRefusal({httpStatus, reason, message}: WebhookRefusal): Reply {
  return say(httpStatus, {error: reason, message})
}

/** The merchant's own answer, or why there is none; a redirect is not followed. */
function replyOf(forward: ForwardAnswer): Reply {
  if (forward.kind === 'unanswered') {
    return say(forward.isTimeout ? 504 : 502, {
      error: 'not_acknowledged',
      message: `The event is stored; the server behind did not take it: ${forward.problem}.`,
    })
  }
  const {httpStatus, contentType, body} = forward
  if (httpStatus < 300 || httpStatus >= 400) {
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
/** Not 200: the service must not believe that this content was accepted, because the acknowledged one counts. */
const conflictReply = say(409, {
  error: 'conflict',
  message:
    'This event was acknowledged with another amount or state. Both are kept; the acknowledged one counts.',
})
const busyReply = say(503, {
  error: 'not_acknowledged',
  message: 'The event is stored; it is still being handed to the server behind. Send it again later.',
})
