import type {Socket} from 'node:net'
import type {Work} from './books.ts'
import type {IdentityName} from './certificates.ts'
import type {Operation} from './honest-service.ts'
import type {HttpAnswer, HttpRequest} from './wire.ts'

/**
 * What the caller of a call that meets the fault can know of it. `good`: nothing is wrong with the answer after all.
 * `partial`: a page that is fine by itself, of a list that is not. `unreached`: nothing can have been sent. `refused`
 * and `rejected` (the credentials): it has not happened, by the closed list of what proves that. `doubtful`: it may
 * have happened. `throttled` and `gone` (no such API), of reads: there is no answer. What did happen is not a fault's
 * to say: that is chosen by itself (`worksOf`).
 */
export type Meaning =
  | 'good'
  | 'partial'
  | 'unreached'
  | 'doubtful'
  | 'refused'
  | 'rejected'
  | 'gone'
  | 'throttled'

/** The call a fault is played at. */
export interface Call {
  readonly operation: Operation
  readonly request: HttpRequest
  /** An origin nobody configured: it must never be contacted. */
  readonly elsewhere: string
}

/** How a listener takes connections, where that is what is wrong with it. */
export type Door =
  | {readonly is: 'tls'; readonly identity: IdentityName}
  | {
      readonly is: 'proxied'
      readonly identity: IdentityName
      readonly proxy: 'tunnels' | 'refuses' | 'is silent'
    }
  | {readonly is: 'closed' | 'nameless' | 'speechless' | 'silent' | 'resetting' | 'plain behind https'}

/** Listeners besides the service's own, as origins. */
export interface Addresses {
  readonly proxy: string
  /** An origin nobody configured: it must never be contacted. */
  readonly elsewhere: string
}

export interface Fault {
  readonly name: string
  /** More than one where the network decides. */
  readonly means: (operation: Operation) => readonly Meaning[]
  /** Where it can occur; everywhere by default. */
  readonly operations?: readonly Operation[]
  /** What is played instead of sending the whole answer. */
  readonly play?: (socket: Socket, whole: HttpAnswer, call: Call) => void
  /** The connection is reset as soon as the request line is there, with the rest unread. */
  readonly isResetUnread?: boolean
  readonly door?: Door
  /** It ends only with the caller’s time limit. */
  readonly isUntilTimeout?: true
  /** Only the first call of a command meets it. */
  readonly isOnce?: true
  readonly env?: (at: Addresses) => Readonly<Record<string, string>>
}

export function isCreate(operation: Operation): boolean {
  return operation.endsWith(' create')
}

export function isLegacy(operation: Operation): boolean {
  return operation === 'list' || operation === 'get' || operation === 'resend'
}

export function isWrite(operation: Operation): boolean {
  return isCreate(operation) || operation === 'resend'
}

/** What proves that a write was not done: the closed list, and what never left. All else is said after doing, too. */
export function provesNothingDone(meanings: readonly Meaning[]): boolean {
  return meanings.every((meaning) => ['unreached', 'refused', 'rejected'].includes(meaning))
}

/** What a write that meets the fault may have come to, each to be played: whatever is answered. */
export function worksOf(fault: Fault, operation: Operation): readonly Work[] {
  const meanings = fault.means(operation)
  if (!isWrite(operation) || (fault.door && meanings.includes('good'))) return ['done']
  // A create that was not read cannot be carried out; a resend has no body.
  const isUnread = fault.isResetUnread === true && isCreate(operation)
  if (fault.door || isUnread || provesNothingDone(meanings)) return ['not done']
  return operation === 'resend' ? ['done', 'done in vain', 'not done'] : ['done', 'not done']
}

export const always =
  (...meanings: Meaning[]) =>
  (): readonly Meaning[] =>
    meanings
export const doubtful = always('doubtful')

/** A "no" of the closed list (A5b), which is about creates: of a resend no answer proves anything (A7). */
export const refusedUnlessResend = (operation: Operation): readonly Meaning[] => [
  operation === 'resend' ? 'doubtful' : 'refused',
]

/** A "no" that proves nothing of a write, and is no answer to a read. */
export const refusedRead = (operation: Operation): readonly Meaning[] => [
  isWrite(operation) ? 'doubtful' : 'refused',
]

export const throttledRead = (operation: Operation): readonly Meaning[] => [
  isWrite(operation) ? 'doubtful' : 'throttled',
]

/** Of a resend any 2xx counts, for none proves anything: it is `good` or `doubtful` alike. */
export const goodOnceMore = (operation: Operation): readonly Meaning[] => [
  operation === 'resend' ? 'doubtful' : 'good',
]
