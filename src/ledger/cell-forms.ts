import {withAsciiDigits} from '../core/reconcile/corruption.ts'
import {isFreeText, isOfNumbers} from './plain-columns.ts'

export interface Cell {
  readonly text: string
  readonly line: number
}

/** The mobile number of a cell without its first 0, or null. */
export function mobileIn(text: string): string | null {
  const digits = withAsciiDigits(text).replace(/[\s().-]/g, '')
  return /^(?:\+?88)?0?(1[3-9]\d{8})$/.exec(digits)?.[1] ?? null
}

/** `7`, `1,250.50`, `#7`, `(7)`, `7.` */
const number = /^[#(]?\d+(?:,\d{2,3})*(?:\.\d+)?[.)]?$/
/** An identity number in groups. */
const grouped = /^\d+(?:[ -]\d+)+$/

function isNumber(text: string): boolean {
  return number.test(text) || (grouped.test(text) && text.replace(/\D/g, '').length >= 9)
}

const timeSigns = /^[\d\s:./,+'’-]+$/
const twoNumbers = /\d[^\d]+\d/
const month = wordIn(
  'jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december|জানুয়ার[িী]|ফেব্রুয়ার[িী]|মার্চ|এপ্রিল|মে|জুন|জুলাই|[আঅ]গা?[সষ]্ট|সেপ্টেম্বর|অক্টোবর|নভেম্বর|ডিসেম্বর',
)
const besideTime = wordIn(
  '(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?|[ap]\\.?m\\.?|t|z|utc|gmt|bst|bdt|st|nd|rd|th|at|[\u0980-\u09ff]+বার|এএম|পিএম|পূর্বাহ্[ণন]|অপরাহ্[ণন]|সকাল|দুপুর|বিকাল|বিকেল|সন্ধ্যা|রাত|ভোর',
)

function wordIn(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}])(?:${words.normalize('NFKC')})(?![\\p{L}\\p{M}])`, 'giu')
}

/** Two numbers or more, a month counted as one, and nothing else but the signs and words of a time. */
function isTime(text: string): boolean {
  // The words may have no blank around them: 2026-11-22T10:15Z, 22nd, 10:15AM.
  const parts = text.replace(/(?<=\d)(?=\p{L})|(?<=\p{L}|\p{M})(?=\d)/gu, ' ')
  const digits = parts.replace(month, ' 1 ').replace(besideTime, ' ').trim()
  return timeSigns.test(digits) && twoNumbers.test(digits) && /[1-9]/.test(digits)
}

/** One word with a digit: `pl-7`, `AC/2026/7`. */
const code = /^(?=.*\d)[\p{L}\p{M}\d_./:#-]+$/u

/** Nobody strikes a row out with an address, and `Contact` has telephones and addresses. */
const email = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

const forms: Readonly<Record<'mobile' | 'time' | 'number' | 'text', (text: string) => boolean>> = {
  mobile: (text) => mobileIn(text) !== null,
  time: isTime,
  number: isNumber,
  text: (text) => /[\p{L}\p{N}]/u.test(text),
}

interface Tally {
  count: number
  /** The first cell that is not of the form. */
  other: Cell | null
}

/** The filled cells of a column, and which of them has another form than most. */
export class CellForms {
  private filled = 0
  private readonly mobile: Tally = {count: 0, other: null}
  private readonly time: Tally = {count: 0, other: null}
  private readonly number: Tally = {count: 0, other: null}
  private readonly text: Tally = {count: 0, other: null}
  /** How many codes there are with each text before the first digit. */
  private readonly codes = new Map<string, number>()
  private noCode: Cell | null = null

  take(cell: Cell): void {
    const text = withAsciiDigits(cell.text.normalize('NFKC')).trim()
    if (email.test(text)) return
    this.filled += 1
    for (const form of ['mobile', 'time', 'number', 'text'] as const)
      if (forms[form](text)) this[form].count += 1
      else this[form].other ??= cell
    if (!code.test(text)) this.noCode ??= cell
    else {
      const start = text.slice(0, text.search(/\d/)).toLowerCase()
      this.codes.set(start, (this.codes.get(start) ?? 0) + 1)
    }
  }

  oddCell(header: string): Cell | null {
    if (isFreeText(header)) return null
    const isMost = (count: number) => count * 2 >= this.filled
    const {mobile, time, number, text} = this
    const digits = time.count >= number.count ? time : number
    if (isMost(mobile.count)) return mobile.other
    if (isMost(digits.count)) return digits.other
    if (isOfNumbers(header) && [...this.codes.values()].some(isMost)) return this.noCode
    return isMost(text.count) ? text.other : null
  }
}
