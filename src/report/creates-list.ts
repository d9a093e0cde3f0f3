import type {Paisa} from '../core/money.ts'
import type {OrderKind} from '../core/order.ts'
import {formatInstant, formatMinute, parseInstant, spanText} from '../core/time.ts'
import {viewAmount} from './finding-view.ts'
import {type ListColumn, takaColumn} from './list-text.ts'

interface CreateFacts {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly state: string
  readonly confirmation: string | null
  readonly inDoubt: boolean
  readonly isDeclaredNotMade: boolean
  readonly amount: Paisa | null
  readonly channel: string | null
  readonly maskedAccount: string | null
  readonly platformOrderNo: string | null
  readonly intentAtMs: number
  readonly confirmationWhy: string | null
  readonly sentBy: string | null
}

export interface CreateView {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly inDoubt: boolean
  /** `intent` and `unknown` may never have been accepted; `accepted` in doubt differs from what was sent. */
  readonly state: string
  /** `refused` by a person's word, not by the service. */
  readonly recordedNotMade: boolean
  readonly confirmation: string | null
  readonly amount: string | null
  readonly bankType: string | null
  /** `017****5678`. */
  readonly account: string | null
  readonly platformOrderNo: string | null
  readonly sentAt: string
  /** `person@machine`; null in a journal of one machine. */
  readonly sentBy: string | null
  readonly ageSeconds: number
  readonly why: string | null
}

export function viewCreate(facts: CreateFacts, nowMs: number, timeZone: string): CreateView {
  const {kind, orderNo, state, confirmation, inDoubt, amount, intentAtMs} = facts
  return {
    ...{kind, orderNo, inDoubt, state, recordedNotMade: facts.isDeclaredNotMade, confirmation},
    amount: viewAmount(amount),
    ...{bankType: facts.channel, account: facts.maskedAccount, platformOrderNo: facts.platformOrderNo},
    ...{sentAt: formatInstant(intentAtMs, timeZone), sentBy: facts.sentBy},
    ageSeconds: Math.max(0, Math.floor((nowMs - intentAtMs) / 1_000)),
    why: confirmation === 'confirmed' ? null : facts.confirmationWhy,
  }
}

export function standingOf({kind, inDoubt, state, recordedNotMade}: CreateView): string {
  if (inDoubt) return 'in doubt'
  if (recordedNotMade) return `recorded as not ${kind === 'payout' ? 'paid' : 'made'}`
  if (state === 'refused') return 'refused'
  return 'accepted'
}

export function createColumns(timeZone: string): readonly ListColumn<CreateView>[] {
  return [
    {name: 'kind', kind: 'text', value: ({kind}) => kind},
    {name: 'orderNo', title: 'ORDER', kind: 'text', value: ({orderNo}) => orderNo},
    ...moneyColumns<CreateView>(),
    {name: 'state', title: 'STATE', kind: 'text', value: ({state}) => state, shown: standingOf},
    {name: 'confirmation', kind: 'text', value: ({confirmation}) => confirmation},
    {name: 'inDoubt', kind: 'text', value: ({inDoubt}) => inDoubt},
    {name: 'platformOrderNo', kind: 'text', value: ({platformOrderNo}) => platformOrderNo},
    ...sendingColumns<CreateView>(timeZone),
  ]
}

/** Columns that lists of creates and of doubts share: amount and recipient. */
export function moneyColumns<
  T extends Pick<CreateView, 'amount' | 'account' | 'bankType'>,
>(): ListColumn<T>[] {
  return [
    takaColumn('amount', ({amount}) => amount),
    {name: 'account', title: 'ACCOUNT', kind: 'text', value: ({account}) => account, dropRank: 2},
    {name: 'bankType', title: 'CHANNEL', kind: 'text', value: ({bankType}) => bankType, dropRank: 3},
  ]
}

/** Columns that both lists share: when it was sent, and why it is not resolved. */
export function sendingColumns<T extends Pick<CreateView, 'sentAt' | 'sentBy' | 'ageSeconds' | 'why'>>(
  timeZone: string,
): ListColumn<T>[] {
  return [
    {
      name: 'sentAt',
      title: 'SENT',
      kind: 'text',
      value: ({sentAt}) => sentAt,
      shown: ({sentAt}) => formatMinute(parseInstant(sentAt) ?? 0, timeZone),
      dropRank: 5,
    },
    {
      name: 'ageSeconds',
      title: 'AGE',
      kind: 'number',
      value: ({ageSeconds}) => ageSeconds,
      shown: ({ageSeconds}) => spanText(ageSeconds),
    },
    {name: 'why', title: 'WHY', kind: 'text', value: ({why}) => why, isBelow: true},
    {name: 'sentBy', title: 'SENT BY', kind: 'text', value: ({sentBy}) => sentBy, dropRank: 4},
  ]
}
