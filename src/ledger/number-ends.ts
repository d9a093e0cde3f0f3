import {bdtWord} from '../core/currency.ts'
import {plainText} from '../core/order-no-fold.ts'
import type {Naming} from './counter-names.ts'
import {blank, withoutCounts} from './counts.ts'

interface Ended {
  readonly orderNo: string
  readonly digits: string
}

/** Fewer may be anything. */
const leastDigits = 4
const telephones = /(?<!\d)(?:\+?88)?[ -]?01[3-9](?:[ -]?\d){8}(?!\d)/g
const sums = new RegExp(
  String.raw`(?<!\p{L})${bdtWord}\s*\d[\d,.]*|\d[\d,.]*\s*(?:${bdtWord}|/[-=])(?!\p{L})`,
  'gu',
)
/** The last digits of something else, or a time. */
const ofOthers =
  /(?<!\p{L})(?:ends?|ending|last|phone|mobile|mob|cell|wallet|bkash|nagad|rocket|sender|otp|pin|ticket|at)[ :.#]*(?:(?:in|no|number|with|digits?|4)[ :.#]*)*\d{4,}(?!\d)|(?<!\d)\d{4} ?(?:am|pm|tay|te|baje)(?!\p{L})/gu
/** Digits of their own: no part of a code, of a sum, of a date, or of a masked number. */
const ends = /(?<![\p{L}\p{N}*]|[\p{L}\p{N}][-_]|\d[.:]|\.\.)\d{4,}(?![\p{L}\p{N}]|[.:]\d|,\d{3}(?!\d)|%)/gu
const years = /^(?:19|20)\d\d$/
const ofDate = /(?:[¦\p{N}/.,-]|(?<!\p{L})(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*) *$/u

/** Of more orders than that three digits are soon the end of one by chance. */
const listedMax = 100
const shortNumbers = /(?<![\p{L}\p{N}.])\d{3,6}(?![\p{L}\p{N}]|\.\d)/gu
const tailRanges =
  /(?<![\p{L}\p{N}.])(\d{3,6})(\s*(?:-|–|to|till|until|theke|থেকে)\s*)(\d{1,6})(?![\p{L}\p{N}]|\.\d)/gu

/** Finds order numbers by their last digits, four or more, whatever stands before those in the number. */
export class NumberEnds {
  private readonly byLast = new Map<string, Ended[]>()
  private readonly ended: Ended[] = []

  add(orderNo: string): void {
    const digits = /\d+(?=\D*$)/.exec(plainText(orderNo))?.[0] ?? ''
    if (digits.length < leastDigits) return
    this.ended.push({orderNo, digits})
    const last = digits.slice(-leastDigits)
    const alike = this.byLast.get(last)
    if (alike) alike.push({orderNo, digits})
    else this.byLast.set(last, [{orderNo, digits}])
  }

  /** The orders whose number ends so. */
  ofEnd(digits: string): string[] {
    if (!/^\d{3,6}$/.test(digits) || this.ended.length > listedMax) return []
    return this.ended.filter((one) => one.digits.endsWith(digits)).map(({orderNo}) => orderNo)
  }

  /** Kept cheap: it is asked of every cell. */
  mayName(text: string): boolean {
    if (this.byLast.size === 0 || text.length < leastDigits) return false
    const plain = /^[\x20-\x7e]*$/.test(text) ? text : plainText(text)
    if ((plain.match(/\d{4,}/g) ?? []).some((digits) => this.byLast.has(digits.slice(-leastDigits))))
      return true
    return this.ended.length <= listedMax && /\d{3}(?!\d)\D+\d/.test(plain)
  }

  /**
   * What a list of last digits or a range from one to another names: three digits are enough where each of its numbers is the
   * end of an order's.
   */
  *listed(plain: string): Generator<Naming> {
    if (this.ended.length > listedMax) return
    const bare = withoutCounts(plain.replace(telephones, blank).replace(sums, blank))
    const text = bare.replace(tailRanges, (whole, first: string, sign: string, last: string) =>
      last.length < first.length ? `${first}${sign}${first.slice(0, -last.length)}${last}` : whole,
    )
    const numbers = [...text.matchAll(shortNumbers)].map(([digits]) => digits)
    if (new Set(numbers).size < 2 || numbers.length !== (text.match(/\d+/g) ?? []).length) return
    const found = numbers.map((end) => this.ofEnd(end))
    if (found.some((some) => some.length === 0)) return
    const spans = [...text.matchAll(tailRanges)].map(([, from = '', , to = '']) => ({from, to}))
    const isBetween = (digits: string) =>
      spans.some(({from, to}) => from <= digits.slice(-from.length) && digits.slice(-from.length) <= to)
    const between = this.ended.filter(({digits}) => isBetween(digits)).map(({orderNo}) => orderNo)
    for (const orderNo of new Set([...found.flat(), ...between]))
      yield {orderNo, sureness: 'sure', end: numbers[0] ?? ''}
  }

  /** `isNote`: a person wrote of bookings there, so a year may be an order's number. */
  *find(plain: string, isNote: boolean): Generator<Naming> {
    const bare = withoutCounts(plain.replace(telephones, blank).replace(sums, blank))
    const text = isNote ? bare : bare.replace(ofOthers, blank)
    for (const {0: end, index} of text.matchAll(ends)) {
      if (years.test(end) && (!isNote || ofDate.test(text.slice(0, index)))) continue
      for (const {orderNo, digits} of this.byLast.get(end.slice(-leastDigits)) ?? [])
        if (digits.endsWith(end)) yield {orderNo, sureness: 'likely', end}
    }
  }
}
