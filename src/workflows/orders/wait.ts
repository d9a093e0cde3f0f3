import type {ServiceClient} from '../../api/client.ts'
import {Failure, isStop} from '../../core/failure.ts'
import type {OrderKind} from '../../core/order.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import {askOrder, noAnswer} from './ask.ts'

export interface WaitPorts {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  /** A monotonic clock, so that setting the machine's clock does not change the wait. */
  readonly monotonic: () => number
  /** May reject when the wait is stopped. */
  readonly sleep: (ms: number) => Promise<void>
  readonly signal: AbortSignal
  readonly onLook: (side: ServiceSide, leftMs: number) => void
}

const firstPauseMs = 2_000
const pauseMaxMs = 10_000
const pauseGrowth = 1.25

/**
 * Queries an order until it is completed or failed, every two seconds at first and every ten later. Returns the last
 * known state, also at the deadline and when stopped; null if there never was one. Failed queries are repeated. Throws
 * if further queries are pointless, for example with rejected credentials.
 */
export async function waitForOrder(
  kind: OrderKind,
  orderNo: string,
  waitMs: number,
  {client, monotonic, sleep, signal, onLook}: WaitPorts,
): Promise<ServiceSide | null> {
  const deadlineMs = monotonic() + waitMs
  let last: ServiceSide | null = null
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMaxMs, pauseMs * pauseGrowth)) {
    try {
      const side = await askOrder(client, {kind, orderNo})
      const seen = side instanceof Failure ? noAnswer(side) : side
      // A failed query does not replace a known state.
      if (seen.is !== 'no_answer' || last === null) last = seen
      const leftMs = deadlineMs - monotonic()
      onLook(seen, Math.max(0, leftMs))
      if (isOver(last) || leftMs <= 0 || signal.aborted) return last
      await sleep(Math.min(pauseMs, leftMs))
    } catch (error) {
      if (signal.aborted || (error instanceof Failure && isStop(error))) return last
      throw error
    }
  }
}

function isOver(side: ServiceSide): boolean {
  return side.is === 'found' && (side.order.status === 'completed' || side.order.status === 'failed')
}
