import type {Dialect} from '../../core/dialect.ts'
import {stateOfEvent} from '../../core/event-state.ts'
import {type Delivery, orderKinds} from '../../core/order.ts'
import {formatMinute} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'

type Memory = Pick<Journal, 'findFinalOrders' | 'findingsOf' | 'listIgnores'>

/** Why a record is left out for what `reconcile` saw of its order. `isOpen`: a person has still to settle it. */
export interface Reconciled {
  readonly why: string
  readonly isOpen: boolean
}

/**
 * What runs of `reconcile` know of the order of an event that may say completed, by its number and of either kind, because a record
 * does not say it: found booked, in dispute, or left alone by a person. Null where nothing speaks against its resend.
 */
export function reconciledBy(
  journal: Memory,
  {dialect, nowMs, timeZone}: {readonly dialect: Dialect; readonly nowMs: number; readonly timeZone: string},
): (record: Pick<Delivery, 'event' | 'merchantOrderId'>) => Reconciled | null {
  const ignores = Map.groupBy(
    journal.listIgnores().filter(({expiresAtMs}) => nowMs < expiresAtMs),
    ({orderNo}) => orderNo,
  )
  return ({event, merchantOrderId: orderNo}) => {
    const state = stateOfEvent(event, dialect)
    if (state === 'open' || state === 'failed' || orderNo === '') return null
    const [ignore] = ignores.get(orderNo) ?? []
    if (ignore) {
      const until = formatMinute(ignore.expiresAtMs, timeZone)
      return {
        why: `${ignore.by} said to leave it alone until ${until}: ${ignore.reason}. ${override}`,
        isOpen: false,
      }
    }
    for (const kind of orderKinds) {
      const open = journal
        .findingsOf(kind, orderNo)
        .find(({verdict, closedMs}) => closedMs === null && inDispute.includes(verdict))
      if (open) {
        const why = `Run ${open.lastRunId} of reconcile found it ${open.verdict}, and that is open: settle it first. ${override}`
        return {why, isOpen: true}
      }
      const [final] = journal.findFinalOrders(kind, [orderNo])
      if (final?.status === 'completed') {
        return {
          why: `Run ${final.runId} of reconcile found it booked in a ledger. ${override}`,
          isOpen: false,
        }
      }
    }
    return null
  }
}

const inDispute: readonly string[] = ['amount_mismatch', 'duplicate_in_ledger']
const override = '--include-delivered sends it all the same.'
