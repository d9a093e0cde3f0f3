import {formatTaka, parsePaisa, sumPaisa} from '../core/money.ts'
import {orderKinds} from '../core/order.ts'
import {quoteForShell} from '../core/shell.ts'
import {counted} from './figures.ts'
import type {ReconcileFacts} from './reconcile-report.ts'
import type {Paint} from './table.ts'
import {labelled} from './wrap.ts'

/** Payouts and deposits nobody knows the outcome of: they are in no ledger, so no row names them. */
export function inDoubtText({inDoubt, profile}: ReconcileFacts, paint: Paint, width: number): string {
  if (inDoubt.length === 0) return ''
  const counts = orderKinds
    .map((kind) => ({kind, count: inDoubt.filter((doubt) => doubt.kind === kind).length}))
    .filter(({count}) => count > 0)
    .map(({kind, count}) => counted(count, kind, `${kind}s`))
  const paisa = sumPaisa(inDoubt.map(({amount}) => (amount === null ? 0n : (parsePaisa(amount) ?? 0n))))
  const sum = paisa === 0n ? '' : `, BDT ${formatTaka(paisa)} of payouts`
  const next = `hisab payout list --in-doubt --profile ${quoteForShell(profile)}`
  return labelled(
    `${paint('yellow', 'In doubt:')} `,
    `nobody knows whether ${counts.join(' and ')} made here were carried out${sum}. List them: ${next}`,
    width,
  )
}
