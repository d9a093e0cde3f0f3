import type {Socket} from 'node:net'

import type {IdentityName} from './certificates.ts'
import type {Operation} from './honest-service.ts'
import type {HttpAnswer, HttpRequest} from './wire.ts'

/**
 * What a call that meets the fault comes to. `good`: nothing is wrong with it after all. `partial`: a page that
 * is fine by itself, of a list that is not. `unreached`: nothing can have been sent. `doubtful`: it may have
 * happened. `refused`, `rejected` (the credentials) and `gone` (no such API): it has not. `throttled`: nor that.
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
  /** Counts the calls of this operation from 1. */
  readonly nth: number
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
  readonly env?: (at: Addresses) => Readonly<Record<string, string>>
}

export function isCreate(operation: Operation): boolean {
  return operation.endsWith(' create')
}

export function isLegacy(operation: Operation): boolean {
  return operation === 'list' || operation === 'get' || operation === 'resend'
}

export const always =
  (...meanings: Meaning[]) =>
  (): readonly Meaning[] =>
    meanings
export const doubtful = always('doubtful')

/** An answer nobody can read. Of a resend any 2xx counts, for none proves anything. */
export const doubtfulUnlessResend = (operation: Operation): readonly Meaning[] => [
  operation === 'resend' ? 'good' : 'doubtful',
]
