import {bdtWord} from '../currency.ts'
import type {Paisa} from '../money.ts'
import {isDateLike, withAsciiDigits} from './corruption.ts'

const figures = new RegExp(String.raw`^${bdtWord}?\s*[+-]?\d[\d.,'\s-]*${bdtWord}?$`, 'iu')

/** The digits of an amount without separators and outer zeros, marked as no amount. */
export function digitsOf(amount: Paisa): string {
  return mark(amount.toString())
}

/**
 * What an unreadable amount may have been, by its digits, separated by blanks: all of them, or those before too many
 * decimals. Null if it may have been any amount.
 */
export function mayHaveBeen(text: string): string | null {
  const plain = withAsciiDigits(text.trim())
  if (!figures.test(plain) || isDateLike(plain)) return null
  const digits = plain.replaceAll(/\D/g, '')
  const decimals = /[.,](\d{3,})\D*$/.exec(plain)?.[1]?.length ?? 2
  const cut = digits.slice(0, digits.length - (decimals - 2))
  return [
    ...new Set([digits, cut, (BigInt(cut) + 1n).toString()].slice(0, decimals > 2 ? 3 : 1).map(mark)),
  ].join(' ')
}

function mark(digits: string): string {
  return `~${digits.replaceAll(/^0+|0+$/g, '')}`
}
