import {formatTaka, parsePaisa, sumPaisa} from '../core/money.ts'
import {orderKinds} from '../core/order.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import type {DoubtView} from './doubts-list.ts'
import {counted} from './figures.ts'
import type {ReconcileFacts} from './reconcile-report.ts'
import type {Style} from './table.ts'
import {labelled} from './wrap.ts'

/** The orders need not be in the ledger. */
export function inDoubtText({inDoubt, profile}: ReconcileFacts, style: Style, width: number): string {
  return saidOf(inDoubt, profile)
    .map(([label, text]) => labelled(`${style('yellow', label)} `, text, width))
    .join('\n')
}

export function inDoubtLines(inDoubt: readonly DoubtView[], profile: string): string[] {
  return saidOf(inDoubt, profile).map((said) => said.join(' '))
}

/** Names who is sending now; of the other doubts, the sum and the command that lists them. */
function saidOf(listed: readonly DoubtView[], profile: string): (readonly [label: string, text: string])[] {
  const onItsWay = listed.filter((doubt) => doubt.onItsWay)
  const inDoubt = listed.filter((doubt) => !doubt.onItsWay)
  const senders = [...new Set(onItsWay.map(({sentBy}) => escapeInvisible(sentBy ?? 'hisab', 120)))]
  const orders = onItsWay.map(({orderNo}) => escapeInvisible(orderNo, 80))
  const named = `${orders.slice(0, 3).join(', ')}${orders.length > 3 ? ' …' : ''}`
  return [
    ...(onItsWay.length === 0
      ? []
      : [
          [
            'On its way:',
            `${senders.join(', ')} is sending ${countsOf(onItsWay).join(' and ')} now (${named})`,
          ] as const,
        ]),
    ...(inDoubt.length === 0 ? [] : [['In doubt:', doubtsOf(inDoubt, profile)] as const]),
  ]
}

function doubtsOf(inDoubt: readonly DoubtView[], profile: string): string {
  const paisa = sumPaisa(inDoubt.map(({amount}) => (amount === null ? 0n : (parsePaisa(amount) ?? 0n))))
  const sum = paisa === 0n ? '' : `, BDT ${formatTaka(paisa)} of payouts`
  const next = `hisab payout list --in-doubt --profile ${quoteForShell(profile)}`
  return `the outcome of ${countsOf(inDoubt).join(' and ')} is unknown${sum}. List them: ${next}`
}

/** `1 payout`, `2 resends`. */
function countsOf(inDoubt: readonly DoubtView[]): string[] {
  return ([...orderKinds, 'resend'] as const)
    .map((kind) => ({kind, count: inDoubt.filter((doubt) => doubt.kind === kind).length}))
    .filter(({count}) => count > 0)
    .map(({kind, count}) => counted(count, kind, `${kind}s`))
}
