import type {Failure} from '../core/failure.ts'
import type {ForwardAnswer} from './forwarder.ts'
import type {Taken} from './inbox.ts'
import type {RefusalReason} from './verify-webhook.ts'
import type {Webhook} from './webhook.ts'

/** What the receiver reports: never a signature, never a secret (P20). */
export type Notice =
  | {
      readonly type: 'received'
      readonly atMs: number
      readonly webhook: Webhook
      readonly taken: Taken
      /** Fields that neither the service's document nor the profile names. */
      readonly undocumented: readonly string[]
      readonly httpStatus: number
      /** Null if the event was not forwarded this time. */
      readonly forward: ForwardAnswer | null
      /** Whether this delivery completed the event: stored, or acknowledged by the server. */
      readonly isHandled: boolean
    }
  | {
      readonly type: 'refused'
      readonly atMs: number
      readonly httpStatus: number
      readonly reason: RefusalReason | 'not_http' | 'too_slow' | 'headers_too_large'
      readonly message: string
      /** The known mistake that makes such a signature, if it was searched for. */
      readonly why: string | null
      /** The sender's address. */
      readonly from: string | null
    }
  /** Genuine but not stored: answered with 503, so that the service sends it again (P16). */
  | {
      readonly type: 'unstored'
      readonly atMs: number
      readonly webhook: Webhook
      readonly failure: Failure
    }
  /** The merchant's server acknowledged it, but that could not be stored: it may get the event again. */
  | {
      readonly type: 'unrecorded'
      readonly atMs: number
      readonly webhook: Webhook
      readonly failure: Failure
    }
  | {readonly type: 'defect'; readonly atMs: number; readonly message: string}
  | {readonly type: 'dropped'; readonly atMs: number}

export type OnNotice = (notice: Notice) => void
