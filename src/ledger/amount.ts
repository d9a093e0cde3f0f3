import {bdtWord} from '../core/currency.ts'
import {type Paisa, parsePaisa} from '../core/money.ts'
import {isDateLike, withAsciiDigits} from '../core/reconcile/corruption.ts'
import {quoteCell} from './quotation.ts'

export type LedgerAmount =
  | {readonly ok: true; readonly paisa: Paisa | null}
  | {readonly ok: false; readonly reason: string}

const currencyBefore = new RegExp(`^${bdtWord}\\s*(?=[0-9(−-])`, 'i')
const currencyAfter = new RegExp(`(?<=[0-9])\\s*${bdtWord}$`, 'i')
/** An apostrophe that marks text in a spreadsheet, and `/-` that ends an amount on paper. */
const marks = /^['\u2018\u2019](?=[^'\u2018\u2019])|(?<=[0-9])\s*\/[-=]$/g

const plain = /^[0-9]+(?:\.[0-9]{1,2})?$/
/** 1,234,567.50 */
const inThousands = /^[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]{1,2})?$/
/** 12,34,567.50 */
const inLakhs = /^[1-9][0-9]?(?:,[0-9]{2})*,[0-9]{3}(?:\.[0-9]{1,2})?$/

/**
 * Reads an `amount` cell into paisa. A blank cell is `null`: the amount is unknown.
 *
 * Reads Bengali digits, commas that group by thousands or by lakh and crore, one currency word before or after (৳, BDT,
 * Tk, Taka, টাকা), `/-` behind and an apostrophe before it. Everything else is refused with its reason, because guesses
 * differ by a factor of a hundred: `1234,50` is 1,234.50 in Berlin and no amount in Dhaka.
 */
export function readLedgerAmount(text: string): LedgerAmount {
  // The usual form first, because it is cheap.
  const asItStands = parsePaisa(text)
  if (asItStands !== null) return {ok: true, paisa: asItStands}
  const digits = withAsciiDigits(text.trim())
  if (digits === '') return {ok: true, paisa: null}
  const bare = withoutCurrency(digits.replace(marks, '').trim())
  const grouped = inThousands.test(bare) || inLakhs.test(bare)
  const paisa = grouped || plain.test(bare) ? parsePaisa(bare.replaceAll(',', '')) : null
  return paisa === null
    ? {ok: false, reason: `${quoteCell(text)} is not an amount: ${reasonOf(bare)}`}
    : {ok: true, paisa}
}

/** The amount of a cell; null if it is blank or not an amount. */
export function amountIn(text: string): Paisa | null {
  const amount = readLedgerAmount(text)
  return amount.ok ? amount.paisa : null
}

/** One currency word, on one side: `BDT 500 Tk` is a remark, not an amount. */
function withoutCurrency(text: string): string {
  const bare = text.replace(currencyBefore, '')
  return bare === text ? text.replace(currencyAfter, '') : bare
}

/** The first pattern that matches gives the reason; particular ones come before general ones. */
const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^#/, 'a spreadsheet wrote an error there'],
  [/^=/, 'it is a formula, not its value'],
  [/^[-‐-―−]+$/, 'a dash is neither zero nor blank'],
  [/^[+]?[0-9]+(?:[.,][0-9]+)?E[+-]?[0-9]+$/i, 'a spreadsheet shortened it, and its digits are gone'],
  [/[\u00a0\u2007\u202f]/, 'it holds a non-breaking space'],
  [/^\(.*\)$/, 'it is negative, as brackets mean'],
  [/^[-−(]|[^/][-−)]$/, 'it is negative'],
  [/^\+/, 'it has a sign'],
  [/^0[0-9]/, 'it starts with 0, as a phone or an account does'],
  [/^[0-9.]*,[0-9]{1,2}$/, 'it has a comma where the decimal point belongs'],
  [/^[0-9]+\.[0-9]{3,}$/, 'it has more than two decimals'],
  [/^[0-9]{16}/, 'it has more than 15 digits'],
  [/^[0-9,]+(?:\.[0-9]*)?$/, 'its commas or its point do not stand where an amount has them'],
]

function reasonOf(bare: string): string {
  if (isDateLike(bare)) return 'a spreadsheet took it for a date'
  return reasons.find(([pattern]) => pattern.test(bare))?.[1] ?? 'it is not digits with at most two decimals'
}
