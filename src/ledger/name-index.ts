import {bareOrderNo, partsOf, plainText} from '../core/order-no-fold.ts'
import {saysBooked} from './booking-words.ts'
import {type Counter, CounterNames, goesBeyond, type Naming} from './counter-names.ts'
import {withoutCounts} from './counts.ts'
import {NumberEnds} from './number-ends.ts'
import type {OtherOrderTexts} from './other-order-texts.ts'
import {mayBeSplit, splitNumbersIn} from './split-numbers.ts'

/** The numbers by which a text may name an order. */
export interface NamedOrder {
  readonly orderNo: string
  readonly platformOrderNo: string
}

/** Numbers with fewer digits may be an amount, a count or a time. */
const digitsMin = 6
const amounts = /(?<![\p{L}\p{N}-])\p{N}[\p{N},]*\.\p{N}{2}(?![\p{N}.])/gu
const times = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?$/
const textMax = 64 * 1024
const textPartsMax = 2_000

interface Name {
  readonly orderNo: string
  readonly parts: number
  readonly isDigits: boolean
}

/** Finds order numbers in texts, whatever stands between their letters and digits. */
export class NameIndex {
  private readonly orderNos = new Set<string>()
  private readonly names = new Map<string, Name>()
  /** The last part of each name: a text without any of them, and without a counter, names nothing. */
  private readonly lastParts = new Set<string>()
  /** Those of names without letters. */
  private readonly lastOfDigits = new Set<string>()
  private readonly counters = new CounterNames()
  private readonly ends = new NumberEnds()
  readonly otherOrders: OtherOrderTexts | null
  private partsMax = 2

  /** `otherOrders`: receives texts that may name other orders. */
  constructor(orders: Iterable<NamedOrder>, otherOrders: OtherOrderTexts | null = null) {
    this.otherOrders = otherOrders
    for (const {orderNo, platformOrderNo} of orders) {
      if (this.orderNos.has(orderNo)) continue
      this.orderNos.add(orderNo)
      this.counters.add(orderNo)
      this.ends.add(orderNo)
      for (const name of [...endsOf(orderNo), ...endsOf(platformOrderNo), orderNo, platformOrderNo]) {
        const parts = partsOf(name)
        const [bare, last] = [parts.join(''), parts.at(-1)]
        if (last === undefined || bare.length < 2) continue
        const isDigits = /^\d+$/.test(bare)
        this.names.set(bare, {orderNo, parts: parts.length, isDigits})
        for (const [at] of parts.entries()) {
          const end = parts.slice(at).join('')
          this.lastParts.add(end)
          if (isDigits) this.lastOfDigits.add(end)
        }
        this.partsMax = Math.max(this.partsMax, parts.length)
      }
    }
  }

  get size(): number {
    return this.orderNos.size
  }

  /** Whether known orders have this prefix. */
  counts(prefix: string): boolean {
    return this.counters.counts(prefix)
  }

  /** Orders whose number ends with these digits. */
  ofEnd(digits: string): string[] {
    return this.ends.ofEnd(digits)
  }

  has(orderNo: string): boolean {
    return this.orderNos.has(orderNo)
  }

  counterOf(orderNo: string): Counter | null {
    return this.counters.counterOf(orderNo)
  }

  /** `isBooked`: words beside the text say that what it names was booked. */
  find(text: string, isBooked = false): Naming[] {
    this.otherOrders?.see(text, isBooked)
    if (text.length === 0 || this.orderNos.size === 0) return []
    return this.mayName(text) || this.counters.mayName(text) ? this.read(text, isBooked) : []
  }

  /** Also by last digits alone, which may be an amount: in notes people write no more of a number. */
  findInNotes(text: string, isBooked = false): Naming[] {
    const found = this.find(text, isBooked)
    if (!this.ends.mayName(text)) return found
    const short = text.slice(0, textMax)
    const isNote = isBooked || saysBooked(short)
    const [plain, known] = [plainText(short), new Set(found.map(({orderNo}) => orderNo))]
    for (const one of this.ends.listed(plain))
      if (!known.has(one.orderNo)) {
        known.add(one.orderNo)
        found.push(one)
      }
    for (const one of this.ends.find(plain, isNote))
      if (!known.has(one.orderNo)) found.push(isNote ? {...one, sureness: 'sure'} : one)
    return found
  }

  private read(text: string, isBooked: boolean): Naming[] {
    const short = text.slice(0, textMax)
    const isNote = isBooked || saysBooked(short)
    const found = [...this.wholes(short), ...this.counters.find(plainText(short), isNote)]
    // The ends of a range belong to it.
    const spans = new Map(found.flatMap(({orderNo, span}) => (span ? [[orderNo, span] as const] : [])))
    return found.map(({orderNo, sureness}) => {
      const span = spans.get(orderNo)
      return {orderNo, sureness: isNote ? 'sure' : sureness, ...(span && {span})}
    })
  }

  /**
   * Whether the numbers in a text about bookings name `all` its orders, `some` of them, or all by their last digits (`tails`). A
   * count or a time names `none`.
   */
  namesIn(text: string): 'all' | 'some' | 'tails' | 'none' {
    const plain = plainText(text.slice(0, textMax))
    if (goesBeyond(plain)) return 'some'
    const isWhole = this.wholes(text).next().done !== true
    const {hasOrders, short, isList} = this.counters.numbersIn(plain)
    if (isWhole || hasOrders || this.otherOrders?.namesOrders(text) === true) return 'all'
    return this.areTails(short, isList, withoutCounts(plain)) ? 'tails' : 'none'
  }

  /** One number may be a count, unless that many orders are not lost; of more, each must be an order's. */
  private areTails(short: readonly string[], isList: boolean, text: string): boolean {
    if (short.length < 2)
      return this.find(text, true).length > 0 && short.every((digits) => Number(digits) > this.size)
    const isLost = (digits: string) => this.counters.hasTail(digits)
    const isKnown = (digits: string) => isLost(digits) || this.otherOrders?.hasTail(digits) === true
    return new Set(short).size === short.length && short.every(isList ? isKnown : isLost)
  }

  all(): Iterable<string> {
    return this.orderNos
  }

  private *wholes(text: string): Generator<Naming> {
    const withoutAmounts = text.replace(amounts, ' ')
    for (const number of splitNumbersIn(withoutAmounts)) {
      const name = this.names.get(bareOrderNo(number))
      if (name) yield {orderNo: name.orderNo, sureness: 'sure'}
    }
    const parts = partsOf(withoutAmounts, textPartsMax)
    for (const [from] of parts.entries()) {
      let bare = ''
      for (const [more, part] of parts.slice(from, from + this.partsMax).entries()) {
        bare += part
        const name = this.names.get(bare)
        if (!name || (name.isDigits && (more + 1 > name.parts || bare.length < digitsMin))) continue
        yield {orderNo: name.orderNo, sureness: 'sure'}
      }
    }
  }

  /** Kept cheap: it is asked of every cell. */
  private mayName(text: string): boolean {
    if (!/^[\x20-\x7e]*$/.test(text)) return true
    // All numbers of a time are part of it, so only a name with its digits and signs can be there.
    const lastParts = times.test(text) ? this.lastOfDigits : this.lastParts
    if (lastParts === this.lastParts && mayBeSplit(text)) return true
    for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
      const bare = word.includes('0') ? word.replace(/(?<!\d)0+(?=\d)/g, '') : word
      if (lastParts.has(bare) || /^\d+e\d+$/.test(word)) return true
    }
    return false
  }
}

/** People copy the first or last characters of a code. An end with a word or digits alone may be a prefix, a date or a counter. */
function endsOf(text: string): string[] {
  const bare = text.toLowerCase().replace(/[^a-z\d]/g, '')
  if (bare.length < codeMin) return []
  const isHex = /^[a-f\d]{32}$/.test(bare)
  const ends = copied.flatMap((length) => [bare.slice(0, length), bare.slice(-length)])
  return [...ends, bare.slice(-copiedLeast)].filter(
    (end) => (end.match(changes)?.length ?? 0) >= (isHex && end.length > copiedLeast ? 1 : 3),
  )
}

const codeMin = 10
const [copiedLeast, copied] = [4, [6, 8, 12]] as const
/** Between letters and digits. */
const changes = /(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])/g
