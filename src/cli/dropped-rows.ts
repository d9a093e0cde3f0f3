import * as Flags from '@oclif/core/flags'

import {formatTaka} from '../core/money.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import type {DroppedRow} from '../journal/account-memory.ts'
import {viewAmount} from '../report/finding-view.ts'

export type DroppedRowView = Omit<DroppedRow, 'amount'> & {readonly amount: string | null}

/** Which of two journals is right if they contradict each other. */
export const keepFlag = (summary: string) => Flags.option({options: ['this', 'other'] as const})({summary})

/** Lists creates that were dropped because the other journal has the number. */
export function viewDropped(rows: readonly DroppedRow[]): DroppedRowView[] {
  return rows.map(({amount, ...row}) => ({...row, amount: viewAmount(amount)}))
}

export function tellDropped(rows: readonly DroppedRow[]): void {
  for (const {kind, orderNo, amount, maskedAccount, path, isNeverMade} of rows) {
    const money = amount === null ? '' : ` of BDT ${formatTaka(amount)} to ${maskedAccount ?? '?'}`
    const why = isNeverMade
      ? 'the number was accepted for another before it was sent, so it was never made'
      : `it may have been made, so it is in doubt. Query it: hisab ${kind} query ${quoteForShell(orderNo)}`
    process.stderr.write(
      `note: the ${kind} ${escapeInvisible(orderNo, 80)}${money}, of ${escapeInvisible(path)}, was not kept: ${why}.\n`,
    )
  }
}
