import {foldOrderNo, isShortened} from '../order-no-fold.ts'
import type {Corruption, CorruptionKind, LedgerEntry} from './entry.ts'

/** Digits that a spreadsheet keeps; later ones become zeros. */
const digitsKept = 15

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
const dateLike = new RegExp(
  `^(?:\\d{1,2}[-/ ](?:${months})(?:[-/ ]\\d{2,4})?|(?:${months})[-/ ]\\d{1,4}|\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4}(?:[ T]\\d\\d?:\\d\\d.*)?)$`,
  'i',
)

/** Whether a cell looks like a date that a spreadsheet made. */
export function isDateLike(text: string): boolean {
  return dateLike.test(text.trim())
}

/** Bengali digits as ASCII; other characters stay. */
export function withAsciiDigits(text: string): string {
  return text.replace(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - 0x9e6))
}

const nonBreaking = /[\u00a0\u2007\u202f]/

export function corruptionOf(column: 'order_no' | 'amount', text: string): Corruption | null {
  if (/^[+-]?\d+(?:[.,]\d+)?E[+-]?\d+$/i.test(withAsciiDigits(text.trim()))) return hint('shortened')
  const without = text.replaceAll(new RegExp(nonBreaking, 'g'), column === 'amount' ? '' : ' ').trim()
  if (text.search(nonBreaking) >= 0) return hint('non_breaking_space', without)
  return column === 'amount' && isDateLike(text) ? hint('read_as_date') : null
}

function hint(what: CorruptionKind, repair: string | null = null): Corruption {
  return {what, repair, isCertain: false}
}

/** Properties of a ledger's order numbers: the lengths of numeric ones, and whether any has a leading zero. */
export interface NumberColumn {
  readonly usualLength: number | null
  readonly keepsZeros: boolean
}

export function describeNumbers(entries: Iterable<Pick<LedgerEntry, 'orderNo'>>): NumberColumn {
  const counts = new Map<number, number>()
  let keepsZeros = false
  for (const {orderNo} of entries) {
    if (!/^\d+$/.test(orderNo)) continue
    counts.set(orderNo.length, (counts.get(orderNo.length) ?? 0) + 1)
    keepsZeros ||= orderNo.startsWith('0')
  }
  let usualLength: number | null = null
  for (const [length, count] of counts) {
    if (usualLength === null || count > (counts.get(usualLength) ?? 0)) usualLength = length
  }
  return {usualLength, keepsZeros}
}

/**
 * What may have happened to an unexplained order number. `missing` are numbers that the service knows, no row names
 * and this one may have been (`core/order-no-fold.ts`): a single one is the repair; with two, nobody knows which.
 */
export function hintForNumber(
  orderNo: string,
  column: () => NumberColumn,
  missing: readonly string[],
): Corruption | null {
  const [only = null, ...more] = missing
  if (only !== null) {
    const isCertain = more.length === 0
    return {what: corruptionBetween(orderNo, only), repair: isCertain ? only : null, isCertain}
  }
  const ascii = withAsciiDigits(orderNo)
  if (ascii !== orderNo) return hint('bengali_digits', ascii)
  if (isDateLike(orderNo)) return hint('read_as_date')
  if (!/^[1-9]\d*$/.test(orderNo)) return null
  if (orderNo.length > digitsKept && /^0+$/.test(orderNo.slice(digitsKept))) return hint('digits_rounded')
  const {usualLength, keepsZeros} = column()
  if (keepsZeros || usualLength === null || orderNo.length >= usualLength) return null
  return hint('leading_zeros_lost', orderNo.padStart(usualLength, '0'))
}

/** The corruption that turned a number into this one. */
function corruptionBetween(orderNo: string, before: string): CorruptionKind {
  if (isShortened(foldOrderNo(orderNo))) return 'shortened'
  if (withAsciiDigits(orderNo) !== orderNo) return 'bengali_digits'
  if (nonBreaking.test(orderNo)) return 'non_breaking_space'
  if (!/^\d+$/.test(orderNo)) return 'other_spelling'
  return before.endsWith(orderNo) ? 'leading_zeros_lost' : 'digits_rounded'
}

/** Corruption of a column that leaves its rows readable. */
export interface ColumnWarning {
  readonly what: CorruptionKind
  readonly says: string
}

/** What a spreadsheet did to the row and how to repair it, in one sentence. */
export function explainCorruption({what, repair, isCertain}: Corruption): string {
  const write = repair === null ? 'export the column as text' : `write ${repair}`
  if (isCertain)
    return `${happened[what]}. The service has ${repair ?? 'the order'}, which is in no row: ${write}.`
  switch (what) {
    case 'leading_zeros_lost':
      return repair === null
        ? 'A spreadsheet removed its leading zeros. The service has several orders it could be. Export the column as text.'
        : `Other numbers in the ledger are longer. If a spreadsheet removed a leading zero, ${write}. hisab did not query that number.`
    case 'digits_rounded':
      return `A spreadsheet keeps 15 digits of a number, and the rest of this one is zeros. If so, ${write}.`
    case 'bengali_digits':
      return `Its digits are Bengali, and the service compares numbers exactly. If that is the order, ${write}.`
    case 'other_spelling':
      return 'The service writes it differently and has several such numbers. Compare them.'
    case 'read_as_date':
      return `It looks like a number that a spreadsheet changed to a date: ${write}.`
    case 'non_breaking_space':
      return `${write[0]?.toUpperCase()}${write.slice(1)}.`
    // Reported elsewhere: an unreadable cell has its own message, and swapped dates are a warning about the column.
    case 'shortened':
    case 'day_month_swapped':
      return ''
    case 'cut_off':
      return 'It is the last line and does not end with a newline. The file may be cut off.'
  }
}

/** The sentence for certain corruption. */
const happened: Readonly<Record<CorruptionKind, string>> = {
  leading_zeros_lost: 'A spreadsheet removed its leading zeros',
  shortened: 'A spreadsheet shortened it',
  digits_rounded: 'A spreadsheet rounded it to 15 digits',
  read_as_date: 'A spreadsheet changed it to a date',
  day_month_swapped: 'Day and month are swapped',
  non_breaking_space: 'It has a non-breaking space',
  bengali_digits: 'Its digits are Bengali',
  other_spelling: 'Its spelling differs',
  cut_off: 'It was cut off',
}
