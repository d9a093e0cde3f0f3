import type {Dialect} from '../../core/dialect.ts'
import type {ListMark} from '../../core/reconcile/list-order.ts'
import type {RecordsRead} from '../../core/reconcile/records-read.ts'
import type {Window} from '../../core/reconcile/window.ts'

/** How the records were read, and what that proves. */
export interface DeliveryReading extends RecordsRead {
  /** Every record was seen, so that what is not there is proven absent (P9). */
  readonly isReadWhole: boolean
  /** Every record of the window was seen. */
  readonly coversWindow: boolean
  readonly unavailable: boolean
  /** The service turned the credentials down: another run would end the same way. */
  readonly isRejected?: boolean
  /** What is now known about the list's order, for the next run. */
  readonly mark: ListMark | null | 'unchanged'
}

export interface DeliveryRequest {
  readonly join: Dialect['deliveryJoin']
  /** Where what no row names is to be found as well, which takes the list; null: not looked for. */
  readonly window: Window | null
  /** What an earlier run proved of the list's order; null: nothing, or a person asked for the whole list. */
  readonly mark: ListMark | null
  readonly runId: string
  /** `--no-deliveries` is set. */
  readonly skip: boolean
  readonly width: number
  /** Once aborted nothing more is read, and nothing is concluded from what was. */
  readonly signal?: AbortSignal
  readonly onProgress?: (stage: 'pages' | 'look-ups', done: number, total: number) => void
}

export const nothingRead: DeliveryReading = {
  way: 'none',
  because: null,
  pagesRead: 0,
  pagesTotal: null,
  lookUps: 0,
  ...{isReadWhole: false, coversWindow: false, unavailable: false, mark: 'unchanged'},
}
