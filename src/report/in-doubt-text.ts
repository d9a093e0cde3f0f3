import {formatTaka, parsePaisa, sumPaisa} from '../core/money.ts'
import {orderKinds} from '../core/order.ts'
import {quoteForShell} from '../core/shell.ts'
import type {DoubtView} from './doubts-list.ts'
import {counted} from './figures.ts'
import type {ReconcileFacts} from './reconcile-report.ts'
import type {Style} from './table.ts'
import {labelled} from './wrap.ts'

/** Doubts. Their orders need not be in the ledger. */
export function inDoubtText({inDoubt, profile}: ReconcileFacts, style: Style, width: number): string {
  if (inDoubt.length === 0) return ''
  return labelled(`${style('yellow', 'In doubt:')} `, saidOf(inDoubt, profile), width)
}

export function inDoubtLine(inDoubt: readonly DoubtView[], profile: string): string {
  return `In doubt: ${saidOf(inDoubt, profile)}`
}

function saidOf(inDoubt: readonly DoubtView[], profile: string): string {
  const paisa = sumPaisa(inDoubt.map(({amount}) => (amount === null ? 0n : (parsePaisa(amount) ?? 0n))))
  const sum = paisa === 0n ? '' : `, BDT ${formatTaka(paisa)} of payouts`
  const next = `hisab payout list --in-doubt --profile ${quoteForShell(profile)}`
  return `the outcome of ${countsOf(inDoubt).join(' and ')} is unknown${sum}. List them: ${next}`
}

/** `1 payout`, `2 resends`: of each kind that there is. */
function countsOf(inDoubt: readonly DoubtView[]): string[] {
  return ([...orderKinds, 'resend'] as const)
    .map((kind) => ({kind, count: inDoubt.filter((doubt) => doubt.kind === kind).length}))
    .filter(({count}) => count > 0)
    .map(({kind, count}) => counted(count, kind, `${kind}s`))
}
