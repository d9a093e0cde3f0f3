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

/** Finds order numbers by their last digits, four or more, whatever stands before those in the number. */
export class NumberEnds {
  private readonly byLast = new Map<string, Ended[]>()

  add(orderNo: string): void {
    const digits = /\d+(?=\D*$)/.exec(plainText(orderNo))?.[0] ?? ''
    if (digits.length < leastDigits) return
    const last = digits.slice(-leastDigits)
    const alike = this.byLast.get(last)
    if (alike) alike.push({orderNo, digits})
    else this.byLast.set(last, [{orderNo, digits}])
  }

  /** Kept cheap: it is asked of every cell. */
  mayName(text: string): boolean {
    if (this.byLast.size === 0 || text.length < leastDigits) return false
    const plain = /^[\x20-\x7e]*$/.test(text) ? text : plainText(text)
    return (plain.match(/\d{4,}/g) ?? []).some((digits) => this.byLast.has(digits.slice(-leastDigits)))
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
