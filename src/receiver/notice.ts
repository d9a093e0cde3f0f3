import type {Failure} from '../core/failure.ts'
import type {ForwardAnswer} from './forwarder.ts'
import type {Taken} from './inbox.ts'
import type {RefusalReason} from './verify-webhook.ts'
import type {Webhook} from './webhook.ts'

/** What the receiver tells of its work: never a signature, never a secret (P20). */
export type Notice =
  | {
      readonly type: 'received'
      readonly atMs: number
      readonly webhook: Webhook
      readonly taken: Taken
      /** Fields that neither the service's document nor the profile names. */
      readonly undocumented: readonly string[]
      /** What the sender was answered. */
      readonly httpStatus: number
      /** Null where the event was not forwarded this time. */
      readonly forward: ForwardAnswer | null
      /** Whether this is the one delivery with which the event was dealt with: stored, or acknowledged behind. */
      readonly isHandled: boolean
    }
  | {
      readonly type: 'refused'
      readonly atMs: number
      readonly httpStatus: number
      readonly reason: RefusalReason | 'not_http' | 'too_slow' | 'headers_too_large'
      readonly message: string
      /** Which known mistake makes such a signature, where it was looked for. */
      readonly why: string | null
      /** The sender's address. */
      readonly from: string | null
    }
  /** Genuine and not stored: answered 503, so that the service sends it again (P16). */
  | {
      readonly type: 'unstored'
      readonly atMs: number
      readonly webhook: Webhook
      readonly failure: Failure
    }
  /** Acknowledged by the merchant's server, which could not be written down: it may get the event once more. */
  | {
      readonly type: 'unrecorded'
      readonly atMs: number
      readonly webhook: Webhook
      readonly failure: Failure
    }
  | {readonly type: 'defect'; readonly atMs: number; readonly message: string}
  /** A connection beyond the limit. */
  | {readonly type: 'dropped'; readonly atMs: number}

export type OnNotice = (notice: Notice) => void
