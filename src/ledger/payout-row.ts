import type {Paisa} from '../core/money.ts'
import {type PayoutChannel, payoutChannels, walletNumber} from '../core/order.ts'
import {readPayoutAmount} from '../core/payout-amount.ts'
import {orderNoFault} from './order-no.ts'
import {quoteCell} from './quotation.ts'

/** The columns of a payout file: the flags of `payout create`. */
export const payoutColumns = ['out_order_no', 'amount', 'bank_type', 'user_name', 'account'] as const
export type PayoutColumn = (typeof payoutColumns)[number]

/** One row that can be paid, as far as the file tells. */
export interface PayoutRow {
  readonly line: number
  readonly outOrderNo: string
  readonly amount: Paisa
  readonly bankType: PayoutChannel
  readonly userName: string
  readonly account: string
}

/** One sentence on what is wrong with a row. */
export interface PayoutProblem {
  readonly line: number
  readonly detail: string
}

/** Everything that is wrong with a row at once, or the row. Nothing is repaired: what is guessed would be paid. */
export function readPayoutRow(
  line: number,
  text: (column: PayoutColumn) => string,
): PayoutRow | PayoutProblem[] {
  const outOrderNo = text('out_order_no')
  const amount = readPayoutAmount(text('amount'))
  const bankType = payoutChannels.find((channel) => channel === text('bank_type'))
  const [userName, account] = [text('user_name'), text('account')]
  const details = [
    outOrderNo.trim() === '' ? 'out_order_no is blank.' : numberFault(outOrderNo),
    amount.ok ? null : amount.reason,
    bankType === undefined ? channelFault(text('bank_type')) : null,
    userName.trim() === '' ? 'user_name is blank.' : null,
    walletNumber.test(account) ? null : accountFault(account),
  ].filter((detail) => detail !== null)
  if (details.length > 0 || !amount.ok || bankType === undefined) {
    return details.map((detail) => ({line, detail}))
  }
  return {line, outOrderNo, amount: amount.paisa, bankType, userName, account}
}

function numberFault(text: string): string | null {
  return orderNoFault(text)?.replace(/^order_no/, 'out_order_no') ?? null
}

function channelFault(text: string): string {
  if (text === '') return 'bank_type is blank.'
  const meant = payoutChannels.find((channel) => channel === text.trim().toUpperCase())
  const help = meant === undefined ? `one of ${payoutChannels.join(', ')}` : meant
  return `bank_type ${quoteCell(text)} is not a channel; write ${help}.`
}

/** The likelier first. */
const accountFaults: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^$/, 'is blank'],
  [/^1[3-9][0-9]{8}$/, 'has lost its leading 0, as spreadsheets do; make the column text'],
  [/E[+-]?[0-9]+$/i, 'was shortened by a spreadsheet, and its digits are gone; make the column text'],
  [/[০-৯]/, 'is written in Bengali digits; write 0 to 9'],
  [/^\+?88/, 'begins with the country code; leave it out'],
  [/[\s-]/, 'has blanks or hyphens; leave them out'],
  [/^[0-9]{0,10}$/, 'has too few digits'],
  [/^[0-9]{12,}$/, 'has too many digits'],
]

function accountFault(text: string): string {
  const what = accountFaults.find(([pattern]) => pattern.test(text))?.[1]
  return what === undefined || what === 'is blank'
    ? `account ${what ?? `${quoteCell(text)} is not a mobile number of Bangladesh: 01, then 3 to 9, then eight more digits`}.`
    : `account ${quoteCell(text)} ${what}.`
}
