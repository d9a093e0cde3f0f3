import {plainText} from '../core/order-no-fold.ts'
import {saysBooked} from './booking-words.ts'
import {CounterNames} from './counter-names.ts'
import {saysMoneyBack} from './money-back.ts'

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
  private readonly lengths = new Set<number>()

  constructor(numbers: Iterable<string>) {
    let learnt = 0
    for (const orderNo of numbers) {
      learnt += 1
      if (learnt > learntMax) return
      this.counters.add(orderNo)
      if (orderNo.length >= 6) this.lengths.add(orderNo.length)
    }
  }

  /** `isBooked`: words beside the text say that what it names was booked. */
  see(text: string, isBooked: boolean): void {
    if (this.texts.size >= textsMax || !/\p{N}/u.test(text)) return
    if (!isBooked && !/[\p{L}✓✔☑✅]/u.test(text)) return
    if (!(isBooked || saysBooked(text) || saysMoneyBack(text, true) !== null)) return
    if (this.namesOrders(text)) this.keep(text.replace(phones, ' '), 'numbers')
  }

  /** The text says that orders were booked, without naming them. */
  seeSentence(text: string, note: 'sentence' | 'file name'): void {
    if (this.texts.size < textsMax) this.keep(text, note)
  }

  /** Whether a text has numbers like those of this ledger. */
  namesOrders(text: string): boolean {
    return (
      this.counters.numbersIn(plainText(text)) === 'orders' ||
      wordsOf(text).some((word) => this.lengths.has(word.length))
    )
  }

  all(): Iterable<ToldText> {
    return this.texts.values()
  }

  private keep(whole: string, note: ToldText['note']): void {
    const words = wordsOf(whole)
    const [first, last] = [words[0] ?? '', words.at(-1) ?? '']
    const end = whole.lastIndexOf(last) + last.length
    const kept = note === 'numbers' ? whole.slice(whole.indexOf(first), end) : whole.trim()
    for (let from = 0; from < kept.length; from += lengthMax) {
      const text = kept.slice(from, from + lengthMax)
      this.texts.set(`${note} ${text}`, {text, note, words: wordsOf(text)})
    }
  }
}

function wordsOf(text: string): string[] {
  return text.match(/(?:[\p{L}\p{M}]+[-_./# ]?)?\p{N}[\p{L}\p{N}_/-]*/gu) ?? []
}
