import type {LedgerEntry} from './entry.ts'

/** What spreadsheets do to a ledger on its way through them. */
export const damages = [
  'leading_zeros_lost',
  'shortened',
  'digits_rounded',
  'read_as_date',
  'day_month_swapped',
  'non_breaking_space',
  'bengali_digits',
  'cut_off',
] as const
export type DamageWord = (typeof damages)[number]

/** Damage a row shows, and what it read before, where that can be told. hisab never repairs a row by itself. */
export interface Damage {
  readonly what: DamageWord
  /** What to write instead; null where the file does not hold it any more. */
  readonly repair: string | null
  /** The service knows the repaired number, and no row names it. Else it is a suspicion. */
  readonly isCertain: boolean
}

/** Digits a spreadsheet keeps of a number; what follows becomes zeros. */
const digitsKept = 15

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
const dateLike = new RegExp(
  `^(?:\\d{1,2}[-/ ](?:${months})(?:[-/ ]\\d{2,4})?|(?:${months})[-/ ]\\d{1,4}|\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4}(?:[ T]\\d\\d?:\\d\\d.*)?)$`,
  'i',
)

/** Whether a cell that is no date reads like what a spreadsheet shows for one. */
export function isDateLike(text: string): boolean {
  return dateLike.test(text.trim())
}

/** Bengali digits as ASCII ones; other characters stay. */
export function withAsciiDigits(text: string): string {
  return text.replace(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - 0x9e6))
}

const nonBreaking = /[\u00a0\u2007\u202f]/g

/** What happened to a cell that cannot be read, where it shows; null where it does not. */
export function damageOf(column: 'order_no' | 'amount', text: string): Damage | null {
  if (/^[+-]?\d+(?:[.,]\d+)?E[+-]?\d+$/i.test(withAsciiDigits(text.trim()))) return suspicion('shortened')
  const without = text.replace(nonBreaking, column === 'amount' ? '' : ' ').trim()
  if (text.search(nonBreaking) >= 0) return suspicion('non_breaking_space', without)
  return column === 'amount' && isDateLike(text) ? suspicion('read_as_date') : null
}

function suspicion(what: DamageWord, repair: string | null = null): Damage {
  return {what, repair, isCertain: false}
}

/** What the order numbers of a ledger have in common: how long those of digits alone are, and whether any keeps a zero. */
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
 * Numbers the service knows and no row names, by what a spreadsheet would have made of each: it damages a whole column
 * at once, so that there may be as many of them as rows.
 */
export class UnnamedNumbers {
  private readonly all: ReadonlySet<string>
  private readonly byUnpadded: ReadonlyMap<string, readonly string[]>
  private readonly byRounded: ReadonlyMap<string, readonly string[]>

  constructor(numbers: Iterable<string>) {
    this.all = new Set(numbers)
    this.byUnpadded = Map.groupBy(this.all, (one) => one.replace(/^0+/, ''))
    this.byRounded = Map.groupBy(this.all, roundedKey)
  }

  has(number: string): boolean {
    return this.all.has(number)
  }

  /** Those that begin with a zero and read like this without their zeros. */
  padded(number: string): readonly string[] {
    return (this.byUnpadded.get(number) ?? []).filter((one) => one !== number)
  }

  /** Those that a spreadsheet rounds to this. */
  rounded(number: string): readonly string[] {
    return this.byRounded.get(roundedKey(number)) ?? []
  }
}

function roundedKey(number: string): string {
  return `${number.length} ${number.slice(0, digitsKept)}`
}

/**
 * What may have happened to an order number the service does not know. Where the repair is the one number of `unnamed`
 * that the spreadsheet would have made this of, the damage is certain; where two are, nobody knows which.
 */
export function suspectNumber(orderNo: string, column: NumberColumn, unnamed: UnnamedNumbers): Damage | null {
  const known = (what: DamageWord, repair: string | null): Damage => ({
    ...{what, repair},
    isCertain: repair !== null && unnamed.has(repair),
  })
  const ascii = withAsciiDigits(orderNo)
  if (ascii !== orderNo) return known('bengali_digits', ascii)
  if (isDateLike(orderNo)) return suspicion('read_as_date')
  if (!/^[1-9]\d*$/.test(orderNo)) return null
  const isRounded = orderNo.length > digitsKept && /^0+$/.test(orderNo.slice(digitsKept))
  if (isRounded) return known('digits_rounded', onlyOne(unnamed.rounded(orderNo)))
  const padded = unnamed.padded(orderNo)
  if (padded.length > 0) return known('leading_zeros_lost', onlyOne(padded))
  const {usualLength, keepsZeros} = column
  if (keepsZeros || usualLength === null || orderNo.length >= usualLength) return null
  return known('leading_zeros_lost', orderNo.padStart(usualLength, '0'))
}

function onlyOne(numbers: readonly string[]): string | null {
  return numbers.length === 1 ? (numbers[0] ?? null) : null
}

/** Damage to a column that leaves its rows readable. */
export interface Doubt {
  readonly what: DamageWord
  readonly says: string
}

/** One sentence for the row: what a spreadsheet did to it, and the repair. */
export function explainDamage({what, repair, isCertain}: Damage): string {
  const write = repair === null ? 'export the column as text' : `write ${repair}`
  const sure = 'the service knows that number, and no row names it'
  switch (what) {
    case 'leading_zeros_lost':
      return isCertain
        ? `A spreadsheet took its leading zeros: ${sure}; ${write}.`
        : `Did a spreadsheet take a leading zero? Other numbers of the ledger are longer; if so, ${write}. It was not asked for.`
    case 'digits_rounded':
      return isCertain
        ? `A spreadsheet rounded it to 15 digits: ${sure}; ${write}.`
        : `A spreadsheet keeps 15 digits of a number, and the rest of this one is zeros: ${write}.`
    case 'bengali_digits':
      return isCertain
        ? `Its digits are Bengali: ${sure}; ${write}.`
        : `Its digits are Bengali, and the service compares character by character: if that is the order, ${write}.`
    case 'read_as_date':
      return `It reads like a date, as a spreadsheet shows a number it took for one: ${write}.`
    case 'non_breaking_space':
      return `${write[0]?.toUpperCase()}${write.slice(1)}.`
    // What could not be read says so in its own words, and the swapped dates are the column's.
    case 'shortened':
    case 'day_month_swapped':
      return ''
    case 'cut_off':
      return 'It is the last line and has no line end: was the file cut off?'
  }
}
