import {bdtWord} from '../core/currency.ts'
import {asDigits, partsOf} from '../core/order-no-fold.ts'
import {blank, withoutCounts} from './counts.ts'

/** An order number as a counter: `DEP00012` is prefix `dep` and value 12. */
export interface Counter {
  readonly prefix: string
  readonly value: bigint
}

/**
 * How surely a text names an order. `sure`: the number can be nothing else. `likely`: it may be a count, so it counts
 * in columns of notes only. `possible`: it may be anything, and counts only among other cells that name orders.
 */
export type Sureness = 'sure' | 'likely' | 'possible'

export interface Naming {
  readonly orderNo: string
  readonly sureness: Sureness
  /** The range of numbers that it was found in. */
  readonly span?: Span
  /** The last digits that it was found by. */
  readonly end?: string
}

/** Numbers of one prefix, both ends included. */
export interface Span {
  readonly prefix: string
  readonly from: bigint
  readonly to: bigint
}

/** `hasOrders`: like those of orders; `short`: others, perhaps counts, one behind the other where `isList`. */
export interface Numbers {
  readonly hasOrders: boolean
  readonly short: readonly string[]
  readonly isList: boolean
}

interface Entry extends Counter {
  readonly orderNo: string
  /** Number of its digits, leading zeros included. */
  readonly width: number
}

interface Token {
  readonly text: string
  readonly isDigits: boolean
  readonly start: number
  readonly end: number
}

/** A part of a text that may be an order number, with or without its prefix. */
interface Written {
  readonly prefix: string | null
  /** It has a different prefix: `D-12` for `DEP12`. */
  readonly isForeign: boolean
  readonly digits: string
  readonly from: number
  readonly end: number
}

const longest = 4
const tokensMax = 4_000

/** Finds order numbers by their counters: by the last digits, in lists and in ranges. */
export class CounterNames {
  private readonly entries: Entry[] = []
  private readonly byKey = new Map<string, string[]>()
  private readonly byTail = new Map<string, Entry[]>()
  private readonly prefixes = new Set<string>()
  /** The last letters of each prefix. */
  private readonly letters = new Set<string>()
  private readonly widths = new Set<number>()
  private sorted: ReadonlyMap<string, Entry[]> | null = null

  add(orderNo: string): void {
    const entry = this.entryOf(orderNo)
    if (entry === null) return
    this.entries.push(entry)
    this.prefixes.add(entry.prefix)
    this.widths.add(entry.width)
    const last = /\p{L}+$/u.exec(entry.prefix)?.[0]
    if (last !== undefined) this.letters.add(last)
    const tail = String(entry.value)
    const key = `${entry.prefix} ${tail}`
    this.byKey.set(key, [...(this.byKey.get(key) ?? []), orderNo])
    const alike = this.byTail.get(tail)
    if (alike) alike.push(entry)
    else this.byTail.set(tail, [entry])
  }

  counterOf(orderNo: string): Counter | null {
    return this.entryOf(orderNo)
  }

  counts(prefix: string): boolean {
    return this.prefixes.has(prefix)
  }

  /** Kept cheap: it is asked of every cell. */
  mayName(text: string): boolean {
    if (this.entries.length === 0 || !/\d|[^\x20-\x7e]/.test(text) || times.test(text)) return false
    const isOneWord = /^[A-Za-z0-9]*$/.test(text)
    for (const word of digitsForLetters(text.toLowerCase()).match(/[a-z]+|\d+/g) ?? [])
      if (this.byTail.has(word.replace(/^0+(?=\d)/, '')) || (!isOneWord && this.letters.has(word)))
        return true
    if (/[^\x20-\x7e]/.test(text)) return true
    // The ends of a range may be no known orders, and single characters may form one number.
    return !isOneWord && (rangeAhead.test(text) || spacedOut.test(text))
  }

  /** `plain`: from `plainText`. `isNote`: a person wrote of bookings there, so a small number is not a count. */
  *find(plain: string, isNote: boolean): Generator<Naming> {
    const text = this.digitsAgain(joinSingles(scrub(plain, isNote)))
    const tokens = tokensOf(text)
    const found = [...this.written(tokens, text)]
    const isWhole = found.length === 1 && found[0]?.prefix === null && /^[#\s.:-]*\d+[\s.:-]*$/.test(text)
    let prefix: string | null = null
    let before: Written | null = null
    for (let at = 0; at < found.length; at += 1) {
      const one = found[at]
      if (one === undefined) return
      const between: string = before === null ? '' : text.slice(before.end, one.from)
      if (one.prefix !== null) prefix = one.prefix
      else if (before === null || !listSign.test(between)) prefix = null
      const next = found[at + 1]
      const isRange = next !== undefined && rangeSign.test(text.slice(one.end, next.from))
      if (next !== undefined && isRange && (next.prefix === null || next.prefix === (one.prefix ?? prefix))) {
        yield* this.range(one.prefix ?? prefix, one, next, isNote)
        before = next
        at += 1
        continue
      }
      yield* this.single(one, prefix, before, isWhole, text)
      before = one
    }
  }

  /** The numbers of a sentence about bookings, without counts, sums and moments. */
  numbersIn(plain: string): Numbers {
    const text = this.digitsAgain(joinSingles(scrub(withoutCounts(plain.replace(whole, blank)), true)))
    const found = [...this.written(tokensOf(text), text)].filter(({isForeign}) => !isForeign)
    const isOrder = ({prefix, digits}: Written) =>
      prefix !== null || (digits.length >= 4 && this.widths.has(digits.length) && !years.test(digits))
    const isNext = (one: Written, at: number) => {
      const between = text.slice(found[at - 1]?.end, one.from)
      return at === 0 || listSign.test(between) || rangeSign.test(between) || between.trim() === ''
    }
    return {
      hasOrders: found.some(isOrder),
      short: found.map(({digits}) => digits),
      isList: found.length > 1 && found.every(isNext),
    }
  }

  /** Whether digits alone are all that tells an order from others of its prefix. */
  hasTail(digits: string): boolean {
    return this.byTail.has(stripped(digits))
  }

  /** `DEPOOO12`, `1O15`: after a known prefix or none, letters that look like digits are digits. */
  private digitsAgain(text: string): string {
    if (!lookAlikes.test(text)) return text
    return text.replace(
      /(?<![\p{L}\p{N}])(\p{L}*?)([oil\d]*\d[oil\d]*)(?![\p{L}\p{N}])/gu,
      (word, letters, digits) =>
        letters === '' || this.prefixes.has(letters) ? letters + asDigits(digits) : word,
    )
  }

  private *single(
    one: Written,
    prefix: string | null,
    before: Written | null,
    isWhole: boolean,
    text: string,
  ): Generator<Naming> {
    if (prefix !== null && prefix !== '') {
      const digits =
        one.prefix === null && before !== null ? carried(before.digits, one.digits) : [one.digits]
      for (const each of digits)
        for (const orderNo of this.byKey.get(`${prefix} ${stripped(each)}`) ?? [])
          yield {orderNo, sureness: 'sure'}
      return
    }
    const alike = this.byTail.get(stripped(one.digits)) ?? []
    const isAmount = /^\.0{1,2}(?!\d)/.test(text.slice(one.end, one.end + 4))
    if (isAmount && !/^\s*\d+\.0+\s*$/.test(text)) return
    for (const {orderNo, ...entry} of alike) {
      if (entry.prefix !== '' && !this.isOnlyPrefix) continue
      yield {orderNo, sureness: isAmount ? 'possible' : surenessOf(one, entry, isWhole)}
    }
  }

  /** Yields the known orders of the range, because the range itself may be of any length. */
  private *range(prefix: string | null, first: Written, last: Written, isNote: boolean): Generator<Naming> {
    const from = BigInt(first.digits)
    const [end = last.digits] = carried(first.digits, last.digits)
    const to = BigInt(BigInt(end) >= from ? end : last.digits)
    if (to < from) return
    const of = prefix ?? (this.prefixes.has('') ? '' : this.isOnlyPrefix ? [...this.prefixes][0] : undefined)
    if (of === undefined) return
    const isSure = (prefix !== null && prefix !== '') || first.digits.length >= 6
    const isLikely = isNote || first.digits.length >= 4
    const sureness: Sureness =
      first.isForeign || !(isSure || isLikely) ? 'possible' : isSure ? 'sure' : 'likely'
    const span = {prefix: of, from, to}
    for (const {orderNo, value} of this.of(of)) {
      if (value > to) return
      if (value >= from) yield {orderNo, sureness, span}
    }
  }

  private of(prefix: string): readonly Entry[] {
    if (this.sorted === null) {
      const sorted = Map.groupBy(this.entries, (entry) => entry.prefix)
      for (const entries of sorted.values()) entries.sort((one, other) => (one.value < other.value ? -1 : 1))
      this.sorted = sorted
    }
    return this.sorted.get(prefix) ?? []
  }

  private get isOnlyPrefix(): boolean {
    return this.prefixes.size === 1
  }

  private entryOf(orderNo: string): Entry | null {
    const parts = partsOf(orderNo)
    const [, letters = '', digits] = /^(.*?)(\d+)$/u.exec(parts.at(-1) ?? '') ?? []
    if (digits === undefined || orderNo.length > 64) return null
    const width = /\p{N}+(?=[^\p{L}\p{N}]*$)/u.exec(orderNo)?.[0].length ?? digits.length
    return {orderNo, prefix: parts.slice(0, -1).join('') + letters, value: BigInt(digits), width}
  }

  private *written(tokens: readonly Token[], text: string): Generator<Written> {
    for (let at = 0; at < tokens.length; at += 1) {
      const behind = this.behindPrefix(tokens, at, text)
      const token = tokens[at]
      if (behind !== null) {
        yield behind.written
        at = behind.last
      } else if (token?.isDigits) {
        const before = tokens[at - 1]
        const gap = before ? text.slice(before.end, token.start) : ' '
        const isForeign = before !== undefined && !before.isDigits && (gap === '' || gap === '-')
        // Digits directly before letters belong to another word.
        if (tokens[at + 1]?.start === token.end) continue
        yield {prefix: null, isForeign, digits: token.text, from: token.start, end: token.end}
      }
    }
  }

  private behindPrefix(tokens: readonly Token[], at: number, text: string) {
    const [first, before] = [tokens[at], tokens[at - 1]]
    if (!first || (before?.end === first.start && first.text.length < 3)) return null
    let prefix = ''
    for (let more = at; more < at + longest; more += 1) {
      const [token, next] = [tokens[more], tokens[more + 1]]
      if (!token || !next) return null
      prefix += token.isDigits ? stripped(token.text) : token.text
      const gap = text.slice(token.end, next.start)
      if (gap.length > 3) return null
      if (!next.isDigits || !this.prefixes.has(prefix)) continue
      const {digits, last} = this.fragments(prefix, tokens, more + 1, text)
      const end = tokens[last]?.end ?? next.end
      return {written: {prefix, isForeign: false, digits, from: first.start, end}, last}
    }
    return null
  }

  /** `000 12`: joins as many parts as still make the number of an order. */
  private fragments(prefix: string, tokens: readonly Token[], first: number, text: string) {
    let digits = tokens[first]?.text ?? ''
    let found = {digits, last: first}
    for (let at = first + 1; at < first + longest; at += 1) {
      const [before, token] = [tokens[at - 1], tokens[at]]
      if (!before || !token?.isDigits || !/^[ \n.-]$/.test(text.slice(before.end, token.start))) break
      digits += token.text
      if (this.byKey.has(`${prefix} ${stripped(digits)}`)) found = {digits, last: at}
    }
    return found
  }
}

function surenessOf(one: Written, entry: Pick<Entry, 'prefix' | 'width'>, isWhole: boolean): Sureness {
  const {digits, isForeign} = one
  const significant = stripped(digits).length
  const isPadded = digits.startsWith('0') && digits.length === entry.width && digits.length >= 3
  if (isForeign) return isPadded ? 'likely' : 'possible'
  if (entry.prefix === '' && significant >= 6) return 'sure'
  if (entry.prefix === '' && isWhole) return 'likely'
  const isYear = years.test(digits) && !isWhole
  return isPadded || (significant >= 4 && !isYear) ? 'likely' : 'possible'
}

/** `00012/13`: 13 replaces the last digits of the number before it, or is a number of its own. */
function carried(before: string, digits: string): string[] {
  if (digits.length >= before.length) return [digits]
  return [before.slice(0, before.length - digits.length) + digits, digits]
}

function stripped(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '')
}

const years = /^(?:19|20)\d\d$/
/** Text about more orders than it names: `everything from DEP00017 on`, `DEP00017 and the 15 after it`. */
const number = String.raw`(?:\p{L}{0,8}[-#. ]?\d+)`
const more =
  'onwards?|on(?! *[\\d¦])|after|since|later|next|following|others?|more|rest|before|earlier|পর|পরে|পরের|আগে|আগের|por|pore|porer|age|ager'
const beyond = new RegExp(
  String.raw`(?<!\p{L})(?:after|since|before|beyond|following) (?:no\.? ?|order |number )?#?${number}|${number}\s*[,&+]?\s*(?:(?:and|all|the|ও|এবং|আর|ar|এর|er|r|\d+) ){0,4}(?:${more})(?!\p{L})`,
  'u',
)
const halfRange = new RegExp(
  String.raw`(?<!\p{L})(?:from|until|till|up ?to) (?:no\.? ?|order |number )?#?${number}|${number} ?(?:থেকে|হতে|পর্যন্ত|theke|hote|porjonto)(?!\p{L})`,
  'u',
)
const times = /^\s*\d{4}-\d\d-\d\d(?:[T ][\d:.+Z -]*)?$/
const rangeAhead =
  /\d\s*(?:-|–|—|−|\.\.|…|~|>|→|to|till|til|until|upto|up to|thru|through|theke|hote|থেকে|হতে)\s*\S*\d/iu
const rangeSign =
  /^[\s"]*(?:-{1,2}>?|\.{2,4}|~|>|→|to|till|til|until|upto|up to|thru|through|theke|hote|থেকে|হতে)[\s"#]*(?:no\.?\s*)?$/u
const listSign = /^\s*(?:[/,&+;|\n]|and|or|ও|এবং|আর|, ?and)\s*$/u
const spacedOut = /(?:(?<![A-Za-z0-9])[A-Za-z0-9][^A-Za-z0-9]{1,2}){3}/

/** Whether a text is about more orders than those that it names. */
export function goesBeyond(plain: string): boolean {
  const text = scrub(plain, true)
  return beyond.test(text) || (halfRange.test(text) && !rangeAhead.test(text))
}

const amount = String.raw`\d[\d,]*(?:\.\d{1,2})?`
const behindCurrency = new RegExp(String.raw`(?<!\p{L})${bdtWord}\s*${amount}(?!\d)`, 'gu')
const beforeCurrency = new RegExp(
  String.raw`(?<![\p{L}\p{N}-])${amount}\s*${bdtWord}(?!\p{L}|\.?\s*[\d¦])`,
  'gu',
)

/** Removes dates, times and amounts. */
function scrub(plain: string, isNote: boolean): string {
  const text = plain
    .replace(/(?<![\d-])\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:t[\d:.+z-]*)?(?![\d-])/g, blank)
    .replace(/(?<![\d/.-])\d{1,2}[-/.]\d{1,2}[-/.]\d{4}(?!\d)/g, blank)
    .replace(/(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?!\d)/g, blank)
  const bare = text
    .replace(/(?<![\p{L}\p{N}-])\d{1,3}(?:,\d{2,3})*,\d{3}\.\d{1,2}(?![\d.])/gu, blank)
    .replace(/(?<![\p{L}\p{N}-])\d[\d,]*\.(?!00)\d{2}(?![\d.])/gu, blank)
    .replace(behindCurrency, blank)
    .replace(beforeCurrency, blank)
  if (isNote)
    return bare === text && !/\d/.test(bare.replace(whole, blank)) ? bare.replace(whole, '$1') : bare
  return bare.replace(/(?<![\d/-])\d{1,2}[-/]\d{1,2}[-/]\d{2}(?![\d/-])/g, blank)
}

/** `17.0`, as spreadsheets write 17; an amount, if other numbers stand beside it. */
const whole = /(?<![\p{L}\p{N}-])(\d+)\.0{1,2}(?![\d.])/gu

/** `D E P 0 0 1` is one word. */
function joinSingles(text: string): string {
  return text.replace(
    /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[ .-]{1,2}[\p{L}\p{N}](?![\p{L}\p{N}])){2,}/gu,
    (letters) => letters.replace(/[ .-]/g, ''),
  )
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (const {0: found, index} of text.matchAll(/\d+|[\p{L}\p{M}]+/gu)) {
    if (tokens.length >= tokensMax) break
    tokens.push({text: found, isDigits: /^\d/.test(found), start: index, end: index + found.length})
  }
  return tokens
}

const lookAlikes = /[oil]\d|\d[oil]/

/** Letters beside digits that look like digits, as digits. */
function digitsForLetters(lower: string): string {
  return lookAlikes.test(lower) ? lower.replace(/(?<=\d)[oil]+|[oil]+(?=\d)/g, asDigits) : lower
}

/** Compares numbers of the same width like counters. */
export function isBelow(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length
}
