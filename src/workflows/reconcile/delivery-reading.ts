import type {Dialect} from '../../core/dialect.ts'
import type {ListMark} from '../../core/reconcile/list-order.ts'
import type {RecordsRead} from '../../core/reconcile/records-read.ts'
import type {Window} from '../../core/reconcile/window.ts'

/** How the records were read, and what that proves. */
export interface DeliveryReading extends RecordsRead {
  /** Every record was read, so a missing one is proven absent (P9). */
  readonly isReadWhole: boolean
  /** Every record of the window was read. */
  readonly coversWindow: boolean
  readonly unavailable: boolean
  /** The service rejected the credentials, so another run would fail the same way. */
  readonly isRejected?: boolean
  /** What is now known about the list's order, for the next run. */
  readonly mark: ListMark | null | 'unchanged'
}

export interface DeliveryRequest {
  readonly join: Dialect['deliveryJoin']
  /** The window to search for orders without a row, which needs the list; null: no search. */
  readonly window: Window | null
  /** What an earlier run proved about the list's order; null: nothing, or the whole list was requested. */
  readonly mark: ListMark | null
  readonly runId: string
  /** `--no-deliveries` is set. */
  readonly skip: boolean
  readonly width: number
  /** After it aborts nothing more is read, and what was read proves nothing. */
  readonly signal?: AbortSignal
  readonly onProgress: (stage: 'pages' | 'look-ups', done: number, total: number) => void
}

export const nothingRead: DeliveryReading = {
  way: 'none',
  because: null,
  pagesRead: 0,
  pagesTotal: null,
  lookUps: 0,
  ...{isReadWhole: false, coversWindow: false, unavailable: false, mark: 'unchanged'},
}
