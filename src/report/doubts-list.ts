import {doubtLabels, onItsWayLabel} from '../core/labels.ts'
import type {Paisa} from '../core/money.ts'
import type {OrderKind, RequestState} from '../core/order.ts'
import {formatInstant} from '../core/time.ts'
import {moneyColumns, sendingColumns} from './creates-list.ts'
import {viewAmount} from './finding-view.ts'
import type {ListColumn} from './list-text.ts'

interface DoubtFacts {
  readonly kind: OrderKind | 'resend'
  readonly orderNo: string
  readonly recordId: string | null
  readonly state: RequestState
  readonly amount: Paisa | null
  readonly channel: string | null
  readonly maskedAccount: string | null
  readonly intentAtMs: number
  readonly sentBy: string | null
  readonly isOnItsWay: boolean
  readonly why: string
  readonly next: string
}

export interface DoubtView {
  readonly kind: OrderKind | 'resend'
  readonly orderNo: string
  /** The delivery record of a resend. */
  readonly recordId: string | null
  /** `intent` and `unknown` may never have been accepted; `accepted` differs from what was sent. */
  readonly state: RequestState
  readonly amount: string | null
  readonly bankType: string | null
  readonly account: string | null
  readonly sentAt: string
  readonly sentBy: string | null
  /** Another machine of a shared journal is sending it now: not yet a doubt. */
  readonly onItsWay: boolean
  readonly ageSeconds: number
  readonly why: string
  readonly next: string
}

export function viewDoubt(facts: DoubtFacts, nowMs: number, timeZone: string): DoubtView {
  const {kind, orderNo, recordId, state, amount, channel, maskedAccount, intentAtMs, sentBy} = facts
  const {isOnItsWay: onItsWay, why, next} = facts
  return {
    ...{kind, orderNo, recordId, state},
    amount: viewAmount(amount),
    ...{bankType: channel, account: maskedAccount},
    ...{sentAt: formatInstant(intentAtMs, timeZone), sentBy, onItsWay},
    ageSeconds: Math.max(0, Math.floor((nowMs - intentAtMs) / 1_000)),
    ...{why, next},
  }
}

export function doubtColumns(timeZone: string): readonly ListColumn<DoubtView>[] {
  return [
    {name: 'kind', title: 'KIND', kind: 'text', value: ({kind}) => kind},
    {name: 'orderNo', title: 'ORDER', kind: 'text', value: ({orderNo}) => orderNo},
    {name: 'recordId', kind: 'text', value: ({recordId}) => recordId},
    ...moneyColumns<DoubtView>(),
    {
      ...{name: 'state', title: 'STATE', kind: 'text', value: ({state}) => state, dropRank: 4},
      shown: ({state, onItsWay}) => (onItsWay ? onItsWayLabel : doubtLabels[state]).en,
    },
    ...sendingColumns<DoubtView>(timeZone),
    {name: 'next', title: 'NEXT', kind: 'text', value: ({next}) => `Next: ${next}`, isBelow: true},
  ]
}
