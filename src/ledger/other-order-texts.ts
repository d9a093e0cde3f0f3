import {plainText} from '../core/order-no-fold.ts'
import {saysBooked, saysGiving, saysOwnBooked} from './booking-words.ts'
import {CounterNames} from './counter-names.ts'
import {withoutCounts} from './counts.ts'
import {saysMoneyBack} from './money-back.ts'
import {NumberSpan} from './number-span.ts'
import {OtherPlayers} from './other-players.ts'
import {splitNumbersIn} from './split-numbers.ts'

/** What a ledger says of bookings outside of its rows: `numbers` like its own, or a `sentence` without any, also as `file name`. */
export interface ToldText {
  readonly text: string
  readonly note: 'numbers' | 'sentence' | 'file name'
  /** Parts of the text that may each be an order number. */
  readonly words: readonly string[]
}

/** The most numbers of the ledger that are used to recognise others like them. */
const learntMax = 2_000
const textsMax = 10_000
/** The journal uses the text as a key, so it must be short. */
const lengthMax = 500
const phones = /(?<!\d)(?:\+?88)?01[3-9]\d{8}(?!\d)/g

/**
 * Texts of a ledger that may be about orders of another day, which no run has seen yet: a later run that has them must
 * not resend them. Only the numbers and the text between them are kept.
 */
export class OtherOrderTexts {
  private readonly texts = new Map<string, ToldText>()
  private readonly counters = new CounterNames()
  /** For each length of their numbers the fewest digits among them. */
  private readonly digitsOf = new Map<number, number>()

  private readonly sheets: (readonly string[])[] = []
  readonly players: OtherPlayers

  constructor(numbers: Iterable<string>, players: Iterable<string> = []) {
    this.players = new OtherPlayers(players)
    let learnt = 0
    for (const orderNo of numbers) {
      learnt += 1
      if (learnt > learntMax) return
      this.counters.add(orderNo)
      const [{length}, digits] = [orderNo, digitsIn(orderNo)]
      if (length >= 6) this.digitsOf.set(length, Math.min(digits, this.digitsOf.get(length) ?? digits))
    }
  }

  /** `isBooked`: words beside the text say that what it names was booked. */
  see(text: string, isBooked: boolean): void {
    if (this.texts.size >= textsMax || !/\p{N}/u.test(text)) return
    if (!isBooked && !/[\p{L}✓✔☑✅]/u.test(text)) return
    const isSaid = saysBooked(text) || saysGiving(text) || saysOwnBooked(text, true) !== null
    if (!(isBooked || isSaid || saysMoneyBack(text, true) !== null)) return
    if (this.namesOrders(text)) this.keep(text.replace(phones, ' '), 'numbers')
  }

  /** Texts beside a booked row whose number the service does not know: one may name the order that it is the booking of. */
  seeBeside(line: readonly string[], read: ReadonlySet<number>, comments: readonly string[]): void {
    const texts = [...line.filter((_, at) => !read.has(at)), ...comments]
    const isNumber = (word: string) => word.length >= 5 && digitsIn(word) >= 3
    for (const text of texts) {
      const bare = text.replace(phones, ' ')
      if (this.texts.size < textsMax && wordsOf(bare).some(isNumber)) this.keep(bare, 'numbers')
    }
  }

  /** The text says that orders were booked, without naming them. */
  seeSentence(text: string, note: 'sentence' | 'file name'): void {
    if (this.texts.size < textsMax) this.keep(text, note)
  }

  /** The cells of a sheet that is not read. */
  seeSheet(cells: readonly string[]): void {
    const some = cells.filter((cell) => this.counters.counterOf(cell.trim()) !== null)
    if (some.length > 0) this.sheets.push(some.slice(0, textsMax))
  }

  /**
   * Numbers on other sheets, without a word, between those of this ledger: its own lost orders, where nobody knows yet which are
   * lost. A sheet that rather has what the ledger has names nothing.
   */
  *onSheets(numbers: () => Iterable<string>, isHere: (orderNo: string) => boolean): Generator<string> {
    if (this.sheets.length === 0) return
    const span = new NumberSpan(this.counters)
    for (const orderNo of numbers()) span.add(orderNo)
    for (const cells of this.sheets) {
      const own = new Set(cells.map((cell) => cell.trim()).filter((cell) => span.has(cell) === 'file'))
      const others = [...own].filter((cell) => !isHere(cell))
      if (others.length * 2 > own.size) yield* others
    }
  }

  /** Whether a text has numbers like those of this ledger. */
  namesOrders(text: string): boolean {
    const plain = plainText(text)
    // A word and a count (`issue 7`) may be as long as a number, but has fewer digits.
    const isAlike = (word: string) =>
      digitsIn(word) >= Math.max(2, this.digitsOf.get(word.length) ?? Infinity)
    return this.counters.numbersIn(plain).hasOrders || wordsOf(withoutCounts(plain)).some(isAlike)
  }

  /** Whether these digits end the number of an order of this ledger. */
  hasTail(digits: string): boolean {
    return this.counters.hasTail(digits)
  }

  all(): Iterable<ToldText> {
    return this.texts.values()
  }

  private keep(whole: string, note: ToldText['note']): void {
    const written = writtenIn(whole)
    const [first, last] = [written[0] ?? '', written.at(-1) ?? '']
    const end = whole.lastIndexOf(last) + last.length
    const kept = note === 'numbers' ? whole.slice(whole.indexOf(first), end) : whole.trim()
    for (let from = 0; from < kept.length; from += lengthMax) {
      const text = kept.slice(from, from + lengthMax)
      this.texts.set(`${note} ${text}`, {text, note, words: wordsOf(text)})
    }
  }
}

function wordsOf(text: string): string[] {
  return [...writtenIn(text), ...splitNumbersIn(text)]
}

function writtenIn(text: string): string[] {
  return text.match(/(?:[\p{L}\p{M}]+[-_./# ]?)?\p{N}[\p{L}\p{N}_/-]*/gu) ?? []
}

function digitsIn(text: string): number {
  return text.match(/\p{N}/gu)?.length ?? 0
}
