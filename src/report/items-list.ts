import {causeLabel, itemStateLabels, verdictLabel} from '../core/labels.ts'
import {formatPaisa, parsePaisa, sumPaisa} from '../core/money.ts'
import {type OrderKind, orderKinds} from '../core/order.ts'
import {ageDays, type ClosedBy} from '../core/reconcile/history.ts'
import {type ItemState, itemState, type OpenItem} from '../core/reconcile/item.ts'
import type {Cause, Severity, Verdict} from '../core/reconcile/verdict.ts'
import {formatInstant} from '../core/time.ts'
import {counted, grouped} from './figures.ts'
import {viewAmount} from './finding-view.ts'
import {type ListColumn, takaColumn} from './list-text.ts'

export interface ItemView {
  readonly orderNo: string
  readonly kind: OrderKind
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly state: ItemState
  readonly severity: Severity
  readonly amountAtRisk: string | null
  /** Null if neither a row nor a webhook shows it. */
  readonly orderedAt: string | null
  /** Whole days since the order was made, or if that is unknown, since the item was found. */
  readonly ageDays: number
  readonly firstSeenAt: string
  readonly lastSeenAt: string
  readonly lastRunId: string
  readonly owner: string | null
  readonly note: string | null
  readonly next: string | null
  readonly closedAt: string | null
  readonly closedBy: ClosedBy | null
}

/** `checkedBy`: the run that last checked the open items, or null. */
export function viewItem(
  item: OpenItem,
  {nowMs, timeZone, checkedBy}: {nowMs: number; timeZone: string; checkedBy: string | null},
): ItemView {
  const {orderNo, kind, verdict, cause, severity, atRisk, owner, note, closedMs, closedBy} = item
  const {orderedAtMs, openedMs, firstSeenMs, lastSeenMs, lastRunId} = item
  const time = (ms: number | null) => (ms === null ? null : formatInstant(ms, timeZone))
  return {
    ...{orderNo, kind, verdict, cause, state: itemState(item), severity},
    amountAtRisk: viewAmount(atRisk),
    ...{orderedAt: time(orderedAtMs), ageDays: ageDays(orderedAtMs ?? openedMs, closedMs ?? nowMs)},
    firstSeenAt: formatInstant(firstSeenMs, timeZone),
    lastSeenAt: formatInstant(lastSeenMs, timeZone),
    ...{lastRunId, owner, note, next: nextStep(item, checkedBy), closedAt: time(closedMs), closedBy},
  }
}

const newExport = 'Run hisab with a new export of the ledger of its time.'

const nextOfVerdict: Readonly<Record<Verdict, string>> = {
  matched: 'Nothing.',
  in_flight: 'Ask the service: its query and its webhook differ.',
  missing_completion: newExport,
  missing_in_ledger: newExport,
  amount_mismatch: 'Find out which amount was paid. Correct the ledger.',
  status_mismatch: 'Compare your books with the service. Correct the wrong one.',
  missing_at_provider: 'Ask the service about this order.',
  unknown_status: 'Ask the service what the status means. Add it to [status] of the profile.',
  query_failed: 'Run hisab again.',
  duplicate_in_ledger: 'Keep one row. Run hisab with the corrected ledger.',
  unreadable_row: 'Correct the row. Run hisab with the corrected ledger.',
}

const nextOfCause: Readonly<Partial<Record<Cause, string>>> = {
  delivered: 'A later ledger that has it booked confirms it. Else look in your books.',
  retry_scheduled: 'Wait: the service retries its webhook.',
  recently_resent: 'Find out why your server did not take it. A later run resends it.',
  delivered_not_booked: 'Your server took the webhook. Find out why it did not book it.',
  resend_in_doubt: "Look in your server's log. Not there: run with --retry-unknown.",
  no_delivery_record: 'Book it by hand if booking.csv has it.',
  resend_unavailable: 'Book it by hand if booking.csv has it.',
  delivery_unknown: 'Run hisab again.',
  failed_maybe_paid: 'Look who has the money. Give nothing back before.',
  booked_before_resent: 'Look whether it is booked twice. Then close the item.',
  paid_after_all: 'Look whether the player has the money twice. Then close the item.',
  failed_not_booked: 'Close the order in your ledger, or resend its webhook.',
}

function nextStep({cause, verdict, closedMs, lastRunId}: OpenItem, checkedBy: string | null): string | null {
  if (closedMs !== null) return null
  const next = (cause === null ? undefined : nextOfCause[cause]) ?? nextOfVerdict[verdict]
  return checkedBy === null || checkedBy === lastRunId ? next : `Not checked in the last run. ${next}`
}

const isOpen = ({state}: ItemView) => state === 'open' || state === 'delivered'

/** `12 deposits open, BDT 3,400.00 at risk; 2 delivered, not confirmed`, for each kind. */
export function itemTotals(items: readonly ItemView[]): string {
  return orderKinds
    .flatMap((kind) => {
      const own = items.filter((item) => item.kind === kind && isOpen(item))
      if (own.length === 0) return []
      const open = own.filter(({state}) => state === 'open')
      const atRisk = sumPaisa(open.map(({amountAtRisk}) => parsePaisa(amountAtRisk ?? '') ?? 0n))
      const delivered = own.length - open.length
      const waits = delivered > 0 ? `; ${delivered} delivered, not confirmed` : ''
      return `${counted(open.length, `${kind} open`, `${kind}s open`)}, BDT ${grouped(formatPaisa(atRisk))} at risk${waits}`
    })
    .join('\n')
}

const day = (time: string | null) => time?.slice(0, 10) ?? ''

export const itemColumns: readonly ListColumn<ItemView>[] = [
  {name: 'order_no', title: 'ORDER', kind: 'text', value: ({orderNo}) => orderNo},
  {name: 'kind', title: 'KIND', kind: 'text', value: ({kind}) => kind, dropRank: 5},
  {
    ...{name: 'state', title: 'STATE', kind: 'text', value: ({state}) => state, dropRank: 4},
    shown: ({state}) => itemStateLabels[state].en,
  },
  {
    ...{name: 'verdict', title: 'RESULT', kind: 'text', value: ({verdict}) => verdict},
    shown: ({verdict, kind}) => verdictLabel(verdict, kind).en,
  },
  takaColumn('amount_at_risk', ({amountAtRisk}) => amountAtRisk),
  {name: 'age_days', title: 'DAYS', kind: 'number', value: ({ageDays}) => ageDays},
  {name: 'owner', title: 'OWNER', kind: 'text', value: ({owner}) => owner},
  {
    ...{name: 'ordered_at', title: 'ORDERED', kind: 'text', value: ({orderedAt}) => orderedAt, dropRank: 1},
    shown: ({orderedAt}) => day(orderedAt),
  },
  {
    ...{
      name: 'first_seen_at',
      title: 'FIRST',
      kind: 'text',
      value: ({firstSeenAt}) => firstSeenAt,
      dropRank: 2,
    },
    shown: ({firstSeenAt}) => day(firstSeenAt),
  },
  {
    ...{name: 'last_seen_at', title: 'LAST', kind: 'text', value: ({lastSeenAt}) => lastSeenAt, dropRank: 3},
    shown: ({lastSeenAt}) => day(lastSeenAt),
  },
  {name: 'cause', kind: 'text', value: ({cause}) => cause},
  {name: 'severity', kind: 'text', value: ({severity}) => severity},
  {name: 'last_run', kind: 'text', value: ({lastRunId}) => lastRunId},
  {name: 'closed_at', kind: 'text', value: ({closedAt}) => closedAt},
  {name: 'closed_by', kind: 'text', value: ({closedBy}) => closedBy},
  {name: 'note', kind: 'text', value: ({note}) => note},
  {
    ...{name: 'next', title: 'NEXT', kind: 'text', isBelow: true as const},
    value: ({cause, kind, note, next}) =>
      [
        cause === null ? '' : `${causeLabel(cause, kind).en}.`,
        note === null ? '' : `Note: ${note}`,
        next ?? '',
      ]
        .filter(Boolean)
        .join(' '),
  },
]
