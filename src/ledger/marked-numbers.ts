import {plainText} from '../core/order-no-fold.ts'
import {saysBooked} from './booking-words.ts'

/** The most numbers of the ledger whose forms are counted. */
const learntMax = 2_000
/** Of a shorter number the form without its letters would be that of any word. */
const framedMin = 8

/**
 * Order numbers to which somebody added a mark: `D-42 (credited)`, `D-42-paid`, `✓D-42`. What is a mark shows by the
 * other numbers of the ledger: without it the number has a form that as many of them have, or more.
 */
export class MarkedNumbers {
  private readonly forms = new Map<string, number>()
  /** A number of each form. */
  private readonly samples = new Map<string, string>()

  constructor(numbers: Iterable<string>) {
    for (const orderNo of Iterator.from(numbers).take(learntMax))
      for (const form of formsOf(orderNo)) {
        this.forms.set(form, (this.forms.get(form) ?? 0) + 1)
        if (!this.samples.has(form)) this.samples.set(form, orderNo)
      }
  }

  /** The numbers that this one may be without its mark; none where it has none. */
  withoutMark(orderNo: string): string[] {
    const own = this.countOf(orderNo)
    const parts = new Set(orderNo.split(marks).flatMap((part) => [part, ...beginningsOf(part)]))
    const found = [...parts].filter((part) => {
      const rest = orderNo.replace(part, ' ')
      if (!/\p{Nd}/u.test(part) || !/[^\s\p{Nd}_./#-]/u.test(rest)) return false
      const others = this.countOf(part)
      return (others > 0 && others >= own) || (own <= 1 && saysBooked(rest))
    })
    return [...new Set(found.flatMap((part) => [part, this.spelledAsOthers(part)]))]
  }

  /** `D-42` of d42, where the others are `D-1` and `D-2`. */
  private spelledAsOthers(part: string): string {
    const digits = part.matchAll(/\p{Nd}+/gu)
    const sample = this.samples.get(formsOf(part)[0]) ?? part
    return sample.replace(/\p{Nd}+/gu, (own) => digits.next().value?.[0] ?? own)
  }

  private countOf(orderNo: string): number {
    return Math.max(...formsOf(orderNo).map((form) => this.forms.get(form) ?? 0))
  }
}

const marks = /[\s()[\]{}<>*+=,;:!?"'|✓✔☑✅❌✗]+/u

/** `D-42`, `D-42-paid` of `D-42-paid-7`. */
function* beginningsOf(part: string): Generator<string> {
  for (const {0: digits, index} of part.matchAll(/\p{Nd}+/gu)) yield part.slice(0, index + digits.length)
}

/** `d0` for D-42 and d 42, as a hand may write it; of a long one its separators: `aaaaaaaa-aaaa`. */
function formsOf(orderNo: string): [string, ...string[]] {
  const plain = plainText(orderNo)
  const form = plain.replace(/\p{Nd}+/gu, '0').replace(/[\s_./#-]/g, '')
  return plain.length < framedMin ? [form] : [form, plain.replace(/[\p{L}\p{Nd}]/gu, 'a')]
}
